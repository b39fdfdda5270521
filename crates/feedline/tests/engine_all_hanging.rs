//! As many iterators of the user's hang as there are threads for them. A program of its own: nobody gets a thread here any more.
#![allow(clippy::unwrap_used, reason = "tests")]

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use feedline::data::block::Tensor;
use feedline::data::{DType, ElementSpec, TensorSpec};
use feedline::{Dataset, Options};

const NUM_THREADS: usize = 1024;

#[test]
fn who_waits_for_a_thread_that_nobody_gives_back_says_so() {
    let number = ElementSpec::Leaf(TensorSpec::scalar(DType::Int64));
    let begun = Arc::new(AtomicUsize::new(0));
    let begun_there = Arc::clone(&begun);
    let hanging = Dataset::from_iter("hanging", number.clone(), move || {
        begun_there.fetch_add(1, Ordering::SeqCst);
        std::iter::from_fn(|| {
            loop {
                std::thread::park();
            }
        })
    });
    let mut hung = Vec::new();
    for count in 0..NUM_THREADS {
        let mut elements = hanging.iterator().unwrap();
        assert!(elements.next_unless(|| begun.load(Ordering::SeqCst) > count).is_err(), "it hangs");
        hung.push(elements);
    }
    let told = Arc::new(Mutex::new(String::new()));
    let listener = Arc::clone(&told);
    let options = Options::new().stall_after(Duration::from_millis(20));
    let options = options.on_notice(move |text| listener.lock().unwrap().push_str(text));
    let one_more =
        Dataset::from_iter("one more", number, || (0..3_i64).map(|n| Ok(Tensor::scalar(n).into())));
    let mut elements = one_more.with_options(options).iterator().unwrap();
    assert!(elements.next_unless(|| !told.lock().unwrap().is_empty()).is_err(), "no thread is free");
    let told = told.lock().unwrap();
    assert!(told.contains("waiting for a thread to run the iterator's own code: 1024 iterators"), "{told}");
    assert!(told.contains("step 1 is the one that holds up the others"), "{told}");
}
