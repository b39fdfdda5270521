//! A batch of `SequenceExample`s into columns.
//!
//! One way through a record, in two passes, as TensorFlow takes it: first note where each feature asked for lies, the last
//! one of a name being the one that counts; then read each of them into its column. Keys are few and steps are many, so
//! that this costs little more than a single pass, and no record needs a second way.

use feedline_data::{Column, DType};

use super::bad_records::{BadRecords, OnBad, Progress, first_error};
use super::entries;
use super::feature::Feature;
use super::parse::missing;
use super::predict::{KeyOrder, UNWANTED, ValueForm};
use super::slot::{self, Fault};
use super::spec::{self, FeatureSpec, Length};
use crate::error::{Error, ErrorKind, Result};
use crate::wire::{Reader, WireError, delimited_tag};

const MESSAGE: &str = "SequenceExample";

/// Parses batches of `tf.train.SequenceExample` records into one column a context feature and one a feature list.
///
/// Context columns are those of an [`ExampleParser`](super::ExampleParser). Columns of feature lists are ragged:
///
/// - [`Length::Sequence`] (TensorFlow's `FixedLenSequenceFeature`) has one ragged level, the steps of each record, and
///   `shape` as the shape of a step. [`Column::to_padded`] makes it the tensor TensorFlow returns, and the splits hold
///   the lengths it returns beside it. A record may have no steps; that it may lack the list at all is for
///   `allow_missing` to say.
/// - [`Length::Variable`] (`VarLenFeature`, `RaggedFeature`) has two: the steps of each record, the values of each step.
///   A record may lack the list.
///
/// Results are those of `tf.io.parse_sequence_example`, which differ from those of an Example in places: a context
/// feature that is there without a list has no values, and its default does not apply; the key of a feature must stand
/// before its value; a step must be one list and nothing else.
///
/// Unlike TensorFlow, a batch of no records gives columns of no rows, a default of no values (for a shape such as `[0]`)
/// is a default, a context feature may be a [`Length::Sequence`], and a step of two byte lists is the error that a step
/// of two other lists is (TensorFlow takes the second one for another step).
///
/// A parser remembers the order of keys from record to record, so keep it for many batches; it is cheap to move
/// between threads and meant to be used by one at a time.
///
/// ```
/// use feedline_data::{DType, Values};
/// use feedline_formats::example::{FeatureSpec, FeatureValues, SequenceParser, SequenceWriter};
///
/// let words = [FeatureValues::Int64(&[1, 2]), FeatureValues::Int64(&[3])];
/// let record = SequenceWriter::new().context("id", FeatureValues::Int64(&[7])).list("words", &words).to_bytes();
///
/// let id = FeatureSpec::fixed("id", DType::Int64, &[]);
/// let mut parser = SequenceParser::new(vec![id], vec![FeatureSpec::var_len("words", DType::Int64)])?;
/// let (mut context, mut lists) = (Vec::new(), Vec::new());
/// parser.parse(&[&record], &mut context, &mut lists)?;
/// assert_eq!(context[0].values, Values::Int64(vec![7]));
/// assert_eq!(lists[0].splits, [vec![0, 2], vec![0, 2, 3]]);
/// assert_eq!(lists[0].values, Values::Int64(vec![1, 2, 3]));
/// # Ok::<(), feedline_formats::Error>(())
/// ```
pub struct SequenceParser {
    context: Part,
    lists: Part,
}

/// The context or the feature lists: what to read of it, and where that lies in the record at hand.
struct Part {
    specs: Vec<FeatureSpec>,
    order: KeyOrder,
    /// Start and end of the value of each feature, if the record has it.
    found: Vec<Option<(usize, usize)>>,
    /// Values of each column in the last call, and its records: what the next one will have, about.
    num_values: Vec<usize>,
    num_records: usize,
}

impl SequenceParser {
    /// A parser of the features `context` and the feature lists `lists`; an error if either asks for a name twice, has
    /// defaults that do not fit, or if a list is to have a [`Length::Fixed`].
    pub fn new(context: Vec<FeatureSpec>, lists: Vec<FeatureSpec>) -> Result<SequenceParser> {
        spec::check(&context)?;
        spec::check(&lists)?;
        if let Some(spec) = lists.iter().find(|spec| matches!(spec.length, Length::Fixed { .. })) {
            return Err(Error::argument(
                format!(
                    "feature list `{}` is asked for with a fixed length, but records differ in their number of steps",
                    spec.name
                ),
                format!(
                    "ask for a sequence of steps of shape {:?}, or for variable length",
                    spec.inner_shape()
                ),
            ));
        }
        Ok(SequenceParser { context: Part::new(context), lists: Part::new(lists) })
    }

    /// The context features asked for, in the order of their columns.
    pub fn context_specs(&self) -> &[FeatureSpec] {
        &self.context.specs
    }

    /// The feature lists asked for, in the order of their columns.
    pub fn list_specs(&self) -> &[FeatureSpec] {
        &self.lists.specs
    }

    /// Parses `records` into one column a spec, reusing the memory of `context` and `lists`.
    ///
    /// At the first bad record this stops with its error, [`Error::record`] being the index in `records`; the
    /// columns then hold the rows before it.
    pub fn parse(
        &mut self,
        records: &[&[u8]],
        context: &mut Vec<Column>,
        lists: &mut Vec<Column>,
    ) -> Result<()> {
        first_error(self.parse_rows(records, context, lists, OnBad::Stop))
    }

    /// Parses `records`, leaving out the bad ones: those are returned with their index in `records`.
    pub fn parse_or_skip(
        &mut self,
        records: &[&[u8]],
        context: &mut Vec<Column>,
        lists: &mut Vec<Column>,
    ) -> Vec<(usize, Error)> {
        self.parse_rows(records, context, lists, OnBad::Skip)
    }

    fn parse_rows(
        &mut self,
        records: &[&[u8]],
        context: &mut Vec<Column>,
        lists: &mut Vec<Column>,
        on_bad: OnBad,
    ) -> BadRecords {
        self.context.prepare(context, records.len(), slot::prepare);
        self.lists.prepare(lists, records.len(), slot::prepare_list);
        let mut progress = Progress::default();
        progress.each_row(records, records.len(), on_bad, |record, source, row| {
            let parsed = self.parse_row(record, row, source, context, lists);
            if parsed.is_err() {
                context.iter_mut().chain(&mut *lists).for_each(|column| slot::roll_back(column, row));
            }
            parsed
        });
        let Progress { num_rows, bad, .. } = progress;
        for column in context.iter_mut() {
            slot::finish(column, num_rows);
        }
        self.context.note_sizes(context, num_rows);
        self.lists.note_sizes(lists, num_rows);
        bad
    }

    /// Writes `record`, the one with index `source`, as row `row`; after an error the columns hold parts of it.
    fn parse_row(
        &mut self,
        record: &[u8],
        row: usize,
        source: u32,
        context: &mut [Column],
        lists: &mut [Column],
    ) -> Result<()> {
        self.find(record).map_err(|error| entries::wire_error(MESSAGE, error))?;
        for (column, (spec, place)) in context.iter_mut().zip(self.context.features()) {
            let put = match place {
                Some((start, end)) => {
                    put_context(column, spec, row, source, Reader::at(&record[start..end], start))
                }
                None => slot::put_missing(column, spec, row),
            };
            put.map_err(|fault| context_error(fault, spec, record))?;
        }
        for (column, (spec, place)) in lists.iter_mut().zip(self.lists.features()) {
            let put = match place {
                Some((start, end)) => {
                    slot::put_list(column, spec, source, Reader::at(&record[start..end], start))
                        .map_err(|(step, fault)| (Some(step), fault))
                }
                None => slot::put_missing_list(column, spec).map_err(|fault| (None, fault)),
            };
            put.map_err(|(step, fault)| list_error(fault, step, spec, record))?;
        }
        Ok(())
    }

    /// Notes where each feature lies in `record`.
    fn find(&mut self, record: &[u8]) -> Result<(), WireError> {
        if u32::try_from(record.len()).is_err() {
            // Views of byte strings count in 32 bits, and no protobuf library writes more than 2 GiB.
            return Err(WireError { at: 0, reason: "a record of 4 GiB or more" });
        }
        self.context.found.fill(None);
        self.lists.found.fill(None);
        let mut message = Reader::new(record);
        while !message.is_at_end() {
            if message.take(delimited_tag(1)) {
                self.context.find(record, message.delimited()?)?;
            } else if message.take(delimited_tag(2)) {
                self.lists.find(record, message.delimited()?)?;
            } else {
                message.skip_field()?;
            }
        }
        Ok(())
    }
}

impl Part {
    fn new(specs: Vec<FeatureSpec>) -> Part {
        let order = KeyOrder::new(specs.iter().map(|spec| (spec.name.as_str(), ValueForm::Feature)));
        let (found, num_values) = (vec![None; specs.len()], vec![0; specs.len()]);
        Part { order, found, num_values, num_records: 0, specs }
    }

    fn prepare(
        &self,
        columns: &mut Vec<Column>,
        num_rows: usize,
        prepare: fn(&mut Column, &FeatureSpec, usize),
    ) {
        columns.resize_with(self.specs.len(), || Column::empty(DType::Int64, Vec::new(), 0));
        columns.iter_mut().zip(&self.specs).for_each(|(column, spec)| prepare(column, spec, num_rows));
        // Else each batch grows to the size of the one before it anew, copying as it grows.
        for (column, &num_values) in columns.iter_mut().zip(&self.num_values) {
            let expected = num_values.saturating_mul(num_rows) / self.num_records.max(1);
            slot::reserve(column, expected);
        }
    }

    fn note_sizes(&mut self, columns: &[Column], num_rows: usize) {
        if num_rows > 0 {
            self.num_records = num_rows;
            self.num_values.clear();
            self.num_values.extend(columns.iter().map(|column| column.values.len()));
        }
    }

    /// Each feature with its place in the record, in the order of the columns.
    fn features(&self) -> impl Iterator<Item = (&FeatureSpec, Option<(usize, usize)>)> {
        self.specs.iter().zip(self.found.iter().copied())
    }

    /// Notes where each feature lies in `map`, a message of `record`.
    fn find(&mut self, record: &[u8], map: Reader<'_>) -> Result<(), WireError> {
        let mut at = map.place();
        // So that no entry reaches past its map.
        let record = &record[..at + map.rest().len()];
        let mut cursor = self.order.start();
        while at < record.len() {
            let entry = self.order.next(cursor, record, at).filter(|entry| entry.end <= record.len());
            let (slot, place) = if let Some(entry) = entry {
                (cursor, at) = (entry.cursor, entry.end);
                (entry.slot, (entry.value, entry.end))
            } else {
                // Long values and keys, lengths in more bytes than they need, and what is no entry at all.
                let mut rest = Reader::at(&record[at..], at);
                let (key, value) = entries::ordered_entry(&mut rest)?;
                at = rest.place();
                let slot = self.order.slot(key).unwrap_or(UNWANTED);
                (slot, (value.place(), value.place() + value.rest().len()))
            };
            if slot != UNWANTED {
                self.found[slot as usize] = Some(place);
            }
        }
        Ok(())
    }
}

fn put_context(
    column: &mut Column,
    spec: &FeatureSpec,
    row: usize,
    source: u32,
    value: Reader<'_>,
) -> Result<(), Fault> {
    // Where an Example takes a feature without a list for a missing one, this takes it for an empty one.
    let feature = Feature::read(value)?.or_empty(spec.dtype);
    slot::put(column, spec, row, source, feature)
}

#[cold]
fn context_error(fault: Fault, spec: &FeatureSpec, record: &[u8]) -> Error {
    let Fault::Kind(ErrorKind::MissingFeature { .. }) = fault else {
        return fault.into_error(MESSAGE, &spec.name);
    };
    let (context, lists) = keys(record);
    missing_error(spec, &context, &lists)
}

#[cold]
fn list_error(fault: Fault, step: Option<usize>, spec: &FeatureSpec, record: &[u8]) -> Error {
    let error = if let Fault::Kind(ErrorKind::MissingFeature { .. }) = fault {
        let (context, lists) = keys(record);
        missing_error(spec, &lists, &context)
    } else {
        fault.into_error(MESSAGE, &spec.name)
    };
    error.in_list(step)
}

/// The error for a feature that is not among `present`, though perhaps `elsewhere` in the record.
fn missing_error(spec: &FeatureSpec, present: &[&[u8]], elsewhere: &[&[u8]]) -> Error {
    let name = spec.name.as_bytes();
    if elsewhere.contains(&name) {
        return Error::new(ErrorKind::WrongPart).in_feature(name);
    }
    missing(&spec.name, present.iter().copied())
}

/// The names of the context features and of the feature lists.
fn keys(record: &[u8]) -> (Vec<&[u8]>, Vec<&[u8]>) {
    let (mut context, mut lists) = (Vec::new(), Vec::new());
    let walked = entries::sequence_example(record, |(key, _)| context.push(key), |(key, _)| lists.push(key));
    debug_assert!(walked.is_ok(), "the parser walked this record before");
    (context, lists)
}

#[cfg(test)]
mod tests;
