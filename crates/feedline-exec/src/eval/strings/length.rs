//! How long strings are.

use super::super::{Arguments, Value};
use super::characters::is_trail;
use super::each::each_number;

pub(super) fn length(arguments: &mut Arguments<'_>) -> Vec<Value> {
    if arguments.call.text("unit") == "BYTE" {
        each_number(arguments, |string| Ok(string.len() as i32))
    } else {
        each_number(arguments, |string| Ok(num_characters(string)))
    }
}

/// Counted in bytes, as many as a byte can count at a time: sixteen in an instruction, where counts of words are two.
fn num_characters(string: &[u8]) -> i32 {
    let of_piece = |piece: &[u8]| piece.iter().fold(0, |count: u8, &byte| count + u8::from(!is_trail(byte)));
    string.chunks(usize::from(u8::MAX)).map(|piece| i32::from(of_piece(piece))).sum()
}
