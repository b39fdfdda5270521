//! `feedline preview`: a sheet of what was asked for, and errors that name what is wrong.
#![allow(clippy::unwrap_used, reason = "test code")]

mod cli_support;

use cli_support::Folder;
use feedline::formats::example::ExampleWriter;
use feedline::image::{JpegOptions, Samples, decode_png, encode_jpeg, encode_png, probe};
use feedline::records::RecordWriter;

fn jpeg(height: usize, width: usize) -> Vec<u8> {
    let pixels: Vec<u8> = (0..height * width * 3).map(|at| (at * 7 / width % 251) as u8).collect();
    encode_jpeg(&pixels, height, width, 3, &JpegOptions::of_quality(90)).unwrap()
}

#[test]
fn a_sheet_has_a_row_an_image_and_the_same_draws_every_time() {
    let folder = Folder::new();
    folder.write("photos/a/1.jpg", &jpeg(40, 60));
    let pixels: Vec<u8> = (0..90 * 50 * 3).map(|at| (at * 7 / 50 % 251) as u8).collect();
    folder.write("photos/b/2.png", &encode_png(&pixels, false, 90, 50, 3, None).unwrap());
    let all = "crop,flip,color,randaugment,trivialaugment,autoaugment,rotate,blur,erase";
    let sheet = |augment: &str, seed: &str| {
        let run = folder.run(&[
            "preview",
            "photos",
            "-o",
            "sheet.png",
            "--augment",
            augment,
            "--draws",
            "3",
            "--size",
            "32",
            "--seed",
            seed,
        ]);
        assert_eq!((run.code, run.stderr.as_str()), (0, ""));
        assert_eq!(run.stdout, "2 images, 3 draws each: sheet.png\n");
        let bytes = folder.read("sheet.png");
        let info = probe(&bytes).unwrap();
        assert_eq!((info.width, info.height), (4 * 36 + 4, 2 * 36 + 4));
        bytes
    };
    let first = sheet(all, "1");
    assert!(sheet(all, "1") == first && sheet(all, "2") != first);
    // Draws differ from each other, and from the image.
    let image = decode_png(&sheet("crop,flip", "1"), 3, false).unwrap();
    let Samples::Bytes(pixels) = image.samples else { panic!("bytes") };
    let picture = |column: usize| -> Vec<u8> {
        let line = |line: usize| &pixels[((4 + line) * 148 + 4 + column * 36) * 3..][..32 * 3];
        (0..32).flat_map(line).copied().collect()
    };
    assert!((0..4).all(|one| (0..one).all(|other| picture(one) != picture(other))));
}

#[test]
fn files_that_are_called_images_are_images() {
    let folder = Folder::new();
    folder.write("photos/1.jpg", &jpeg(40, 60));
    folder.write("photos/2.JPG", &jpeg(30, 20));
    for (inputs, count) in
        [(&["photos/1.jpg"][..], 1), (&["photos/*.jpg"], 1), (&["photos/*.jpg", "photos/2.JPG"], 2)]
    {
        let run = folder.run(&[&["preview"], inputs, &["-o", "sheet.png", "--draws", "2"]].concat());
        assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{inputs:?}");
        assert!(run.stdout.starts_with(&format!("{count} image")), "{}", run.stdout);
    }
    let run = folder.run(&["preview", "photos/*.gif", "-o", "sheet.png"]);
    assert_eq!(run.code, 1);
    assert!(run.stderr.contains("no file matches the pattern"), "{}", run.stderr);
}

#[test]
fn records_need_a_feature_that_holds_images_and_augmentations_their_names() {
    let folder = Folder::new();
    let mut writer = RecordWriter::create(folder.path("a.tfrecord"), None).unwrap();
    writer.write(&ExampleWriter::new().bytes("picture", &[&jpeg(40, 60)]).to_bytes()).unwrap();
    writer.finish().unwrap();
    let run = folder.run(&["preview", "a.tfrecord", "--image", "picture", "--json"]);
    assert_eq!((run.code, run.json()["images"].as_u64()), (0, Some(1)), "{}", run.stderr);
    let run = folder.run(&["preview", "a.tfrecord", "--json"]);
    assert_eq!((run.code, run.json()["images"].as_u64()), (0, Some(1)), "{}", run.stderr);
    for (other, message) in [(jpeg(8, 8), "`other` and `picture` hold images"), (b"text".to_vec(), "")] {
        let picture = if message.is_empty() { b"no image".to_vec() } else { jpeg(40, 60) };
        let mut writer = RecordWriter::create(folder.path("b.tfrecord"), None).unwrap();
        let features =
            ExampleWriter::new().bytes("picture", &[&picture]).bytes("other", &[&other]).to_bytes();
        writer.write(&features).unwrap();
        writer.finish().unwrap();
        let run = folder.run(&["preview", "b.tfrecord"]);
        let expected = if message.is_empty() { "no feature of the first 16 records" } else { message };
        assert!(run.code == 1 && run.stderr.contains(expected), "{}", run.stderr);
    }
    let run = folder.run(&["preview", "a.tfrecord", "--image", "picture", "--augment", "crop,flop"]);
    assert!(run.code == 2 && run.stderr.contains("did you mean `flip`?"), "{}", run.stderr);
    let run = folder.run(&["preview", "a.tfrecord", "--image", "picture", "-o", "missing/x.png"]);
    assert_eq!(run.code, 1, "{}", run.stderr);
}

#[test]
fn damaged_images_are_left_out_and_named() {
    let folder = Folder::new();
    let whole = jpeg(40, 60);
    let mut writer = RecordWriter::create(folder.path("a.tfrecord"), None).unwrap();
    for image in [&whole[..whole.len() / 2], &whole, b"no image", &whole] {
        writer.write(&ExampleWriter::new().bytes("picture", &[image]).to_bytes()).unwrap();
    }
    writer.finish().unwrap();
    let run = folder.run(&["preview", "a.tfrecord", "--size", "16"]);
    assert_eq!(
        (run.code, run.stdout.as_str()),
        (0, "2 images, 7 draws each: preview.png\n"),
        "{}",
        run.stderr
    );
    assert!(run.stderr.starts_with("2 images left out, not to be decoded:\n"), "{}", run.stderr);
    assert!(run.stderr.contains("record 0: ") && run.stderr.contains("record 2: "), "{}", run.stderr);
    // Behind what is shown nothing is looked at.
    let run = folder.run(&["preview", "a.tfrecord", "--images", "1", "--json"]);
    assert_eq!((run.code, run.json()["left_out"].as_array().unwrap().len()), (0, 1), "{}", run.stderr);
    folder.write("photos/1.jpg", &whole[..whole.len() / 2]);
    let run = folder.run(&["preview", "photos"]);
    assert!(run.code == 1 && run.stderr.contains("1.jpg"), "{}", run.stderr);
}
