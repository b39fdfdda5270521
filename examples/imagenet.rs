//! Batches of ImageNet-like record files for a training loop, which go on exactly where they were stopped.
//!
//! ```text
//! feedline convert photos/ out/train --shards 64 --jpeg-restarts     # one folder of photos a class
//! cargo run --release --example imagenet -- 'out/train-*.tfrecord' 500 run.state
//! ```
//!
//! The second argument is how many batches to take, the third a file for the state: read if it is there, written in the end.

#![allow(clippy::print_stdout, reason = "it tells how fast it was")]

use std::error::Error;
use std::time::Instant;

use feedline::data::DType;
use feedline::plan::expr::Feature;
use feedline::{AUTOTUNE, Dataset, State, Symbolic, ops};

const BATCH: usize = 64;

/// Traced once; runs for many records at a time, on every core, and decodes only what the crop shows.
fn prepare(record: Symbolic) -> Symbolic {
    let features =
        [("image", Feature::fixed_len(&[], DType::String)), ("label", Feature::fixed_len(&[], DType::Int64))];
    let example = ops::parse_single_example(record, features);
    let pixels = ops::image::decode_jpeg(example.get("image"), 3, 1, "");
    let (scale, ratio) = ([0.08, 1.0], [0.75, 4.0 / 3.0]);
    let pixels =
        ops::image::random_resized_crop(pixels, [224, 224], scale, ratio, "bilinear", false, false, 1);
    let pixels = ops::image::random_flip_left_right(pixels, 2);
    let pixels = ops::image::normalize(pixels, [123.675, 116.28, 103.53], [58.395, 57.12, 57.375]);
    (pixels, example.get("label")).into()
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some(pattern) = arguments.first() else {
        return Err("usage: imagenet PATTERN [BATCHES [STATE-FILE]]".into());
    };
    let max_batches = arguments.get(1).map_or(Ok(usize::MAX), |number| number.parse())?;
    let dataset = Dataset::list_files(&[pattern])?
        .seed(0)
        .interleave(Dataset::tf_record_file)
        .cycle_length(16)
        .shuffle(10_000)
        .seed(0)
        .map(prepare)
        .batch(BATCH)
        .prefetch(AUTOTUNE)
        .check()?;

    let saved = arguments.get(2).and_then(|path| std::fs::read(path).ok());
    let mut batches = match saved {
        None => dataset.iterator()?,
        Some(saved) => dataset.resume(&State::from_bytes(&saved)?)?,
    };
    let (start, mut num_images) = (Instant::now(), 0);
    for batch in batches.by_ref().take(max_batches) {
        let batch = batch?;
        // Here goes the training step: pixels as float32 [64, 224, 224, 3], labels as int64 [64].
        let (pixels, labels) = (batch.leaves()[0].as_slice::<f32>(), batch.leaves()[1].as_slice::<i64>());
        assert_eq!(pixels.len(), labels.len() * 224 * 224 * 3);
        num_images += labels.len();
    }
    let seconds = start.elapsed().as_secs_f64();
    println!("{num_images} images in {seconds:.1} s, {:.0} a second", num_images as f64 / seconds);
    println!("{}", batches.metrics());
    if let Some(path) = arguments.get(2) {
        std::fs::write(path, batches.state().to_bytes())?;
    }
    Ok(())
}
