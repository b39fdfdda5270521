//! `feedline bench`: it runs on records and on folders, says what limits, and names what it cannot measure.
#![allow(clippy::unwrap_used, reason = "test code")]

mod cli_support;

use cli_support::Folder;
use feedline::formats::example::ExampleWriter;
use feedline::image::{JpegChannels, JpegDecoder, JpegOptions, encode_jpeg, with_restarts};
use feedline::records::RecordWriter;
use serde_json::Value;

fn jpeg() -> Vec<u8> {
    let pixels: Vec<u8> = (0..64 * 64 * 3).map(|at| (at * 7 / 64 % 251) as u8).collect();
    encode_jpeg(&pixels, 64, 64, 3, &JpegOptions::of_quality(90)).unwrap()
}

/// A JPEG that is decoded, and cannot be written again with the same pixels.
fn damaged() -> Vec<u8> {
    let image = jpeg();
    let changed = |at: usize| {
        let mut bytes = image.clone();
        bytes[at] ^= 0x10;
        let is_decoded = JpegDecoder::new().decode(&bytes, JpegChannels::Rgb).is_ok();
        (is_decoded && with_restarts(&bytes).is_err()).then_some(bytes)
    };
    (image.len() / 2..image.len() - 2).find_map(changed).unwrap()
}

fn records(folder: &Folder) {
    let mut writer = RecordWriter::create(folder.path("a.tfrecord"), None).unwrap();
    for _ in 0..40 {
        writer.write(&ExampleWriter::new().bytes("image", &[&jpeg()]).to_bytes()).unwrap();
    }
    writer.finish().unwrap();
}

#[test]
fn records_and_folders_are_measured_stage_by_stage() {
    let folder = Folder::new();
    records(&folder);
    folder.write("photos/cat/1.jpg", &jpeg());
    folder.write("photos/2.JPEG", &jpeg());
    let common = ["--json", "--seconds", "1", "--crop", "32", "--batch", "8"];
    for (input, stages) in [
        (&["bench", "a.tfrecord", "--image", "image"][..], 3),
        (&["bench", "a.tfrecord"], 1),
        (&["bench", "photos"], 2),
    ] {
        let run = folder.run(&[input, &common].concat());
        assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{}", run.stdout);
        let report = run.json();
        let found = report["stages"].as_array().unwrap();
        assert_eq!(found.len(), stages, "{report}");
        let is_measured = |stage: &Value| stage["elements"].as_u64() > Some(0) && stage["errors"] == 0;
        assert!(found.iter().all(is_measured), "{report}");
        assert!(report["finding"].as_str().unwrap().contains("waits for its input"), "{report}");
    }
}

#[test]
fn images_of_any_format_in_folders_of_any_name() {
    let folder = Folder::new();
    let webp = include_bytes!("../../feedline-image/tests/webps/moving.webp");
    folder.write("webps/1.webp", webp);
    folder.write("odd[1]/1.jpg", &jpeg());
    folder.write("w*t?/a/1.JPG", &jpeg());
    let mut writer = RecordWriter::create(folder.path("webp.tfrecord"), None).unwrap();
    for _ in 0..10 {
        writer.write(&ExampleWriter::new().bytes("image", &[&webp[..]]).to_bytes()).unwrap();
    }
    writer.finish().unwrap();
    let common = ["--json", "--seconds", "1", "--crop", "8", "--batch", "8"];
    for input in [&["webps"][..], &["odd[1]"], &["w*t?"], &["webp.tfrecord", "--image", "image"]] {
        let run = folder.run(&[&["bench"][..], input, &common].concat());
        assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{input:?}: {}", run.stdout);
        let sheet =
            folder.run(&[&["preview"][..], &input[..1], &["-o", "sheet.png", "--draws", "1"]].concat());
        assert_eq!((sheet.code, sheet.stderr.as_str()), (0, ""), "{input:?}: {}", sheet.stdout);
    }
}

#[test]
fn what_cannot_be_measured_is_named() {
    let folder = Folder::new();
    records(&folder);
    let run = folder.run(&["bench", "a.tfrecord", "--image", "imgae", "--seconds", "1"]);
    assert_eq!(run.code, 1);
    assert!(run.stderr.contains("imgae") && run.stderr.contains("image"), "{}", run.stderr);
    std::fs::create_dir(folder.path("empty")).unwrap();
    let run = folder.run(&["bench", "empty"]);
    assert!(run.code == 1 && run.stderr.contains("there is no image (.jpg, "), "{}", run.stderr);
    assert_eq!(folder.run(&["bench", "a.tfrecord", "--crop", "0"]).code, 2);
    assert_eq!(folder.run(&["bench", "missing-*.tfrecord"]).code, 1);
}

#[test]
fn restarts_are_recommended_to_those_without_them() {
    let folder = Folder::new();
    folder.write("plain/1.jpg", &jpeg());
    folder.write("ready/1.jpg", &with_restarts(&jpeg()).unwrap());
    // What cannot have any is no reason to recommend them.
    let never = damaged();
    folder.write("mixed/1.jpg", &with_restarts(&jpeg()).unwrap());
    folder.write("mixed/2.jpg", &never);
    for (input, is_recommended) in [("plain", true), ("ready", false), ("mixed", false)] {
        let run = folder.run(&["bench", input, "--json", "--seconds", "1", "--crop", "256", "--batch", "8"]);
        let report = run.json();
        let finding = report["finding"].as_str().unwrap();
        assert!(finding.contains("decoding and cropping are the limit"), "{finding}");
        assert_eq!(finding.contains("--jpeg-restarts"), is_recommended, "{input}: {finding}");
    }
}
