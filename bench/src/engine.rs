//! How fast does the engine move elements, against the same work written by hand?

use std::hint::black_box;
use std::path::PathBuf;

use feedline::data::DType;
use feedline::data::block::Tensor;
use feedline::{AUTOTUNE, Dataset, Result, ops};

use crate::measure::{Options, measure, on_threads};

/// Elements of the scalar pipeline.
const COUNT: i64 = 5_000_000;
/// Images of the in-memory pipeline, 32 by 32 by 3 bytes each.
const IMAGES: usize = 50_000;
const IMAGE_BYTES: usize = 32 * 32 * 3;
const BATCH: usize = 128;

/// Runs the engine's pipelines. `files`: raw record files, to read through the engine.
pub(crate) fn run(files: &[PathBuf], options: &Options) -> Result<()> {
    scalars(options)?;
    images(options)?;
    if !files.is_empty() {
        records(files, options)?;
    }
    Ok(())
}

/// `range → map(x + 1) → shuffle(10,000) → batch(256) → prefetch`; the checksum is the sum of all elements.
fn scalars(options: &Options) -> Result<()> {
    let dataset =
        Dataset::range(COUNT).map(|x| x + 1).shuffle(10_000).seed(1).batch(256).prefetch(AUTOTUNE).check()?;
    let expected = (COUNT * (COUNT + 1) / 2) as u64;
    measure("engine scalars", options, COUNT as u64, COUNT as u64 * 8, expected, || {
        let batches = dataset.iterator().expect("checked above");
        batches
            .map(|batch| batch.expect("no errors").leaves()[0].as_slice::<i64>().iter().sum::<i64>() as u64)
            .sum()
    });
    Ok(())
}

/// 50,000 images in memory → full shuffle → float32 in [0, 1] → batch 128; the ceiling is the same conversion of the same
/// bytes in order, on all threads. The checksum is the sum of each image's first pixel, times 255.
fn images(options: &Options) -> Result<()> {
    let pixels: Vec<u8> = (0..IMAGES * IMAGE_BYTES).map(|i| (i % 251) as u8).collect();
    let expected: u64 = pixels.iter().step_by(IMAGE_BYTES).map(|&pixel| u64::from(pixel)).sum();
    let first_pixels = |values: &[f32]| -> u64 {
        black_box(values).iter().step_by(IMAGE_BYTES).map(|&value| (value * 255.0).round() as u64).sum()
    };
    let (count, bytes) = (IMAGES as u64, (IMAGES * IMAGE_BYTES) as u64);
    let tensor = Tensor::from_vec(vec![IMAGES, 32, 32, 3], pixels.clone());
    let dataset = Dataset::from_tensor_slices(tensor)
        .shuffle(IMAGES)
        .seed(1)
        .map(|image| ops::cast(image, DType::Float32) / 255.0)
        .batch(BATCH)
        .prefetch(AUTOTUNE)
        .check()?;
    measure("engine images", options, count, bytes, expected, || {
        let batches = dataset.iterator().expect("checked above");
        batches.map(|batch| first_pixels(batch.expect("no errors").leaves()[0].as_slice())).sum()
    });
    let batches: Vec<&[u8]> = pixels.chunks(BATCH * IMAGE_BYTES).collect();
    measure("engine images, ceiling: convert in order", options, count, bytes, expected, || {
        on_threads(
            options,
            batches.len(),
            || (),
            |(), index| {
                first_pixels(
                    &batches[index].iter().map(|&pixel| f32::from(pixel) / 255.0).collect::<Vec<f32>>(),
                )
            },
        )
    });
    Ok(())
}

/// Raw records through the engine; the checksum is the sum of their lengths.
fn records(files: &[PathBuf], options: &Options) -> Result<()> {
    let dataset = Dataset::tf_record(files)?.prefetch(AUTOTUNE).check()?;
    let framed: u64 = files.iter().map(|file| file.metadata().map_or(0, |metadata| metadata.len())).sum();
    let length = |record: feedline::Result<usize>| record.expect("no errors") as u64;
    let lengths = || {
        let records = dataset.iterator().expect("checked above");
        records
            .map(|record| Ok(record?.leaves()[0].strings().map_or(0, |strings| strings.get(0).len())))
            .map(length)
    };
    let count = lengths().count() as u64;
    measure("engine records", options, count, framed, framed - count * 16, || lengths().sum());
    Ok(())
}
