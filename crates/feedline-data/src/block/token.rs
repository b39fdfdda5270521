//! Where in a stream a block begins: what a checkpoint is made of.

use std::fmt;
use std::sync::Arc;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

/// The state of the operator that made a block, as it was before the block's first row, with that of everything
/// upstream inside it. Taking one is cheap (a reference count); it becomes text only when somebody saves it.
#[derive(Clone)]
pub struct Token(Form);

#[derive(Clone)]
enum Form {
    Live(Arc<dyn SavedState>),
    Loaded(Arc<Value>),
}

/// What an operator saves: a plain struct of numbers and the positions of its inputs.
trait SavedState: Send + Sync {
    fn to_json(&self) -> Value;
}

impl<T: Serialize + Send + Sync> SavedState for T {
    fn to_json(&self) -> Value {
        serde_json::to_value(self).expect("saved states are plain structs of numbers and strings")
    }
}

impl Token {
    /// The token for `state`.
    pub fn new<T: Serialize + Send + Sync + 'static>(state: T) -> Token {
        Token(Form::Live(Arc::new(state)))
    }

    /// The state, as the operator's own type; the error says what does not fit.
    pub fn load<T: DeserializeOwned>(&self) -> Result<T, String> {
        T::deserialize(self.to_json()).map_err(|error| error.to_string())
    }

    fn to_json(&self) -> Value {
        match &self.0 {
            Form::Live(state) => state.to_json(),
            Form::Loaded(value) => Value::clone(value),
        }
    }
}

impl Serialize for Token {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.0 {
            Form::Live(state) => state.to_json().serialize(serializer),
            Form::Loaded(value) => value.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Token {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Token, D::Error> {
        Ok(Token(Form::Loaded(Arc::new(Value::deserialize(deserializer)?))))
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.to_json())
    }
}

/// A place in a stream: `rows` rows after the token. Restoring is: start at the token, skip the rows.
///
/// `rows` never points beyond the block that began at the token: operators know what their own blocks look like (one
/// without errors, say), not what lies behind them.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Position {
    /// Start of the block.
    pub token: Token,
    /// Rows of it already passed, error rows included.
    pub rows: u64,
}

impl Position {
    /// The place of the token itself.
    pub fn at(token: Token) -> Position {
        Position { token, rows: 0 }
    }

    /// The place `rows` further on.
    #[must_use]
    pub fn plus(&self, rows: u64) -> Position {
        Position { token: self.token.clone(), rows: self.rows + rows }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Serialize, Deserialize, PartialEq, Debug)]
    struct Counter {
        next: u64,
    }

    #[test]
    fn a_token_survives_text() {
        let outer = Token::new(Position { token: Token::new(Counter { next: u64::MAX }), rows: 3 });
        let text = serde_json::to_string(&outer).expect("plain");
        assert_eq!(text, r#"{"token":{"next":18446744073709551615},"rows":3}"#);
        let back: Token = serde_json::from_str(&text).expect("own text");
        let position: Position = back.load().expect("own type");
        assert_eq!(position.token.load(), Ok(Counter { next: u64::MAX }));
        assert!(position.token.load::<Position>().is_err_and(|e| e.contains("token")));
    }
}
