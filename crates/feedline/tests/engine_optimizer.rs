//! The optimizer from outside: it shows what it did, can be switched off, and neither elements nor errors nor states tell
//! whether it was on.
#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

mod engine_support;

use engine_support::{check, floats, numbers, states_cross};
use feedline::data::block::{Strings, Tensor};
use feedline::data::{DType, ElementSpec, Shape, Structure, TensorSpec};
use feedline::{AUTOTUNE, Dataset, Options, Symbolic, ops};

/// The steps that run.
fn running(dataset: &Dataset) -> Vec<String> {
    dataset.explain().unwrap().running().lines()
}

fn names(dataset: &Dataset) -> Vec<String> {
    let name = |line: &String| line.split('(').next().unwrap_or_default().to_owned();
    running(dataset).iter().map(name).collect()
}

#[test]
fn maps_become_one_and_give_the_same() {
    let random = |x: Symbolic| x + ops::cast(ops::random_uniform(Shape::scalar(), 3) * 100.0, DType::Int64);
    let dataset = Dataset::range(40).map(|x| x + 1).map(random).map(|x| x * 2).map(random).batch(3);
    assert_eq!(names(&dataset), ["range", "map_and_batch", "prefetch"]);
    check(&dataset);
    let split = Dataset::range(20)
        .map(|x| Symbolic::dict([("a", x.clone() + 1), ("b", x.clone() * 2), ("c", x)]))
        .map(|x| Symbolic::from((x.get("b"), x.get("a") - x.get("c"))))
        .shuffle(7)
        .seed(1)
        .map(|x| x.at(0) + x.at(1))
        .map(|x| x.clone() * x);
    assert_eq!(names(&split), ["range", "map", "shuffle", "map", "prefetch"]);
    check(&split);
}

#[test]
fn errors_are_the_same_at_the_same_places() {
    let values = [1.0, f32::NAN, 2.0, f32::INFINITY, f32::NAN, 3.0, 4.0, f32::NAN, 5.0];
    let checked = |x: Symbolic| ops::check_numerics(x, "first");
    let is_first = |item: &&String| item.ends_with(": check_numerics: first: the tensor has NaN values");
    let is_second = |item: &&String| item.contains("check_numerics: second");
    // Not used, and yet an error.
    let unused = floats(&values)
        .map(|x| Symbolic::from((checked(x.clone()), x)))
        .map(|x| ops::cast(x.at(1), DType::Int64));
    let items = check(&unused);
    assert_eq!(items.iter().filter(is_first).count(), 3, "{items:?}");
    // What counts errors: a state of one way to run is one of the other.
    check(&unused.batch(2));
    check(&unused.shuffle(3).seed(4).batch(2));
    check(&unused.repeat(2).shuffle(3).seed(4).repeat(2).take(30));
    check(&unused.ignore_errors().batch(2).skip(1));
    // Both fail: the error is the first's, though the second would be computed first.
    let both = floats(&values)
        .map(|x| Symbolic::from((x.clone(), checked(x))))
        .map(|x| Symbolic::from((ops::check_numerics(x.at(0), "second"), x.at(1))));
    let items = check(&both);
    assert!(
        items.iter().any(|item| is_first(&item)) && !items.iter().any(|item| is_second(&item)),
        "{items:?}"
    );
    assert_eq!(names(&both), ["from_tensor_slices", "map", "prefetch"]);
}

#[test]
fn what_does_nothing_goes_and_states_do_not_tell() {
    let dataset = Dataset::range(23)
        .map(|x| x + 1)
        .repeat(1)
        .shuffle(1)
        .take(None)
        .map(|x| x)
        .prefetch(0)
        .map(|x| x * 3)
        .shuffle(5)
        .seed(2)
        .repeat(1)
        .batch(4);
    assert_eq!(names(&dataset), ["range", "map", "shuffle", "batch", "prefetch"]);
    check(&dataset);
    assert_eq!(check(&numbers(&[7, 8, 9]).shuffle(1)), ["7", "8", "9"]);
    check(&numbers(&[1, 2, 3]).repeat(1).repeat(3).shuffle(1).repeat(1).skip(0));
}

#[test]
fn a_repeated_shuffle_gives_the_same_epoch_by_epoch() {
    let words: Vec<String> = (0..20).map(|i| "x".repeat(i % 7)).collect();
    let strings = Dataset::from_tensor_slices(Tensor::from_strings(vec![20], words.iter().collect()));
    let failing = Dataset::range(23).map(|x| ops::floormod(x.clone(), x % 6));
    let sources = [
        Dataset::range(23),
        Dataset::range(0),
        strings,
        Dataset::range(15).batch(4),
        Dataset::range(40).filter(|x| (x % 3).ne(0)),
        failing.clone(),
        failing.ignore_errors(),
    ];
    let check_fused = |dataset: &Dataset| {
        assert!(names(dataset).contains(&"shuffle_and_repeat".to_owned()));
        check(dataset);
    };
    for source in sources {
        for buffer_size in [2, 7, 100] {
            check_fused(&source.shuffle(buffer_size).seed(5).repeat(3));
        }
    }
    for source in [Dataset::range(23), failing] {
        let shuffled = source.shuffle(7).seed(5);
        check_fused(&shuffled.reshuffle_each_iteration(false).repeat(2));
        check_fused(&shuffled.repeat(2).repeat(2));
        check_fused(&shuffled.repeat(None).skip(9).take(50));
        check_fused(&shuffled.repeat(3).shuffle(4).seed(6).repeat(2).take(60));
    }
}

#[test]
fn the_next_epoch_fills_while_this_one_drains_in_the_same_memory() {
    let dataset = Dataset::range(100).shuffle(50).seed(1).repeat(2);
    let after_an_epoch = |options: Options| {
        let mut elements = dataset.with_options(options.threads(0).block_size(8)).iterator().unwrap();
        elements.by_ref().take(100).for_each(drop);
        let received = elements.metrics().steps[0].elements;
        elements.by_ref().for_each(drop);
        (received, elements.budget().peak_bytes(), elements.budget().used_bytes())
    };
    let (received, peak, used) = after_an_epoch(Options::new());
    let (unfused_received, unfused_peak, unfused_used) = after_an_epoch(Options::new().optimizer(false));
    assert_eq!((received, unfused_received), (150, 100));
    assert_eq!((peak, used), (unfused_peak, unfused_used));
}

#[test]
fn native_functions_stay_where_they_are() {
    let spec = || ElementSpec::Leaf(TensorSpec::scalar(DType::Int64));
    let dataset = Dataset::range(12)
        .map(|x| x + 1)
        .map_native("one", spec(), Ok)
        .map_native("two", spec(), Ok)
        .map(|x| x * 2)
        .map(|x| x - 1);
    assert_eq!(names(&dataset), ["range", "map", "map", "map", "map", "prefetch"]);
    check(&dataset);
}

#[test]
fn what_goes_by_value_is_computed_before_the_batch() {
    // 8 KiB of results a row, which the rule asks for.
    let mean = Tensor::from_vec(vec![1, 1024], (0..1024_u16).map(f32::from).collect());
    let pairs = Dataset::range(23).map(|x| {
        let row =
            ops::tile(ops::stack([x.clone(), x.clone() * 7], 0), Tensor::from_vec(vec![1], vec![512_i64]));
        Symbolic::from((ops::cast(row, DType::UInt8), x))
    });
    let scaled = move |x: Symbolic| {
        let floats = ops::cast(x.at(0), DType::Float32) / 255.0;
        Symbolic::from((ops::sqrt(floats.clone()) - Symbolic::from(mean.clone()), floats, x.at(1) * 2))
    };
    for batches in [pairs.batch(4), pairs.batch(4).drop_remainder(), pairs.shuffle(6).seed(2).batch(5)] {
        let dataset = batches.map(scaled.clone());
        assert!(names(&dataset).contains(&"map_and_batch".to_owned()), "{:?}", running(&dataset));
        check(&dataset);
        let without = Options::new().without_rule("map_before_batch").unwrap();
        let every = [Options::new(), Options::new().optimizer(false), without];
        states_cross(&dataset.map(|x| x.at(0) + x.at(1)), &every, 3);
    }
    // Errors before the batch are where they were.
    let failing = Dataset::range(30)
        .map(|x| ops::fill(Tensor::from_vec(vec![1], vec![1024_i64]), ops::floormod(x.clone(), x % 5)));
    let failing = failing.batch(4).map(|x| x * 2 + 1);
    assert_eq!(names(&failing), ["range", "map_and_batch", "prefetch"]);
    check(&failing);
}

#[test]
fn rules_are_switched_off_one_by_one_or_all() {
    let dataset = Dataset::range(10).map(|x| x + 1).repeat(1).map(|x| x * 2).batch(4);
    let with = |options: Options| names(&dataset.with_options(options));
    let without = |rule: &str| with(Options::new().without_rule(rule).unwrap());
    assert_eq!(with(Options::new()), ["range", "map_and_batch", "prefetch"]);
    assert_eq!(without("fuse_maps"), ["range", "map", "map_and_batch", "prefetch"]);
    assert_eq!(without("insert_prefetch"), ["range", "map_and_batch"]);
    assert_eq!(without("drop_noops"), ["range", "map", "repeat", "map_and_batch", "prefetch"]);
    assert_eq!(without("fuse_map_and_batch"), ["range", "map", "batch", "prefetch"]);
    let off = with(Options::new().optimizer(false));
    assert_eq!(off, ["range", "map", "repeat", "map", "batch"]);
    let both = Options::new().without_rule("fuse_maps").unwrap().without_rule("drop_noops").unwrap();
    assert_eq!(with(both), ["range", "map", "repeat", "map_and_batch", "prefetch"]);
    let message = Options::new().without_rule("fuse-maps").unwrap_err().to_string();
    assert!(message.contains("no optimizer rule 'fuse-maps'\nhint: did you mean 'fuse_maps'?"), "{message}");
}

#[test]
fn states_cross_every_rule() {
    let dataset = Dataset::range(30)
        .map(|x| x + 1)
        .shuffle(1)
        .map(|x| ops::floormod(x.clone(), x % 5))
        .shuffle(8)
        .seed(3)
        .repeat(2)
        .repeat(1)
        .map(|x| x * 2)
        .map(|x| x + 1)
        .batch(4);
    let mut every = vec![Options::new(), Options::new().optimizer(false)];
    for rule in ["fuse_maps", "drop_noops", "insert_prefetch", "fuse_shuffle_and_repeat"] {
        every.push(Options::new().without_rule(rule).unwrap());
    }
    states_cross(&dataset, &every, 9);
}

#[test]
fn an_explanation_says_what_runs_and_why() {
    let dataset = Dataset::range(100).map(|x| x + 1).map(|x| x * 2).shuffle(10).seed(1).batch(32);
    assert_eq!(
        dataset.explain().unwrap().to_string(),
        "\
plan as written
   1  range(0, 100, 1)                  100 × int64[]
   2  map(add(x0, 1))                   100 × int64[]
   3  map(multiply(x0, 2))              100 × int64[]
   4  shuffle(10, seeds=(87654321, 1))  100 × int64[]
   5  batch(32)                         4 × int64[?]

plan as it runs
   1  range(0, 100, 1)                  100 × int64[]
   2  map(multiply(add(x0, 1), 2))      100 × int64[]
   3  shuffle(10, seeds=(87654321, 1))  100 × int64[]
   4  batch(32)                         4 × int64[?]
   5  prefetch()                        4 × int64[?]

what was changed
  insert_prefetch, after step 5
    + prefetch()
  fuse_maps, steps 2 to 3
    - map(add(x0, 1))
    - map(multiply(x0, 2))
    + map(multiply(add(x0, 1), 2))
"
    );
    let as_written = dataset.with_options(Options::new().optimizer(false)).explain().unwrap();
    assert!(as_written.to_string().starts_with("plan, runs as written\n   1  range(0, 100, 1)"));
    assert!(as_written.to_dot().starts_with("digraph plan {"));
    // A dataset that cannot be iterated says why.
    assert!(Dataset::range(3).batch(0).explain().is_err());
}

#[test]
fn the_users_prefetch_stands() {
    let dataset = Dataset::range(10).map(|x| x + 1).batch(2);
    for size in [Some(0), Some(1), AUTOTUNE] {
        assert_eq!(names(&dataset.prefetch(size)), ["range", "map_and_batch", "prefetch"]);
        check(&dataset.prefetch(size));
    }
    let of_batches = dataset.prefetch(0).map(|x| ops::expand_dims(x, 0));
    assert_eq!(names(&of_batches), ["range", "map_and_batch", "map", "prefetch"]);
}

/// A function that takes so long that a batch is the work of several tasks, fails for some elements, and gives a number
/// and a string.
fn slow_pairs(count: i64, fails: fn(i64) -> bool) -> Dataset {
    let spec = ElementSpec::Tuple(vec![
        ElementSpec::Leaf(TensorSpec::new(DType::Int64, Shape::fixed(&[3]))),
        ElementSpec::Leaf(TensorSpec::scalar(DType::String)),
    ]);
    Dataset::range(count).map_native("slow", spec, move |element| {
        let x = element.leaves()[0].as_slice::<i64>()[0];
        let start = std::time::Instant::now();
        while start.elapsed().as_micros() < 200 {
            std::hint::spin_loop();
        }
        if fails(x) {
            return Err(format!("{x} fails").into());
        }
        let text: Strings = [x.to_string()].iter().map(String::as_bytes).collect();
        Ok(Structure::Tuple(vec![
            Structure::Leaf(Tensor::from_vec(vec![3], vec![x, x * 2, x * 3])),
            Structure::Leaf(Tensor::from_strings(vec![], text)),
        ]))
    })
}

#[test]
fn results_land_in_their_batch() {
    let dataset = slow_pairs(100, |_| false).batch(8);
    let mut elements = dataset.with_options(Options::new().threads(3)).iterator().unwrap();
    let mut next = 0;
    for batch in elements.by_ref() {
        let batch = batch.unwrap();
        let numbers = batch.leaves()[0].as_slice::<i64>();
        let texts = batch.leaves()[1].strings().unwrap();
        for (row, text) in numbers.chunks(3).zip(texts.iter()) {
            assert_eq!((row, text), (&[next, next * 2, next * 3][..], next.to_string().as_bytes()));
            next += 1;
        }
    }
    assert_eq!((next, elements.budget().used_bytes()), (100, 0));
    // Errors move what makes a batch.
    check(&slow_pairs(40, |x| x % 11 == 5).batch(4));
    check(&slow_pairs(20, |x| x < 6 || x == 13).batch(3).drop_remainder());
    check(&slow_pairs(20, |x| x == 4).batch(5).skip(1).repeat(2));
}

#[test]
fn a_plan_that_uses_itself_again_and_again_is_explained_and_refused_before_it_runs() {
    let sum_with_itself = |dataset: Dataset, _| {
        let pair = Structure::Tuple(vec![dataset.clone().into(), dataset.into()]);
        Dataset::zip(&pair).map(|pair| pair.at(0) + pair.at(1))
    };
    let few = (0..3).fold(Dataset::range(4), sum_with_itself);
    assert_eq!(check(&few), ["0", "8", "16", "24"]);
    let many = (0..64).fold(Dataset::range(4), sum_with_itself);
    assert!(many.explain().unwrap().to_string().lines().count() < 1000);
    let message = many.iterator().unwrap_err().to_string();
    assert!(
        message.contains("uses parts of itself so often that more than 1048576 steps would run"),
        "{message}"
    );
    assert!(message.contains("hint: each use of a dataset runs on its own"), "{message}");
    assert!(many.to_text().unwrap_err().to_string().contains("uses parts of itself so often"));
    let state = few.iterator().unwrap().state();
    assert!(many.resume(&state).unwrap_err().to_string().contains("uses parts of itself so often"));
}
