//! Elements as records: an Example each, with the bytes of every tensor, or its strings, under its number, and its shape beside it where that is
//! not known before.

use feedline_data::block::Column;
use feedline_data::{DType, Structure, TensorSpec};
use feedline_formats::example::{ExampleWriter, FeatureValues};

use super::description::Part;

/// Whether the shape of such a tensor cannot be told from its spec and the number of its values, and so is saved with it.
pub(super) fn has_free_shape(spec: &TensorSpec) -> bool {
    spec.shape.dims().is_none_or(|dims| {
        let unknown = dims.iter().filter(|dim| dim.is_none()).count();
        // Of no values there may be any number of rows.
        unknown > 1 || (unknown == 1 && dims.contains(&Some(0)))
    })
}

/// The feature that has the values of part `number`.
pub(super) fn values_name(number: usize) -> String {
    number.to_string()
}

/// The feature that has its shape.
pub(super) fn shape_name(number: usize) -> String {
    format!("{number}.shape")
}

/// Writes rows of blocks as records.
#[derive(Debug)]
pub(super) struct Encoder {
    /// Sorted by name, as Examples want them: then nothing is sorted for each row.
    features: Vec<Feature>,
}

#[derive(Debug)]
struct Feature {
    name: String,
    /// Which column it is of.
    column: usize,
    is_shape: bool,
}

/// What an Example borrows: bytes of one tensor, or its strings, or its shape.
enum Values<'a> {
    Bytes([&'a [u8]; 1]),
    Strings(Vec<&'a [u8]>),
    Shape(Vec<i64>),
}

impl Encoder {
    /// For elements of these parts; the column of each is `first_column` and its place among them.
    pub(super) fn new(parts: &Structure<Part>, first_column: usize) -> Encoder {
        let mut features = Vec::new();
        for (place, part) in parts.leaves().into_iter().enumerate() {
            let column = first_column + place;
            features.push(Feature { name: values_name(part.number), column, is_shape: false });
            if has_free_shape(&part.spec) {
                features.push(Feature { name: shape_name(part.number), column, is_shape: true });
            }
        }
        features.sort_by(|one, other| one.name.cmp(&other.name));
        Encoder { features }
    }

    /// Appends the record of row `row` of the columns.
    pub(super) fn write(&self, columns: &[Column], row: usize, out: &mut Vec<u8>) {
        let values: Vec<Values<'_>> =
            self.features.iter().map(|feature| feature.values(&columns[feature.column], row)).collect();
        let mut example = ExampleWriter::new();
        for (feature, values) in self.features.iter().zip(&values) {
            example.push(
                &feature.name,
                match values {
                    Values::Bytes(bytes) => FeatureValues::Bytes(bytes),
                    Values::Strings(strings) => FeatureValues::Bytes(strings),
                    Values::Shape(dims) => FeatureValues::Int64(dims),
                },
            );
        }
        example.write(out);
    }
}

impl Feature {
    fn values<'a>(&self, column: &'a Column, row: usize) -> Values<'a> {
        if self.is_shape {
            return Values::Shape(column.shape(row).iter().map(|&dim| dim as i64).collect());
        }
        let range = column.value_range(row..row + 1);
        match (column.strings(), column.buffer()) {
            (Some(strings), _) => Values::Strings(range.map(|string| strings.get(string)).collect()),
            (None, Some(buffer)) => {
                let width = column.dtype().width().unwrap_or(1);
                Values::Bytes([&buffer.as_bytes()[range.start * width..range.end * width]])
            }
            (None, None) => unreachable!("a column has strings or a buffer"),
        }
    }
}

/// Whether values of that type are saved as strings, not as bytes of all of them.
pub(super) fn is_text(dtype: DType) -> bool {
    dtype == DType::String
}
