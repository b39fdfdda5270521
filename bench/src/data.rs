//! The input files: the same bytes for feedline and its peers, made by formulas.

use std::path::Path;

use feedline::formats::example::{ExampleWriter, FeatureValues};
use feedline::records::RecordWriter;

const FILES: u64 = 8;

/// Writes the files of all measurements into `folder`; those that are there stay.
pub(crate) fn make(folder: &Path) -> feedline::Result<()> {
    // About 1.3 GB of records the size of an ImageNet photo, 200 MB of small ones, 260 MB of Examples.
    raw(folder, "records-110k", 110_000, 1_500)?;
    raw(folder, "records-200", 200, 125_000)?;
    for file in 0..FILES {
        let rows = 50_000;
        write(&folder.join(format!("tabular-{file}.tfrecord")), rows, |row, out| {
            tabular_row(file * rows + row, out);
        })?;
    }
    Ok(())
}

/// Records of pseudo-random bytes, `length` give or take a tenth.
fn raw(folder: &Path, name: &str, length: u64, num_records: u64) -> feedline::Result<()> {
    for file in 0..FILES {
        let mut state = file + 1;
        let mut next = move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            state
        };
        write(&folder.join(format!("{name}-{file}.tfrecord")), num_records, |_, out| {
            let length = length * 9 / 10 + (next() >> 33) % (length / 5);
            for _ in 0..length / 8 {
                out.extend_from_slice(&next().to_le_bytes());
            }
        })?;
    }
    Ok(())
}

fn write(path: &Path, num_records: u64, mut record: impl FnMut(u64, &mut Vec<u8>)) -> feedline::Result<()> {
    if path.exists() {
        return Ok(());
    }
    let mut writer = RecordWriter::create(path, None)?;
    for index in 0..num_records {
        writer.write_with(|out| record(index, out))?;
    }
    writer.finish()?;
    Ok(())
}

pub(crate) const NUM_FLOATS: usize = 13;
pub(crate) const NUM_INTS: usize = 26;

/// The names of the 40 features, sorted.
pub(crate) fn names() -> Vec<String> {
    let floats = (0..NUM_FLOATS).map(|k| format!("f{k:02}"));
    let ints = (0..NUM_INTS).map(|k| format!("i{k:02}"));
    floats.chain(ints).chain(["label".to_owned()]).collect()
}

/// The values of one row; `peers/peer_report.py` has the same formulas.
pub(crate) fn values(row: u64) -> ([f32; NUM_FLOATS], [i64; NUM_INTS], i64) {
    let floats = std::array::from_fn(|k| ((row * 31 + k as u64 * 17) % 1000) as f32 / 8.0);
    let ints = std::array::from_fn(|k| {
        let k = k as u64;
        (row.wrapping_mul(2_654_435_761).wrapping_add(k * 40_503) % 10u64.pow(1 + k as u32 % 7)) as i64
    });
    (floats, ints, (row % 10) as i64)
}

/// Appends row `row` as an Example.
pub(crate) fn tabular_row(row: u64, out: &mut Vec<u8>) {
    thread_local! { static NAMES: Vec<String> = names(); }
    let (floats, ints, label) = values(row);
    NAMES.with(|names| {
        let mut example = ExampleWriter::new();
        let (float_names, rest) = names.split_at(NUM_FLOATS);
        for (name, value) in float_names.iter().zip(&floats) {
            example.push(name, FeatureValues::Float(std::slice::from_ref(value)));
        }
        for (name, value) in rest.iter().zip(&ints) {
            example.push(name, FeatureValues::Int64(std::slice::from_ref(value)));
        }
        example.push("label", FeatureValues::Int64(std::slice::from_ref(&label)));
        example.write(out);
    });
}
