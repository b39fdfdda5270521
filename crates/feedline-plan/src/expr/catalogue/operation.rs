//! What is known of an operation.

use feedline_data::{Composite, TensorSpec};

use super::{Argument, ArgumentKind, CATALOGUE, image};
use crate::expr::{Attribute, Call};
use crate::{PlanError, Result};

/// An operation: what `map` and `filter` can compute.
#[derive(Debug)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "each is a fact of its own that some rule or kernel asks for"
)]
pub struct Operation {
    /// Its name, TensorFlow's without the module.
    pub name: &'static str,
    /// The function of TensorFlow's that gives the same; empty where it has none.
    pub tensorflow: &'static str,
    /// Tensors first, then the rest.
    pub arguments: &'static [Argument],
    /// Types and shapes of what comes out.
    pub infer: fn(&Call) -> Result<Vec<TensorSpec>>,
    /// How much work it is, where nothing has been measured yet.
    pub cost: Cost,
    /// Whether it can fail for an element.
    pub can_fail: bool,
    /// Whether it draws random values.
    pub is_random: bool,
    /// Whether it can be computed along with the decoding of the image it gets.
    pub joins_decoding: bool,
    /// Whether each value of the result comes of those at its place in the tensors, so that it can be computed of the values of
    /// ragged ones alone, and, where it is of one tensor, of those that a sparse one keeps.
    pub is_by_value: bool,
    /// What several outputs are the parts of, if they are.
    pub gives: Option<Composite>,
    /// Whether it may make any number of bytes of a few: what a file holds, the pixels of an image. Its kernel asks, row by row, whether there
    /// is memory for them.
    pub any_size: bool,
    /// Whether it makes pixels of the bytes of an image.
    pub decodes_image: bool,
    /// What it does.
    pub doc: &'static str,
}

/// How much work an operation is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cost {
    /// Nothing is touched (a reshape).
    Free,
    /// A pass over the values.
    Light,
    /// Many instructions a value (parsing, decoding).
    Heavy,
    /// Waits for storage.
    Io,
}

impl Operation {
    /// The operation called `name`.
    pub fn find(name: &str) -> Option<&'static Operation> {
        CATALOGUE.iter().copied().find(|operation| operation.name == name)
    }

    /// What the user called it: errors do not tell what the optimizer made of it.
    pub fn name_as_written(&self) -> &'static str {
        if [image::DECODE_JPEG_AS_NEEDED.name, image::DECODED_JPEG_SHAPE.name].contains(&self.name) {
            image::operations::decode_jpeg.name
        } else if self.name == image::DECODE_IMAGE_AS_NEEDED.name {
            image::operations::decode_image.name
        } else {
            self.name
        }
    }

    /// The arguments that are not tensors.
    pub fn attributes(&self) -> impl Iterator<Item = &'static Argument> + Clone {
        self.arguments.iter().filter(|argument| !argument.kind.is_tensor())
    }

    /// What tensor number `index` of a call is.
    pub(in crate::expr) fn tensor_kind(&self, index: usize) -> ArgumentKind {
        let mut tensors = self.arguments.iter().map(|argument| argument.kind).filter(|kind| kind.is_tensor());
        // Those beyond the named ones belong to the last, which takes many; or to arguments that may be tensors, which stand apart.
        let beyond = if self.may_be_given_tensors() { ArgumentKind::Indices } else { ArgumentKind::Tensors };
        tensors.nth(index).unwrap_or(beyond)
    }

    /// Whether it has arguments that may be tensors or not.
    fn may_be_given_tensors(&self) -> bool {
        self.arguments.iter().any(|argument| argument.kind.may_be_tensor())
    }

    /// Whether these are the arguments it takes, by number and kind.
    pub(in crate::expr) fn check_arguments(
        &self,
        num_tensors: usize,
        attributes: &[Attribute],
    ) -> Result<()> {
        let tensors: Vec<&Argument> =
            self.arguments.iter().filter(|argument| argument.kind.is_tensor()).collect();
        // Of those that take many there may be none beside others.
        let takes_many = tensors.iter().any(|argument| argument.kind == ArgumentKind::Tensors);
        let num_given = attributes.iter().filter(|value| matches!(value, Attribute::Input(_))).count();
        let least = if takes_many { (tensors.len() - 1).max(1) } else { tensors.len() + num_given };
        if num_tensors < least || (!takes_many && num_tensors > least) {
            let at_least = if takes_many { "at least " } else { "" };
            return Err(PlanError::argument(format!(
                "{} takes {at_least}{}, not {num_tensors}",
                self.name,
                counted(least, "tensor", &tensors),
            )));
        }
        let wanted: Vec<&Argument> = self.attributes().collect();
        if wanted.len() != attributes.len() {
            return Err(PlanError::argument(format!(
                "{} takes {} besides tensors, not {}",
                self.name,
                counted(wanted.len(), "argument", &wanted),
                attributes.len()
            )));
        }
        for (argument, value) in wanted.iter().zip(attributes) {
            if !argument.kind.accepts(value) {
                return Err(PlanError::argument(format!(
                    "{}: {} cannot be {value}",
                    self.name, argument.name
                )));
            }
        }
        let mut next = tensors.len();
        for (argument, value) in wanted.iter().zip(attributes) {
            if let Attribute::Input(index) = *value {
                if index != next {
                    return Err(PlanError::argument(format!(
                        "{}: {} is tensor {index}, tensors beside the first {} come in order",
                        self.name,
                        argument.name,
                        tensors.len()
                    )));
                }
                next += 1;
            }
        }
        Ok(())
    }
}

/// `2 tensors (x, y)`.
fn counted(count: usize, what: &str, arguments: &[&Argument]) -> String {
    let names: Vec<&str> = arguments.iter().map(|argument| argument.name).collect();
    let several = if count == 1 { "" } else { "s" };
    let names = if names.is_empty() { String::new() } else { format!(" ({})", names.join(", ")) };
    format!("{count} {what}{several}{names}")
}
