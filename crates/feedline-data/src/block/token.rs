//! Where in a stream a block begins: what a checkpoint is made of.

use std::fmt;
use std::sync::Arc;

use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

use super::saved::{LOST, Places, Saving, loading, read, reference, renumbered};
use crate::on_roomy_stack;

/// The state of the operator that made a block, before the block's first row and after each of its rows, with that of
/// everything upstream inside it. Taking one is cheap (a reference count); it becomes text only when somebody saves it.
#[derive(Clone)]
pub struct Token(Form);

#[derive(Clone)]
enum Form {
    /// The state so many rows after the block's start.
    Live(Arc<dyn Fn(u64) -> Value + Send + Sync>),
    /// A state that was saved, and the places it refers to by number.
    Loaded(Arc<Value>, Places),
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
        Token(Form::Live(Arc::new(move |rows| {
            let position = position_after(rows);
            Saving::state(&position.token, position.rows)
        })))
    }

    pub(super) fn loaded(state: Arc<Value>, places: Places) -> Token {
        Token(Form::Loaded(state, places))
    }

    /// Where it lies in memory, or what it has in it.
    pub(super) fn address(&self) -> usize {
        match &self.0 {
            Form::Live(state_after) => Arc::as_ptr(state_after).addr(),
            Form::Loaded(state, _) => Arc::as_ptr(state).addr(),
        }
    }

    /// The state so many rows behind it, with the numbers of the places being worked out for those it refers to.
    pub(super) fn state(&self, rows: u64) -> Value {
        match &self.0 {
            // States are in states, one in the other for each step.
            Form::Live(state_after) => on_roomy_stack(|| state_after(rows)),
            Form::Loaded(state, places) => {
                debug_assert_eq!(rows, 0, "rows are counted from blocks, and a saved state has none");
                renumbered(state, places)
            }
        }
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", Saving::of(self, 0, Saving::written))
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
        let (state, places) = self.loaded();
        loading(&places, || {
            T::deserialize(serde_stacker::Deserializer::new(&*state)).map_err(|error| error.to_string())
        })
    }

    /// The states in it, those of places that several others have in theirs once.
    pub fn states(&self) -> Vec<Arc<Value>> {
        let (state, places) = self.loaded();
        std::iter::once(state).chain(places.iter().cloned()).collect()
    }

    /// Whether an operator in it has [lost](Token::lost) its place. It takes as long as to save it.
    pub fn is_lost(&self) -> bool {
        Saving::of(&self.token, self.rows, Saving::is_lost_at)
    }

    /// How long its text is, with all it refers to written out.
    pub fn text_bytes(&self) -> usize {
        if Saving::is_under_way() {
            return Saving::text_bytes(&self.token, self.rows);
        }
        Saving::of(&self.token, self.rows, Saving::text_bytes_at)
    }

    fn loaded(&self) -> (Arc<Value>, Places) {
        match &self.token.0 {
            Form::Live(_) => Saving::of(&self.token, self.rows, |saving, number| {
                let places = saving.places();
                (Arc::clone(&places[number]), places)
            }),
            Form::Loaded(state, places) => (Arc::clone(state), Arc::clone(places)),
        }
    }
}

impl Serialize for Position {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if Saving::is_under_way() {
            return reference(Saving::number(&self.token, self.rows)).serialize(serializer);
        }
        let state = Saving::of(&self.token, self.rows, Saving::written);
        state.serialize(serde_stacker::Serializer::new(serializer))
    }
}

impl<'de> Deserialize<'de> for Position {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Position, D::Error> {
        read(Value::deserialize(serde_stacker::Deserializer::new(deserializer))?)
            .map(Position::at)
            .map_err(D::Error::custom)
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

    /// Each level has two places of the one below it, one row apart.
    fn stacked(levels: usize, last: fn(u64) -> Counter) -> Position {
        (0..levels).fold(Position::at(Token::new(last)), |input, _| {
            Position::at(Token::new(move |rows| [input.plus(rows), input.plus(rows + 1)]))
        })
    }

    #[test]
    fn places_that_many_others_have_in_theirs_are_saved_once() {
        let count = |position: &Position, levels: usize| {
            let mut position = position.clone();
            for level in 0..levels {
                let [one, other]: [Position; 2] = position.load().expect("two");
                position = if level % 2 == 0 { other } else { one };
            }
            position.load::<Counter>().expect("the last").next
        };
        let position = stacked(60, |next| Counter { next });
        assert_eq!(count(&position, 60), 30);
        assert!(position.text_bytes() > 1 << 60);
        let text = serde_json::to_string(&position.plus(5)).expect("plain");
        assert!(text.len() < 100_000, "{} bytes", text.len());
        let back: Position = serde_json::from_str(&text).expect("own text");
        assert_eq!(count(&back, 60), 35);
        // As often as it is read and saved, and as a part of something else.
        assert_eq!(serde_json::to_string(&back).expect("plain"), text);
        let outer = Position::at(Token::new(move |_| Outer { epoch: 1, input: back.clone() }));
        let text = serde_json::to_string(&outer).expect("plain");
        let back: Position = serde_json::from_str(&text).expect("own text");
        assert_eq!(count(&back.load::<Outer>().expect("own type").input, 60), 35);
        assert!(!back.is_lost() && stacked(60, |_| Counter { next: 0 }).states().len() < 200);
        // What is short is written out.
        let text = serde_json::to_string(&stacked(2, |next| Counter { next })).expect("plain");
        assert_eq!(text, r#"[[{"next":0},{"next":1}],[{"next":1},{"next":2}]]"#);
        assert_eq!(stacked(2, |next| Counter { next }).text_bytes(), text.len());
    }

    #[test]
    fn numbers_of_places_that_are_not_there_are_refused() {
        for text in [
            r#"{"\u0000place":0}"#,
            r#"[1,{"\u0000place":0}]"#,
            r#"{"\u0000places":[{"\u0000place":0}],"\u0000place":0}"#,
            r#"{"\u0000places":[1,[{"\u0000place":-1}]],"\u0000place":1}"#,
            r#"{"\u0000places":[1],"\u0000place":1}"#,
            r#"{"\u0000places":[1]}"#,
        ] {
            let error = serde_json::from_str::<Position>(text).expect_err(text).to_string();
            assert!(error.contains("refers to a place that is not in it"), "{text}: {error}");
        }
    }
}
