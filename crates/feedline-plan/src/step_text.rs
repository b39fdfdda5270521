//! Steps as they are printed: in `explain`, in errors, and in checkpoints, which compare them. So what is printed has to tell
//! apart what differs; of data that is a hash. `{:#}` leaves hashes of sources out: a name for people to read, at no cost.

use std::fmt;

use feedline_data::block::{Column, Tensor, mix};
use feedline_data::{DType, Structure};

use crate::expr::Expr;
use crate::expr::written::{MAX_SHOWN_CALLS, MAX_WRITTEN_CALLS, written};
use crate::plan::hash_of;
use crate::{CachePlace, EVERYTHING, Function, NodeKind, Padding, SeedPair, Turns, Windows};

impl fmt::Display for NodeKind {
    #[allow(clippy::too_many_lines, reason = "a list of equals: one arm a step")]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())?;
        let max_calls = if f.alternate() { MAX_SHOWN_CALLS } else { MAX_WRITTEN_CALLS };
        match self {
            NodeKind::Range { start, stop, step } => write!(f, "({start}, {stop}, {step})"),
            NodeKind::TensorSlices { columns } | NodeKind::Tensors { columns } => {
                let text = if f.alternate() { kind_of_column } else { text_of_column };
                let columns: Vec<String> = columns.iter().map(text).collect();
                write!(f, "({})", columns.join(", "))
            }
            NodeKind::Counter { start, step } => write!(f, "({start}, {step})"),
            NodeKind::Random { seeds, rerandomize_each_iteration } => {
                write!(f, "({})", text_of_random(None, *seeds, *rerandomize_each_iteration))
            }
            NodeKind::RandomChoice { weights, seeds, rerandomize_each_iteration, .. } => {
                let weights = (!weights.is_empty()).then(|| format!("{weights:?}"));
                write!(f, "({})", text_of_random(weights, *seeds, *rerandomize_each_iteration))
            }
            NodeKind::RangeOf { bounds: [start, stop, step] } => write!(f, "({start}, {stop}, {step})"),
            NodeKind::TensorsOf { tensors, .. } => write!(f, "({})", text_of_exprs(tensors)),
            NodeKind::FilesOf { paths, format, is_stream } => {
                write!(f, "({paths}{format}{})", text_of_stream(*is_stream))
            }
            NodeKind::CountedBy { count, .. } => write!(f, "({count})"),
            NodeKind::FlatMap { nested } => write!(f, "({})", text_of_functions(&nested.captures, max_calls)),
            NodeKind::Interleave { nested, turns } => {
                let captures = text_of_functions(&nested.captures, max_calls);
                let comma = if captures.is_empty() { "" } else { ", " };
                write!(f, "({captures}{comma}{turns})")
            }
            NodeKind::Map { function, num_parallel_calls } => {
                let function = text_of_function(function, max_calls);
                write!(f, "({function}{})", text_of_calls(*num_parallel_calls))
            }
            NodeKind::Deterministic { is_deterministic } => write!(f, "({is_deterministic})"),
            NodeKind::MapAndBatch { function, num_parallel_calls, batch_size, drop_remainder } => {
                let dropped = if *drop_remainder { ", drop_remainder=true" } else { "" };
                let function = text_of_function(function, max_calls);
                write!(f, "({function}{}, {batch_size}{dropped})", text_of_calls(*num_parallel_calls))
            }
            NodeKind::Shuffle { buffer_size, seeds, reshuffle_each_iteration } => {
                write!(f, "({})", text_of_shuffle(*buffer_size, *seeds, *reshuffle_each_iteration))
            }
            NodeKind::GlobalShuffle { seeds, reshuffle_each_iteration } => {
                let given = seeds.is_given.then(|| format!("seeds=({}, {})", seeds.seed, seeds.seed2));
                let fixed = (!reshuffle_each_iteration).then(|| "reshuffle_each_iteration=false".to_owned());
                write!(f, "({})", given.into_iter().chain(fixed).collect::<Vec<_>>().join(", "))
            }
            NodeKind::ShuffleAndRepeat { buffer_size, seeds, reshuffle_each_iteration, count } => {
                let shuffle = text_of_shuffle(*buffer_size, *seeds, *reshuffle_each_iteration);
                match count {
                    Some(count) => write!(f, "({shuffle}, count={count})"),
                    None => write!(f, "({shuffle})"),
                }
            }
            NodeKind::Batch { batch_size, drop_remainder } => {
                write!(f, "({batch_size}{})", if *drop_remainder { ", drop_remainder=true" } else { "" })
            }
            NodeKind::RowsOf { parts, .. } => write!(f, "({})", text_of_exprs(parts)),
            NodeKind::Window { windows: Windows { size, shift, stride, drop_remainder } } => {
                let dropped = if *drop_remainder { ", drop_remainder=true" } else { "" };
                write!(f, "({size}, shift={shift}, stride={stride}{dropped})")
            }
            NodeKind::Group { key, window_size, drop_remainder } => {
                let dropped = if *drop_remainder { ", drop_remainder=true" } else { "" };
                let (texts, definitions) = written(&[key, window_size], max_calls);
                write!(f, "({}{definitions}{dropped})", texts.join(", "))
            }
            NodeKind::PaddedBatch { batch_size, drop_remainder, padding, fill_to } => {
                let dropped = if *drop_remainder { ", drop_remainder=true" } else { "" };
                let filled = fill_to.as_ref().map_or_else(String::new, |size| format!(", up to {size}"));
                write!(f, "({batch_size}, {padding}{filled}{dropped})")
            }
            NodeKind::Rebatch { batch_sizes, drop_remainder } => {
                let dropped = if *drop_remainder { ", drop_remainder=true" } else { "" };
                match batch_sizes[..] {
                    [only] => write!(f, "({only}{dropped})"),
                    _ => write!(f, "({batch_sizes:?}{dropped})"),
                }
            }
            NodeKind::Scan { fold } | NodeKind::Reduce { fold } => {
                let result = text_of_results(&fold.result, max_calls);
                write!(f, "({}: {} -> {result})", fold.initial, fold.state)
            }
            NodeKind::AssertCardinality { expected: Some(expected) } => write!(f, "({expected})"),
            NodeKind::Choose { stop_on_empty_dataset } => {
                f.write_str(if *stop_on_empty_dataset { "()" } else { "(stop_on_empty_dataset=false)" })
            }
            NodeKind::Repeat { count: Some(count) }
            | NodeKind::Take { count: Some(count) }
            | NodeKind::Skip { count: Some(count) } => write!(f, "({count})"),
            NodeKind::Take { count: None }
            | NodeKind::Skip { count: None }
            | NodeKind::AssertCardinality { expected: None } => f.write_str("(-1)"),
            NodeKind::Shard { num_shards, index } => write!(f, "({num_shards}, {index})"),
            NodeKind::Filter { predicate } | NodeKind::TakeWhile { predicate } => {
                let (texts, definitions) = written(&[predicate], max_calls);
                write!(f, "({}{definitions})", texts.concat())
            }
            NodeKind::Files { paths, format, is_stream } => match &paths[..] {
                [] => f.write_str("(no files)"),
                [only] => write!(f, "({}{format}{})", only.display(), text_of_stream(*is_stream)),
                [first, ..] => {
                    let names: Vec<&[u8]> =
                        paths.iter().map(|path| path.as_os_str().as_encoded_bytes()).collect();
                    let hash = hash_of(&names.join(&b'\n'));
                    let stream = text_of_stream(*is_stream);
                    let more = paths.len() - 1;
                    write!(f, "({} and {more} more#{hash:016x}{format}{stream})", first.display())
                }
            },
            NodeKind::Enumerate { start } => write!(f, "({start})"),
            NodeKind::Pack { packing } => write!(f, "({packing})"),
            NodeKind::OnError { policy } => write!(f, "({policy})"),
            NodeKind::FromIter { source } => write!(f, "({} -> {})", source.name, source.spec),
            NodeKind::Zip { structure } => write!(f, "({})", structure.map(|()| "_")),
            NodeKind::Prefetch { buffer_size: Some(size) } => write!(f, "({size})"),
            NodeKind::Cache { place: CachePlace::Folder { path, .. } } => write!(f, "({})", path.display()),
            NodeKind::Repeat { count: None }
            | NodeKind::Cache { place: CachePlace::Memory(_) }
            | NodeKind::Prefetch { buffer_size: None }
            | NodeKind::Unbatch
            | NodeKind::Unique
            | NodeKind::Single
            | NodeKind::Collect
            | NodeKind::ExactChoice { .. }
            | NodeKind::IgnoreErrors
            | NodeKind::Concatenate => f.write_str("()"),
        }
    }
}

impl fmt::Display for Turns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cycle_length={}, block_length={}", self.cycle_length, self.block_length)?;
        if let Some(calls) = self.num_parallel_calls {
            write!(f, ", num_parallel_calls={calls}")?;
        }
        f.write_str(if self.keeps_order() { "" } else { ", deterministic=false" })
    }
}

impl fmt::Display for Padding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shapes: Vec<String> = self.shapes.iter().map(ToString::to_string).collect();
        let values: Vec<String> = self.values.iter().map(text_of_tensor).collect();
        write!(f, "{} filled with {}", shapes.join(" "), values.join(" "))
    }
}

fn text_of_function(function: &Function, max_calls: usize) -> String {
    match function {
        Function::Traced(result) => text_of_results(result, max_calls),
        Function::Native(native) => {
            format!("{} {} -> {}", native.runtime.unwrap_or("native"), native.name, native.output)
        }
    }
}

/// What a function gives.
fn text_of_results(result: &Structure<Expr>, max_calls: usize) -> String {
    let (texts, definitions) = written(&result.leaves(), max_calls);
    format!("{}{definitions}", result.with_leaves(texts))
}

fn text_of_functions(exprs: &[Expr], max_calls: usize) -> String {
    let (texts, definitions) = written(&exprs.iter().collect::<Vec<_>>(), max_calls);
    format!("{}{definitions}", texts.join(", "))
}

fn text_of_calls(num_parallel_calls: Option<usize>) -> String {
    num_parallel_calls.map_or_else(String::new, |calls| format!(", num_parallel_calls={calls}"))
}

fn text_of_stream(is_stream: bool) -> &'static str {
    if is_stream { ", read as a stream" } else { "" }
}

/// Arguments of a step: constants, and values of the element around.
fn text_of_exprs(exprs: &[Expr]) -> String {
    exprs.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

fn text_of_random(weights: Option<String>, seeds: SeedPair, rerandomize_each_iteration: bool) -> String {
    let given = seeds.is_given.then(|| format!("seeds=({}, {})", seeds.seed, seeds.seed2));
    let anew = rerandomize_each_iteration.then(|| "rerandomize_each_iteration=true".to_owned());
    weights.into_iter().chain(given).chain(anew).collect::<Vec<_>>().join(", ")
}

fn text_of_shuffle(buffer_size: usize, seeds: SeedPair, reshuffle_each_iteration: bool) -> String {
    let given =
        if seeds.is_given { format!(", seeds=({}, {})", seeds.seed, seeds.seed2) } else { String::new() };
    let fixed = if reshuffle_each_iteration { "" } else { ", reshuffle_each_iteration=false" };
    let buffer = if buffer_size == EVERYTHING { "everything".to_owned() } else { buffer_size.to_string() };
    format!("{buffer}{given}{fixed}")
}

/// Longer strings are cut where people read them.
const MAX_SHOWN_LETTERS: usize = 40;

/// What is printed of a step, with strings of any length cut where they are long: for people, not for comparing.
pub(crate) fn with_short_strings(text: &str) -> String {
    let mut short = String::with_capacity(text.len().min(1 << 10));
    let mut rest = text;
    while let Some(begin) = rest.find('"') {
        let (before, quoted) = rest.split_at(begin + 1);
        short.push_str(before);
        let mut letters = quoted.char_indices();
        let (mut num_letters, mut cut, mut end) = (0, quoted.len(), quoted.len());
        while let Some((at, letter)) = letters.next() {
            if num_letters == MAX_SHOWN_LETTERS {
                cut = at;
            }
            match letter {
                '"' => {
                    end = at;
                    break;
                }
                // With the letter it is before, which may be a quote.
                '\\' => _ = letters.next(),
                _ => {}
            }
            num_letters += 1;
        }
        if num_letters > MAX_SHOWN_LETTERS {
            short.push_str(&quoted[..cut]);
            short.push('…');
        } else {
            short.push_str(&quoted[..end]);
        }
        rest = &quoted[end..];
        if let Some(behind) = rest.strip_prefix('"') {
            short.push('"');
            rest = behind;
        }
    }
    short.push_str(rest);
    short
}

/// A constant as a reader wants it: its value if it is one, else what it is and a hash of the values.
pub(crate) fn text_of_tensor(tensor: &Tensor) -> String {
    macro_rules! number {
        ($($dtype:ident $rust:ty),*) => {
            match tensor.dtype() {
                $(DType::$dtype if tensor.num_values() == 1 => return tensor.as_slice::<$rust>()[0].to_string(),)*
                _ => {}
            }
        };
    }
    if tensor.shape().is_empty() {
        number!(Int8 i8, Int16 i16, Int32 i32, Int64 i64, UInt8 u8, UInt16 u16, UInt32 u32, UInt64 u64, Float32 f32, Float64 f64, Bool u8);
        if let Some(text) = tensor.strings().and_then(|strings| std::str::from_utf8(strings.get(0)).ok()) {
            return format!("{text:?}");
        }
    }
    text_of_column(tensor.as_column())
}

/// What a column is and a hash of its values.
fn text_of_column(column: &Column) -> String {
    format!("{}#{:016x}", kind_of_column(column), hash_of_values(column, MAX_HASHED_BYTES))
}

/// What a column is, whatever its values.
fn kind_of_column(column: &Column) -> String {
    let shape = column.common_shape().map_or_else(|| "varying".to_owned(), |shape| format!("{shape:?}"));
    format!("{}{shape}×{}", column.dtype(), column.rows())
}

/// Of larger data a sample of so many bytes is hashed: a fraction of a second, and an array that is mapped from a file of any size
/// can be iterated without being read first.
const MAX_HASHED_BYTES: usize = 1 << 30;
/// Pieces of a sample, spread evenly: what was changed in one place is likely to be in one, or else to be little.
const SAMPLE_BYTES: usize = 4 << 10;

/// Up to here data are hashed as the texts and states of earlier versions have them.
const MAX_SMALL_BYTES: usize = 64 << 10;
const MAX_SMALL_STRINGS: usize = 1000;

/// A hash of `max_bytes` of the values at most: of all of them if they are not more.
fn hash_of_values(column: &Column, max_bytes: usize) -> u64 {
    let mut hash = column.rows() as u64;
    if let Some(buffer) = column.buffer() {
        let bytes = buffer.as_bytes();
        if bytes.len() <= MAX_SMALL_BYTES {
            let all = hash_of(bytes);
            return mix(mix(hash, all), all);
        }
        if bytes.len() <= max_bytes {
            return mix(hash, content_hash(bytes));
        }
        let step = bytes.len().div_ceil(max_bytes / SAMPLE_BYTES);
        let samples = bytes.chunks(step).map(|piece| &piece[..piece.len().min(SAMPLE_BYTES)]);
        // The end is where arrays that grew differ.
        for sample in samples.chain([&bytes[bytes.len() - SAMPLE_BYTES..]]) {
            hash = mix(hash, content_hash(sample));
        }
    }
    if let Some(strings) = column.strings() {
        if strings.len() <= MAX_SMALL_STRINGS {
            let hashes = strings.iter().chain(strings.iter()).map(hash_of);
            return hashes.fold(hash, mix);
        }
        let step = column.byte_size().div_ceil(max_bytes).max(1);
        for string in strings.iter().step_by(step) {
            hash = mix(hash, content_hash(string));
        }
    }
    hash
}

/// A hash of many bytes: at the speed of memory, and the same in every process and every release.
fn content_hash(bytes: &[u8]) -> u64 {
    #[cfg(test)]
    tests::HASHED_BYTES.with(|hashed| hashed.set(hashed.get() + bytes.len()));
    mix(bytes.len() as u64, crc_fast::checksum(crc_fast::CrcAlgorithm::Crc64Nvme, bytes))
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;
    use crate::{Explanation, Optimizer, Plan};
    use feedline_data::Structure;

    thread_local! {
        /// How much was hashed by this thread.
        pub(super) static HASHED_BYTES: Cell<usize> = const { Cell::new(0) };
    }

    #[test]
    fn data_is_hashed_for_states_once_and_not_for_running() {
        let num_bytes = MAX_SMALL_BYTES * 2;
        let source = Structure::Leaf(Tensor::from_vec(vec![num_bytes / 8], numbers(num_bytes / 8)));
        let plan = Plan::from_tensor_slices(&source).expect("valid");
        let plan = plan.prefetch(Some(2)).batch(4, false).expect("valid").prefetch(None);
        let explanation = Explanation::new(&plan, &Optimizer::default()).expect("valid");
        assert!(!explanation.to_string().is_empty() && !plan.step_names().is_empty());
        assert_eq!(
            HASHED_BYTES.get(),
            0,
            "before the first element nobody waits for a pass over all of them"
        );
        assert_eq!((plan.fingerprint(), plan.lines()), (plan.fingerprint(), plan.lines()));
        assert_eq!(HASHED_BYTES.get(), num_bytes);
    }

    fn numbers(count: usize) -> Vec<i64> {
        (0..count as i64).collect()
    }

    #[test]
    fn every_value_of_a_tensor_counts() {
        let hash = |values: Vec<i64>| {
            hash_of_values(&Column::from_vec(vec![], values.len(), values), MAX_HASHED_BYTES)
        };
        let whole = hash(numbers(100_000));
        assert_eq!(whole, hash(numbers(100_000)));
        for place in [0, 1, 9_000, 50_000, 99_999] {
            let mut changed = numbers(100_000);
            changed[place] += 1;
            assert_ne!(whole, hash(changed), "value {place}");
        }
        assert_ne!(whole, hash(numbers(99_999)));
    }

    #[test]
    fn every_string_of_a_tensor_counts_in_its_place() {
        let text = |number: usize| format!("f{number:05}");
        let hash = |names: Vec<String>| {
            hash_of_values(
                &Column::from_strings(vec![], names.len(), names.iter().collect()),
                MAX_HASHED_BYTES,
            )
        };
        let names: Vec<String> = (0..5000).map(text).collect();
        let mut swapped = names.clone();
        swapped.swap(2200, 2300);
        assert_ne!(hash(names.clone()), hash(swapped));
        // The same bytes, cut elsewhere.
        assert_ne!(hash(vec!["ab".into(), "c".into()]), hash(vec!["a".into(), "bc".into()]));
    }

    #[test]
    fn of_more_than_the_limit_a_sample_counts() {
        let limit = 64 << 10;
        let hash = |values: Vec<i64>| hash_of_values(&Column::from_vec(vec![], values.len(), values), limit);
        let whole = hash(numbers(100_000));
        for range in [0..1, 99_999..100_000, 40_000..60_000, 1..100_000] {
            let mut changed = numbers(100_000);
            changed[range.clone()].fill(-1);
            assert_ne!(whole, hash(changed), "values {range:?}");
        }
    }

    #[test]
    fn long_strings_are_cut_for_people_and_told_apart_by_states() {
        let long = |letter: char| letter.to_string().repeat(50_000);
        let plan = |text: String| {
            let plan = Plan::range(0, 3, 1).expect("valid");
            let joined = |_| crate::Symbolic::from((crate::Symbolic::from(text.as_str()), "a\"b"));
            plan.map(joined, None).expect("valid")
        };
        let (one, two) = (plan(long('x')), plan(long('y')));
        let shown = format!("map((\"{}…\", \"a\\\"b\"))", "x".repeat(MAX_SHOWN_LETTERS));
        let text = Explanation::new(&one, &Optimizer::default()).expect("valid").to_string();
        assert!(text.contains(&shown) && text.len() < 1000, "{text}");
        assert_eq!((&one.step_names()[1], &one.step_titles()[1]), (&shown, &shown));
        assert_ne!(one.fingerprint(), two.fingerprint());
        for (text, short) in
            [("", ""), ("\"", "\""), ("a\"b", "a\"b"), ("\"\\", "\"\\"), ("(\"a\\\\\", 1)", "(\"a\\\\\", 1)")]
        {
            assert_eq!(with_short_strings(text), short);
        }
        let exact = format!("\"{}\"", "é".repeat(MAX_SHOWN_LETTERS));
        assert_eq!(with_short_strings(&exact), exact);
    }

    #[test]
    fn names_of_sources_have_no_hash() {
        let tensor = Tensor::from_vec(vec![3], vec![1_i64, 2, 3]);
        let plan = Plan::from_tensor_slices(&Structure::Leaf(tensor)).expect("valid");
        assert_eq!(plan.step_names(), ["from_tensor_slices(int64[]×3)"]);
        assert!(plan.lines()[0].starts_with("from_tensor_slices(int64[]×3#"), "{:?}", plan.lines());
    }
}
