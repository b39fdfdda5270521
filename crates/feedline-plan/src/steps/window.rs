//! Datasets as elements: runs of elements (`window`), and those of one key (`group_by_window`).

use feedline_data::rows::dataset_of;
use feedline_data::{DType, ElementSpec, Shape, Structure, TensorSpec};

use crate::expr::Expr;
use crate::expr::capture::Inputs;
use crate::{Cardinality, NodeKind, Plan, PlanError, Result, Symbolic, Windows};

impl Plan {
    /// Runs of elements: each tensor of an element as a dataset of those of the run.
    pub fn window(&self, windows: Windows) -> Result<Plan> {
        let Windows { size, shift, stride, drop_remainder } = windows;
        for (name, value) in [("size", size), ("shift", shift), ("stride", stride)] {
            if value == 0 {
                return Err(PlanError::argument(format!("window: {name} must be greater than zero")));
            }
        }
        self.check_tensors("window")?;
        let reach = (size as u64 - 1).saturating_mul(stride as u64).saturating_add(1);
        let shift = shift as u64;
        let cardinality = self.cardinality().map(|count| match (drop_remainder, count.checked_sub(reach)) {
            (true, None) => 0,
            (true, Some(rest)) => rest / shift + 1,
            (false, _) => count.div_ceil(shift),
        });
        let spec = each_as_dataset(self.spec());
        Ok(self.step(NodeKind::Window { windows }, spec, cardinality))
    }

    /// One element: a dataset of all elements.
    pub fn collect(&self) -> Result<Plan> {
        self.check_tensors("collect")?;
        Ok(self.step(NodeKind::Collect, dataset_of(self.spec()), Cardinality::Known(1)))
    }

    /// The elements of the dataset that `value`, of an element, is.
    pub fn rows_of(value: &Symbolic) -> Result<Plan> {
        match value.to_structure()? {
            Structure::Dataset(element, parts) => {
                let kind = NodeKind::RowsOf { element: (*element).clone(), parts };
                Ok(Plan::source(kind, *element, Cardinality::Unknown))
            }
            other => Err(PlanError::spec(format!(
                "a dataset was expected, not {}",
                other.map(|expr| expr.spec().clone())
            ))
            .with_hint("elements of window and group_by_window are datasets; others are made of tensors by from_tensor_slices")),
        }
    }

    /// The elements of datasets that `reduce` makes of a key and a dataset of elements of that key: of as many of them as `window_size` gives
    /// for the key, as soon as there are, and of what is left at the end, in the order of keys.
    pub fn group_by_window(
        &self,
        key: impl FnOnce(Symbolic) -> Symbolic,
        window_size: impl FnOnce(Symbolic) -> Symbolic,
        reduce: impl FnOnce(Symbolic, Plan) -> Result<Plan>,
    ) -> Result<Plan> {
        let pair = |element: Symbolic| {
            let key = key(element);
            (key.clone(), window_size(key))
        };
        self.group(pair, false)?
            .flat_map(|pair| reduce(pair.at(0), Plan::rows_of(&pair.at(1))?))
            .map_err(|error| error.in_step("group_by_window"))
    }

    /// Keys, and datasets of elements of that key: `function` gives the key of an element, and how many of that key belong together.
    pub(crate) fn group(
        &self,
        function: impl FnOnce(Symbolic) -> (Symbolic, Symbolic),
        drop_remainder: bool,
    ) -> Result<Plan> {
        self.check_tensors("group_by_window")?;
        let (inputs, element) = Inputs::new(self.spec());
        let (key, size) = function(element);
        let mut exprs = Vec::new();
        for (value, word) in [(key, "key_func"), (size, "window_size")] {
            let expr =
                value.to_tensor_of(DType::Int64, word).map_err(|error| error.in_step("group_by_window"))?;
            let spec = expr.spec();
            if spec.dtype != DType::Int64 || !spec.shape.is_compatible_with(&Shape::scalar()) {
                return Err(PlanError::spec(format!(
                    "group_by_window: {word} must give one int64, not {spec}"
                ))
                .with_hint("cast it to int64"));
            }
            exprs.push(Structure::Leaf(expr));
        }
        let closed = inputs.close(&Structure::Tuple(exprs))?;
        let mut next = self.num_places() + 1;
        let placed = Expr::placed_all(closed.leaves(), &mut next);
        let [key, window_size] = &placed[..] else {
            return Err(PlanError::internal("two expressions are two"));
        };
        let kind = NodeKind::Group { key: key.clone(), window_size: window_size.clone(), drop_remainder };
        let spec = Structure::Tuple(vec![TensorSpec::scalar(DType::Int64).into(), dataset_of(self.spec())]);
        Ok(self.step(kind, spec, Cardinality::Unknown).with_places(next - 1))
    }

    /// Refuses elements that are datasets, for a step that computes with tensors.
    pub(super) fn check_tensors(&self, step: &str) -> Result<()> {
        if self.spec().has_dataset() {
            return Err(PlanError::spec(format!("{step}: elements that are datasets: {}", self.spec()))
                .with_hint("flat_map or interleave makes one dataset of them, e.g. of batches of each"));
        }
        Ok(())
    }
}

/// Each tensor as a dataset of such, also those that are kept as several.
fn each_as_dataset(spec: &ElementSpec) -> ElementSpec {
    match spec {
        Structure::Tuple(parts) => Structure::Tuple(parts.iter().map(each_as_dataset).collect()),
        Structure::Dict(parts) => {
            Structure::Dict(parts.iter().map(|(key, part)| (key.clone(), each_as_dataset(part))).collect())
        }
        one => dataset_of(one),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seven() -> Plan {
        Plan::range(0, 7, 1).expect("valid")
    }

    fn by(size: usize, shift: usize, stride: usize, drop_remainder: bool) -> Windows {
        Windows { size, shift, stride, drop_remainder }
    }

    #[test]
    fn there_are_as_many_as_tf_data_says() {
        let of = |windows| seven().window(windows).expect("valid").cardinality().as_tf();
        assert_eq!(of(by(3, 1, 1, false)), 7);
        assert_eq!(of(by(3, 1, 1, true)), 5);
        assert_eq!(of(by(2, 3, 1, false)), 3);
        assert_eq!(of(by(2, 3, 1, true)), 2);
        assert_eq!(of(by(3, 2, 2, true)), 2);
        assert_eq!(of(by(9, 1, 1, true)), 0);
    }

    #[test]
    fn each_tensor_is_a_dataset_of_its_own() {
        let plan = seven().enumerate(0).window(by(2, 2, 1, false)).expect("valid");
        let one = "dataset of int64[] in (int64[?])";
        assert_eq!(plan.spec().to_string(), format!("({one}, {one})"));
        let plan = plan.flat_map(|pair| Plan::rows_of(&pair.at(1))?.batch(2, false)).expect("valid");
        assert_eq!(plan.spec().to_string(), "int64[?]");
        assert_eq!(plan.lines()[3..], ["  rows(outer0)", "  batch(2)", "flat_map(x1)"],);
    }

    #[test]
    fn mistakes_are_named() {
        let windows = seven().window(by(2, 2, 1, false)).expect("valid");
        let floats = |x: Symbolic| crate::ops::cast(x, DType::Float32);
        let whole = |_: Symbolic, rows: Plan| Ok(rows);
        let cases = [
            (seven().window(by(0, 1, 1, false)), "window: size must be greater than zero"),
            (seven().window(by(1, 0, 1, false)), "window: shift must be greater than zero"),
            (seven().window(by(1, 1, 0, false)), "window: stride must be greater than zero"),
            (windows.batch(2, false), "batch: elements that are datasets: dataset of int64[]"),
            (windows.unbatch(), "unbatch: elements that are datasets"),
            (windows.flat_map(|x| Plan::range(0, 3, 1)?.map(|y| y + x, None)), "flat_map: "),
            (seven().flat_map(|x| Plan::rows_of(&x)), "flat_map: a dataset was expected, not int64[]"),
            (
                seven().group_by_window(floats, |_| 4.into(), whole),
                "group_by_window: key_func must give one int64",
            ),
            (
                seven().group_by_window(|x| x, floats, whole),
                "group_by_window: window_size must give one int64",
            ),
        ];
        for (plan, expected) in cases {
            let error = plan.expect_err(expected).to_string();
            assert!(error.contains(expected), "{error}");
        }
    }
}
