//! The workers' list: every task is taken once, and nobody sleeps on when there is something to do or to end.

use std::collections::VecDeque;

use shuttle::sync::{Arc, Mutex};
use shuttle::thread;

use crate::explore;
use crate::ready_list::ReadyList;

#[test]
fn each_item_is_taken_once_and_closing_ends_all_threads() {
    explore(|| {
        let list = Arc::new(ReadyList::new());
        let taken = Arc::new(Mutex::new(Vec::new()));
        let workers: Vec<_> = (0..2)
            .map(|_| {
                let (list, taken) = (Arc::clone(&list), Arc::clone(&taken));
                thread::spawn(move || {
                    while let Some(item) = list.pop() {
                        let mut taken = taken.lock().expect("no panic");
                        taken.push(item);
                        // The last one closes, while others may be about to wait.
                        if taken.len() == 4 {
                            drop(taken);
                            list.close();
                        }
                    }
                })
            })
            .collect();
        let other = Arc::clone(&list);
        let pusher = thread::spawn(move || {
            [(1, 10), (0, 11)].into_iter().for_each(|(level, item)| other.push(level, item));
        });
        [(2, 12), (0, 13)].into_iter().for_each(|(level, item)| list.push(level, item));
        pusher.join().expect("no panic");
        workers.into_iter().for_each(|worker| worker.join().expect("no panic"));
        let mut taken = taken.lock().expect("no panic").clone();
        taken.sort_unstable();
        assert_eq!(taken, [10, 11, 12, 13]);
    });
}

#[test]
fn what_is_pushed_while_the_list_closes_is_dropped_by_somebody() {
    explore(|| {
        let list = Arc::new(ReadyList::new());
        let held = std::sync::Arc::new(());
        let worker = {
            let list = Arc::clone(&list);
            thread::spawn(move || {
                while list.pop().is_some() {}
                list.drop_left();
            })
        };
        let pusher = {
            let (list, held) = (Arc::clone(&list), std::sync::Arc::clone(&held));
            thread::spawn(move || (0..3).for_each(|level| list.push(level, std::sync::Arc::clone(&held))))
        };
        list.close();
        pusher.join().expect("no panic");
        worker.join().expect("no panic");
        assert_eq!(std::sync::Arc::strong_count(&held), 1);
    });
}

/// Tasks as the pool makes them, which wake and drop each other.
#[test]
fn woken_and_dropped_tasks_end_with_what_they_hold() {
    use std::future::poll_fn;
    use std::task::{Poll, Waker};

    explore(|| {
        let list = Arc::new(ReadyList::<async_task::Runnable>::new());
        let workers: Vec<_> = (0..2)
            .map(|_| {
                let list = Arc::clone(&list);
                thread::spawn(move || {
                    while let Some(runnable) = list.pop() {
                        runnable.run();
                    }
                    list.drop_left();
                })
            })
            .collect();
        let held = std::sync::Arc::new(());
        let waiting: Arc<Mutex<VecDeque<Waker>>> = Arc::default();
        let spawn = |is_woken: bool| {
            let weak = Arc::downgrade(&list);
            let schedule = move |runnable| {
                if let Some(list) = weak.upgrade() {
                    list.push(0, runnable);
                }
            };
            let (held, waiting) = (std::sync::Arc::clone(&held), Arc::clone(&waiting));
            let mut is_second = false;
            let future = poll_fn(move |cx| {
                assert!(std::sync::Arc::strong_count(&held) > 1, "the test has one too");
                if std::mem::replace(&mut is_second, true) && is_woken {
                    return Poll::Ready(());
                }
                waiting.lock().expect("no panic").push_back(cx.waker().clone());
                if is_woken {
                    cx.waker().wake_by_ref();
                }
                Poll::Pending
            });
            let (runnable, task) = async_task::spawn(future, schedule);
            runnable.schedule();
            task
        };
        let (woken, never_woken) = (spawn(true), spawn(false));
        shuttle::future::block_on(woken);
        drop(never_woken);
        let wakers: Vec<Waker> = waiting.lock().expect("no panic").drain(..).collect();
        wakers.into_iter().for_each(Waker::wake);
        list.close();
        workers.into_iter().for_each(|worker| worker.join().expect("no panic"));
        drop(waiting);
        assert_eq!(std::sync::Arc::strong_count(&held), 1);
    });
}
