//! Turns: who was told that it is not his is woken when it comes, also when streams nest.

use std::future::poll_fn;
use std::task::{Context, Poll, Wake, Waker};

use shuttle::future::block_on;
use shuttle::sync::Arc;
use shuttle::sync::atomic::{AtomicBool, Ordering};
use shuttle::thread;

use crate::explore;
use crate::hand_over::HandOver;
use crate::turn::Turn;

#[test]
fn who_waits_for_a_turn_is_woken() {
    explore(|| {
        let outer = Turn::within(&Turn::always());
        let inner = Turn::within(&outer);
        let waiting: Vec<_> = (0..2)
            .map(|_| {
                let inner = Arc::clone(&inner);
                thread::spawn(move || {
                    block_on(poll_fn(|cx| if inner.has_come(cx) { Poll::Ready(()) } else { Poll::Pending }));
                })
            })
            .collect();
        // It comes, goes and comes again; the one around it comes in between.
        inner.begin();
        inner.end();
        outer.begin();
        inner.begin();
        waiting.into_iter().for_each(|thread| thread.join().expect("no panic"));
    });
}

/// As a reader's threads do: they act on a turn that may be over when they look, for one who has asked while it was not.
#[test]
fn who_asks_is_woken_the_next_time() {
    explore(|| {
        let turn = Turn::within(&Turn::always());
        let done = Arc::new(AtomicBool::new(false));
        let act = |turn: &Turn, done: &AtomicBool| {
            if turn.is_now() {
                done.store(true, Ordering::SeqCst);
            }
        };
        let asks = {
            let (turn, done) = (Arc::clone(&turn), Arc::clone(&done));
            thread::spawn(move || {
                block_on(poll_fn(|cx| {
                    turn.wake_when_it_comes(cx);
                    act(&turn, &done);
                    if done.load(Ordering::SeqCst) { Poll::Ready(()) } else { Poll::Pending }
                }));
            })
        };
        turn.begin();
        turn.end();
        turn.begin();
        asks.join().expect("no panic");
    });
}

/// As a prefetch among many does: who gives ends the turn before what he gives can be taken, who finds nothing lets it come again.
#[test]
fn who_gives_one_at_a_turn_gives_all() {
    explore(|| {
        let (turn, queue) = (Turn::of_input(&Turn::always()), Arc::new(HandOver::new(Vec::new())));
        let gives = {
            let (turn, queue) = (Arc::clone(&turn), Arc::clone(&queue));
            thread::spawn(move || {
                for item in 0..3 {
                    block_on(poll_fn(|cx| if turn.has_come(cx) { Poll::Ready(()) } else { Poll::Pending }));
                    turn.served();
                    queue.give(|queue| queue.push(item));
                }
            })
        };
        let mut taken = Vec::new();
        while taken.len() < 3 {
            taken.extend(block_on(poll_fn(|cx| {
                turn.begin();
                queue.poll_take(cx, |queue| (!queue.is_empty()).then(|| std::mem::take(queue)))
            })));
        }
        assert_eq!(taken, [0, 1, 2]);
        gives.join().expect("no panic");
        let always = Turn::always();
        always.served();
        assert!(always.is_now(), "that of the whole plan does not end");
    });
}

/// How often somebody was woken.
#[derive(Default)]
struct Count(std::sync::atomic::AtomicUsize);

impl Wake for Count {
    fn wake(self: std::sync::Arc<Self>) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

#[test]
fn who_was_told_no_is_woken_when_it_comes() {
    let asking = || {
        let woken = std::sync::Arc::new(Count::default());
        let (waker, count) = (Waker::from(std::sync::Arc::clone(&woken)), || woken.0.load(Ordering::SeqCst));
        let cx = Context::from_waker(&waker);
        let outer = Turn::within(&Turn::always());
        let inner = Turn::within(&outer);
        assert!(!inner.has_come(&cx) && !inner.has_come(&cx));
        outer.begin();
        assert_eq!(count(), 1, "once, however often he asked");
        assert!(!inner.has_come(&cx), "its own has not");
        inner.begin();
        assert_eq!(count(), 2);
        assert!(inner.has_come(&cx));
        inner.wake_when_it_comes(&cx);
        inner.begin();
        assert_eq!(count(), 2, "it was already");
        inner.end();
        inner.begin();
        assert_eq!(count(), 3, "the next time");
    };
    shuttle::check_dfs(asking, None);
}
