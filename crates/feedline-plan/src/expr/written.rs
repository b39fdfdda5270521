//! Expressions as text: `add(x0, 1)`.
//!
//! What is used twice is written twice, as one would write it by hand. Where that doubles again and again (`x = x + x`, sixty times) no time is
//! enough for it, so what comes again has a name in a step of more calls than are written out: `multiply(v0, v0) where v0 = add(x0, 1)`. What is
//! the same is told by what is written, not by where it lies in memory: functions that were built apart have the same text.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::sync::Arc;

use super::{Attribute, Body, Call, Expr, ExprKind, ExprNode};
use crate::step_text::text_of_tensor;

/// Up to here the text of a step, which states compare and fingerprints are of, is what it was before there were names in it: some
/// hundred KiB, written in a few milliseconds.
pub(crate) const MAX_WRITTEN_CALLS: usize = 10_000;

/// Up to here what people read is written out.
pub(crate) const MAX_SHOWN_CALLS: usize = 300;

/// Expressions of one step as text: one each, and behind them what the names in them stand for, which is empty where nothing has a name.
/// Up to `max_calls` are written out.
pub(crate) fn written(exprs: &[&Expr], max_calls: usize) -> (Vec<String>, String) {
    written_with(exprs, num_calls_written_out(exprs) > max_calls)
}

fn written_with(exprs: &[&Expr], has_names: bool) -> (Vec<String>, String) {
    let mut parts = Parts { has_names, ..Parts::default() };
    let roots: Vec<Piece> = exprs.iter().map(|expr| parts.add(expr)).collect();
    let writer = Writer { names: parts.names(&roots), parts: &parts.all };
    let texts = roots.iter().map(|root| {
        let mut text = String::new();
        writer.write(root, &mut text);
        text
    });
    let texts = texts.collect();
    let mut definitions = String::new();
    for (pieces, name) in parts.all.iter().zip(&writer.names) {
        if let Some(name) = name {
            let before = if definitions.is_empty() { " where" } else { "," };
            definitions.extend([before, " v", &name.to_string(), " = "]);
            pieces.iter().for_each(|piece| writer.write(piece, &mut definitions));
        }
    }
    (texts, definitions)
}

/// How many calls the expressions of a step have where what is used twice is written twice.
pub(crate) fn num_calls_written_out(exprs: &[&Expr]) -> usize {
    let mut known = HashMap::new();
    exprs.iter().map(|expr| expr.count_written(&mut known)).fold(0, usize::saturating_add)
}

/// How many calls are gone through to write the expressions of a step: all of them, or where these are too many each once.
pub(crate) fn num_calls_gone_through(exprs: &[&Expr]) -> usize {
    let written_out = num_calls_written_out(exprs);
    if written_out <= MAX_WRITTEN_CALLS {
        return written_out;
    }
    let mut seen = HashSet::new();
    exprs.iter().map(|expr| expr.count_once(&mut seen)).sum()
}

impl Expr {
    /// How many calls its text would have if what is used twice were written twice.
    pub fn num_written_calls(&self) -> usize {
        num_calls_written_out(&[self])
    }

    fn count_written(&self, known: &mut HashMap<*const ExprNode, usize>) -> usize {
        let key = Arc::as_ptr(self.node());
        if let Some(&calls) = known.get(&key) {
            return calls;
        }
        let own = usize::from(!self.inputs().is_empty());
        let parts = self.written_parts();
        let calls = parts.map(|part| part.count_written(known)).fold(own, usize::saturating_add);
        known.insert(key, calls);
        calls
    }

    fn count_once(&self, seen: &mut HashSet<*const ExprNode>) -> usize {
        if !seen.insert(Arc::as_ptr(self.node())) {
            return 0;
        }
        usize::from(!self.inputs().is_empty())
            + self.written_parts().map(|part| part.count_once(seen)).sum::<usize>()
    }

    /// What its text has the text of.
    fn written_parts(&self) -> impl Iterator<Item = &Expr> {
        let (bodies, captured): (&[Body], _) = match &self.node().kind {
            ExprKind::Call(call) => (call.bodies(), None),
            ExprKind::Captured { value } => (&[], Some(value)),
            _ => (&[], None),
        };
        self.inputs().iter().chain(bodies.iter().flat_map(Body::results)).chain(captured)
    }
}

/// A piece of what is written.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Piece {
    Text(String),
    /// The part of this number, and which of its outputs it is if there are several.
    Part(usize, Option<usize>),
}

/// What is made of something, each behind what it is made of. Those that are written alike are one.
#[derive(Default)]
struct Parts {
    all: Vec<Vec<Piece>>,
    numbers: HashMap<Vec<Piece>, usize>,
    /// What was met, by where it lies in memory.
    of_nodes: HashMap<*const ExprNode, usize>,
    /// Whether what comes again has a name.
    has_names: bool,
}

impl Parts {
    fn add(&mut self, expr: &Expr) -> Piece {
        let node = expr.node();
        match &node.kind {
            ExprKind::Input { leaf } => return Piece::Text(format!("x{leaf}")),
            ExprKind::Constant(tensor) => return Piece::Text(text_of_tensor(tensor)),
            ExprKind::Outer { index } => return Piece::Text(format!("outer{index}")),
            // Only said where it stands: errors depend on it, and values do not.
            ExprKind::After { inputs } if inputs.len() == 1 => return self.add(&inputs[0]),
            ExprKind::After { .. } | ExprKind::Captured { .. } | ExprKind::Call(_) => {}
        }
        let key = Arc::as_ptr(node);
        let number = if let Some(&number) = self.of_nodes.get(&key) {
            number
        } else {
            let pieces = self.pieces_of(&node.kind);
            let number = *self.numbers.entry(pieces).or_insert_with_key(|pieces| {
                self.all.push(pieces.clone());
                self.all.len() - 1
            });
            self.of_nodes.insert(key, number);
            number
        };
        Piece::Part(number, (node.outputs.len() > 1).then(|| expr.output()))
    }

    fn pieces_of(&mut self, kind: &ExprKind) -> Vec<Piece> {
        let text = |text: &str| Piece::Text(text.to_owned());
        match kind {
            ExprKind::Call(call) => self.pieces_of_call(call),
            ExprKind::After { inputs } => {
                let mut pieces = vec![text("after([")];
                let (value, checks) = inputs.split_last().expect("the value is the last");
                self.add_list(checks.iter(), &mut pieces);
                pieces.extend([text("], "), self.add(value), text(")")]);
                pieces
            }
            ExprKind::Captured { value } => vec![text("outer "), self.add(value)],
            ExprKind::Input { .. } | ExprKind::Constant(_) | ExprKind::Outer { .. } => {
                unreachable!("what is made of nothing is no part")
            }
        }
    }

    fn pieces_of_call(&mut self, call: &Call) -> Vec<Piece> {
        let mut pieces = vec![Piece::Text(format!("{}(", call.operation.name))];
        self.add_list(call.inputs.iter(), &mut pieces);
        let attributes = call.operation.attributes().zip(&call.attributes);
        let others = attributes.map(|(argument, value)| match value {
            Attribute::Functions(bodies) => {
                let bodies: Vec<String> =
                    bodies.iter().map(|body| text_of_body(body, self.has_names)).collect();
                format!("{}=[{}]", argument.name, bodies.join(", "))
            }
            value => format!("{}={value}", argument.name),
        });
        let place = (call.place != 0).then(|| format!("place={}", call.place));
        let others = others.chain(place).collect::<Vec<_>>().join(", ");
        let comma = if call.inputs.is_empty() || others.is_empty() { "" } else { ", " };
        pieces.push(Piece::Text(format!("{comma}{others})")));
        pieces
    }

    fn add_list<'a>(&mut self, exprs: impl Iterator<Item = &'a Expr>, pieces: &mut Vec<Piece>) {
        for (place, expr) in exprs.enumerate() {
            if place > 0 {
                pieces.push(Piece::Text(", ".to_owned()));
            }
            pieces.push(self.add(expr));
        }
    }

    /// The names of those that have one, numbers in the order of the parts.
    fn names(&self, roots: &[Piece]) -> Vec<Option<usize>> {
        let mut uses = vec![0_usize; self.all.len()];
        for piece in self.all.iter().flatten().chain(roots) {
            if let Piece::Part(number, _) = piece {
                uses[*number] += 1;
            }
        }
        let mut num_names = 0;
        let names = uses.into_iter().map(|uses| {
            (self.has_names && uses > 1).then(|| {
                num_names += 1;
                num_names - 1
            })
        });
        names.collect()
    }
}

struct Writer<'a> {
    parts: &'a [Vec<Piece>],
    names: Vec<Option<usize>>,
}

impl Writer<'_> {
    fn write(&self, piece: &Piece, text: &mut String) {
        match piece {
            Piece::Text(piece) => text.push_str(piece),
            Piece::Part(number, output) => {
                match self.names[*number] {
                    Some(name) => text.extend(["v", &name.to_string()]),
                    None => self.parts[*number].iter().for_each(|piece| self.write(piece, text)),
                }
                if let Some(output) = output {
                    text.extend([".", &output.to_string()]);
                }
            }
        }
    }
}

/// A function inside an expression: its names are its own.
fn text_of_body(body: &Body, has_names: bool) -> String {
    let results: Vec<&Expr> = body.results().iter().collect();
    let (results, definitions) = written_with(&results, has_names);
    format!("{{{}{definitions}}}", results.join(", "))
}

impl fmt::Display for Expr {
    /// As one would write it: `add(x0, 1)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (texts, definitions) = written(&[self], MAX_WRITTEN_CALLS);
        write!(f, "{}{definitions}", texts.concat())
    }
}

impl fmt::Debug for Expr {
    /// As it is displayed: the nodes it is made of, each with those it is made of, would have no end.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (texts, definitions) = written(&[self], MAX_SHOWN_CALLS);
        write!(f, "{}{definitions}", texts.concat())
    }
}

impl fmt::Display for Body {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let results: Vec<&Expr> = self.results().iter().collect();
        f.write_str(&text_of_body(self, num_calls_written_out(&results) > MAX_WRITTEN_CALLS))
    }
}

#[cfg(test)]
mod tests {
    use feedline_data::{DType, Shape, Structure, TensorSpec};

    use super::*;
    use crate::{Plan, Symbolic, ops};

    fn line(max_calls: usize, function: impl FnOnce(Symbolic) -> Symbolic) -> String {
        let input = Symbolic::from(Structure::Leaf(Expr::input(0, TensorSpec::scalar(DType::Int64))));
        let result = function(input).to_structure().expect("valid");
        let (texts, definitions) = written(&result.leaves(), max_calls);
        format!("{}{definitions}", texts.join(", "))
    }

    #[test]
    fn what_comes_again_has_a_name_where_there_is_much() {
        let four_times = |x: Symbolic| {
            let twice = &x + &x;
            &twice + &twice
        };
        assert_eq!(line(3, four_times), "add(add(x0, x0), add(x0, x0))");
        assert_eq!(line(2, four_times), "add(v0, v0) where v0 = add(x0, x0)");
        // However it was built.
        let apart = |x: Symbolic| (&x + &x) + (&x + &x);
        assert_eq!(line(0, apart), line(0, four_times));
        // What comes once is written where it is used, and leaves always are.
        assert_eq!(line(0, |x| (&x + 1) * (&x + 2)), "multiply(add(x0, 1), add(x0, 2))");
        // Over all there is of a step.
        let both = |x: Symbolic| {
            let sum = &x + 1;
            Symbolic::from((sum.clone() * &sum, sum))
        };
        assert_eq!(line(0, both), "multiply(v0, v0), v0 where v0 = add(x0, 1)");
        let checked = |x: Symbolic| {
            let sum = &x + 1;
            sum.after([sum.clone(), &sum * 2])
        };
        assert_eq!(line(0, checked), "after([v0, multiply(v0, 2)], v0) where v0 = add(x0, 1)");
    }

    #[test]
    fn functions_have_names_of_their_own_and_outputs_have_numbers() {
        let squared = |x: &Symbolic| {
            let sum = x + 1;
            &sum * &sum
        };
        let chosen = |x: Symbolic| ops::cond(squared(&x).gt(2), || squared(&x), || x.clone());
        let text = line(0, chosen);
        assert!(
            text.contains("greater(multiply(v0, v0), 2)") && text.ends_with(" where v0 = add(x0, 1)"),
            "{text}"
        );
        assert!(text.contains("{multiply(v0, v0) where v0 = add(x"), "{text}");
        let split = |x: Symbolic| {
            let parts = ops::unstack(ops::stack([x.clone(), x], 0), Attribute::None, 0);
            parts.at(0) + parts.at(1)
        };
        let text = line(0, split);
        assert!(text.starts_with("add(v0.0, v0.1) where v0 = unstack("), "{text}");
    }

    #[test]
    fn steps_share_names_over_what_they_compute() {
        let sum = |x: Symbolic| (0..20).fold(x, |x, _| &x + &x);
        let plan = Plan::range(0, 9, 1)
            .and_then(|plan| plan.map(|x| Symbolic::from((sum(x.clone()), sum(x))), None));
        let line = plan.expect("valid").lines().pop().expect("a map");
        assert!(line.starts_with("map((v19, v19) where v0 = add(x0, x0), v1 = add(v0, v0), "), "{line}");
        let drawn = |_: Symbolic| {
            let drawn = ops::random_uniform(Shape::scalar(), 1);
            (0..20).fold(drawn, |x, _| &x + &x)
        };
        let plan = Plan::range(0, 9, 1).and_then(|plan| plan.map(drawn, None)).expect("valid");
        let line = plan.lines().pop().expect("a map");
        assert_eq!(line.matches("place=1").count(), 1, "{line}");
    }
}
