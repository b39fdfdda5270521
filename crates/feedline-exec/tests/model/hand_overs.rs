//! Giving and taking: no wake-up is lost on either side.

use std::collections::VecDeque;
use std::future::poll_fn;

use shuttle::future::block_on;
use shuttle::sync::Arc;
use shuttle::thread;

use crate::explore;
use crate::hand_over::HandOver;

/// A queue as a prefetch uses it.
#[derive(Default)]
struct Queue {
    items: VecDeque<u32>,
    has_ended: bool,
}

fn put_all(queue: &HandOver<Queue>, max_items: usize, items: std::ops::Range<u32>) {
    for item in items {
        let room = |queue: &mut Queue| (queue.items.len() < max_items).then_some(());
        block_on(poll_fn(|cx| queue.poll_room(cx, room)));
        queue.give(|queue| queue.items.push_back(item));
    }
    queue.give(|queue| queue.has_ended = true);
}

fn take(queue: &HandOver<Queue>) -> Option<u32> {
    block_on(poll_fn(|cx| {
        queue.poll_take(cx, |queue| match queue.items.pop_front() {
            None => queue.has_ended.then_some(None),
            item => Some(item),
        })
    }))
}

#[test]
fn a_bounded_queue_hands_over_everything_in_order() {
    for max_items in [1, 2] {
        explore(move || {
            let queue = Arc::new(HandOver::new(Queue::default()));
            let giver = Arc::clone(&queue);
            let giver = thread::spawn(move || put_all(&giver, max_items, 0..4));
            let taken: Vec<u32> = std::iter::from_fn(|| take(&queue)).collect();
            assert_eq!(taken, [0, 1, 2, 3]);
            assert_eq!(take(&queue), None, "the end stays the end");
            giver.join().expect("no panic");
        });
    }
}

/// As the pieces of a file, or the records of a window, arrive: from several threads, and only the last wakes.
#[test]
fn the_last_of_several_wakes() {
    explore(|| {
        let left = Arc::new(HandOver::new(3_u32));
        let threads: Vec<_> = (0..3)
            .map(|_| {
                let left = Arc::clone(&left);
                thread::spawn(move || {
                    left.give_if(|left| {
                        *left -= 1;
                        ((), *left == 0)
                    });
                })
            })
            .collect();
        block_on(poll_fn(|cx| left.poll_take(cx, |left| (*left == 0).then_some(()))));
        threads.into_iter().for_each(|thread| thread.join().expect("no panic"));
    });
}

/// As a prefetch behind which nobody knows how much is wanted: the giver rests until he is asked for more.
#[test]
fn a_giver_that_rests_goes_on_when_he_is_asked() {
    #[derive(Default)]
    struct Asked {
        items: VecDeque<u32>,
        wanted: u32,
    }
    explore(|| {
        let queue = Arc::new(HandOver::new(Asked::default()));
        let giver = Arc::clone(&queue);
        let giver = thread::spawn(move || {
            for item in 0..3 {
                let is_wanted = |queue: &mut Asked| (queue.wanted > 0).then_some(());
                block_on(poll_fn(|cx| giver.poll_room(cx, is_wanted)));
                giver.give(|queue| {
                    queue.wanted -= 1;
                    queue.items.push_back(item);
                });
            }
        });
        let take = || {
            block_on(poll_fn(|cx| {
                let mut is_wanted = true;
                let polled = queue.poll_take(cx, |queue| {
                    is_wanted = queue.wanted > 0;
                    queue.items.pop_front()
                });
                if polled.is_pending() && !is_wanted {
                    queue.ask(|queue| queue.wanted = 1);
                }
                polled
            }))
        };
        queue.ask(|queue| queue.wanted = 2);
        assert_eq!([take(), take(), take()], [0, 1, 2]);
        giver.join().expect("no panic");
    });
}

/// As a result of a job that may die: the promise tells so by drop.
#[test]
fn an_answer_arrives_also_if_the_one_who_works_dies() {
    struct Promise(Arc<HandOver<Option<Result<u32, ()>>>>);

    impl Drop for Promise {
        fn drop(&mut self) {
            self.0.give(|place| {
                place.get_or_insert(Err(()));
            });
        }
    }

    for dies in [false, true] {
        explore(move || {
            let slot = Arc::new(HandOver::new(None));
            let promise = Promise(Arc::clone(&slot));
            let worker = thread::spawn(move || {
                if !dies {
                    promise.0.give(|place| *place = Some(Ok(7)));
                }
                drop(promise);
            });
            let answer = block_on(poll_fn(|cx| slot.poll_take(cx, Option::take)));
            assert_eq!(answer, if dies { Err(()) } else { Ok(7) });
            worker.join().expect("no panic");
        });
    }
}

/// The taker goes away while the giver waits for room, or is about to: the giver is woken by whoever closes.
#[test]
fn a_giver_that_waits_is_woken_when_room_is_made_by_the_end() {
    explore(|| {
        let queue = Arc::new(HandOver::new(Queue::default()));
        let giver = Arc::clone(&queue);
        let giver = thread::spawn(move || {
            for item in 0..3 {
                let room = |queue: &mut Queue| {
                    if queue.has_ended {
                        return Some(false);
                    }
                    queue.items.is_empty().then_some(true)
                };
                if !block_on(poll_fn(|cx| giver.poll_room(cx, room))) {
                    return;
                }
                giver.give(|queue| queue.items.push_back(item));
            }
        });
        assert_eq!(take(&queue), Some(0));
        let waker = std::task::Waker::noop();
        let closed = queue.poll_take(&std::task::Context::from_waker(waker), |queue| {
            queue.has_ended = true;
            Some(())
        });
        assert!(closed.is_ready());
        giver.join().expect("no panic");
    });
}
