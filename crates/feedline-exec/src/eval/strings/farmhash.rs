//! `FarmHash`'s Fingerprint64, which is the same for ever: numbers made with it are in people's models.

#![allow(clippy::many_single_char_names, reason = "the letters its authors gave the words")]

const K0: u64 = 0xc3a5_c85c_97cb_3127;
const K1: u64 = 0xb492_b66f_be98_f273;
const K2: u64 = 0x9ae1_6a3b_2f90_404f;

/// The fingerprint of some bytes.
pub(in crate::eval) fn fingerprint64(bytes: &[u8]) -> u64 {
    match bytes.len() {
        0..=16 => up_to_16(bytes),
        17..=32 => up_to_32(bytes),
        33..=64 => up_to_64(bytes),
        _ => longer(bytes),
    }
}

fn word(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at..at + 8].try_into().expect("8 bytes"))
}

fn half_word(bytes: &[u8], at: usize) -> u64 {
    u64::from(u32::from_le_bytes(bytes[at..at + 4].try_into().expect("4 bytes")))
}

fn shift_mix(value: u64) -> u64 {
    value ^ (value >> 47)
}

fn mix(one: u64, two: u64, factor: u64) -> u64 {
    let first = shift_mix((one ^ two).wrapping_mul(factor));
    shift_mix((two ^ first).wrapping_mul(factor)).wrapping_mul(factor)
}

fn factor_of(len: usize) -> u64 {
    K2.wrapping_add(len as u64 * 2)
}

fn up_to_16(bytes: &[u8]) -> u64 {
    let len = bytes.len();
    let factor = factor_of(len);
    if len >= 8 {
        let a = word(bytes, 0).wrapping_add(K2);
        let b = word(bytes, len - 8);
        let c = b.rotate_right(37).wrapping_mul(factor).wrapping_add(a);
        let d = a.rotate_right(25).wrapping_add(b).wrapping_mul(factor);
        return mix(c, d, factor);
    }
    if len >= 4 {
        let one = (len as u64).wrapping_add(half_word(bytes, 0) << 3);
        return mix(one, half_word(bytes, len - 4), factor);
    }
    if len == 0 {
        return K2;
    }
    let (first, middle, last) = (u64::from(bytes[0]), u64::from(bytes[len >> 1]), u64::from(bytes[len - 1]));
    let y = first + (middle << 8);
    let z = len as u64 + (last << 2);
    shift_mix(y.wrapping_mul(K2) ^ z.wrapping_mul(K0)).wrapping_mul(K2)
}

fn up_to_32(bytes: &[u8]) -> u64 {
    let len = bytes.len();
    let factor = factor_of(len);
    let a = word(bytes, 0).wrapping_mul(K1);
    let b = word(bytes, 8);
    let c = word(bytes, len - 8).wrapping_mul(factor);
    let d = word(bytes, len - 16).wrapping_mul(K2);
    let one = a.wrapping_add(b).rotate_right(43).wrapping_add(c.rotate_right(30)).wrapping_add(d);
    mix(one, a.wrapping_add(b.wrapping_add(K2).rotate_right(18)).wrapping_add(c), factor)
}

fn up_to_64(bytes: &[u8]) -> u64 {
    let len = bytes.len();
    let factor = factor_of(len);
    let a = word(bytes, 0).wrapping_mul(K2);
    let b = word(bytes, 8);
    let c = word(bytes, len - 8).wrapping_mul(factor);
    let d = word(bytes, len - 16).wrapping_mul(K2);
    let y = a.wrapping_add(b).rotate_right(43).wrapping_add(c.rotate_right(30)).wrapping_add(d);
    let z = mix(y, a.wrapping_add(b.wrapping_add(K2).rotate_right(18)).wrapping_add(c), factor);
    let e = word(bytes, 16).wrapping_mul(factor);
    let f = word(bytes, 24);
    let g = y.wrapping_add(word(bytes, len - 32)).wrapping_mul(factor);
    let h = z.wrapping_add(word(bytes, len - 24)).wrapping_mul(factor);
    let one = e.wrapping_add(f).rotate_right(43).wrapping_add(g.rotate_right(30)).wrapping_add(h);
    mix(one, e.wrapping_add(f.wrapping_add(a).rotate_right(18)).wrapping_add(g), factor)
}

/// 32 bytes and two seeds as two words.
fn weak(bytes: &[u8], at: usize, mut a: u64, mut b: u64) -> (u64, u64) {
    let (w, x, y, z) = (word(bytes, at), word(bytes, at + 8), word(bytes, at + 16), word(bytes, at + 24));
    a = a.wrapping_add(w);
    b = b.wrapping_add(a).wrapping_add(z).rotate_right(21);
    let c = a;
    a = a.wrapping_add(x).wrapping_add(y);
    b = b.wrapping_add(a.rotate_right(44));
    (a.wrapping_add(z), b.wrapping_add(c))
}

fn longer(bytes: &[u8]) -> u64 {
    const SEED: u64 = 81;
    let last = bytes.len() - 1;
    let mut x = SEED.wrapping_mul(K2).wrapping_add(word(bytes, 0));
    let mut y = SEED.wrapping_mul(K1).wrapping_add(113);
    let mut z = shift_mix(y.wrapping_mul(K2).wrapping_add(113)).wrapping_mul(K2);
    let (mut v, mut w) = ((0_u64, 0_u64), (0_u64, 0_u64));
    let end = last / 64 * 64;
    for at in (0..end).step_by(64) {
        x = x
            .wrapping_add(y)
            .wrapping_add(v.0)
            .wrapping_add(word(bytes, at + 8))
            .rotate_right(37)
            .wrapping_mul(K1);
        y = y.wrapping_add(v.1).wrapping_add(word(bytes, at + 48)).rotate_right(42).wrapping_mul(K1);
        x ^= w.1;
        y = y.wrapping_add(v.0).wrapping_add(word(bytes, at + 40));
        z = z.wrapping_add(w.0).rotate_right(33).wrapping_mul(K1);
        v = weak(bytes, at, v.1.wrapping_mul(K1), x.wrapping_add(w.0));
        w = weak(bytes, at + 32, z.wrapping_add(w.1), y.wrapping_add(word(bytes, at + 16)));
        std::mem::swap(&mut z, &mut x);
    }
    let factor = K1.wrapping_add((z & 0xff) << 1);
    let at = bytes.len() - 64;
    w.0 = w.0.wrapping_add(last as u64 & 63);
    v.0 = v.0.wrapping_add(w.0);
    w.0 = w.0.wrapping_add(v.0);
    x = x
        .wrapping_add(y)
        .wrapping_add(v.0)
        .wrapping_add(word(bytes, at + 8))
        .rotate_right(37)
        .wrapping_mul(factor);
    y = y.wrapping_add(v.1).wrapping_add(word(bytes, at + 48)).rotate_right(42).wrapping_mul(factor);
    x ^= w.1.wrapping_mul(9);
    y = y.wrapping_add(v.0.wrapping_mul(9)).wrapping_add(word(bytes, at + 40));
    z = z.wrapping_add(w.0).rotate_right(33).wrapping_mul(factor);
    v = weak(bytes, at, v.1.wrapping_mul(factor), x.wrapping_add(w.0));
    w = weak(bytes, at + 32, z.wrapping_add(w.1), y.wrapping_add(word(bytes, at + 16)));
    std::mem::swap(&mut z, &mut x);
    let one = mix(v.0, w.0, factor).wrapping_add(shift_mix(y).wrapping_mul(K0)).wrapping_add(z);
    mix(one, mix(v.1, w.1, factor).wrapping_add(x), factor)
}
