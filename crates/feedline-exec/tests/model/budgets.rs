//! The budget: what asks keeps the limit, whoever else does, and everything goes back.

use shuttle::thread;

use crate::budget::Budget;
use crate::explore;

#[test]
fn those_who_ask_never_exceed_the_limit_together() {
    explore(|| {
        let budget = Budget::new(100);
        let threads: Vec<_> = [60, 50, 40]
            .map(|bytes| {
                let budget = budget.clone();
                thread::spawn(move || {
                    for _ in 0..2 {
                        if let Some(mut charge) = budget.try_charge(bytes) {
                            assert!(budget.used_bytes() <= 100);
                            charge.try_grow(10);
                            charge.shrink(5);
                        }
                    }
                })
            })
            .into_iter()
            .collect();
        threads.into_iter().for_each(|thread| thread.join().expect("no panic"));
        assert_eq!(budget.used_bytes(), 0);
        assert!((40..=100).contains(&budget.peak_bytes()), "{}", budget.peak_bytes());
    });
}

#[test]
fn what_is_charged_without_asking_is_counted_and_given_back() {
    explore(|| {
        let budget = Budget::new(100);
        let other = budget.clone();
        let thread = thread::spawn(move || {
            let mut forced = other.charge(90);
            forced.resize(30);
            forced.resize(120);
            drop(forced);
        });
        let asked = budget.try_charge(20);
        drop(asked);
        thread.join().expect("no panic");
        assert_eq!(budget.used_bytes(), 0);
        assert!(budget.peak_bytes() >= 120);
    });
}

#[test]
fn asking_keeps_the_limit_and_drop_gives_back() {
    shuttle::check_dfs(
        || {
            let budget = Budget::new(100);
            let mut first = budget.try_charge(60).expect("fits");
            assert!(budget.try_charge(41).is_none());
            first.grow(40);
            let forced = budget.charge(10);
            assert_eq!((budget.used_bytes(), budget.peak_bytes()), (110, 110));
            first.shrink(50);
            drop((first, forced));
            assert_eq!(budget.used_bytes(), 0);
        },
        None,
    );
}

#[test]
fn reservations_keep_the_limit_together_whatever_runs_ahead() {
    explore(|| {
        let budget = Budget::new(100);
        // An eighth is kept for who need not ask.
        let ahead = budget.try_charge(80).expect("fits");
        let other = budget.clone();
        let thread = thread::spawn(move || other.try_reserve(60).map(drop));
        let refused = match budget.try_reserve(60) {
            Ok(reserved) => {
                assert!(budget.try_charge(1).is_none(), "what asks keeps to what is left");
                drop(reserved);
                false
            }
            Err(others) => others == 60,
        };
        let other = thread.join().expect("no panic");
        assert!(other.is_ok() || other == Err(60));
        assert!(!(refused && other.is_err()), "one of them fits");
        drop(ahead);
        assert_eq!(budget.used_bytes(), 0);
        assert!(budget.try_reserve(100).is_ok(), "all of it was given back");
    });
}
