//! Elements kept for the next time.

use std::path::PathBuf;
use std::sync::Arc;

use crate::{CacheCell, CacheCompression, CachePlace, NodeKind, Plan, PlanError, Result};

impl Plan {
    /// Elements kept in memory as they come for the first time. The cache belongs to this step.
    #[must_use]
    pub fn cache(&self) -> Plan {
        self.cache_in(CacheCell::default())
    }

    /// As [`Plan::cache`], with a cache that other steps over the same elements may have, too.
    pub(crate) fn cache_in(&self, cell: CacheCell) -> Plan {
        self.same_elements(NodeKind::Cache { place: CachePlace::Memory(cell) }, self.cardinality())
    }

    /// Elements kept in the folder `path`.
    pub fn cache_to(&self, path: PathBuf) -> Result<Plan> {
        if path.as_os_str().is_empty() {
            return Err(PlanError::argument("cache_to: the path is empty")
                .with_hint("name a folder, or use `cache()` to keep elements in memory"));
        }
        let mut upstream = Vec::new();
        collect_steps(self, &mut upstream);
        let (upstream, compression) = (Arc::new(upstream), CacheCompression::None);
        let kind = NodeKind::Cache { place: CachePlace::Folder { path, upstream, compression } };
        Ok(self.same_elements(kind, self.cardinality()))
    }

    /// The cache in a folder this plan ends in, with files that are compressed, or not.
    pub fn with_compression(&self, compression: CacheCompression) -> Result<Plan> {
        self.changed("compression", "cache_to or snapshot", |input, kind| match kind {
            NodeKind::Cache { place: CachePlace::Folder { path, upstream, .. } } => {
                let (path, upstream) = (path.clone(), Arc::clone(upstream));
                let kind = NodeKind::Cache { place: CachePlace::Folder { path, upstream, compression } };
                Some(Ok(input.same_elements(kind, input.cardinality())))
            }
            _ => None,
        })
    }
}

/// The steps that say what the elements are: all but those that only run ahead.
fn collect_steps(plan: &Plan, steps: &mut Vec<String>) {
    let node = plan.node();
    node.inputs.iter().for_each(|input| collect_steps(input, steps));
    if let Some(nested) = node.kind.nested() {
        let mut inner = Vec::new();
        collect_steps(&nested.plan, &mut inner);
        steps.extend(inner.into_iter().map(|step| format!("  {step}")));
    }
    if !matches!(node.kind, NodeKind::Prefetch { .. }) {
        steps.push(plan.line().to_owned());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Cardinality, Explanation, Optimizer};

    fn ten() -> Plan {
        Plan::range(0, 10, 1).expect("valid")
    }

    fn cell_of(plan: &Plan) -> Arc<Vec<u8>> {
        match &plan.node().kind {
            NodeKind::Cache { place: CachePlace::Memory(cell) } => cell.get_or_init().expect("bytes"),
            _ => cell_of(&plan.node().inputs[0]),
        }
    }

    #[test]
    fn elements_stay_what_they_are_and_are_shown() {
        let plan = ten().cache();
        assert_eq!((plan.cardinality(), plan.spec()), (Cardinality::Known(10), ten().spec()));
        assert_eq!(ten().repeat(None).cache().cardinality(), Cardinality::Infinite);
        let folder = ten().cache_to("/tmp/numbers".into()).expect("valid");
        assert_eq!(folder.lines(), ["range(0, 10, 1)", "cache(/tmp/numbers)"]);
        let shown = Explanation::new(&plan, &Optimizer::new().switched(false)).expect("valid").to_string();
        assert!(shown.contains("cache()          10 × int64[]"), "{shown}");
        let error = ten().cache_to(PathBuf::new()).expect_err("no path").to_string();
        assert!(error.starts_with("cache_to: the path is empty\nhint: "), "{error}");
    }

    #[test]
    fn what_runs_ahead_is_no_part_of_what_a_folder_holds() {
        let mapped = ten().map(|x| x + 1, None).expect("valid").prefetch(None);
        let plan = mapped.cache_to("x".into()).expect("valid");
        let NodeKind::Cache { place: CachePlace::Folder { upstream, .. } } = &plan.node().kind else {
            panic!("{plan:?}")
        };
        assert_eq!(upstream[..], ["range(0, 10, 1)", "map(add(x0, 1))"]);
    }

    #[test]
    fn the_optimizer_keeps_the_cache_and_neighbours_on_their_side_of_it() {
        let map = |plan: Plan, number: i64| plan.map(|x| x + number, None).expect("valid");
        let cached = map(map(ten(), 1), 2).cache();
        let plan = map(cached.clone(), 3).repeat(Some(2));
        let optimized = Optimizer::new().optimize(&plan).expect("rules do not fail").plan;
        assert_eq!(
            optimized.lines(),
            [
                "range(0, 10, 1)",
                "map(add(add(x0, 1), 2))",
                "cache()",
                "map(add(x0, 3))",
                "repeat(2)",
                "prefetch()"
            ]
        );
        assert!(Arc::ptr_eq(&cell_of(&cached), &cell_of(&optimized)));
        assert!(!Arc::ptr_eq(&cell_of(&cached), &cell_of(&ten().cache())));
    }
}
