//! What a pattern means: a folder to begin in and one test per name below it.

use crate::error::{Error, ErrorKind, Result};
use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

/// A pattern with at least one wildcard, split at `/`.
#[derive(Debug)]
pub(super) struct Pattern {
    /// The leading components without wildcards, as spelled; empty for the current folder.
    pub(super) base: PathBuf,
    /// The rest; never empty, and never ends in [`Component::AnyDepth`].
    pub(super) components: Vec<Component>,
}

/// One name of a pattern.
#[derive(Debug)]
pub(super) enum Component {
    /// A name without wildcards.
    Literal(OsString),
    /// A name with wildcards.
    Wild { text: String, matcher: glob::Pattern },
    /// `**`: this folder and all below it.
    AnyDepth,
}

/// Whether any character of `text` has a meaning in a pattern.
pub(super) fn has_wildcard(text: &OsStr) -> bool {
    text.as_bytes().iter().any(|byte| matches!(byte, b'*' | b'?' | b'['))
}

impl Pattern {
    /// Reads a pattern. Its names may hold any bytes; in a name with wildcards, those that are not UTF-8 count as one odd
    /// character each, as they do in the names it is compared with.
    pub(super) fn parse(text: &OsStr) -> Result<Self> {
        let invalid = |found: String| Error::new(ErrorKind::InvalidPattern, text, "read the pattern", found);
        let mut base = PathBuf::from(if text.as_bytes().starts_with(b"/") { "/" } else { "" });
        let mut components = Vec::new();
        for name in text.as_bytes().split(|byte| *byte == b'/').filter(|name| !name.is_empty()) {
            let name = OsStr::from_bytes(name);
            if components.is_empty() && !has_wildcard(name) {
                base.push(name);
                continue;
            }
            components.push(match name.as_bytes() {
                b"**" => Component::AnyDepth,
                b"." => continue,
                b".." => {
                    return Err(invalid("`..` stands after a wildcard".to_owned())
                        .with_hint("write the folder that is meant before the first wildcard"));
                }
                _ if has_wildcard(name) => {
                    let name = name.to_string_lossy();
                    let matcher = glob::Pattern::new(&with_exclamation_marks(&name)).map_err(|error| {
                        invalid(format!("`{name}`, character {}: {}", error.pos + 1, error.msg))
                            .with_hint(syntax_hint(&name))
                    })?;
                    Component::Wild { text: name.into_owned(), matcher }
                }
                _ => Component::Literal(name.to_owned()),
            });
        }
        if text.as_bytes().ends_with(b"/") {
            return Err(invalid("it ends in `/`, so it asks for folders; expected files".to_owned())
                .with_hint(format!("did you mean `{}*`?", text.display())));
        }
        if matches!(components.last(), Some(Component::AnyDepth)) {
            // Files are asked for: `data/**` is everything below `data`.
            components.push(Component::any_name());
        }
        Ok(Self { base, components })
    }

    /// Everything below `folder`, whatever characters its path holds.
    pub(super) fn below(folder: impl Into<PathBuf>) -> Self {
        Self { base: folder.into(), components: vec![Component::AnyDepth, Component::any_name()] }
    }
}

/// `[^a]`, which is how TensorFlow and most shells also spell `[!a]`, as the latter: to the matcher a `^` is one more member, so that
/// it would find just the files that were to be left out.
fn with_exclamation_marks(name: &str) -> String {
    let mut spelled = String::with_capacity(name.len());
    let mut rest = name;
    while let Some((before, set)) = rest.split_once('[') {
        spelled.push_str(before);
        spelled.push('[');
        rest = set;
        if let Some(members) = rest.strip_prefix(['^', '!']) {
            spelled.push('!');
            rest = members;
        }
        // A set ends at the first `]` that is not its first member.
        let second = rest.chars().next().map_or(0, char::len_utf8);
        let end = rest[second..].find(']').map_or(rest.len(), |end| second + end + 1);
        spelled.push_str(&rest[..end]);
        rest = &rest[end..];
    }
    spelled + rest
}

fn syntax_hint(name: &str) -> String {
    if name.contains("**") {
        "`**` must stand alone between two `/`; within a name, `*` is enough".to_owned()
    } else {
        "to match `[` itself, write `[[]`".to_owned()
    }
}

impl Component {
    fn any_name() -> Self {
        // An empty pattern would match nothing; "*" is well formed, so that never happens.
        let matcher = glob::Pattern::new("*").unwrap_or_default();
        Self::Wild { text: "*".to_owned(), matcher }
    }

    /// Whether a name matches. Bytes that are not UTF-8 count as one odd character each, so `*` finds them.
    pub(super) fn matches(&self, name: &str) -> bool {
        match self {
            Self::Literal(text) => text.to_string_lossy() == name,
            Self::Wild { matcher, .. } => self.may_match_hidden(name) && matcher.matches(name),
            Self::AnyDepth => !name.starts_with('.'),
        }
    }

    /// As [`matches`](Self::matches), without the rule about hidden names; to explain why nothing matched.
    pub(super) fn matches_but_for_the_dot(&self, name: &str) -> bool {
        matches!(self, Self::Wild { matcher, .. } if matcher.matches(name))
    }

    pub(super) fn text(&self) -> Cow<'_, str> {
        match self {
            Self::Literal(text) => text.to_string_lossy(),
            Self::Wild { text, .. } => text.into(),
            Self::AnyDepth => "**".into(),
        }
    }

    fn may_match_hidden(&self, name: &str) -> bool {
        !name.starts_with('.') || self.text().starts_with('.')
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn parts(text: &str) -> (String, Vec<String>) {
        let pattern = Pattern::parse(text.as_ref()).unwrap();
        let components = pattern.components.iter().map(|component| component.text().into_owned()).collect();
        (pattern.base.display().to_string(), components)
    }

    #[test]
    fn the_base_keeps_its_spelling() {
        let cases: [(&str, &str, &[&str]); 8] = [
            ("*.rec", "", &["*.rec"]),
            ("/*.rec", "/", &["*.rec"]),
            ("./data/*.rec", "./data", &["*.rec"]),
            ("../a/b/*/c.rec", "../a/b", &["*", "c.rec"]),
            ("a//b/**/c", "a/b", &["**", "c"]),
            ("a/**", "a", &["**", "*"]),
            ("a/*/./b", "a", &["*", "b"]),
            ("a/[b]/c", "a", &["[b]", "c"]),
        ];
        for (text, base, components) in cases {
            assert_eq!(parts(text), (base.to_owned(), components.iter().map(ToString::to_string).collect()));
        }
        assert_eq!(Pattern::parse("/*".as_ref()).unwrap().base, Path::new("/"));
    }

    #[test]
    fn hidden_names_need_a_dot() {
        let star = &Pattern::parse("*".as_ref()).unwrap().components[0];
        let dotted = &Pattern::parse(".*".as_ref()).unwrap().components[0];
        assert!(star.matches("a.b") && !star.matches(".a") && star.matches_but_for_the_dot(".a"));
        assert!(dotted.matches(".a") && !dotted.matches("a"));
    }

    #[test]
    fn sets_are_negated_in_both_spellings() {
        let cases = [
            ("f[^0]", "f1", true),
            ("f[^0]", "f0", false),
            ("f[^0]", "f^", true),
            ("f[!0]", "f1", true),
            ("f[!0]", "f0", false),
            ("[^a-c][^x]", "dy", true),
            ("[^a-c][^x]", "dx", false),
            ("[^]]", "]", false),
            ("[^]]", "a", true),
            ("[[^]", "^", true),
            ("[a^]", "^", true),
            ("^[a]", "^a", true),
            ("[^é]ü[^ü]", "eüe", true),
        ];
        for (pattern, name, expected) in cases {
            let component = &Pattern::parse(pattern.as_ref()).unwrap().components[0];
            assert_eq!(component.matches(name), expected, "{pattern} {name}");
        }
    }

    #[test]
    fn broken_patterns_say_where_and_what_to_write() {
        let cases = [
            ("data/[a-", "`[a-`, character", "`[[]`"),
            ("data/[^]", "`[^]`, character 1", "`[[]`"),
            ("data/a**b", "`a**b`, character", "must stand alone"),
            ("data/*/../x", "`..` stands after a wildcard", "before the first wildcard"),
            ("data/*/", "asks for folders", "`data/*/*`"),
        ];
        for (text, found, hint) in cases {
            let error = Pattern::parse(text.as_ref()).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::InvalidPattern, "{text}");
            assert!(error.to_string().starts_with(text), "{error}");
            assert!(error.to_string().contains(found), "{error}");
            assert!(error.hint().contains(hint), "{error}");
        }
    }
}
