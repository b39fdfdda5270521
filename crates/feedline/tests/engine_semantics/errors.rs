//! `ignore_errors`: what is lost is the element with the error, and nothing else.

use std::fs;
use std::path::PathBuf;

use feedline::data::Structure;
use feedline::data::block::{Strings, Tensor};
use feedline::records::RecordWriter;
use feedline::{Dataset, Symbolic, ops};

use crate::engine_support::{check, floats};
use crate::{Case, gives, run};

pub(crate) const CASES: &[Case] = &[
    ("ignore_errors_map", || {
        for calls in [None, Some(2)] {
            let checked = floats(&[1.0, 2.0, 3.0, f32::NAN, 5.0]).map(|x| ops::check_numerics(x, "bad"));
            let dataset = checked.num_parallel_calls(calls).prefetch(2).ignore_errors();
            gives(&dataset, ["1.0", "2.0", "3.0", "5.0"]);
        }
    }),
    ("ignore_errors_zip", || {
        // The element goes from both sides: zip moves every input on, also the one without the error.
        let numbers = floats(&[1.0, 2.0, 0.0, 4.0]);
        let one = || Symbolic::from(Tensor::scalar(1.0_f32));
        let inverse = numbers.map(|x| ops::check_numerics(one() / x, "inverse"));
        let zipped = Dataset::zip(&Structure::Tuple(vec![inverse.into(), numbers.into()]));
        gives(&zipped.ignore_errors(), ["(1.0, 1.0)", "(0.5, 2.0)", "(0.25, 4.0)"]);
    }),
    ("ignore_errors_tfrecord_tail", ignore_errors_tfrecord_tail),
    ("ignore_errors_missing_file", ignore_errors_missing_file),
];

#[test]
fn errors() {
    run(CASES);
}

/// What is no record behind the last one ends its file; the next goes on.
fn ignore_errors_tfrecord_tail() {
    let folder = tempfile::tempdir().unwrap();
    let mut expected = Vec::new();
    for file in 0..5 {
        let path = folder.path().join(format!("{file}.tfrecord"));
        let mut writer = RecordWriter::create(&path, None).unwrap();
        for record in 0..10 {
            writer.write(format!("{file}/{record}").as_bytes()).unwrap();
            expected.push(format!("\"{file}/{record}\""));
        }
        writer.finish().unwrap();
        let bytes = [&fs::read(&path).unwrap()[..], b"corrupted data"].concat();
        fs::write(&path, bytes).unwrap();
    }
    let records = Dataset::tf_record(&[folder.path().join("*.tfrecord")]).unwrap().ignore_errors();
    assert_eq!(check(&records), expected);
}

/// A file that went away costs its own element.
fn ignore_errors_missing_file() {
    let folder = tempfile::tempdir().unwrap();
    let paths: Vec<PathBuf> = (0..5).map(|file| folder.path().join(file.to_string())).collect();
    for path in &paths {
        fs::write(path, path.file_name().unwrap().as_encoded_bytes()).unwrap();
    }
    fs::remove_file(&paths[2]).unwrap();
    let names: Strings = paths.iter().map(|path| path.as_os_str().as_encoded_bytes()).collect();
    let contents = Dataset::from_tensor_slices(Tensor::from_strings(vec![5], names))
        .map(ops::read_file)
        .num_parallel_calls(2)
        .ignore_errors();
    gives(&contents, ["\"0\"", "\"1\"", "\"3\"", "\"4\""]);
}
