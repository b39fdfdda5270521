//! How fast does the engine move elements, against the same work written by hand?

use std::hint::black_box;
use std::path::PathBuf;

use feedline::data::block::Tensor;
use feedline::data::{DType, Structure};
use feedline::records::RecordReader;
use feedline::{AUTOTUNE, Dataset, Result, ops};

use crate::measure::{Options, Pass, measure, measure_in_turns, on_threads};

/// Elements of the scalar pipeline.
const COUNT: i64 = 5_000_000;
/// Images of the in-memory pipeline, 32 by 32 by 3 bytes each.
const IMAGES: usize = 50_000;
const IMAGE_BYTES: usize = 32 * 32 * 3;
const BATCH: usize = 128;
/// Batches that a thread has in flight where their memory counts: being filled, waiting, in the consumer's hands.
const BATCHES_IN_FLIGHT: usize = 8;
/// Records in a batch: of small ones, and of those the size of an image.
const SMALL_RECORD_BATCH: usize = 1024;
const LARGE_RECORD_BATCH: usize = 32;
const LARGE_RECORD_BYTES: u64 = 10_000;
/// Bytes of record files to read at least.
const RECORDS_BYTES: u64 = 1 << 30;

/// Runs the engine's pipelines in memory; with `files`, raw record files, those that read them.
pub(crate) fn run(files: &[PathBuf], options: &Options) -> Result<()> {
    if !files.is_empty() {
        return records(files, options);
    }
    scalars(options)?;
    images(options)?;
    crate::filtered::run(options)
}

/// `range → map(x + 1) → shuffle(10,000) → batch(256) → prefetch`; the checksum is the sum of all elements.
fn scalars(options: &Options) -> Result<()> {
    let dataset =
        Dataset::range(COUNT).map(|x| x + 1).shuffle(10_000).seed(1).batch(256).prefetch(AUTOTUNE).check()?;
    let expected = (COUNT * (COUNT + 1) / 2) as u64;
    measure("engine scalars", options, COUNT as u64, COUNT as u64 * 8, expected, || {
        let batches = dataset.iterator().expect("checked above");
        Pass::over(batches, |batch| batch.leaves()[0].as_slice::<i64>().iter().sum::<i64>() as u64)
    });
    Ok(())
}

/// 50,000 images in memory → full shuffle → float32 in [0, 1] → batch 128. Two ceilings, on all threads: the same conversion
/// of the same bytes in order, into memory that stays in the cache; and the limit of the memory, the same rows in a random
/// order into one after the other of as many batches as are in flight. The checksum is the sum of each image's first
/// pixel, times 255.
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
        Pass::over(batches, |batch| first_pixels(batch.leaves()[0].as_slice()))
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
    let order = random_order(IMAGES);
    let batches: Vec<&[usize]> = order.chunks(BATCH).collect();
    measure("engine images, ceiling: gather and convert to memory", options, count, bytes, expected, || {
        on_threads(
            options,
            batches.len(),
            || vec![vec![0_f32; BATCH * IMAGE_BYTES]; BATCHES_IN_FLIGHT],
            |memory, index| {
                let batch = &mut memory[index / options.num_threads % BATCHES_IN_FLIGHT];
                for (&row, image) in batches[index].iter().zip(batch.chunks_mut(IMAGE_BYTES)) {
                    let pixels = &pixels[row * IMAGE_BYTES..][..IMAGE_BYTES];
                    image
                        .iter_mut()
                        .zip(pixels)
                        .for_each(|(value, &pixel)| *value = f32::from(pixel) / 255.0);
                }
                first_pixels(&batch[..batches[index].len() * IMAGE_BYTES])
            },
        )
    });
    Ok(())
}

/// The numbers below `count` in an order that no prefetcher guesses.
fn random_order(count: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    let mut state = 1_u64;
    for place in (1..count).rev() {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        order.swap(place, (state >> 33) as usize % (place + 1));
    }
    order
}

/// Raw records through the engine, one by one and in batches as a model reads them; beside it, in turns, the bare reader of
/// the same files, a file a thread. The checksum is the sum of the records' lengths.
fn records(files: &[PathBuf], options: &Options) -> Result<()> {
    let size = |file: &PathBuf| file.metadata().map_or(0, |metadata| metadata.len());
    let files_bytes: u64 = files.iter().map(size).sum();
    // As often as it takes for the start not to count: buffers are new then, and nobody knows yet how fast the storage is.
    let files = &vec![files; RECORDS_BYTES.div_ceil(files_bytes.max(1)) as usize].concat();
    let paths = files.iter().map(|file| file.as_os_str().as_encoded_bytes());
    let records = Dataset::tf_record_file(Tensor::from_strings(vec![files.len()], paths.collect()));
    let framed: u64 = files.iter().map(size).sum();
    let count = records.iterator()?.count() as u64;
    let is_large = framed / count.max(1) >= LARGE_RECORD_BYTES;
    let batch_size = if is_large { LARGE_RECORD_BATCH } else { SMALL_RECORD_BATCH };
    let batches = records.batch(batch_size).check()?;
    let lengths = |dataset: &Dataset| {
        Pass::over(dataset.iterator().expect("checked above"), |element| {
            let Structure::Leaf(records) = element else { unreachable!("one string each") };
            records.strings().expect("strings").iter().map(|record| record.len() as u64).sum::<u64>()
        })
    };
    let bare = || {
        on_threads(
            options,
            files.len(),
            || (),
            |(), file| {
                let mut reader = RecordReader::open(&files[file]).expect("read before");
                let mut sum = 0;
                while let Some(chunk) = reader.next_chunk().expect("read before") {
                    sum += chunk.records.iter().map(|record| record.len() as u64).sum::<u64>();
                }
                sum
            },
        )
        .into()
    };
    let handed_out = || crate::handed_out::sum_of_lengths(files, options.num_threads).into();
    let by_one = || lengths(&records);
    let looked_at = || {
        Pass::looking(records.iterator().expect("checked above"), |record| {
            record.leaf(0).bytes().len() as u64
        })
    };
    let by_batch = || lengths(&batches);
    let batches_name = format!("engine records, in batches of {batch_size}");
    // Records the size of an image do not come to be handed out in numbers that count.
    let by_hand: &[(&str, &dyn Fn() -> Pass)] = if is_large {
        &[]
    } else {
        &[("engine records, ceiling: one by one to be kept, by hand", &handed_out)]
    };
    let ways: [(&str, &dyn Fn() -> Pass); 4] = [
        ("engine records, ceiling: the bare reader", &bare),
        ("engine records, one by one where they lie", &looked_at),
        ("engine records, one by one to be kept", &by_one),
        (&batches_name, &by_batch),
    ];
    measure_in_turns(&[&ways, by_hand].concat(), options, count, framed, framed - count * 16);
    Ok(())
}
