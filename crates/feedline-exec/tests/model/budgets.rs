//! The budget: what asks keeps the limit, whoever else does, and everything goes back.

use shuttle::thread;

use crate::budget::{Budget, Refusal};
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
fn what_need_not_ask_is_left_room_for() {
    shuttle::check_dfs(
        || {
            let budget = Budget::new(800);
            budget.expect_holders(4);
            assert_eq!(budget.reservable_bytes(), 700);
            assert!(budget.try_charge(701).is_none() && budget.try_charge(700).is_some());
            // One of four holds 50: they may all come to that.
            let mut held = budget.charge(50);
            assert!(budget.try_charge(551).is_none() && budget.try_charge(550).is_some());
            assert_eq!(budget.reservable_bytes(), 700);
            // No more than half is kept, however large it is; and what was asked for tells nothing.
            held.grow(700);
            held.shrink(750);
            assert!(budget.try_charge(401).is_none() && budget.try_charge(400).is_some());
            drop(held);
            let other = Budget::new(800);
            other.expect_holders(4);
            drop((other.try_charge(300), other.try_reserve(300)));
            assert!(other.try_charge(700).is_some());
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
        let refusal = Refusal { limit_bytes: 100, needed_bytes: 12, own_bytes: 60, others_bytes: 0 };
        let refused = match budget.try_reserve(60) {
            Ok(reserved) => {
                assert!(budget.try_charge(1).is_none(), "what asks keeps to what is left");
                drop(reserved);
                false
            }
            Err(refused) => refused == refusal,
        };
        let other = thread.join().expect("no panic");
        assert!(other.is_ok() || other == Err(refusal));
        assert!(!(refused && other.is_err()), "one of them fits");
        drop(ahead);
        assert_eq!(budget.used_bytes(), 0);
        assert!(budget.try_reserve(88).is_ok(), "all of it was given back");
        assert!(budget.try_reserve(89).is_err(), "what need not ask must fit as well");
    });
}

#[test]
fn iterators_keep_the_limit_of_the_process_together() {
    explore(|| {
        let process = Budget::new(1600);
        let threads: Vec<_> = [900, 800, 700]
            .map(|bytes| {
                let process = process.clone();
                thread::spawn(move || {
                    let own = Budget::within(&process, 1600);
                    for _ in 0..2 {
                        if let Some(mut charge) = own.try_charge(bytes) {
                            assert!(process.used_bytes() <= 1600);
                            charge.try_grow(100);
                            charge.shrink(50);
                        }
                    }
                    assert_eq!(own.used_bytes(), 0);
                })
            })
            .into_iter()
            .collect();
        threads.into_iter().for_each(|thread| thread.join().expect("no panic"));
        assert_eq!(process.used_bytes(), 0);
        // What is asked for, and shares, which are a sixteenth.
        assert!((700..=1500).contains(&process.peak_bytes()), "{}", process.peak_bytes());
    });
}

#[test]
fn an_iterator_has_its_share_whatever_others_hold() {
    shuttle::check_dfs(
        || {
            let process = Budget::new(12_800);
            let (paused, other) = (Budget::within(&process, 12_800), Budget::within(&process, 12_800));
            // A sixteenth is 800, of which the first has an eighth, and the second an eighth of the rest.
            let ahead = paused.try_charge(11_200).expect("all that can be asked for");
            assert!(paused.try_charge(1).is_none() && process.try_charge(1).is_none());
            let mut own = other.try_charge(87).expect("a part of 700");
            assert!(!own.try_grow(1) && !other.has_room(1));
            own.shrink(7);
            assert!(other.has_room(7) && own.try_grow(7));
            // What is reserved does not take from it.
            let reserved = other.try_reserve(1000).expect("nobody has reserved anything");
            own.shrink(87);
            assert!(own.try_grow(87) && !own.try_grow(1));
            assert_eq!((other.used_bytes(), process.used_bytes()), (1087, 12_287));
            drop((ahead, own, reserved, paused, other));
            assert_eq!(process.used_bytes(), 0);
            // All shares were given back.
            let (next, ahead) = (Budget::within(&process, 12_800), process.try_charge(11_200));
            assert!(next.try_charge(100).is_some() && next.try_charge(101).is_none() && ahead.is_some());
        },
        None,
    );
}

#[test]
fn reservations_of_iterators_tell_of_each_other() {
    explore(|| {
        let process = Budget::new(100);
        let (one, two) = (Budget::within(&process, 100), Budget::within(&process, 50));
        let other = one.clone();
        let thread = thread::spawn(move || other.try_reserve(40).expect("fits"));
        let first = one.try_reserve(20).expect("fits");
        let second = thread.join().expect("no panic");
        let refused = |limit_bytes, own_bytes, others_bytes| {
            let needed_bytes = limit_bytes / 8;
            Refusal { limit_bytes, needed_bytes, own_bytes, others_bytes }
        };
        let mut own = two.try_reserve(10).expect("fits");
        assert_eq!(own.try_grow(31), Err(refused(100, 0, 60)));
        assert_eq!(own.try_grow(41), Err(refused(50, 0, 0)));
        assert_eq!(two.try_reserve(31).map(drop), Err(refused(100, 10, 60)));
        assert_eq!((two.used_bytes(), process.used_bytes()), (10, 70));
        drop((first, second));
        own.try_grow(34).expect("fits now");
        own.resize(45);
        drop(own);
        assert_eq!(process.used_bytes(), 0);
        assert!(two.try_reserve(44).is_ok() && one.try_reserve(88).is_ok());
    });
}

#[test]
fn a_cache_is_in_the_process_once_and_yields_to_buffers() {
    explore(|| {
        let process = Budget::new(100);
        let (one, two) = (Budget::within(&process, 100), Budget::within(&process, 100));
        let other = two.clone();
        let thread = thread::spawn(move || {
            let mut cache = other.fill();
            let fits = cache.try_grow(60);
            fits.then_some(cache)
        });
        let mut cache = one.fill();
        let fits = cache.try_grow(60);
        let theirs = thread.join().expect("no panic");
        assert!(!(fits && theirs.is_some()), "no two of 60");
        drop(theirs);
        if !fits {
            assert!(cache.try_grow(60));
        }
        cache.shrink(10);
        let buffer = two.try_reserve(35).expect("what fills is in nobody's way");
        assert!(!cache.try_grow(10));
        assert_eq!(cache.reserved_by_others(), 35);
        let (own, counted) = cache.complete().expect("50 and 35").split();
        assert_eq!((one.used_bytes(), two.used_bytes(), process.used_bytes()), (50, 35, 85));
        let used_by_two = two.reserve_counted(50);
        drop(own);
        assert_eq!((one.used_bytes(), two.used_bytes(), process.used_bytes()), (0, 85, 85));
        assert!(one.try_reserve(6).is_err(), "complete, it is reserved");
        drop((used_by_two, buffer));
        assert_eq!((two.used_bytes(), process.used_bytes()), (0, 50));
        drop(counted);
        assert_eq!(process.used_bytes(), 0);
        assert!(one.try_reserve(88).is_ok());
    });
}
