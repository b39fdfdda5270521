//! Steps that remember: what comes of errors, of states, of memory; and what is refused.
#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

mod engine_support;

use engine_support::{check, numbers, states};
use feedline::data::block::Tensor;
use feedline::data::{DType, Shape, Structure};
use feedline::{Dataset, Options, Symbolic, ops};

fn zero() -> Tensor {
    Tensor::scalar(0_i64)
}

/// 6 divided by each number; of 0 that is an error.
fn sixes(values: &[i64]) -> Dataset {
    numbers(values).map(|x| ops::floordiv(6, x))
}

#[test]
fn errors_pass_a_scan_and_leave_its_state() {
    let sums = sixes(&[1, 0, 2, 3]).scan(zero(), |sum, x| (sum.clone() + x.clone(), sum + x));
    let items = check(&sums);
    assert!(items[1].contains("floordiv"), "{items:?}");
    assert_eq!([&items[0], &items[2], &items[3]], ["6", "9", "11"]);
    // What the function itself fails for is an error, too, and the next element gets the state there was.
    let own = numbers(&[1, 0, 2]).scan(zero(), |sum, x| {
        let next = sum + ops::floordiv(6, x);
        (next.clone(), next)
    });
    let items = check(&own);
    assert!(items[1].contains("floordiv"), "{items:?}");
    assert_eq!([&items[0], &items[2]], ["6", "9"]);
}

#[test]
fn states_of_any_shape_are_saved() {
    let grown = Dataset::range(9).scan(Tensor::from_vec(vec![1], vec![7_i64]), |list, x| {
        (ops::concat([list.clone(), ops::expand_dims(x, 0)], 0), ops::reduce_sum(list, None::<i64>, false))
    });
    assert_eq!(check(&grown), ["7", "7", "8", "10", "13", "17", "22", "28", "35"]);
    // Larger than what is written number by number, with strings beside.
    let many = Symbolic::from((
        Tensor::from_vec(vec![100], vec![0.5_f32; 100]),
        Tensor::from_strings(vec![], ["none"].iter().collect()),
    ));
    let scanned = Dataset::range(5).scan(many, |state, x| {
        let sums = state.at(0) + ops::cast(x, DType::Float32);
        ((sums.clone(), state.at(1)), (ops::reduce_sum(sums, None::<i64>, false), state.at(1)))
    });
    assert_eq!(check(&scanned)[4], "(1050.0, \"none\")");
}

#[test]
fn a_scan_inside_a_function_begins_with_a_value_of_the_element() {
    let sums = numbers(&[10, 20]).flat_map(|x| {
        let start = x.clone();
        Dataset::range(3).scan(start, move |sum, y| {
            let next = sum + y + x.clone();
            (next.clone(), next)
        })
    });
    assert_eq!(check(&sums), ["20", "31", "43", "40", "61", "83"]);
    let totals = numbers(&[2, 3]).flat_map(|x| Dataset::range(x.clone()).reduced(x, |sum, y| sum + y));
    assert_eq!(check(&totals), ["3", "6"]);
}

#[test]
fn random_values_in_a_scan_are_those_of_the_element() {
    let drawn = |x: Symbolic| x + ops::cast(ops::random_uniform(Shape::scalar(), 1) * 1000.0, DType::Int64);
    let scanned = Dataset::range(8).scan(zero(), |sum, x| (sum.clone() + drawn(x.clone()), sum));
    check(&scanned);
}

#[test]
fn reduce_is_one_element_or_the_first_error() {
    assert_eq!(check(&Dataset::range(0).reduced(zero(), |sum, x| sum + x)), ["0"]);
    let items = check(&sixes(&[1, 0, 0]).reduced(zero(), |sum, x| sum + x));
    assert!(items.len() == 1 && items[0].contains("floordiv"), "{items:?}");
    let error = sixes(&[1, 0]).reduce(zero(), |sum, x| sum + x).unwrap_err().to_string();
    assert!(error.contains("floordiv"), "{error}");
    assert_eq!(check(&Dataset::range(4).reduced(zero(), |sum, x| sum + x).repeat(3)), ["6", "6", "6"]);
}

#[test]
fn one_element_is_one_element() {
    assert_eq!(Dataset::range_step(7, 8, 1).get_single_element().unwrap().leaves()[0].as_slice::<i64>(), [7]);
    for (dataset, expected) in [
        (Dataset::range(0), "get_single_element: the dataset has no element"),
        (Dataset::range(2), "get_single_element: the dataset has more than one element"),
        (sixes(&[0]), "floordiv"),
    ] {
        let error = dataset.get_single_element().unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn take_while_ends_at_the_first_that_is_not() {
    assert_eq!(check(&numbers(&[1, 2, 9, 1]).take_while(|x| x.lt(5))), ["1", "2"]);
    // Errors are no end, also not those of the predicate.
    let items = check(&numbers(&[3, 0, 2, 1]).take_while(|x| ops::floordiv(6, x).lt(6)));
    assert!(items.len() == 3 && items[1].contains("floordiv"), "{items:?}");
    // Random values stay those of their elements.
    let drawn = Dataset::range(50).take_while(|_| ops::random_uniform(Shape::scalar(), 3).lt(0.9));
    check(&drawn);
    assert!(!check(&drawn).is_empty());
}

#[test]
fn unique_tells_elements_apart_by_all_that_is_in_them() {
    let texts = Tensor::from_strings(vec![6], ["a", "b", "a", "", "ab", ""].iter().collect());
    assert_eq!(check(&Dataset::from_tensor_slices(texts).unique()), ["\"a\"", "\"b\"", "\"\"", "\"ab\""]);
    let pairs = Dataset::range(12).map(|x| (x.clone() % 2, (x % 3).lt(1)));
    assert_eq!(check(&pairs.unique()), ["(0, 1)", "(1, 0)", "(0, 0)", "(1, 1)"]);
    let items = check(&sixes(&[1, 0, 6, 1, 0]).unique());
    assert_eq!(items.len(), 4, "{items:?}");
    assert_eq!(check(&numbers(&[1, 1, 2]).unique().repeat(2)), ["1", "2", "1", "2"]);
    check(&numbers(&[5, 5, 6, 5, 7, 6, 8]).shuffle(3).seed(1).unique().repeat(3));
}

#[test]
fn unique_keeps_to_the_budget() {
    let many = Dataset::range(1 << 20).unique().with_options(Options::new().memory_budget(8 << 20));
    let error = many.iterator().unwrap().find_map(Result::err).unwrap().to_string();
    assert!(error.contains("different elements take") && error.contains("the memory budget has"), "{error}");
}

#[test]
fn assert_cardinality_tells_what_is_not_so() {
    let some = |count: i64| Dataset::range(count).filter(|x| x.ge(0));
    let known = some(5).assert_cardinality(5);
    assert_eq!((check(&known).len(), known.cardinality().unwrap()), (5, 5));
    let items = check(&some(5).assert_cardinality(6));
    assert_eq!(
        items[5],
        "error: assert_cardinality: the dataset was expected to have 6 elements, and has only 5"
    );
    assert_eq!(items.len(), 6);
    let items = check(&some(5).assert_cardinality(3));
    assert_eq!(
        items[3],
        "error: assert_cardinality: the dataset was expected to have 3 elements, and has at least 4"
    );
    assert_eq!(items.len(), 4);
    let items = check(&some(2).assert_cardinality(None));
    assert_eq!(
        items[2],
        "error: assert_cardinality: the dataset was expected to have no end, and has only 2"
    );
    assert_eq!(check(&some(0).assert_cardinality(0)), [""; 0]);
    assert_eq!(check(&some(5).assert_cardinality(3).skip(2)).len(), 2);
}

#[test]
fn padded_batches_are_filled_up() {
    let words = Tensor::from_strings(vec![5], ["a", "bcd", "", "ef", "ghij"].iter().collect());
    let letters = Dataset::from_tensor_slices(words).map(|word| ops::decode_raw(word, DType::UInt8, true));
    assert_eq!(
        check(&letters.padded_batch(2)),
        ["[2, 3][97, 0, 0, 98, 99, 100]", "[2, 2][0, 0, 101, 102]", "[1, 4][103, 104, 105, 106]"]
    );
    assert_eq!(check(&letters.padded_batch(2).drop_remainder()).len(), 2);
    let marked = letters.padded_batch_to(3, Shape::fixed(&[4])).padding_values(Tensor::scalar(1_u8));
    assert_eq!(check(&marked)[1], "[2, 4][101, 102, 1, 1, 103, 104, 105, 106]");
    // Each tensor its own.
    let pairs = letters.map(|x| Symbolic::dict([("one", x.clone()), ("two", ops::expand_dims(x, 0))]));
    let shapes = Structure::dict([
        ("one", Shape::new(vec![None]).into()),
        ("two", Shape::new(vec![Some(2), None]).into()),
    ]);
    let values =
        Structure::dict([("one", Tensor::scalar(7_u8).into()), ("two", Tensor::scalar(9_u8).into())]);
    let padded = pairs.padded_batch_to(2, shapes).padding_values(values);
    assert_eq!(
        check(&padded)[1],
        "{'one': [2, 2][7, 7, 101, 102], 'two': [2, 2, 2][9, 9, 9, 9, 101, 102, 9, 9]}"
    );
}

#[test]
fn ragged_batches_keep_lengths() {
    let words = Tensor::from_strings(vec![5], ["a", "bcd", "", "ef", "ghij"].iter().collect());
    let letters = Dataset::from_tensor_slices(words).map(|word| {
        let letters = ops::decode_raw(&word, DType::UInt8, true);
        Symbolic::dict([
            ("letters", letters.clone()),
            ("length", ops::size(letters, DType::Int64)),
            ("word", word),
        ])
    });
    let batches = check(&letters.ragged_batch(2));
    assert_eq!(
        batches[0],
        "{'length': [1, 3], 'letters': ragged([97, 98, 99, 100], [0, 1, 4]), 'word': [\"a\", \"bcd\"]}"
    );
    assert_eq!(
        batches[1],
        "{'length': [0, 2], 'letters': ragged([101, 102], [0, 0, 2]), 'word': [\"\", \"ef\"]}"
    );
    assert_eq!(batches.len(), 3);
    assert_eq!(check(&letters.full_ragged_batch(2)).len(), 2);
}

#[test]
fn what_cannot_be_filled_up_is_an_error_of_its_batch() {
    let spec =
        feedline::data::ElementSpec::Leaf(feedline::data::TensorSpec::new(DType::Int64, Shape::UNKNOWN));
    let ranks = Dataset::range(4).map_native("ranks", spec, |element| {
        let number = element.leaves()[0].as_slice::<i64>()[0];
        Ok(Tensor::from_vec(vec![1; 1 + number as usize / 3], vec![number]).into())
    });
    let items = check(&ranks.padded_batch_to(2, Shape::new(vec![None])));
    assert_eq!(
        items,
        [
            "[2, 1][0, 1]",
            "error: padded_batch: the tensor has shape [1, 1], which cannot be filled up to [?]"
        ]
    );
    let error = ranks.padded_batch(2).iterator().unwrap_err().to_string();
    assert!(error.contains("padded_batch: nothing is known about the shape of the tensor"), "{error}");
    // More than all the memory there is.
    let wide = ranks.take(2).padded_batch_to(2, Shape::fixed(&[1 << 40]));
    let error = wide.iterator().unwrap_err().to_string();
    assert!(error.contains("an element has 17592186044416 bytes"), "{error}");
    // So large that no plan knows: found out with the batch.
    let lists = ranks.take(3).filter(|_| ops::random_uniform(Shape::scalar(), 1).ge(0.0));
    let wide = lists.padded_batch_to(2, Shape::fixed(&[1 << 40]));
    let error = wide.iterator().unwrap().find_map(Result::err).unwrap().to_string();
    assert!(error.contains("padded_batch: an element has 17592186044416 bytes"), "{error}");
}

/// A state that was edited is refused, not trusted.
#[test]
fn states_that_do_not_fit_are_refused() {
    let scanned = Dataset::range(5).scan(zero(), |sum, x| (sum.clone() + x, sum));
    let other = Dataset::range(5).scan(Tensor::scalar(0_i32), |sum, _| (sum.clone(), sum));
    let state = feedline::State::from_bytes(&states(&scanned, 2)[1]).unwrap();
    assert!(other.resume(&state).is_err());
}

#[test]
fn the_one_element_of_a_dataset_is_a_value() {
    let total =
        |n: Symbolic| Dataset::range(n).reduced(Tensor::scalar(0_i64), |sum, x| sum + x).single_element();
    // Twice in one function, one of the other, and beside what the function gets.
    let both = Dataset::range(5).map(|x| {
        let sum = total(x.clone());
        Symbolic::tuple([x.clone(), total(sum.clone() + 1), sum])
    });
    assert_eq!(check(&both), ["(0, 0, 0)", "(1, 0, 0)", "(2, 1, 1)", "(3, 6, 3)", "(4, 21, 6)"]);
    assert_eq!(both.cardinality().unwrap(), 5, "as of any map");
    assert_eq!(check(&Dataset::range(6).filter(|x| total(x).gt(3))), ["4", "5"]);
    assert_eq!(check(&Dataset::range(6).take_while(|x| total(x).lt(4))), ["0", "1", "2", "3"]);
    let nested = Dataset::range(3).flat_map(|x| Dataset::range(2).map(|y| total(x.clone() + y)));
    assert_eq!(check(&nested), ["0", "0", "0", "1", "1", "3"]);
    let of_value = Dataset::range(4).interleave(|x| Dataset::range(total(x))).cycle_length(2);
    assert_eq!(check(&of_value), ["0", "0", "1", "2"]);
    let pairs = Dataset::zip(&Structure::Tuple(vec![
        Structure::Leaf(Dataset::range(4)),
        Structure::Leaf(Dataset::range_step(10, 14, 1)),
    ]));
    let batched = pairs.window(2).map(|pair| {
        let one = Dataset::of_window(pair.at(0)).batch(2).single_element();
        (one, Dataset::of_window(pair.at(1)).batch(2).single_element())
    });
    assert_eq!(check(&batched), ["([0, 1], [10, 11])", "([2, 3], [12, 13])"]);
}

#[test]
fn no_element_or_several_are_an_error_of_the_element_around() {
    let found = check(&Dataset::range(4).map(|n| Dataset::range(n).single_element()));
    assert!(found[0].contains("get_single_element: the dataset has no element"), "{found:?}");
    assert_eq!(found[1], "0");
    assert!(found[2..].iter().all(|item| item.contains("has more than one element")), "{found:?}");
    // What goes wrong inside is what goes wrong.
    let failing = Dataset::range(3).map(|n| Dataset::range(1).map(|x| ops::floordiv(x, n)).single_element());
    let found = check(&failing);
    assert!(found[0].contains("floordiv") && found[1..] == ["0", "0"], "{found:?}");
    for refused in [
        Dataset::range(3).scan(Tensor::scalar(0_i64), |sum, x| (Dataset::range(1).single_element() + sum, x)),
        Dataset::range(3)
            .map(|x| ops::cond(x.clone().gt(1), || Dataset::range(x.clone()).single_element(), || x.clone())),
    ] {
        let error = refused.check().unwrap_err().to_string();
        assert!(
            error.contains("get_single_element") && error.contains("hint: get it in a map before"),
            "{error}"
        );
    }
}
