//! Computing expressions over blocks, a column at a time.
//!
//! A [`Program`] is a function made ready: an expression graph in the order of computation, or Rust code. Each operation of the catalogue has a kernel here:
//! a function from columns to columns that runs once a block, not once an element. Kernels that can fail for a row
//! say so ([`Arguments::fail`]) and leave anything in its place; the row becomes an error when the program ends.

mod allowance;
mod arithmetic;
mod arrays;
mod batch_gather;
mod cast;
mod chain;
mod check_numerics;
mod checks;
mod clip_by_value;
mod columnar;
mod compare;
mod concat;
mod control;
mod decode_raw;
mod elementwise;
mod examples;
mod expand_dims;
mod gather;
mod gathered;
mod image;
mod join;
mod logic;
mod moves;
mod native;
mod numbers;
mod one_hot;
mod parse_example;
mod parse_single_example;
mod parsing;
mod pow;
mod ragged;
mod random;
mod random_uniform;
mod read_file;
mod reduce;
mod remedies;
mod reshape;
mod rows;
mod scratch;
mod shape;
mod squeeze;
mod stack;
mod strided_slice;
mod strings;
mod tables;
#[cfg(test)]
mod tests;
mod text_index;
mod transpose;
mod unary;
mod view;
mod walk;
mod where_;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use feedline_data::block::{Block, Column, Ids, Landing, RowError, Tensor};
use feedline_data::{DType, ElementSpec};
use feedline_plan::Function;
use feedline_plan::expr::Call;

pub(crate) use self::allowance::{Allowance, Part};
use self::columnar::{Columnar, least_asked_bytes};
pub(crate) use self::native::checked_element;
use self::remedies::{Remedy, remedy_of};
use self::scratch::Scratch;
use crate::budget::{Budget, Charge};
use crate::error::ExecError;
use crate::template::Scope;

/// A tensor of each row, or the same for all.
#[derive(Clone, Debug)]
pub(crate) enum Value {
    Rows(Column),
    Constant(Tensor),
}

impl Value {
    /// It as a column of `rows` rows.
    fn to_rows(&self, rows: usize) -> Column {
        match self {
            Value::Rows(column) => column.clone(),
            Value::Constant(tensor) => tensor.as_column().gather(&vec![0; rows]),
        }
    }

    fn dtype(&self) -> DType {
        match self {
            Value::Rows(column) => column.dtype(),
            Value::Constant(tensor) => tensor.dtype(),
        }
    }
}

/// What a kernel gets.
pub(crate) struct Arguments<'a> {
    /// The operation with its fixed arguments.
    call: &'a Call,
    /// Its tensors.
    inputs: Vec<&'a Value>,
    /// Number of rows.
    rows: usize,
    /// The rows' ids, for random operations.
    ids: &'a Ids,
    /// What the kernel left for itself.
    scratch: &'a Scratch,
    /// The functions the call computes with, ready to run.
    bodies: &'a [Columnar],
    failures: &'a mut Failures,
    allowance: &'a mut Allowance,
    /// How many times the bytes of its results it asks for: what is computed with them takes memory, too.
    weight: usize,
}

/// Rows that failed, with the first reason.
type Failures = BTreeMap<usize, RowError>;

impl Arguments<'_> {
    /// Whether results of `bytes` bytes may be held, those of `row` and the rows before it. If not, the kernel stops: what it has made is
    /// thrown away, and the rows before `row` are computed without the others. For operations that make any size. What is larger by itself
    /// than all the memory there is becomes an error.
    fn admits(&mut self, row: usize, bytes: usize) -> bool {
        if row == 0 && self.call.makes_any_size() && self.is_too_large(row, bytes) {
            // Nothing is made of it, so there is nothing to hold.
            return true;
        }
        !self.call.makes_any_size() || self.allowance.admits(row, bytes, self.weight)
    }

    /// Whether the result of `row`, of `bytes` bytes, is larger by itself than all the memory there is: then it is an error.
    fn is_too_large(&mut self, row: usize, bytes: usize) -> bool {
        let error = self.allowance.too_large(&self.call.name_as_written(), bytes);
        let is_too_large = error.is_some();
        if let Some(error) = error {
            let step = self.call.step;
            self.failures.entry(row).or_insert_with(|| error.of_step(step).into_row_error());
        }
        is_too_large
    }

    /// Results of fewer bytes in all need not be asked for, row by row.
    fn asked_from_bytes(&self) -> usize {
        let limit_bytes = self.allowance.limit_bytes().filter(|_| self.call.makes_any_size());
        limit_bytes.map_or(usize::MAX, |limit_bytes| least_asked_bytes(limit_bytes) as usize)
    }

    /// Makes `row` an error. The first error of a row stays.
    fn fail(&mut self, row: usize, message: &str) {
        self.fail_with_hint(row, message, None);
    }

    /// As [`Arguments::fail`], with what to do about it where more is known than the operation tells ([`remedies`]).
    fn fail_with_hint(&mut self, row: usize, message: &str, hint: Option<String>) {
        self.failures.entry(row).or_insert_with(|| {
            let Remedy { kind, hint: of_operation } = remedy_of(self.call.operation.name_as_written());
            let name = self.call.name_as_written();
            let error = ExecError::new(kind, format!("{name}: {message}")).of_step(self.call.step);
            error.with_hint(hint.unwrap_or_else(|| of_operation.to_owned())).into_row_error()
        });
    }
}

/// Computes the outputs of an operation.
type Kernel = fn(&mut Arguments<'_>) -> Vec<Value>;

/// The kernels of the catalogue's first list; those of the others stand beside them, in [`KERNEL_LISTS`].
const KERNELS: &[(&str, Kernel)] = &[
    ("add", arithmetic::add),
    ("subtract", arithmetic::subtract),
    ("multiply", arithmetic::multiply),
    ("truediv", arithmetic::truediv),
    ("floordiv", arithmetic::floordiv),
    ("floormod", arithmetic::floormod),
    ("minimum", arithmetic::minimum),
    ("maximum", arithmetic::maximum),
    ("pow", pow::pow),
    ("negative", unary::negative),
    ("abs", unary::abs),
    ("sign", unary::sign),
    ("square", unary::square),
    ("sqrt", unary::sqrt),
    ("rsqrt", unary::rsqrt),
    ("exp", unary::exp),
    ("log", unary::log),
    ("log1p", unary::log1p),
    ("floor", unary::floor),
    ("ceil", unary::ceil),
    ("round", unary::round),
    ("is_nan", unary::is_nan),
    ("is_finite", unary::is_finite),
    ("is_inf", unary::is_inf),
    ("equal", compare::equal),
    ("not_equal", compare::not_equal),
    ("less", compare::less),
    ("less_equal", compare::less_equal),
    ("greater", compare::greater),
    ("greater_equal", compare::greater_equal),
    ("logical_and", logic::and),
    ("logical_or", logic::or),
    ("logical_not", logic::not),
    ("where", where_::where_),
    ("clip_by_value", clip_by_value::clip_by_value),
    ("one_hot", one_hot::one_hot),
    ("cast", cast::cast),
    ("reshape", reshape::reshape),
    ("strided_slice", strided_slice::strided_slice),
    ("gather", gather::gather),
    ("batch_gather", batch_gather::batch_gather),
    ("stack", stack::stack),
    ("concat", concat::concat),
    ("expand_dims", expand_dims::expand_dims),
    ("squeeze", squeeze::squeeze),
    ("transpose", transpose::transpose),
    ("shape", shape::shape),
    ("size", shape::size),
    ("rank", shape::rank),
    ("reduce_sum", reduce::sum),
    ("reduce_mean", reduce::mean),
    ("reduce_max", reduce::max),
    ("reduce_min", reduce::min),
    ("reduce_prod", reduce::prod),
    ("reduce_any", reduce::any),
    ("reduce_all", reduce::all),
    ("decode_raw", decode_raw::decode_raw),
    ("read_file", read_file::read_file),
    ("parse_single_example", parse_single_example::parse_single_example),
    ("parse_example", parse_example::parse_example),
    ("check_numerics", check_numerics::check_numerics),
    ("random_uniform", random_uniform::random_uniform),
];

/// The kernels of every operation of the catalogue.
const KERNEL_LISTS: &[&[(&str, Kernel)]] = &[
    KERNELS,
    numbers::KERNELS,
    arrays::KERNELS,
    checks::KERNELS,
    random::KERNELS,
    control::KERNELS,
    image::KERNELS,
    strings::KERNELS,
    parsing::KERNELS,
    tables::KERNELS,
    ragged::KERNELS,
    ragged::SPARSE_KERNELS,
];

/// The kernel of the operation called `name`.
fn kernel_of(name: &str) -> Option<Kernel> {
    let mut kernels = KERNEL_LISTS.iter().copied().flatten().chain(image::MADE);
    kernels.find(|(other, _)| *other == name).map(|(_, kernel)| *kernel)
}

/// A function of elements, ready to run on blocks.
#[derive(Debug)]
pub(crate) enum Program {
    /// A traced function: kernels, in the order of computation.
    Columnar(Columnar),
    /// Rust code, called for each element.
    Native(native::NativeProgram),
}

impl Program {
    /// Makes `function`, which gets elements of spec `input`, ready to run.
    pub(crate) fn new(function: &Function, input: &ElementSpec) -> Result<Program, ExecError> {
        Program::of_step(function, input, 0)
    }

    /// As [`Program::new`], of step number `step` of the plan as written, which code of the user's is told by where it fails. (Calls of traced
    /// functions know their own.)
    pub(crate) fn of_step(function: &Function, input: &ElementSpec, step: u32) -> Result<Program, ExecError> {
        Ok(match function {
            Function::Traced(result) => Program::Columnar(Columnar::new(result, input)?),
            Function::Native(function) => {
                Program::Native(native::NativeProgram::new(function.clone(), input.clone(), step))
            }
        })
    }

    /// It for a nested plan that is started with the values of `scope`.
    pub(crate) fn bind(self: &Arc<Program>, scope: &Scope) -> Arc<Program> {
        match &**self {
            Program::Columnar(columnar) if columnar.is_open() => {
                Arc::new(Program::Columnar(columnar.bind(scope.outer_values())))
            }
            _ => Arc::clone(self),
        }
    }

    /// Whether it waits for storage, or for another runtime: then it runs on threads of its own, many at a time, not on the
    /// workers.
    pub(crate) fn waits(&self) -> bool {
        match self {
            Program::Columnar(columnar) => columnar.waits(),
            Program::Native(native) => native.is_foreign(),
        }
    }

    /// Whether it has to be measured whether it waits: nobody says it of code of the user's.
    pub(crate) fn may_wait(&self) -> bool {
        matches!(self, Program::Native(native) if !native.is_foreign())
    }

    /// Whether it makes a result of every row, and each on its own: no row can fail, and nothing is gained by many at a time.
    pub(crate) fn is_sure(&self) -> bool {
        matches!(self, Program::Columnar(columnar) if !columnar.can_fail())
    }

    /// Whether no row can fail, also not for its size.
    pub(crate) fn never_fails(&self) -> bool {
        matches!(self, Program::Columnar(columnar) if !columnar.can_fail() && !columnar.makes_any_size())
    }

    /// Whether it calls code of the user's.
    pub(crate) fn is_user_code(&self) -> bool {
        matches!(self, Program::Native(_))
    }

    /// Whether its largest results are best computed where they are to be, though rows may fail.
    pub(crate) fn makes_pixels(&self) -> bool {
        matches!(self, Program::Columnar(columnar) if columnar.makes_pixels())
    }

    /// Puts what the function makes of each row of `block` behind what is in `landings`, one for each leaf; whether it fits.
    /// For blocks without errors, and programs that [are sure](Program::is_sure) or [make pixels](Program::makes_pixels): where a row of
    /// these fails, or there is no memory for what is made on the way, they do not fit.
    pub(crate) fn run_into(
        &self,
        block: Cow<'_, Block>,
        landings: &mut [Option<Landing>],
        allowance: &mut Allowance,
    ) -> bool {
        match self {
            Program::Columnar(columnar) => columnar.run_into(block, landings, allowance),
            Program::Native(_) => false,
        }
    }

    /// What the function makes of each row of `block`, whatever memory that takes. Errors stay in their places.
    #[cfg(test)]
    pub(crate) fn run(&self, block: Block) -> Block {
        let Part { done, rest } = self.run_within(block, &mut Allowance::unlimited());
        debug_assert!(rest.is_none(), "nothing is refused");
        done.expect("as many rows as went in")
    }

    /// What the function makes of the first rows of `block`, one at least, with what that is charged for; and the rows that are left where it
    /// takes much of `budget` on the way. For who needs it now.
    pub(crate) fn run_needed(&self, block: Block, budget: &Arc<Budget>) -> (Block, Option<Block>, Charge) {
        let mut allowance = Allowance::new(budget.charge(0), true);
        let Part { done, rest } = self.run_within(block, &mut allowance);
        (done.expect("the first row is needed"), rest, allowance.into_charge(None))
    }

    /// What the function makes of the first rows of `block`, as many as their results may take memory. Errors stay in their places.
    pub(crate) fn run_within(&self, block: Block, allowance: &mut Allowance) -> Part {
        if block.num_elements() == 0 {
            return Part::whole(block.with_columns(Vec::new()));
        }
        match self {
            Program::Columnar(columnar) => columnar.run_within(block, allowance),
            Program::Native(native) => native.run_within(&block, allowance),
        }
    }
}
