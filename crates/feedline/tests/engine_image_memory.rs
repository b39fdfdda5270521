//! Images that go from JPEGs to batches take no memory of their own: what decodes and scales is kept from image to image, and results
//! are written to their place in the batch.
#![allow(clippy::unwrap_used, reason = "tests")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicU64, Ordering};

use feedline::data::DType;
use feedline::data::block::Tensor;
use feedline::image::{JpegOptions, encode_jpeg};
use feedline::plan::expr::Attribute;
use feedline::{Dataset, Options, Symbolic, ops};

/// A page: what is larger is worth counting one by one.
const LARGE_BYTES: usize = 4096;

/// Allocations so far, and of these the large ones. Relaxed: counts.
static ALL: AtomicU64 = AtomicU64::new(0);
static LARGE: AtomicU64 = AtomicU64::new(0);

/// The system's allocator, counted.
struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn count(bytes: usize) {
    ALL.fetch_add(1, Ordering::Relaxed);
    LARGE.fetch_add(u64::from(bytes >= LARGE_BYTES), Ordering::Relaxed);
}

// SAFETY: all calls go on to the system's allocator as they are.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size());
        // SAFETY: the caller's promise is the one asked for.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(place, layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(layout.size());
        // SAFETY: as above.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, place: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        count(new_size);
        // SAFETY: as above.
        unsafe { System.realloc(place, layout, new_size) }
    }
}

const NUM_IMAGES: usize = 12;
const BATCH: usize = 24;

/// JPEGs of different sizes, each with Huffman tables of its own, as cameras and sites write them.
fn jpegs() -> Dataset {
    let jpegs: Vec<Vec<u8>> = (0..NUM_IMAGES)
        .map(|number| {
            let (height, width) = (60 + 2 * number, 90 - 2 * number);
            let pixel = |index: usize| (index * index / (50 + number) + index % (3 + 2 * number)) as u8;
            let pixels: Vec<u8> = (0..height * width * 3).map(pixel).collect();
            let options =
                JpegOptions { optimizes_size: true, ..JpegOptions::of_quality(60 + 3 * number as u8) };
            encode_jpeg(&pixels, height, width, 3, &options).unwrap()
        })
        .collect();
    let jpegs = jpegs.iter().map(Vec::as_slice).collect();
    Dataset::from_tensor_slices(Tensor::from_strings(vec![NUM_IMAGES], jpegs))
}

fn train(bytes: Symbolic) -> Symbolic {
    let image = ops::image::decode_jpeg(bytes, 3, 1, "");
    let (scale, ratio) = ([0.08, 1.0], [0.75, 1.33]);
    let image = ops::image::random_resized_crop(image, [40, 40], scale, ratio, "bilinear", false, false, 1);
    ops::image::normalize(
        ops::image::random_flip_left_right(image, 2),
        [120.0, 116.0, 103.0],
        [58.0, 57.0, 57.0],
    )
}

fn eval(bytes: Symbolic) -> Symbolic {
    let image = ops::image::decode_jpeg(bytes, 3, 1, "");
    let image = ops::image::resize(image, Attribute::Int(48), "bicubic", false, true, false);
    let image = ops::image::resize_with_crop_or_pad(image, 40, 40);
    ops::transpose(ops::image::normalize(image, [100.0], [50.0]), [2, 0, 1])
}

/// What is kept as bytes, to be normalized elsewhere.
fn bytes(bytes: Symbolic) -> Symbolic {
    let image = ops::image::decode_jpeg(bytes, 3, 1, "");
    let (scale, ratio) = ([0.08, 1.0], [0.75, 1.33]);
    let image = ops::image::random_resized_crop(image, [40, 40], scale, ratio, "bicubic", false, false, 1);
    let image = ops::clip_by_value(ops::round(image), 0.0, 255.0);
    ops::image::random_flip_left_right(ops::cast(image, DType::UInt8), 2)
}

/// Of a task, which may have one image: three for the block that the source and the repeat behind it make, its columns and where it is in each of
/// them; one for the task itself. The image has none.
const MOST_A_TASK: u64 = 4;
/// Of a batch: to put it together out of the tasks, to hand it on, and to begin the source anew twice.
const MOST_A_BATCH: u64 = 56;
/// Of a batch: its own memory and what is around it.
const MOST_LARGE: u64 = 3;
const NUM_BATCHES: u64 = 60;
/// Until every thread has seen the largest window of the largest image, and the tuner has stopped adding to what is under way.
const WARM_UP_BATCHES: u64 = 60;

#[test]
fn an_image_takes_no_memory_of_its_own() {
    for (name, function) in [("train", train as fn(Symbolic) -> Symbolic), ("eval", eval), ("bytes", bytes)] {
        for threads in [1, 2] {
            let options = Options::new().threads(threads);
            let dataset = jpegs().repeat(400).map(function).batch(BATCH).with_options(options);
            let mut batches = dataset.iterator().unwrap();
            for _ in 0..WARM_UP_BATCHES {
                batches.next().unwrap().unwrap();
            }
            let counts = || [&ALL, &LARGE].map(|count| count.load(Ordering::Relaxed));
            let before = counts();
            for _ in 0..NUM_BATCHES {
                batches.next().unwrap().unwrap();
            }
            let after = counts();
            let [all, large] = [0, 1].map(|index| (after[index] - before[index]) / NUM_BATCHES);
            let counted = format!(
                "{name}, {threads} threads: {all} allocations a batch of {BATCH}, {large} of them large"
            );
            println!("{counted}");
            assert!(large <= MOST_LARGE, "{counted}, at most {MOST_LARGE} expected");
            let most = MOST_A_TASK * BATCH as u64 + MOST_A_BATCH;
            assert!(all <= most, "{counted}, at most {most} expected");
        }
    }
}
