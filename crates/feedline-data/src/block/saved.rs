//! Places in streams as they are saved: each once, however many others have it in theirs.
//!
//! A shuffle saves several places of its input, and so does a dataset made of elements. Where several such steps come one behind the other, most of
//! these have the same places in theirs; written out, each step more would double what is saved. So a place is worked out once
//! ([`Saving`]), and others refer to it by number. Text has such numbers only where it would be long without them ([`MAX_WRITTEN_BYTES`]).

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

use serde::Serialize;
use serde_json::{Map, Value};

use super::token::Token;
use crate::on_roomy_stack;

/// Up to here a state is written out, as all were before there were numbers in them.
const MAX_WRITTEN_BYTES: usize = 64 << 10;

/// What stands in a state where an operator has no place.
pub(super) const LOST: &str = "\0lost";
/// What stands in a state for a place of that number,
const PLACE: &str = "\0place";
/// and beside the number of the whole: those that are numbered.
const PLACES: &str = "\0places";

/// Places that were saved, or are being saved, which others refer to by their numbers. A place refers to those before it alone.
pub(super) type Places = Arc<Vec<Arc<Value>>>;

thread_local! {
    static SAVING: RefCell<Option<Saving>> = const { RefCell::new(None) };
    static LOADING: RefCell<Option<Places>> = const { RefCell::new(None) };
}

/// Places being worked out.
#[derive(Default)]
pub(super) struct Saving {
    places: Vec<Place>,
    /// By the token, as it lies in memory, and the rows behind it.
    numbers: HashMap<(usize, u64), usize>,
    /// By their texts, in which others are numbers: blocks may begin anywhere, and so the same place may be told in several ways.
    by_text: HashMap<String, usize>,
    /// Keeps the memory of those that are known by it.
    kept: Vec<Token>,
}

struct Place {
    state: Arc<Value>,
    /// Of its text, with all it refers to written out.
    text_bytes: usize,
    is_lost: bool,
}

/// Puts a value back when it goes.
struct Restored<T: 'static>(&'static std::thread::LocalKey<RefCell<Option<T>>>, Option<T>);

impl<T> Restored<T> {
    fn instead_of(cell: &'static std::thread::LocalKey<RefCell<Option<T>>>, new: T) -> Restored<T> {
        Restored(cell, cell.replace(Some(new)))
    }
}

impl<T> Drop for Restored<T> {
    fn drop(&mut self) {
        self.0.replace(self.1.take());
    }
}

impl Saving {
    /// Whether places are being worked out.
    pub(super) fn is_under_way() -> bool {
        SAVING.with_borrow(Option::is_some)
    }

    /// What `read` makes of the place of that token and all it refers to.
    pub(super) fn of<R>(token: &Token, rows: u64, read: impl FnOnce(&Saving, usize) -> R) -> R {
        let _outer = Restored::instead_of(&SAVING, Saving::default());
        let number = Saving::number(token, rows);
        let saving = SAVING.take().expect("put there above");
        read(&saving, number)
    }

    /// The number of the place so many rows behind a token's, among those being worked out.
    pub(super) fn number(token: &Token, rows: u64) -> usize {
        let key = (token.address(), rows);
        let known = SAVING.with_borrow(|saving| {
            saving.as_ref().expect("places are being worked out").numbers.get(&key).copied()
        });
        if let Some(number) = known {
            return number;
        }
        let state = token.state(rows);
        let text = text_of(&state);
        SAVING.with_borrow_mut(|saving| {
            let saving = saving.as_mut().expect("places are being worked out");
            let number = saving.by_text.get(&text).copied().unwrap_or_else(|| saving.add(state, text));
            saving.numbers.insert(key, number);
            saving.kept.push(token.clone());
            number
        })
    }

    fn add(&mut self, state: Value, text: String) -> usize {
        let (text_bytes, is_lost) = (self.text_bytes_of(&state), self.has_lost(&state));
        self.places.push(Place { state: Arc::new(state), text_bytes, is_lost });
        self.by_text.insert(text, self.places.len() - 1);
        self.places.len() - 1
    }

    /// The state of a place being worked out, with numbers for those it refers to.
    pub(super) fn state(token: &Token, rows: u64) -> Value {
        let number = Saving::number(token, rows);
        SAVING.with_borrow(|saving| {
            Value::clone(&saving.as_ref().expect("looked at above").places[number].state)
        })
    }

    /// The bytes of the text of a place being worked out.
    pub(super) fn text_bytes(token: &Token, rows: u64) -> usize {
        let number = Saving::number(token, rows);
        SAVING.with_borrow(|saving| saving.as_ref().expect("looked at above").text_bytes_at(number))
    }

    pub(super) fn text_bytes_at(&self, number: usize) -> usize {
        self.places[number].text_bytes
    }

    pub(super) fn is_lost_at(&self, number: usize) -> bool {
        self.places[number].is_lost
    }

    /// All that was worked out.
    pub(super) fn places(&self) -> Places {
        Arc::new(self.places.iter().map(|place| Arc::clone(&place.state)).collect())
    }

    /// The place of that number as it is kept: written out, or if that is long and has parts that come again, with these by their numbers.
    pub(super) fn written(&self, root: usize) -> Value {
        // Those before a place come after it here, so each is looked at when all its uses are known.
        let mut uses = vec![0_usize; self.places.len()];
        uses[root] = 1;
        for number in (0..=root).rev() {
            if uses[number] > 0 {
                each_number(&self.places[number].state, &mut |used| uses[used] += 1);
            }
        }
        let is_numbered =
            self.places[root].text_bytes > MAX_WRITTEN_BYTES && uses.iter().any(|&uses| uses > 1);
        let (mut numbers, mut places) = (HashMap::new(), Vec::new());
        if is_numbered {
            self.add_numbered(root, &uses, &mut numbers, &mut places);
        }
        let whole = self.written_out(&self.places[root].state, &numbers);
        if !is_numbered {
            return whole;
        }
        let last = places.len();
        places.push(whole);
        Map::from_iter([(PLACES.to_owned(), Value::Array(places)), (PLACE.to_owned(), last.into())]).into()
    }

    /// Adds the places that have a number to those the place refers to, each behind those it refers to itself: in the order of the text, so that what
    /// was read is written as it was.
    fn add_numbered(
        &self,
        number: usize,
        uses: &[usize],
        numbers: &mut HashMap<usize, usize>,
        places: &mut Vec<Value>,
    ) {
        each_number(&self.places[number].state, &mut |used| {
            if numbers.contains_key(&used) {
                return;
            }
            on_roomy_stack(|| self.add_numbered(used, uses, numbers, places));
            if uses[used] > 1 {
                places.push(self.written_out(&self.places[used].state, numbers));
                numbers.insert(used, numbers.len());
            }
        });
    }

    /// A state with what it refers to written out, but for those that have numbers.
    fn written_out(&self, state: &Value, numbers: &HashMap<usize, usize>) -> Value {
        with_numbers(state, &mut |number| match numbers.get(&number) {
            Some(&number) => reference(number),
            None => on_roomy_stack(|| self.written_out(&self.places[number].state, numbers)),
        })
    }

    fn text_bytes_of(&self, state: &Value) -> usize {
        let list = |bytes: usize, entries: usize| bytes.saturating_add(2 + entries.saturating_sub(1));
        match (number_in(state), state) {
            (Some(number), _) => self.places[number].text_bytes,
            (None, Value::Array(parts)) => {
                let bytes = parts.iter().map(|part| on_roomy_stack(|| self.text_bytes_of(part)));
                list(bytes.fold(0, usize::saturating_add), parts.len())
            }
            (None, Value::Object(parts)) => {
                let bytes = parts.iter().map(|(name, part)| {
                    on_roomy_stack(|| self.text_bytes_of(part)).saturating_add(name.len() + 3)
                });
                list(bytes.fold(0, usize::saturating_add), parts.len())
            }
            (None, plain) => plain.to_string().len(),
        }
    }

    fn has_lost(&self, state: &Value) -> bool {
        match (number_in(state), state) {
            (Some(number), _) => self.places[number].is_lost,
            (None, Value::String(text)) => text == LOST,
            (None, Value::Array(parts)) => parts.iter().any(|part| on_roomy_stack(|| self.has_lost(part))),
            (None, Value::Object(parts)) => parts.values().any(|part| on_roomy_stack(|| self.has_lost(part))),
            _ => false,
        }
    }
}

/// The text of a state, however deep it is.
fn text_of(state: &Value) -> String {
    let mut text = Vec::new();
    let mut writer = serde_json::Serializer::new(&mut text);
    state.serialize(serde_stacker::Serializer::new(&mut writer)).expect("a value can be written to memory");
    String::from_utf8(text).expect("JSON is text")
}

/// What stands for a place of that number.
pub(super) fn reference(number: usize) -> Value {
    Map::from_iter([(PLACE.to_owned(), number.into())]).into()
}

/// The number of the place it stands for, if it does.
fn number_in(state: &Value) -> Option<usize> {
    let Value::Object(parts) = state else { return None };
    let number = parts.get(PLACE).filter(|_| parts.len() == 1)?;
    // No place has the largest.
    Some(number.as_u64().map_or(usize::MAX, |number| number as usize))
}

/// The numbers in a state.
fn each_number(state: &Value, visit: &mut dyn FnMut(usize)) {
    match (number_in(state), state) {
        (Some(number), _) => visit(number),
        (None, Value::Array(parts)) => {
            parts.iter().for_each(|part| on_roomy_stack(|| each_number(part, visit)));
        }
        (None, Value::Object(parts)) => {
            parts.values().for_each(|part| on_roomy_stack(|| each_number(part, visit)));
        }
        _ => {}
    }
}

/// A state with what `replacement` says for each number in it.
fn with_numbers(state: &Value, replacement: &mut dyn FnMut(usize) -> Value) -> Value {
    match (number_in(state), state) {
        (Some(number), _) => replacement(number),
        (None, Value::Array(parts)) => {
            parts.iter().map(|part| on_roomy_stack(|| with_numbers(part, replacement))).collect()
        }
        (None, Value::Object(parts)) => {
            let replaced = |part: &Value, replacement: &mut dyn FnMut(usize) -> Value| {
                on_roomy_stack(|| with_numbers(part, replacement))
            };
            let parts = parts.iter().map(|(name, part)| (name.clone(), replaced(part, replacement)));
            Value::Object(parts.collect())
        }
        (None, plain) => plain.clone(),
    }
}

/// A state that was saved, for the places being worked out: with their numbers instead of those of `places`.
pub(super) fn renumbered(state: &Value, places: &Places) -> Value {
    with_numbers(state, &mut |number| {
        let token = Token::loaded(Arc::clone(&places[number]), Arc::clone(places));
        reference(Saving::number(&token, 0))
    })
}

/// What `read` makes of states that refer to `places`.
pub(super) fn loading<R>(places: &Places, read: impl FnOnce() -> R) -> R {
    let _outer = Restored::instead_of(&LOADING, Arc::clone(places));
    read()
}

/// The token of a state that was read; the error says what is wrong.
pub(super) fn read(state: Value) -> Result<Token, String> {
    let is_known = |state: &Value, count: usize| {
        let mut is_known = true;
        each_number(state, &mut |number| is_known &= number < count);
        is_known
    };
    let refused = || Err("it refers to a place that is not in it".to_owned());
    if let Some(places) = LOADING.with_borrow(Clone::clone) {
        return match number_in(&state) {
            Some(number) if number >= places.len() => refused(),
            Some(number) => Ok(Token::loaded(Arc::clone(&places[number]), places)),
            None => Ok(Token::loaded(Arc::new(state), places)),
        };
    }
    let Some(Value::Array(states)) = state.get(PLACES) else {
        return if is_known(&state, 0) {
            Ok(Token::loaded(Arc::new(state), Places::default()))
        } else {
            refused()
        };
    };
    // A place that referred to itself would have no end.
    if !states.iter().enumerate().all(|(number, state)| is_known(state, number)) {
        return refused();
    }
    let places: Places = Arc::new(states.iter().cloned().map(Arc::new).collect());
    let number = state.get(PLACE).and_then(Value::as_u64).and_then(|number| usize::try_from(number).ok());
    match number.and_then(|number| places.get(number)) {
        Some(whole) => Ok(Token::loaded(Arc::clone(whole), Arc::clone(&places))),
        None => refused(),
    }
}
