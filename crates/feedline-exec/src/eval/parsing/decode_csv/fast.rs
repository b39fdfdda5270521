//! All records of a block, column by column: in such a loop a processor reads the numbers of several records at a time.

use std::ops::Range;

use feedline_data::DType;
use feedline_data::block::{Buffer, Column};
use feedline_formats::csv::fast::FastFields;

use super::super::super::rows::RowsOf;
use super::super::super::strings::{Parsed, parse_number_in};
use super::{Columns, Decoding};

/// The columns; `None` where a record is not as nearly all are, or anything is wrong with it.
pub(super) fn decode(decoding: &Decoding<'_>) -> Option<Vec<Column>> {
    let Decoding { columns, strings, defaults, .. } = decoding;
    let (width, may_have_more) = match columns {
        Columns::All => (defaults.len(), false),
        Columns::Selected(_) => (columns.limit(), true),
        // How many fields there are differs from record to record.
        Columns::Others { .. } => return None,
    };
    let fast = FastFields::new(decoding.dialect, width, may_have_more)?;
    let buffers: Vec<_> = strings.sources().collect();
    let memory: Vec<&[u8]> = buffers.iter().map(Buffer::as_bytes).collect();
    let mut places = vec![0..0; strings.len() * width];
    for ((source, record), places) in strings.places().zip(places.chunks_exact_mut(width)) {
        if !fast.find(memory[source], record, places) {
            return None;
        }
    }
    let column = |column: usize| {
        let number = columns.field(column);
        let places = places.chunks_exact(width).map(|places| places[number].clone());
        let places = places.map(|place| place.start as usize..place.end as usize);
        let column = ColumnOf { decoding, default: &defaults[column], memory: &memory };
        match column.default.column().dtype() {
            DType::Float32 => column.numbers::<f32>(places),
            DType::Float64 => column.numbers::<f64>(places),
            DType::Int32 => column.numbers::<i32>(places),
            DType::Int64 => column.numbers::<i64>(places),
            _ => column.texts(places),
        }
    };
    (0..defaults.len()).map(column).collect()
}

/// A column of the result.
struct ColumnOf<'a> {
    decoding: &'a Decoding<'a>,
    default: &'a RowsOf<'a>,
    /// What the records lie in.
    memory: &'a [&'a [u8]],
}

impl ColumnOf<'_> {
    /// Where the default of record `index` is; `None` if it has none.
    #[cold]
    fn place_of_default(&self, index: usize) -> Option<usize> {
        self.default.range(self.decoding.row_of(index)).next()
    }

    /// Its values, from the place of the field in each record.
    fn numbers<T: Parsed>(&self, places: impl Iterator<Item = Range<usize>>) -> Option<Column> {
        let strings = self.decoding.strings;
        let mut values = Vec::with_capacity(strings.len());
        for (index, (place, (source, record))) in places.zip(strings.places()).enumerate() {
            let (memory, len) = (&self.memory[source][record.start + place.start..], place.len());
            let is_missing = self.decoding.is_missing(&memory[..len]);
            values.push(if is_missing {
                self.default.column().as_slice::<T>()[self.place_of_default(index)?]
            } else {
                parse_number_in(memory, len)?
            });
        }
        Some(Column::from_vec(vec![], values.len(), values))
    }

    /// As [`Self::numbers`], of texts.
    fn texts(&self, places: impl Iterator<Item = Range<usize>>) -> Option<Column> {
        let strings = self.decoding.strings;
        let mut parts = strings.parts(strings.len());
        for (index, (place, record)) in places.zip(strings.iter()).enumerate() {
            if self.decoding.is_missing(&record[place.clone()]) {
                parts.push_other(self.default.column().strings()?.get(self.place_of_default(index)?));
            } else {
                parts.push(index, place);
            }
        }
        Some(Column::from_strings(vec![], parts.len(), parts.finish()))
    }
}
