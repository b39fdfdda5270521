//! Which function the user wrote while operations are called that it is made of: errors name it, before the operation they come from.
//!
//! A function says so itself while it runs, by a `Composing` or, from Python, by [`begin`] and [`end`]; it calls nothing of the user's in that
//! time. What an operation is of stays with its call, so that the error of an element says it, too. No plan is another one for it.

use std::cell::Cell;

thread_local! {
    static FUNCTION: Cell<Option<&'static str>> = const { Cell::new(None) };
}

/// Operations called from here on, on this thread, are those that the function `name` is made of; whether they are: not if another function has
/// begun that is made of this one, which is the one the user wrote.
pub fn begin(name: &'static str) -> bool {
    let is_outermost = FUNCTION.get().is_none();
    if is_outermost {
        FUNCTION.set(Some(name));
    }
    is_outermost
}

/// The function is over that has [begun](begin).
pub fn end() {
    FUNCTION.set(None);
}

/// The function whose operations are being called.
pub(super) fn current() -> Option<&'static str> {
    FUNCTION.get()
}

/// While it lives, operations are those that a function is made of.
#[must_use]
pub(super) struct Composing {
    is_outermost: bool,
}

impl Composing {
    pub(super) fn of(name: &'static str) -> Composing {
        Composing { is_outermost: begin(name) }
    }
}

impl Drop for Composing {
    fn drop(&mut self) {
        if self.is_outermost {
            end();
        }
    }
}
