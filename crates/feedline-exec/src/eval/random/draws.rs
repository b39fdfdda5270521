//! What is drawn for an element.

use feedline_data::block::mix;
use feedline_plan::expr::Attribute;

use crate::eval::Arguments;
use crate::seed::{halves, philox};

/// Draws for elements: what comes out depends on the operation, the element, the number of the draw, and nothing else.
pub(super) struct Draws {
    pub(super) key: [u32; 2],
}

impl Draws {
    pub(super) fn of(arguments: &Arguments<'_>) -> Draws {
        Draws { key: halves(mix(arguments.call.int("seed") as u64, arguments.call.place)) }
    }

    /// Two words for draw `index` of the element with that id, try number `attempt`.
    pub(super) fn words(&self, id: u64, index: usize, attempt: u32) -> [u64; 2] {
        let [low, high] = halves(id);
        let words = philox([low, high, index as u32, attempt], self.key);
        [0, 2].map(|at| u64::from(words[at]) | u64::from(words[at + 1]) << 32)
    }

    /// A number below `count`. A word of 64 bits times the count: no number is more likely than another by more than 2^-32 of its share,
    /// for counts of 32 bits.
    pub(super) fn below(&self, id: u64, index: usize, count: u64) -> u64 {
        ((u128::from(self.words(id, index, 0)[0]) * u128::from(count)) >> 64) as u64
    }

    /// A float in [0, 1).
    pub(super) fn unit(word: u64) -> f64 {
        (word >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// A value of the normal distribution (by Box and Muller), no further from 0 than `limit`.
    pub(super) fn normal(&self, id: u64, index: usize, limit: f64) -> f64 {
        let mut attempt = 0;
        loop {
            let [one, two] = self.words(id, index, attempt).map(Draws::unit);
            let value = (-2.0 * (1.0 - one).ln()).sqrt() * (two * std::f64::consts::TAU).cos();
            if value.abs() <= limit {
                return value;
            }
            attempt += 1;
        }
    }
}

pub(super) fn shape_of(arguments: &Arguments<'_>) -> Vec<usize> {
    let Attribute::Shape(shape) = arguments.call.attribute("shape") else {
        unreachable!("checked to be a shape")
    };
    shape.to_fixed().expect("the plan checked that the shape is known")
}
