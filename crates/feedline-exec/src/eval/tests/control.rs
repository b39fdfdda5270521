//! Choices and loops: the rows that take a branch, and nobody else's errors.

use feedline_data::block::{Column, Tensor};
use feedline_data::{DType, ElementSpec, Shape, TensorSpec};
use feedline_plan::{Function, Symbolic, ops};

use super::{Program, rows_of, run, scalars, try_run, values};

fn lists(column: &[Result<Tensor, String>]) -> Vec<Result<Vec<i64>, String>> {
    column
        .iter()
        .map(|row| row.as_ref().map(|t| t.as_slice::<i64>().to_vec()).map_err(Clone::clone))
        .collect()
}

#[test]
fn a_branch_is_computed_for_the_rows_that_take_it() {
    let results = run(vec![scalars(&[5_i64, 0, 2, 0, 50])], |x| {
        let x = x.at(0);
        ops::cond(x.ne(0), || ops::floordiv(100, &x), || &x - 1)
    });
    assert_eq!(values::<i64>(&results), [20, -1, 50, -1, 2]);
    // All rows in one branch, and a condition that is the same for all.
    let all = run(vec![scalars(&[1_i64, 2])], |x| ops::cond(x.at(0).gt(0), || x.at(0) * 2, || x.at(0)));
    assert_eq!(values::<i64>(&all), [2, 4]);
    let fixed = run(vec![scalars(&[1_i64, 2])], |x| ops::cond(false, || x.at(0) * 2, || x.at(0)));
    assert_eq!(values::<i64>(&fixed), [1, 2]);
    // An error inside fails its own row.
    let failing = run(vec![scalars(&[0_i64, 1, 2])], |x| {
        ops::cond(x.at(0).lt(2), || ops::floordiv(6, x.at(0)), || x.at(0))
    });
    assert_eq!(failing[0].as_ref().expect_err("6 // 0"), "floordiv: division by zero");
    assert_eq!(values::<i64>(&failing[1..]), [6, 2]);
}

#[test]
fn branches_give_structures_of_different_shapes_and_nest() {
    let column = vec![scalars(&[1_i64, 2, 3])];
    let (spec, leaves) = try_run(column, |x| {
        let x = x.at(0);
        ops::cond(
            x.eq(2),
            || Symbolic::dict([("a", ops::range(0_i64, &x, 1_i64)), ("b", "two".into())]),
            || {
                let inner = ops::cond(x.gt(2), || ops::range(0, &x, 1), || ops::range(&x, 5, 1));
                Symbolic::dict([("a", inner), ("b", "other".into())])
            },
        )
    })
    .expect("fits");
    assert_eq!(spec.to_string(), "{'a': int64[?], 'b': string[]}");
    assert_eq!(lists(&leaves[0]), [Ok(vec![1, 2, 3, 4]), Ok(vec![0, 1]), Ok(vec![0, 1, 2])]);
    let words: Vec<Vec<u8>> =
        rows_of(&leaves).iter().map(|row| row[1].strings().expect("strings").get(0).to_vec()).collect();
    assert_eq!(words, [&b"other"[..], b"two", b"other"]);
}

#[test]
fn branches_that_do_not_agree_are_refused() {
    let refused = |function: &dyn Fn(Symbolic) -> Symbolic| {
        let error = try_run(vec![scalars(&[1_i64])], |x| function(x.at(0))).expect_err("refused");
        error.to_string()
    };
    let error = refused(&|x| ops::cond(x.gt(0), || x.clone(), || ops::cast(&x, DType::Float32)));
    assert!(error.contains("branch 1 gives float32") && error.contains("cast(…, int64)"), "{error}");
    let error = refused(&|x| ops::cond(x.gt(0), || x.clone(), || Symbolic::tuple([x.clone()])));
    assert!(error.contains("another structure"), "{error}");
    let error = refused(&|x| ops::cond(&x, || x.clone(), || x.clone()));
    assert!(error.contains("a condition of bool"), "{error}");
    let error = refused(&|x| ops::while_loop(|x| x.gt(0), |x| x.eq(0), x, 3));
    assert!(error.contains("the body gives bool"), "{error}");
    let error = refused(&|x| ops::map_fn(|x| x, x));
    assert!(error.contains("no first dimension"), "{error}");
}

#[test]
fn cases_are_chosen_by_number_and_the_last_is_for_the_rest() {
    let results = run(vec![scalars(&[0_i32, 1, 2, 7, -1])], |x| {
        let x = x.at(0);
        let branch = |factor: i64| {
            let x = x.clone();
            Box::new(move || x * factor + factor) as Box<dyn FnOnce() -> Symbolic>
        };
        ops::switch_case(&x, vec![branch(10), branch(100), branch(1000)])
    });
    assert_eq!(values::<i32>(&results), [10, 200, 3000, 8000, 0]);
}

#[test]
fn loops_end_for_each_row_on_its_own() {
    // Collatz: how many steps to 1.
    let steps = |mut n: i64| {
        let mut count = 0;
        while n != 1 && count < 50 {
            n = if n % 2 == 0 { n / 2 } else { 3 * n + 1 };
            count += 1;
        }
        count
    };
    let starts: Vec<i64> = (1..40).collect();
    let results = run(vec![scalars(&starts)], |x| {
        let all = ops::while_loop(
            |both| both.at(0).ne(1),
            |both| {
                let n = both.at(0);
                let next = ops::cond((&n % 2).eq(0), || ops::floordiv(&n, 2), || &n * 3 + 1);
                Symbolic::tuple([next, both.at(1) + 1])
            },
            Symbolic::tuple([x.at(0), Tensor::scalar(0_i64).into()]),
            50,
        );
        all.at(1)
    });
    assert_eq!(values::<i64>(&results), starts.iter().map(|&n| steps(n)).collect::<Vec<_>>());
    // Shapes may grow, errors stay with their rows, what is captured is each row's own.
    let results = run(vec![scalars(&[1_i64, 0, 3]), scalars(&[10_i64, 20, 30])], |x| {
        let (limit, step) = (x.at(0), x.at(1));
        let start = ops::reshape(ops::floordiv(&step, &limit), Shape::fixed(&[1]));
        ops::while_loop(
            |list| ops::size(&list, DType::Int64).lt(&limit + 1),
            |list| ops::concat([list.clone(), ops::reshape(list.index(-1) + &step, Shape::fixed(&[1]))], 0),
            start,
            10,
        )
    });
    assert_eq!(lists(&results)[0], Ok(vec![10, 20]));
    assert_eq!(results[1].as_ref().expect_err("20 // 0"), "floordiv: division by zero");
    assert_eq!(lists(&results)[2], Ok(vec![10, 40, 70, 100]));
}

#[test]
fn entries_are_mapped_folded_and_scanned() {
    let varying = || {
        Column::from_vec(vec![], 6, vec![1_i64, 2, 3, 4, 5, 6]).with_shapes(vec![
            vec![1],
            vec![3],
            vec![0],
            vec![2],
        ])
    };
    let factors = || scalars(&[10_i64, 100, 0, 1]);
    let mapped = run(vec![varying(), factors()], |x| {
        let factor = x.at(1);
        ops::map_fn(|entry| entry * &factor + 1, x.at(0))
    });
    let expected = [vec![11], vec![201, 301, 401], vec![], vec![6, 7]];
    assert_eq!(lists(&mapped), expected.map(Ok));
    let folded =
        run(vec![varying(), factors()], |x| ops::foldl(|sum, entry| sum * 2 + entry, x.at(0), x.at(1)));
    // 10·2+1; ((100·2+2)·2+3)·2+4; the start itself; (1·2+5)·2+6.
    assert_eq!(values::<i64>(&folded), [21, 818, 0, 20]);
    let scanned =
        run(vec![varying(), factors()], |x| ops::scan(|sum, entry| sum * 2 + entry, x.at(0), x.at(1)));
    let expected = [vec![21], vec![202, 407, 818], vec![], vec![7, 20]];
    assert_eq!(lists(&scanned), expected.map(Ok));
    // Nothing at all has a shape, too.
    let none = Column::from_vec(vec![0, 2], 2, Vec::<i64>::new());
    let results = run(vec![none], |x| ops::map_fn(|entry| ops::reduce_sum(entry, 0, false), x.at(0)));
    assert_eq!(results[1].as_ref().map(|t| t.shape().to_vec()), Ok(vec![0]));
    // Several tensors at a time, and results that do not stack.
    let (spec, leaves) = try_run(vec![varying(), varying()], |x| {
        ops::map_fn(|both| (both.at(0) + both.at(1), both.at(0)).into(), Symbolic::tuple([x.at(0), x.at(1)]))
    })
    .expect("fits");
    assert_eq!(spec.to_string(), "(int64[...], int64[...])");
    assert_eq!(lists(&leaves[0])[1], Ok(vec![4, 6, 8]));
    let ragged = run(vec![varying()], |x| ops::map_fn(|entry| ops::range(0_i64, entry, 1_i64), x.at(0)));
    assert_eq!(
        ragged[1].as_ref().expect_err("2, 3 and 4 values"),
        "map_fn: the result of entry 1 has shape [3], that of entry 0 has [2]"
    );
    assert_eq!(lists(&ragged)[0], Ok(vec![0]));
}

#[test]
fn scalars_have_no_entries_and_fail_alone() {
    let mixed = || {
        let shapes = vec![vec![], vec![2], vec![]];
        Column::from_vec(vec![], 4, vec![5_i64, 1, 2, 7]).flat().with_shapes(shapes)
    };
    let loops: [fn(Symbolic) -> Symbolic; 3] = [
        |x| ops::map_fn(|entry| entry * 2, x),
        |x| ops::foldl(|sum, entry| sum + entry, x, Tensor::scalar(0_i64)),
        |x| ops::scan(|sum, entry| sum + entry, x, Tensor::scalar(0_i64)),
    ];
    for looped in loops {
        let results = run(vec![mixed()], |x| looped(x.at(0)));
        let failed: Vec<bool> = results.iter().map(Result::is_err).collect();
        assert_eq!(failed, [true, false, true]);
        // All of them scalars, which is not known before.
        let results = run(vec![scalars(&[5_i64]), mixed().slice(1..2)], |x| {
            looped(ops::cond(x.at(0).gt(0), || x.at(0), || x.at(1)))
        });
        let reason = results[0].as_ref().expect_err("a scalar");
        assert!(reason.contains("elems has a scalar, which has no first dimension"), "{reason}");
    }
}

#[test]
fn no_states_have_the_sizes_of_the_first() {
    let pairs = Column::from_vec(vec![2], 1, vec![5_i64, 6]);
    let none = Column::from_vec(vec![], 0, Vec::<i64>::new()).flat().with_shapes(vec![vec![0, 2]]);
    let results = run(vec![none, pairs.flat().with_shapes(vec![vec![2]])], |x| {
        ops::scan(|sum, entry| sum + entry, x.at(0), x.at(1))
    });
    assert_eq!(results[0].as_ref().map(|t| t.shape().to_vec()), Ok(vec![0, 2]));
}

#[test]
fn what_is_drawn_before_a_choice_is_drawn_once_and_what_is_drawn_in_a_loop_every_time() {
    let (_, leaves) = try_run(vec![scalars(&[0_i64; 50])], |_| {
        let drawn = ops::random_uniform(Shape::scalar(), 1);
        let chosen = ops::cond(drawn.lt(0.5), || drawn.clone(), || &drawn * 1.0);
        let entries = ops::zeros(Shape::fixed(&[4]), DType::Float32);
        let many = ops::map_fn(|entry| entry + ops::random_uniform(Shape::scalar(), 1), entries);
        Symbolic::tuple([drawn, chosen, many])
    })
    .expect("fits");
    assert_eq!(leaves[0], leaves[1]);
    for row in &leaves[2] {
        let row = row.as_ref().expect("no error").as_slice::<f32>();
        assert!((1..4).all(|place| row[place].to_bits() != row[0].to_bits()), "{row:?}");
    }
}

#[test]
fn a_choice_that_reads_files_waits_for_them() {
    let spec = ElementSpec::Leaf(TensorSpec::scalar(DType::String));
    let waits = |function: &dyn Fn(Symbolic) -> Symbolic| {
        let result = function(Symbolic::of_spec(&spec)).to_structure().expect("fits");
        Program::new(&Function::Traced(result), &spec).expect("compiles").waits()
    };
    assert!(waits(&|x| ops::cond(x.ne(""), || ops::read_file(&x), || x.clone())));
    assert!(!waits(&|x| ops::cond(x.ne(""), || x.clone(), || "nothing".into())));
}

#[test]
fn functions_made_of_others_give_what_python_gives() {
    let sizes = run(vec![scalars(&[0_i64, 2, 4])], |x| {
        let x = x.at(0);
        let function = |number: i64| -> Box<dyn FnOnce() -> Symbolic> {
            Box::new(move || Tensor::scalar(number).into())
        };
        ops::case(vec![(x.lt(2), function(1)), (x.lt(4), function(2))], function(3))
    });
    assert_eq!(values::<i64>(&sizes), [1, 2, 3]);
    let lengths = Column::from_vec(vec![2], 1, vec![1_i64, 3]);
    let masks = run(vec![lengths], |x| ops::sequence_mask(x.at(0), Some(4.into()), DType::Int64));
    assert_eq!(lists(&masks), [Ok(vec![1, 0, 0, 0, 1, 1, 1, 0])]);
    let lengths = Column::from_vec(vec![3], 1, vec![0.4_f32, 1.5, 2.5]);
    let masks = run(vec![lengths], |x| ops::sequence_mask(x.at(0), Some(3.into()), DType::Int64));
    assert_eq!(lists(&masks), [Ok(vec![0, 0, 0, 1, 0, 0, 1, 1, 0])]);
    let chosen = run(vec![scalars(&[0_i64; 50])], |_| {
        ops::random_choice(Tensor::from_vec(vec![3], vec![10_i64, 20, 30]), Shape::scalar(), 1)
    });
    let mut chosen = values::<i64>(&chosen);
    chosen.sort_unstable();
    chosen.dedup();
    assert_eq!(chosen, [10, 20, 30]);
    let near = run(vec![scalars(&[1.0_f32, 1.1, 1.5])], |x| ops::assert_near(x.at(0), 1.0, 0.0, 0.2, ""));
    let failed: Vec<bool> = near.iter().map(Result::is_err).collect();
    assert_eq!(failed, [false, false, true]);
}
