//! Code of the user's that hangs. A program of its own: nobody can end a thread that hangs.
#![allow(clippy::unwrap_used, reason = "tests")]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use feedline::data::block::Tensor;
use feedline::data::{DType, ElementSpec, TensorSpec};
use feedline::records::RecordWriter;
use feedline::{Dataset, Options};

/// More than there are threads that read.
const NUM_HANGING: usize = 80;

fn number() -> ElementSpec {
    ElementSpec::Leaf(TensorSpec::scalar(DType::Int64))
}

#[test]
fn iterators_that_hung_and_were_dropped_stop_nobody_else() {
    let begun = Arc::new(AtomicUsize::new(0));
    std::thread::scope(|scope| {
        for _ in 0..NUM_HANGING {
            scope.spawn(|| {
                let begun_here = Arc::clone(&begun);
                let hanging = Dataset::from_iter("hanging", number(), move || {
                    begun_here.fetch_add(1, Ordering::SeqCst);
                    std::iter::from_fn(|| {
                        loop {
                            std::thread::park();
                        }
                    })
                });
                let hanging = hanging.with_options(Options::new().threads(1));
                let all_hang = || begun.load(Ordering::SeqCst) == NUM_HANGING;
                let nothing = hanging.iterator().unwrap().next_unless(all_hang);
                assert!(nothing.is_err(), "it hangs");
            });
        }
    });
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("some.tfrecord");
    let mut writer = RecordWriter::create(&path, None).unwrap();
    for record in 0..100 {
        writer.write(format!("record {record}").as_bytes()).unwrap();
    }
    writer.finish().unwrap();
    let others = [
        Dataset::tf_record(&[&path]).unwrap(),
        Dataset::range(100).cache_to(folder.path().join("cache")),
        Dataset::from_iter("counting", number(), || (0..100_i64).map(|n| Ok(Tensor::scalar(n).into()))),
    ];
    for other in others {
        let other = other.with_options(Options::new().threads(2));
        assert_eq!(other.iterator().unwrap().flatten().count(), 100);
    }
}
