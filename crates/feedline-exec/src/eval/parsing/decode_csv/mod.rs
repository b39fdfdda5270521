//! Records of CSV as columns. Texts share the memory of the records.
//!
//! There are two ways: [`careful`] defines the result and says what is wrong; [`fast`] takes blocks in which nothing is, and gives up on any other.

mod careful;
mod fast;

use feedline_data::DType;
use feedline_data::block::{Column, Parts, Strings};
use feedline_formats::csv::strict::{Dialect, Field};

use super::super::elementwise::like;
use super::super::rows::{RowsOf, once_for_constants};
use super::super::strings::parse_number;
use super::super::{Arguments, Value};

pub(in crate::eval) fn decode_csv(arguments: &mut Arguments<'_>) -> Vec<Value> {
    let selected = numbers(arguments, "select_cols");
    let columns = selected.map_or(Columns::All, Columns::Selected);
    decode(arguments, &columns, false)
}

/// As [`decode_csv`], of records of a file: of those a blank line is one, with one field.
pub(in crate::eval) fn decode_csv_record(arguments: &mut Arguments<'_>) -> Vec<Value> {
    let selected = numbers(arguments, "select_cols");
    let columns = match (selected, numbers(arguments, "exclude_cols")) {
        (Some(selected), _) => Columns::Selected(selected),
        (None, Some(excluded)) => {
            let num_read = arguments.inputs.len() - 1;
            let read = (0..).filter(|column| !excluded.contains(column)).take(num_read).collect();
            Columns::Others { excluded, read }
        }
        (None, None) => Columns::All,
    };
    decode(arguments, &columns, true)
}

fn numbers(arguments: &Arguments<'_>, name: &str) -> Option<Vec<usize>> {
    arguments.call.ints(name).map(|columns| columns.iter().map(|&column| column as usize).collect())
}

/// Which columns are read.
enum Columns {
    All,
    /// These; what is behind the last of them is not looked at.
    Selected(Vec<usize>),
    /// All but the first list, which are those of the second.
    Others {
        excluded: Vec<usize>,
        read: Vec<usize>,
    },
}

impl Columns {
    /// Fields of a record that have to be found.
    fn limit(&self) -> usize {
        match self {
            Columns::Selected(columns) => columns.last().map_or(0, |last| last + 1),
            Columns::All | Columns::Others { .. } => usize::MAX,
        }
    }

    /// The field that column `column` of the result is.
    fn field(&self, column: usize) -> usize {
        match self {
            Columns::All => column,
            Columns::Selected(columns) | Columns::Others { read: columns, .. } => columns[column],
        }
    }

    /// Whether there are the fields that are read.
    fn check_count(&self, wanted: usize, found: usize) -> Result<(), String> {
        match self {
            Columns::All if found == wanted => Ok(()),
            Columns::All => Err(format!("there are {found} fields where record_defaults has {wanted}")),
            Columns::Selected(columns) => match columns.last() {
                Some(&last) if last >= found => {
                    Err(format!("there are {found} fields, column {last} is to be read"))
                }
                _ => Ok(()),
            },
            Columns::Others { excluded, .. } => {
                let left = found - excluded.iter().filter(|&&column| column < found).count();
                if left == wanted {
                    return Ok(());
                }
                Err(format!("there are {left} fields beside exclude_cols where record_defaults has {wanted}"))
            }
        }
    }
}

/// Records and how they are read.
struct Decoding<'a> {
    columns: &'a Columns,
    dialect: Dialect,
    /// What a field that is missing may be instead of empty.
    missing: &'a [u8],
    /// Whether a record without fields is one with an empty one.
    has_blank_lines: bool,
    source: RowsOf<'a>,
    records: &'a Column,
    strings: &'a Strings,
    /// The default of each column that is read.
    defaults: Vec<RowsOf<'a>>,
}

fn decode(arguments: &mut Arguments<'_>, columns: &Columns, has_blank_lines: bool) -> Vec<Value> {
    once_for_constants(arguments, |arguments| {
        let call = arguments.call;
        let records = arguments.inputs[0].to_rows(arguments.rows);
        let decoding = Decoding {
            columns,
            dialect: Dialect {
                delimiter: call.text("field_delim").as_bytes()[0],
                has_quotes: call.flag("use_quote_delim"),
            },
            missing: call.text("na_value").as_bytes(),
            has_blank_lines,
            source: RowsOf::new(arguments.inputs[0]),
            records: &records,
            strings: records.strings().expect("the plan lets only strings come here"),
            defaults: arguments.inputs[1..].iter().map(|&input| RowsOf::new(input)).collect(),
        };
        let columns = fast::decode(&decoding).unwrap_or_else(|| careful::decode(&decoding, arguments));
        columns.into_iter().map(|column| like(&records, column)).collect()
    })
}

impl Decoding<'_> {
    /// Whether this stands for no field at all.
    fn is_missing(&self, text: &[u8]) -> bool {
        text.is_empty() || text == self.missing
    }

    /// The row that record `index` is of.
    fn row_of(&self, index: usize) -> usize {
        let rows = self.records.rows();
        let (mut first, mut end) = (0, rows);
        // The first row that ends behind the record: rows may have no record at all.
        while first < end {
            let middle = usize::midpoint(first, end);
            if self.records.value_range(middle..middle + 1).end <= index {
                first = middle + 1;
            } else {
                end = middle;
            }
        }
        first
    }
}

/// The values of a column so far.
enum Builder<'a> {
    Float32(Vec<f32>),
    Float64(Vec<f64>),
    Int32(Vec<i32>),
    Int64(Vec<i64>),
    Texts(Parts<'a>),
}

impl<'a> Builder<'a> {
    fn new(dtype: DType, records: &'a Strings) -> Builder<'a> {
        let capacity = records.len();
        match dtype {
            DType::Float32 => Builder::Float32(Vec::with_capacity(capacity)),
            DType::Float64 => Builder::Float64(Vec::with_capacity(capacity)),
            DType::Int32 => Builder::Int32(Vec::with_capacity(capacity)),
            DType::Int64 => Builder::Int64(Vec::with_capacity(capacity)),
            _ => Builder::Texts(records.parts(capacity)),
        }
    }

    fn push_nothing(&mut self) {
        match self {
            Builder::Float32(values) => values.push(0.0),
            Builder::Float64(values) => values.push(0.0),
            Builder::Int32(values) => values.push(0),
            Builder::Int64(values) => values.push(0),
            Builder::Texts(parts) => parts.push_other(b""),
        }
    }

    /// Adds the default of a row; `None` if it has none.
    fn push_default(&mut self, default: &RowsOf<'_>, row: usize) -> Option<()> {
        let at = default.range(row).next()?;
        let column = default.column();
        match self {
            Builder::Float32(values) => values.push(column.as_slice()[at]),
            Builder::Float64(values) => values.push(column.as_slice()[at]),
            Builder::Int32(values) => values.push(column.as_slice()[at]),
            Builder::Int64(values) => values.push(column.as_slice()[at]),
            Builder::Texts(parts) => parts.push_other(column.strings()?.get(at)),
        }
        Some(())
    }

    /// Adds a field of record `index`; `None` if it is not of the type.
    fn push(&mut self, index: usize, text: &[u8], field: &Field) -> Option<()> {
        match self {
            Builder::Float32(values) => values.push(parse_number(text)?),
            Builder::Float64(values) => values.push(parse_number(text)?),
            Builder::Int32(values) => values.push(parse_number(text)?),
            Builder::Int64(values) => values.push(parse_number(text)?),
            Builder::Texts(parts) => match field {
                Field::Record(range) => parts.push(index, range.clone()),
                Field::Unescaped(_) => parts.push_other(text),
            },
        }
        Some(())
    }

    /// The values, each a row.
    fn finish(self) -> Column {
        match self {
            Builder::Float32(values) => Column::from_vec(vec![], values.len(), values),
            Builder::Float64(values) => Column::from_vec(vec![], values.len(), values),
            Builder::Int32(values) => Column::from_vec(vec![], values.len(), values),
            Builder::Int64(values) => Column::from_vec(vec![], values.len(), values),
            Builder::Texts(parts) => Column::from_strings(vec![], parts.len(), parts.finish()),
        }
    }
}
