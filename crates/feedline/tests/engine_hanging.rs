//! Code of the user's that hangs. A program of its own: nobody can end a thread that hangs.
#![allow(clippy::unwrap_used, reason = "tests")]

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, mpsc};

use feedline::data::block::Tensor;
use feedline::data::{DType, ElementSpec, Structure, TensorSpec};
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

/// Numbers whose end is waited for.
struct SlowToDrop {
    next: i64,
    may_end: mpsc::Receiver<()>,
    ended: mpsc::Sender<()>,
}

impl Iterator for SlowToDrop {
    type Item = Result<Structure<Tensor>, Box<dyn std::error::Error + Send + Sync>>;

    fn next(&mut self) -> Option<Self::Item> {
        self.next += 1;
        Some(Ok(Tensor::scalar(self.next).into()))
    }
}

impl Drop for SlowToDrop {
    fn drop(&mut self) {
        self.may_end.recv().unwrap();
        self.ended.send(()).unwrap();
    }
}

#[test]
fn who_drops_an_iterator_does_not_wait_for_the_end_of_its_code() {
    for rows in [1, 3000] {
        let (allow, may_end) = mpsc::channel();
        let (ended, has_ended) = mpsc::channel();
        let slow = Mutex::new(Some(SlowToDrop { next: 0, may_end, ended }));
        let dataset = Dataset::from_iter("slow", number(), move || slow.lock().unwrap().take().unwrap());
        let mut elements = dataset.with_options(Options::new().threads(1)).iterator().unwrap();
        assert_eq!(elements.by_ref().take(rows).flatten().count(), rows);
        drop(elements);
        allow.send(()).unwrap();
        has_ended.recv().unwrap();
    }
}
