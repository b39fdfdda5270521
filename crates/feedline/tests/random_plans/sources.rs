//! Where the elements of random pipelines come from.

use std::path::Path;

use feedline::data::DType;
use feedline::data::block::Tensor;
use feedline::formats::Compression;
use feedline::formats::example::ExampleWriter;
use feedline::plan::expr::Feature;
use feedline::records::RecordWriter;
use feedline::{Dataset, ops};
use proptest::prelude::*;

/// Where the elements of a random pipeline come from: the same kind of numbers each time.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Source {
    Range,
    Memory,
    /// Records of two files, one of them compressed, parsed; some do not parse.
    Records,
    /// The same, with a record of each file in turn.
    RecordsInTurn,
    /// The records in an order of all of them.
    RecordsInAnyOrder,
    Random,
    Counter,
}

pub(crate) fn source() -> impl Strategy<Value = Source> {
    prop_oneof![
        3 => Just(Source::Range),
        3 => Just(Source::Memory),
        1 => Just(Source::Records),
        1 => Just(Source::RecordsInTurn),
        1 => Just(Source::RecordsInAnyOrder),
        1 => Just(Source::Random),
        1 => Just(Source::Counter),
    ]
}

impl Source {
    /// `count` elements; files go to `folder`.
    pub(crate) fn dataset(self, count: i64, folder: &Path) -> Dataset {
        match self {
            Source::Range => Dataset::range(count),
            Source::Memory => {
                // Values that are not the numbers of their rows.
                let values: Vec<i64> = (0..count).map(|row| row * 3 + 100).collect();
                Dataset::from_tensor_slices(Tensor::from_vec(vec![count as usize], values))
            }
            Source::Random => {
                let numbers = Dataset::random().seed(count).rerandomize_each_iteration(count % 2 == 0);
                numbers.take(count as u64).map(|x| x % 1000)
            }
            Source::Counter => Dataset::counter(count, -3).take(count as u64),
            Source::Records | Source::RecordsInTurn | Source::RecordsInAnyOrder => {
                // A compressed file has no index.
                let second =
                    if matches!(self, Source::RecordsInAnyOrder) { None } else { Some(Compression::Gzip) };
                let compressions = [None, second];
                let files = compressions.iter().zip([0..count / 2, count / 2..count]);
                for (file, (compression, numbers)) in files.enumerate() {
                    let path = folder.join(format!("{file}.tfrecord"));
                    let mut writer = RecordWriter::create(path, *compression).unwrap();
                    for number in numbers {
                        // Every ninth lacks the number.
                        let key = if number % 9 == 8 { "none" } else { "number" };
                        writer.write(&ExampleWriter::new().int64(key, &[number]).to_bytes()).unwrap();
                    }
                    writer.finish().unwrap();
                }
                let files = [folder.join("*.tfrecord")];
                let records = match self {
                    Source::Records => Dataset::tf_record(&files).unwrap(),
                    Source::RecordsInAnyOrder => {
                        Dataset::tf_record(&files).unwrap().global_shuffle().seed(count)
                    }
                    _ => Dataset::list_files_sorted(&files).unwrap().interleave(Dataset::tf_record_file),
                };
                let features = [("number", Feature::fixed_len(&[], DType::Int64))];
                records.map(|record| ops::parse_single_example(record, features).get("number"))
            }
        }
    }
}
