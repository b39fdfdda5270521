//! Where the elements of random pipelines come from.

use std::fs;
use std::path::Path;

use feedline::data::block::Tensor;
use feedline::data::{Composite, DType, ElementSpec, Structure, TensorSpec};
use feedline::formats::Compression;
use feedline::formats::example::ExampleWriter;
use feedline::plan::FixedLength;
use feedline::plan::expr::Feature;
use feedline::records::RecordWriter;
use feedline::{Csv, Dataset, ops};
use proptest::prelude::*;

use super::apply::sum_of;

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
    /// Code of the user's.
    Iterator,
    /// Numbers of eight bytes between a header and a footer, in two files.
    FixedLength,
    /// Rows of CSV, some of them with a word in the place of the number, some with line ends in quotes.
    Csv,
    /// Records whose number is in a sparse tensor, or is not there.
    Sparse,
    /// Rows of a ragged tensor.
    Ragged,
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
        1 => Just(Source::Iterator),
        1 => Just(Source::FixedLength),
        1 => Just(Source::Csv),
        1 => Just(Source::Sparse),
        1 => Just(Source::Ragged),
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
            Source::Iterator => {
                let spec = ElementSpec::Leaf(TensorSpec::scalar(DType::Int64));
                Dataset::from_iter("numbers", spec, move || {
                    (0..count).map(|number| match number % 11 {
                        10 => Err("every eleventh".into()),
                        _ => Ok(Tensor::scalar(number * 2).into()),
                    })
                })
            }
            Source::FixedLength => {
                let paths = [folder.join("0.bin"), folder.join("1.bin")];
                for (path, numbers) in paths.iter().zip([0..count / 2, count / 2..count]) {
                    let records: Vec<u8> = numbers.flat_map(i64::to_le_bytes).collect();
                    fs::write(path, [b"header", &records[..], b"end"].concat()).unwrap();
                }
                let format = FixedLength { header_bytes: 6, footer_bytes: 3, ..FixedLength::new(8) };
                let records = Dataset::fixed_length_record(&paths, format).unwrap();
                records.map(|record| sum_of(ops::decode_raw(record, DType::Int64, true)))
            }
            Source::Csv => {
                let row = |number: i64| match number % 7 {
                    5 => format!("word,{number}\n"),
                    6 => format!("{number},\"two\n\"\"lines\"\"\"\r\n"),
                    _ => format!("{number},text\n"),
                };
                let path = folder.join("rows.csv");
                fs::write(&path, format!("number,text\n{}", (0..count).map(row).collect::<String>()))
                    .unwrap();
                let columns = [
                    Tensor::from_vec(vec![0], Vec::<i64>::new()),
                    Tensor::from_strings(vec![1], [""].iter().collect()),
                ];
                let rows = Dataset::csv(&[&path], &Csv::new(columns).header(true)).unwrap();
                rows.map(|row| row.at(0) + ops::cast(ops::strings::length(row.at(1), "BYTE"), DType::Int64))
            }
            Source::Sparse => {
                let record = |number: i64| {
                    ExampleWriter::new().int64("number", &vec![number; number as usize % 3]).to_bytes()
                };
                let records: Vec<Vec<u8>> = (0..count).map(record).collect();
                let records = Tensor::from_strings(vec![records.len()], records.iter().collect());
                let features = [("number", Feature::var_len(DType::Int64))];
                let sparse = Dataset::from_tensor_slices(records)
                    .map(|record| ops::parse_single_example(record, features));
                sparse.map(|example| {
                    let [indices, values, sizes] =
                        [0, 1, 2].map(|part| example.get("number").component(part));
                    sum_of(ops::sparse::to_dense(indices, values, sizes, 0, true)) + 1
                })
            }
            Source::Ragged => {
                let values: Vec<i64> = (0..count * 2).collect();
                let splits: Vec<i64> = (0..=count).map(|row| row * 2 - row % 2).collect();
                let values = values[..splits[splits.len() - 1] as usize].to_vec();
                let list = |values: Vec<i64>| Tensor::from_vec(vec![values.len()], values);
                let rows = Structure::Composite(Composite::Ragged, vec![list(values), list(splits)]);
                Dataset::from_tensor_slices(rows).map(sum_of)
            }
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
