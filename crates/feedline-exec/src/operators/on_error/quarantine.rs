//! The file that keeps what failed: a TFRecord of Examples, one for each error.
//!
//! An Example has the features `error` (the message with its step and its hint), `step` (the step of the plan that failed, as `explain` numbers and prints
//! it), `id` (the element's), and the element that the failing
//! step got, where it is known and fits into a record: `element` if it is one tensor, `element/image`, `element/0` … by its names if it has
//! several. Of a damaged record that is its bytes, and `file`, `record` and `byte` say where it lies. Numbers are kept as
//! int64 or float, so that `feedline inspect` and any reader of Examples can show them.

use std::collections::{BTreeSet, VecDeque};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::Arc;
use std::task::{Context, Poll};

use feedline_data::DType;
use feedline_data::block::{ErrorRow, Tensor};
use feedline_formats::example::{ExampleWriter, FeatureValues};
use feedline_formats::tfrecord::MAX_RECORD_BYTES;
use half::{bf16, f16};

use super::file::{QuarantineFile, cannot_be_written};
use crate::budget::Charge;
use crate::error::ExecError;
use crate::hand_over::HandOver;
use crate::runtime::Runtime;

/// A quarantine file. Writing blocks, so it is done on the I/O threads, in order.
pub(super) struct Quarantine {
    shared: Arc<Shared>,
    runtime: Arc<Runtime>,
}

struct Shared {
    /// Held while writing, so that what is queued first is written first.
    file: Arc<QuarantineFile>,
    state: HandOver<State>,
}

#[derive(Default)]
struct State {
    /// The records of a block's errors, and what they are charged as.
    queue: VecDeque<(Vec<Vec<u8>>, Charge)>,
    /// Jobs under way.
    num_jobs: usize,
    /// Bytes of all records that are not written yet.
    num_bytes: usize,
    failure: Option<ExecError>,
}

impl Quarantine {
    pub(super) fn new(path: &Path, runtime: &Arc<Runtime>) -> Result<Quarantine, ExecError> {
        let shared = Shared { file: runtime.quarantines.get(path)?, state: HandOver::default() };
        Ok(Quarantine { shared: Arc::new(shared), runtime: Arc::clone(runtime) })
    }

    /// Writes a record for each of `errors`.
    pub(super) fn write(&self, errors: &[ErrorRow]) {
        if errors.is_empty() {
            return;
        }
        let records: Vec<Vec<u8>> = errors.iter().map(record_of).collect();
        let num_bytes = records.iter().map(|record| size_of::<Vec<u8>>() + record.len()).sum::<usize>();
        // Without asking: more than a block's are not written at a time.
        let charge = self.runtime.budget.charge(num_bytes as u64);
        self.shared.state.with(|state| {
            state.queue.push_back((records, charge));
            state.num_jobs += 1;
            state.num_bytes += num_bytes;
        });
        let shared = Arc::clone(&self.shared);
        match self.runtime.io() {
            None => shared.write_next(),
            Some(io) => {
                // With the runtime: as long as that is there, something may still be written.
                let (job, runtime) = (Arc::clone(&shared), Arc::clone(&self.runtime));
                let write = move || {
                    job.write_next();
                    drop(runtime);
                };
                // No thread to be had: better a wait here than a record less.
                if io.spawn(write).is_err() {
                    shared.write_next();
                }
            }
        }
    }

    /// Why writing failed; told once.
    pub(super) fn take_failure(&self) -> Option<ExecError> {
        self.shared.state.with(|state| state.failure.take())
    }

    /// Ready when little is left to be written: where errors come faster than a disk takes them, they wait for it, not in memory.
    pub(super) fn poll_room(&self, cx: &Context<'_>) -> Poll<()> {
        let most_bytes = self.runtime.budget.block_bytes();
        self.shared.state.poll_take(cx, |state| (state.num_bytes <= most_bytes).then_some(()))
    }

    /// Ready when all is written.
    pub(super) fn poll_written(&self, cx: &Context<'_>) -> Poll<()> {
        self.shared.state.poll_take(cx, |state| (state.num_jobs == 0).then_some(()))
    }
}

impl Shared {
    fn write_next(&self) {
        let mut file = self.file.lock();
        let records = self.state.with(|state| state.queue.pop_front());
        let num_bytes = records.as_ref().map_or(0, |(_, charge)| charge.bytes() as usize);
        let written = records.map_or(Ok(()), |(records, _charge)| file.append(&records));
        drop(file);
        let failure = written.err().map(|error| cannot_be_written(self.file.path(), &error));
        self.state.give(|state| {
            state.num_jobs -= 1;
            state.num_bytes -= num_bytes;
            state.failure = state.failure.take().or(failure);
        });
    }
}

/// The record of an error; an element that is too long for any record is left out of it, what was wrong with it is kept.
fn record_of(error: &ErrorRow) -> Vec<u8> {
    let record = example_of(error, true);
    if record.len() as u64 > MAX_RECORD_BYTES { example_of(error, false) } else { record }
}

/// The record of an error, with the element it came of or without.
fn example_of(error: &ErrorRow, with_element: bool) -> Vec<u8> {
    let message = error.error.to_string();
    let failed = error.error.downcast_ref::<ExecError>().filter(|_| with_element);
    let element = failed.map_or(&[][..], ExecError::element);
    let names = names_of(failed, element.len());
    let values: Vec<Values> = element.iter().map(Values::of).collect();
    let (messages, ids) = ([message.as_bytes()], [error.id as i64]);
    let mut writer = ExampleWriter::new().bytes("error", &messages).int64("id", &ids);
    let known = error.error.downcast_ref::<ExecError>();
    let step = known.and_then(ExecError::step).map(ToString::to_string);
    let steps = step.as_ref().map(|step| [step.as_bytes()]);
    if let Some(steps) = &steps {
        writer.push("step", FeatureValues::Bytes(steps));
    }
    let place = known.and_then(ExecError::record);
    let file = place.map(|place| [place.file.as_os_str().as_bytes()]);
    let numbers = place.map(|place| ([place.record as i64], [place.byte as i64]));
    if let (Some(file), Some((record, byte))) = (&file, &numbers) {
        writer.push("file", FeatureValues::Bytes(file));
        writer.push("record", FeatureValues::Int64(record));
        writer.push("byte", FeatureValues::Int64(byte));
    }
    let bytes: Vec<Vec<&[u8]>> = values.iter().map(Values::as_bytes).collect();
    for ((name, values), bytes) in names.iter().zip(&values).zip(&bytes) {
        writer.push(
            name,
            match values {
                Values::Bytes(_) => FeatureValues::Bytes(bytes),
                Values::Float(floats) => FeatureValues::Float(floats),
                Values::Int64(numbers) => FeatureValues::Int64(numbers),
            },
        );
    }
    writer.to_bytes()
}

/// What the tensors of an element are called: by their names in it, by their numbers where it has none or two would be the same.
fn names_of(failed: Option<&ExecError>, num_tensors: usize) -> Vec<String> {
    let known = failed.map_or(&[][..], ExecError::element_names);
    let is_each_one: BTreeSet<&String> = known.iter().collect();
    let name = |leaf: usize| match known.get(leaf) {
        Some(name) if name.is_empty() => "element".to_owned(),
        Some(name) if is_each_one.len() == num_tensors => format!("element/{name}"),
        _ if num_tensors == 1 => "element".to_owned(),
        _ => format!("element/{leaf}"),
    };
    (0..num_tensors).map(name).collect()
}

/// A tensor as a feature.
enum Values {
    Bytes(Tensor),
    Float(Vec<f32>),
    Int64(Vec<i64>),
}

impl Values {
    #[allow(clippy::cast_lossless, reason = "one arm for all integers; u64 keeps its bits")]
    fn of(tensor: &Tensor) -> Values {
        fn int64<T: Copy>(values: &[T], to_int64: impl Fn(T) -> i64) -> Values {
            Values::Int64(values.iter().map(|&value| to_int64(value)).collect())
        }
        macro_rules! integers {
            ($($dtype:ident $rust:ty),*) => {
                match tensor.dtype() {
                    $(DType::$dtype => int64(tensor.as_slice::<$rust>(), |n| n as i64),)*
                    DType::Float32 => Values::Float(tensor.as_slice::<f32>().to_vec()),
                    DType::Float64 => Values::Float(tensor.as_slice::<f64>().iter().map(|&n| n as f32).collect()),
                    DType::Float16 => Values::Float(tensor.as_slice::<f16>().iter().map(|n| n.to_f32()).collect()),
                    DType::BFloat16 => Values::Float(tensor.as_slice::<bf16>().iter().map(|n| n.to_f32()).collect()),
                    DType::String => Values::Bytes(tensor.clone()),
                    // A type that is added later is left out until it is added here.
                    _ => Values::Int64(Vec::new()),
                }
            };
        }
        integers!(Int8 i8, Int16 i16, Int32 i32, Int64 i64, UInt8 u8, UInt16 u16, UInt32 u32, UInt64 u64, Bool u8)
    }

    fn as_bytes(&self) -> Vec<&[u8]> {
        match self {
            Values::Bytes(tensor) => {
                tensor.strings().map_or_else(Vec::new, |strings| strings.iter().collect())
            }
            _ => Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::task::Waker;

    use super::*;

    #[test]
    fn what_waits_to_be_written_is_charged_and_not_added_to() {
        let runtime = Runtime::for_tests(1 << 20);
        let folder = tempfile::tempdir().expect("a folder");
        let quarantine =
            Quarantine::new(&folder.path().join("bad.tfrecord"), &runtime).expect("it can be made");
        let cx = Context::from_waker(Waker::noop());
        let long = "x".repeat(2 * runtime.budget.block_bytes());
        let errors = [ErrorRow { row: 0, id: 7, error: ExecError::data(long).into_row_error() }];
        std::thread::scope(|scope| {
            let slow = quarantine.shared.file.lock();
            let written = scope.spawn(|| quarantine.write(&errors));
            while runtime.budget.used_bytes() == 0 {
                std::thread::yield_now();
            }
            while quarantine.poll_room(&cx).is_ready() {
                std::thread::yield_now();
            }
            assert!(runtime.budget.used_bytes() > 2 * runtime.budget.block_bytes() as u64);
            drop(slow);
            written.join().expect("it does not fail");
        });
        assert!(quarantine.poll_room(&cx).is_ready() && quarantine.poll_written(&cx).is_ready());
        assert_eq!(runtime.budget.used_bytes(), 0);
    }
}
