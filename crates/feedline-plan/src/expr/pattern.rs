//! Patterns of strings as TensorFlow has them: RE2's syntax, for the `regex` crate, and what matches are rewritten to.
//!
//! Both crates are of one family and agree on most. What differs is translated here: `\d`, `\w`, `\s` and `\b` mean ASCII in RE2,
//! brackets and `&&` within a class are characters, `\Q…\E` and octal numbers exist, and what only `regex` knows is refused.

use regex::bytes::{Regex, RegexBuilder};

/// As RE2: `a{1001}` is refused.
const MAX_REPEAT: u32 = 1000;

/// The expression for `pattern`; `is_whole` if it has to match all of a string.
///
/// # Errors
/// If it is no pattern of RE2's, or too large, with the reason.
pub fn regular_expression(pattern: &str, is_whole: bool) -> Result<Regex, String> {
    let translated = Translator::new(pattern).translate()?;
    let text = if is_whole { format!(r"\A(?:{translated})\z") } else { translated };
    // The limit of RE2 in TensorFlow is 8 MiB of program; that of `regex`, 10 MiB, is near enough.
    RegexBuilder::new(&text).build().map_err(|error| match error {
        regex::Error::CompiledTooBig(limit) => format!("the pattern needs more than {limit} bytes"),
        // The crate's message shows the translated text over several lines; the last says what is wrong.
        other => {
            let text = other.to_string();
            let reason = text.lines().last().unwrap_or_default();
            reason.trim_start_matches("error: ").to_owned()
        }
    })
}

/// What a match is replaced by: text, and `\0` to `\9` for what the match or one of its groups is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rewrite {
    parts: Vec<RewritePart>,
}

/// A part of a [`Rewrite`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RewritePart {
    /// These bytes.
    Text(Vec<u8>),
    /// What group number so and so matched; 0 is all of the match.
    Group(usize),
}

impl Rewrite {
    /// The parts of `rewrite`, for an expression with `num_groups` groups.
    ///
    /// # Errors
    /// If a backslash stands before anything but a digit or a backslash, or there is no such group.
    pub fn new(rewrite: &str, num_groups: usize) -> Result<Rewrite, String> {
        let mut parts = Vec::new();
        let mut text = Vec::new();
        let mut rest = rewrite.bytes();
        while let Some(byte) = rest.next() {
            if byte != b'\\' {
                text.push(byte);
                continue;
            }
            match rest.next() {
                Some(b'\\') => text.push(b'\\'),
                Some(digit @ b'0'..=b'9') => {
                    let group = usize::from(digit - b'0');
                    if group > num_groups {
                        return Err(format!("\\{group}: the pattern has {num_groups} groups"));
                    }
                    if !text.is_empty() {
                        parts.push(RewritePart::Text(std::mem::take(&mut text)));
                    }
                    parts.push(RewritePart::Group(group));
                }
                _ => return Err("a backslash stands before a digit or another backslash".into()),
            }
        }
        if !text.is_empty() {
            parts.push(RewritePart::Text(text));
        }
        Ok(Rewrite { parts })
    }

    /// Its parts, in order.
    pub fn parts(&self) -> &[RewritePart] {
        &self.parts
    }

    /// Whether it needs to know what groups matched.
    pub fn has_groups(&self) -> bool {
        self.parts.iter().any(|part| matches!(part, RewritePart::Group(group) if *group > 0))
    }
}

struct Translator {
    pattern: Vec<char>,
    at: usize,
    out: String,
    /// Whether what came last was a repetition: RE2 takes no second one.
    is_repeated: bool,
}

impl Translator {
    fn new(pattern: &str) -> Translator {
        Translator { pattern: pattern.chars().collect(), at: 0, out: String::new(), is_repeated: false }
    }

    fn peek(&self) -> Option<char> {
        self.pattern.get(self.at).copied()
    }

    fn next(&mut self) -> Option<char> {
        let next = self.peek();
        self.at += usize::from(next.is_some());
        next
    }

    fn take_if(&mut self, wanted: char) -> bool {
        let is_there = self.peek() == Some(wanted);
        self.at += usize::from(is_there);
        is_there
    }

    fn translate(mut self) -> Result<String, String> {
        while let Some(next) = self.next() {
            let was_repeated = std::mem::take(&mut self.is_repeated);
            match next {
                '\\' => self.escape()?,
                '[' => self.class()?,
                '(' => self.group()?,
                '*' | '+' | '?' => {
                    self.out.push(next);
                    self.repeated(was_repeated)?;
                }
                '{' => match self.count()? {
                    Some(count) => {
                        self.out.push_str(&count);
                        self.repeated(was_repeated)?;
                    }
                    None => self.out.push_str(r"\{"),
                },
                other => self.out.push(other),
            }
        }
        Ok(self.out)
    }

    fn repeated(&mut self, was_repeated: bool) -> Result<(), String> {
        if was_repeated {
            return Err("a repetition of a repetition; put what is repeated in (?:…)".into());
        }
        if self.take_if('?') {
            self.out.push('?');
        }
        self.is_repeated = true;
        Ok(())
    }

    /// `{2}`, `{2,}` or `{2,3}` behind the brace; anything else is a brace and no count.
    fn count(&mut self) -> Result<Option<String>, String> {
        let rest: String = self.pattern[self.at..].iter().take_while(|&&c| c != '}').collect();
        if self.pattern.get(self.at + rest.chars().count()) != Some(&'}') {
            return Ok(None);
        }
        let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let (low, high) = rest.split_once(',').unwrap_or((&rest, ""));
        if !is_number(low) || !(high.is_empty() || is_number(high)) {
            return Ok(None);
        }
        let is_large = |text: &str| !text.is_empty() && text.parse::<u32>().map_or(true, |n| n > MAX_REPEAT);
        if is_large(low) || is_large(high) {
            return Err(format!("{{{rest}}} repeats more than {MAX_REPEAT} times"));
        }
        self.at += rest.len() + 1;
        Ok(Some(format!("{{{rest}}}")))
    }

    /// What stands behind an opening parenthesis that matters: flags RE2 does not have.
    fn group(&mut self) -> Result<(), String> {
        self.out.push('(');
        if !self.take_if('?') {
            return Ok(());
        }
        self.out.push('?');
        while let Some(next) = self.next() {
            self.out.push(next);
            match next {
                ':' | ')' => return Ok(()),
                'i' | 'm' | 's' | 'U' | '-' => {}
                'P' => return self.name(),
                '<' if matches!(self.peek(), Some('=' | '!')) => {
                    return Err("looking behind is not supported".into());
                }
                '<' => return Err("(?< is nothing a group begins with; (?P<name>…) has a name".into()),
                other => return Err(format!("(?{other} is nothing a group begins with")),
            }
        }
        Err("a group that does not end".into())
    }

    fn name(&mut self) -> Result<(), String> {
        if !self.take_if('<') {
            return Err("(?P stands before <name>".into());
        }
        self.out.push('<');
        while let Some(next) = self.next() {
            self.out.push(next);
            if next == '>' {
                return Ok(());
            }
        }
        Err("the name of a group does not end".into())
    }

    fn escape(&mut self) -> Result<(), String> {
        let next = self.next().ok_or("a backslash at the end")?;
        match next {
            'b' | 'B' => self.out.push_str(if next == 'b' { r"(?-u:\b)" } else { r"(?-u:\B)" }),
            'C' => self.out.push_str("(?s-u:.)"),
            'A' | 'z' => self.out.extend(['\\', next]),
            'Q' => {
                while let Some(quoted) = self.next() {
                    if quoted == '\\' && self.take_if('E') {
                        break;
                    }
                    self.literal(quoted);
                }
            }
            'p' | 'P' => {
                self.property(next);
                self.property_name();
            }
            _ => {
                if let Some(class) = perl_class(next) {
                    self.out.extend(["(?-i:", class, ")"]);
                } else {
                    let literal = self.escaped(next)?;
                    self.literal(literal);
                }
            }
        }
        Ok(())
    }

    fn literal(&mut self, literal: char) {
        self.out.push_str(&regex::escape(literal.encode_utf8(&mut [0; 4])));
    }

    /// `\pN`, `\p{Greek}`, `\p{^Greek}`.
    fn property(&mut self, letter: char) {
        let is_other = self.pattern[self.at..].starts_with(&['{', '^']);
        let letter = if is_other { if letter == 'p' { 'P' } else { 'p' } } else { letter };
        self.out.extend(['\\', letter]);
        if is_other {
            self.out.push('{');
            self.at += 2;
        }
    }

    /// The character behind a backslash, where it is one.
    fn escaped(&mut self, next: char) -> Result<char, String> {
        Ok(match next {
            'a' => '\x07',
            'f' => '\x0c',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'v' => '\x0b',
            '0' => self.octal(0, 2),
            '1'..='7' if matches!(self.peek(), Some('0'..='7')) => {
                self.octal(next.to_digit(8).unwrap_or(0), 2)
            }
            'x' => self.hex()?,
            other if other.is_ascii() && !other.is_ascii_alphanumeric() => other,
            other => return Err(format!("\\{other} means nothing")),
        })
    }

    fn octal(&mut self, mut code: u32, max_digits: usize) -> char {
        for _ in 0..max_digits {
            let Some(digit) = self.peek().and_then(|next| next.to_digit(8)) else { break };
            code = code * 8 + digit;
            self.at += 1;
        }
        char::from_u32(code).expect("three octal digits are a character")
    }

    fn hex(&mut self) -> Result<char, String> {
        let wrong = || r"\x stands before two digits, or before a number in braces".to_owned();
        let digits: String = if self.take_if('{') {
            let digits: String = self.pattern[self.at..].iter().take_while(|&&c| c != '}').collect();
            self.at += digits.chars().count() + 1;
            digits
        } else {
            let digits = self.pattern.get(self.at..self.at + 2).ok_or_else(wrong)?.iter().collect();
            self.at += 2;
            digits
        };
        let is_hex = self.at <= self.pattern.len() && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        let code = u32::from_str_radix(&digits, 16).ok().filter(|_| is_hex);
        code.and_then(char::from_u32).ok_or_else(wrong)
    }

    fn class(&mut self) -> Result<(), String> {
        self.out.push('[');
        if self.take_if('^') {
            self.out.push('^');
        }
        let mut is_first = true;
        loop {
            let next = self.next().ok_or("a class that does not end")?;
            if next == ']' && !is_first {
                self.out.push(']');
                return Ok(());
            }
            is_first = false;
            if next == '[' && self.peek() == Some(':') && self.named_class() {
                continue;
            }
            let low = if next == '\\' {
                let escaped = self.next().ok_or("a backslash at the end")?;
                if let Some(class) = perl_class(escaped) {
                    self.out.push_str(class);
                    continue;
                }
                if matches!(escaped, 'p' | 'P') {
                    self.property(escaped);
                    self.property_name();
                    continue;
                }
                self.escaped(escaped)?
            } else {
                next
            };
            self.class_char(low);
            let is_range =
                self.peek() == Some('-') && self.pattern.get(self.at + 1).is_some_and(|&c| c != ']');
            if is_range {
                self.at += 1;
                let next = self.next().ok_or("a class that does not end")?;
                let high = if next == '\\' {
                    let escaped = self.next().ok_or("a backslash at the end")?;
                    self.escaped(escaped)?
                } else {
                    next
                };
                if high < low {
                    return Err(format!("{low}-{high} is a range of nothing"));
                }
                self.out.push('-');
                self.class_char(high);
            }
        }
    }

    /// `[:alpha:]`, if that is what stands here.
    fn named_class(&mut self) -> bool {
        let rest = &self.pattern[self.at + 1..];
        let Some(end) = rest.windows(2).position(|pair| pair == [':', ']']) else { return false };
        let name: String = rest[..end].iter().collect();
        if !name.trim_start_matches('^').bytes().all(|byte| byte.is_ascii_lowercase()) {
            return false;
        }
        self.out.extend(["[:", &name, ":]"]);
        self.at += end + 3;
        true
    }

    /// The name behind `\p`: one letter, or what stands in braces, of which the first may be written already.
    fn property_name(&mut self) {
        if !self.out.ends_with('{') && self.peek() != Some('{') {
            let letter = self.next();
            self.out.extend(letter);
            return;
        }
        while let Some(next) = self.next() {
            self.out.push(next);
            if next == '}' {
                break;
            }
        }
    }

    fn class_char(&mut self, literal: char) {
        if literal.is_alphanumeric() {
            self.out.push(literal);
        } else {
            let code = format!("{:x}", u32::from(literal));
            self.out.extend(["\\x{", &code, "}"]);
        }
    }
}

/// What `\d` and the like stand for in RE2: ASCII.
fn perl_class(letter: char) -> Option<&'static str> {
    Some(match letter {
        'd' => "[0-9]",
        'D' => "[^0-9]",
        'w' => "[0-9A-Za-z_]",
        'W' => "[^0-9A-Za-z_]",
        's' => r"[\t\n\f\r ]",
        'S' => r"[^\t\n\f\r ]",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_mean_what_they_mean_in_re2() {
        let cases: &[(&str, &str, bool)] = &[
            (r"\d+", "12", true),
            (r"\d", "\u{663}", false),
            (r"[\d_]+", "1_2", true),
            (r"a\_\ [\_\ ]", "a_  ", true),
            (r"[^\D]", "7", true),
            (r"\w", "é", false),
            (r"(?i)\w", "\u{17f}", false),
            (r"\s", "\x0b", false),
            (r"[[]", "[", true),
            (r"[&&a]+", "&a", true),
            (r"[]a]+", "]a", true),
            (r"[^]a]", "b", true),
            (r"[a-]+", "a-", true),
            (r"[--/]", ".", true),
            (r"[[:alpha:]]+", "ab", true),
            (r"\Qa.b\E", "a.b", true),
            (r"\Qa.b\E", "axb", false),
            (r"\101", "A", true),
            (r"\x41\x{42}", "AB", true),
            (r"\<", "<", true),
            (r"a{", "a{", true),
            (r"a{,2}", "a{,2}", true),
            (r"a{2,3}", "aaa", true),
            (r"\p{Greek}\P{Greek}\p{^Greek}", "αab", true),
            (r"[\p{Greek}\pN]+", "α1", true),
            (r"\bé", "é", false),
            (r"(?s).", "\n", true),
            (r".", "\n", false),
            (r".", "é", true),
            (r"\C\C", "é", true),
            (r"(?P<x>a)|b", "b", true),
        ];
        for (pattern, text, expected) in cases {
            let regex =
                regular_expression(pattern, true).unwrap_or_else(|error| panic!("{pattern}: {error}"));
            assert_eq!(regex.is_match(text.as_bytes()), *expected, "{pattern} of {text}");
        }
    }

    #[test]
    fn what_re2_refuses_is_refused() {
        for pattern in [
            "(",
            "a)",
            "[a",
            "*a",
            "a**",
            "a{2}{3}",
            "a{1001}",
            r"\1",
            r"\8",
            r"\u0041",
            r"\Z",
            r"\",
            "(?x)a",
            "(?=a)",
            "(?<=a)",
            "[b-a]",
            "(?<n>a)",
            "(?P=x)",
            r"\x{110000}",
            r"\x4",
            "[a&&[b]",
        ] {
            // The last is a class in both, of other characters: it shows that no set operation is read.
            let is_refused = regular_expression(pattern, false).is_err();
            assert_eq!(is_refused, pattern != "[a&&[b]", "{pattern}");
        }
    }

    #[test]
    fn no_pattern_panics() {
        const PIECES: [&str; 24] = [
            "a",
            "\\",
            "[",
            "]",
            "(",
            ")",
            "{",
            "}",
            "^",
            "-",
            "?",
            "*",
            "+",
            "|",
            "é",
            "1",
            ",",
            "x",
            "p",
            "Q",
            ":",
            "P<n>",
            "[:alpha:]",
            "\\E",
        ];
        // A generator of its own: the same patterns on every run.
        let mut state = 1_u64;
        for _ in 0..20_000 {
            let mut pattern = String::new();
            for _ in 0..=state % 9 {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                pattern.push_str(PIECES[(state >> 40) as usize % PIECES.len()]);
            }
            if let Ok(regex) = regular_expression(&pattern, false) {
                let _ = regex.is_match(b"a1\xff");
            }
        }
    }

    #[test]
    fn rewrites_name_groups_that_are_there() {
        let rewrite = Rewrite::new(r"<\1\\\0>", 1).expect("right");
        assert_eq!(
            rewrite.parts(),
            [
                RewritePart::Text(b"<".to_vec()),
                RewritePart::Group(1),
                RewritePart::Text(b"\\".to_vec()),
                RewritePart::Group(0),
                RewritePart::Text(b">".to_vec()),
            ]
        );
        assert!(Rewrite::new(r"\2", 1).is_err_and(|reason| reason.contains("1 groups")));
        assert!(Rewrite::new(r"\n", 1).is_err() && Rewrite::new("\\", 1).is_err());
    }
}
