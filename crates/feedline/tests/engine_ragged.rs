//! Ragged and sparse tensors, strings, tables and CSV in a pipeline: batches, states, texts, errors in their places.

mod engine_support;

use engine_support::{check, show};
use feedline::data::block::{Strings, Tensor};
use feedline::data::{Composite, DType, Structure};
use feedline::formats::example::{ExampleWriter, FeatureValues, SequenceWriter};
use feedline::plan::expr::{Attribute, Feature, Features};
use feedline::{Dataset, Symbolic, ops};

fn lines(strings: &[&str]) -> Dataset {
    let strings: Strings = strings.iter().collect();
    Dataset::from_tensor_slices(Tensor::from_strings(vec![strings.len()], strings))
}

fn numbered(list: &[i64]) -> Symbolic {
    Symbolic::from(Tensor::from_vec(vec![list.len()], list.to_vec()))
}

/// A ragged tensor of three rows, row `i` of which has `i` values.
fn rows_of(x: Symbolic) -> Symbolic {
    let lengths = numbered(&[0, 1, 2]);
    let values = ops::stack([x.clone(), x.clone() + 1, x + 2], 0);
    ops::ragged::from_row_lengths(values, lengths)
}

#[test]
fn batches_of_ragged_tensors_are_ragged_with_a_dimension_more() {
    let ragged = Dataset::range(5).map(rows_of);
    assert_eq!(check(&ragged)[4], "ragged([4, 5, 6], [0, 0, 1, 3])");
    let batches = ragged.batch(2);
    assert_eq!(batches.element_spec().unwrap().to_string(), "ragged(int64[?], int64[?], int64[?])");
    assert_eq!(
        check(&batches),
        [
            "ragged([0, 1, 2, 1, 2, 3], [0, 3, 6], [0, 0, 1, 3, 3, 4, 6])",
            "ragged([2, 3, 4, 3, 4, 5], [0, 3, 6], [0, 0, 1, 3, 3, 4, 6])",
            "ragged([4, 5, 6], [0, 3], [0, 0, 1, 3])",
        ]
    );
    let again = batches.batch(2).drop_remainder();
    assert_eq!(again.element_spec().unwrap().to_string(), "ragged(int64[?], int64[3], int64[?], int64[?])");
    assert_eq!(
        check(&again),
        [
            "ragged([0, 1, 2, 1, 2, 3, 2, 3, 4, 3, 4, 5], [0, 2, 4], [0, 3, 6, 9, 12], [0, 0, 1, 3, 3, 4, 6, 6, 7, 9, 9, 10, 12])"
        ]
    );
}

#[test]
fn batches_of_sparse_tensors_have_the_largest_shape() {
    let sparse =
        lines(&["ab", "", "c", "def"]).map(|x| ops::sparse::from_dense(ops::strings::bytes_split(x)));
    let batches = sparse.batch(3);
    assert_eq!(batches.element_spec().unwrap().to_string(), "sparse(int64[?, 2], string[?], int64[2])");
    assert_eq!(
        check(&batches),
        [
            r#"sparse([3, 2][0, 0, 0, 1, 2, 0], ["a", "b", "c"], [3, 2])"#,
            r#"sparse([3, 2][0, 0, 0, 1, 0, 2], ["d", "e", "f"], [1, 3])"#,
        ]
    );
    let dense =
        batches.map(|x| ops::sparse::to_dense(x.component(0), x.component(1), x.component(2), "-", true));
    assert_eq!(check(&dense)[0], r#"[3, 2]["a", "b", "-", "-", "c", "-"]"#);
}

#[test]
fn elements_that_do_not_fit_together_fail_their_batch_alone() {
    let grid = |x: Symbolic| {
        let wide = ops::reshape(
            ops::where_(x.lt(2), numbered(&[1, 2, 3, 4]), numbered(&[5, 6, 7, 8])),
            feedline::data::Shape::fixed(&[2, 2]),
        );
        ops::ragged::from_row_lengths(wide, numbered(&[2]))
    };
    // All fit here; the shapes of values have to be the same, their number not.
    assert_eq!(check(&Dataset::range(3).map(grid).batch(2)).len(), 2);
    let uneven = lines(&["1,2", "3", "4,5,6"]).map(|x| {
        let numbers = ops::strings::to_number(ops::strings::split(x, ",", -1), DType::Int64);
        let count = ops::size(numbers.clone(), DType::Int32);
        ops::ragged::from_row_lengths(numbers, ops::expand_dims(count, 0))
    });
    assert_eq!(check(&uneven.batch(3)), ["ragged([1, 2, 3, 4, 5, 6], [0, 1, 2, 3], [0, 2, 3, 6])"]);
    let plain = lines(&["1,2", "3"]).map(|x| ops::strings::split(x, ",", -1)).batch(2);
    let items: Vec<String> = plain.iterator().unwrap().map(|item| show(&item)).collect();
    assert!(items[0].contains("elements that do not stack"), "{items:?}");
}

#[test]
fn splits_that_lie_are_errors_of_their_elements() {
    let ragged = Dataset::range(4).map(|x| {
        let splits = ops::stack([ops::zeros_like(&x), x.clone(), ops::zeros_like(x) + 2], 0);
        ops::ragged::from_nested_row_splits(numbered(&[7, 8]), [splits])
    });
    let items = check(&ragged);
    assert_eq!(items[1], "ragged([7, 8], [0, 1, 2])");
    assert!(items[3].contains("row_splits fall from 3 to 2"), "{}", items[3]);
    let unchecked = Dataset::range(1).map(|x| {
        let made =
            Symbolic::composite(Composite::Ragged, [numbered(&[7, 8]), ops::stack([x.clone(), x + 9], 0)]);
        ops::ragged::to_tensor(made.component(0), 0, [made.component(1)], Attribute::None)
    });
    assert!(check(&unchecked)[0].contains("row_splits end with 9"));
}

#[test]
fn words_are_looked_up_in_tables_of_the_plan() {
    let words = Tensor::from_strings(vec![2], ["cat", "dog"].iter().collect::<Strings>());
    let find = {
        let words = words.clone();
        move |x| {
            let numbers = Tensor::from_vec(vec![2], vec![10_i64, 20]);
            ops::lookup::find(x, words.clone(), numbers, Tensor::scalar(-1_i64))
        }
    };
    let found = lines(&["dog", "cow", "cat", "dog"]).map(find);
    assert_eq!(check(&found), ["20", "-1", "10", "20"]);
    let text = found.to_text().unwrap();
    assert!(text.contains("cat"), "a table is a part of the plan");
    let hashed = lines(&["dog", "cow", "", "mouse"]).map(move |x| {
        let numbers = Tensor::from_vec(vec![2], vec![0_i64, 1]);
        ops::lookup::find_or_hash(x, words.clone(), numbers, 5)
    });
    // TensorFlow's StaticVocabularyTable of the same keys.
    assert_eq!(check(&hashed), ["1", "5", "5", "3"]);
    let twice = Dataset::range(2).map(|x| {
        let values = Tensor::from_vec(vec![2], vec![1.5_f32, 2.5]);
        ops::lookup::find(x, Tensor::from_vec(vec![2], vec![7_i64, 7]), values, Tensor::scalar(0_f32))
    });
    let error = twice.iterator().map(drop).unwrap_err().to_string();
    assert!(error.contains("table_keys has 7 twice"), "{error}");
}

#[test]
fn bad_records_of_csv_fail_alone() {
    let rows = lines(&["1,a", "x,b", "3", "4,\"d\"\"e\"", ",f"]).map(|x| {
        let number = Tensor::from_vec(vec![0], Vec::<i32>::new());
        let text = Tensor::from_strings(vec![1], [""].iter().collect::<Strings>());
        ops::decode_csv(x, [number.into(), text.into()], ",", true, "", Attribute::None)
    });
    let items = check(&rows);
    assert_eq!((items[0].as_str(), items[3].as_str()), (r#"(1, "a")"#, r#"(4, "d\"e")"#));
    assert!(items[1].contains("field 0 is 'x', no int32"), "{}", items[1]);
    assert!(items[2].contains("there are 1 fields where record_defaults has 2"), "{}", items[2]);
    assert!(items[4].contains("field 0 is required and empty"), "{}", items[4]);
}

#[test]
fn features_of_any_length_are_ragged_in_batches_of_records() {
    let record =
        |tags: &[i64]| ExampleWriter::new().int64("id", &[tags.len() as i64]).int64("tags", tags).to_bytes();
    let records = [record(&[1, 2]), record(&[]), record(&[3])];
    let records: Strings = records.iter().collect();
    let ds = Dataset::from_tensor_slices(Tensor::from_strings(vec![3], records)).batch(2).map(|x| {
        let features =
            [("tags", Feature::ragged(DType::Int64)), ("id", Feature::fixed_len(&[], DType::Int64))];
        ops::parse_example(x, features)
    });
    assert_eq!(
        check(&ds),
        ["{'id': [2, 0], 'tags': ragged([1, 2], [0, 2, 2])}", "{'id': [1], 'tags': ragged([3], [0, 1])}"]
    );
    // Of what nobody uses nothing is left out there: an output is not a feature.
    let tags = ds.map(|x| x.get("tags").component(0));
    assert_eq!(check(&tags), ["[1, 2]", "[3]"]);
}

#[test]
fn features_of_any_length_are_sparse_as_tensorflows_are() {
    let records: Strings = [&[1, 2][..], &[], &[3]]
        .iter()
        .map(|tags| ExampleWriter::new().int64("tags", tags).to_bytes())
        .collect();
    let records = Dataset::from_tensor_slices(Tensor::from_strings(vec![3], records));
    let features = || [("tags", Feature::var_len(DType::Int64))];
    let sparse = [
        "{'tags': sparse([2, 2][0, 0, 0, 1], [1, 2], [2, 2])}",
        "{'tags': sparse([1, 2][0, 0], [3], [1, 1])}",
    ];
    // A record at a time and then a batch, or a batch of records: the same.
    let alone = records.map(|x| ops::parse_single_example(x, features()));
    assert_eq!(check(&alone)[1], "{'tags': sparse([0, 1][], [], [0])}");
    assert_eq!(check(&alone.batch(2)), sparse);
    assert_eq!(check(&records.batch(2).map(|x| ops::parse_example(x, features()))), sparse);
    // With the rule all records of a block are one call of the parser.
    let running = alone.batch(2).explain().unwrap().running().lines();
    assert!(running.iter().any(|line| line.contains("parsed together")), "{running:?}");
}

#[test]
fn sequences_are_lists_of_steps() {
    let words = [FeatureValues::Int64(&[1, 2]), FeatureValues::Int64(&[]), FeatureValues::Int64(&[3])];
    let frames = [FeatureValues::Float(&[0.5, 1.5]), FeatureValues::Float(&[2.5, 3.5])];
    let good = SequenceWriter::new()
        .context("id", FeatureValues::Int64(&[7]))
        .list("words", &words)
        .list("frames", &frames)
        .to_bytes();
    let lacking =
        SequenceWriter::new().context("id", FeatureValues::Int64(&[8])).list("words", &words).to_bytes();
    let empty = SequenceWriter::new().list("frames", &[]).to_bytes();
    let records: Strings = [good, lacking, b"\xff".to_vec(), empty].iter().collect();
    let ds = Dataset::from_tensor_slices(Tensor::from_strings(vec![4], records)).map(|x| {
        ops::parse_single_sequence_example(
            x,
            [("id", Feature::fixed_len(&[], DType::Int64).with_default(-1_i64))],
            [
                ("words", Feature::ragged(DType::Int64)),
                ("frames", Feature::fixed_len_sequence(&[2], DType::Float32)),
            ],
        )
    });
    let items = check(&ds);
    assert_eq!(
        items[0],
        "({'id': 7}, {'frames': [2, 2][0.5, 1.5, 2.5, 3.5], 'words': ragged([1, 2, 3], [0, 2, 2, 3])})"
    );
    assert!(items[1].contains("frames"), "{}", items[1]);
    assert!(items[2].starts_with("error"), "{}", items[2]);
    assert_eq!(items[3], "({'id': -1}, {'frames': [0, 2][], 'words': ragged([], [0])})");
    let none = Dataset::range(1).map(|_| {
        ops::parse_single_sequence_example(
            "",
            Features::default(),
            [("x", Feature::fixed_len(&[], DType::Int64))],
        )
    });
    assert!(none.iterator().is_err_and(|error| error.to_string().contains("'x' is of fixed length")));
}

#[test]
fn batches_of_sequences_are_filled_up_or_ragged() {
    let step = |values: &'static [i64]| FeatureValues::Int64(values);
    let words = [step(&[1, 2]), step(&[]), step(&[3])];
    let first = SequenceWriter::new()
        .context("id", step(&[7]))
        .list("words", &words)
        .list("ids", &[step(&[5])])
        .to_bytes();
    let second =
        SequenceWriter::new().context("id", step(&[8])).list("ids", &[step(&[6]), step(&[7])]).to_bytes();
    let lacking = SequenceWriter::new().context("id", step(&[9])).to_bytes();
    let records: Strings = [&first, &second, &second, &lacking, &first].into_iter().collect();
    let parse = |ids: Feature| {
        let ds = Dataset::from_tensor_slices(Tensor::from_strings(vec![5], records.clone())).batch(2);
        let ds = ds.map(|x| {
            ops::parse_sequence_example(
                x,
                [("id", Feature::fixed_len(&[], DType::Int64))],
                [("ids", ids), ("words", Feature::ragged(DType::Int64))],
            )
        });
        check(&ds)
    };
    let ids = Feature::fixed_len_sequence(&[], DType::Int64);
    let items = parse(ids.clone());
    assert_eq!(
        items[0],
        "({'id': [7, 8]}, {'ids': [2, 2][5, 0, 6, 7], 'words': ragged([1, 2, 3], [0, 3, 3], [0, 2, 2, 3])}, {'ids': [1, 2]})"
    );
    assert!(items[1].contains("record 1 of the batch") && items[1].contains("ids"), "{}", items[1]);
    assert_eq!(
        items[2],
        "({'id': [7]}, {'ids': [1, 1][5], 'words': ragged([1, 2, 3], [0, 3], [0, 2, 2, 3])}, {'ids': [1]})"
    );
    let items = parse(ids.with_default(-1_i64));
    assert_eq!(
        items[1],
        "({'id': [8, 9]}, {'ids': [2, 2][6, 7, -1, -1], 'words': ragged([], [0, 0, 0], [0])}, {'ids': [2, 0]})"
    );
}

#[test]
fn tensors_of_any_unknown_dimensions_are_ragged_in_batches() {
    let squares = Dataset::range(3).map(|n| ops::fill(ops::stack([n.clone(), n.clone()], 0), n));
    assert_eq!(
        check(&squares.ragged_batch(3)),
        ["ragged([1, 2, 2, 2, 2], [0, 0, 1, 3], [0, 1, 3, 5])"],
        "rows of rows"
    );
    let sums = squares.ragged_batch(2).map(|batch| ops::reduce_sum(batch + 1, 2_i64, false));
    assert_eq!(
        check(&sums),
        ["ragged([2], [0, 0, 1])", "ragged([6, 6], [0, 2])"],
        "computed with on the way"
    );
}

#[test]
fn rows_of_ragged_tensors_are_plain_in_functions_and_ragged_in_batches() {
    let rows = Dataset::range(3).map(rows_of).unbatch();
    assert_eq!(rows.element_spec().unwrap().to_string(), "ragged(int64[?])");
    let items =
        ["ragged([])", "ragged([0])", "ragged([1, 2])", "ragged([])", "ragged([1])", "ragged([2, 3])"];
    assert_eq!(check(&rows)[..6], items);
    // A batch of them is ragged, also behind steps that choose among elements, and comes apart again.
    let batches = rows.skip(1).take(4).batch(3);
    assert_eq!(check(&batches), ["ragged([0, 1, 2], [0, 1, 3, 3])", "ragged([1], [0, 1])"]);
    assert_eq!(check(&batches.unbatch()), items[1..5]);
    let long = rows.filter(|x| ops::size(x, DType::Int64).gt(1)).batch(2);
    assert_eq!(check(&long), ["ragged([1, 2, 2, 3], [0, 2, 4])", "ragged([3, 4], [0, 2])"]);
    assert_eq!(check(&rows.ragged_batch(9)), check(&rows.batch(9)));
    assert_eq!(
        check(&batches.rebatch([1, 0, 2])),
        [
            "ragged([0], [0, 1])",
            "ragged([], [0])",
            "ragged([1, 2], [0, 2, 2])",
            "ragged([1], [0, 1])",
            "ragged([], [0])"
        ]
    );
    let windows = rows.take(3).window(2).flat_map(|window| Dataset::of_window(window).batch(2));
    assert_eq!(check(&windows), ["ragged([0], [0, 0, 1])", "ragged([1, 2], [0, 2])"]);
    // What a function gives is what it says, and tensors of different lengths do not stack.
    let sums = rows.take(3).map(|x| ops::reduce_sum(x, Attribute::None, false));
    assert_eq!(check(&sums), ["0", "0", "3"]);
    assert!(check(&rows.map(|x| x + 1).batch(2))[0].contains("do not stack"));
    // Their own slices are plain.
    assert_eq!(check(&rows.take(3).unbatch()), ["0", "1", "2"]);
    assert!(rows.padded_batch(2).iterator().is_err());
}

#[test]
fn tensors_of_several_ragged_dimensions_come_apart_one_at_a_time() {
    let inner = Dataset::range(4).map(rows_of).batch(2);
    let (twice, once) = (inner.batch(2), Dataset::range(4).map(rows_of));
    assert_eq!(check(&inner.unbatch()), check(&once));
    assert_eq!(check(&twice.unbatch()), check(&inner));
    assert_eq!(twice.unbatch().element_spec().unwrap().to_string(), "ragged(int64[?], int64[?], int64[?])");
    // Beside plain tensors, inside functions, and of values in memory.
    let pairs = inner.map(|x| Symbolic::tuple([x, numbered(&[7, 8])])).unbatch();
    assert_eq!(check(&pairs)[1], "(ragged([1, 2, 3], [0, 0, 1, 3]), 8)");
    let nested = Dataset::range(2).flat_map(|x| Dataset::from_tensor_slices(rows_of(x)));
    assert_eq!(check(&nested), check(&Dataset::range(2).map(rows_of).unbatch()));
    let list = |values: &[i64]| Tensor::from_vec(vec![values.len()], values.to_vec());
    let ragged = |values: &[i64], splits: &[i64]| {
        Structure::Composite(Composite::Ragged, vec![list(values), list(splits)])
    };
    let slices = Dataset::from_tensor_slices(Structure::Tuple(vec![
        ragged(&[1, 2, 3], &[0, 2, 3]),
        list(&[5, 6]).into(),
    ]));
    assert_eq!(check(&slices), ["(ragged([1, 2]), 5)", "(ragged([3]), 6)"]);
    assert_eq!(slices.cardinality().unwrap(), 2);
    let unequal =
        Dataset::from_tensor_slices(Structure::Tuple(vec![ragged(&[], &[0, 0]), list(&[5, 6]).into()]));
    let message = unequal.iterator().expect_err("refused").to_string();
    assert!(message.contains("from_tensor_slices") && message.contains("has 1 slices"), "{message}");
    let damaged = Dataset::from_tensor_slices(ragged(&[1], &[0, 2, 1]));
    assert!(check(&damaged)[0].contains("row_splits fall from 2 to 1"));
}

#[test]
fn slices_of_sparse_tensors_are_sparse() {
    let sparse =
        lines(&["ab", "", "c", "def"]).map(|x| ops::sparse::from_dense(ops::strings::bytes_split(x)));
    let slices = sparse.batch(2).unbatch();
    assert_eq!(slices.element_spec().unwrap().to_string(), "sparse(int64[?, 1], string[?], int64[1])");
    assert_eq!(
        check(&slices),
        [
            r#"sparse([2, 1][0, 1], ["a", "b"], [2])"#,
            "sparse([0, 1][], [], [2])",
            r#"sparse([1, 1][0], ["c"], [3])"#,
            r#"sparse([3, 1][0, 1, 2], ["d", "e", "f"], [3])"#
        ]
    );
    let given = |indices: &[i64], sizes: [i64; 2]| {
        let values: Vec<i64> = (0..indices.len() as i64 / 2).collect();
        let indices = Tensor::from_vec(vec![values.len(), 2], indices.to_vec());
        let parts = [
            indices,
            Tensor::from_vec(vec![values.len()], values),
            Tensor::from_vec(vec![2], sizes.to_vec()),
        ];
        Dataset::from_tensor_slices(Structure::Composite(Composite::Sparse, parts.to_vec()))
    };
    let slices = given(&[0, 1, 2, 0], [3, 4]);
    assert_eq!(slices.cardinality().unwrap(), 3);
    assert_eq!(
        check(&slices),
        ["sparse([1, 1][1], [0], [4])", "sparse([0, 1][], [], [4])", "sparse([1, 1][0], [1], [4])"]
    );
    assert_eq!(check(&slices.batch(2))[0], "sparse([1, 2][0, 1], [0], [2, 4])");
    for (indices, sizes, expected) in [
        (&[2, 1, 0, 0][..], [3, 4], "is not in order"),
        (&[0, 4], [3, 4], "outside of the shape"),
        (&[], [i64::MAX, 4], "or more than"),
    ] {
        let items = check(&given(indices, sizes));
        assert!(items[0].contains(expected), "{items:?}");
    }
}
