//! Arithmetic with constants in one pass: the same results to the bit, wherever they go.

use std::borrow::Cow;
use std::sync::Arc;

use feedline_data::block::{Block, Column, Ids, Landing, Memory, Position, Room, Tensor, Token};
use feedline_data::{DType, ElementSpec, Structure};
use feedline_plan::{Function, Symbolic, ops};

use super::super::{Allowance, Program};
use super::spec_of;

#[derive(Debug)]
struct Fresh;

impl Memory for Fresh {
    fn take(&self, num_bytes: usize) -> Room {
        Room::new(num_bytes)
    }

    fn put_back(&self, _: Room) {}
}

const SHAPE: [usize; 3] = [40, 5, 3];
const ROWS: usize = 7;

fn pixels() -> Vec<u8> {
    (0..ROWS * 600).map(|i| (i * 37 % 256) as u8).collect()
}

/// A constant of `shape` with values that do not divide evenly.
fn constant(shape: &[usize], by: f32) -> Tensor {
    let count = shape.iter().product::<usize>();
    Tensor::from_vec(shape.to_vec(), (0..count).map(|i| 0.1 + i as f32 * by).collect())
}

fn program_of(function: impl FnOnce(Symbolic) -> Symbolic) -> (Program, ElementSpec) {
    let column = Column::from_vec(SHAPE.to_vec(), ROWS, pixels());
    let spec = Structure::Leaf(spec_of(&column));
    let result = function(Symbolic::of_spec(&spec)).to_structure().expect("fits");
    let result_spec = result.map(|expr| expr.spec().clone());
    (Program::new(&Function::Traced(result), &spec).expect("compiles"), result_spec)
}

fn block() -> Block {
    let column = Column::from_vec(SHAPE.to_vec(), ROWS, pixels());
    Block::new(vec![column], Ids::run(0, ROWS), Position::at(Token::new(|_| 0)))
}

fn num_steps(program: &Program) -> (usize, usize) {
    let Program::Columnar(columnar) = program else { unreachable!("traced") };
    (columnar.num_steps(), columnar.num_chains())
}

#[test]
fn operations_with_constants_are_one_step_and_give_the_same_bits() {
    let (mean, deviation) = (constant(&[3], 0.37), constant(&[5, 3], 0.011));
    let (program, _) = program_of(|x| {
        let x = ops::cast(x, DType::Float32) / 255.0;
        (x - Symbolic::from(mean.clone())) / Symbolic::from(deviation.clone()) * 3.3 + 0.7
    });
    assert_eq!(num_steps(&program), (1, 1));
    let found = program.run(block());
    let expected: Vec<f32> = pixels()
        .iter()
        .enumerate()
        .map(|(i, &pixel)| {
            let mean = mean.as_slice::<f32>()[i % 3];
            let deviation = deviation.as_slice::<f32>()[i % 15];
            (f32::from(pixel) / 255.0 - mean) / deviation * 3.3 + 0.7
        })
        .collect();
    assert_eq!(found.columns()[0].as_slice::<f32>(), expected);
    assert_eq!(found.columns()[0].common_shape(), Some(&SHAPE[..]));
}

#[test]
fn what_is_wanted_twice_is_not_passed_over() {
    let (program, _) = program_of(|x| {
        let scaled = ops::cast(x, DType::Float32) / 255.0;
        Symbolic::tuple([scaled.clone() * 2.0, scaled])
    });
    assert_eq!(num_steps(&program), (2, 2));
    let found = program.run(block());
    let scaled: Vec<f32> = pixels().iter().map(|&pixel| f32::from(pixel) / 255.0).collect();
    assert_eq!(found.columns()[1].as_slice::<f32>(), scaled);
    assert_eq!(
        found.columns()[0].as_slice::<f32>(),
        scaled.iter().map(|value| value * 2.0).collect::<Vec<_>>()
    );
}

#[test]
fn other_shapes_and_sides_are_no_chain() {
    // It stretches the element, or comes first.
    let (program, _) = program_of(|x| {
        let x = ops::cast(x, DType::Float32);
        Symbolic::tuple([
            x.clone() + Symbolic::from(constant(&[2, 40, 5, 3], 0.1)),
            x.clone() * Symbolic::from(constant(&[5, 1], 0.1)),
            Symbolic::from(Tensor::scalar(1_f32)) - x,
        ])
    });
    assert_eq!(num_steps(&program), (4, 1));
}

#[test]
fn results_that_land_are_those_that_do_not() {
    let (program, spec) = program_of(|x| {
        let scaled = ops::cast(x.clone(), DType::Float32) / 255.0;
        Symbolic::tuple([
            scaled.clone() - Symbolic::from(constant(&[3], 0.2)),
            ops::reduce_max(x.clone(), &[0_i64][..], false),
            ops::sqrt(scaled),
            x,
        ])
    });
    let whole = program.run(block());
    let home: Arc<dyn Memory> = Arc::new(Fresh);
    let landing = |leaf: &&feedline_data::TensorSpec| {
        let shape = leaf.shape.to_fixed().expect("fixed");
        Landing::new(leaf.dtype, shape.into(), ROWS, &home).map(|mut landing| landing.take(ROWS))
    };
    let mut landings: Vec<Option<Landing>> = spec.leaves().iter().map(landing).collect();
    assert!(program.run_into(Cow::Owned(block().slice(0..3)), &mut landings, &mut Allowance::unlimited()));
    assert!(program.run_into(Cow::Owned(block().slice(3..ROWS)), &mut landings, &mut Allowance::unlimited()));
    for (landing, column) in landings.into_iter().flatten().zip(whole.columns()) {
        assert!(landing.is_full());
        assert_eq!(&landing.into_column(), column);
    }
}
