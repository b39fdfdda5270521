//! What can go wrong while a plan runs.

use std::error::Error as StdError;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use feedline_data::block::{RowError, Tensor};

use crate::origin::Origin;

/// What went wrong, whose fault it is, and where.
#[derive(Clone, Debug)]
pub struct ExecError {
    kind: ExecErrorKind,
    /// The record, or the element of a source, that it came of.
    origin: Option<Arc<str>>,
    /// The step it happened in.
    step: Option<StepOfError>,
    message: String,
    hint: Option<String>,
    source: Option<RowError>,
    /// The element it happened with, where it is known.
    failed: Option<Box<Failed>>,
    /// Whether rows that should come behind it do not.
    ends_stream: bool,
}

#[derive(Clone, Debug)]
struct Failed {
    /// Its tensors, leaf after leaf.
    tensors: Vec<Tensor>,
    /// What these are called in it.
    names: Arc<[String]>,
    /// The record it is, if it is one.
    record: Option<RecordPlace>,
}

/// Which step an error is of: only its number where it comes from a function, until somebody who knows the plan gives it its title.
#[derive(Clone, Debug)]
enum StepOfError {
    Number(u32),
    /// In a box: results are handed from function to function, and an error's size is theirs.
    Known(Box<PlanStep>),
}

/// A step of the plan as the user wrote it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanStep {
    /// Its number in `explain`, from 1 on.
    pub number: u32,
    /// What it is, as `explain` prints it, in short.
    pub title: Arc<str>,
}

impl fmt::Display for PlanStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "step {} of the plan: {}", self.number, self.title)
    }
}

/// Which record of which file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordPlace {
    /// The file.
    pub file: PathBuf,
    /// Its number, from 0 on.
    pub record: u64,
    /// Its first byte; in a compressed file, of what is compressed.
    pub byte: u64,
}

/// Whose fault it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ExecErrorKind {
    /// The data: bytes that are damaged, or are not what they should be.
    Data,
    /// A value that an operation or a step cannot use: a division by zero, sizes that do not fit together.
    Value,
    /// User code: an error or panic in a function.
    UserCode,
    /// The machine: memory, files.
    Resource,
    /// A saved state that does not belong to this plan.
    State,
    /// A bug in feedline.
    Internal,
}

impl ExecError {
    /// An error of that kind.
    pub fn new(kind: ExecErrorKind, message: impl Into<String>) -> ExecError {
        ExecError {
            kind,
            origin: None,
            step: None,
            message: message.into(),
            hint: None,
            source: None,
            failed: None,
            ends_stream: false,
        }
    }

    /// Bad data.
    pub fn data(message: impl Into<String>) -> ExecError {
        ExecError::new(ExecErrorKind::Data, message)
    }

    /// A value that cannot be used, and what to do about it.
    pub(crate) fn value(message: impl Into<String>, hint: impl Into<String>) -> ExecError {
        ExecError::new(ExecErrorKind::Value, message).with_hint(hint)
    }

    /// Not enough of something.
    pub fn resource(message: impl Into<String>) -> ExecError {
        ExecError::new(ExecErrorKind::Resource, message)
    }

    /// A state that does not fit.
    pub fn state(message: impl Into<String>) -> ExecError {
        ExecError::new(ExecErrorKind::State, message)
    }

    /// A bug.
    pub fn internal(message: impl Into<String>) -> ExecError {
        ExecError::new(ExecErrorKind::Internal, message)
            .with_hint("this is a bug in feedline, please report it together with the plan")
    }

    /// A file that cannot be read or written.
    pub(crate) fn of_io(error: &feedline_io::Error) -> ExecError {
        let text = error.to_string();
        match text.split_once("\nhint: ") {
            Some((message, hint)) => ExecError::resource(message).with_hint(hint),
            None => ExecError::resource(text),
        }
    }

    /// The contents of the file at `path`, which are not what they should be.
    pub(crate) fn of_format(path: &Path, error: &feedline_formats::Error) -> ExecError {
        let error = error.clone().in_opened_file();
        let text = error.to_string();
        let message = format!("{}: {}", feedline_io::shown(path), text.lines().next().unwrap_or_default());
        ExecError::data(message).with_hint(error.hint())
    }

    /// With where the element came from that it happened with.
    #[must_use]
    pub(crate) fn of_origin(self, origin: &Origin) -> ExecError {
        ExecError { origin: Some(origin.to_string().into()), ..self }
    }

    /// Where the element came from that it happened with, in words: the file and its record, or the number of an element of the source; none
    /// where that is not known, or the message says it itself.
    pub fn origin(&self) -> Option<&str> {
        self.origin.as_deref()
    }

    /// As one of a call of step number `number` of the plan as written; 0: nobody knows yet. Who said it first stays right.
    #[must_use]
    pub(crate) fn of_step(self, number: u32) -> ExecError {
        match self.step {
            None if number != 0 => ExecError { step: Some(StepOfError::Number(number)), ..self },
            _ => self,
        }
    }

    /// With the step it happened in.
    #[must_use]
    pub(crate) fn in_step(self, step: PlanStep) -> ExecError {
        ExecError { step: Some(StepOfError::Known(Box::new(step))), ..self }
    }

    /// What is known of its step, as long as it has no title: its number, or 0.
    pub(crate) fn unnamed_step(&self) -> Option<u32> {
        match self.step {
            None => Some(0),
            Some(StepOfError::Number(number)) => Some(number),
            Some(StepOfError::Known(_)) => None,
        }
    }

    /// The step of the plan that it happened in, whatever the optimizer made of it; none where no step is at fault.
    pub fn step(&self) -> Option<&PlanStep> {
        match &self.step {
            Some(StepOfError::Known(step)) => Some(step),
            _ => None,
        }
    }

    /// What is wrong, without where and without what to do about it.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// With what to do about it.
    #[must_use]
    pub fn with_hint(self, hint: impl Into<String>) -> ExecError {
        ExecError { hint: Some(hint.into()), ..self }
    }

    /// With the error that led to it.
    #[must_use]
    pub fn with_source(self, source: RowError) -> ExecError {
        ExecError { source: Some(source), ..self }
    }

    /// With the element it happened with, and what its tensors are called in it. It is copied: an error may be kept for long, and
    /// must not keep what the element was a view of.
    #[must_use]
    pub(crate) fn with_element(self, element: Vec<Tensor>, names: &Arc<[String]>) -> ExecError {
        let own = |tensor: Tensor| Tensor::of_row(&tensor.as_column().to_owned_rows(), 0);
        let tensors = element.into_iter().map(own).collect();
        let failed = Failed { tensors, names: Arc::clone(names), record: None };
        ExecError { failed: Some(Box::new(failed)), ..self }
    }

    /// As the error of a record, whose bytes are the element.
    #[must_use]
    pub(crate) fn of_record(self, place: RecordPlace, bytes: &[u8]) -> ExecError {
        let tensors = vec![Tensor::from_strings(vec![], [bytes].into_iter().collect())];
        let failed = Failed { tensors, names: Arc::default(), record: Some(place) };
        ExecError { failed: Some(Box::new(failed)), ..self }
    }

    /// The record it is the error of, if it is one's.
    pub fn record(&self) -> Option<&RecordPlace> {
        self.failed.as_ref()?.record.as_ref()
    }

    /// What the tensors of [the element](ExecError::element) are called in it, as paths; empty for a single one.
    pub fn element_names(&self) -> &[String] {
        self.failed.as_ref().map_or(&[], |failed| &failed.names)
    }

    /// The element it happened with, as the failing step got it: its tensors, leaf after leaf; none where it is not known.
    pub fn element(&self) -> &[Tensor] {
        self.failed.as_ref().map_or(&[], |failed| &failed.tensors)
    }

    /// As one of a step that cannot go on: what should come behind it does not. Nobody who has errors of elements left out asked for that, so it comes
    /// through whatever is done about those.
    #[must_use]
    pub(crate) fn that_ends_stream(self) -> ExecError {
        ExecError { ends_stream: true, ..self }
    }

    /// Bytes that it keeps: its texts, the element, and what it was caused by.
    pub(crate) fn held_bytes(&self) -> usize {
        let texts = self.message.len() + self.hint.as_ref().map_or(0, String::len);
        let tensors = self.element().iter();
        let element =
            tensors.map(|tensor| size_of::<Tensor>() + tensor.as_column().byte_size()).sum::<usize>();
        let cause = self.source.as_ref().and_then(|source| source.downcast_ref::<ExecError>());
        size_of::<ExecError>() + texts + element + cause.map_or(0, ExecError::held_bytes)
    }

    /// Whose fault it is.
    pub fn kind(&self) -> ExecErrorKind {
        self.kind
    }

    /// It as the error of a row.
    pub(crate) fn into_row_error(self) -> RowError {
        Arc::new(self)
    }
}

impl fmt::Display for ExecError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(origin) = &self.origin {
            write!(f, "{origin}: ")?;
        }
        f.write_str(&self.message)?;
        if let Some(step) = self.step() {
            write!(f, "\nin {step}")?;
        }
        if let Some(hint) = &self.hint {
            write!(f, "\nhint: {hint}")?;
        }
        Ok(())
    }
}

impl StdError for ExecError {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.source.as_deref().map(|error| error as &(dyn StdError + 'static))
    }
}

/// Whether the error of a row is one [that ends the stream](ExecError::that_ends_stream), so that steps which leave out or replace errors let it through.
pub(crate) fn ends_stream(error: &RowError) -> bool {
    error.downcast_ref::<ExecError>().is_some_and(|error| error.ends_stream)
}

/// What a panic said.
pub(crate) fn panic_message(payload: &(dyn std::any::Any + Send)) -> String {
    payload
        .downcast_ref::<&str>()
        .map(ToString::to_string)
        .or_else(|| payload.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "(no message)".into())
}
