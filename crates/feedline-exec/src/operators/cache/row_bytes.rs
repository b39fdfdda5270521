//! Rows as bytes and back: a block of a cache's file, and what a shuffle spills.
//!
//! Everything is made of little-endian 64-bit words, so that numbers lie aligned and are used where they were read:
//!
//! | words of a block | what |
//! | --- | --- |
//! | 1 | rows |
//! | 1 | columns |
//! | 2 or more | ids: 0 and the first of a run, or 1 and an id for each row |
//!
//! | words of a column | what |
//! | --- | --- |
//! | 1 | dtype, its name filled up with zeros |
//! | 2 or more | shapes: 0 and the one all rows have, or 1 and one for each row; a shape is its rank and its dimensions |
//! | any | numbers: the values, filled up with zeros; strings: where each ends, then all bytes, filled up with zeros |
//!
//! Bytes that are anything else are refused with a reason; none lead to a panic, or to more memory than they are.

use std::sync::Arc;

use feedline_data::DType;
use feedline_data::block::{Buffer, Column, Ids, Places, Strings, StringsBuilder};

use super::rows::Rows;

pub(super) const WORD: usize = 8;

// Values are written as they lie in memory.
const _: () = assert!(cfg!(target_endian = "little"), "a cache would have to swap the bytes of its values");

impl Rows {
    /// Appends them as a block of a chunk, which is whole words.
    pub(crate) fn encode(&self, bytes: &mut Vec<u8>) {
        encode_rows(self, bytes);
    }

    /// What [`Rows::encode`] wrote; columns share the bytes.
    ///
    /// # Errors
    /// What is wrong with them.
    pub(crate) fn decode(buffer: &Buffer) -> Result<Rows, String> {
        let mut reader = Reader::new(buffer, 0);
        let rows = reader.rows()?;
        reader.end()?;
        Ok(rows)
    }
}

/// Appends a word.
pub(super) fn put(bytes: &mut Vec<u8>, word: u64) {
    bytes.extend_from_slice(&word.to_le_bytes());
}

fn put_shape(bytes: &mut Vec<u8>, shape: &[usize]) {
    put(bytes, shape.len() as u64);
    shape.iter().for_each(|&size| put(bytes, size as u64));
}

fn pad(bytes: &mut Vec<u8>) {
    bytes.resize(bytes.len().next_multiple_of(WORD), 0);
}

fn encode_rows(rows: &Rows, bytes: &mut Vec<u8>) {
    put(bytes, rows.len() as u64);
    put(bytes, rows.columns.len() as u64);
    match rows.ids {
        Ids::Run { first, .. } => {
            put(bytes, 0);
            put(bytes, first);
        }
        Ids::List { .. } => {
            put(bytes, 1);
            rows.ids.iter().for_each(|id| put(bytes, id));
        }
    }
    for column in &rows.columns {
        let mut dtype = [0; WORD];
        let name = column.dtype().name().as_bytes();
        dtype[..name.len()].copy_from_slice(name);
        bytes.extend_from_slice(&dtype);
        if let Some(shape) = column.common_shape() {
            put(bytes, 0);
            put_shape(bytes, shape);
        } else {
            put(bytes, 1);
            (0..column.rows()).for_each(|row| put_shape(bytes, column.shape(row)));
        }
        if let Some(buffer) = column.buffer() {
            bytes.extend_from_slice(buffer.as_bytes());
        }
        if let Some(strings) = column.strings() {
            let mut end = 0;
            for string in strings.iter() {
                end += string.len() as u64;
                put(bytes, end);
            }
            strings.iter().for_each(|string| bytes.extend_from_slice(string));
        }
        pad(bytes);
    }
}

/// Reads what was written, front to back; columns share the bytes.
pub(super) struct Reader<'a> {
    buffer: &'a Buffer,
    offset: usize,
}

impl<'a> Reader<'a> {
    /// One that begins at `offset`.
    pub(super) fn new(buffer: &'a Buffer, offset: usize) -> Reader<'a> {
        Reader { buffer, offset }
    }

    /// Says so if there is more.
    pub(super) fn end(&self) -> Result<(), String> {
        if self.left() > 0 {
            return Err(format!("{} bytes follow its rows", self.left()));
        }
        Ok(())
    }

    fn left(&self) -> usize {
        self.buffer.len() - self.offset
    }

    /// A word.
    pub(super) fn word(&mut self) -> Result<u64, String> {
        match self.buffer.as_bytes()[self.offset..].first_chunk::<WORD>() {
            Some(word) => {
                self.offset += WORD;
                Ok(u64::from_le_bytes(*word))
            }
            None => Err("it ends in the middle of a block".to_owned()),
        }
    }

    /// The number of things that follow, each of at least `words` words: no more than there are bytes for.
    pub(super) fn count(&mut self, words: usize) -> Result<usize, String> {
        let count = self.word()?;
        match usize::try_from(count) {
            Ok(count) if count.checked_mul(words * WORD).is_some_and(|bytes| bytes <= self.left()) => {
                Ok(count)
            }
            _ => Err(format!("it ends before the {count} items it announces")),
        }
    }

    /// So many bytes, and what fills them up to a word.
    fn bytes(&mut self, len: usize) -> Result<Buffer, String> {
        if len > self.left() {
            return Err(format!("it ends before {len} bytes of values"));
        }
        let bytes = self.buffer.slice(self.offset..self.offset + len);
        self.offset += len;
        let padding = (len.next_multiple_of(WORD) - len).min(self.left());
        self.offset += padding;
        Ok(bytes)
    }

    /// A block.
    pub(super) fn rows(&mut self) -> Result<Rows, String> {
        let num_rows = self.word()?;
        // Rows without values take no bytes: nothing else would bound them.
        let num_rows = u32::try_from(num_rows).map_err(|_| format!("a block has {num_rows} rows"))? as usize;
        let num_columns = self.count(1)?;
        let ids = match self.word()? {
            0 => Ids::run(self.word()?, num_rows),
            1 if num_rows.checked_mul(WORD).is_some_and(|bytes| bytes <= self.left()) => {
                Ids::list((0..num_rows).map(|_| self.word()).collect::<Result<_, _>>()?)
            }
            _ => return Err("its ids cannot be read".to_owned()),
        };
        let columns = (0..num_columns).map(|_| self.column(num_rows)).collect::<Result<_, _>>()?;
        Ok(Rows { columns, ids })
    }

    fn column(&mut self, num_rows: usize) -> Result<Column, String> {
        let name = self.word()?.to_le_bytes();
        let name = name.split(|&byte| byte == 0).next().unwrap_or_default();
        let dtype = DType::ALL.into_iter().find(|dtype| dtype.name().as_bytes() == name);
        let dtype = dtype.ok_or_else(|| format!("no dtype is called {:?}", String::from_utf8_lossy(name)))?;
        let (common, each, num_values) = match self.word()? {
            0 => {
                let (shape, size) = self.shape()?;
                let num_values = size.checked_mul(num_rows).ok_or_else(too_many)?;
                (shape, None, num_values)
            }
            1 if num_rows <= self.left() / WORD => {
                let mut num_values: usize = 0;
                let mut shapes = Vec::with_capacity(num_rows);
                for _ in 0..num_rows {
                    let (shape, size) = self.shape()?;
                    num_values = num_values.checked_add(size).ok_or_else(too_many)?;
                    shapes.push(shape);
                }
                (Vec::new(), Some(shapes), num_values)
            }
            _ => return Err("its shapes cannot be read".to_owned()),
        };
        // Rows of one shape; where each has its own, values alone, which then get their shapes.
        let rows = if each.is_some() { num_values } else { num_rows };
        let column = match dtype.width() {
            Some(width) => {
                let buffer = self.bytes(num_values.checked_mul(width).ok_or_else(too_many)?)?;
                if dtype == DType::Bool && buffer.as_bytes().iter().any(|&byte| byte > 1) {
                    return Err("a bool is neither 0 nor 1".to_owned());
                }
                if !buffer.fits(width) {
                    return Err("its values are not aligned".to_owned());
                }
                Column::from_buffer(dtype, common, rows, buffer)
            }
            None => Column::from_strings(common, rows, self.strings(num_values)?),
        };
        Ok(match each {
            Some(shapes) => column.with_shapes(shapes),
            None => column,
        })
    }

    /// A shape, and how many values it has.
    fn shape(&mut self) -> Result<(Vec<usize>, usize), String> {
        let rank = self.count(1)?;
        let mut num_values: usize = 1;
        let mut shape = Vec::with_capacity(rank);
        for _ in 0..rank {
            let size = usize::try_from(self.word()?).map_err(|_| too_many())?;
            num_values = num_values.checked_mul(size).ok_or_else(too_many)?;
            shape.push(size);
        }
        Ok((shape, num_values))
    }

    fn strings(&mut self, count: usize) -> Result<Strings, String> {
        if count > self.left() / WORD {
            return Err(format!("it ends before the {count} strings it announces"));
        }
        let mut start = 0;
        let mut places = Vec::with_capacity(count);
        for _ in 0..count {
            let end = usize::try_from(self.word()?).map_err(|_| too_many())?;
            if end < start {
                return Err("a string ends before it begins".to_owned());
            }
            places.push(start..end);
            start = end;
        }
        let bytes = self.bytes(start)?;
        if start < u32::MAX as usize {
            let mut views = Places::with_capacity(count);
            places.into_iter().for_each(|place| views.push(place));
            return Ok(Strings::of_places(&bytes, &Arc::new(views)));
        }
        // More than views into one buffer can name.
        let mut strings = StringsBuilder::default();
        for place in places {
            if place.len() > MAX_STRING_BYTES {
                return Err(format!("a string has {} bytes", place.len()));
            }
            strings.push(&bytes.as_bytes()[place]);
        }
        Ok(strings.finish())
    }
}

/// What [`StringsBuilder::push`] takes.
const MAX_STRING_BYTES: usize = 3 << 30;

fn too_many() -> String {
    "it announces more values than there can be".to_owned()
}
