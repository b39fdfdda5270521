//! TensorFlow's answers where they are several tensors: the parts of ragged and sparse ones, columns. See `tests/golden/README.md`.

use feedline_data::Structure;
use feedline_data::block::Tensor;
use feedline_plan::Symbolic;
use feedline_plan::expr::{Attribute, Expr, Operation};
use serde::Deserialize;

use super::golden::{JsonTensor, compare_tensors};
use super::{column_of, scalars, try_run};

#[derive(Deserialize)]
struct Case {
    operation: String,
    inputs: Vec<JsonTensor>,
    attributes: Vec<Attribute>,
    outputs: Option<Vec<JsonTensor>>,
}

#[test]
fn every_list_of_strings_is_as_tensorflow_has_it() {
    check_all(include_str!("../../../tests/golden/string_lists.json"));
}

#[test]
fn every_column_and_ragged_tensor_is_as_tensorflow_has_it() {
    check_all(include_str!("../../../tests/golden/parsing_lists.json"));
}

fn check_all(text: &str) {
    let cases: Vec<Case> = serde_json::from_str(text).expect("the file is as its README says");
    let mut wrong = Vec::new();
    for (index, case) in cases.iter().enumerate() {
        for is_constant in [false, true] {
            if let Err(reason) = check(case, is_constant) {
                let attributes: Vec<String> = case.attributes.iter().map(ToString::to_string).collect();
                let way = if is_constant { "constants" } else { "rows" };
                wrong.push(format!(
                    "line {}, {way}: {}({}): {reason}",
                    index + 2,
                    case.operation,
                    attributes.join(", ")
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {} cases:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
}

/// The same in three rows, or for all of them.
fn check(case: &Case, is_constant: bool) -> Result<(), String> {
    let operation = Operation::find(&case.operation).expect("in the catalogue");
    let inputs: Vec<Tensor> = case.inputs.iter().map(JsonTensor::to_tensor).collect();
    // A column that nothing uses: constants alone make no rows.
    let mut columns = vec![scalars(&[0_u8; 3])];
    if !is_constant {
        columns.extend(inputs.iter().map(|tensor| column_of(&[tensor; 3])));
    }
    let call = |x: Symbolic| {
        let given = (0..inputs.len())
            .map(|index| if is_constant { Symbolic::from(inputs[index].clone()) } else { x.at(index + 1) });
        let given: Result<Vec<Expr>, _> =
            given.map(|value| value.to_structure().map(|structure| structure.leaves()[0].clone())).collect();
        let outputs = given.and_then(|given| Expr::call(operation, given, case.attributes.clone()));
        match outputs {
            Ok(outputs) => {
                Symbolic::from(Structure::Tuple(outputs.into_iter().map(Structure::Leaf).collect()))
            }
            Err(error) => Symbolic::of_error(error),
        }
    };
    let (spec, leaves) = match (try_run(columns, call), &case.outputs) {
        (Err(error), Some(_)) => return Err(error.to_string()),
        (Err(_), None) => return Ok(()),
        (Ok(found), _) => found,
    };
    let Some(outputs) = &case.outputs else {
        let refused = (0..3).all(|row| leaves.iter().any(|leaf| leaf[row].is_err()));
        return if refused { Ok(()) } else { Err("TensorFlow refuses it".into()) };
    };
    if leaves.len() != outputs.len() {
        return Err(format!("{} outputs, TensorFlow has {}", leaves.len(), outputs.len()));
    }
    for ((leaf, output), spec) in leaves.iter().zip(outputs).zip(spec.leaves()) {
        let expected = output.to_tensor();
        if spec.dtype != expected.dtype() || !spec.shape.admits(expected.shape()) {
            return Err(format!(
                "the plan says {spec}, TensorFlow {}{:?}",
                expected.dtype(),
                expected.shape()
            ));
        }
        for row in leaf {
            compare_tensors(row.as_ref().map_err(Clone::clone)?, &expected, 0, 0.0)?;
        }
    }
    Ok(())
}
