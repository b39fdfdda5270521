//! Whatever is in the files.

use std::path::PathBuf;
use std::sync::Arc;

use feedline_formats::csv::file::CsvRecords;
use feedline_formats::csv::strict::Dialect;
use feedline_formats::fixed_length::FixedLength;
use feedline_formats::tfrecord::write_frame;
use feedline_formats::{CompressedStream, Compression, deflate_piece};

use super::{Files, MemoryBlob, START, sizes};
use crate::files::Buffers;
use crate::files::RowKind::{Csv, Fixed, Line, Record};
use crate::files::range::RangeReader;

const PIECES: [usize; 14] = [1, 2, 3, 5, 7, 11, 12, 13, 16, 17, 31, 64, 100, 1000];

fn records<R: AsRef<[u8]>>(records: impl IntoIterator<Item = R>) -> Vec<u8> {
    let mut file = Vec::new();
    records.into_iter().for_each(|record| write_frame(&mut file, record.as_ref()).unwrap());
    file
}

/// Records that contain records that contain records, with zeros and half a header among them.
fn nested() -> Vec<u8> {
    let inner = records(["a", "", "bcd"]);
    let middle = records([&inner[..], &inner[..20], &[0; 30], b"x"]);
    records([&b"first"[..], &middle, &[], &middle, &inner, &inner[1..], b"last"])
}

#[test]
fn records_that_contain_records() {
    Files::new(Record, vec![Some(nested()), Some(nested())]).check(&PIECES);
}

#[test]
fn damage_at_every_byte() {
    let whole = records([&b"abc"[..], &nested()[..90], b"", b"0123456789", b"end"]);
    for place in 0..whole.len() {
        let mut damaged = whole.clone();
        damaged[place] ^= 0x41;
        Files::new(Record, vec![Some(damaged), Some(records(["next"]))]).check(&[1, 13, 40]);
    }
}

#[test]
fn a_file_cut_at_every_byte() {
    for whole in [nested(), records([[7; 100], [8; 100]])] {
        for len in 0..whole.len() {
            Files::new(Record, vec![Some(whole[..len].to_vec()), Some(records(["next"]))]).check(&[9, 64]);
        }
    }
}

#[test]
fn a_length_that_lies_about_the_rest_of_the_file() {
    // A valid header for more than there is, among records.
    let header = records([vec![1; 5000]])[..12].to_vec();
    let file = [records(["a", "b"]), header.clone(), records(["c"])].concat();
    let inside = records([&header[..], &[&header[..], &[3; 200]].concat(), b"d"]);
    Files::new(Record, vec![Some(file), Some(inside)]).check(&PIECES);
}

#[test]
fn empty_missing_and_many_small_files() {
    let small = |file: usize| match file % 7 {
        0 => None,
        1 => Some(Vec::new()),
        2 => Some(vec![9; 5]),
        _ => Some(records((0..file % 5).map(|row| format!("{file}-{row}")))),
    };
    Files::new(Record, (0..150).map(small).collect()).check(&[1, 20, 1000]);
    Files::new(Record, vec![]).check(&[10]);
    Files::new(Line, vec![Some(Vec::new()), None, Some(b"\n".to_vec())]).check(&[1, 10]);
}

#[test]
fn records_larger_than_pieces() {
    let rows = [0, 10, 5000, 1, 70_000, 300].map(|len| vec![len as u8; len]);
    Files::new(Record, vec![Some(records(&rows)), Some(records(rows))]).check(&[16, 1000, 8192, 100_000]);
}

/// Large enough that their lengths are read before they are.
#[test]
fn large_records_intact_and_damaged() {
    let rows: Vec<Vec<u8>> =
        (0..40).map(|row| [nested(), vec![row; 17_000 + row as usize * 300]].concat()).collect();
    let whole = records(&rows);
    let mut contents = vec![Some(whole.clone())];
    for (record, byte) in [(5, 0), (13, 9), (20, 5000)] {
        let mut damaged = whole.clone();
        damaged[records(&rows[..record]).len() + byte] ^= 1;
        contents.push(Some(damaged));
    }
    contents.push(Some(whole[..whole.len() - 20_000].to_vec()));
    Files::new(Record, contents).check(&[5000, 20_000, 64 << 10, 1 << 20]);
}

#[test]
fn lines_with_their_ends_across_borders() {
    let text = "one\r\ntwo\n\n\r\nfi\rve\r\n\r\r\n0123456789abcdef\r\nlast";
    let long = format!("{}\r\n{}\n\n", "y".repeat(500), "z".repeat(60));
    for end in ["", "\r", "\n", "\r\n"] {
        let files = [text, end, &long].map(|text| Some(format!("{text}{end}").into_bytes()));
        Files::new(Line, files.to_vec()).check(&[1, 2, 3, 4, 5, 6, 7, 8, 17, 200]);
    }
}

fn compressed(bytes: &[u8], compression: Compression) -> Vec<u8> {
    let mut stream = CompressedStream::new(compression);
    let mut file = stream.header().to_vec();
    stream.add(bytes);
    deflate_piece(bytes, 6, &mut file);
    file.extend(stream.trailer());
    file
}

#[test]
fn compressed_files_among_others() {
    let (gzip, zlib) = (Compression::Gzip, Compression::Zlib);
    let contents = vec![
        Some(compressed(&nested(), gzip)),
        Some(nested()),
        Some(compressed(&records((0..40).map(|row| format!("zlib {row}"))), zlib)),
        Some(compressed(&[], gzip)),
        Some(compressed(&nested()[..100], gzip)),
        Some(nested()),
    ];
    Files::new(Record, contents).check(&PIECES);
    let text = (0..50).map(|line| format!("line {line}\r\n")).collect::<Vec<_>>().concat();
    Files::new(Line, vec![Some(compressed(text.as_bytes(), gzip)), Some(text.into_bytes())]).check(&PIECES);
}

#[test]
fn a_compressed_file_that_ends_early_gives_the_rows_before() {
    let rows = (0..300).map(|row| format!("{row} {}", row * 7919 % 1000));
    let whole = compressed(&records(rows), Compression::Gzip);
    let files = Files::new(Record, vec![Some(whole[..whole.len() - 9].to_vec()), Some(records(["next"]))]);
    let found = files.reference(START);
    assert_eq!(found.iter().filter(|(_, text)| text.starts_with("error: ")).count(), 1);
    assert!(found.len() > 290 && found.last().is_some_and(|(_, text)| text == "next"), "{}", found.len());
    files.check(&[100, 1000]);
}

#[test]
fn begun_at_every_place() {
    let contents = vec![
        Some(nested()),
        Some(compressed(&nested(), Compression::Gzip)),
        Some([nested(), vec![1; 20]].concat()),
        None,
        Some(records(["end"])),
    ];
    let files = Files::new(Record, contents);
    let whole = files.reference(START);
    for (index, (at, _)) in whole.iter().enumerate() {
        assert_eq!(files.reference(*at), whole[index..], "from {at:?}");
        for piece_bytes in [1, 33, 1000] {
            assert_eq!(files.read(sizes(piece_bytes, 50), *at), whole[index..], "from {at:?}");
        }
    }
    assert!(whole.len() > 20, "{}", whole.len());
}

#[test]
fn csv_records_with_line_ends_in_them() {
    let text =
        "h1,\"h\n2\"\r\na,b\n\n\"x\ny\r\nz\",\"\"\"\n\"\"\"\rc\"d,\"e\nf\"\n\"bad\"quote\n\",1\nlong,\"";
    let long = format!("{text}{}\"\n1,2\r\n3,4\r\n\"never\nclosed\n", "line\n".repeat(30));
    for (has_quotes, has_header) in [(true, true), (true, false), (false, true)] {
        let kind = Csv(CsvRecords { dialect: Dialect { delimiter: b',', has_quotes }, has_header });
        let whole = long.as_bytes();
        let contents = vec![
            Some(whole.to_vec()),
            Some(compressed(whole, Compression::Gzip)),
            Some(b"h".to_vec()),
            Some(Vec::new()),
            Some(compressed(b"", Compression::Gzip)),
            Some(b"h\n\nend".to_vec()),
        ];
        let files = Files::new(kind, contents);
        files.check(&PIECES);
        begun_everywhere(&files);
    }
}

#[test]
fn records_of_one_size_between_header_and_footer() {
    let body: Vec<u8> = (0..120_u8).map(|byte| byte.wrapping_mul(7)).collect();
    for (record_bytes, header_bytes, footer_bytes) in
        [(1, 0, 0), (4, 0, 0), (4, 3, 0), (4, 0, 4), (4, 9, 13), (120, 50, 70)]
    {
        let whole = [vec![b'h'; header_bytes], body.clone(), vec![b'f'; footer_bytes]].concat();
        for compression in [None, Some(Compression::Zlib)] {
            let kind = Fixed(FixedLength {
                record_bytes,
                header_bytes: header_bytes as u64,
                footer_bytes: footer_bytes as u64,
                compression,
            });
            let sizes = [whole.len(), whole.len() - 1, header_bytes + footer_bytes, 0, whole.len()];
            let contents = sizes.map(|size| {
                let part = whole[..size].to_vec();
                Some(compression.map_or(part.clone(), |compression| compressed(&part, compression)))
            });
            let files = Files::new(kind, contents.to_vec());
            files.check(&PIECES);
            begun_everywhere(&files);
            let found = files.reference(START);
            assert_eq!(found.last().unwrap().1.len(), found[0].1.len());
        }
    }
}

#[test]
fn a_record_of_one_size_is_known_to_begin_before_it_is_read_so_far() {
    let format = FixedLength { record_bytes: 70, header_bytes: 0, footer_bytes: 0, compression: None };
    let bytes: Vec<u8> = (0..210).collect();
    let blob = MemoryBlob { path: PathBuf::new(), bytes: Arc::new(bytes), gate: Arc::default() };
    for read_bytes in [1, 17, 300] {
        let mut reader = RangeReader {
            blob: &blob,
            kind: Fixed(format),
            buffers: &Buffers::default(),
            read_bytes,
            num_rows: 0,
            max_row_bytes: u64::MAX,
            may_hold: &mut |_| true,
        };
        // Nobody knows whether one begins at 5: the first one does at 70.
        let rows = reader.read(5..100, false).unwrap();
        assert_eq!((rows.first(), rows.next()), (70, Some(140)), "{read_bytes} bytes at a time");
    }
}

/// From each row on there is what follows it, however it is read.
fn begun_everywhere(files: &Files) {
    let whole = files.reference(START);
    assert!(whole.len() > 3, "{}", whole.len());
    for (index, (at, _)) in whole.iter().enumerate() {
        assert_eq!(files.reference(*at), whole[index..], "from {at:?}");
        for piece_bytes in [1, 33] {
            assert_eq!(files.read(sizes(piece_bytes, 50), *at), whole[index..], "from {at:?}");
        }
    }
}
