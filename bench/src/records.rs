//! How fast are raw records read, every checksum verified, and how far is that from a plain checksum of the same bytes
//! that already lie in memory?

use std::path::PathBuf;

use feedline::formats::crc32c;
use feedline::io::{Blob, LocalBlob};
use feedline::records::RecordReader;

use crate::measure::{Options, measure, on_threads};

pub(crate) fn run(paths: &[PathBuf], options: &Options) -> feedline::Result<()> {
    let mut num_records = 0;
    let mut data_bytes = 0;
    let mut lengths = Vec::new();
    for path in paths {
        let mut reader = RecordReader::open(path)?;
        while let Some(chunk) = reader.next_chunk()? {
            num_records += chunk.records.len() as u64;
            lengths.extend(chunk.records.iter().map(|record| record.len()));
        }
    }
    data_bytes += lengths.iter().sum::<usize>() as u64;

    measure("records", options, num_records, data_bytes, num_records + data_bytes, || {
        on_threads(
            options,
            paths.len(),
            || (),
            |(), file| {
                let mut reader = RecordReader::open(&paths[file]).expect("opened before");
                let mut sum = 0;
                while let Some(chunk) = reader.next_chunk().expect("read before") {
                    sum += chunk.records.iter().map(|record| 1 + record.len() as u64).sum::<u64>();
                }
                sum
            },
        )
    });

    // The ceilings of any reader that copies (and so survives a file that shrinks): the same files read and nothing done,
    // and the same with every byte checksummed.
    let read_all = |checksum: bool| {
        on_threads(
            options,
            paths.len(),
            || vec![0; 256 << 10],
            |buffer, file| {
                let blob = LocalBlob::open(&paths[file]).expect("opened before");
                let mut offset = 0;
                while offset < blob.size() {
                    let read = blob.read_at(buffer, offset).expect("read before");
                    if checksum {
                        std::hint::black_box(crc32c(&buffer[..read]));
                    }
                    offset += read as u64;
                }
                offset
            },
        )
    };
    let file_bytes = read_all(false);
    for (what, checksum) in [("ceiling: plain read", false), ("ceiling: plain read and crc", true)] {
        measure(what, options, num_records, data_bytes, file_bytes, || read_all(checksum));
    }

    // The ceiling: the bytes of the same files, in memory already, in pieces as long as the average record: nothing is done
    // but the checksum of each piece.
    let contents: Vec<Vec<u8>> = paths.iter().map(|path| std::fs::read(path).expect("read before")).collect();
    let typical = lengths.iter().sum::<usize>() / lengths.len().max(1);
    let pass = || {
        on_threads(
            options,
            contents.len(),
            || (),
            |(), file| {
                contents[file]
                    .chunks(typical)
                    .map(|record| u64::from(crc32c(record)))
                    .fold(0, u64::wrapping_add)
            },
        )
    };
    let expected = pass();
    measure("ceiling: crc pass in memory", options, num_records, data_bytes, expected, pass);
    Ok(())
}
