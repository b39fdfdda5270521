//! Objects of JSON as columns: one in each row, or a batch of them.

use feedline_data::DType;
use feedline_data::block::{Column, StringsBuilder};
use feedline_formats::json_lines::{AtPath, JsonPaths, JsonValue};
use feedline_plan::expr::{Attribute, Feature, FeatureValues, Features};

use super::super::examples::batches;
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
        let is_batch = arguments.call.inputs[0].spec().shape.rank() == Some(1);
        let mut builders: Vec<Builder> =
            features.iter().map(|(_, feature)| Builder::new(feature.dtype())).collect();
        let mut paths = arguments.scratch.take(|| {
            JsonPaths::new(features.iter().chain(features.iter_only_checked()).map(|(path, _)| path))
        });
        let mut sizes = Vec::with_capacity(arguments.rows);
        for row in 0..arguments.rows {
            let (shape, texts) = (source.shape(row), source.range(row));
            if shape.len() != usize::from(is_batch) {
                arguments.fail(row, &format!("takes one text, not texts of shape {shape:?}"));
                // A single row has values, though none that count; a batch may have no texts.
                if !is_batch {
                    end_text(features, &mut builders);
                }
                sizes.push(0);
                continue;
            }
            sizes.push(texts.len());
            for place in texts.clone() {
                let parsed = paths.parse(strings.get(place)).map_err(|error| error.reason());
                if let Err(reason) = parsed.and_then(|()| read(&paths, features, &mut builders)) {
                    let which =
                        if is_batch { format!("text {}: ", place - texts.start) } else { String::new() };
                    arguments.fail(row, &format!("{which}{reason}"));
                }
                end_text(features, &mut builders);
            }
        }
        arguments.scratch.put(paths);
        let columns = builders.into_iter().map(Builder::finish);
        if !is_batch {
            return columns.collect();
        }
        columns
            .zip(features.iter())
            .flat_map(|(column, (_, feature))| batches(&column, feature, &sizes))
            .collect()
    })
}
/// Ends a text. One that failed, anywhere, has values that nobody sees.
fn end_text(features: &Features, builders: &mut [Builder]) {
    features.iter().zip(builders).for_each(|((_, feature), builder)| builder.end_text(feature));
}

/// Adds the values of one object.
fn read(paths: &JsonPaths, features: &Features, builders: &mut [Builder]) -> Result<(), String> {
    let num_read = features.len();
    for (place, (path, feature)) in features.iter().enumerate() {
        read_one(paths, place, feature, &mut builders[place])
            .map_err(|reason| format!("'{path}' {reason}"))?;
    }
    for (place, (path, feature)) in (num_read..).zip(features.iter_only_checked()) {
        let mut unused = Builder::new(feature.dtype());
        read_one(paths, place, feature, &mut unused).map_err(|reason| format!("'{path}' {reason}"))?;
    }
    Ok(())
}

fn read_one(paths: &JsonPaths, place: usize, feature: &Feature, builder: &mut Builder) -> Result<(), String> {
    let Some(found) = paths.at(place)? else {
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
    let shape = shape_of(found, feature)?;
    for value in found.values() {
        builder.push(value)?;
    }
    builder.end_values(shape);
    Ok(())
}

/// The shape that what was found has as the feature: lists of lists have that shape, and the values of one list are cut into it.
fn shape_of(found: AtPath<'_>, feature: &Feature) -> Result<Vec<usize>, String> {
    let (given, count) = (found.shape(), found.values().count());
    let is_nested = given.len() > 1;
    match feature {
        Feature::VarLen { .. } | Feature::Ragged { .. } if is_nested => {
            Err(format!("has lists in its list ({given:?} values), and is to be one list"))
        }
        Feature::VarLen { .. } | Feature::Ragged { .. } => Ok(vec![count]),
        Feature::FixedLen { shape, .. } if is_nested && given != shape.as_slice() => {
            Err(format!("has {given:?} values, its shape is {shape:?}"))
        }
        Feature::FixedLen { shape, .. } if shape.iter().product::<usize>() == count => Ok(shape.clone()),
        Feature::FixedLen { shape, .. } => Err(format!("has {count} values, its shape is {shape:?}")),
        Feature::FixedLenSequence { shape, .. } => {
            let entry: usize = shape.iter().product();
            if !count.is_multiple_of(entry) || is_nested && given[1..] != shape[..] {
                return Err(format!("has {given:?} values, entries have the shape {shape:?}"));
            }
            Ok(with_outer(count / entry, shape))
        }
    }
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
            // The parser's way with -0.
            (Values::Int64(values), JsonValue::Float(value)) if value == 0.0 && value.is_sign_negative() => {
                values.push(0);
            }
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

    /// Ends a text; one that is not complete has as many values as its feature has at least.
    fn end_text(&mut self, feature: &Feature) {
        let before = self.num_before;
        let shape = self.shape.take().unwrap_or_else(|| {
            let shape: Vec<usize> =
                feature.shape().dims().unwrap_or(&[]).iter().map(|dim| dim.unwrap_or(0)).collect();
            let end = before + shape.iter().product::<usize>();
            match &mut self.values {
                Values::Float32(values) => refill(values, before, end, &0.0),
                Values::Int64(values) => refill(values, before, end, &0),
                Values::Texts(values) => refill(values, before, end, &Vec::new()),
            }
            shape
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

/// The values before `before`, and so many more that there are `end`.
fn refill<T: Clone>(values: &mut Vec<T>, before: usize, end: usize, filler: &T) {
    values.truncate(before);
    values.resize(end, filler.clone());
}

fn described(value: JsonValue<'_>) -> &'static str {
    match value {
        JsonValue::Bool(_) => "true or false",
        JsonValue::Int(_) => "a whole number",
        JsonValue::Large(_) => "a whole number beyond int64",
        JsonValue::Float(value) if value.abs() >= 2_f64.powi(63) => "a number beyond int64",
        JsonValue::Float(_) => "a number with a fraction",
        JsonValue::Text(_) => "a text",
    }
}
