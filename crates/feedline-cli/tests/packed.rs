//! Files that are compressed: once, twice, and in ways that are not read.

mod cli_support;

use cli_support::Folder;
use feedline::formats::{CompressedStream, Compression, deflate_piece};

fn compressed(bytes: &[u8], compression: Compression) -> Vec<u8> {
    let mut stream = CompressedStream::new(compression);
    let mut out = stream.header().to_vec();
    deflate_piece(bytes, 6, &mut out);
    stream.add(bytes);
    out.extend(stream.trailer());
    out
}

/// What a user is told must be in a user's words: no names of the library, a command that helps.
fn assert_told(stderr: &str, parts: &[&str], what: &str) {
    assert!(parts.iter().all(|part| stderr.contains(part)), "{what}: {stderr}");
    assert!(!stderr.contains("Decompressor") && !stderr.contains("RecordReader"), "{what}: {stderr}");
}

#[test]
fn twice_is_once_too_often() {
    let folder = Folder::new();
    folder.examples("a.tfrecord", 3, None);
    for (outer, inner) in [
        (Compression::Gzip, Compression::Gzip),
        (Compression::Gzip, Compression::Zlib),
        (Compression::Zlib, Compression::Gzip),
    ] {
        folder.write("a.gz.gz", &compressed(&compressed(&folder.read("a.tfrecord"), inner), outer));
        folder.write("a.csv.gz", &compressed(&compressed(b"a,b\n1,2\n", inner), outer));
        let found = format!("the file is compressed twice: what it unpacks to is {inner}-compressed again");
        for command in [
            &["verify", "a.gz.gz"][..],
            &["inspect", "a.gz.gz"],
            &["inspect", "a.gz.gz", "--record", "0"],
            &["convert", "a.gz.gz", "out/a", "--from", "tfrecord"],
            &["convert", "a.csv.gz", "out/b"],
        ] {
            let run = folder.run(command);
            let told = format!("{}{}", run.stdout, run.stderr);
            assert_eq!(run.code, 1, "{command:?}: {told}");
            assert_told(&told, &[&found, "hint: unpack it", "gzip -d"], &format!("{command:?}"));
        }
    }
}

#[test]
fn text_is_read_plain_gzip_and_zlib() {
    let folder = Folder::new();
    let text = b"x^2,b\n1,2\n";
    folder.write("plain.csv", text);
    folder.write("gzip.csv.gz", &compressed(text, Compression::Gzip));
    folder.write("zlib.csv.zlib", &compressed(text, Compression::Zlib));
    for name in ["plain.csv", "gzip.csv.gz", "zlib.csv.zlib"] {
        let run = folder.run(&["convert", name, &format!("out/{}", &name[..4])]);
        assert_eq!(run.code, 0, "{name}: {}", run.stderr);
        assert!(run.stdout.contains("columns: b int64, x^2 int64"), "{name}: {}", run.stdout);
    }
    let bytes = |name: &str| folder.read(&format!("out/{name}-00000-of-00001.tfrecord"));
    assert!(bytes("plai") == bytes("gzip") && bytes("plai") == bytes("zlib"));
}

#[test]
fn what_other_tools_packed_is_named_with_the_tool() {
    let folder = Folder::new();
    for (name, mark, kind, tool) in [
        ("a.csv.zst", &b"\x28\xb5\x2f\xfd\x04\x58"[..], "Zstandard-compressed", "`zstd -d a.csv.zst`"),
        ("a.csv.bz2", b"BZh91AY&SY\x12", "bzip2-compressed", "`bzip2 -d a.csv.bz2`"),
        ("a.jsonl.xz", b"\xfd7zXZ\0\0\x04", "xz-compressed", "`xz -d a.jsonl.xz`"),
        ("a.csv.lz4", b"\x04\x22\x4d\x18\x64", "LZ4-compressed", "`lz4 -d a.csv.lz4`"),
        ("a.csv", b"PK\x03\x04\x14\0", "a ZIP archive", "`unzip a.csv`"),
    ] {
        folder.write(name, mark);
        for from in ["auto", "csv", "jsonl", "tfrecord"] {
            let run = folder.run(&["convert", name, "out/a", "--from", from]);
            assert_eq!(run.code, 1, "{name} {from}: {}", run.stderr);
            let found = format!("{name}: the file is {kind}, which is not read");
            assert_told(&run.stderr, &[&found, "hint: unpack it", tool], &format!("{name} {from}"));
        }
    }
    // Records packed by other tools: as short as can be, and longer than a record's header.
    for (mark, kind, command) in [
        (&b"\x28\xb5\x2f\xfd\x04\x58"[..], "Zstandard-compressed", "zstd -d"),
        (b"BZh91AY&SY\x12", "bzip2-compressed", "bzip2 -d"),
        (b"\xfd7zXZ\0\0\x04", "xz-compressed", "xz -d"),
        (b"\x04\x22\x4d\x18\x64", "LZ4-compressed", "lz4 -d"),
        (b"PK\x03\x04\x14\0", "a ZIP archive", "unzip"),
    ] {
        for padding in [0, 1000] {
            folder.write("a.tfrecord.x", &[mark, &vec![0xa5; padding]].concat());
            for arguments in [&["verify"][..], &["inspect"], &["inspect", "--record", "0"], &["index"]] {
                let run = folder.run(&[arguments, &["a.tfrecord.x"]].concat());
                let told = format!("{}{}", run.stdout, run.stderr);
                assert_eq!(run.code, 1, "{arguments:?}: {told}");
                let parts = [&format!("the file is {kind}, which is not read")[..], command];
                assert_told(&told, &parts, &format!("{kind} {padding} {arguments:?}"));
                assert!(!told.contains("checksum"), "{kind} {arguments:?}: {told}");
            }
        }
    }
    // Words that begin like a mark are words.
    folder.write("b.csv", b"BZh91,PK\n1,2\n");
    assert_eq!(folder.run(&["convert", "b.csv", "out/b"]).code, 0);
}
