//! Streams joined, cut and damaged, and what is taken for one.

use super::deflate::*;
use super::*;
use crate::error::Result;

fn inflate_all(compression: Compression, stream: &[u8], step: usize, room: usize) -> Result<Vec<u8>> {
    let mut decompressor = Decompressor::new(compression);
    let mut out = Vec::new();
    for piece in stream.chunks(step) {
        let mut piece = piece;
        loop {
            let before = out.len();
            let taken = decompressor.push(piece, &mut out, room)?;
            piece = &piece[taken..];
            if piece.is_empty() && out.len() - before < room {
                break;
            }
        }
    }
    decompressor.finish()?;
    Ok(out)
}

fn stream_of(compression: Compression, pieces: &[&[u8]]) -> Vec<u8> {
    let mut stream = CompressedStream::new(compression);
    let mut out = stream.header().to_vec();
    for piece in pieces {
        stream.add(piece);
        deflate_piece(piece, 6, &mut out);
    }
    out.extend_from_slice(&stream.trailer());
    out
}

#[test]
fn pieces_join_into_one_stream() {
    let noise: Vec<u8> = (0u32..200_000).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    let zeros = vec![0; 300_000];
    for compression in [Compression::Gzip, Compression::Zlib] {
        for pieces in [vec![], vec![&b""[..]], vec![b"hello".as_slice(), &zeros, b"", &noise, b"end"]] {
            let stream = stream_of(compression, &pieces);
            assert_eq!(Compression::sniff(&stream), Some(compression));
            for (step, room) in [(1 << 20, 1 << 20), (1000, 77), (1, 65536)] {
                assert_eq!(inflate_all(compression, &stream, step, room).unwrap(), pieces.concat());
            }
        }
    }
}

#[test]
fn text_is_taken_for_compressed_only_if_it_is() {
    let long = "a line\n".repeat(100_000);
    for compression in [Compression::Gzip, Compression::Zlib] {
        for text in ["", "one\ntwo", &long] {
            let stream = stream_of(compression, &[text.as_bytes()]);
            assert_eq!(Compression::detect_of_text(&stream, true), Some(compression));
            assert_eq!(Compression::detect_of_text(&stream[..stream.len() / 2], false), Some(compression));
        }
    }
    let mut texts = vec![String::new(), "one\ntwo".to_owned(), "x^".repeat(2000)];
    // Everything that text can have behind the two bytes that are also zlib's: "x^", "hC", "X\t", "H\t" and others.
    for (first, second) in (0..=127_u8).flat_map(|first| (0..=127).map(move |second| (first, second))) {
        for rest in ["", "2", "2\n", " = y", "\u{1}", "\u{3}\0", "abc\ndef\nghi\n"] {
            texts.push(format!("{}{}{rest}", char::from(first), char::from(second)));
        }
    }
    for text in texts {
        assert_eq!(Compression::detect_of_text(text.as_bytes(), true), None, "{text:?}");
    }
}

#[test]
fn several_streams_read_as_one() {
    for compression in [Compression::Gzip, Compression::Zlib] {
        let both = [stream_of(compression, &[b"one"]), stream_of(compression, &[b"two"])].concat();
        assert_eq!(inflate_all(compression, &both, 5, 4).unwrap(), b"onetwo");
    }
}

#[test]
fn zeros_behind_the_last_stream_are_padding_and_nothing_else_is() {
    for compression in [Compression::Gzip, Compression::Zlib] {
        let stream = stream_of(compression, &[b"one"]);
        for step in [1, 7, 1000] {
            let inflate = |behind: &[u8]| inflate_all(compression, &[&stream, behind].concat(), step, 5);
            assert_eq!(inflate(&[0]).unwrap(), b"one");
            assert_eq!(inflate(&[0; 512]).unwrap(), b"one");
            for damage in [&b"x"[..], b"\0x", &[&[0; 20], &stream[..]].concat()] {
                assert!(inflate(damage).is_err(), "{compression} {damage:?}");
            }
        }
        assert!(inflate_all(compression, &[0; 20], 5, 5).is_err(), "zeros alone are no stream");
    }
}

#[test]
fn a_length_that_looks_like_compression_is_told_from_it() {
    let mut records = Vec::new();
    for number in 0..200 {
        let record = format!("record {number} {}", number * number);
        crate::tfrecord::write_frame(&mut records, record.as_bytes()).unwrap();
    }
    assert_eq!(Compression::detect(&records), None);
    for compression in [Compression::Gzip, Compression::Zlib] {
        let stream = stream_of(compression, &[&records]);
        for end in 30..stream.len() {
            assert_eq!(Compression::detect(&stream[..end]), Some(compression), "{end}");
        }
        // Damaged somewhere behind the first record, it is still known.
        let mut damaged = stream.clone();
        damaged[1000] ^= 0x55;
        damaged[1500] ^= 0x55;
        assert_eq!(Compression::detect(&damaged), Some(compression));
    }
    // Lengths of up to 16 MiB, with a flipped bit, that have the mark of zlib.
    let mut met = 0;
    for length in
        (0..1_u64 << 24).filter(|length| Compression::sniff(&length.to_le_bytes()).is_some()).step_by(7)
    {
        met += 1;
        let mut file = length.to_le_bytes().to_vec();
        file.extend(b"\x12\x34\x56\x78");
        file.extend_from_slice(&records[12..]);
        assert_eq!(Compression::detect(&file), None, "{length:#x}");
    }
    assert!(met > 1000, "{met}");
}

#[test]
fn every_truncation_and_a_flipped_bit_are_errors() {
    for compression in [Compression::Gzip, Compression::Zlib] {
        let stream = stream_of(compression, &[b"some text, some text, some more text"]);
        for end in 1..stream.len() {
            assert!(inflate_all(compression, &stream[..end], 64, 64).is_err(), "{compression} cut at {end}");
        }
        let mut damaged = stream.clone();
        let last = damaged.len() - 1;
        damaged[last - 4] ^= 1;
        let error = inflate_all(compression, &damaged, 64, 64).unwrap_err().to_string();
        assert!(error.contains(compression.name()) && error.contains("hint:"), "{error}");
    }
    let text: Vec<u8> =
        (0..20_000_u32).flat_map(|number| (number * number).to_string().into_bytes()).collect();
    let stream = stream_of(Compression::Zlib, &[&text]);
    for byte in (2..2000).step_by(3) {
        let mut damaged = stream.clone();
        damaged[byte] ^= 0x55;
        if let Err(error) = inflate_all(Compression::Zlib, &damaged, 100_000, 100_000) {
            assert!(!error.to_string().contains("bad state"), "{error}");
        }
    }
}
