//! Functions from JSON: see [`super::write_exprs`] for what they look like. Every call is made again by
//! [`Expr::call_at`], so that types and shapes are checked as if a user had written it.

use feedline_data::{Structure, TensorSpec};
use serde_json::Value;

use super::MAX_PLACE;
use super::attributes::read_attribute;
use super::fields::{Fields, list, needs, shown, text, whole};
use super::specs::{read_structure, read_tensor_spec};
use super::tensors::{read_tensor, read_values};
use super::write_exprs::takes_object;
use crate::depth::within_depth;
use crate::expr::{ArgumentKind, Attribute, Body, Expr, Operation};
use crate::{PlanError, Result, Symbolic};

/// What functions can refer to: the tensors of the element, and those a nested plan is started with.
pub(super) struct Scope<'a> {
    pub(super) inputs: Vec<Expr>,
    pub(super) outer: &'a [TensorSpec],
    /// How many functions it is inside of.
    pub(super) depth: usize,
}

impl<'a> Scope<'a> {
    /// That of a function of `element`.
    pub(super) fn of_element(element: &Symbolic, outer: &'a [TensorSpec]) -> Result<Scope<'a>> {
        Ok(Scope { inputs: element.to_structure()?.leaves().into_iter().cloned().collect(), outer, depth: 0 })
    }

    /// What the function gives; its fields are `let` and `give`.
    pub(super) fn read_function(
        &self,
        fields: &mut Fields<'_>,
        give: &'static str,
    ) -> Result<Structure<Expr>> {
        let mut entries = Entries { scope: self, values: Vec::new() };
        fields.read_if("let", |value| list(value)?.iter().try_for_each(|entry| entries.add(entry)))?;
        fields.read(give, |value| read_structure(value, &mut |name| entries.find(name)))
    }

    /// An argument of a step that comes with the element around.
    pub(super) fn read_argument(&self, value: &Value) -> Result<Symbolic> {
        let expr = if let Value::String(name) = value {
            self.outer(name)?.ok_or_else(|| needs("\"outer0\" or the like", value))?
        } else {
            let mut fields = Fields::of(value)?;
            let tensor = fields.read("constant", read_tensor)?;
            fields.finish()?;
            Expr::constant(tensor)
        };
        Ok(Symbolic::from(Structure::Leaf(expr)))
    }

    /// The value of the element around called `name`; `None` if that is no name of one.
    fn outer(&self, name: &str) -> Result<Option<Expr>> {
        let Some(index) = name.strip_prefix("outer").and_then(number) else { return Ok(None) };
        let spec = self.outer.get(index).ok_or_else(|| {
            let count = self.outer.len();
            PlanError::format(format!("there is no {name}: the nested plan is started with {count} values"))
        })?;
        Ok(Some(Expr::outer(index, spec.clone())))
    }
}

/// The entries of `let` so far.
struct Entries<'a> {
    scope: &'a Scope<'a>,
    /// The outputs of each.
    values: Vec<Vec<Expr>>,
}

impl Entries<'_> {
    fn add(&mut self, entry: &Value) -> Result<()> {
        let name = format!("v{}", self.values.len());
        match list(entry)? {
            [Value::String(given), rest @ ..] if *given == name && !rest.is_empty() => {
                let outputs = self.read(rest).and_then(within_depth);
                self.values.push(outputs.map_err(|error| error.in_step(&name))?);
                Ok(())
            }
            _ => Err(needs(&format!("[\"{name}\", \"operation\", arguments…]"), entry)),
        }
    }

    fn read(&self, entry: &[Value]) -> Result<Vec<Expr>> {
        match entry {
            [constant @ Value::Object(_)] => Ok(vec![Expr::constant(read_tensor(constant)?)]),
            [Value::String(name), arguments @ ..] if name == "after" => {
                let mut exprs =
                    arguments.iter().map(|name| self.find(text(name)?)).collect::<Result<Vec<_>>>()?;
                let value = exprs.pop().ok_or_else(|| PlanError::format("after: of what?"))?;
                Ok(vec![value.after(exprs)])
            }
            [Value::String(name), arguments @ ..] => {
                let operation = Operation::find(name).ok_or_else(|| {
                    PlanError::format(format!("there is no operation {}", shown(&name.as_str().into())))
                        .with_hint("docs/operations.md lists them; a newer feedline may have more")
                })?;
                self.call(operation, arguments).map_err(|error| match error.kind() {
                    // What the builder says names the operation already.
                    crate::PlanErrorKind::Format => error.in_step(operation.name),
                    _ => error,
                })
            }
            _ => Err(PlanError::format("needs an operation's name and its arguments, or a constant")),
        }
    }

    fn call(&self, operation: &'static Operation, arguments: &[Value]) -> Result<Vec<Expr>> {
        let (attributes, tensors) = match arguments.split_last() {
            Some((last, tensors)) if takes_object(operation) => (Some(last), tensors),
            None if takes_object(operation) => return Err(PlanError::format("its arguments are missing")),
            _ => (None, arguments),
        };
        let mut first = None;
        let mut read = Vec::with_capacity(tensors.len());
        for argument in tensors {
            read.push(match argument {
                Value::String(name) => {
                    let expr = self.find(name)?;
                    first = first.or(Some(expr.spec().dtype));
                    Some(expr)
                }
                Value::Object(_) => Some(Expr::constant(read_tensor(argument)?)),
                Value::Number(_) | Value::Bool(_) => None,
                other => return Err(needs("a name or a constant", other)),
            });
        }
        let mut inputs = Vec::with_capacity(tensors.len());
        for (expr, argument) in read.into_iter().zip(tensors) {
            inputs.push(match (expr, first) {
                (Some(expr), _) => expr,
                (None, Some(dtype)) => {
                    Expr::constant(read_values(dtype, vec![], std::slice::from_ref(argument))?)
                }
                (None, None) => {
                    return Err(PlanError::format(format!("the type of {argument} is not clear"))
                        .with_hint(format!("write it with its type, e.g. {{\"int64\": {argument}}}")));
                }
            });
        }
        let (attributes, place) = match attributes {
            Some(object) => read_attributes(operation, object, self.scope.depth)?,
            None => (Vec::new(), 0),
        };
        Expr::call_at(operation, inputs, attributes, place)
    }

    /// What is called `name`.
    fn find(&self, name: &str) -> Result<Expr> {
        if let Some(expr) = self.scope.outer(name)? {
            return Ok(expr);
        }
        let unknown = |hint: String| {
            PlanError::format(format!("there is no {} here", shown(&name.into()))).with_hint(hint)
        };
        if let Some(leaf) = name.strip_prefix('x').and_then(number) {
            let count = self.scope.inputs.len();
            let expr = self.scope.inputs.get(leaf);
            return Ok(expr.ok_or_else(|| unknown(format!("the element has {count} tensors")))?.clone());
        }
        let Some(rest) = name.strip_prefix('v') else {
            return Err(unknown(
                "names are x0 for tensors of the element, v0 for entries of `let`, outer0".into(),
            ));
        };
        let (index, output) = match rest.split_once('.') {
            Some((index, output)) => (number(index), number(output)),
            None => (number(rest), None),
        };
        let outputs = index.and_then(|index| self.values.get(index));
        let outputs =
            outputs.ok_or_else(|| unknown("only entries of `let` further up can be used".into()))?;
        let expr = match (outputs.as_slice(), output) {
            ([only], None) if !rest.contains('.') => Some(only),
            ([_, _, ..], Some(output)) => outputs.get(output),
            _ => None,
        };
        let hint = || match outputs.len() {
            1 => format!("it has one output: write {}", name.split('.').next().unwrap_or(name)),
            count => {
                format!("it has {count} outputs, the first is {}.0", name.split('.').next().unwrap_or(name))
            }
        };
        Ok(expr.ok_or_else(|| unknown(hint()))?.clone())
    }
}

/// Functions inside a function: they refer to what they get alone.
fn read_bodies(value: &Value, depth: usize) -> Result<Attribute> {
    if depth == MAX_DEPTH_OF_BODIES {
        return Err(PlanError::format(format!(
            "functions are nested deeper than {MAX_DEPTH_OF_BODIES} times"
        )));
    }
    let body = |value: &Value| {
        let mut fields = Fields::of(value)?;
        let gets = fields
            .read("gets", |gets| list(gets)?.iter().map(|spec| read_tensor_spec(text(spec)?)).collect());
        let gets: Vec<TensorSpec> = gets?;
        let inputs = gets.iter().enumerate().map(|(leaf, spec)| Expr::input(leaf, spec.clone()));
        let scope = Scope { inputs: inputs.collect(), outer: &[], depth: depth + 1 };
        let result = scope.read_function(&mut fields, "give")?;
        fields.finish()?;
        Body::new(gets, result.leaves().into_iter().cloned().collect())
    };
    Ok(Attribute::Functions(list(value)?.iter().map(body).collect::<Result<_>>()?))
}

/// Functions inside functions are read by functions that call themselves; a JSON reader ends sooner than this.
const MAX_DEPTH_OF_BODIES: usize = 60;

fn read_attributes(
    operation: &'static Operation,
    object: &Value,
    depth: usize,
) -> Result<(Vec<Attribute>, u64)> {
    let object = object.as_object().ok_or_else(|| needs("an object of arguments last", object))?;
    let mut attributes = Vec::new();
    for argument in operation.attributes() {
        // `null` is a value of some: they must be there all the same.
        let value = object.get(argument.name);
        let value = value.ok_or_else(|| PlanError::format(format!("'{}' is missing", argument.name)))?;
        let read = match argument.kind {
            ArgumentKind::Functions => read_bodies(value, depth),
            kind => read_attribute(kind, value),
        };
        attributes.push(read.map_err(|error| error.in_step(argument.name))?);
    }
    let is_known = |key: &str| {
        operation.attributes().any(|argument| argument.name == key) || (key == "place" && operation.is_random)
    };
    if let Some(other) = object.keys().find(|key| !is_known(key)) {
        return Err(PlanError::format(format!("it has no argument {}", shown(&other.as_str().into()))));
    }
    let place = match object.get("place").filter(|_| operation.is_random) {
        Some(value) => whole::<u64>(value).map_err(|error| error.in_step("place"))?,
        None => 0,
    };
    if place > MAX_PLACE {
        return Err(PlanError::format(format!("place: {place} is larger than any plan")));
    }
    Ok((attributes, place))
}

/// A number as names have it.
fn number(digits: &str) -> Option<usize> {
    let is_plain =
        digits.bytes().all(|byte| byte.is_ascii_digit()) && (digits == "0" || !digits.starts_with('0'));
    is_plain.then(|| digits.parse().ok()).flatten()
}
