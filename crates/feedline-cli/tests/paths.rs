//! Paths of all sorts: names that are no text, and folders that cannot be.
#![allow(clippy::unwrap_used, reason = "test code")]

mod cli_support;

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

use cli_support::{Folder, bitmap};

#[test]
fn names_that_are_not_utf8_are_taken_as_they_are() {
    let folder = Folder::new();
    folder.examples("plain.tfrecord", 7, None);
    let odd = OsStr::from_bytes(b"caf\xe9");
    std::fs::create_dir(folder.path("").join(odd)).unwrap();
    let inside = |name: &[u8]| {
        let mut path = odd.as_bytes().to_vec();
        path.push(b'/');
        path.extend_from_slice(name);
        path
    };
    let at = |path: &[u8]| folder.path("").join(OsStr::from_bytes(path));
    std::fs::copy(folder.path("plain.tfrecord"), at(&inside(b"data\xff.tfrecord"))).unwrap();
    std::fs::write(at(&inside(b"rows\xff.csv")), "id\n1\n2\n").unwrap();
    std::fs::create_dir_all(at(&inside(b"photos/cat"))).unwrap();
    std::fs::write(at(&inside(b"photos/cat/1.bmp")), bitmap(3, 3)).unwrap();

    let run = |arguments: &[&[u8]]| {
        let arguments: Vec<&OsStr> = arguments.iter().map(|argument| OsStr::from_bytes(argument)).collect();
        let run = folder.run_with(&arguments);
        assert_eq!(run.code, 0, "{arguments:?}: {}", run.stderr);
        run.stdout
    };
    for name in [&b"data\xff.tfrecord"[..], b"data*", b"data\xff*", b"*\xff.tfrecord"] {
        let path = inside(name);
        assert!(run(&[b"inspect", &path]).contains("7 records"));
        assert!(run(&[b"verify", &path]).contains("7 records"));
        assert!(run(&[b"index", &path]).contains("7 records"));
    }
    run(&[b"convert", &inside(b"rows\xff.csv"), &inside(b"out/rows")]);
    run(&[b"convert", &inside(b"photos"), &inside(b"out/images")]);
    for name in [&b"out/rows-00000-of-00001.tfrecord"[..], b"out/images-00000-of-00001.tfrecord"] {
        assert!(at(&inside(name)).exists());
    }
    // Given again, it is complete.
    assert!(run(&[b"convert", &inside(b"rows\xff.csv"), &inside(b"out/rows")]).contains("complete already"));
    // Shards have their names put together of text.
    let arguments = [&b"convert"[..], b"plain.tfrecord", b"out\xff"].map(OsStr::from_bytes);
    let refused = folder.run_with(&arguments);
    assert!(refused.code == 2 && refused.stderr.contains("UTF-8"), "{}", refused.stderr);
}

#[test]
fn an_output_folder_that_cannot_be_is_told_with_the_remedy() {
    let folder = Folder::new();
    folder.write("x.csv", b"id\n1\n");
    std::os::unix::fs::symlink("nowhere", folder.path("link")).unwrap();
    for (out, what, hint) in [
        (
            "/proc/nope/o",
            "/proc/nope: could not create the output folder",
            "hint: no folder can be made in `/proc`",
        ),
        (
            "x.csv/o",
            "x.csv: could not create the output folder",
            "hint: `x.csv` is no folder; give a prefix in one that is",
        ),
        ("x.csv/a/b/o", "x.csv/a/b: could not create the output folder", "hint: `x.csv` is no folder"),
        ("link/o", "link: could not create the output folder", "hint: `link` is no folder"),
        ("/proc/o", "could not", "hint: "),
    ] {
        let run = folder.run(&["convert", "x.csv", out]);
        assert_eq!(run.code, 1, "{out}");
        assert!(run.stderr.contains(what) && run.stderr.contains(hint), "{out}: {}", run.stderr);
    }
    // A folder where a file is to be.
    std::fs::create_dir(folder.path("out-00000-of-00001.tfrecord")).unwrap();
    for overwrite in [&[][..], &["--overwrite"]] {
        let run = folder.run(&[&["convert", "x.csv", "out"], overwrite].concat());
        assert!(run.code == 1 && run.stderr.contains("\nhint: "), "{}", run.stderr);
    }
}

#[test]
fn remote_paths_are_a_mistyped_command() {
    let folder = Folder::new();
    for command in ["inspect", "verify", "index"] {
        for address in ["s3://bucket/a.tfrecord", "gs://bucket/*.tfrecord", "file:///a.tfrecord"] {
            let run = folder.run(&[command, address]);
            assert_eq!(run.code, 2, "{command} {address}: {}", run.stderr);
            assert!(run.stderr.starts_with(&format!("error: {address}: could not list: ")), "{}", run.stderr);
            assert!(run.stderr.contains("\nhint: ") && run.stderr.contains("Usage: "), "{}", run.stderr);
        }
    }
}
