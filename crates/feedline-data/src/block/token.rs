//! Where in a stream a block begins: what a checkpoint is made of.

use std::fmt;
use std::sync::Arc;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

use crate::on_roomy_stack;

/// The state of the operator that made a block, before the block's first row and after each of its rows, with that of
/// everything upstream inside it. Taking one is cheap (a reference count); it becomes text only when somebody saves it.
#[derive(Clone)]
pub struct Token(Form);

#[derive(Clone)]
enum Form {
    /// The state so many rows after the block's start.
    Live(Arc<dyn Fn(u64) -> Value + Send + Sync>),
    /// A state that was saved.
    Loaded(Arc<Value>),
}

impl Token {
    /// The token of an operator whose state after so many rows of the block is `state_after` of them.
    pub fn new<T: Serialize>(state_after: impl Fn(u64) -> T + Send + Sync + 'static) -> Token {
        let to_json = |state: &T| {
            serde_json::to_value(state).expect("saved states are plain structs of numbers and strings")
        };
        Token(Form::Live(Arc::new(move |rows| to_json(&state_after(rows)))))
    }

    /// The token of an error behind which an operator cannot go on, and has no place: whoever saves a state saves the last that was known before it.
    pub fn lost() -> Token {
        Token(Form::Live(Arc::new(|_| Value::from(LOST))))
    }

    /// The token of an operator without a state of its own that passes on some rows of its input: where the input was
    /// after so many rows of the block.
    pub fn of_input(position_after: impl Fn(u64) -> Position + Send + Sync + 'static) -> Token {
        Token(Form::Live(Arc::new(move |rows| position_after(rows).state())))
    }
}

/// What stands in a state where an operator has no place.
const LOST: &str = "\0lost";

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", Position::at(self.clone()).state())
    }
}

/// A place in a stream: so many rows after the start of a block.
///
/// It never points beyond that block: an operator knows what its own blocks look like, not what lies behind them.
#[derive(Clone, Debug)]
pub struct Position {
    token: Token,
    rows: u64,
}

impl Position {
    /// The place of the token itself.
    pub fn at(token: Token) -> Position {
        Position { token, rows: 0 }
    }

    /// The place `rows` further on, error rows counted.
    #[must_use]
    pub fn plus(&self, rows: u64) -> Position {
        Position { token: self.token.clone(), rows: self.rows + rows }
    }

    /// The operator's state here, as its own type; the error says what does not fit.
    pub fn load<T: DeserializeOwned>(&self) -> Result<T, String> {
        T::deserialize(serde_stacker::Deserializer::new(self.state())).map_err(|error| error.to_string())
    }

    /// Whether an operator in it has [lost](Token::lost) its place. It takes as long as to save it.
    pub fn is_lost(&self) -> bool {
        let state = self.state();
        // Not by recursion: a long plan is a deep state.
        let mut values = vec![&state];
        while let Some(value) = values.pop() {
            match value {
                Value::String(text) if text == LOST => return true,
                Value::Array(items) => values.extend(items),
                Value::Object(fields) => values.extend(fields.values()),
                _ => {}
            }
        }
        false
    }

    fn state(&self) -> Value {
        match &self.token.0 {
            // States are in states, one in the other for each step.
            Form::Live(state_after) => on_roomy_stack(|| state_after(self.rows)),
            Form::Loaded(state) => {
                debug_assert_eq!(self.rows, 0, "rows are counted from blocks, and a saved state has none");
                Value::clone(state)
            }
        }
    }
}

impl Serialize for Position {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.state().serialize(serde_stacker::Serializer::new(serializer))
    }
}

impl<'de> Deserialize<'de> for Position {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Position, D::Error> {
        let state = Value::deserialize(serde_stacker::Deserializer::new(deserializer))?;
        Ok(Position::at(Token(Form::Loaded(Arc::new(state)))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Serialize, Deserialize, PartialEq, Debug)]
    struct Counter {
        next: u64,
    }

    #[derive(Serialize, Deserialize, Debug)]
    struct Outer {
        epoch: u64,
        input: Position,
    }

    #[test]
    fn a_position_survives_text() {
        let input = Position::at(Token::new(|rows| Counter { next: u64::MAX - 10 + rows }));
        let outer = Position::at(Token::new(move |rows| Outer { epoch: 2, input: input.plus(rows) }));
        let text = serde_json::to_string(&outer.plus(4)).expect("plain");
        assert_eq!(text, r#"{"epoch":2,"input":{"next":18446744073709551609}}"#);
        let back: Position = serde_json::from_str(&text).expect("own text");
        let state: Outer = back.load().expect("own type");
        assert_eq!(state.input.load(), Ok(Counter { next: u64::MAX - 6 }));
        assert!(state.input.load::<Outer>().is_err_and(|error| error.contains("epoch")));
    }

    #[test]
    fn a_place_that_was_lost_is_seen_however_deep_it_is() {
        let input = Position::at(Token::lost());
        assert!(input.is_lost() && input.plus(3).is_lost());
        let outer = Position::at(Token::new(move |rows| vec![Outer { epoch: rows, input: input.clone() }]));
        assert!(outer.is_lost());
        let known = Position::at(Token::new(|next| Counter { next }));
        assert!(!Position::at(Token::new(move |rows| Outer { epoch: rows, input: known.clone() })).is_lost());
    }

    #[test]
    fn an_operator_may_pass_on_the_places_of_its_input() {
        let input = Position::at(Token::new(|rows| Counter { next: 100 + rows }));
        // Every second row of the input was passed on.
        let selected = Position::at(Token::of_input(move |rows| input.plus(rows * 2)));
        assert_eq!(selected.plus(3).load(), Ok(Counter { next: 106 }));
    }
}
