//! `tf.train.Example` and `tf.train.SequenceExample`, straight from wire bytes to columns and back.
//!
//! [`ExampleParser`] and [`SequenceParser`] read batches of records into columns, touching only the features asked for;
//! [`ExampleWriter`] and [`SequenceWriter`] make records; [`Schema`] says what a sample of records holds.
//!
//! Results are TensorFlow's own (`tf.io.parse_example` and its kin), shown by golden data recorded from it. One
//! deliberate difference: bytes that are no valid protocol buffer are an error here even where TensorFlow's parser
//! happens to read on past a wrong length. [`SequenceParser`] names a few rare ones of its own.

mod bad_records;
mod entries;
mod feature;
mod nearest;
mod odd_names;
mod parse;
mod predict;
mod schema;
mod select;
mod sequence;
mod slot;
mod spec;
mod steady;
mod write;

pub use entries::{count_features, is_valid_example, is_valid_sequence_example};
pub use nearest::nearest;
pub use odd_names::{OddFeature, odd_features};
pub use parse::ExampleParser;
pub use schema::{FeatureSummary, Histogram, RecordKind, Sample, Schema, SchemaBuilder};
pub use select::{change_strings, select_features};
pub use sequence::SequenceParser;
pub use spec::{Default, FeatureSpec, Length};
pub use write::{ExampleWriter, FeatureValues, SequenceWriter};
