//! How fast are Examples of 40 features made and written to one file?

use std::path::Path;

use feedline::records::{RecordReader, RecordWriter};

use crate::data::tabular_row;
use crate::measure::{Options, measure};

const NUM_RECORDS: u64 = 200_000;

pub(crate) fn run(path: &Path, options: &Options) -> feedline::Result<()> {
    let write = || -> feedline::Result<u64> {
        let mut writer = RecordWriter::create(path, None)?;
        for row in 0..NUM_RECORDS {
            writer.write_with(|out| tabular_row(row, out))?;
        }
        writer.finish()
    };
    let size = write()?;
    // What was written is read back once, row by row, before any time is taken.
    let mut reader = RecordReader::open(path)?;
    let (mut row, mut expected) = (0, Vec::new());
    while let Some(chunk) = reader.next_chunk()? {
        for record in chunk.records {
            expected.clear();
            tabular_row(row, &mut expected);
            assert_eq!(record, expected, "row {row}");
            row += 1;
        }
    }
    assert_eq!(row, NUM_RECORDS);
    let options = Options { num_threads: 1, repeat: options.repeat, only: options.only.clone() };
    measure("write", &options, NUM_RECORDS, size, size, || write().expect("written before"));
    Ok(())
}
