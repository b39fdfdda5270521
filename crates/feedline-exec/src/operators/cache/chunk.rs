//! The files of a cache: rows as bytes and back.
//!
//! # The format, version 1
//! Everything is made of little-endian 64-bit words, so that numbers lie aligned and are used where they were read:
//!
//! | words | what |
//! | --- | --- |
//! | 1 | `FLCACHE` and the byte 1, the version |
//! | 1 | CRC-32C of everything behind this word; the upper half is 0 |
//! | 1 | length of the file in bytes |
//! | 1 | number of the first row |
//! | 1 | number of blocks; each as [`row_bytes`](super::row_bytes) says |
//!
//! Bytes that are anything else are refused with a reason; none lead to a panic, or to more memory than they are.

use feedline_data::block::Buffer;
use feedline_formats::crc32c;

use super::row_bytes::{Reader, WORD, put};
use super::rows::Rows;

const MAGIC: &[u8; 8] = b"FLCACHE\x01";
/// What the checksum does not cover: the magic word, and itself.
const UNCHECKED_BYTES: usize = 2 * WORD;

/// What a file holds.
#[derive(Debug)]
pub struct Chunk {
    /// The number of its first row.
    pub(crate) first_row: u64,
    /// Its rows.
    pub(crate) blocks: Vec<Rows>,
}

impl Chunk {
    /// Number of rows.
    pub fn num_rows(&self) -> u64 {
        self.blocks.iter().map(|rows| rows.len() as u64).sum()
    }

    /// Its rows, the first of which is row number `first_row` of the cache, as the bytes of a file.
    pub(crate) fn encode(first_row: u64, blocks: &[Rows]) -> Vec<u8> {
        let mut bytes = Vec::new();
        bytes.extend_from_slice(MAGIC);
        for word in [0, 0, first_row, blocks.len() as u64] {
            put(&mut bytes, word);
        }
        for rows in blocks {
            rows.encode(&mut bytes);
        }
        let length = bytes.len() as u64;
        bytes[2 * WORD..3 * WORD].copy_from_slice(&length.to_le_bytes());
        let checksum = u64::from(crc32c(&bytes[UNCHECKED_BYTES..]));
        bytes[WORD..2 * WORD].copy_from_slice(&checksum.to_le_bytes());
        bytes
    }

    /// What the bytes of a file are; columns share them.
    ///
    /// # Errors
    /// What is wrong with them.
    pub fn decode(buffer: &Buffer) -> Result<Chunk, String> {
        let bytes = buffer.as_bytes();
        let Some((magic, _)) = bytes.split_first_chunk::<WORD>() else {
            return Err(format!("it has {} bytes, which is no chunk", bytes.len()));
        };
        if magic != MAGIC {
            return Err(if magic[..7] == MAGIC[..7] {
                format!("it is of version {}, this feedline reads version {}", magic[7], MAGIC[7])
            } else {
                "it does not begin as a chunk does".to_owned()
            });
        }
        let mut reader = Reader::new(buffer, WORD);
        let (expected, length) = (reader.word()?, reader.word()?);
        if length != bytes.len() as u64 {
            return Err(format!("it has {} bytes, and says it has {length}", bytes.len()));
        }
        let found = u64::from(crc32c(&bytes[UNCHECKED_BYTES..]));
        if found != expected {
            return Err(format!("its checksum is {found:#010x}, it says {expected:#010x}"));
        }
        let (first_row, num_blocks) = (reader.word()?, reader.count(1)?);
        let blocks = (0..num_blocks).map(|_| reader.rows()).collect::<Result<Vec<_>, _>>()?;
        reader.end()?;
        Ok(Chunk { first_row, blocks })
    }
}

#[cfg(test)]
mod tests {
    use feedline_data::block::{Column, Ids};
    use proptest::prelude::*;

    use super::*;

    fn aligned(bytes: &[u8]) -> Buffer {
        let mut words = vec![0_u64; bytes.len().div_ceil(WORD)];
        bytemuck::cast_slice_mut(&mut words)[..bytes.len()].copy_from_slice(bytes);
        Buffer::from_vec(words).slice(0..bytes.len())
    }

    fn examples() -> Vec<Rows> {
        let images = Column::from_vec(vec![], 7, vec![1_u8, 2, 3, 4, 5, 6, 7]);
        let words = Column::from_strings(vec![], 3, ["a", "", "ccc"].iter().collect());
        vec![
            Rows {
                columns: vec![
                    Column::from_vec(vec![], 3, vec![1_i64, -2, 3]),
                    Column::from_vec(vec![2, 1], 3, vec![1_f32, 2., 3., f32::NAN, 5., 6.]),
                    Column::from_bools(vec![], 3, vec![0, 1, 1]),
                    Column::from_vec(vec![0, 4], 3, Vec::<u16>::new()),
                    images.with_shapes(vec![vec![1, 2], vec![0], vec![5]]),
                    Column::from_strings(vec![], 3, ["label", "", "\0\n"].iter().collect()),
                    words.with_shapes(vec![vec![2], vec![], vec![0]]),
                ],
                ids: Ids::run(u64::MAX, 3),
            },
            Rows { columns: vec![Column::from_vec(vec![], 2, vec![1_i8, 2])], ids: Ids::list(vec![9, 4]) },
            Rows { columns: vec![], ids: Ids::run(5, 1000) },
        ]
    }

    fn with_checksum(mut bytes: Vec<u8>) -> Vec<u8> {
        if bytes.len() >= 3 * WORD {
            let length = bytes.len() as u64;
            bytes[2 * WORD..3 * WORD].copy_from_slice(&length.to_le_bytes());
            let checksum = u64::from(crc32c(&bytes[UNCHECKED_BYTES..]));
            bytes[WORD..2 * WORD].copy_from_slice(&checksum.to_le_bytes());
        }
        bytes
    }

    #[test]
    fn rows_come_back() {
        let rows = examples();
        let bytes = Chunk::encode(17, &rows);
        assert_eq!(bytes.len() % WORD, 0);
        let chunk = Chunk::decode(&aligned(&bytes)).expect("own bytes");
        assert_eq!((chunk.first_row, chunk.num_rows()), (17, 1005));
        for (one, two) in rows.iter().zip(&chunk.blocks) {
            assert!(one.columns == two.columns && one.ids == two.ids);
        }
        assert_eq!(Chunk::decode(&aligned(&Chunk::encode(0, &[]))).expect("own bytes").num_rows(), 0);
    }

    #[test]
    fn damage_is_named() {
        let bytes = Chunk::encode(0, &examples());
        let reason = |bytes: &[u8]| Chunk::decode(&aligned(bytes)).expect_err("damaged");
        assert_eq!(reason(b"abc"), "it has 3 bytes, which is no chunk");
        assert_eq!(reason(b"something else"), "it does not begin as a chunk does");
        assert_eq!(reason(b"FLCACHE\x02"), "it is of version 2, this feedline reads version 1");
        assert!(reason(&bytes[..100]).starts_with("it has 100 bytes, and says it has "));
        for place in 0..bytes.len() {
            for bit in [0, 7] {
                let mut flipped = bytes.clone();
                flipped[place] ^= 1 << bit;
                reason(&flipped);
            }
            reason(&bytes[..place]);
        }
    }

    proptest! {
        /// With a right checksum, so that the bytes are looked at.
        #[test]
        fn no_bytes_break_it(
            cut in 0..2000_usize,
            changes in prop::collection::vec((0..2000_usize, any::<u8>()), 0..6),
            tail in prop::collection::vec(any::<u8>(), 0..40),
        ) {
            let mut bytes = Chunk::encode(0, &examples());
            bytes.truncate(bytes.len() - cut.min(bytes.len()) / 8);
            for (place, value) in changes {
                if let Some(byte) = bytes.get_mut(place) {
                    *byte = value;
                }
            }
            bytes.extend(tail);
            if let Ok(chunk) = Chunk::decode(&aligned(&with_checksum(bytes))) {
                for rows in chunk.blocks {
                    prop_assert!(rows.columns.iter().all(|column| column.rows() == rows.len()));
                    let _ = Rows::compact(&[rows]);
                }
            }
        }
    }
}
