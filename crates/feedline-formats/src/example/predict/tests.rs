//! Guesses are right or not made, whatever order keys come in.

use super::*;
use crate::wire::write_varint;

/// A map entry with its own tag and length, and a value of `value_bytes` bytes.
fn entry(name: &str, value_bytes: usize) -> Vec<u8> {
    let mut body = vec![0x0a];
    write_varint(&mut body, name.len() as u64);
    body.extend_from_slice(name.as_bytes());
    body.push(0x12);
    write_varint(&mut body, value_bytes as u64);
    body.resize(body.len() + value_bytes, 0x77);
    let mut bytes = vec![0x0a];
    write_varint(&mut bytes, body.len() as u64);
    bytes.extend(body);
    bytes
}

fn walk(order: &mut KeyOrder, names: &[&str], value_bytes: usize, tail: usize) -> Vec<u32> {
    let mut cursor = order.start();
    let step = |name: &&str| {
        let mut bytes = entry(name, value_bytes);
        let end = bytes.len();
        bytes.resize(end + tail, 0x55);
        let entry = order.next(cursor, &bytes, 0).unwrap();
        cursor = entry.cursor;
        assert_eq!((entry.value, entry.end), (end - value_bytes, end));
        entry.slot
    };
    names.iter().map(step).collect()
}

#[test]
fn any_order_gives_the_right_slots() {
    let long = "a_name_of_more_than_twenty_seven_bytes";
    let known = ["a", "bb", long, "eleven_byte", "twelve_bytes", "a_name_of_twenty_seven_bytes"];
    let mut order = KeyOrder::new(known.into_iter().map(|name| (name, ValueForm::Feature)));
    for (value_bytes, tail) in [(0, 0), (5, 0), (5, 40), (100, 3), (300, 0), (70_000, 9)] {
        for names in [
            ["a", "bb", long],
            [long, "a", "bb"],
            ["bb", "x", "a"],
            ["a", "y", long],
            ["", "a", "a"],
            ["eleven_byte", "twelve_bytes", "eleven_bytf"],
            ["twelve_bytes", "a_name_of_twenty_seven_bytes", "twelve_bytez"],
            ["a_name_of_twenty_seven_bytes", "a_name_of_twenty_seven_bytez", "bb"],
        ] {
            let expected: Vec<u32> = names
                .iter()
                .map(|name| known.iter().position(|known| known == name).map_or(UNWANTED, |slot| slot as u32))
                .collect();
            for _ in 0..3 {
                assert_eq!(walk(&mut order, &names, value_bytes, tail), expected, "{names:?}");
            }
        }
    }
}

#[test]
fn loads_end_with_zeros() {
    let bytes: Vec<u8> = (1..=40).collect();
    for len in 0..=40 {
        for at in 0..=45 {
            let mut expected = [0; 16];
            let tail = bytes[..len].get(at..).unwrap_or_default();
            let count = tail.len().min(16);
            expected[..count].copy_from_slice(&tail[..count]);
            assert_eq!(load(&bytes[..len], at), u128::from_le_bytes(expected), "{at} of {len}");
        }
    }
}

#[test]
fn strangers_do_not_fill_memory() {
    let mut order = KeyOrder::new([("wanted", ValueForm::Feature)].into_iter());
    for index in 0..2 * MAX_KEYS {
        assert_eq!(walk(&mut order, &[&format!("stranger{index}"), "wanted"], 4, 3), [UNWANTED, 0]);
    }
    assert!(order.keys.len() <= MAX_KEYS);
}

#[test]
fn lengths_that_contradict_each_other_are_not_stepped_over() {
    let mut order = KeyOrder::new([("wanted", ValueForm::Feature)].into_iter());
    walk(&mut order, &["x"], 3, 0);
    // The value's length of 252 fits the entry's of 1 only where bytes wrap around.
    let mut bytes = vec![0x0a, 1, 0x0a, 1, b'x', 0x12, 252];
    bytes.resize(400, 0x77);
    assert!(order.next(order.start(), &bytes, 0).is_none());
}

#[test]
fn what_is_no_plain_entry_is_left_to_the_careful_path() {
    let long = "k".repeat(MAX_KEY_BYTES + 1);
    let mut order = KeyOrder::new([("a", ValueForm::Feature), (&long, ValueForm::Feature)].into_iter());
    let whole = entry("a", 5);
    let cut = (0..whole.len()).map(|end| whole[..end].to_vec());
    let padded = |bytes: &[u8]| [bytes, &[0; 40]].concat();
    let odd = [
        padded(&[0x12, 7, 0x0a, 1, b'a', 0x12, 2]),
        padded(&[0x0a, 6, 0x0a, 1, b'a', 0x12, 2]),
        padded(&[0x0a, 7, 0x0a, 0x81, 0, b'a', 0x12, 2]),
        padded(&[0x0a, 7, 0x0a, 1, b'a', 0x1a, 2]),
        entry(&long, 5),
    ];
    for bytes in cut.chain(odd) {
        let entry = order.next(order.start(), &bytes, 0);
        assert!(entry.is_none_or(|entry| entry.end > bytes.len()), "{bytes:?}");
    }
}
