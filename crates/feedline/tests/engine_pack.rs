//! Sequences packed into rows: against a model, in every mode, resumed everywhere.
#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

mod engine_support;

use engine_support::{check, show};
use feedline::data::block::Tensor;
use feedline::data::{DType, ElementSpec, Shape, Structure, TensorSpec};
use feedline::{Dataset, Fit, Options, Packing, Symbolic};
use proptest::prelude::*;

/// A sequence for each length: number `k` is tokens `100 k, 100 k + 1, …`.
fn sequences(lengths: &[usize]) -> Dataset {
    let spec = ElementSpec::Leaf(TensorSpec::new(DType::Int64, Shape::new(vec![None])));
    let lengths = lengths.to_vec();
    Dataset::range(lengths.len() as i64).map_native("sequence", spec, move |element| {
        let number = element.leaves()[0].as_slice::<i64>()[0];
        let tokens = tokens(number as usize, lengths[number as usize]);
        Ok(Tensor::from_vec(vec![tokens.len()], tokens).into())
    })
}

fn tokens(number: usize, length: usize) -> Vec<i64> {
    (0..length).map(|place| (number * 100 + place) as i64).collect()
}

/// The rows that come out, each the numbers of its sequences: written down anew, without memory or blocks in mind.
fn packed(lengths: &[usize], packing: &Packing) -> Vec<Vec<usize>> {
    let (mut open, mut rows): (Vec<Vec<usize>>, Vec<Vec<usize>>) = (Vec::new(), Vec::new());
    let room =
        |row: &Vec<usize>| packing.lengths[0] - row.iter().map(|&number| lengths[number]).sum::<usize>();
    for (number, &length) in lengths.iter().enumerate().filter(|(_, length)| **length > 0) {
        let mut fitting: Vec<usize> = (0..open.len()).filter(|&row| room(&open[row]) >= length).collect();
        if packing.fit == Fit::Best {
            fitting.sort_by_key(|&row| room(&open[row]));
        }
        let row = fitting.first().copied().unwrap_or_else(|| {
            if open.len() == packing.num_open {
                rows.push(open.remove(0));
            }
            open.push(Vec::new());
            open.len() - 1
        });
        open[row].push(number);
        if room(&open[row]) == 0 {
            rows.push(open.remove(row));
        }
    }
    rows.extend(open);
    rows
}

fn shown(lengths: &[usize], row: &[usize], packing: &Packing) -> String {
    let (mut values, mut segments, mut positions) = (Vec::new(), Vec::new(), Vec::new());
    for (segment, &number) in row.iter().enumerate() {
        values.extend(tokens(number, lengths[number]));
        segments.extend(vec![segment as i32 + 1; lengths[number]]);
        positions.extend(0..lengths[number] as i32);
    }
    values.resize(packing.lengths[0], packing.padding);
    segments.resize(packing.lengths[0], 0);
    positions.resize(packing.lengths[0], 0);
    let leaf = |tensor: Tensor| Structure::Leaf(tensor);
    show(&Ok(Structure::Tuple(vec![
        leaf(Tensor::from_vec(vec![packing.lengths[0]], values)),
        leaf(Tensor::from_vec(vec![packing.lengths[0]], segments)),
        leaf(Tensor::from_vec(vec![packing.lengths[0]], positions)),
    ])))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

    #[test]
    fn rows_are_those_of_the_model_in_every_mode(
        lengths in prop::collection::vec(0_usize..=12, 0..40),
        num_open in 1_usize..5,
        is_best in any::<bool>(),
        padding in -1_i64..2,
    ) {
        let fit = if is_best { Fit::Best } else { Fit::First };
        let packing = Packing { num_open, fit, padding, ..Packing::of_length(12) };
        let expected: Vec<String> =
            packed(&lengths, &packing).iter().map(|row| shown(&lengths, row, &packing)).collect();
        prop_assert_eq!(check(&sequences(&lengths).pack(packing)), expected);
    }
}

#[test]
fn every_token_comes_once_and_few_places_are_empty() {
    let lengths: Vec<usize> = (0..2000_usize).map(|number| 1 + number * 7919 % 100).collect();
    let total: usize = lengths.iter().sum();
    // The rows there would be without a place left empty.
    let least = total.div_ceil(100);
    for fit in [Fit::First, Fit::Best] {
        let packing = Packing { fit, ..Packing::of_length(100) };
        let rows = sequences(&lengths).pack(packing).iterator().unwrap();
        let rows: Vec<_> = rows.map(Result::unwrap).collect();
        let num_tokens = |row: &Structure<Tensor>| {
            row.leaves()[1].as_slice::<i32>().iter().filter(|&&segment| segment > 0).count()
        };
        assert_eq!(rows.iter().map(num_tokens).sum::<usize>(), total);
        assert!(rows.len() <= least + least / 25, "{} rows, {least} at least", rows.len());
    }
}

#[test]
fn a_sequence_without_tokens_takes_no_row_and_no_number() {
    for (lengths, segments) in
        [(&[0, 2, 0, 1][..], vec![vec![1, 1, 2]]), (&[3, 0], vec![vec![1, 1, 1]]), (&[0, 0], vec![])]
    {
        let dataset = sequences(lengths).pack(3);
        check(&dataset);
        let rows = dataset.iterator().unwrap();
        let found: Vec<Vec<i32>> = rows.map(|row| row.unwrap().leaves()[1].as_slice().to_vec()).collect();
        assert_eq!(found, segments, "{lengths:?}");
    }
}

#[test]
fn several_sequences_of_an_element_stay_together() {
    let seven = || Symbolic::from(Tensor::from_vec(vec![1], vec![7_i64]));
    let both =
        |x: Symbolic| Symbolic::dict([("in", x.clone()), ("out", feedline::ops::concat([x, seven()], 0))]);
    let numbers = |length: usize| -> Vec<Vec<i32>> {
        let dataset = sequences(&[3, 2, 4]).map(both).pack(length);
        check(&dataset);
        dataset.iterator().unwrap().map(|row| row.unwrap().leaves()[3].as_slice::<i32>().to_vec()).collect()
    };
    // By the first alone, the first two elements would share a row of six.
    assert_eq!(numbers(6), [vec![1, 1, 1, 1, 0, 0], vec![1, 1, 1, 0, 0, 0], vec![1, 1, 1, 1, 1, 0]]);
    assert_eq!(numbers(7), [vec![1, 1, 1, 1, 2, 2, 2], vec![1, 1, 1, 1, 1, 0, 0]]);
}

#[test]
fn each_tensor_may_have_a_length_of_its_own() {
    let both = |x: Symbolic| Symbolic::dict([("in", x.clone()), ("out", x.slice(..1))]);
    let packed = |lengths: [usize; 2]| sequences(&[3, 2, 4, 1]).map(both).pack(Packing::of_lengths(lengths));
    let rows = packed([6, 2]);
    let spec = "({'in': int64[6], 'out': int64[2]}, {'in': int32[6], 'out': int32[2]}, {'in': int32[6], 'out': int32[2]})";
    assert_eq!(rows.element_spec().unwrap().to_string(), spec);
    assert_eq!(
        check(&rows),
        [
            "({'in': [0, 1, 2, 100, 101, 0], 'out': [0, 100]}, {'in': [1, 1, 1, 2, 2, 0], 'out': [1, 2]}, {'in': [0, 1, 2, 0, 1, 0], 'out': [0, 0]})",
            "({'in': [200, 201, 202, 203, 300, 0], 'out': [200, 300]}, {'in': [1, 1, 1, 1, 2, 0], 'out': [1, 2]}, {'in': [0, 1, 2, 3, 0, 0], 'out': [0, 0]})"
        ]
    );
    // Where the second has room for one, no two share a row; what is too long is too long for its own row.
    assert_eq!(check(&packed([6, 1])).len(), 4);
    assert!(check(&packed([3, 2])).iter().any(|row| row.contains("of ['in'] has 4 tokens, a row has 3")));
    let three = sequences(&[1]).map(both).pack(Packing::of_lengths([1, 2, 3]));
    assert!(
        three.check().unwrap_err().to_string().contains("length has 3 numbers, the elements have 2 tensors")
    );
}

#[test]
fn errors_keep_their_places_and_long_ones_are_errors_or_cut() {
    let lengths = [3, 9, 2, 8, 1];
    let long = check(&sequences(&lengths).pack(8));
    assert!(long[0].starts_with("error: pack: a sequence has 9 tokens, a row has 8"), "{long:?}");
    assert_eq!(long.len(), 3, "{long:?}");
    let packing = Packing { truncates: true, num_open: 1, ..Packing::of_length(8) };
    let cut = check(&sequences(&lengths).pack(packing));
    assert_eq!(cut.len(), 5, "{cut:?}");
    assert!(cut[1].contains("107") && !cut[1].contains("108"), "{cut:?}");
}

#[test]
fn what_cannot_be_packed_is_refused_before_anything_runs() {
    let refused = |dataset: Dataset| dataset.check().unwrap_err().to_string();
    let one = || sequences(&[1]);
    assert!(refused(one().pack(0)).contains("pack: length cannot be 0"));
    let none = Packing { num_open: 0, ..Packing::of_length(3) };
    assert!(refused(one().pack(none)).contains("pack: num_open cannot be 0"));
    assert!(
        refused(Dataset::range(3).pack(3)).contains("takes sequences of numbers, tensors of one dimension")
    );
    let bytes = one().map(|x| feedline::ops::cast(x, DType::UInt8));
    let padding = Packing { padding: 256, ..Packing::of_length(3) };
    assert!(refused(bytes.pack(padding)).contains("the number 256 is not exact in uint8"));
    let options = Options::new().memory_budget(1 << 20);
    let error = one().pack(100_000).with_options(options).iterator().unwrap_err().to_string();
    assert!(error.contains("pack: 64 rows of 100000 tokens need 102400000 bytes"), "{error}");
    assert!(error.contains("about 0 fit"), "{error}");
}
