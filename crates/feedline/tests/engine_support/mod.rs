//! What every test of the engine uses: all ways to run a pipeline, and resuming it everywhere.
#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]
#![allow(dead_code, reason = "each test file uses a part of it")]

use std::path::Path;

use feedline::data::block::{ElementRef, Tensor};
use feedline::data::{DType, Structure};
use feedline::{Dataset, Elements, Options, State};
use tempfile::TempDir;

/// What an iterator returned, as text: the element with types, shapes and values, or the error.
pub(crate) fn show(item: &<Elements as Iterator>::Item) -> String {
    match item {
        Ok(element) => show_element(element),
        Err(error) => format!("error: {}", error.to_string().lines().next().unwrap_or_default()),
    }
}

/// As [`show`], with all that an error says: its step and its hint, too.
pub(crate) fn show_all(item: &<Elements as Iterator>::Item) -> String {
    match item {
        Ok(element) => show_element(element),
        Err(error) => format!("error: {error}"),
    }
}

/// What [`show`] says of what [`show_all`] said.
fn first_lines(items: &[String]) -> Vec<String> {
    let first = |item: &String| match item.strip_prefix("error: ") {
        Some(error) => format!("error: {}", error.lines().next().unwrap_or_default()),
        None => item.clone(),
    };
    items.iter().map(first).collect()
}

pub(crate) fn show_element(element: &Structure<Tensor>) -> String {
    element.map(show_tensor).to_string()
}

fn show_tensor(tensor: &Tensor) -> String {
    macro_rules! numbers {
        ($($dtype:ident $rust:ty),*) => {
            match tensor.dtype() {
                $(DType::$dtype => format!("{:?}", tensor.as_slice::<$rust>()),)*
                // As bits: they need no crate to be compared.
                DType::Float16 | DType::BFloat16 => format!("{:04x?}", halves(tensor)),
                _ => {
                    let strings = tensor.strings().expect("what has no numbers has strings");
                    format!("{:?}", strings.iter().map(String::from_utf8_lossy).collect::<Vec<_>>())
                }
            }
        };
    }
    let values = numbers!(Int64 i64, Int32 i32, UInt8 u8, Bool u8, Float32 f32, Float64 f64);
    if tensor.shape().is_empty() {
        values.trim_start_matches('[').trim_end_matches(']').to_owned()
    } else if tensor.shape().len() == 1 {
        values
    } else {
        format!("{:?}{values}", tensor.shape())
    }
}

fn halves(tensor: &Tensor) -> Vec<u16> {
    let bytes = tensor.as_column().buffer().expect("numbers lie in a buffer").as_slice::<u8>();
    bytes.chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]])).collect()
}

/// At most so many items are looked at: pipelines may have no end.
pub(crate) const ENOUGH: usize = 60;

/// Every way to run: as written and optimized; without workers, on one and on four; blocks of one element, of a few, and
/// as they come, these also where memory is [`SCARCE_BYTES`]. The first is the reference.
pub(crate) fn modes() -> Vec<(String, Options)> {
    modes_of(&[(1, false), (100, false), (64 << 10, false), (64 << 10, true)])
}

/// Those in which there is memory enough for large elements.
pub(crate) fn roomy_modes() -> Vec<(String, Options)> {
    modes_of(&[(1, false), (100, false), (64 << 10, false)])
}

/// For each number of threads, and with the optimizer and without: blocks of so many bytes, in memory that is scarce or not.
fn modes_of(blocks: &[(usize, bool)]) -> Vec<(String, Options)> {
    let mut modes = Vec::new();
    for threads in [0, 1, 4] {
        for &(block_bytes, is_scarce) in blocks {
            for is_optimized in [false, true] {
                let options = Options::new().threads(threads).block_size(block_bytes).optimizer(is_optimized);
                let how = if is_optimized { "optimized" } else { "as written" };
                let (options, memory) = if is_scarce {
                    (options.memory_budget(SCARCE_BYTES), ", scarce memory")
                } else {
                    (options, "")
                };
                let name = format!("{how}, {threads} threads, blocks of {block_bytes} bytes{memory}");
                modes.push((name, options));
            }
        }
    }
    modes
}

/// A budget in which small pipelines run, but nothing can run ahead of what is needed next for long.
const SCARCE_BYTES: u64 = 64 << 10;

/// The items of one iteration, in the reference mode; all other modes must give the same.
pub(crate) fn all_modes(dataset: &Dataset) -> Vec<String> {
    all_modes_of(&|| dataset.clone())
}

/// As [`all_modes`], with a dataset made anew for each mode, as in another process: what one keeps the next does not have.
pub(crate) fn all_modes_of(make: &dyn Fn() -> Dataset) -> Vec<String> {
    first_lines(&all_of_all_modes(make))
}

/// As [`all_modes_of`], with all that errors say.
pub(crate) fn all_of_all_modes(make: &dyn Fn() -> Dataset) -> Vec<String> {
    all_in(&modes(), make)
}

fn all_in(modes: &[(String, Options)], make: &dyn Fn() -> Dataset) -> Vec<String> {
    let mut reference: Option<Vec<String>> = None;
    for (name, options) in modes {
        let mut elements = make().with_options(options.clone()).iterator_of(0).unwrap();
        let items: Vec<String> =
            (0..ENOUGH).map_while(|index| next(&mut elements, index)).map(|item| show_all(&item)).collect();
        match &reference {
            None => reference = Some(items),
            Some(reference) => assert_eq!(&items, reference, "{name}"),
        }
    }
    reference.unwrap()
}

/// The next item, waited for as those do who can be interrupted: steps say "not yet" then now and then, also without workers. Every other one is
/// looked at where it lies.
fn next(elements: &mut Elements, index: usize) -> Option<<Elements as Iterator>::Item> {
    if index.is_multiple_of(2) {
        return elements.next_unless(|| false).expect("not interrupted");
    }
    elements.ready_unless(|| false).expect("not interrupted");
    elements.next_ref().map(|element| element.map(ElementRef::to_element))
}

/// Saves the state before each item and after the last, restores each, and compares what is left; in several modes, also
/// from one to another. States are text in between, as another process would read them.
pub(crate) fn resume_everywhere(dataset: &Dataset) {
    resume_everywhere_of(&|| dataset.clone());
}

/// As [`resume_everywhere`], with a dataset made anew for each iterator, as in another process.
pub(crate) fn resume_everywhere_of(make: &dyn Fn() -> Dataset) {
    resume_everywhere_in(&modes(), make);
}

fn resume_everywhere_in(modes: &[(String, Options)], make: &dyn Fn() -> Dataset) {
    let whole = all_in(modes, make);
    for (index, (saved_in, options)) in modes.iter().enumerate() {
        let states = states(&make().with_options(options.clone()), whole.len());
        // Their texts may differ from mode to mode (a shuffle's anchors follow its input's blocks); what they restore may not.
        // Each saving mode with one other restoring mode: all pairs would take too long and show nothing new. The step is
        // odd and the number of modes even, so what was saved as written is restored optimized, and the other way round.
        let (restored_in, options) = &modes[(index * 5 + 3) % modes.len()];
        // A new pool of threads for each state is most of the time: with workers, every few states will do.
        let step = if restored_in.contains(" 0 threads") { 1 } else { 3 };
        for (passed, state) in states.iter().enumerate().skip(index % step).step_by(step) {
            let state = State::from_bytes(state).unwrap();
            let left = whole.len() - passed;
            let rest: Vec<String> = make()
                .with_options(options.clone())
                .resume(&state)
                .unwrap()
                .take(left + 1)
                .map(|item| show_all(&item))
                .collect();
            let rest = if whole.len() == ENOUGH { &rest[..left] } else { &rest[..] };
            assert_eq!(rest, &whole[passed..], "after {passed}; saved: {saved_in}; restored: {restored_in}");
        }
    }
}

/// Everything a pipeline must pass; returns its items.
pub(crate) fn check(dataset: &Dataset) -> Vec<String> {
    resume_everywhere(dataset);
    all_modes(dataset)
}

/// As [`check`], of elements that are too large for scarce memory.
pub(crate) fn check_of_large(dataset: &Dataset) -> Vec<String> {
    let make = || dataset.clone();
    resume_everywhere_in(&roomy_modes(), &make);
    first_lines(&all_in(&roomy_modes(), &make))
}

/// As [`check`], with a dataset made anew for each iterator.
pub(crate) fn check_of(make: &dyn Fn() -> Dataset) -> Vec<String> {
    resume_everywhere_of(make);
    all_modes_of(make)
}

/// The states before each of the first `count` items and behind them.
pub(crate) fn states(dataset: &Dataset, count: usize) -> Vec<Vec<u8>> {
    let mut elements = dataset.iterator_of(0).unwrap();
    let mut states = vec![elements.state().to_bytes()];
    for index in 0..count {
        next(&mut elements, index).unwrap().ok();
        states.push(elements.state().to_bytes());
    }
    states
}

/// Checks that a state saved with any of `options` is restored with any other to what is left there.
pub(crate) fn states_cross(dataset: &Dataset, options: &[Options], count: usize) {
    for saved_with in options {
        let mut elements = dataset.with_options(saved_with.clone()).iterator_of(0).unwrap();
        elements.by_ref().take(count).for_each(drop);
        let state = State::from_bytes(&elements.state().to_bytes()).unwrap();
        let rest: Vec<String> = elements.map(|item| show(&item)).collect();
        for restored_with in options {
            let resumed = dataset.with_options(restored_with.clone()).resume(&state).unwrap();
            assert_eq!(resumed.map(|item| show(&item)).collect::<Vec<_>>(), rest);
        }
    }
}

/// A folder for caches, in memory where the system has such: making thousands of small files durable would take minutes.
pub(crate) fn folder_for_caches() -> TempDir {
    tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap()
}

/// Removes the folder of a cache. An iterator that was dropped may still be writing its last file.
pub(crate) fn remove_cache(folder: &Path) {
    while folder.exists() {
        if let Ok(lock) = std::fs::File::open(folder.join("lock")) {
            lock.lock().unwrap();
        }
        std::fs::remove_dir_all(folder).ok();
    }
}

/// A list of numbers as a dataset.
pub(crate) fn numbers(values: &[i64]) -> Dataset {
    Dataset::from_tensor_slices(Tensor::from_vec(vec![values.len()], values.to_vec()))
}

/// A list of floats as a dataset.
pub(crate) fn floats(values: &[f32]) -> Dataset {
    Dataset::from_tensor_slices(Tensor::from_vec(vec![values.len()], values.to_vec()))
}
