//! What `tf.train.SequenceExample` records have of features.

use feedline_data::block::Column;
use feedline_formats::example::{FeatureSpec, Length, SequenceParser};
use feedline_plan::expr::{Attribute, Feature, Features};

use super::super::Arguments;
use super::super::examples::feature_spec;

pub(super) fn parser_of(context: &Features, lists: &Features) -> SequenceParser {
    let (context, lists) = (context.iter().map(feature_spec), lists.iter().map(list_spec));
    SequenceParser::new(context.collect(), lists.collect()).expect("the plan checked the features")
}

pub(super) fn features<'a>(arguments: &Arguments<'a>, name: &str) -> &'a Features {
    let Attribute::Features(features) = arguments.call.attribute(name) else {
        unreachable!("checked to be features")
    };
    features
}

/// Lists of steps: a record may lack those that have a default.
fn list_spec((key, feature): (&str, &Feature)) -> FeatureSpec {
    let spec = feature_spec((key, feature));
    match feature {
        Feature::FixedLenSequence { shape, default, .. } => {
            let length = Length::Sequence { shape: shape.clone(), allow_missing: default.is_some() };
            FeatureSpec { length, ..spec }
        }
        _ => spec,
    }
}

/// The values of all records of each batch, and where each record begins.
pub(in crate::eval) fn ragged_batches(column: &Column, sizes: &[usize]) -> [Column; 2] {
    let (mut splits, mut split_shapes, mut shapes) = (Vec::new(), Vec::new(), Vec::new());
    let mut first = 0;
    for &size in sizes {
        let mut end = 0_usize;
        splits.push(0_i64);
        for record in first..first + size {
            end += column.shape(record)[0];
            splits.push(end as i64);
        }
        split_shapes.push(vec![size + 1]);
        shapes.push(vec![end]);
        first += size;
    }
    [
        column.clone().flat().with_shapes(shapes),
        Column::from_vec(vec![], splits.len(), splits).with_shapes(split_shapes),
    ]
}
