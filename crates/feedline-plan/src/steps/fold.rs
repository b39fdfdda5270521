//! A state handed from element to element: `scan`, and `reduce`, of which only the last state comes out.

use feedline_data::{ElementSpec, Structure, TensorSpec};

use crate::expr::Expr;
use crate::expr::capture::Inputs;
use crate::{Cardinality, Fold, NodeKind, Plan, PlanError, Result, Symbolic};

impl Plan {
    /// What `function` makes of each element: it gets a state and the element, and gives a tuple of the next state and the element
    /// that comes out. It may be called several times: until it gives states of the shapes it gets.
    pub fn scan(
        &self,
        initial: &Symbolic,
        mut function: impl FnMut(Symbolic, Symbolic) -> Symbolic,
    ) -> Result<Plan> {
        let traced = self.traced_fold(initial, &mut |state, element| {
            let result = function(state, element).to_structure()?;
            match &result {
                Structure::Tuple(parts) if parts.len() == 2 => Ok((parts[0].clone(), Some(parts[1].clone()))),
                _ => Err(PlanError::spec(format!(
                    "the function gives {}, not a tuple of the next state and what comes out",
                    result.map(|expr| expr.spec().clone())
                ))),
            }
        });
        let (fold, num_places) = traced.map_err(|error| error.in_step("scan"))?;
        let Structure::Tuple(parts) = &fold.result else {
            return Err(PlanError::internal("scan: what was traced is a tuple"));
        };
        let spec = parts[1].map(|expr| expr.spec().clone());
        Ok(self.step(NodeKind::Scan { fold }, spec, self.cardinality()).with_places(num_places))
    }

    /// One element: the state behind the last element, each made by `function` of the one before it and an element. It may be called
    /// several times: until it gives states of the shapes it gets.
    pub fn reduce(
        &self,
        initial: &Symbolic,
        mut function: impl FnMut(Symbolic, Symbolic) -> Symbolic,
    ) -> Result<Plan> {
        let traced = self
            .traced_fold(initial, &mut |state, element| Ok((function(state, element).to_structure()?, None)));
        let (fold, num_places) = traced.map_err(|error| error.in_step("reduce"))?;
        let spec = fold.state.clone();
        Ok(self.step(NodeKind::Reduce { fold }, spec, Cardinality::Known(1)).with_places(num_places))
    }

    /// Traces a function that gives the next state, and perhaps an output, until the state's shapes admit what it gives: TensorFlow's
    /// rule. Also the number of random operations up to here.
    fn traced_fold(
        &self,
        initial: &Symbolic,
        function: &mut dyn FnMut(Symbolic, Symbolic) -> Result<Traced>,
    ) -> Result<(Fold, u64)> {
        let initial = initial.to_structure().map_err(|error| error.in_step("the initial state"))?;
        let mut state: ElementSpec = initial.map(|expr| expr.spec().clone());
        if state.num_leaves() == 0 {
            return Err(PlanError::argument("the initial state has no tensors"));
        }
        loop {
            let (inputs, pair) = Inputs::new(&Structure::Tuple(vec![state.clone(), self.spec().clone()]));
            let (next, output) = function(pair.at(0), pair.at(1))?;
            let wider = widened(&state, &next)?;
            if wider != state {
                state = wider;
                continue;
            }
            let result = match output {
                None => next,
                Some(output) => Structure::Tuple(vec![next, output]),
            };
            let result = inputs.close(&result)?;
            let mut place = self.num_places() + 1;
            let result = result.with_leaves(Expr::placed_all(result.leaves(), &mut place));
            return Ok((Fold { initial, state, result }, place - 1));
        }
    }
}

/// The next state, and what comes out.
type Traced = (Structure<Expr>, Option<Structure<Expr>>);

/// The spec of states that are as `state` says, or as `next` is.
fn widened(state: &ElementSpec, next: &Structure<Expr>) -> Result<ElementSpec> {
    if let Some(difference) = state.first_difference(next) {
        return Err(PlanError::spec(format!(
            "the next state is no state such as the initial one: {difference}"
        )));
    }
    let mut leaves = Vec::new();
    for ((before, after), name) in state.leaves().into_iter().zip(next.leaves()).zip(state.leaf_names()) {
        if before.dtype != after.spec().dtype {
            return Err(PlanError::spec(format!(
                "the state{name} is {} to begin with, and {} afterwards",
                before.dtype,
                after.spec().dtype
            ))
            .with_hint("cast one of them: the initial state must be of the type the function gives"));
        }
        leaves.push(TensorSpec::new(before.dtype, before.shape.union(&after.spec().shape)));
    }
    Ok(state.with_leaves(leaves))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops;
    use feedline_data::block::Tensor;

    fn five() -> Plan {
        Plan::range(0, 5, 1).expect("valid")
    }

    #[test]
    fn states_get_the_shapes_they_take() {
        let grow = |state: &Symbolic, x: Symbolic| ops::concat([state.clone(), ops::expand_dims(x, 0)], 0);
        let one = Symbolic::from(Tensor::from_vec(vec![1], vec![7_i64]));
        let plan = five().scan(&one, |state, x| Symbolic::from((grow(&state, x), state))).expect("valid");
        assert_eq!((plan.spec().to_string().as_str(), plan.cardinality().as_tf()), ("int64[?]", 5));
        let plan = five().reduce(&one, |state, x| grow(&state, x)).expect("valid");
        assert_eq!((plan.spec().to_string().as_str(), plan.cardinality().as_tf()), ("int64[?]", 1));
    }

    #[test]
    fn mistakes_are_named() {
        let zero = Symbolic::from(Tensor::scalar(0_i64));
        let narrow = Symbolic::from(Tensor::scalar(0_i32));
        let plans = [
            (five().scan(&zero, |_, x| x), "scan: the function gives int64[], not a tuple of the next"),
            (
                five().scan(&narrow, |s, x| Symbolic::from((x, s))),
                "scan: the state is int32 to begin with, and",
            ),
            (
                five().reduce(&zero, |s, x| Symbolic::from((s, x))),
                "reduce: the next state is no state such as",
            ),
            (five().reduce(&zero, |s, x| s + ops::cast(x, feedline_data::DType::Int32)), "reduce: "),
            (five().reduce(&Symbolic::tuple([]), |s, _| s), "reduce: the initial state has no tensors"),
        ];
        for (plan, expected) in plans {
            let error = plan.expect_err(expected).to_string();
            assert!(error.contains(expected), "{error}");
        }
    }
}
