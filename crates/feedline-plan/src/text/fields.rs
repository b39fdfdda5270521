//! The arguments of a step as they are read: each asked for by name, with errors that say which.

use serde_json::{Map, Value};

use crate::{PlanError, Result};

/// The fields of an object. What nobody asked for is an error in the end, so that nothing is silently ignored.
pub(super) struct Fields<'a> {
    object: &'a Map<String, Value>,
    known: Vec<&'static str>,
}

impl<'a> Fields<'a> {
    /// Those of `value`, which must be an object.
    pub(super) fn of(value: &'a Value) -> Result<Fields<'a>> {
        let object = value.as_object().ok_or_else(|| needs("an object", value))?;
        Ok(Fields { object, known: Vec::new() })
    }

    /// The field called `name`; one that is `null` counts as left out.
    pub(super) fn get(&mut self, name: &'static str) -> Option<&'a Value> {
        self.known.push(name);
        self.object.get(name).filter(|value| !value.is_null())
    }

    /// The field called `name`, which must be there.
    pub(super) fn need(&mut self, name: &'static str) -> Result<&'a Value> {
        self.get(name).ok_or_else(|| PlanError::format(format!("'{name}' is missing")))
    }

    /// As `read` reads it.
    pub(super) fn read<T>(
        &mut self,
        name: &'static str,
        read: impl FnOnce(&'a Value) -> Result<T>,
    ) -> Result<T> {
        read(self.need(name)?).map_err(|error| error.in_step(name))
    }

    /// As `read` reads it, if it is there.
    pub(super) fn read_if<T>(
        &mut self,
        name: &'static str,
        read: impl FnOnce(&'a Value) -> Result<T>,
    ) -> Result<Option<T>> {
        self.get(name).map(read).transpose().map_err(|error| error.in_step(name))
    }

    /// Checks that there is nothing else.
    pub(super) fn finish(self) -> Result<()> {
        match self.object.keys().find(|key| !self.known.contains(&key.as_str())) {
            None => Ok(()),
            Some(other) => {
                Err(PlanError::format(format!("{} is unknown here", shown(&other.as_str().into())))
                    .with_hint(format!("what can stand here: {}", self.known.join(", "))))
            }
        }
    }
}

/// A whole number of a type that holds it.
pub(super) fn whole<T: TryFrom<i128>>(value: &Value) -> Result<T> {
    let number = value.as_i64().map(i128::from).or_else(|| value.as_u64().map(i128::from));
    number.and_then(|number| number.try_into().ok()).ok_or_else(|| {
        let limits = if size_of::<T>() == 8 { "" } else { " within its limits" };
        needs(&format!("a whole number{limits}"), value)
    })
}

/// Yes or no.
pub(super) fn flag(value: &Value) -> Result<bool> {
    value.as_bool().ok_or_else(|| needs("true or false", value))
}

/// A string.
pub(super) fn text(value: &Value) -> Result<&str> {
    value.as_str().ok_or_else(|| needs("a string", value))
}

/// A list.
pub(super) fn list(value: &Value) -> Result<&[Value]> {
    value.as_array().map(Vec::as_slice).ok_or_else(|| needs("a list", value))
}

/// Another value than is needed.
pub(super) fn needs(what: &str, found: &Value) -> PlanError {
    PlanError::format(format!("needs {what}, not {}", shown(found)))
}

/// A value as errors show it: its beginning.
pub(super) fn shown(value: &Value) -> String {
    const ENOUGH: usize = 60;
    let text = value.to_string();
    match text.char_indices().nth(ENOUGH) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}
