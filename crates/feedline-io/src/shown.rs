//! Names and texts of others, made fit to be printed for people.
//!
//! A file's name, a column's, a value may hold anything: escape sequences that recolour, retitle or clear a terminal, line ends
//! that forge a line of a report, marks that turn the direction of what follows. Printed, they are spelled out.

use std::borrow::Cow;
use std::fmt::Write;
use std::path::Path;

/// A path as it is printed: what is not UTF-8 replaced, and whatever is no plain text spelled out.
///
/// ```
/// # use feedline_io::shown;
/// assert_eq!(shown("a\u{1b}[31mb\n.csv".as_ref()), "a\\u001b[31mb\\n.csv");
/// ```
pub fn shown(path: &Path) -> String {
    spell_out(&path.to_string_lossy(), is_odd).into_owned()
}

/// `text`, of any number of lines, as it is printed: all but line ends spelled out that is no plain text. In JSON the result
/// means the same, because such characters stand in its strings alone.
pub fn without_controls(text: &str) -> Cow<'_, str> {
    spell_out(text, |c| c != '\n' && is_odd(c))
}

/// Control characters, and those that change the direction of text.
fn is_odd(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

fn spell_out(text: &str, is_spelled: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.contains(&is_spelled) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match c {
            _ if !is_spelled(c) => out.push(c),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            _ => _ = write!(out, "\\u{:04x}", u32::from(c)),
        }
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_would_obey_is_spelled_out() {
        for (text, name, lines) in [
            ("plain/ä→𝄞 file", "plain/ä→𝄞 file", "plain/ä→𝄞 file"),
            ("a\u{1b}]0;title\u{7}", "a\\u001b]0;title\\u0007", "a\\u001b]0;title\\u0007"),
            ("one\r\ntwo\t", "one\\r\\ntwo\\t", "one\\r\ntwo\\t"),
            ("\u{9b}2J\u{7f}", "\\u009b2J\\u007f", "\\u009b2J\\u007f"),
            ("a\u{202e}gpj.exe", "a\\u202egpj.exe", "a\\u202egpj.exe"),
        ] {
            assert_eq!(shown(Path::new(text)), name);
            assert_eq!(without_controls(text), lines);
        }
    }
}
