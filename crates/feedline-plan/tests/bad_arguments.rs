//! Every operation with arguments that are wrong in every way there is: an error when the plan is built that names the argument,
//! never a panic. The calls are made from the catalogue.

mod catalogue_support;

use std::panic::{AssertUnwindSafe, catch_unwind};

use catalogue_support::{Given, Tried, calls};
use feedline_data::block::Tensor;
use feedline_data::{DType, Shape, TensorSpec};
use feedline_plan::expr::catalogue::CATALOGUE;
use feedline_plan::expr::{Argument, ArgumentKind, Attribute, Expr, Feature, Features, Operation, Slice};

/// What is wrong with the answer to a call, if anything is: a panic, or an error that does not name any of `names`.
fn fault(call: impl Fn() -> Result<Vec<Expr>, String>, names: &[&str], must_fail: bool) -> Option<String> {
    match catch_unwind(AssertUnwindSafe(call)) {
        Err(_) => Some("panics".to_owned()),
        Ok(Ok(_)) => must_fail.then(|| "is taken".to_owned()),
        Ok(Err(message)) => {
            let has_name = names
                .iter()
                .any(|name| message.starts_with(name) || words(&message).any(|word| word == *name));
            (!has_name).then(|| format!("does not name {names:?}: {message}"))
        }
    }
}

fn words(message: &str) -> impl Iterator<Item = &str> {
    message.split(|letter: char| !letter.is_alphanumeric() && letter != '_')
}

/// Fails with all that was found, since one fault often explains others.
fn report(faults: &[String]) {
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
}

/// One of each kind of value.
fn of_every_kind() -> Vec<Attribute> {
    vec![
        Attribute::Int(1),
        Attribute::Float(1.0),
        Attribute::Bool(true),
        Attribute::Text("x".to_owned()),
        Attribute::DType(DType::Float32),
        Attribute::Shape(Shape::fixed(&[1])),
        Attribute::Ints(vec![0]),
        Attribute::Floats(vec![1.0]),
        Attribute::Slices(vec![Slice::At(0)]),
        Attribute::Features(Features::from([("a", Feature::var_len(DType::Int64))])),
        Attribute::None,
    ]
}

/// Values of the right kind that few operations take.
fn extremes(kind: ArgumentKind) -> Vec<Attribute> {
    const INTS: [i64; 9] = [i64::MIN, i64::MIN + 1, -1000, -1, 0, 1000, 1 << 31, 1 << 40, i64::MAX];
    const FLOATS: [f64; 8] = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -1.0, -0.0, 1e300, 1e-300, 2.0];
    let ints = || INTS.map(Attribute::Int).into_iter();
    let lists = || {
        let one = INTS.map(|value| Attribute::Ints(vec![value]));
        let two = INTS.map(|value| Attribute::Ints(vec![0, value]));
        one.into_iter().chain(two).chain([
            Attribute::Ints(vec![]),
            Attribute::Ints(vec![1; 9]),
            Attribute::None,
        ])
    };
    let float_lists = || {
        let one = FLOATS.map(|value| Attribute::Floats(vec![value]));
        let two = FLOATS.map(|value| Attribute::Floats(vec![0.5, value]));
        one.into_iter().chain(two).chain([Attribute::Floats(vec![]), Attribute::Floats(vec![1.0; 9])])
    };
    match kind.when_fixed() {
        ArgumentKind::Int => ints().collect(),
        ArgumentKind::Float => FLOATS.map(Attribute::Float).into(),
        ArgumentKind::Bool => vec![Attribute::Bool(true), Attribute::Bool(false)],
        ArgumentKind::Text => ["", "no such word", "\u{e9}", "(", "%", "\\9", "ij,jk,kl->il", "->", "\0"]
            .map(Attribute::from)
            .into(),
        ArgumentKind::DType => DType::ALL.map(Attribute::DType).into(),
        ArgumentKind::Shape => [
            Shape::UNKNOWN,
            Shape::new(vec![None]),
            Shape::new(vec![None, None]),
            Shape::scalar(),
            Shape::fixed(&[0]),
            Shape::fixed(&[7; 12]),
            Shape::fixed(&[usize::MAX]),
            Shape::fixed(&[1 << 40, 1 << 40]),
        ]
        .map(Attribute::Shape)
        .into(),
        ArgumentKind::Axis => ints().chain(lists()).collect(),
        ArgumentKind::Number => {
            ints().chain(FLOATS.map(Attribute::Float)).chain([Attribute::Bool(true)]).collect()
        }
        ArgumentKind::Floats | ArgumentKind::OptionalFloats => float_lists().collect(),
        ArgumentKind::Slices => {
            let range = |begin, end, step| Slice::Range { begin, end, step };
            let mut slices: Vec<Vec<Slice>> = INTS.map(|value| vec![Slice::At(value)]).into();
            slices.extend(INTS.map(|value| vec![range(Some(value), None, 1)]));
            slices.extend(INTS.map(|value| vec![range(None, Some(value), 1)]));
            slices.extend(INTS.map(|value| vec![range(None, None, value)]));
            slices.extend([
                vec![],
                vec![Slice::At(0); 9],
                vec![Slice::Ellipsis, Slice::Ellipsis],
                vec![Slice::NewAxis; 300],
            ]);
            slices.into_iter().map(Attribute::Slices).collect()
        }
        ArgumentKind::Features => {
            let huge = Feature::fixed_len(&[1 << 40, 1 << 40], DType::Int64);
            vec![
                Attribute::Features(Features::from([] as [(&str, Feature); 0])),
                Attribute::Features(Features::from([("a", Feature::fixed_len(&[], DType::UInt8))])),
                Attribute::Features(Features::from([("a", huge)])),
            ]
        }
        _ => Vec::new(),
    }
}

/// The argument that tensor number `index` of a call is.
fn tensor_argument(operation: &Operation, index: usize) -> &'static Argument {
    let tensors: Vec<&Argument> =
        operation.arguments.iter().filter(|argument| argument.kind.is_tensor()).collect();
    let many = tensors.iter().position(|argument| argument.kind == ArgumentKind::Tensors);
    tensors[many.map_or(index, |many| index.min(many))]
}

#[test]
fn arguments_of_another_kind_are_refused_by_name() {
    let mut faults = Vec::new();
    for operation in CATALOGUE {
        let num_tensors = operation.arguments.iter().filter(|argument| argument.kind.is_tensor()).count();
        let tensors = vec![Given::Input(TensorSpec::scalar(DType::Float32)); num_tensors];
        let arguments: Vec<&Argument> = operation.attributes().collect();
        for wrong in 0..arguments.len() {
            for value in of_every_kind() {
                if arguments[wrong].kind.accepts(&value) {
                    continue;
                }
                // Those before it are right by kind: what is wrong first is told.
                let right = arguments[..wrong].iter().map(|argument| {
                    let of_every_kind = of_every_kind();
                    let functions = Attribute::Functions(Vec::new());
                    let mut all = of_every_kind.into_iter().filter(|value| argument.kind.accepts(value));
                    all.next().unwrap_or(functions)
                });
                let attributes = right
                    .chain([value.clone()])
                    .chain(vec![Attribute::None; arguments.len() - wrong - 1])
                    .collect();
                let tried = Tried { operation, tensors: tensors.clone(), attributes };
                let name = arguments[wrong].name;
                if let Some(fault) = fault(|| tried.call(), &[name], true) {
                    faults.push(format!("{} with {name}={value}: {fault}", operation.name));
                }
            }
        }
    }
    report(&faults);
}

#[test]
fn too_few_and_too_many_arguments_are_refused_with_what_is_taken() {
    let mut faults = Vec::new();
    for valid in calls() {
        let operation = valid.operation;
        let mut check = |what: &str, tried: &Tried, names: Vec<&str>| {
            if let Some(fault) = fault(|| tried.call(), &names, true) {
                faults.push(format!("{} with {what}: {fault}", operation.name));
            }
        };
        let of = |is_tensor: bool| {
            let arguments =
                operation.arguments.iter().filter(|argument| argument.kind.is_tensor() == is_tensor);
            arguments.map(|argument| argument.name).chain([operation.name]).collect::<Vec<_>>()
        };
        let takes_many = operation.arguments.iter().any(|argument| argument.kind == ArgumentKind::Tensors);
        if !takes_many {
            let mut more = valid.clone();
            more.tensors.push(Given::Input(TensorSpec::scalar(DType::Float32)));
            check("a tensor more", &more, of(true));
        }
        if !valid.tensors.is_empty() {
            let none = Tried { tensors: Vec::new(), ..valid.clone() };
            check("no tensor", &none, of(true));
        }
        let mut more = valid.clone();
        more.attributes.push(Attribute::None);
        check("an argument more", &more, of(false));
        if !valid.attributes.is_empty() {
            let mut fewer = valid.clone();
            fewer.attributes.pop();
            check("an argument less", &fewer, of(false));
        }
    }
    report(&faults);
}

#[test]
fn values_out_of_range_are_refused_by_name_or_taken() {
    let mut faults = Vec::new();
    for valid in calls() {
        for (index, argument) in valid.operation.attributes().enumerate() {
            for value in extremes(argument.kind) {
                let mut tried = valid.clone();
                tried.attributes[index] = value.clone();
                if let Some(fault) = fault(|| tried.call(), &[argument.name], false) {
                    faults.push(format!("{} with {}={value}: {fault}", valid.operation.name, argument.name));
                }
            }
        }
    }
    report(&faults);
}

#[test]
fn tensors_of_other_types_and_shapes_are_refused_by_name_or_taken() {
    let shapes = || {
        let fixed: [&[usize]; 8] = [&[], &[0], &[3], &[2, 5], &[0, 4], &[2, 3, 4], &[1; 5], &[1; 9]];
        let open = [
            Shape::UNKNOWN,
            Shape::new(vec![None]),
            Shape::new(vec![None, Some(2)]),
            Shape::fixed(&[1 << 40, 1 << 20]),
        ];
        fixed.map(Shape::fixed).into_iter().chain(open)
    };
    let constants = [
        Tensor::scalar(-1_i32),
        Tensor::scalar(i64::MAX),
        Tensor::from_vec(vec![2], vec![i64::MIN, i64::MAX]),
    ];
    let mut faults = Vec::new();
    for valid in calls() {
        for index in 0..valid.tensors.len() {
            let argument = tensor_argument(valid.operation, index);
            let inputs = DType::ALL
                .iter()
                .flat_map(|&dtype| shapes().map(move |shape| Given::Input(TensorSpec::new(dtype, shape))));
            for given in inputs.chain(constants.iter().cloned().map(Given::Constant)) {
                let mut tried = valid.clone();
                tried.tensors[index] = given.clone();
                if let Some(fault) = fault(|| tried.call(), &[argument.name], false) {
                    faults
                        .push(format!("{} with {}={given:?}: {fault}", valid.operation.name, argument.name));
                }
            }
        }
    }
    report(&faults);
}
