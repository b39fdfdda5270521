//! The reference page of the operations, made from the catalogue.

use std::fmt::Write as _;
use std::path::Path;

use feedline_plan::expr::catalogue::CATALOGUE;
use feedline_plan::expr::composed::{COMPOSED, Composed};
use feedline_plan::expr::{Argument, ArgumentKind, Attribute, Cost, Operation};

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/operations.md");

#[test]
fn the_reference_page_is_the_catalogue() {
    let page = page();
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::create_dir_all(Path::new(PAGE).parent().expect("in a folder"))
            .expect("the folder can be made");
        std::fs::write(PAGE, &page).expect("the page can be written");
    }
    let on_disk = std::fs::read_to_string(PAGE).unwrap_or_default();
    assert!(
        on_disk == page,
        "docs/operations.md is not what the catalogue says; UPDATE_DOCS=1 cargo test -p feedline-exec reference_page \
         writes it anew"
    );
}

fn page() -> String {
    let mut page = String::from(
        "# Operations\n\n\
         What `map` and `filter` can compute. Names, arguments and results are TensorFlow's; where a result differs, the text says how. In Rust \
         these are the functions of `feedline::ops` (`feedline::ops::image`), which take every argument in the order shown.\n\n\
         Nothing is converted silently: tensors of different types do not meet without `cast`, and a number as written takes the type of the tensor \
         beside it, where that is exact. \"An error of its element\" means that the other elements go on.\n\n\
         Cost is what the optimizer assumes before it has measured anything: *free* touches no values, *light* is a pass over them, *heavy* is many \
         instructions a value, *io* waits for storage.\n\n\
         Examples are Python's, after `import feedline as fl`; the docstrings of the functions have them, too, and the tests run them.\n\n\
         This page is made from the catalogue in `crates/feedline-plan/src/expr/catalogue.rs` and what is beside it: \
         `UPDATE_DOCS=1 cargo test -p feedline-exec reference_page`.\n\n\
         | operation | TensorFlow | cost |\n| --- | --- | --- |\n",
    );
    for operation in CATALOGUE {
        let name = operation.name;
        let _ = writeln!(
            page,
            "| [`{name}`](#{}) | {} | {} |",
            name.replace('.', ""),
            if operation.tensorflow.is_empty() {
                "none".to_owned()
            } else {
                format!("`{}`", operation.tensorflow)
            },
            cost(operation)
        );
    }
    page.push_str(
        "\nThese are made of them, or are what Python calls them:\n\n\
         | in Python | in Rust (`ops`) | TensorFlow | what |\n| --- | --- | --- | --- |\n",
    );
    let quoted = |name: &str| if name.is_empty() { "none".to_owned() } else { format!("`{name}`") };
    for Composed { name, rust, tensorflow, about, .. } in COMPOSED {
        let _ = writeln!(page, "| `fl.{name}` | {} | {} | {about} |", quoted(rust), quoted(tensorflow));
    }
    for operation in CATALOGUE {
        let arguments: Vec<String> = operation.arguments.iter().map(signature).collect();
        let _ = write!(page, "\n## {}\n\n`{}({})`\n\n", operation.name, operation.name, arguments.join(", "));
        page.push_str(&text(operation.doc));
        let origin = if operation.tensorflow.is_empty() {
            "TensorFlow has none.".to_owned()
        } else {
            format!("As `{}`.", operation.tensorflow)
        };
        let mut notes = vec![origin, format!("Cost: {}.", cost(operation))];
        if operation.can_fail {
            notes.push("Can fail for an element.".into());
        }
        if operation.is_random {
            notes.push("Random.".into());
        }
        let _ = writeln!(page, "\n{}", notes.join(" "));
    }
    page
}

/// A doc comment without the space each line begins with.
fn text(doc: &str) -> String {
    let lines: Vec<&str> = doc.lines().map(|line| line.strip_prefix(' ').unwrap_or(line)).collect();
    format!("{}\n", lines.join("\n").trim_end())
}

fn cost(operation: &Operation) -> &'static str {
    match operation.cost {
        Cost::Free => "free",
        Cost::Light => "light",
        Cost::Heavy => "heavy",
        Cost::Io => "io",
    }
}

fn signature(argument: &Argument) -> String {
    let kind = match argument.kind {
        ArgumentKind::Tensor => "tensor",
        ArgumentKind::Tensors => "tensors",
        ArgumentKind::Condition => "tensor of bool",
        ArgumentKind::Indices => "tensor of integers",
        ArgumentKind::Int => "int",
        ArgumentKind::Float => "float",
        ArgumentKind::Bool => "bool",
        ArgumentKind::Text => "text",
        ArgumentKind::DType => "dtype",
        ArgumentKind::Shape => "shape",
        ArgumentKind::Axis => "int, ints or none",
        ArgumentKind::Number => "number",
        ArgumentKind::Floats => "floats",
        ArgumentKind::OptionalFloats => "floats or none",
        ArgumentKind::Slices => "slices",
        ArgumentKind::Features => "features",
        ArgumentKind::Functions => "functions",
        ArgumentKind::Dataset => "dataset",
        ArgumentKind::IntOrTensor => "int or tensor",
        ArgumentKind::FloatOrTensor => "float or tensor",
        ArgumentKind::AxisOrTensor => "int, ints or tensor",
        other => panic!("{other:?} has no word yet"),
    };
    let default = argument.default.as_ref().map_or_else(String::new, |default| match default {
        Attribute::Text(text) => format!(" = \"{text}\""),
        other => format!(" = {other}"),
    });
    format!("{}: {kind}{default}", argument.name)
}
