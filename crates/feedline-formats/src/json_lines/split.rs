//! Where the rows of JSON lines begin.

use memchr::memchr;

use crate::RowSplitter;

/// Finds where rows begin: at every line that is not blank.
#[derive(Clone, Debug, Default)]
pub struct JsonRows {
    inside: bool,
}

impl RowSplitter for JsonRows {
    fn push(&mut self, bytes: &[u8], mut on_row: impl FnMut(usize)) {
        let mut at = 0;
        while at < bytes.len() {
            if self.inside {
                match memchr(b'\n', &bytes[at..]) {
                    None => return,
                    Some(found) => {
                        self.inside = false;
                        at += found + 1;
                    }
                }
            } else if bytes[at].is_ascii_whitespace() {
                at += 1;
            } else {
                on_row(at);
                self.inside = true;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_begin_at_lines_that_are_not_blank() {
        let text = b"\n{\"a\":1}\r\n \t\n\n  {\"a\":2}\n{}";
        for step in 1..text.len() {
            let (mut rows, mut starts) = (JsonRows::default(), Vec::new());
            for (index, piece) in text.chunks(step).enumerate() {
                rows.push(piece, |at| starts.push(index * step + at));
            }
            assert_eq!(starts, [1, 16, 24], "pieces of {step}");
        }
    }
}
