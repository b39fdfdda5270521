//! Plans of very many steps: they run and are restored, or are refused; no stack is ever too small.
#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

use feedline::{Dataset, Options, State};

/// A step more.
type Add = fn(&Dataset) -> Dataset;

const ADDED: [(&str, Add); 11] = [
    ("map", |dataset| dataset.map(|x| x + 1)),
    ("map_native", |dataset| {
        dataset.map_native("same", Dataset::range(1).element_spec().unwrap().clone(), Ok)
    }),
    ("repeat", |dataset| dataset.repeat(2).take(30)),
    ("skip", |dataset| dataset.skip(0).take_while(|x| x.ge(0))),
    ("unbatch", |dataset| dataset.batch(2).unbatch()),
    ("prefetch", |dataset| dataset.prefetch(1)),
    ("take", |dataset| dataset.take(1000)),
    ("filter", |dataset| dataset.filter(|x| x.ge(0))),
    ("shuffle", |dataset| dataset.shuffle(2).seed(3)),
    ("concatenate", |dataset| dataset.concatenate(&Dataset::range(1))),
    ("flat_map", |dataset| {
        let inner = dataset.clone();
        Dataset::range(1).flat_map(move |_| inner.clone())
    }),
];

fn long(add: Add, steps: usize) -> Dataset {
    (1..steps).fold(Dataset::range(30), |dataset, _| add(&dataset))
}

/// A quarter of what a thread has. What a step takes of it depends on how it was built.
fn on_small_stack(act: fn()) {
    std::thread::Builder::new().stack_size(512 << 10).spawn(act).unwrap().join().unwrap();
}

#[test]
fn hundreds_of_steps_run_and_are_restored() {
    on_small_stack(run_and_restore_all);
}

fn run_and_restore_all() {
    for (name, add) in ADDED {
        let dataset = long(
            add,
            match name {
                // They are two steps.
                "flat_map" | "repeat" | "skip" | "unbatch" => 249,
                // It saves several places of its input, each of which holds several of the input before.
                "shuffle" => 8,
                _ => 490,
            },
        );
        for threads in [0, 2] {
            let dataset = dataset.with_options(Options::new().threads(threads));
            let whole = dataset.iterator().unwrap().count();
            let mut elements = dataset.iterator().unwrap();
            assert!(elements.by_ref().take(20).all(|item| item.is_ok()), "{name}");
            let saved = elements.state().to_bytes();
            drop(elements);
            let state = State::from_bytes(&saved).unwrap();
            assert_eq!(dataset.resume(&state).unwrap().count(), whole - 20, "{name}, {threads} threads");
        }
    }
}

#[test]
fn more_of_them_are_refused_where_they_are_added() {
    on_small_stack(refuse_all);
}

fn refuse_all() {
    for (name, add) in ADDED {
        let error = long(add, 20_000).check().expect_err("too long").to_string();
        assert!(error.contains("more than 500 steps come one behind the other"), "{name}: {error}");
        assert!(error.contains("hint: "), "{name}: {error}");
    }
}
