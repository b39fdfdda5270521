//! How fast do photos become batches of image training and evaluation, and where does the time go?
//!
//! - *train*: decode, random resized crop to 224, random flip, normalize to float32, batch of 64;
//! - *eval*: decode, shorter side to 256, the middle 224, normalize, batch of 64;
//! - *crops*: windows that the records carry, decoded and scaled: what tf.data is given too, so that outputs can be compared.
//!
//! Of the first batch of each the values are written down, and of *train* which window was drawn for each photo and whether it is mirrored:
//! the others draw their own while time is taken, but before that they make the batch of these windows, and compare.
//!
//! Beside them the stages: reading alone, and of photos in memory, on all cores, the windows decoded to coefficients, to samples, to pixels,
//! then scaled, then normalized and stored; and whole images decoded, to compare with bare libjpeg-turbo. `imagenet.sh` packs the photos,
//! runs the others on the same photos and compares what they give. Where the file is another one rewritten without loss, for crops, all its batches
//! are held against those of the other, bit for bit.

use std::fs;
use std::path::{Path, PathBuf};

use feedline::data::block::Tensor;
use feedline::data::{DType, Structure};
use feedline::formats::example::ExampleWriter;
use feedline::image::{Filter, Finish, JpegChannels, JpegDecoder, Raster, Region, Resampler, Target, probe};
use feedline::plan::expr::{Attribute, Feature};
use feedline::records::RecordWriter;
use feedline::{Dataset, Error, Result, Symbolic, ops};
use feedline_image::{DecodeStage, StagedDecoder};
use serde_json::json;

use crate::measure::{Options, Pass, measure, measure_in_turns, on_threads};

const BATCH: usize = 64;
const SIDE: usize = 224;
const MEAN: [f64; 3] = [123.675, 116.28, 103.53];
const STD: [f64; 3] = [58.395, 57.12, 57.375];

/// Packs the photos of a folder, in the order of their names, each with a number and a window.
pub(crate) fn pack(folder: &Path, file: &Path) -> Result<()> {
    let listed = fs::read_dir(folder).map_err(|error| failed(folder, &error))?;
    let mut paths: Vec<PathBuf> = listed.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "jpg"));
    paths.sort();
    let mut writer = RecordWriter::create(file, None)?;
    for (number, path) in paths.iter().enumerate() {
        let bytes = fs::read(path).map_err(|error| failed(path, &error))?;
        let Ok(info) = probe(&bytes) else { continue };
        let window = window(number as u32, info.width, info.height);
        let window = [window.y, window.x, window.height, window.width].map(i64::from);
        let (images, labels) = ([bytes.as_slice()], [number as i64]);
        let example =
            ExampleWriter::new().bytes("image", &images).int64("label", &labels).int64("window", &window);
        writer.write(&example.to_bytes())?;
    }
    writer.finish()?;
    println!("{} photos", paths.len());
    Ok(())
}

fn failed(path: &Path, error: &std::io::Error) -> Error {
    Error::Argument {
        message: format!("{}: {error}", path.display()),
        hint: "give a folder of JPEGs, and a place to write to".to_owned(),
    }
}

/// A window as training draws them: of 8 to 100 % of the area, somewhere.
fn window(number: u32, width: u32, height: u32) -> Region {
    let mut state = number.wrapping_mul(2_654_435_761).wrapping_add(12345);
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        f64::from(state >> 8) / f64::from(1 << 24)
    };
    let (part, aspect) = ((0.08 + 0.92 * next()).sqrt(), (0.75_f64.ln() + 0.575 * next()).exp().sqrt());
    let side = |full: u32, factor: f64| ((f64::from(full) * part * factor) as u32).clamp(1, full);
    let (w, h) = (side(width, aspect), side(height, 1.0 / aspect));
    let start = |full: u32, len: u32, draw: f64| (f64::from(full - len) * draw) as u32;
    Region { x: start(width, w, next()), y: start(height, h, next()), width: w, height: h }
}

/// What is measured of the records of a file.
struct Pipelines {
    records: Dataset,
    train: Dataset,
    fast_train: Dataset,
    /// As Pillow scales, which torch's pipelines have.
    smooth_train: Dataset,
    eval: Dataset,
    fast_eval: Dataset,
    smooth_eval: Dataset,
    crops: Dataset,
}

impl Pipelines {
    fn of(file: &Path, engine: &feedline::Options) -> Result<Pipelines> {
        let records = Dataset::tf_record(&[file.to_path_buf()])?.with_options(engine.clone());
        let pipeline = |function: fn(&Symbolic, bool) -> Symbolic, is_fast: bool| {
            records.map(move |record| function(&parsed(record), is_fast)).batch(BATCH).check()
        };
        Ok(Pipelines {
            train: pipeline(train, false)?,
            fast_train: pipeline(train, true)?,
            smooth_train: pipeline(|example, _| trained(example, true, false), false)?,
            eval: pipeline(eval, false)?,
            fast_eval: pipeline(eval, true)?,
            smooth_eval: pipeline(|example, _| evaluated(example, true, false), false)?,
            crops: pipeline(|example, _| crop(example), false)?,
            records,
        })
    }

    /// Holds all batches against those of another file with the same photos; says so in a line each.
    ///
    /// # Panics
    /// If they are not the same, bit for bit: a wrong result has no speed.
    fn must_equal(&self, other: &Pipelines) -> Result<()> {
        let pairs = [
            ("imagenet train", &self.train, &other.train),
            ("imagenet train, fast_scale", &self.fast_train, &other.fast_train),
            ("imagenet train, antialias", &self.smooth_train, &other.smooth_train),
            ("imagenet eval", &self.eval, &other.eval),
            ("imagenet eval, fast_scale", &self.fast_eval, &other.fast_eval),
            ("imagenet eval, antialias", &self.smooth_eval, &other.smooth_eval),
            ("imagenet crops", &self.crops, &other.crops),
        ];
        for (what, own, other) in pairs {
            let (mut own, mut other) = (own.iterator()?, other.iterator()?);
            let mut num_photos = 0;
            loop {
                let (batch, same) = (own.next().transpose()?, other.next().transpose()?);
                let bits = |batch: &Structure<Tensor>| -> (Vec<u32>, Vec<i64>) {
                    let leaves = batch.leaves();
                    let pixels = leaves[0].as_slice::<f32>().iter().map(|value| value.to_bits());
                    (pixels.collect(), leaves[1].as_slice::<i64>().to_vec())
                };
                let (batch, same) = (batch.as_ref().map(bits), same.as_ref().map(bits));
                assert!(batch == same, "{what}: the batch behind {num_photos} photos is another one");
                let Some((_, labels)) = batch else { break };
                num_photos += labels.len();
            }
            println!("{}", json!({ "peer": "feedline", "group": what, "equal_photos": num_photos }));
        }
        Ok(())
    }
}

/// Runs the pipelines over `file`; with a folder for results, writes the first batch of those that can be compared there. Before any time is
/// taken, all batches are held against those of `same`, a file with the same photos, where there is one.
pub(crate) fn run(file: &Path, results: Option<&Path>, same: Option<&Path>, options: &Options) -> Result<()> {
    let engine = feedline::Options::new().threads(options.num_threads);
    let pipelines = Pipelines::of(file, &engine)?;
    if let Some(same) = same {
        pipelines.must_equal(&Pipelines::of(same, &engine)?)?;
    }
    let Pipelines { records, train, fast_train, smooth_train, eval, fast_eval, smooth_eval, crops } =
        pipelines;
    if let Some(folder) = results {
        let batches = [
            ("train", &train),
            ("train-antialias", &smooth_train),
            ("eval", &eval),
            ("eval-antialias", &smooth_eval),
            ("crops", &crops),
        ];
        for (name, dataset) in batches {
            let bytes: Vec<u8> = first_batch(dataset)?.iter().flat_map(|value| value.to_le_bytes()).collect();
            write(&folder.join(format!("{name}.f32")), &bytes)?;
        }
        let places = records.map(|record| drawn_places(&parsed(record))).batch(BATCH).check()?;
        let windows: Vec<String> =
            first_batch(&places)?.chunks_exact(SIDE * SIDE * 2).map(window_shown).collect();
        write(&folder.join("train-windows.json"), format!("[{}]\n", windows.join(",\n ")).as_bytes())?;
    }
    let photos = photos(file)?;
    let (count, bytes) = (photos.len() as u64, photos.iter().map(|(bytes, _)| bytes.len() as u64).sum());
    let labels = count * (count - 1) / 2;
    let plain = engine.without_rule("crop_and_scale_in_decode")?;
    let ways = [
        ("imagenet train", train.clone()),
        ("imagenet train, without crop_and_scale_in_decode", train.with_options(plain.clone())),
        ("imagenet train, fast_scale", fast_train),
        ("imagenet train, antialias", smooth_train),
        ("imagenet eval", eval.clone()),
        ("imagenet eval, without crop_and_scale_in_decode", eval.with_options(plain)),
        ("imagenet eval, fast_scale", fast_eval),
        ("imagenet eval, antialias", smooth_eval),
        ("imagenet crops", crops),
    ];
    let runs: Vec<_> = ways.iter().map(|(_, dataset)| || sum_of_labels(dataset)).collect();
    let ways: Vec<(&str, &dyn Fn() -> Pass)> =
        ways.iter().zip(&runs).map(|((what, _), run)| (*what, run as &dyn Fn() -> Pass)).collect();
    measure_in_turns(&ways, options, count, bytes, labels);
    let read = records
        .map(|record| (parsed(record.clone()).get("label"), parsed(record).get("label")))
        .batch(BATCH)
        .check()?;
    measure("imagenet read and parse", options, count, bytes, labels, || sum_of_labels(&read));
    measure_stages(&photos, options, count, bytes);
    Ok(())
}

fn parsed(record: Symbolic) -> Symbolic {
    ops::parse_single_example(
        record,
        [
            ("image", Feature::fixed_len(&[], DType::String)),
            ("label", Feature::fixed_len(&[], DType::Int64)),
            ("window", Feature::fixed_len(&[4], DType::Int64)),
        ],
    )
}

fn train(example: &Symbolic, is_fast: bool) -> Symbolic {
    trained(example, false, is_fast)
}

fn trained(example: &Symbolic, antialias: bool, is_fast: bool) -> Symbolic {
    let image = ops::image::decode_jpeg(example.get("image"), 3, 1, "");
    let image = drawn(image, antialias, is_fast);
    (ops::image::normalize(image, MEAN, STD), example.get("label")).into()
}

fn drawn(image: Symbolic, antialias: bool, is_fast: bool) -> Symbolic {
    let side = SIDE as i64;
    let (scale, ratio) = ([0.08, 1.0], [0.75, 4.0 / 3.0]);
    let image =
        ops::image::random_resized_crop(image, [side, side], scale, ratio, "bilinear", antialias, is_fast, 1);
    ops::image::random_flip_left_right(image, 2)
}

/// What training makes of an image as large as the photo whose pixels are their own rows and columns. What is drawn goes by the seeds, the
/// places of the random operations in the plan and the record, so it is what is drawn for the photo; and the result says what it was.
fn drawn_places(example: &Symbolic) -> Symbolic {
    let shape = ops::image::extract_jpeg_shape(example.get("image"), DType::Int32);
    let counted = |axis: i64| ops::cast(ops::range(0, shape.index(axis), 1), DType::Float32);
    let (rows, columns) = (ops::expand_dims(counted(0), 1), ops::expand_dims(counted(1), 0));
    let (rows, columns) = (&rows + &columns * 0.0, &rows * 0.0 + &columns);
    (drawn(ops::stack([rows, columns], 2), false, false), example.get("label")).into()
}

/// The window that these rows and columns were scaled of, as JSON: its row, column, height and width, and 1 if it was mirrored.
fn window_shown(places: &[f32]) -> String {
    // A quarter and three quarters of the way, where no edge is near: half the window lies between them.
    let (near, far) = (SIDE / 4, SIDE / 4 * 3);
    let side = |axis: usize| {
        let at = |index: usize| f64::from(places[(index * SIDE + index) * 2 + axis]);
        let (first, second) = (at(near).min(at(far)), at(near).max(at(far)));
        let len = ((second - first) * 2.0).round();
        // Pixel centres are scaled, and which of the two is the first is not known before.
        let index = if at(near) <= at(far) { near } else { SIDE - 1 - far };
        let start = first - ((index as f64 + 0.5) * len / SIDE as f64 - 0.5);
        assert!((start - start.round()).abs() < 0.01, "a window begins at a pixel, not at {start}");
        (start.round(), len, at(near) > at(far))
    };
    let ((y, height, _), (x, width, is_mirrored)) = (side(0), side(1));
    format!("[{y}, {x}, {height}, {width}, {}]", u8::from(is_mirrored))
}

fn first_batch(dataset: &Dataset) -> Result<Vec<f32>> {
    let batch = dataset.iterator()?.next().expect("a batch")?;
    Ok(batch.leaves()[0].as_slice::<f32>().to_vec())
}

fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    fs::write(path, bytes).map_err(|error| failed(path, &error))
}

fn eval(example: &Symbolic, is_fast: bool) -> Symbolic {
    evaluated(example, false, is_fast)
}

fn evaluated(example: &Symbolic, antialias: bool, is_fast: bool) -> Symbolic {
    let image = ops::image::decode_jpeg(example.get("image"), 3, 1, "");
    let image = ops::image::resize(image, Attribute::Int(256), "bilinear", false, antialias, is_fast);
    let image = ops::image::resize_with_crop_or_pad(image, SIDE as i64, SIDE as i64);
    (ops::image::normalize(image, MEAN, STD), example.get("label")).into()
}

fn crop(example: &Symbolic) -> Symbolic {
    let image = ops::image::decode_and_crop_jpeg(example.get("image"), example.get("window"), 3, 1, "");
    let image = ops::image::resize(image, [SIDE as i64, SIDE as i64], "bilinear", false, false, false);
    (ops::image::normalize(image, MEAN, STD), example.get("label")).into()
}

fn sum_of_labels(dataset: &Dataset) -> Pass {
    let labels = |batch: Structure<Tensor>| batch.leaves()[1].as_slice::<i64>().iter().sum::<i64>() as u64;
    Pass::over(dataset.iterator().expect("checked when it was made"), labels)
}

/// The photos of the file, each with the window it carries.
fn photos(file: &Path) -> Result<Vec<(Vec<u8>, Region)>> {
    let mut photos = Vec::new();
    let dataset = Dataset::tf_record(&[file.to_path_buf()])?.map(|record| {
        let example = parsed(record);
        (example.get("image"), example.get("window"))
    });
    for element in dataset.check()?.iterator()? {
        let element = element?;
        let leaves = element.leaves();
        let bytes = leaves[0].strings().expect("a string").get(0).to_vec();
        let [y, x, height, width] = leaves[1].as_slice::<i64>()[..] else {
            unreachable!("a window has four numbers")
        };
        let [x, y, width, height] = [x, y, width, height].map(|number| number as u32);
        photos.push((bytes, Region { x, y, width, height }));
    }
    Ok(photos)
}

/// The stages of the work, each on all threads over photos in memory, with all before it: what a stage costs is its difference to the one
/// before.
fn measure_stages(photos: &[(Vec<u8>, Region)], options: &Options, count: u64, bytes: u64) {
    #[derive(Default)]
    struct Tools {
        decoder: JpegDecoder,
        staged: StagedDecoder,
        resampler: Resampler,
        part: Vec<u8>,
        batch: Vec<f32>,
    }
    let finish = Finish::new(&MEAN, &STD);
    let whole = |tools: &mut Tools, index: usize| {
        let (bytes, _) = &photos[index];
        let info = tools.decoder.info(bytes).expect("a JPEG");
        let region = Region::whole(&info);
        tools.part.resize(region.width as usize * region.height as usize * 3, 0);
        let decoded =
            tools.decoder.decode_region_into(bytes, &info, region, JpegChannels::Rgb, &mut tools.part);
        decoded.expect("no damage");
    };
    // Photos that are no baseline JPEGs, a few in a thousand, are decoded by the library, all of them in the first stage.
    let decode = |tools: &mut Tools, index: usize, stage: DecodeStage| {
        let (bytes, region) = &photos[index];
        tools.part.resize(region.width as usize * region.height as usize * 3, 0);
        if !tools.staged.decode_up_to(stage, bytes, *region, &mut tools.part) {
            let info = tools.decoder.info(bytes).expect("a JPEG");
            let decoded =
                tools.decoder.decode_region_into(bytes, &info, *region, JpegChannels::Rgb, &mut tools.part);
            decoded.expect("no damage");
        }
    };
    let scale = |tools: &mut Tools, index: usize, finish: Option<&Finish>| {
        decode(tools, index, DecodeStage::Colour);
        let region = photos[index].1;
        let Tools { resampler, part, batch, .. } = tools;
        let source = Raster::new(&part[..], region.height as usize, region.width as usize, 3);
        let target = Target { finish, ..Target::new(SIDE, SIDE, Filter::Bilinear) };
        if batch.len() >= BATCH * SIDE * SIDE * 3 {
            batch.clear();
        }
        resampler.run(&source, &target, |row| {
            if finish.is_some() {
                batch.extend_from_slice(row);
            }
        });
    };
    let each = |work: &(dyn Fn(&mut Tools, usize) + Sync)| -> Pass {
        on_threads(options, photos.len(), Tools::default, |tools, index| {
            work(tools, index);
            1
        })
        .into()
    };
    let ways: [(&str, &dyn Fn() -> Pass); 6] = [
        ("whole images decoded", &|| each(&whole)),
        ("stage: entropy", &|| each(&|tools, index| decode(tools, index, DecodeStage::Entropy))),
        ("stage: transform", &|| each(&|tools, index| decode(tools, index, DecodeStage::Transform))),
        ("stage: colour", &|| each(&|tools, index| decode(tools, index, DecodeStage::Colour))),
        ("stage: resize", &|| each(&|tools, index| scale(tools, index, None))),
        ("stage: normalize and store", &|| each(&|tools, index| scale(tools, index, Some(&finish)))),
    ];
    measure_in_turns(&ways, options, count, bytes, count);
}
