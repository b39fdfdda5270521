//! Gray of a PNG's colours, as libpng 1.6 has it, which TensorFlow asks for it.
//!
//! Where a file says how its values stand to light (`gAMA`, `sRGB`), libpng makes them linear, weighs them, and goes back, by tables
//! whose roundings are part of the result. Where it says nothing, the values themselves are weighed.

use crate::info::ImageFormat;
use crate::png::check_sum;
use crate::reader::Reader;
use crate::sniff::PNG_SIGNATURE;

/// What libpng takes for an `sRGB` chunk, in steps of 1e-5, as PNG stores gammas.
const SRGB: u32 = 45_455;
/// The weights TensorFlow gives libpng, 0.299, 0.587 and 0.114, as 15-bit fractions.
const WEIGHTS: [u32; 3] = [9_797, 19_234, 3_737];

/// What the chunks before the palette and the pixels say of colours.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) struct Chunks {
    gamma: Option<u32>,
    /// The most bits of a channel that mean something; 0: not said.
    significant_bits: u8,
}

impl Chunks {
    /// Reads them as libpng does: the `sRGB` chunk wins, and what makes no sense is as if it were not there.
    pub(super) fn read(bytes: &[u8]) -> Self {
        let mut found = Self::default();
        let mut reader = Reader::new(bytes, PNG_SIGNATURE.len(), ImageFormat::Png);
        let (mut is_srgb, mut has_profile, mut has_gamma, mut is_invalid) = (false, false, false, false);
        let (mut depth, mut channels) = (8, 3);
        while let Ok([l3, l2, l1, l0, name @ ..]) = reader.array::<8>("a chunk's header") {
            let len = u32::from_be_bytes([l3, l2, l1, l0]) as usize;
            let start = reader.position() - 4;
            let Ok(data) = reader.take(len, "a chunk") else { break };
            let Ok(sum) = reader.array::<4>("a checksum") else { break };
            if matches!(&name, b"PLTE" | b"IDAT" | b"IEND") {
                break;
            }
            if !matches!(&name, b"IHDR" | b"gAMA" | b"sRGB" | b"iCCP" | b"sBIT") {
                continue;
            }
            if check_sum(&bytes[start..start + 4 + len], &"", u32::from_be_bytes(sum)).is_err() {
                continue;
            }
            match (&name, data) {
                (b"IHDR", &[_, _, _, _, _, _, _, _, bits, colour, ..]) => {
                    depth = if colour == 3 { 8 } else { bits };
                    channels = if colour == 6 { 4 } else { 3 };
                }
                (b"gAMA", &[a, b, c, d]) if !is_invalid => {
                    let gamma = u32::from_be_bytes([a, b, c, d]);
                    // A second one, and one out of range, also end what later chunks may say.
                    is_invalid = has_gamma || !(16..=625_000_000).contains(&gamma);
                    if !is_invalid && !is_srgb {
                        (found.gamma, has_gamma) = (Some(gamma), true);
                    }
                }
                (b"sRGB", &[intent]) if !is_invalid => {
                    is_invalid = has_profile || intent > 3;
                    has_profile = true;
                    if !is_invalid {
                        (found.gamma, is_srgb) = (Some(SRGB), true);
                    }
                }
                (b"iCCP", _) => has_profile = true,
                (b"sBIT", bits)
                    if bits.len() == channels
                        && found.significant_bits == 0
                        && bits.iter().all(|bits| (1..=depth).contains(bits)) =>
                {
                    found.significant_bits = bits[..3].iter().copied().max().unwrap_or(0);
                }
                _ => {}
            }
        }
        found
    }

    /// The gamma, where it makes a difference: libpng leaves 0.95 to 1.05 alone.
    fn significant_gamma(self) -> Option<u32> {
        let gamma = self.gamma?;
        (is_significant(gamma) || is_significant(reciprocal(gamma))).then_some(gamma)
    }
}

fn is_significant(gamma: u32) -> bool {
    !(95_000..=105_000).contains(&gamma)
}

fn reciprocal(gamma: u32) -> u32 {
    (1e10 / f64::from(gamma) + 0.5).floor() as u32
}

fn power(value: f64, gamma: u32) -> f64 {
    value.powf(f64::from(gamma) * 0.00001)
}

fn weighed(colour: [u32; 3]) -> u64 {
    colour.iter().zip(WEIGHTS).map(|(&value, weight)| u64::from(value) * u64::from(weight)).sum()
}

/// Gray of colours of 8 bits.
pub(super) struct GrayOfBytes {
    /// To light, and back; none where nothing is known.
    tables: Option<(Vec<u8>, Vec<u8>)>,
}

impl GrayOfBytes {
    pub(super) fn new(chunks: Chunks) -> Self {
        let table = |gamma: u32| -> Vec<u8> {
            let value = |value: u8| match value {
                1..=254 if is_significant(gamma) => {
                    (255.0 * power(f64::from(value) / 255.0, gamma) + 0.5).floor() as u8
                }
                ends => ends,
            };
            (0..=255).map(value).collect()
        };
        let tables = chunks.significant_gamma().map(|gamma| {
            let screen = reciprocal(gamma);
            (table(screen), table(reciprocal(screen)))
        });
        Self { tables }
    }

    pub(super) fn of(&self, colour: [u32; 3]) -> u32 {
        let [red, green, blue] = colour;
        if red == green && red == blue {
            return red;
        }
        match &self.tables {
            Some((to_light, back)) => {
                let light = weighed(colour.map(|value| u32::from(to_light[value as usize])));
                u32::from(back[((light + 16_384) >> 15) as usize])
            }
            // Not rounded here, in libpng.
            None => (weighed(colour) >> 15) as u32,
        }
    }
}

/// Gray of colours of 16 bits.
pub(super) struct GrayOfWords {
    tables: Option<WideTables>,
}

struct WideTables {
    /// The low bits of a word that the tables leave out.
    shift: u32,
    to_light: Vec<u16>,
    back: Vec<u16>,
    /// For what is gray already.
    of_gray: Vec<u16>,
}

impl GrayOfWords {
    /// `is_wide`: whether the result keeps its 16 bits.
    pub(super) fn new(chunks: Chunks, is_wide: bool) -> Self {
        let tables = chunks.significant_gamma().map(|gamma| {
            let unused = match chunks.significant_bits {
                bits @ 1..=15 => 16 - u32::from(bits),
                _ => 0,
            };
            // For results of 8 bits, 11 bits of the input count.
            let shift = if is_wide { unused } else { unused.max(16 - 11) }.min(8);
            let screen = reciprocal(gamma);
            let of_gray = if is_wide {
                wide_table(shift, (1e15 / f64::from(gamma) / f64::from(screen) + 0.5).floor() as u32)
            } else {
                table_of_steps(shift, (f64::from(gamma) * 1e-5 * f64::from(screen) + 0.5).floor() as u32)
            };
            WideTables {
                shift,
                to_light: wide_table(shift, screen),
                back: wide_table(shift, reciprocal(screen)),
                of_gray,
            }
        });
        Self { tables }
    }

    pub(super) fn of(&self, colour: [u32; 3]) -> u32 {
        let [red, green, blue] = colour;
        let is_gray = red == green && red == blue;
        let Some(WideTables { shift, to_light, back, of_gray }) = &self.tables else {
            return if is_gray { red } else { ((weighed(colour) + 16_384) >> 15) as u32 };
        };
        let look_up = |table: &[u16], value: u32| u32::from(table[(value >> shift) as usize]);
        if is_gray {
            return look_up(of_gray, red);
        }
        let light = (weighed(colour.map(|value| look_up(to_light, value))) + 16_384) >> 15;
        look_up(back, light as u32)
    }
}

fn wide_table(shift: u32, gamma: u32) -> Vec<u16> {
    let largest = (1_u32 << (16 - shift)) - 1;
    let part = 1.0 / f64::from(largest);
    let value = |value: u32| {
        if is_significant(gamma) {
            (65_535.0 * power(f64::from(value) * part, gamma) + 0.5).floor() as u16
        } else if shift > 0 {
            ((value * 65_535 + (1 << (15 - shift))) / largest) as u16
        } else {
            value as u16
        }
    };
    (0..=largest).map(value).collect()
}

/// The 256 values that are left of 16 bits where 8 are wanted, each up to the value half way to the next.
fn table_of_steps(shift: u32, gamma: u32) -> Vec<u16> {
    let largest = (1_u32 << (16 - shift)) - 1;
    let mut table = Vec::with_capacity(largest as usize + 1);
    for step in 0..255_u32 {
        let value = step * 257;
        let bound = (65_535.0 * power(f64::from(value + 128) / 65_535.0, gamma) + 0.5).floor() as u32;
        let bound = (bound * largest + 32_768) / 65_535 + 1;
        table.resize(table.len().max(bound as usize).min(largest as usize + 1), value as u16);
    }
    table.resize(largest as usize + 1, 65_535);
    table
}
