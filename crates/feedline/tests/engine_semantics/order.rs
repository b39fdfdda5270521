//! Who says whether order is kept.

use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use feedline::data::{DType, Structure, TensorSpec};
use feedline::{Dataset, Options};

use crate::{Case, run};

pub(crate) const CASES: &[Case] = &[("batch_determinism_precedence", determinism_precedence)];

#[test]
fn order() {
    run(CASES);
}

/// What a map says itself counts, and what the options say where it says nothing. (In tf.data `batch` can give up order, too;
/// here batches come in the order of their elements, so the map before it is what says.)
fn determinism_precedence() {
    for of_options in [None, Some(true), Some(false)] {
        for own in [None, Some(true), Some(false)] {
            let is_kept = own.or(of_options).unwrap_or(true);
            let options = Options::new().threads(4);
            let options = of_options.map_or(options.clone(), |kept| options.deterministic(kept));
            let (dataset, gate) = gated(!is_kept);
            let dataset =
                own.map_or(dataset.clone(), |kept| dataset.deterministic(kept)).with_options(options);
            let words = format!("own {own:?}, options {of_options:?}");
            let mut elements = dataset.iterator().unwrap();
            let mut numbers: Vec<i64> = elements.by_ref().take(29).map(number).collect();
            gate.open();
            numbers.extend(elements.map(number));
            if is_kept {
                assert_eq!(numbers, (0..30).collect::<Vec<i64>>(), "{words}");
            } else {
                assert_eq!(numbers[29], 0, "{words}: the first is the last to be ready");
                numbers.sort_unstable();
                assert_eq!(numbers, (0..30).collect::<Vec<i64>>(), "{words}");
            }
        }
    }
}

/// 0 to 29, the first of which is not ready before the gate opens, or, where it is not to wait for that, comes a little late.
fn gated(is_closed: bool) -> (Dataset, Arc<Gate>) {
    let gate = Arc::new(Gate::default());
    let own = Arc::clone(&gate);
    let output = Structure::Leaf(TensorSpec::scalar(DType::Int64));
    let dataset = Dataset::range(30).map_native("gate", output, move |element| {
        if element.leaves()[0].as_slice::<i64>()[0] == 0 {
            if is_closed { own.wait() } else { std::thread::sleep(Duration::from_millis(5)) }
        }
        Ok(element)
    });
    (dataset.num_parallel_calls(4), gate)
}

#[derive(Default)]
struct Gate {
    is_open: Mutex<bool>,
    changed: Condvar,
}

impl Gate {
    fn open(&self) {
        *self.is_open.lock().unwrap() = true;
        self.changed.notify_all();
    }

    fn wait(&self) {
        let is_open = self.is_open.lock().unwrap();
        drop(self.changed.wait_while(is_open, |is_open| !*is_open).unwrap());
    }
}

fn number(item: <feedline::Elements as Iterator>::Item) -> i64 {
    item.unwrap().leaves()[0].as_slice::<i64>()[0]
}
