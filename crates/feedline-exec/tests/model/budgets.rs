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
