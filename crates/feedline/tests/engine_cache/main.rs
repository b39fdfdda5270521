//! Caches: what they keep, what they give, and that nobody can tell which it was.
#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

#[path = "../engine_support/mod.rs"]
mod engine_support;
mod in_files;

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use engine_support::{check, check_of, folder_for_caches, modes, remove_cache, show, states};
use feedline::data::block::{Strings, Tensor};
use feedline::data::{DType, ElementSpec, Shape, Structure, TensorSpec};
use feedline::plan::CacheCompression;
use feedline::{Dataset, Elements, Options, State, Symbolic, ops};
use tempfile::TempDir;

fn shown(values: impl IntoIterator<Item = i64>) -> Vec<String> {
    values.into_iter().map(|value| value.to_string()).collect()
}

fn items(elements: Elements) -> Vec<String> {
    elements.map(|item| show(&item)).collect()
}

/// A dataset that counts the elements it computes, and the count.
fn counted(source: &Dataset) -> (Dataset, Arc<AtomicUsize>) {
    let calls = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&calls);
    let spec = ElementSpec::Leaf(TensorSpec::scalar(DType::Int64));
    let dataset = source.map_native("count", spec, move |element| {
        counter.fetch_add(1, Ordering::Relaxed);
        Ok(element)
    });
    (dataset, calls)
}

/// Elements computed since the last call.
fn calls(counter: &AtomicUsize) -> usize {
    counter.swap(0, Ordering::Relaxed)
}

/// A dataset with a cache behind it.
type Cache<'a> = dyn Fn(&Dataset) -> Dataset + 'a;

/// Both kinds of cache, each over a dataset of its own; the folder lives as long as the test.
struct Places {
    folder: TempDir,
    made: AtomicUsize,
}

impl Places {
    fn new() -> Places {
        Places { folder: folder_for_caches(), made: AtomicUsize::new(0) }
    }

    /// A path nobody has used.
    fn path(&self) -> PathBuf {
        self.folder.path().join(self.made.fetch_add(1, Ordering::Relaxed).to_string())
    }

    fn caches(&self) -> [Box<Cache<'_>>; 2] {
        [Box::new(Dataset::cache), Box::new(|dataset| dataset.cache_to(self.path()))]
    }

    /// Checks `pipeline` with both kinds of cache: shared by all modes, and empty in each; `pipeline` gets what puts a
    /// cache in its place. Returns the items.
    fn check(&self, pipeline: &dyn Fn(&Cache<'_>) -> Dataset) -> Vec<String> {
        let whole = check_of(&|| pipeline(&Dataset::cache));
        assert_eq!(check(&pipeline(&Dataset::cache)), whole, "one cache in memory");
        // A path is part of a plan, so it is always the same one.
        let path = self.path();
        let in_files = || pipeline(&|dataset| dataset.cache_to(&path));
        let emptied = || {
            remove_cache(&path);
            in_files()
        };
        assert_eq!(check_of(&emptied), whole, "files that are not there yet");
        assert_eq!(check(&in_files()), whole, "files");
        whole
    }
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

fn is_chunk(name: &str) -> bool {
    Path::new(name).extension().is_some_and(|extension| extension == "chunk")
}

fn is_temporary(name: &str) -> bool {
    Path::new(name).extension().is_some_and(|extension| extension == "tmp")
}

/// Elements of 8,000 bytes.
fn large_elements(count: i64) -> Dataset {
    Dataset::range(count).map(|x| x + ops::cast(ops::random_uniform(Shape::fixed(&[1000]), 1), DType::Int64))
}

fn reference() -> Options {
    Options::new().threads(0)
}

/// Files of a few elements each.
fn small_chunks(threads: usize) -> Options {
    Options::new().threads(threads).block_size(1)
}

#[test]
fn every_mode_gives_the_same_and_resumes_everywhere() {
    let places = Places::new();
    assert_eq!(places.check(&|cache| cache(&Dataset::range(7))), shown(0..7));
    assert_eq!(places.check(&|cache| cache(&Dataset::range(0)).repeat(2)), shown([]));
    let twice = places.check(&|cache| cache(&Dataset::range(9).map(|x| x * 3)).batch(4).repeat(2));
    assert_eq!(twice[..3], twice[3..]);
    // An unknown number of elements, in another order, of another shape.
    places.check(&|cache| {
        let filtered = Dataset::range(30).filter(|x| (x % 3).lt(2)).shuffle(5).seed(3).batch(4);
        cache(&filtered).shuffle(3).seed(1).repeat(3)
    });
    // A cache inside what another keeps.
    let inner = || Dataset::range(12).cache().repeat(2).map(|x| x + 1);
    places.check(&|cache| cache(&inner()).skip(3).repeat(2).shard(2, 1));
}

#[test]
fn strings_and_rows_of_different_shapes_are_kept() {
    let places = Places::new();
    let words: Strings = ["a", "", "ccc", "dd", "e", "ffffff", "g"].iter().collect();
    places.check(&|cache| {
        let words = Dataset::from_tensor_slices(Tensor::from_strings(vec![7], words.clone()));
        let pair = Structure::Tuple(vec![words.into(), Dataset::range(7).batch(3).repeat(3).into()]);
        cache(&Dataset::zip(&pair)).repeat(2)
    });
}

#[test]
fn a_second_pass_does_not_touch_what_comes_before() {
    let places = Places::new();
    for cache in places.caches() {
        for (name, options) in modes() {
            let (source, counter) = counted(&Dataset::range(10));
            let dataset = cache(&source).with_options(options);
            let twice = dataset.repeat(2);
            assert_eq!(items(twice.iterator().unwrap()), shown((0..10).chain(0..10)), "{name}");
            assert_eq!(calls(&counter), 10, "{name}");
            // Other iterators, of the dataset and of others made from it.
            assert_eq!(items(dataset.iterator().unwrap()), shown(0..10), "{name}");
            assert_eq!(items(dataset.map(|x| x + 1).skip(5).iterator().unwrap()), shown(6..11), "{name}");
            assert_eq!(items(dataset.concatenate(&dataset).iterator().unwrap()).len(), 20, "{name}");
            assert_eq!(calls(&counter), 0, "{name}");
        }
    }
}

#[test]
fn within_one_iterator_too() {
    let places = Places::new();
    for cache in places.caches() {
        let (source, counter) = counted(&Dataset::range(10));
        let dataset = cache(&source).with_options(reference());
        assert_eq!(items(dataset.concatenate(&dataset).iterator().unwrap()), shown((0..10).chain(0..10)));
        assert_eq!(calls(&counter), 10);
        // What is skipped is kept all the same.
        let (source, counter) = counted(&Dataset::range(10));
        let dataset = cache(&source).with_options(reference());
        assert_eq!(items(dataset.skip(7).iterator().unwrap()), shown(7..10));
        assert_eq!(items(dataset.shard(3, 1).repeat(2).iterator().unwrap()), shown([1, 4, 7, 1, 4, 7]));
        assert_eq!(calls(&counter), 10);
    }
}

#[test]
fn a_known_number_of_elements_completes_without_asking_for_the_end() {
    let places = Places::new();
    for cache in places.caches() {
        for (name, options) in modes() {
            let (source, counter) = counted(&Dataset::range(10));
            let dataset = cache(&source).with_options(options);
            assert_eq!(items(dataset.take(10).iterator().unwrap()).len(), 10, "{name}");
            assert_eq!(items(dataset.iterator().unwrap()).len(), 10, "{name}");
            assert_eq!(calls(&counter), 10, "{name}");
        }
    }
}

/// An error makes another number of batches than the plan says, and another shard has the error.
#[test]
fn a_number_that_errors_change_is_not_counted_on() {
    let places = Places::new();
    let source = || {
        let failing = Dataset::range(9).map(|x| x.clone() + ops::floordiv(x.clone() - 6, x - 6));
        failing.batch(4).drop_remainder().shard(2, 0)
    };
    assert_eq!(source().cardinality().unwrap(), 1);
    let whole = check(&source().repeat(2));
    assert_eq!(whole.len(), 4);
    assert_eq!(places.check(&|cache| cache(&source()).repeat(2)), whole);
}

#[test]
fn a_part_is_not_taken_for_the_whole() {
    let places = Places::new();
    for cache in places.caches() {
        let (source, counter) = counted(&Dataset::range(10));
        let dataset = cache(&source).with_options(small_chunks(0));
        assert_eq!(items(dataset.take(4).iterator().unwrap()), shown(0..4));
        assert_eq!(items(dataset.iterator().unwrap()), shown(0..10));
        let computed = calls(&counter);
        assert!((10..=14).contains(&computed), "{computed}");
        assert_eq!(items(dataset.iterator().unwrap()), shown(0..10));
        assert_eq!(calls(&counter), 0);
    }
    // In memory it begins anew.
    let (source, counter) = counted(&Dataset::range(10));
    let dataset = source.cache().with_options(reference());
    assert_eq!(items(dataset.take(4).repeat(3).iterator().unwrap()), shown([0, 1, 2, 3].repeat(3)));
    assert_eq!(items(dataset.iterator().unwrap()), shown(0..10));
    assert!(calls(&counter) >= 22);
}

#[test]
fn errors_come_each_time_and_nothing_is_kept() {
    let places = Places::new();
    let checked = |cache: &Cache<'_>| {
        let rest = |x: Symbolic| ops::floordiv(x.clone(), (x - 2) * 2);
        cache(&Dataset::range(5).map(rest)).repeat(2)
    };
    let whole = places.check(&checked);
    assert_eq!(whole.iter().filter(|item| item.starts_with("error")).count(), 2, "{whole:?}");
    assert_eq!(whole[..5], whole[5..]);
    for cache in places.caches() {
        let (source, counter) = counted(&Dataset::range(5));
        let dataset = cache(&source.map(|x| ops::floordiv(x.clone(), x - 2))).with_options(reference());
        for _ in 0..3 {
            assert_eq!(dataset.iterator().unwrap().filter(Result::is_err).count(), 1);
        }
        assert_eq!(calls(&counter), 15);
        // Without the error it is as any other.
        let dataset =
            cache(&source.map(|x| ops::floordiv(x.clone(), x - 2)).ignore_errors()).with_options(reference());
        for _ in 0..3 {
            assert_eq!(dataset.iterator().unwrap().count(), 4);
        }
        assert_eq!(calls(&counter), 5);
    }
}

#[test]
fn what_is_random_before_it_is_frozen_and_behind_it_is_not() {
    let places = Places::new();
    let draw = |x: Symbolic| x + ops::cast(ops::random_uniform(Shape::scalar(), 1) * 1e6, DType::Int64);
    let before = places.check(&|cache| cache(&Dataset::range(8).shuffle(8).seed(1).map(draw)).repeat(3));
    assert_eq!(before[..8], before[8..16]);
    assert_eq!(before[..8], before[16..]);
    let behind = places.check(&|cache| cache(&Dataset::range(8)).map(draw).repeat(3));
    assert!(
        (0..8).all(|row| behind[row] != behind[8 + row] && behind[row] != behind[16 + row]),
        "{behind:?}"
    );
    // As it would be without the cache.
    assert_eq!(behind, check(&Dataset::range(8).map(draw).repeat(3)));
    let shuffled = places.check(&|cache| cache(&Dataset::range(8)).shuffle(8).seed(1).repeat(2));
    assert_eq!(shuffled, check(&Dataset::range(8).shuffle(8).seed(1).repeat(2)));
}

#[test]
fn an_unfinished_pass_does_not_change_the_order_of_the_next() {
    let dataset = Dataset::range(8).shuffle(8).seed(1).cache();
    let first = items(dataset.take(3).iterator().unwrap());
    let second = items(dataset.iterator().unwrap());
    assert_eq!(first, second[..3]);
    assert_eq!(items(dataset.iterator().unwrap()), second);
}

#[test]
fn states_are_the_same_in_every_mode_and_whatever_is_kept() {
    let places = Places::new();
    let path = places.path();
    let source = || Dataset::range(9).map(|x| x * 2).filter(|x| x.ne(4));
    let mut all: Vec<Vec<Vec<u8>>> = Vec::new();
    for cache in [&Dataset::cache as &Cache<'_>, &|dataset| dataset.cache_to(&path)] {
        let mut reference: Option<Vec<Vec<u8>>> = None;
        for (name, options) in modes() {
            remove_cache(&path);
            let dataset = cache(&source()).batch(3).repeat(2).with_options(options);
            for pass in ["filled", "kept"] {
                let states = states(&dataset, 6);
                let reference = reference.get_or_insert_with(|| states.clone());
                assert_eq!(&states, reference, "{name}, {pass}");
            }
        }
        all.extend(reference);
    }
    // Where elements are kept shows in the plan alone.
    let positions = |states: &[Vec<u8>]| -> Vec<String> {
        let text = |state: &Vec<u8>| State::from_bytes(state).unwrap().to_json();
        states.iter().map(|state| text(state).split("position").nth(1).unwrap().to_owned()).collect()
    };
    assert_eq!(positions(&all[0]), positions(&all[1]));
}

#[test]
fn states_are_small_and_say_nothing_of_what_is_kept() {
    let dataset = Dataset::range(1000).batch(10).cache();
    let mut elements = dataset.iterator().unwrap();
    elements.by_ref().take(40).for_each(drop);
    let (state, text) = (elements.state().to_bytes(), elements.state().to_json());
    assert!(text.contains(r#""position":{"passed":40}"#) && state.len() < 200, "{text}");
    let state = State::from_bytes(&state).unwrap();
    // Where nothing is kept what came already is not computed again.
    let (source, counter) = counted(&Dataset::range(100));
    let dataset = source.cache().repeat(2).with_options(reference());
    let mut elements = dataset.iterator().unwrap();
    elements.by_ref().take(40).for_each(drop);
    let saved = elements.state();
    calls(&counter);
    let (source, counter) = counted(&Dataset::range(100));
    let elsewhere = source.cache().repeat(2).with_options(reference());
    assert_eq!(elsewhere.resume(&saved).unwrap().take(60).count(), 60);
    assert_eq!(calls(&counter), 60);
    assert!(dataset.resume(&state).is_err_and(|error| error.to_string().contains("another plan")));
}

#[test]
fn seeds_of_a_restored_state_do_not_meet_what_was_kept_with_others() {
    let make = || Dataset::range(50).shuffle(50).cache().repeat(2).with_options(reference());
    let (saving, restoring) = (make(), make());
    let whole = items(saving.iterator().unwrap());
    let other = items(restoring.iterator().unwrap());
    assert_ne!(whole, other);
    for passed in [10, 60] {
        let mut elements = saving.iterator_of(0).unwrap();
        elements.by_ref().take(passed).for_each(drop);
        assert_eq!(items(restoring.resume(&elements.state()).unwrap()), whole[passed..]);
    }
    assert_eq!(items(restoring.iterator_of(0).unwrap()), other);
}

#[test]
fn iterators_at_the_same_time_do_not_disturb_each_other() {
    let places = Places::new();
    for cache in places.caches() {
        for threads in [0, 4] {
            let (source, counter) = counted(&Dataset::range(100));
            let dataset = cache(&source).with_options(small_chunks(threads));
            let mut one = dataset.iterator().unwrap();
            let mut two = dataset.iterator().unwrap();
            let mut found = (Vec::new(), Vec::new());
            for _ in 0..100 {
                found.0.push(show(&one.next().unwrap()));
                found.1.push(show(&two.next().unwrap()));
            }
            assert!(one.next().is_none() && two.next().is_none());
            assert_eq!(found, (shown(0..100), shown(0..100)));
            calls(&counter);
            assert_eq!(items(dataset.iterator().unwrap()), shown(0..100));
            assert_eq!(calls(&counter), 0);
            let pair = Structure::Tuple(vec![dataset.clone().into(), dataset.clone().into()]);
            assert_eq!(Dataset::zip(&pair).iterator().unwrap().count(), 100);
        }
    }
}

#[test]
fn many_threads_share_one_cache() {
    let places = Places::new();
    for cache in places.caches() {
        let dataset =
            cache(&Dataset::range(2000).map(|x| x * 2)).with_options(Options::new().block_size(100));
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for _ in 0..3 {
                        assert_eq!(items(dataset.iterator().unwrap()), shown((0..2000).map(|x| x * 2)));
                    }
                });
            }
        });
    }
}

#[test]
fn memory_is_charged_while_an_iterator_uses_it() {
    let rows = large_elements(1000);
    let dataset = rows.cache().with_options(reference());
    let mut elements = dataset.iterator().unwrap();
    assert_eq!(elements.by_ref().count(), 1000);
    assert!((8_000_000..8_200_000).contains(&elements.budget().used_bytes()));
    let mut again = dataset.repeat(2).iterator().unwrap();
    assert_eq!(again.budget().used_bytes(), 0);
    again.next();
    assert!((8_000_000..8_200_000).contains(&again.budget().used_bytes()));
    assert_eq!(again.by_ref().count(), 1999);
    assert!(again.budget().peak_bytes() < 8_300_000, "{:?}", again.budget());
}

#[test]
fn a_cache_that_cannot_fit_says_so() {
    let large = large_elements(1000);
    let options = reference().memory_budget(1_000_000);
    let dataset = large.cache().with_options(options.clone());
    let error = dataset.repeat(2).iterator().unwrap_err().to_string();
    assert_eq!(
        error,
        "cache: 1000 elements of 8000 bytes need 8000000 bytes, the memory budget has 1000000, of which caches may have 875000\n\
         hint: keep it in files (a cache with a folder), cache before decoding, or raise the memory budget"
    );
    assert_eq!(dataset.take(5).iterator().unwrap().count(), 5);
}

/// Options that collect what is told beside the elements, and where.
fn listening(options: Options) -> (Options, Arc<Mutex<Vec<String>>>) {
    let told = Arc::new(Mutex::new(Vec::new()));
    let listener = Arc::clone(&told);
    (options.on_notice(move |text| listener.lock().unwrap().push(text.to_owned())), told)
}

/// Elements of 400 bytes, whose number no plan knows.
fn filtered(count: i64) -> Dataset {
    Dataset::range(count).map(|x| ops::stack(vec![x; 50], 0)).filter(|x| x.index(0).ge(0))
}

/// Found out on the way: told once, and the elements are those that come without a cache, also to steps that count them.
#[test]
fn a_cache_that_outgrows_the_budget_shows_in_no_element() {
    type Behind = fn(Dataset) -> Dataset;
    let behind: [(&str, Behind); 7] = [
        ("nothing", |dataset| dataset),
        ("shard", |dataset| dataset.shard(2, 1)),
        ("skip", |dataset| dataset.skip(150)),
        ("take", |dataset| dataset.take(200)),
        ("enumerate", |dataset| dataset.enumerate(0)),
        ("batch", |dataset| dataset.batch(7)),
        ("zip", |dataset| Dataset::zip(&Structure::Tuple(vec![dataset.into(), Dataset::range(300).into()]))),
    ];
    let source = filtered(300);
    for (step, behind) in behind {
        let whole = items(behind(source.clone()).repeat(2).with_options(reference()).iterator().unwrap());
        for (name, options) in modes() {
            let (options, told) = listening(options.memory_budget(50_000));
            let dataset = behind(source.cache()).repeat(2).with_options(options);
            assert_eq!(items(dataset.iterator_of(0).unwrap()), whole, "{step}, {name}");
            let told = std::mem::take(&mut *told.lock().unwrap());
            assert_eq!(told.len(), 1, "{step}, {name}: {told:?}");
            assert!(
                told[0].starts_with("feedline: cache: ")
                    && told[0].contains("bytes are held after ")
                    && told[0].contains("\nhint: keep it in files (a cache with a folder)"),
                "{}",
                told[0]
            );
        }
    }
}

#[test]
fn a_pass_that_outgrows_the_budget_resumes_everywhere() {
    let source = filtered(40);
    let whole = items(source.shard(3, 1).repeat(2).with_options(reference()).iterator().unwrap());
    for threads in [0, 2] {
        let options = Options::new().threads(threads).block_size(800).memory_budget(5_000);
        let (options, told) = listening(options);
        let dataset = source.cache().shard(3, 1).repeat(2).with_options(options);
        for passed in 0..=whole.len() {
            let mut elements = dataset.iterator_of(0).unwrap();
            elements.by_ref().take(passed).for_each(drop);
            assert_eq!(items(dataset.resume(&elements.state()).unwrap()), whole[passed..], "{passed}");
        }
        assert!(!told.lock().unwrap().is_empty());
    }
}

#[test]
fn a_cache_that_outgrew_the_budget_holds_nothing_and_is_not_filled_again() {
    let (options, told) = listening(reference().memory_budget(100_000));
    let endless = Dataset::range(10).repeat(None).cache().with_options(options.clone());
    let mut elements = endless.iterator().unwrap();
    assert!(elements.by_ref().take(100_000).all(|item| item.is_ok()));
    assert!(elements.budget().used_bytes() < 70_000, "{:?}", elements.budget());
    assert_eq!(told.lock().unwrap().drain(..).count(), 1);
    // The second epoch would outgrow it as the first did; what fits is kept.
    let large = Dataset::range(20_000).filter(|x| x.ge(0)).cache().repeat(2).with_options(options);
    let mut elements = large.iterator().unwrap();
    assert!(elements.by_ref().take(30_000).all(|item| item.is_ok()));
    assert!(elements.budget().used_bytes() < 70_000, "{:?}", elements.budget());
    assert_eq!(elements.count(), 10_000);
    assert_eq!(told.lock().unwrap().len(), 1);
}

#[test]
fn datasets_made_of_elements_may_share_one() {
    let places = Places::new();
    for cache in places.caches() {
        let (source, counter) = counted(&Dataset::range(3));
        let shared = cache(&source);
        let dataset =
            Dataset::range(4).flat_map(|x| shared.map(|y| x.clone() * 10 + y)).with_options(reference());
        let expected = shown((0..4).flat_map(|x| (0..3).map(move |y| x * 10 + y)));
        assert_eq!(items(dataset.iterator().unwrap()), expected);
        assert_eq!(calls(&counter), 3);
    }
    let in_a_folder =
        Dataset::range(4).flat_map(|x| Dataset::range(3).map(|y| y + x).cache_to(places.path()));
    let error = in_a_folder.iterator().unwrap_err().to_string();
    assert!(error.contains("flat_map: cache: what comes before it depends on the element"), "{error}");
}

#[test]
fn each_dataset_made_of_an_element_has_its_own_in_memory() {
    let own = Dataset::range(3).flat_map(|x| Dataset::range(3).map(|y| y + x).cache());
    assert_eq!(check(&own), shown([0, 1, 2, 1, 2, 3, 2, 3, 4]));
    // Filled once for all its epochs, and in no other dataset's.
    let (source, counter) = counted(&Dataset::range(3));
    let repeated = Dataset::range(4).flat_map(|x| source.map(|y| x.clone() * 10 + y).cache().repeat(2));
    let expected = (0..4).flat_map(|x| (0..6).map(move |y| x * 10 + y % 3));
    assert_eq!(items(repeated.with_options(reference()).iterator().unwrap()), shown(expected.clone()));
    assert_eq!(calls(&counter), 12);
    assert_eq!(check(&repeated), shown(expected));
    let in_turn = Dataset::range(4)
        .interleave(|x| Dataset::range(3).map(|y| x * 10 + y).cache().shuffle(3).seed(1).repeat(2))
        .cycle_length(2);
    assert_eq!(check(&in_turn).len(), 24);
    // Random values behind it are those there would be without.
    let drawn = |cache: fn(&Dataset) -> Dataset| {
        let dataset = Dataset::range(3).flat_map(|x| {
            let rows = cache(&Dataset::range(4).map(|y| x + y)).repeat(2);
            rows.map(|y| ops::cast(y, DType::Float32) + ops::random_uniform(Shape::scalar(), 5))
        });
        check(&dataset)
    };
    assert_eq!(drawn(Dataset::cache), drawn(Dataset::clone));
}

#[test]
fn plans_show_it_and_know_their_elements() {
    let dataset = Dataset::range(10).cache();
    assert_eq!(dataset.cardinality().unwrap(), 10);
    assert_eq!(dataset.repeat(None).cache().cardinality().unwrap(), -1);
    let explained =
        Dataset::range(10).map(|x| x + 1).cache_to("somewhere").repeat(2).explain().unwrap().to_string();
    assert!(explained.contains("cache(somewhere)"), "{explained}");
    let error = Dataset::range(10).cache_to("").check().unwrap_err().to_string();
    assert!(
        error.contains("engine_cache/main.rs") && error.contains("cache_to: the path is empty"),
        "{error}"
    );
}
