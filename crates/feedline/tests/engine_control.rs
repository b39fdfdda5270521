//! Choices and loops in functions, every way there is to run them: blocks of any size, workers, rules, states.
#![allow(clippy::unwrap_used, reason = "tests may")]

mod engine_support;

use engine_support::check;
use feedline::data::block::Tensor;
use feedline::data::{DType, Shape};
use feedline::{Dataset, Options, Symbolic, ops};

#[test]
fn choices_are_the_same_every_way() {
    let chosen = |x: Symbolic| {
        let noise = ops::random_integers(Tensor::scalar(0_i64), 100, Shape::scalar(), 3);
        ops::cond((&x % 3).eq(0), || &x * 1000 + &noise, || ops::floordiv(100, &x - 4) + noise.clone())
    };
    let items = check(&Dataset::range(12).map(chosen));
    // 100 // 0 is an error of its element alone, and not of those that do not compute it.
    assert_eq!(items.iter().filter(|item| item.starts_with("error")).count(), 1, "{items:?}");
    assert!(items[4].contains("division by zero"));
}

#[test]
fn loops_are_the_same_every_way_and_draw_anew_each_turn() {
    let walk = |x: Symbolic| {
        let steps = ops::while_loop(
            |both| ops::size(both.at(1), DType::Int64).le(&x),
            |both| {
                let step = ops::random_integers(Tensor::scalar(0_i64), 1_000_000, Shape::fixed(&[1]), 5);
                Symbolic::tuple([both.at(0) + 1, ops::concat([both.at(1), step], 0)])
            },
            Symbolic::tuple([x.clone(), Tensor::from_vec(vec![1], vec![0_i64]).into()]),
            10,
        );
        let doubled = ops::map_fn(|entry| entry * 2 + &x, steps.at(1));
        Symbolic::tuple([steps.at(0), doubled, ops::foldl(|sum, entry| sum + entry, steps.at(1), &x)])
    };
    let items = check(&Dataset::range(6).map(walk).filter(|x| x.at(0).lt(20)));
    assert_eq!(items.len(), 6);
    assert_eq!(items[0], "(0, [0], 0)");
    assert!(items[1].starts_with("(2, [1, "), "{items:?}");
}

#[test]
fn rules_see_what_a_choice_uses() {
    // The second map drops a part; the choice inside the first goes on to fail where it fails.
    let both = |x: Symbolic| {
        let risky = ops::cond(x.gt(2), || ops::floordiv(6, &x - 3), || x.clone());
        Symbolic::tuple([x, risky])
    };
    let items = check(&Dataset::range(6).map(both).map(|pair| pair.at(0) * 2).batch(2));
    assert_eq!(items.iter().filter(|item| item.starts_with("error")).count(), 1, "{items:?}");
    // A size that turns out to be a constant where maps are fused changes nothing of what is known.
    let sizes = |_| Symbolic::from(Tensor::from_vec(vec![2], vec![1_i32, 2]));
    let filled = Dataset::range(3).map(sizes).map(|dims| ops::fill(dims, 0.5));
    assert_eq!(filled.element_spec().unwrap().to_string(), "float32[?, ?]");
    assert_eq!(check(&filled)[0], "[1, 2][0.5, 0.5]");
    // A nested dataset's values inside a choice.
    let nested = Dataset::range(4)
        .flat_map(|x| Dataset::range(3).map(move |y| ops::cond(y.gt(1), || &y * 10 + &x, || x.clone())));
    let items = check(&nested);
    assert_eq!(items[..6], ["0", "0", "20", "1", "1", "21"]);
}

#[test]
fn sizes_that_are_computed_keep_to_the_budget() {
    let fill = |x: &Symbolic| {
        let dims = ops::reshape(x * 100_000, Shape::fixed(&[1]));
        ops::fill(dims, Tensor::scalar(0.5_f64))
    };
    // 800,000 bytes more each time: the eleventh still fits, the next does not, and is an error in its place; also inside a choice.
    let plain = Dataset::range(14).map(|x| fill(&x));
    let chosen = Dataset::range(14)
        .map(|x| ops::cond(x.ge(0), || fill(&x), || ops::zeros(Shape::fixed(&[1]), DType::Float64)));
    for dataset in [plain, chosen] {
        for threads in [0, 2] {
            let options = Options::new().threads(threads).memory_budget(8 << 20);
            let elements = dataset.with_options(options).iterator().unwrap();
            let sizes: Vec<Option<usize>> =
                elements.map(|item| item.ok().map(|element| element.leaves()[0].num_values())).collect();
            let expected: Vec<Option<usize>> = (0..14).map(|i| (i < 11).then_some(i * 100_000)).collect();
            assert_eq!(sizes, expected, "{threads} threads");
        }
    }
}
