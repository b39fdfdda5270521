//! Objects of JSON as columns.

use feedline_data::DType;
use feedline_data::block::{Column, StringsBuilder};
use feedline_formats::json_lines::{JsonColumn, JsonRow, JsonValue};
use feedline_plan::expr::{Attribute, Feature, FeatureValues, Features};

use super::super::rows::{RowsOf, once_for_constants};
use super::super::walk::with_outer;
use super::super::{Arguments, Value};

pub(super) fn decode_json(arguments: &mut Arguments<'_>) -> Vec<Value> {
    once_for_constants(arguments, |arguments| {
        let Attribute::Features(features) = arguments.call.attribute("features") else {
            unreachable!("checked to be features")
        };
        let source = RowsOf::new(arguments.inputs[0]);
        let strings = source.column().strings().expect("the plan lets only strings come here");
        let mut builders: Vec<Builder> =
            features.iter().map(|(_, feature)| Builder::new(feature.dtype())).collect();
        let mut row_of_json = arguments.scratch.take(JsonRow::default);
        for row in 0..arguments.rows {
            let read = if source.shape(row).is_empty() {
                let parsed = row_of_json.parse(strings.get(source.range(row).start));
                parsed
                    .map_err(|error| error.reason())
                    .and_then(|()| read(&row_of_json, features, &mut builders))
            } else {
                Err(format!("takes one text, not texts of shape {:?}", source.shape(row)))
            };
            if let Err(reason) = read {
                arguments.fail(row, &reason);
            }
            // A row that failed, anywhere, has no values.
            builders.iter_mut().for_each(Builder::end_row);
        }
        arguments.scratch.put(row_of_json);
        builders.into_iter().map(Builder::finish).collect()
    })
}

/// Adds the values of one object.
fn read(row: &JsonRow, features: &Features, builders: &mut [Builder]) -> Result<(), String> {
    let columns: Vec<JsonColumn<'_>> = row.columns().collect();
    // Of several of one name the last counts, as in most readers.
    let find = |key: &str| columns.iter().rfind(|column| column.name() == key);
    for ((key, feature), builder) in features.iter().zip(builders.iter_mut()) {
        read_one(find(key), feature, builder).map_err(|reason| format!("'{key}' {reason}"))?;
    }
    for (key, feature) in features.iter_only_checked() {
        let mut unused = Builder::new(feature.dtype());
        read_one(find(key), feature, &mut unused).map_err(|reason| format!("'{key}' {reason}"))?;
    }
    Ok(())
}

fn read_one(column: Option<&JsonColumn<'_>>, feature: &Feature, builder: &mut Builder) -> Result<(), String> {
    let Some(column) = column else {
        match feature {
            Feature::FixedLen { default: None, .. } => return Err("is not there, and has no default".into()),
            Feature::FixedLen { shape, default: Some(values), .. } => {
                builder.push_default(values);
                builder.end_values(shape.clone());
            }
            Feature::VarLen { .. } | Feature::Ragged { .. } => builder.end_values(vec![0]),
            Feature::FixedLenSequence { shape, .. } => builder.end_values(with_outer(0, shape)),
        }
        return Ok(());
    };
    let mut count = 0;
    for value in column.values() {
        builder.push(value)?;
        count += 1;
    }
    let shape = match feature {
        Feature::VarLen { .. } | Feature::Ragged { .. } => vec![count],
        Feature::FixedLen { shape, .. } if shape.iter().product::<usize>() == count => shape.clone(),
        Feature::FixedLen { shape, .. } => return Err(format!("has {count} values, its shape is {shape:?}")),
        Feature::FixedLenSequence { shape, .. } => {
            let entry: usize = shape.iter().product();
            if !count.is_multiple_of(entry) {
                return Err(format!("has {count} values, entries have the shape {shape:?}"));
            }
            with_outer(count / entry, shape)
        }
    };
    builder.end_values(shape);
    Ok(())
}

/// The values of a column so far.
struct Builder {
    values: Values,
    shapes: Vec<Vec<usize>>,
    /// Values of the rows before this one.
    num_before: usize,
    /// The shape of this row, once all its values are there.
    shape: Option<Vec<usize>>,
}

enum Values {
    Float32(Vec<f32>),
    Int64(Vec<i64>),
    Texts(Vec<Vec<u8>>),
}

impl Builder {
    fn new(dtype: DType) -> Builder {
        let values = match dtype {
            DType::Float32 => Values::Float32(Vec::new()),
            DType::Int64 => Values::Int64(Vec::new()),
            _ => Values::Texts(Vec::new()),
        };
        Builder { values, shapes: Vec::new(), num_before: 0, shape: None }
    }

    fn len(&self) -> usize {
        match &self.values {
            Values::Float32(values) => values.len(),
            Values::Int64(values) => values.len(),
            Values::Texts(values) => values.len(),
        }
    }

    fn push(&mut self, value: JsonValue<'_>) -> Result<(), String> {
        match (&mut self.values, value) {
            (Values::Float32(values), JsonValue::Int(value)) => values.push(value as f32),
            (Values::Float32(values), JsonValue::Float(value) | JsonValue::Large(value)) => {
                values.push(value as f32);
            }
            (Values::Int64(values), JsonValue::Int(value)) => values.push(value),
            (Values::Int64(values), JsonValue::Bool(value)) => values.push(value.into()),
            (Values::Texts(values), JsonValue::Text(value)) => values.push(value.as_bytes().to_vec()),
            (own, value) => {
                let wanted = match own {
                    Values::Float32(_) => "float32",
                    Values::Int64(_) => "int64",
                    Values::Texts(_) => "string",
                };
                return Err(format!("has {}, it is to be {wanted}", described(value)));
            }
        }
        Ok(())
    }

    fn push_default(&mut self, default: &FeatureValues) {
        match (&mut self.values, default) {
            (Values::Float32(values), FeatureValues::Float32(default)) => values.extend(default),
            (Values::Int64(values), FeatureValues::Int64(default)) => values.extend(default),
            (Values::Texts(values), FeatureValues::Strings(default)) => {
                values.extend(default.iter().cloned());
            }
            _ => unreachable!("the plan checked the type of the default"),
        }
    }

    fn end_values(&mut self, shape: Vec<usize>) {
        self.shape = Some(shape);
    }

    /// Ends a row; one that is not complete has no values.
    fn end_row(&mut self) {
        let before = self.num_before;
        let shape = self.shape.take().unwrap_or_else(|| {
            match &mut self.values {
                Values::Float32(values) => values.truncate(before),
                Values::Int64(values) => values.truncate(before),
                Values::Texts(values) => values.truncate(before),
            }
            vec![0]
        });
        self.num_before = self.len();
        self.shapes.push(shape);
    }

    fn finish(self) -> Column {
        let flat = match self.values {
            Values::Float32(values) => Column::from_vec(vec![], values.len(), values),
            Values::Int64(values) => Column::from_vec(vec![], values.len(), values),
            Values::Texts(values) => {
                let mut texts = StringsBuilder::default();
                values.iter().for_each(|value| texts.push(value));
                Column::from_strings(vec![], values.len(), texts.finish())
            }
        };
        flat.with_shapes(self.shapes)
    }
}

fn described(value: JsonValue<'_>) -> &'static str {
    match value {
        JsonValue::Bool(_) => "true or false",
        JsonValue::Int(_) => "a whole number",
        JsonValue::Large(_) => "a whole number beyond int64",
        JsonValue::Float(_) => "a number with a fraction",
        JsonValue::Text(_) => "a text",
    }
}
