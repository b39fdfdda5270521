//! Datasets saved to folders and loaded again: every kind of element, shards, saves that were stopped, and everything that is refused.
#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

mod engine_support;

use std::cell::Cell;
use std::fs;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex};

use engine_support::{check, show};
use feedline::data::block::{Strings, Tensor};
use feedline::data::{Composite, DType, ElementSpec, Shape, Structure, TensorSpec};
use feedline::formats::Compression;
use feedline::formats::example::ExampleWriter;
use feedline::records::RecordWriter;
use feedline::{Dataset, KeyOrder, Options, SavedDataset, Saving, ops};

fn items(dataset: &Dataset) -> Vec<Structure<Tensor>> {
    dataset.iterator().unwrap().map(|item| item.unwrap()).collect()
}

fn numbers(dataset: &Dataset) -> Vec<i64> {
    items(dataset).iter().map(|element| element.leaves()[0].as_slice()[0]).collect()
}

fn text(strings: &[&str]) -> Tensor {
    Tensor::from_strings(vec![strings.len()], strings.iter().collect())
}

/// Tensors whose shapes differ, `None` being the number of the element.
fn varying(dtype: DType, dims: &[Option<usize>], spec: Shape) -> Dataset {
    let dims = dims.to_vec();
    Dataset::from_iter("varying", ElementSpec::Leaf(TensorSpec::new(dtype, spec)), move || {
        let dims = dims.clone();
        (0..5_usize).map(move |n| {
            let shape: Vec<usize> = dims.iter().map(|dim| dim.unwrap_or(n)).collect();
            let count = shape.iter().product();
            Ok(Structure::Leaf(match dtype {
                DType::String => {
                    let strings: Strings = (0..count).map(|at| format!("{n}.{at}").into_bytes()).collect();
                    Tensor::from_strings(shape, strings)
                }
                DType::Bool => {
                    Tensor::from_bools(shape, &(0..count).map(|at| at % 2 == n % 2).collect::<Vec<_>>())
                }
                _ => Tensor::from_vec(shape, (0..count).map(|at| at as f32 + 0.5).collect()),
            }))
        })
    })
}

fn every_kind() -> Vec<(&'static str, Dataset)> {
    let types = DType::ALL.iter().copied().filter(|dtype| *dtype != DType::String);
    let scalars = Dataset::range(3).map(|x| {
        feedline::Symbolic::dict(types.clone().map(|dtype| (dtype.name(), ops::cast(x.clone(), dtype))))
    });
    let nested = Structure::Tuple(vec![
        Structure::dict([
            ("b", Structure::Leaf(Tensor::from_vec(vec![2, 2], vec![1_i32, 2, 3, 4]))),
            ("a", Structure::Leaf(text(&["x", "yz"]))),
        ]),
        Structure::Tuple(vec![Structure::Leaf(Tensor::from_vec(vec![2], vec![1.5_f64, 2.5]))]),
    ]);
    let splits = |ends: &[i64]| Tensor::from_vec(vec![ends.len()], ends.to_vec());
    let ragged = Structure::Composite(
        Composite::Ragged,
        vec![text(&["a", "b", "c"]), splits(&[0, 2, 2, 3]), splits(&[0, 2, 2, 3])],
    );
    let rows = Structure::Composite(Composite::Ragged, vec![text(&["a", "b", "c"]), splits(&[0, 2, 2, 3])]);
    let sparse = Structure::Composite(
        Composite::Sparse,
        vec![
            Tensor::from_vec(vec![2, 2], vec![0_i64, 1, 2, 0]),
            Tensor::from_vec(vec![2], vec![5_i32, 6]),
            Tensor::from_vec(vec![2], vec![3_i64, 4]),
        ],
    );
    let [any, two] = [None, Some(2)];
    let of = |dims: &[Option<usize>]| Shape::new(dims.to_vec());
    let mut kinds = vec![
        ("scalars of every type", scalars),
        ("nested", Dataset::from_tensor_slices(nested)),
        ("nothing", Dataset::range(0)),
        (
            "more than ten tensors",
            Dataset::range(4).map(|x| feedline::Symbolic::tuple((0..12).map(|n| x.clone() + n))),
        ),
        ("no tensors", Dataset::range(2).map(|_| feedline::Symbolic::tuple([]))),
        ("ragged", Dataset::from_tensor_slices(ragged.clone())),
        ("ragged, whole", Dataset::from_tensors(ragged)),
        ("rows of ragged", Dataset::from_tensor_slices(rows)),
        ("sparse", Dataset::from_tensor_slices(sparse)),
    ];
    for dtype in [DType::Float32, DType::Bool, DType::String] {
        kinds.push(("one unknown size", varying(dtype, &[any, two], of(&[any, two]))));
        kinds.push(("several unknown sizes", varying(dtype, &[any, any, two], of(&[any, any, two]))));
        kinds.push(("unknown shape", varying(dtype, &[any, two], Shape::UNKNOWN)));
        kinds.push(("rows of nothing", varying(dtype, &[any, Some(0)], of(&[any, Some(0)]))));
    }
    kinds
}

#[test]
fn what_is_saved_is_loaded() {
    for (name, dataset) in every_kind() {
        let before = items(&dataset);
        for (shards, compression, chunk_bytes) in
            [(1, None, 1 << 20), (3, Some(Compression::Gzip), 1 << 20), (2, Some(Compression::Zlib), 1)]
        {
            let folder = tempfile::tempdir().unwrap();
            let saving = Saving::new().shards(shards).compression(compression).chunk_bytes(chunk_bytes);
            dataset.save_with(folder.path(), saving).unwrap();
            let loaded = Dataset::load(folder.path()).unwrap();
            let what = format!("{name}, {shards} shards");
            assert_eq!(items(&loaded), before, "{what}");
            let saved = SavedDataset::open(folder.path()).unwrap();
            assert_eq!(saved.num_elements(), before.len() as u64, "{what}");
            let spec = dataset.element_spec().unwrap();
            // The text has the shape of a ragged tensor, which does not tell how many values there are.
            if name != "ragged, whole" {
                assert_eq!((loaded.element_spec().unwrap(), &saved.element_spec()), (spec, spec), "{what}");
            }
            // By shards it is the same elements, also where Rust code gives them their shapes.
            let by_shard =
                Dataset::load_by(folder.path(), |all, elements_of| all.flat_map(elements_of)).unwrap();
            assert_eq!(items(&by_shard).len(), before.len(), "{what}");
        }
    }
}

#[test]
fn a_loaded_dataset_is_one_as_any() {
    let folder = tempfile::tempdir().unwrap();
    let pairs = Dataset::range(7).map(|x| feedline::Symbolic::dict([("x", x.clone()), ("y", x * 10)]));
    pairs.save_with(folder.path(), Saving::new().shards(2).chunk_bytes(40)).unwrap();
    let loaded = Dataset::load(folder.path()).unwrap();
    assert_eq!(
        check(&loaded.map(|element| element.get("y")).batch(3)),
        ["[0, 10, 20]", "[30, 40, 50]", "[60]"]
    );
    let free = varying(DType::Float32, &[None, None], Shape::UNKNOWN);
    let folder = tempfile::tempdir().unwrap();
    free.save(folder.path()).unwrap();
    assert_eq!(check(&Dataset::load(folder.path()).unwrap()), check(&free));
}

#[test]
fn shards_are_those_that_a_function_gives() {
    let folder = tempfile::tempdir().unwrap();
    let by = |x: feedline::Symbolic| ops::cast(ops::floormod(x, 2) * -2 + 5, DType::Int32);
    Dataset::range(7).save_with(folder.path(), Saving::new().shard_func(by).chunk_bytes(50)).unwrap();
    assert_eq!(numbers(&Dataset::load(folder.path()).unwrap()), [1, 0, 3, 2, 5, 4, 6]);
    let one_by_one = Dataset::load_by(folder.path(), |shards, elements_of| shards.flat_map(elements_of));
    assert_eq!(numbers(&one_by_one.unwrap()), [1, 3, 5, 0, 2, 4, 6]);
    let second = Dataset::load_by(folder.path(), |shards, elements_of| {
        shards.skip(1).interleave(|shard| elements_of(shard).take(2))
    });
    assert_eq!(numbers(&second.unwrap()), [0, 2]);
    // Numbers below 0 are shards too, and so is none.
    let folder = tempfile::tempdir().unwrap();
    Dataset::range(4).save_with(folder.path(), Saving::new().shard_func(|x| -x)).unwrap();
    assert_eq!(numbers(&Dataset::load(folder.path()).unwrap()), [3, 2, 1, 0]);
    let folder = tempfile::tempdir().unwrap();
    Dataset::range(0).save_with(folder.path(), Saving::new().shard_func(|x| x)).unwrap();
    assert_eq!(numbers(&Dataset::load(folder.path()).unwrap()), [0_i64; 0]);
}

/// A shuffled dataset whose element number `fails_at` fails, counted as they come; it notes which it computed.
fn failing(fails_at: &Arc<AtomicI64>, computed: &Arc<Mutex<Vec<i64>>>) -> Dataset {
    let (fails_at, computed) = (Arc::clone(fails_at), Arc::clone(computed));
    let spec = ElementSpec::Leaf(TensorSpec::scalar(DType::Int64));
    // One by one: what runs ahead would be computed, and not be saved.
    Dataset::range(100)
        .shuffle(20)
        .map_native("triple", spec, move |element| {
            if fails_at.fetch_sub(1, Ordering::Relaxed) == 0 {
                return Err("enough".into());
            }
            let number: i64 = element.leaves()[0].as_slice()[0];
            computed.lock().unwrap().push(number * 3);
            Ok(Structure::Leaf(Tensor::scalar(number * 3)))
        })
        .with_options(Options::new().threads(0).block_size(1))
}

#[test]
fn a_save_that_was_stopped_goes_on() {
    for shards in [1, 3] {
        let folder = tempfile::tempdir().unwrap();
        let (fails_at, computed) = (Arc::default(), Arc::default());
        let dataset = failing(&fails_at, &computed);
        let save = |number: i64| {
            fails_at.store(number, Ordering::Relaxed);
            computed.lock().unwrap().clear();
            dataset.save_with(folder.path(), Saving::new().shards(shards).chunk_bytes(100))
        };
        let mut kept: Vec<i64> = Vec::new();
        for _ in 0..2 {
            save(40).unwrap_err();
            let error = Dataset::load(folder.path()).unwrap_err().to_string();
            assert!(
                error.contains("not saved to the end: ") && error.contains("\nhint: call save again"),
                "{error}"
            );
            // Nothing that was kept is computed again, and the order is that of the first run, though nobody gave a seed.
            assert!(!computed.lock().unwrap().iter().any(|number| kept.contains(number)));
            kept.extend(computed.lock().unwrap().iter().take(committed(folder.path()) - kept.len()));
        }
        assert!(kept.len() > 40, "{kept:?}");
        let left =
            ["elements-00000-000999.tfrecord", ".save.json.99-0.tmp"].map(|name| folder.path().join(name));
        left.iter().for_each(|path| fs::write(path, "half").unwrap());
        save(1000).unwrap();
        let loaded = numbers(&Dataset::load(folder.path()).unwrap());
        assert_eq!(loaded[..kept.len()], kept);
        let mut sorted = loaded;
        sorted.sort_unstable();
        assert_eq!(sorted, (0..100).map(|x| x * 3).collect::<Vec<_>>());
        assert!(!left.iter().any(|path| path.exists()) && !folder.path().join("save.json").exists());
    }
}

/// How many elements a save that was stopped has kept.
fn committed(folder: &Path) -> usize {
    let text = fs::read_to_string(folder.join("save.json")).unwrap();
    let count = text.split("\"elements\":").nth(1).unwrap().split(',').next().unwrap();
    count.parse().unwrap()
}

#[test]
fn progress_is_told_and_stops() {
    let folder = tempfile::tempdir().unwrap();
    let told = Cell::new(0);
    let stopped =
        Dataset::range(1000).save_with(folder.path(), Saving::new().progress(|_| ControlFlow::Break(())));
    assert!(stopped.unwrap_err().to_string().contains("told to stop\nhint: call save again"));
    let note = |count| {
        assert!(count >= told.replace(count));
        ControlFlow::Continue(())
    };
    Dataset::range(1000).save_with(folder.path(), Saving::new().progress(note)).unwrap();
    assert_eq!(told.get(), 1000);
    assert_eq!(numbers(&Dataset::load(folder.path()).unwrap()).len(), 1000);
}

#[test]
fn keys_have_the_order_they_were_given_in() {
    let folder = tempfile::tempdir().unwrap();
    let pair = Dataset::range(2).map(|x| feedline::Symbolic::dict([("a", x.clone()), ("b", x + 7)]));
    let order = KeyOrder::Dict(vec![("b".into(), KeyOrder::Leaf), ("a".into(), KeyOrder::Leaf)]);
    pair.save_with(folder.path(), Saving::new().key_order(order.clone())).unwrap();
    assert_eq!(SavedDataset::open(folder.path()).unwrap().key_order(), order);
    // Tensors are numbered by it.
    let text = fs::read_to_string(folder.path().join("dataset.json")).unwrap();
    assert!(text.find("\"b\"").unwrap() < text.find("\"a\"").unwrap(), "{text}");
    assert_eq!(items(&Dataset::load(folder.path()).unwrap()), items(&pair));
    // One that does not fit is none.
    let folder = tempfile::tempdir().unwrap();
    pair.save_with(folder.path(), Saving::new().key_order(KeyOrder::Tuple(vec![order]))).unwrap();
    assert_eq!(items(&Dataset::load(folder.path()).unwrap()), items(&pair));
}

#[test]
fn datasets_of_the_first_format_are_read() {
    let folder = tempfile::tempdir().unwrap();
    for shard in 0..2_i64 {
        let path = folder.path().join(format!("elements-{shard:05}-of-00002.tfrecord"));
        let mut writer = RecordWriter::create(path, None).unwrap();
        for number in (shard..5).step_by(2) {
            writer.write(&ExampleWriter::new().bytes("0", &[&number.to_le_bytes()]).to_bytes()).unwrap();
        }
        writer.finish().unwrap();
    }
    let text = r#"{"feedline_dataset": 1, "elements": 5, "files": ["elements-00000-of-00002.tfrecord",
        "elements-00001-of-00002.tfrecord"], "element_spec": {"dtype": "int64", "shape": []}}"#;
    fs::write(folder.path().join("dataset.json"), text).unwrap();
    assert_eq!(numbers(&Dataset::load(folder.path()).unwrap()), [0, 1, 2, 3, 4]);
}

#[test]
fn what_cannot_be_saved_is_refused_before_anything_is_written() {
    let numbers = Dataset::range(3);
    let text = numbers.map(|x| ops::cast(x, DType::Float32));
    let cases = [
        (numbers.repeat(None), Saving::new(), "the dataset is infinite\nhint: take(n)"),
        (numbers.window(2), Saving::new(), "which is no tensor\nhint: flat_map"),
        (numbers.clone(), Saving::new().shards(0), "shards must be greater than zero\nhint: 1"),
        (
            numbers.clone(),
            Saving::new().shard_func(|x| ops::stack([x.clone(), x], 0)),
            "shard_func gives one integer, not int64[2]",
        ),
        (text, Saving::new().shard_func(|x| x), "shard_func gives one integer, not float32[]"),
        (numbers.clone(), Saving::new().numbered(), "shard_func gives one integer"),
        (numbers.batch(0), Saving::new(), "batch"),
    ];
    let folder = tempfile::tempdir().unwrap();
    for (dataset, saving, words) in cases {
        let error = dataset.save_with(folder.path().join("saved"), saving).unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn folders_that_hold_something_else_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    Dataset::range(3).save(path("whole")).unwrap();
    let stopped = Dataset::range(9).map(|x| ops::floordiv(6, x - 5));
    stopped.save_with(path("part"), Saving::new().shards(2).chunk_bytes(1)).unwrap_err();
    fs::create_dir(path("odd")).unwrap();
    fs::write(path("odd/save.json"), "{").unwrap();
    fs::create_dir(path("later")).unwrap();
    fs::write(path("later/save.json"), r#"{"feedline_save": 7}"#).unwrap();
    fs::write(path("file"), "x").unwrap();
    let _lock = {
        fs::create_dir(path("locked")).unwrap();
        let file = fs::File::create(path("locked/save.lock")).unwrap();
        file.lock().unwrap();
        file
    };
    let cases = [
        ("whole", Saving::new(), "whole: could not save: it has a dataset already\nhint: remove the folder"),
        ("part", Saving::new().shards(2), "holds part of a save of another dataset\nhint: remove the folder"),
        ("part", Saving::new().shards(3), "with shards=2, not 3\nhint: "),
        (
            "part",
            Saving::new().shards(2).compression(Compression::Gzip),
            "with compression=\"\", not \"GZIP\"\nhint: ",
        ),
        ("odd", Saving::new(), "save.json is damaged: "),
        ("later", Saving::new(), "of version 7, not 1\nhint: "),
        ("file", Saving::new(), "file: could not make the folder: "),
        ("locked", Saving::new(), "another process saves to it\nhint: wait for it"),
    ];
    for (name, saving, words) in cases {
        let error = Dataset::range(3).save_with(path(name), saving).unwrap_err().to_string();
        assert!(error.contains(words) && error.contains("\nhint: "), "{name}: {error}");
    }
}

#[test]
fn what_cannot_be_loaded_says_why() {
    let folder = tempfile::tempdir().unwrap();
    let scalar = r#"{"dtype": "int64", "shape": []}"#;
    let of = |spec: &str| {
        format!(r#"{{"feedline_dataset": 2, "elements": 1, "shards": [], "element_spec": {spec}}}"#)
    };
    let cases = [
        ("{}".to_owned(), "is damaged: missing field `feedline_dataset`"),
        ("{".to_owned(), "is damaged: "),
        ("\u{0}".to_owned(), "is damaged: "),
        (of(scalar).replace('2', "3"), "is of format 3; this feedline reads 1 and 2"),
        (of(scalar).replace("shards", "files"), "is damaged: it names no files"),
        (of(scalar).replace('2', "1"), "is damaged: it names no files"),
        (of(r#"{"dtype": "int65", "shape": []}"#), "is damaged: unknown variant `int65`"),
        (of(r#"{"dtype": "int64"}"#), "is damaged: missing field `shape`"),
        (of(r#"{"dtype": "int64", "shape": [-1]}"#), "is damaged: "),
        (of(r#"{"dtype": "int64", "shape": [null], "ragged_rank": 1}"#), "has no 1 ragged dimensions"),
        (of(r#"{"dtype": "int64", "shape": null, "ragged_rank": 0}"#), "has no 0 ragged dimensions"),
        (of(&format!(r#"{{"tuple": [{scalar}], "dict": {{}}}}"#)), "is damaged: "),
        (of(&format!(r#"{{"dict": {{"a": {scalar}, "a": {scalar}}}}}"#)), "the key \"a\" is there twice"),
    ];
    for (text, words) in cases {
        fs::write(folder.path().join("dataset.json"), &text).unwrap();
        let error = Dataset::load(folder.path()).unwrap_err().to_string();
        assert!(error.contains(words) && error.contains("\nhint: "), "{text}: {error}");
    }
    fs::write(folder.path().join("dataset.json"), [0xff]).unwrap();
    assert!(Dataset::load(folder.path()).unwrap_err().to_string().contains("is no text"));
    let error = Dataset::load(folder.path().join("nowhere")).unwrap_err().to_string();
    assert!(
        error.contains("nowhere: could not load: it has no dataset.json: no dataset was saved there\nhint: "),
        "{error}"
    );
}

#[test]
fn damaged_elements_are_errors_in_their_places() {
    let folder = tempfile::tempdir().unwrap();
    let shape = Shape::new(vec![None, None]);
    // As many as are written in their place: how many there are is checked, too.
    let elements = varying(DType::Float32, &[None, None], shape);
    elements.concatenate(&elements.take(1)).save(folder.path()).unwrap();
    let mut writer =
        RecordWriter::create(folder.path().join("elements-00000-000000.tfrecord"), None).unwrap();
    let good = [0_u8; 16];
    for dims in [&[2_i64, 2][..], &[-1, -4], &[i64::MAX, 4], &[4], &[2, 3]] {
        writer.write(&ExampleWriter::new().bytes("0", &[&good]).int64("0.shape", dims).to_bytes()).unwrap();
    }
    writer.write(&ExampleWriter::new().int64("0.shape", &[2, 2]).to_bytes()).unwrap();
    writer.finish().unwrap();
    let shown: Vec<String> =
        Dataset::load(folder.path()).unwrap().iterator().unwrap().map(|item| show(&item)).collect();
    assert_eq!(shown[0], "[2, 2][0.0, 0.0, 0.0, 0.0]");
    let words = [
        "its shape is [-1, -4]",
        "its shape is [9223372036854775807, 4]",
        "its shape is [4]",
        "has 16 bytes",
        "feature `0` missing",
    ];
    assert_eq!(shown.len(), 6);
    for (shown, words) in shown[1..].iter().zip(words) {
        assert!(shown.starts_with("error: ") && shown.contains(words), "{shown}");
    }
}

#[test]
fn a_dataset_that_is_not_there_yet_is_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("saved");
    // The thread that waits saves it itself, as soon as it is asked whether to go on.
    let dataset = Dataset::load_when_saved(&path, || {
        Dataset::range(3).save(&path).unwrap();
        false
    });
    assert_eq!(numbers(&dataset.unwrap()), [0, 1, 2]);
    assert!(Dataset::load_when_saved(folder.path().join("never"), || true).is_err());
}
