//! Datasets made of elements: `flat_map` and `interleave`.

use std::collections::{HashMap, HashSet};

use feedline_data::Structure;

use super::check_parallel_calls;
use crate::expr::capture::{Captures, Inputs};
use crate::expr::{Expr, ExprKind};
use crate::kind_exprs::Exprs;
use crate::plan::{Node, misplaced};
use crate::{CachePlace, Cardinality, Function, Nested, NodeKind, Plan, PlanError, Result, Symbolic, Turns};

/// tf.data takes as many as the machine has cores, and with it an order that depends on the machine.
const DEFAULT_CYCLE_LENGTH: usize = 16;
const MAX_CYCLE_LENGTH: usize = 1 << 20;

impl Plan {
    /// The elements of the dataset `function` makes of each element, one dataset after the other.
    pub fn flat_map(&self, function: impl FnOnce(Symbolic) -> Result<Plan>) -> Result<Plan> {
        let (plan, nested) = self.nest(function).map_err(|error| error.in_step("flat_map"))?;
        Ok(plan.flat_map_nested(nested))
    }

    /// As [`Plan::flat_map`], where the dataset is there already.
    pub(crate) fn flat_map_nested(&self, nested: Nested) -> Plan {
        let (nested, num_places) = self.placed(nested);
        let spec = nested.plan.spec().clone();
        let cardinality = if nested.has_one_element() { self.cardinality() } else { Cardinality::Unknown };
        self.step(NodeKind::FlatMap { nested }, spec, cardinality).with_places(num_places)
    }

    /// The elements of the datasets `function` makes of elements, 16 datasets at a time taking turns of one element.
    pub fn interleave(&self, function: impl FnOnce(Symbolic) -> Result<Plan>) -> Result<Plan> {
        let (plan, nested) = self.nest(function).map_err(|error| error.in_step("interleave"))?;
        Ok(plan.interleave_nested(nested))
    }

    /// As [`Plan::interleave`], where the dataset is there already.
    pub(crate) fn interleave_nested(&self, nested: Nested) -> Plan {
        let (nested, num_places) = self.placed(nested);
        let spec = nested.plan.spec().clone();
        let cardinality = match self.cardinality() {
            Cardinality::Infinite => Cardinality::Infinite,
            _ => Cardinality::Unknown,
        };
        let turns = Turns {
            cycle_length: DEFAULT_CYCLE_LENGTH,
            block_length: 1,
            num_parallel_calls: None,
            deterministic: None,
        };
        self.step(NodeKind::Interleave { nested, turns }, spec, cardinality).with_places(num_places)
    }

    /// How the datasets of the interleave this plan ends in take turns; `word` is what the user called to ask.
    pub fn turns(&self, word: &str) -> Result<Turns> {
        match &self.node().kind {
            NodeKind::Interleave { turns, .. } => Ok(*turns),
            other => Err(misplaced(word, "interleave", other)),
        }
    }

    /// The interleave this plan ends in with other turns; `word` is what the user called to change them.
    pub fn with_turns(&self, word: &str, turns: Turns) -> Result<Plan> {
        check_parallel_calls("interleave", turns.num_parallel_calls)?;
        if turns.cycle_length == 0 || turns.block_length == 0 {
            return Err(PlanError::argument(format!("interleave: {word} must be greater than zero")));
        }
        if turns.cycle_length > MAX_CYCLE_LENGTH {
            return Err(PlanError::argument(format!(
                "interleave: {word} must be at most {MAX_CYCLE_LENGTH}, not {}",
                turns.cycle_length
            ))
            .with_hint("each of them is a dataset that is open at the same time"));
        }
        match &self.node().kind {
            NodeKind::Interleave { nested, .. } => {
                let kind = NodeKind::Interleave { nested: nested.clone(), turns };
                Ok(self.with_kind(kind, self.node().inputs.clone()))
            }
            other => Err(misplaced(word, "interleave", other)),
        }
    }

    /// Traces `function`; also the plan whose elements it then gets: this one, with values of datasets if the function uses some.
    fn nest(&self, function: impl FnOnce(Symbolic) -> Result<Plan>) -> Result<(Plan, Nested)> {
        let (inputs, element) = Inputs::new(self.spec());
        let plan = function(element)?;
        let mut captures = Captures::new(&inputs);
        let plan = plan.closed_over(&mut captures, &mut HashMap::new())?;
        let (of_elements, captures) = self.with_values(&captures.into_values())?;
        Ok((of_elements, Nested { captures, plan }))
    }

    /// The random operations of what it is started with get their places; also the number of them up to here.
    fn placed(&self, nested: Nested) -> (Nested, u64) {
        let mut next = self.num_places() + 1;
        let captures = Expr::placed_all(&nested.captures, &mut next);
        (Nested { captures, ..nested }, next - 1)
    }

    /// This plan as a nested one: what it uses of the element around it becomes what it is started with.
    /// `known` is what became of the steps that were met: one that is used twice stays one.
    pub(crate) fn closed_over(
        &self,
        captures: &mut Captures<'_>,
        known: &mut HashMap<*const Node, Plan>,
    ) -> Result<Plan> {
        let node = self.node();
        let place = std::ptr::from_ref(node);
        if let Some(plan) = known.get(&place) {
            return Ok(plan.clone());
        }
        let inputs = node.inputs.iter().map(|input| input.closed_over(captures, known));
        let inputs = inputs.collect::<Result<Vec<Plan>>>()?;
        // One in memory belongs to each dataset that is made; one folder would have other elements each time.
        if matches!(node.kind, NodeKind::Cache { place: CachePlace::Folder { .. } })
            && inputs[0].lines() != node.inputs[0].lines()
        {
            return Err(PlanError::argument(
                "cache: what comes before it depends on the element this dataset is made of",
            )
            .with_hint(
                "cache in memory, or behind the flat_map or interleave, or before what depends on the element",
            ));
        }
        let mut kind = node.kind.clone();
        let Exprs { functions, arguments } = kind.exprs_mut();
        let closed = captures.in_function(functions.iter().map(|expr| &**expr))?;
        for (expr, closed) in functions.into_iter().zip(closed) {
            *expr = closed;
        }
        for argument in arguments {
            *argument = captures.argument(argument)?;
        }
        let plan = self.with_kind(kind, inputs);
        known.insert(place, plan.clone());
        Ok(plan)
    }
}

impl Plan {
    /// Whether its elements depend on the element around that it is made of.
    pub fn uses_outer(&self) -> bool {
        let mut seen = HashSet::new();
        let mut left = vec![self];
        while let Some(plan) = left.pop() {
            let node = plan.node();
            // What is used twice is looked at once.
            if !seen.insert(std::ptr::from_ref(node)) {
                continue;
            }
            let Exprs { functions, arguments } = node.kind.exprs();
            let is_outer = |expr: &Expr| expr.any(&mut |node| matches!(node.kind, ExprKind::Outer { .. }));
            if functions.iter().chain(&arguments).any(is_outer) {
                return true;
            }
            left.extend(&node.inputs);
        }
        false
    }
}

impl Nested {
    /// Whether each dataset has one element, because it is an element with values of datasets beside it. (tf.data knows nothing of how many
    /// elements a `flat_map` has, and `map` keeps their number.)
    fn has_one_element(&self) -> bool {
        let node = self.plan.node();
        let is_single = |input: &Plan| matches!(input.node().kind, NodeKind::Single);
        matches!(node.kind, NodeKind::Zip { .. }) && node.inputs.last().is_some_and(is_single)
    }

    /// The values it is started with, as a function of the element around.
    pub fn prelude(&self) -> Function {
        Function::Traced(Structure::Tuple(self.captures.iter().cloned().map(Structure::Leaf).collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CountedStep, ops};

    fn five() -> Plan {
        Plan::range(0, 5, 1).expect("valid")
    }

    #[test]
    fn what_the_nested_plan_uses_is_what_it_is_started_with() {
        let plan = five()
            .flat_map(|x| {
                let y = x.clone() * 2;
                Plan::range_of(&0.into(), &(y + 1), &1.into())?.map(|inner| inner + x.clone() + x, None)
            })
            .expect("valid");
        assert_eq!(
            plan.lines(),
            [
                "range(0, 5, 1)",
                "  range(0, outer0, 1)",
                "  map(add(add(x0, outer1), outer1))",
                "flat_map(add(multiply(x0, 2), 1), x0)"
            ]
        );
        assert_eq!((plan.spec().to_string().as_str(), plan.cardinality().as_tf()), ("int64[]", -2));
    }

    #[test]
    fn values_pass_through_functions_between() {
        let plan = five()
            .flat_map(|x| {
                five().interleave(|y| {
                    let x = x.clone();
                    Plan::tensors_of(&(y.clone() + x.clone()), false)?
                        .counted_by(CountedStep::Repeat, &x)?
                        .map(|z| z + x + y, None)
                })
            })
            .expect("valid");
        assert_eq!(
            plan.lines(),
            [
                "range(0, 5, 1)",
                "  range(0, 5, 1)",
                "    from_tensors(outer0)",
                "    repeat(outer1)",
                "    map(add(add(x0, outer1), outer2))",
                "  interleave(add(x0, outer0), outer0, x0, cycle_length=16, block_length=1)",
                "flat_map(x0)"
            ]
        );
    }

    #[test]
    fn values_carried_out_of_their_function_are_noticed() {
        let mut leaked = None;
        let plan = five().flat_map(|x| {
            leaked = Some(x);
            Ok(five())
        });
        let leaked = leaked.expect("called");
        assert!(plan.and_then(|plan| plan.check_closed()).is_ok());
        let plans = [
            five().map(|x| x + leaked.clone(), None),
            Plan::range_of(&0.into(), &leaked, &1.into()),
            five().flat_map(|_| Plan::tensors_of(&leaked, false)),
        ];
        for (plan, step) in plans.into_iter().zip(["map", "range", "flat_map"]) {
            let plan = plan.expect("typed");
            // Also where it was looked through before, and by a step behind it.
            for plan in [plan.clone(), plan.clone(), plan.take(Some(1))] {
                assert_eq!(plan.escaped().map(|escaped| escaped.step), Some(step));
                let error = plan.check_closed().expect_err("escaped").to_string();
                assert!(error.contains("outside of the function"), "{error}");
            }
        }
    }

    #[test]
    fn mistakes_are_named() {
        let error = five().flat_map(|x| five().map(|y| y + ops::cast(x, feedline_data::DType::Int32), None));
        let error = error.expect_err("types differ").to_string();
        assert!(error.contains("flat_map: map: ") && error.contains("int32"), "{error}");
        let turns = five().interleave(|_| Ok(five())).and_then(|plan| {
            let turns = plan.turns("cycle_length")?;
            plan.with_turns("cycle_length", Turns { cycle_length: 0, ..turns })
        });
        assert!(turns.is_err_and(|error| error.to_string().contains("cycle_length must be greater")));
        let turns = five().interleave(|_| Ok(five())).and_then(|plan| {
            let turns = plan.turns("cycle_length")?;
            plan.with_turns("cycle_length", Turns { cycle_length: usize::MAX, ..turns })
        });
        assert!(turns.is_err_and(|error| error.to_string().contains("must be at most 1048576")));
        assert!(
            five().turns("block_length").is_err_and(|error| error.to_string().contains("not after range"))
        );
    }
}
