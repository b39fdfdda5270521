//! Which names come closest to what was asked for.

/// How far `name` is from matching `pattern`: the least number of characters to insert, drop or change.
///
/// `*` takes any run of characters for free, `?` and a `[…]` any one. Time is the product of the lengths.
pub(super) fn distance(pattern: &str, name: &str) -> usize {
    let name: Vec<char> = name.chars().collect();
    // row[j]: the distance between the part of the pattern read so far and the first j characters of the name.
    let mut row: Vec<usize> = (0..=name.len()).collect();
    for token in tokens(pattern) {
        let mut diagonal = row[0];
        if token != Token::Any {
            row[0] += 1;
        }
        for j in 1..=name.len() {
            let above = row[j];
            row[j] = match token {
                Token::Any => above.min(row[j - 1]),
                Token::One => diagonal.min(above + 1).min(row[j - 1] + 1),
                Token::Char(c) => {
                    (diagonal + usize::from(c != name[j - 1])).min(above + 1).min(row[j - 1] + 1)
                }
            };
            diagonal = above;
        }
    }
    row[name.len()]
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Token {
    Any,
    One,
    Char(char),
}

fn tokens(pattern: &str) -> impl Iterator<Item = Token> + '_ {
    let mut rest = pattern;
    std::iter::from_fn(move || {
        let c = rest.chars().next()?;
        let mut len = c.len_utf8();
        let token = match c {
            '*' => Token::Any,
            '?' => Token::One,
            // A set ends at the first `]` that is not its first member.
            '[' => match rest.char_indices().skip(2).find(|(_, c)| *c == ']') {
                Some((end, _)) => {
                    len = end + 1;
                    Token::One
                }
                None => Token::Char(c),
            },
            c => Token::Char(c),
        };
        rest = &rest[len..];
        Some(token)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances() {
        let cases = [
            ("train.rec", "train.rec", 0),
            ("trian.rec", "train.rec", 2),
            ("*.jpg", "a.jpeg", 1),
            ("*.tfrecord", "x.tfrecords", 1),
            ("train-*.rec", "train-00000.rec", 0),
            ("train-*.rec", "Train-00000.rec", 1),
            ("a?c", "abc", 0),
            ("a[0-9]c", "abc", 0),
            ("a[]x]c", "abc", 0),
            ("a[bc", "abc", 1),
            ("", "abc", 3),
            ("abc", "", 3),
            ("*", "", 0),
            ("é?", "éa", 0),
        ];
        for (pattern, name, expected) in cases {
            assert_eq!(distance(pattern, name), expected, "{pattern} {name}");
        }
    }
}
