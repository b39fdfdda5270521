//! What does it gain to filter before the map: 50,000 labelled images in memory → float32 in [0, 1] → one label of ten →
//! batch 128?

use feedline::data::block::Tensor;
use feedline::data::{DType, Structure};
use feedline::{AUTOTUNE, Dataset, Result, Symbolic, ops};

use crate::measure::{Options, Pass, measure_in_turns};

const IMAGES: usize = 50_000;
const IMAGE_BYTES: usize = 32 * 32 * 3;
const LABELS: usize = 10;

/// The checksum is the sum of the first pixels of the images that are left, times 255.
pub(crate) fn run(options: &Options) -> Result<()> {
    let pixels: Vec<u8> = (0..IMAGES * IMAGE_BYTES).map(|i| (i % 251) as u8).collect();
    let labels: Vec<i64> = (0..IMAGES).map(|image| (image % LABELS) as i64).collect();
    let firsts = pixels.iter().step_by(IMAGE_BYTES * LABELS);
    let expected: u64 = firsts.map(|&pixel| u64::from(pixel)).sum();
    let pairs = Structure::Tuple(vec![
        Structure::Leaf(Tensor::from_vec(vec![IMAGES], labels)),
        Structure::Leaf(Tensor::from_vec(vec![IMAGES, 32, 32, 3], pixels)),
    ]);
    let dataset = Dataset::from_tensor_slices(pairs)
        .map(|pair| Symbolic::from((pair.at(0), ops::cast(pair.at(1), DType::Float32) / 255.0)))
        .filter(|pair| pair.at(0).eq(0))
        .batch(128)
        .prefetch(AUTOTUNE)
        .check()?;
    let as_options = feedline::Options::new().threads(options.num_threads);
    let pushed = dataset.with_options(as_options.clone());
    let as_written = dataset.with_options(as_options.without_rule("push_filter_before_map")?);
    let first_pixels = |dataset: &Dataset| {
        Pass::over(dataset.iterator().expect("checked above"), |batch| {
            let values = batch.leaves()[1].as_slice::<f32>();
            values.iter().step_by(IMAGE_BYTES).map(|&value| (value * 255.0).round() as u64).sum::<u64>()
        })
    };
    let ways: [(&str, &dyn Fn() -> Pass); 2] = [
        ("engine one image of ten, filtered first", &|| first_pixels(&pushed)),
        ("engine one image of ten, as written", &|| first_pixels(&as_written)),
    ];
    measure_in_turns(&ways, options, IMAGES as u64, (IMAGES * IMAGE_BYTES) as u64, expected);
    Ok(())
}
