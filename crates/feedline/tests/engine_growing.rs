//! Elements that suddenly grow: what came before them says nothing about their size, and the budget holds all the same.
#![allow(clippy::unwrap_used, reason = "tests")]

mod engine_support;

use std::alloc::{GlobalAlloc, Layout, System};
use std::fs;
use std::sync::Mutex;
use std::sync::atomic::{AtomicI64, Ordering};

use engine_support::show;
use feedline::data::block::Tensor;
use feedline::data::{DType, ElementSpec, Shape, Structure, TensorSpec};
use feedline::formats::Compression;
use feedline::records::RecordWriter;
use feedline::{Csv, Dataset, Options, Symbolic, ops};
use tempfile::TempDir;

/// Bytes allocated and not freed, and the most there were. Relaxed: counts.
static LIVE_BYTES: AtomicI64 = AtomicI64::new(0);
static PEAK_BYTES: AtomicI64 = AtomicI64::new(0);

/// The system's allocator, counted.
struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn count(bytes: i64) {
    let live = LIVE_BYTES.fetch_add(bytes, Ordering::Relaxed) + bytes;
    PEAK_BYTES.fetch_max(live, Ordering::Relaxed);
}

// SAFETY: all calls go on to the system's allocator as they are.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as i64);
        // SAFETY: the caller's promise is the one asked for.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        count(-(layout.size() as i64));
        // SAFETY: as above.
        unsafe { System.dealloc(place, layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as i64);
        // SAFETY: as above.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, place: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        count(new_size as i64 - layout.size() as i64);
        // SAFETY: as above.
        unsafe { System.realloc(place, layout, new_size) }
    }
}

/// Tests that measure memory, one at a time: also where they are threads of one process.
static ALONE: Mutex<()> = Mutex::new(());

const BUDGET_BYTES: u64 = 2 << 20;
const LARGE_BYTES: usize = 200_000;
/// What may be held beyond the budget: the element in the consumer's hands, one that each of four threads is making, a step's block,
/// and what the engine itself is made of.
const BEYOND_BYTES: i64 = 8 * LARGE_BYTES as i64 + (1 << 20);

/// Goes through `dataset` with each number of threads; every element is dropped before the next is asked for.
fn stays_within_the_budget(name: &str, dataset: &Dataset, num_elements: usize) {
    let _alone = ALONE.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    stays_within_the_budget_alone(name, dataset, num_elements);
}

/// As [`stays_within_the_budget`], for who keeps the others away.
fn stays_within_the_budget_alone(name: &str, dataset: &Dataset, num_elements: usize) {
    for threads in [0, 1, 4] {
        let options = Options::new().threads(threads).memory_budget(BUDGET_BYTES);
        let before = LIVE_BYTES.load(Ordering::Relaxed);
        PEAK_BYTES.store(before, Ordering::Relaxed);
        let mut count = 0;
        let mut elements = dataset.with_options(options).iterator().unwrap();
        for item in elements.by_ref() {
            item.unwrap();
            count += 1;
        }
        assert_eq!(count, num_elements, "{name}, {threads} threads");
        // By the engine's own account: an element that each of four threads cannot do without, and one for each of the two steps behind
        // them that may hold a block without asking (a prefetch, the turn of an interleave), each with one more on its way to the next.
        let charged = elements.metrics().budget_peak_bytes;
        let most = BUDGET_BYTES + 8 * LARGE_BYTES as u64;
        assert!(charged <= most, "{name}, {threads} threads: {charged} bytes charged, of {most}");
        drop(elements);
        let peak = PEAK_BYTES.load(Ordering::Relaxed) - before;
        let allowed = BUDGET_BYTES as i64 + BEYOND_BYTES;
        assert!(peak <= allowed, "{name}, {threads} threads: {peak} bytes at a time, {allowed} allowed");
    }
}

fn is_large(number: usize) -> bool {
    number >= 1000 && number % 100 < 40
}

/// What element `number` is: a few bytes, and some hundred times many.
fn bytes_of(number: usize) -> Vec<u8> {
    vec![number as u8; if is_large(number) { LARGE_BYTES } else { 8 }]
}

const NUM_ELEMENTS: usize = 1200;

fn text_spec() -> ElementSpec {
    ElementSpec::Leaf(TensorSpec::scalar(DType::String))
}

fn from_user_code() -> Dataset {
    Dataset::range(NUM_ELEMENTS as i64).map_native("make", text_spec(), |element| {
        let bytes = bytes_of(element.leaves()[0].as_slice::<i64>()[0] as usize);
        Ok(Tensor::from_strings(vec![], [bytes.as_slice()].into_iter().collect()).into())
    })
}

fn texts<'a>(texts: impl ExactSizeIterator<Item = &'a [u8]>) -> Dataset {
    let count = texts.len();
    Dataset::from_tensor_slices(Tensor::from_strings(vec![count], texts.collect()))
}

fn records(folder: &TempDir) -> Dataset {
    let path = folder.path().join("growing.tfrecord");
    let mut writer = RecordWriter::create(&path, None).unwrap();
    (0..NUM_ELEMENTS).for_each(|number| writer.write(&bytes_of(number)).unwrap());
    writer.finish().unwrap();
    Dataset::tf_record(&[path]).unwrap()
}

fn file_names(folder: &TempDir) -> Dataset {
    let path = |number: usize| {
        let path = folder.path().join(format!("{number:05}"));
        fs::write(&path, bytes_of(number)).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let names: Vec<String> = (0..NUM_ELEMENTS).map(path).collect();
    texts(names.iter().map(String::as_bytes))
}

/// Pictures of one pixel, and of many.
fn pictures() -> Dataset {
    let encoded = |side: usize| {
        let pixels = Tensor::from_vec(vec![side, side, 1], vec![7_u8; side * side]);
        let file = Dataset::from_tensors(pixels).map(|pixels| ops::image::encode_png(pixels, -1));
        let file = file.iterator().unwrap().next().unwrap().unwrap();
        file.leaves()[0].strings().unwrap().get(0).to_vec()
    };
    let (small, large) = (encoded(1), encoded(447));
    texts((0..NUM_ELEMENTS).map(|number| if is_large(number) { &large[..] } else { &small }))
}

fn decoded(file: Symbolic) -> Symbolic {
    ops::image::decode_png(file, 1, DType::UInt8)
}

#[test]
fn results_of_user_code() {
    stays_within_the_budget("user code", &from_user_code(), NUM_ELEMENTS);
}

#[test]
fn files_read_whole() {
    let folder = TempDir::new().unwrap();
    let names = file_names(&folder);
    stays_within_the_budget("read_file", &names.map(|name| ops::read_file(name)), NUM_ELEMENTS);
    let large = |name: Symbolic| {
        ops::size(ops::decode_raw(ops::read_file(name), DType::UInt8, true), DType::Int32).gt(8)
    };
    let num_large = (0..NUM_ELEMENTS).filter(|&number| is_large(number)).count();
    stays_within_the_budget("filter", &names.filter(large), num_large);
}

#[test]
fn numbers_in_records() {
    let folder = TempDir::new().unwrap();
    let decoded = records(&folder).map(|record| ops::decode_raw(record, DType::UInt8, true));
    stays_within_the_budget("decode_raw", &decoded, NUM_ELEMENTS);
    stays_within_the_budget("shuffled", &decoded.shuffle(2).seed(1), NUM_ELEMENTS);
}

#[test]
fn files_read_in_turn() {
    let folder = TempDir::new().unwrap();
    let path = |file: usize| {
        let path = folder.path().join(format!("{file:02}.tfrecord"));
        let mut writer = RecordWriter::create(&path, None).unwrap();
        (0..5000).for_each(|number| writer.write(&[number as u8; 200]).unwrap());
        writer.finish().unwrap();
        path.to_str().unwrap().to_owned()
    };
    let paths: Vec<String> = (0..32).map(path).collect();
    let read = |cycle_length| {
        let files = texts(paths.iter().map(String::as_bytes));
        files.interleave(|path: Symbolic| Dataset::tf_record_file(path)).cycle_length(cycle_length)
    };
    for cycle_length in [16, 32] {
        stays_within_the_budget("interleave", &read(cycle_length), 32 * 5000);
    }
}

#[test]
fn one_element_of_each_of_many_streams() {
    const STREAMS: i64 = 32;
    let in_turn = |name: &str, nested: &dyn Fn(Symbolic) -> Dataset| {
        let dataset = Dataset::range(STREAMS).interleave(nested).cycle_length(STREAMS as usize);
        stays_within_the_budget(name, &dataset, 3 * STREAMS as usize);
    };
    // Of which the spec tells the size, and of which it does not.
    let numbers = |x: Symbolic| {
        ops::tile(
            ops::reshape(x, Shape::fixed(&[1])),
            Tensor::from_vec(vec![1], vec![LARGE_BYTES as i32 / 8]),
        )
    };
    in_turn("sizes known", &|x| Dataset::range(3).map(move |y| numbers(&x + y)));
    in_turn("sizes not known", &|x| {
        Dataset::range(3)
            .map(move |y| ops::decode_raw(ops::serialize_tensor(numbers(&x + y)), DType::UInt8, true))
    });
    in_turn("user code", &|_| {
        Dataset::range(3).map_native("make", text_spec(), |_| {
            Ok(Tensor::from_strings(vec![], [vec![7; LARGE_BYTES].as_slice()].into_iter().collect()).into())
        })
    });
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("large.tfrecord");
    let mut writer = RecordWriter::create(&path, None).unwrap();
    (0..3).for_each(|_| writer.write(&vec![7; LARGE_BYTES]).unwrap());
    writer.finish().unwrap();
    let path = path.to_str().unwrap();
    in_turn("files", &|_| Dataset::tf_record_file(Symbolic::from(path)));
    in_turn("files, read ahead", &|_| Dataset::tf_record_file(Symbolic::from(path)).prefetch(2));
    in_turn("streams in streams", &|_| {
        Dataset::range(1).flat_map(|x| Dataset::range(3).map(move |y| numbers(&x + y)))
    });
}

#[test]
fn many_calls_of_user_code_at_a_time() {
    let dataset = Dataset::range(300)
        .map_native("make", text_spec(), |_| {
            std::thread::sleep(std::time::Duration::from_millis(2));
            Ok(Tensor::from_strings(vec![], [vec![7; LARGE_BYTES].as_slice()].into_iter().collect()).into())
        })
        .num_parallel_calls(64);
    stays_within_the_budget("64 calls", &dataset, 300);
}

#[test]
fn pixels() {
    stays_within_the_budget("decode_png", &pictures().map(decoded), NUM_ELEMENTS);
    let scaled = |file| ops::image::resize(decoded(file), [4, 4], "bilinear", false, false, false);
    stays_within_the_budget("decode_png and resize", &pictures().map(scaled).batch(8), NUM_ELEMENTS / 8);
    let unordered = pictures().map(decoded).deterministic(false);
    stays_within_the_budget("decode_png in any order", &unordered, NUM_ELEMENTS);
}

#[test]
fn what_functions_inside_functions_make() {
    let mean = |image| {
        ops::reduce_mean(ops::cast(image, DType::Float32), feedline::plan::expr::Attribute::None, false)
    };
    // Large on the way, small in the end.
    let chosen = pictures().map(move |file| {
        let other = file.clone();
        ops::cond(
            ops::strings::length(&file, "BYTE").gt(0),
            move || mean(decoded(file)),
            move || mean(decoded(other)),
        )
    });
    stays_within_the_budget("cond", &chosen, NUM_ELEMENTS);
    // Of many pictures in one element none but its own is held.
    let each = pictures().batch(100).map(move |files| ops::map_fn(move |file| mean(decoded(file)), files));
    stays_within_the_budget("map_fn", &each, NUM_ELEMENTS / 100);
    // Large in the end.
    let pixels = pictures().map(|file| {
        let other = file.clone();
        ops::cond(ops::strings::length(&file, "BYTE").gt(80), move || decoded(file), move || decoded(other))
    });
    stays_within_the_budget("results of cond", &pixels, NUM_ELEMENTS);
}

/// An element without most of what makes it large.
fn brief(item: &Result<Structure<Tensor>, feedline::data::block::RowError>) -> String {
    let Ok(element) = item else { return show(item) };
    let leaf = |leaf: &Tensor| match leaf.as_column().byte_size() {
        small @ ..100 => format!("{small}: {}", show(&Ok(Structure::Leaf(leaf.clone())))),
        large => format!("{large}: {:?}", leaf.shape()),
    };
    element.leaves().into_iter().map(leaf).collect::<Vec<_>>().join(", ")
}

/// What comes, of an iterator that was saved and restored after `every` so many elements.
fn shown(dataset: &Dataset, threads: usize, every: usize) -> Vec<String> {
    let options = Options::new().threads(threads).memory_budget(BUDGET_BYTES);
    let dataset = dataset.with_options(options);
    let mut iterator = dataset.iterator_of(0).unwrap();
    let mut items = Vec::new();
    while let Some(item) = iterator.next() {
        items.push(brief(&item));
        if items.len() % every == 0 {
            let state = iterator.state();
            iterator = dataset.resume(&state).unwrap();
        }
    }
    items
}

#[test]
fn rows_that_were_given_back_come_in_their_places() {
    let failing = |file: Symbolic| decoded(ops::where_(ops::equal(&file, "x"), "y", file));
    let ordered = [
        pictures().map(failing).enumerate(0),
        pictures().concatenate(&texts([b"no picture".as_slice(), b"x"].into_iter())).map(decoded).batch(1),
        from_user_code().enumerate(5).skip(3),
        pictures().map(|file| {
            ops::cond(ops::equal(&file, "x"), || decoded(Symbolic::from("")), || decoded(file.clone()))
        }),
    ];
    for dataset in ordered {
        let reference = shown(&dataset, 0, usize::MAX);
        for (threads, every) in [(1, usize::MAX), (4, usize::MAX), (0, 611), (2, 611), (4, 150)] {
            assert!(shown(&dataset, threads, every) == reference, "{threads} threads, every {every}");
        }
    }
    let unordered = pictures().enumerate(0).map(|pair| Symbolic::from((pair.at(0), decoded(pair.at(1)))));
    let sorted = |mut items: Vec<String>| {
        items.sort();
        items
    };
    let reference = sorted(shown(&unordered, 0, usize::MAX));
    for every in [usize::MAX, 150] {
        assert!(sorted(shown(&unordered.deterministic(false), 4, every)) == reference);
    }
}

#[test]
fn an_element_larger_than_the_budget_is_an_error_in_its_place() {
    let folder = TempDir::new().unwrap();
    let write = |name: &str, size: usize| {
        let path = folder.path().join(name);
        fs::write(&path, vec![1; size]).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let names = [write("a", 10), write("b", 1_000_000), write("c", 20), write("d", 300_000)];
    let files = texts(names.iter().map(String::as_bytes)).repeat(20).map(|name| ops::read_file(name));
    let made = Dataset::range(80).map_native("make", text_spec(), |element| {
        let size = [10, 1_000_000, 20, 300_000][element.leaves()[0].as_slice::<i64>()[0] as usize % 4];
        Ok(Tensor::from_strings(vec![], [vec![1; size].as_slice()].into_iter().collect()).into())
    });
    for (dataset, step) in [(files, "read_file"), (made, "make")] {
        for threads in [0, 1, 4] {
            let options = Options::new().threads(threads).memory_budget(500_000);
            let items: Vec<_> = dataset.with_options(options).iterator().unwrap().collect();
            assert_eq!(items.len(), 80);
            for (index, item) in items.iter().enumerate() {
                match item {
                    Ok(_) => assert_ne!(index % 4, 1),
                    Err(error) => {
                        assert_eq!(index % 4, 1);
                        let text = error.to_string();
                        let wanted = format!("{step}: an element has 10000");
                        assert!(text.contains(&wanted) && text.contains("FEEDLINE_MEMORY_BUDGET"), "{text}");
                    }
                }
            }
        }
    }
}

/// Rows of files, of which one could never be held.
fn files_with_a_large_row(folder: &TempDir) -> Vec<(&'static str, Dataset)> {
    let path = |name: &str| folder.path().join(name);
    let records = |name: &str, compression: Option<Compression>| {
        let mut writer = RecordWriter::create(path(name), compression).unwrap();
        [10, 20, 1_000_000, 30].iter().for_each(|&size| writer.write(&vec![b'x'; size]).unwrap());
        writer.finish().unwrap();
        Dataset::tf_record(&[path(name)]).unwrap()
    };
    let text = |name: &str, last: &[usize]| {
        let line = |&size: &usize| vec![b'x'; size];
        let lines: Vec<Vec<u8>> = [10, 20, 1_000_000].iter().chain(last).map(line).collect();
        fs::write(path(name), lines.join(&b'\n')).unwrap();
        path(name)
    };
    let csv = Csv::new([Tensor::from_strings(vec![], [&b""[..]].into_iter().collect())]);
    vec![
        ("record 2 at byte 62 has 1000016 bytes (it is left out)", records("plain.tfrecord", None)),
        (
            "record 2 at byte 62 has 1000016 bytes (it is left out)",
            records("packed.tfrecord.gz", Some(Compression::Gzip)),
        ),
        (
            "line 3 at byte 32 has more than 500000 bytes",
            Dataset::text_line(&[text("lines.txt", &[30])]).unwrap(),
        ),
        (
            "line 3 at byte 32 has more than 500000 bytes",
            Dataset::text_line(&[text("open.txt", &[])]).unwrap(),
        ),
        (
            "record 2 at byte 32 has more than 500000 bytes",
            Dataset::csv(&[text("rows.csv", &[30])], &csv).unwrap(),
        ),
        ("make: an element has 10000", {
            let make = |size: usize| {
                Ok(Tensor::from_strings(vec![], [vec![1; size].as_slice()].into_iter().collect()).into())
            };
            Dataset::from_iter("make", text_spec(), move || [10, 20, 1_000_000].into_iter().map(make))
        }),
    ]
}

#[test]
fn a_row_larger_than_the_budget_is_an_error_in_its_place() {
    let folder = TempDir::new().unwrap();
    for (told, dataset) in files_with_a_large_row(&folder) {
        for (threads, block_bytes) in [(0, None), (1, None), (4, None), (0, Some(64)), (4, Some(64))] {
            let options = Options::new().threads(threads).memory_budget(500_000);
            let options = block_bytes.map_or(options.clone(), |bytes| options.clone().block_size(bytes));
            let items: Vec<_> = dataset.with_options(options).iterator().unwrap().collect();
            let error = items[2].as_ref().expect_err("too large").to_string();
            assert!(items[..2].iter().all(Result::is_ok), "{told}: {threads}");
            // Where its length says where the next begins, those behind it come.
            let num_behind = usize::from(told.contains("1000016 bytes (it is left out)"));
            assert!(
                items.len() == 3 + num_behind && items[3..].iter().all(Result::is_ok),
                "{told}: {threads}"
            );
            assert!(error.contains(told) && error.contains("FEEDLINE_MEMORY_BUDGET"), "{told}: {error}");
        }
    }
    // So much is read at a time with any budget: the message does not call that the budget.
    let lines = Dataset::text_line(&[folder.path().join("lines.txt")]).unwrap();
    let tiny = lines.with_options(Options::new().memory_budget(1000));
    let error = tiny.iterator().unwrap().find_map(Result::err).expect("too large").to_string();
    assert!(error.contains("more than 1024 bytes") && error.contains("rest of the file"), "{error}");
    assert!(error.contains("the memory budget is at most 1024 bytes"), "{error}");
    // Read by an index, it is one error among the others.
    let records = Dataset::tf_record(&[folder.path().join("plain.tfrecord")]).unwrap();
    let options = Options::new().memory_budget(500_000);
    let items: Vec<_> = records.global_shuffle().seed(1).with_options(options).iterator().unwrap().collect();
    let errors: Vec<String> =
        items.iter().filter_map(|item| Some(item.as_ref().err()?.to_string())).collect();
    assert!(items.len() == 4 && errors.len() == 1, "{errors:?}");
    assert!(errors[0].contains("record 2 at byte 62 has 1000016 bytes"), "{errors:?}");
}

#[test]
fn records_behind_those_that_are_too_large_are_read_and_states_are_between_them() {
    const SIZES: [usize; 9] = [10, 600_000, 20, 5000, 700_000, 800_000, 30, 100_000, 900_000];
    let folder = TempDir::new().unwrap();
    let kinds = [("plain.tfrecord", None), ("packed.tfrecord.gz", Some(Compression::Gzip))];
    let files = kinds.map(|(name, compression)| {
        let path = folder.path().join(name);
        let mut writer = RecordWriter::create(&path, compression).unwrap();
        SIZES.iter().for_each(|&size| writer.write(&vec![b'x'; size]).unwrap());
        writer.finish().unwrap();
        path
    });
    // The last record of this one is cut off as well.
    let cut = folder.path().join("cut.tfrecord");
    let whole = fs::read(&files[0]).unwrap();
    fs::write(&cut, &whole[..whole.len() - 100_000]).unwrap();
    let last = folder.path().join("last.tfrecord");
    fs::copy(&files[0], &last).unwrap();
    for path in [&files[0], &files[1], &cut] {
        let dataset = Dataset::tf_record(&[path, &last]).unwrap();
        let dataset = dataset.map(|text| ops::strings::length(text, "BYTE"));
        for (threads, is_optimized) in [(0, false), (0, true), (1, true), (4, true), (4, false)] {
            let options = Options::new().threads(threads).memory_budget(500_000).optimizer(is_optimized);
            let dataset = dataset.with_options(options);
            let mut elements = dataset.iterator_of(0).unwrap();
            let (mut found, mut states) = (Vec::new(), vec![elements.state()]);
            while let Some(item) = elements.next() {
                found.push(brief(&item));
                states.push(elements.state());
            }
            let name = format!("{}, {threads} threads", path.display());
            assert_eq!(found.len(), 2 * SIZES.len(), "{name}: {found:?}");
            for (row, item) in found.iter().enumerate() {
                let size = SIZES[row % SIZES.len()];
                if size > 500_000 {
                    let told = format!("record {} at byte", row % SIZES.len());
                    assert!(item.contains(&told), "{name}: {item}");
                } else {
                    assert!(item.contains(&size.to_string()), "{name}: {item}");
                }
            }
            for (passed, state) in states.iter().enumerate() {
                let rest: Vec<String> = dataset.resume(state).unwrap().map(|item| brief(&item)).collect();
                assert_eq!(rest, found[passed..], "{name}, behind {passed}");
            }
        }
    }
}

/// Inputs that are taken from in turn, or side by side: only the one whose turn it is needs memory.
#[test]
fn one_element_of_each_of_many_inputs() {
    const INPUTS: usize = 40;
    let part = |size: i64| Dataset::range(3).map(move |x| filled(&x, &[size], false));
    let inputs: Vec<Dataset> = (0..INPUTS).map(|_| part(25_000)).collect();
    let choices = Dataset::range(3 * INPUTS as i64).map(|x| x % INPUTS as i64);
    let chosen = Dataset::choose_from_datasets(&inputs, &choices, false);
    stays_within_the_budget("choose_from_datasets", &chosen, 3 * INPUTS);
    let ahead: Vec<Dataset> = inputs.iter().map(|input| input.prefetch(2)).collect();
    let chosen = Dataset::choose_from_datasets(&ahead, &choices, false);
    stays_within_the_budget("choose_from_datasets, read ahead", &chosen, 3 * INPUTS);
    // Seven of 100,000 bytes are one element.
    let side_by_side = |input: Dataset| {
        Dataset::zip(&Structure::Tuple((0..7).map(|_| Structure::Leaf(input.clone())).collect()))
    };
    stays_within_the_budget("zip", &side_by_side(part(12_500)), 3);
    stays_within_the_budget("zip, read ahead", &side_by_side(part(12_500).repeat(10).prefetch(10)), 30);
}

#[test]
fn rows_side_by_side_that_are_more_than_the_budget_are_an_error_in_their_place() {
    let part = || Dataset::range(3).map(|x| filled(&x, &[25_000], false));
    // The second of them is larger: 12 × 200,000 bytes do not fit 2 MiB.
    let small = || Dataset::range(3).map(|x| filled(&x, &[8], false));
    let mixed = || small().take(1).concatenate(&part().take(1)).concatenate(&small().take(1));
    let zipped = Dataset::zip(&Structure::Tuple((0..12).map(|_| Structure::Leaf(mixed())).collect()));
    for threads in [0, 1, 4] {
        let options = Options::new().threads(threads).memory_budget(BUDGET_BYTES);
        let items: Vec<_> = zipped.with_options(options).iterator_of(0).unwrap().collect();
        assert_eq!(items.iter().map(Result::is_ok).collect::<Vec<_>>(), [true, false, true], "{threads}");
        let error = items[1].as_ref().unwrap_err().to_string();
        assert!(error.contains("zip: an element has 2400000 bytes"), "{error}");
    }
}

#[test]
fn what_is_left_of_an_element_taken_apart() {
    // Elements of 200,000 bytes in four rows, of which one in ten is wanted.
    let rows = Dataset::range(200).map(|x| filled(&x, &[4, 6250], true)).unbatch();
    stays_within_the_budget("unbatch", &rows, 800);
    stays_within_the_budget("unbatch, some of them", &rows.shard(10, 3).prefetch(100), 80);
    let _alone = ALONE.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let options = Options::new().threads(0).memory_budget(BUDGET_BYTES).block_size(1);
    let mut elements = rows.take(3).with_options(options).iterator().unwrap();
    elements.next().unwrap().unwrap();
    let charged = elements.metrics().budget_used_bytes;
    assert!(charged >= LARGE_BYTES as u64, "a row waits, in the memory of all four: {charged}");
}

#[test]
fn a_batch_that_is_put_together_counts_twice_for_that_time() {
    let _alone = ALONE.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    // Eight elements of 100,000 bytes, a block each.
    let batches = Dataset::range(16).map(|x| filled(&x, &[12_500], false)).batch(8);
    let options =
        Options::new().threads(0).memory_budget(4 << 20).without_rule("fuse_map_and_batch").unwrap();
    let mut elements = batches.with_options(options).iterator().unwrap();
    elements.next().unwrap().unwrap();
    let peak = elements.metrics().budget_peak_bytes;
    assert!((1_600_000..1_900_000).contains(&peak), "{peak}");
}

#[test]
fn strings_that_are_cut_into_many() {
    #[allow(clippy::type_complexity, reason = "a table of names and functions")]
    let cut: [(&str, fn(Symbolic) -> Symbolic); 4] = [
        ("split", |text| ops::size(ops::strings::split(text, ",", -1), DType::Int32)),
        ("split at spaces", |text| ops::size(ops::strings::split(text, "", -1), DType::Int32)),
        ("unicode_decode", |text| {
            ops::size(ops::strings::unicode_decode(text, "UTF-8", "replace", 65533, false), DType::Int32)
        }),
        ("unicode_split", |text| {
            ops::size(ops::strings::unicode_split(text, "UTF-8", "replace", 65533), DType::Int32)
        }),
    ];
    // 20,000 bytes of which 10,000 parts are made, 16 bytes each.
    let text: Vec<u8> = b", ".repeat(10_000);
    for (name, cut) in cut {
        let source = texts(std::iter::repeat_n(text.as_slice(), 200));
        stays_within_the_budget(name, &source.map(cut), 200);
        let large = text.repeat(100);
        let source = texts(std::iter::repeat_n(large.as_slice(), 3));
        let options = Options::new().threads(2).memory_budget(BUDGET_BYTES);
        for item in source.map(cut).with_options(options).iterator().unwrap() {
            let error = item.unwrap_err().to_string();
            assert!(error.contains("an element has"), "{name}: {error}");
        }
    }
}

fn sum(x: Symbolic) -> Symbolic {
    ops::reduce_sum(x, None::<i64>, false)
}

/// So many of a number; where the size is known before anything runs, and where it comes with the element.
fn filled(x: &Symbolic, dims: &[i64], is_known: bool) -> Symbolic {
    filled_with(x, x, dims, is_known)
}

fn filled_with(value: &Symbolic, x: &Symbolic, dims: &[i64], is_known: bool) -> Symbolic {
    let dims = Symbolic::from(Tensor::from_vec(vec![dims.len()], dims.to_vec()));
    let dims = if is_known { dims } else { dims + ops::minimum(x, 0) };
    ops::fill(dims, value)
}

/// A string of so many bytes, each time anew.
fn some_text(x: &Symbolic, num_bytes: usize) -> Symbolic {
    let text = Tensor::from_strings(vec![], [vec![b'a'; num_bytes].as_slice()].into_iter().collect());
    ops::strings::substr(text, ops::minimum(x, 0), num_bytes as i64, "BYTE")
}

type Traced = Box<dyn Fn(Symbolic) -> Symbolic>;

/// What is made on the way to a small result: so many values a row, `side` by `side` of them.
fn wide(side: i64, is_known: bool) -> Vec<(&'static str, Traced)> {
    let filled = move |x: &Symbolic, dims: &[i64]| filled(x, dims, is_known);
    let floats = move |x: &Symbolic, dims: &[i64]| ops::cast(filled(x, dims), DType::Float64);
    // As many bytes as the others make, of a single one: what told their places one by one would take eight times as much.
    let one_byte = |make: fn(Symbolic, Symbolic) -> Symbolic| -> Traced {
        Box::new(move |x| {
            let byte = ops::reshape(ops::cast(&x, DType::UInt8), Shape::fixed(&[1]));
            let count = Symbolic::from(Tensor::from_vec(vec![], vec![side * side * 8]));
            let count = if is_known { count } else { count + ops::minimum(&x, 0) };
            ops::cast(ops::reduce_max(make(byte, count), None::<i64>, false), DType::Int64)
        })
    };
    vec![
        ("broadcasting", Box::new(move |x| sum(filled(&x, &[side, 1]) + filled(&x, &[1, side])))),
        ("one_hot", Box::new(move |x| sum(ops::one_hot(filled(&x, &[side]), side, 1, 0, -1, DType::Int64)))),
        (
            "matmul",
            Box::new(move |x| {
                let (column, row) = (floats(&x, &[side, 1]), floats(&x, &[1, side]));
                sum(ops::matmul(column, row, false, false))
            }),
        ),
        (
            "concat",
            Box::new(move |x| {
                let part = filled(&x, &[side * side / 20]);
                sum(ops::concat(std::iter::repeat_n(part, 20), 0))
            }),
        ),
        (
            "stack",
            Box::new(move |x| {
                let part = filled(&x, &[side * side / 20]);
                sum(ops::stack(std::iter::repeat_n(part, 20), 0))
            }),
        ),
        (
            "cast",
            Box::new(move |x| {
                let byte = ops::cast(&x, DType::UInt8);
                sum(ops::cast(filled_with(&byte, &x, &[side * side], is_known), DType::Int64))
            }),
        ),
        (
            "tile in one dimension",
            Box::new(move |x| {
                let times = Symbolic::from(Tensor::from_vec(vec![1], vec![side]));
                sum(ops::tile(filled_with(&x, &x, &[side], true), times))
            }),
        ),
        (
            "tile",
            Box::new(move |x| {
                let times = Symbolic::from(Tensor::from_vec(vec![2], vec![1, side]));
                sum(ops::tile(filled(&x, &[side, 1]), times))
            }),
        ),
        (
            "strings.as_string",
            Box::new(move |x| {
                let texts = ops::strings::as_string(filled(&x, &[side]), -1, false, false, side * 8, "");
                sum(ops::cast(ops::strings::length(texts, "BYTE"), DType::Int64))
            }),
        ),
        (
            "strings.bytes_split",
            Box::new(move |x| {
                let bytes = ops::strings::bytes_split(some_text(&x, (side * side / 2) as usize));
                ops::size(bytes, DType::Int64)
            }),
        ),
        (
            "scan",
            Box::new(move |x| {
                let start = Symbolic::from(Tensor::from_vec(vec![side as usize], vec![0_i64; side as usize]));
                sum(ops::scan(|sum, entry| sum + entry, filled(&x, &[side]), start))
            }),
        ),
        ("tile of a byte", one_byte(|byte, count| ops::tile(byte, ops::reshape(count, Shape::fixed(&[1]))))),
        ("repeat of a byte", one_byte(|byte, count| ops::repeat(byte, count, Some(0)))),
        (
            "broadcast_to of a byte",
            one_byte(|byte, count| ops::broadcast_to(byte, ops::reshape(count, Shape::fixed(&[1])))),
        ),
        (
            "pad of a byte",
            one_byte(|byte, count| {
                let zero = Symbolic::from(Tensor::from_vec(vec![1], vec![0_i64]));
                let pair = ops::concat([zero, ops::reshape(count - 1, Shape::fixed(&[1]))], 0);
                ops::pad(byte, ops::reshape(pair, Shape::fixed(&[1, 2])), 0, "CONSTANT")
            }),
        ),
    ]
}

#[test]
fn what_is_wide_on_the_way() {
    for is_known in [true, false] {
        // 80,000 bytes of each element.
        for (name, function) in wide(100, is_known) {
            let name = format!("{name}, size known: {is_known}");
            stays_within_the_budget(&name, &Dataset::range(60).map(&function), 60);
            let kept = Dataset::range(60).filter(|x| function(x).ge(0));
            stays_within_the_budget(&format!("{name}, filter"), &kept, 60);
        }
    }
}

#[test]
fn what_is_larger_than_the_budget_is_refused_before_it_is_made() {
    let _alone = ALONE.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    for is_known in [true, false] {
        // 8,000,000 bytes of each element.
        for (name, function) in wide(1000, is_known) {
            for threads in [0, 1, 4] {
                let options = Options::new().threads(threads).memory_budget(BUDGET_BYTES);
                let before = LIVE_BYTES.load(Ordering::Relaxed);
                let mut elements = Dataset::range(5).map(&function).with_options(options).iterator().unwrap();
                PEAK_BYTES.store(LIVE_BYTES.load(Ordering::Relaxed), Ordering::Relaxed);
                let items: Vec<_> = elements.by_ref().collect();
                let case = format!("{name}, size known: {is_known}, {threads} threads");
                assert_eq!(items.len(), 5, "{case}");
                for item in items {
                    let error = item.unwrap_err().to_string();
                    assert!(error.contains("an element has 8000000 bytes"), "{case}: {error}");
                }
                let charged = elements.metrics().budget_peak_bytes;
                // Of parts that fit, one that each of four threads cannot do without.
                assert!(charged <= BUDGET_BYTES + (1 << 20), "{case}: {charged} bytes charged");
                let peak = PEAK_BYTES.load(Ordering::Relaxed) - before;
                assert!(peak <= BUDGET_BYTES as i64 + 5_000_000, "{case}: {peak} bytes at a time");
            }
        }
    }
}

#[test]
fn entries_that_come_to_more_than_the_budget_are_not_made_to_the_end() {
    let _alone = ALONE.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let made: [(&str, Traced); 2] = [
        // Made in the function, and captured by it.
        (
            "fill",
            Box::new(|x| ops::map_fn(|entry| filled(&entry, &[25_000], false), filled(&x, &[1000], true))),
        ),
        (
            "captured",
            Box::new(|x| {
                let large = filled(&x, &[25_000], false);
                ops::map_fn(|entry| entry + &large, filled(&x, &[1000], true))
            }),
        ),
    ];
    for (name, function) in made {
        for threads in [0, 1, 4] {
            let options = Options::new().threads(threads).memory_budget(BUDGET_BYTES);
            let before = LIVE_BYTES.load(Ordering::Relaxed);
            PEAK_BYTES.store(before, Ordering::Relaxed);
            let dataset = Dataset::range(3).map(&function).with_options(options);
            let items: Vec<_> = dataset.iterator().unwrap().collect();
            for item in &items {
                let error = item.as_ref().expect_err("200 MB").to_string();
                assert!(error.contains("map_fn: an element has 2"), "{name}: {error}");
            }
            assert_eq!(items.len(), 3);
            let peak = PEAK_BYTES.load(Ordering::Relaxed) - before;
            // What each of four threads makes before it is more than the budget.
            assert!(
                peak <= 5 * BUDGET_BYTES as i64 + BEYOND_BYTES,
                "{name}, {threads} threads: {peak} bytes"
            );
        }
    }
    // What is captured again and again, and comes to little.
    let sums = Dataset::range(20).map(|x| {
        let large = filled(&x, &[25_000], false);
        ops::map_fn(|entry| sum(entry + &large), filled(&x, &[100], true))
    });
    stays_within_the_budget_alone("captured", &sums, 20);
}

#[test]
fn strings_that_grow_where_they_are_rewritten_or_joined() {
    let text = vec![b'a'; LARGE_BYTES / 20];
    let source = texts(std::iter::repeat_n(text.as_slice(), 200));
    let length = |text: Symbolic| ops::strings::length(text, "BYTE");
    let rewritten =
        source.map(|text| length(ops::strings::regex_replace(text, "a", "twenty bytes of text", true)));
    stays_within_the_budget("regex_replace", &rewritten, 200);
    let joined = |times: usize| source.map(move |text| length(ops::strings::join(vec![text; times], "")));
    stays_within_the_budget("join", &joined(20), 200);
    let _alone = ALONE.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    for threads in [0, 1, 4] {
        let options = Options::new().threads(threads).memory_budget(BUDGET_BYTES);
        let mut elements = joined(1000).take(5).with_options(options).iterator().unwrap();
        let before = LIVE_BYTES.load(Ordering::Relaxed);
        PEAK_BYTES.store(before, Ordering::Relaxed);
        for item in elements.by_ref() {
            let error = item.unwrap_err().to_string();
            assert!(error.contains("strings.join: an element has 10000000 bytes"), "{error}");
        }
        let peak = PEAK_BYTES.load(Ordering::Relaxed) - before;
        assert!(peak <= BUDGET_BYTES as i64, "{threads} threads: {peak} bytes at a time");
    }
}

/// A few bytes of each of many large values: what is kept of them is kept alone.
#[test]
fn parts_of_large_values_that_wait() {
    let large = |x: &Symbolic| filled_with(&ops::cast(x, DType::UInt8), x, &[LARGE_BYTES as i64], false);
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("large");
    fs::write(&path, vec![b'a'; LARGE_BYTES]).unwrap();
    let name = path.to_str().unwrap().as_bytes();
    let names = texts(std::iter::repeat_n(name, 300))
        .map(|name| ops::strings::substr(ops::read_file(name), 0, 10, "BYTE"));
    stays_within_the_budget("strings of files", &names.prefetch(300), 300);
    stays_within_the_budget("strings of files in batches", &names.batch(100).prefetch(3), 3);
    let firsts = Dataset::range(300).flat_map(move |x| Dataset::from_tensor_slices(large(&x)).take(1));
    stays_within_the_budget("first values", &firsts.prefetch(300), 300);
}

#[test]
fn errors_that_wait_with_their_elements() {
    let failing = Dataset::range(300)
        .map(|x| filled(&x, &[LARGE_BYTES as i64 / 8], false))
        .map_native("fail", text_spec(), |_| Err("no".into()))
        .prefetch(300);
    let _alone = ALONE.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let options = Options::new().threads(4).memory_budget(BUDGET_BYTES);
    let mut elements = failing.with_options(options).iterator().unwrap();
    assert_eq!(elements.by_ref().filter(Result::is_err).count(), 300);
    let charged = elements.metrics().budget_peak_bytes;
    assert!(charged > BUDGET_BYTES / 4, "errors count: {charged} bytes charged");
    assert!(charged <= BUDGET_BYTES + 8 * LARGE_BYTES as u64, "{charged} bytes charged");
}

#[test]
fn records_in_random_order_with_what_lies_between_them() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("small.tfrecord");
    let mut writer = RecordWriter::create(&path, None).unwrap();
    (0..100_000).for_each(|record: u64| writer.write(format!("{record:080}").as_bytes()).unwrap());
    writer.finish().unwrap();
    let shuffled = Dataset::tf_record(&[&path]).unwrap().global_shuffle().seed(1);
    let few = shuffled.shard(100, 3).prefetch(1000);
    let _alone = ALONE.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    for (name, dataset, num_elements) in
        [("in batches", shuffled.batch(64), 1563), ("few of them", few, 1000)]
    {
        for threads in [0, 1, 4] {
            let options = Options::new().threads(threads).memory_budget(BUDGET_BYTES);
            let mut elements = dataset.with_options(options).iterator().unwrap();
            assert_eq!(elements.by_ref().map(Result::unwrap).count(), num_elements, "{name}");
            // By the engine's own account; thousands of small reads at a time cost more than what they bring.
            let charged = elements.metrics().budget_peak_bytes;
            assert!(charged <= BUDGET_BYTES, "{name}, {threads} threads: {charged} bytes charged");
        }
    }
}

#[test]
fn elements_that_open_datasets_are_made_of() {
    let slices = |x: Symbolic| Dataset::from_tensor_slices(filled(&x, &[25_000], false)).take(3);
    let few = Dataset::range(40).interleave(slices).cycle_length(5);
    stays_within_the_budget("interleave", &few, 120);
    // More than there is memory: each stream needs its element as long as it is open.
    let many = Dataset::range(40).interleave(slices).cycle_length(40);
    let _alone = ALONE.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    for threads in [0, 4] {
        let options = Options::new().threads(threads).memory_budget(BUDGET_BYTES);
        let items: Vec<_> = many.with_options(options).iterator().unwrap().collect();
        let errors: Vec<String> =
            items.iter().filter_map(|item| Some(item.as_ref().err()?.to_string())).collect();
        assert!(!errors.is_empty() && items.len() > errors.len(), "{threads} threads: {} items", items.len());
        assert!(errors[0].contains("open datasets are made of"), "{}", errors[0]);
    }
}

#[test]
fn code_of_the_users_in_many_streams() {
    let spec = ElementSpec::Leaf(TensorSpec::new(DType::UInt8, Shape::fixed(&[LARGE_BYTES])));
    let given = Dataset::from_iter("give", spec, || {
        (0..3).map(|_| Ok(Tensor::from_vec(vec![LARGE_BYTES], vec![7_u8; LARGE_BYTES]).into()))
    });
    let streams = Dataset::range(60).interleave(move |_| given.clone()).cycle_length(60);
    stays_within_the_budget("from_iter in an interleave", &streams, 180);
}

#[test]
fn an_element_put_together_of_many_that_fit() {
    let _alone = ALONE.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let part = || Dataset::range(3).map(|x| filled(&x, &[25_000], true));
    let zipped = Dataset::zip(&Structure::Tuple((0..12).map(|_| Structure::Leaf(part())).collect()));
    let error = zipped.with_options(Options::new().memory_budget(BUDGET_BYTES)).iterator().err();
    let error = error.expect("larger than the budget").to_string();
    assert!(error.contains("zip") && error.contains("2400000 bytes"), "{error}");
}

#[test]
fn values_that_nested_datasets_are_made_of() {
    let slices = |x: Symbolic| Dataset::from_tensor_slices(filled(&x, &[25_000], false)).take(2);
    stays_within_the_budget("flat_map", &Dataset::range(100).flat_map(slices), 200);
    let keyed = Dataset::range(200).group_by_window(
        |x| ops::minimum(sum(filled(&x, &[25_000], false)), 0),
        10,
        |_, window| window.batch(10),
    );
    stays_within_the_budget("group_by_window", &keyed, 20);
}

#[test]
fn states_that_grow() {
    let grown = Dataset::range(200).scan(Tensor::from_vec(vec![1], vec![7_i64]), |list, x| {
        (ops::concat([list.clone(), filled(&x, &[100], true)], 0), sum(list))
    });
    stays_within_the_budget("scan", &grown, 200);
}

#[test]
fn a_batch_that_does_not_fit_is_an_error_before_it_is_there() {
    let _alone = ALONE.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let dataset = Dataset::range(500).map(|x| filled(&x, &[5000], false)).batch(500);
    for threads in [0, 1, 4] {
        let options = Options::new().threads(threads).memory_budget(BUDGET_BYTES);
        let before = LIVE_BYTES.load(Ordering::Relaxed);
        PEAK_BYTES.store(before, Ordering::Relaxed);
        let mut elements = dataset.with_options(options).iterator().unwrap();
        let error = elements.next().unwrap().unwrap_err().to_string();
        assert!(error.contains("batch: an element has"), "{error}");
        let charged = elements.metrics().budget_peak_bytes;
        assert!(charged <= BUDGET_BYTES + (1 << 20), "{threads} threads: {charged} bytes charged");
        let peak = PEAK_BYTES.load(Ordering::Relaxed) - before;
        assert!(peak <= BUDGET_BYTES as i64 + BEYOND_BYTES, "{threads} threads: {peak} bytes at a time");
    }
}

/// Small ones are not asked for: their runs go to the end, however many rows they have.
#[test]
fn rows_that_grow_to_less_than_a_block() {
    let images = Tensor::from_vec(vec![2000, 3072], vec![7_u8; 2000 * 3072]);
    let scaled = Dataset::from_tensor_slices(images).map(|x| ops::cast(x, DType::Float32) / 255.0);
    stays_within_the_budget("small images", &scaled, 2000);
    stays_within_the_budget("small images in batches", &scaled.batch(16), 125);
}
