//! Why nothing was found: the text a user reads after a misspelled path.
//!
//! Runs only after a failure, so it may read a folder again; it never fails itself.

use super::pattern::{Component, Pattern};
use super::spelling::distance;
use super::walk::{Walk, or_current};
use crate::error::{Error, ErrorKind};
use std::ffi::OsStr;
use std::fs;
use std::path::{Component as PathPart, Path, PathBuf};

/// Names shown as near misses.
const MAX_SHOWN: usize = 3;

/// Names compared for a near miss. A folder of a million files should not turn a typing error into a minute.
const MAX_COMPARED: usize = 10_000;

/// The error for a pattern that matched no file: the folder searched, and what is there instead.
pub(super) fn no_match(text: &OsStr, pattern: &Pattern, walk: &Walk) -> Error {
    if let Some(error) = remote_path(text, "list") {
        return error;
    }
    let (searched, missing) = existing_part(&pattern.base);
    let below = match walk.num_folders {
        0 | 1 => String::new(),
        num_folders => format!(" and below, {num_folders} folders in all"),
    };
    let found = format!("no file matches the pattern; searched {}{below}", quoted_folder(&searched));
    let error = Error::new(ErrorKind::NoMatch, text, "list", found);
    let text = &text.to_string_lossy();
    if let Some(name) = missing {
        return error.with_hint(missing_name(&searched, &name));
    }
    let stuck = walk.furthest.as_ref().and_then(|(position, folder)| {
        pattern.components.get(*position).map(|component| (*position, folder, component))
    });
    let Some((position, folder, component)) = stuck else { return error };
    if !or_current(folder).is_dir() {
        return error.with_hint(format!("{} is a file, not a folder", quoted_folder(folder)));
    }
    let Some(contents) = Contents::read(folder) else { return error };
    let is_last = position + 1 == pattern.components.len();
    error.with_hint(why_none(text, folder, component, &contents, is_last))
}

/// An error about a plain path, with a hint if the reason is that the path does not exist.
pub(super) fn if_missing(error: Error) -> Error {
    if error.kind() != ErrorKind::NotFound {
        return error;
    }
    if let Some(error) = remote_path(error.location().as_os_str(), error.operation()) {
        return error;
    }
    match missing_path(error.location()) {
        Some(hint) => error.with_hint(hint),
        None => error,
    }
}

/// What to say of a plain path that does not exist; `None` if it does exist.
pub(super) fn missing_path(path: &Path) -> Option<String> {
    let (folder, missing) = existing_part(path);
    missing.map(|name| missing_name(&folder, &name))
}

/// The error for something that is not there and reads as an address (`s3://bucket/key`); `None` if it does not. `operation`
/// completes "could not …".
pub fn remote_path(text: &OsStr, operation: &str) -> Option<Error> {
    let shown = text.to_string_lossy();
    let (scheme, rest) = shown.split_once("://")?;
    let is_scheme = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.');
    if scheme.is_empty() || !scheme.chars().all(is_scheme) {
        return None;
    }
    let error = |found: &str| Error::new(ErrorKind::Remote, text, operation, found);
    Some(match scheme {
        "file" => error("paths are given as they are, not as addresses").with_hint(format!("write `{rest}`")),
        _ => error("remote paths are not supported by this build, only files of this machine").with_hint(
            format!(
                "copy the files to a local folder, or mount what `{scheme}://` names, and give that path"
            ),
        ),
    })
}

fn missing_name(folder: &Path, name: &str) -> String {
    if !or_current(folder).is_dir() {
        return format!("{} is a file, not a folder", quoted_folder(folder));
    }
    let Some(contents) = Contents::read(folder) else {
        return format!("`{name}` does not exist in {}", quoted_folder(folder));
    };
    let closest = closest_names(name, contents.names.iter());
    format!("{} has {} and none is called `{name}`{closest}", quoted_folder(folder), contents.count())
}

fn why_none(text: &str, folder: &Path, component: &Component, contents: &Contents, is_last: bool) -> String {
    let place = quoted_folder(folder);
    let wanted = component.text().into_owned();
    let matching: Vec<&String> = contents.names.iter().filter(|name| component.matches(name)).collect();
    if let (true, Some(first)) = (is_last, matching.first()) {
        // Files would have been found, so these are folders or devices.
        let example = folder.join(first).join("*");
        return format!(
            "`{wanted}` matches only folders in {place}; did you mean `{text}/*`, e.g. `{}`?",
            crate::shown(&example)
        );
    }
    if let Some(hidden) = contents.names.iter().find(|name| component.matches_but_for_the_dot(name)) {
        return format!(
            "names that begin with `.`, such as `{hidden}` in {place}, match only a pattern that begins with `.` too"
        );
    }
    if contents.names.contains(&wanted) {
        return format!("{place} has a folder called `{wanted}`; to match `[` itself, write `[[]`");
    }
    let closest = closest_names(&wanted, contents.names.iter());
    let braces =
        if wanted.contains('{') { "; `{a,b}` has no meaning here, give one pattern for each" } else { "" };
    format!("{place} has {} and none matches `{wanted}`{closest}{braces}", contents.count())
}

/// The names of a folder, sorted, the first [`MAX_COMPARED`] of them, and how many there are.
struct Contents {
    names: Vec<String>,
    num_entries: usize,
}

impl Contents {
    fn read(folder: &Path) -> Option<Self> {
        let mut contents = Self { names: Vec::new(), num_entries: 0 };
        for entry in fs::read_dir(or_current(folder)).ok()?.flatten() {
            contents.num_entries += 1;
            if contents.names.len() < MAX_COMPARED {
                contents.names.push(entry.file_name().to_string_lossy().into_owned());
            }
        }
        contents.names.sort_unstable();
        Some(contents)
    }

    fn count(&self) -> String {
        match self.num_entries {
            0 => "no entries".to_owned(),
            1 => "1 entry".to_owned(),
            num_entries => format!("{num_entries} entries"),
        }
    }
}

/// "; the closest are `a`, `b`, `c`", or nothing where there are no names.
fn closest_names<'a>(wanted: &str, names: impl Iterator<Item = &'a String>) -> String {
    let mut ranked: Vec<(usize, &String)> = names.map(|name| (distance(wanted, name), name)).collect();
    ranked.sort(); // stable within a distance: by name
    let shown: Vec<String> = ranked.iter().take(MAX_SHOWN).map(|(_, name)| quoted(name)).collect();
    match shown.len() {
        0 => String::new(),
        1 => format!("; the closest is {}", shown[0]),
        _ => format!("; the closest are {}", shown.join(", ")),
    }
}

/// The longest leading part of a path that exists, and the first name that does not.
fn existing_part(path: &Path) -> (PathBuf, Option<String>) {
    let mut existing = PathBuf::new();
    for part in path.components() {
        let next = existing.join(part);
        if matches!(part, PathPart::Normal(_) | PathPart::ParentDir) && fs::metadata(&next).is_err() {
            return (existing, Some(part.as_os_str().to_string_lossy().into_owned()));
        }
        existing = next;
    }
    (existing, None)
}

fn quoted_folder(folder: &Path) -> String {
    if folder.as_os_str().is_empty() {
        "the current folder".to_owned()
    } else {
        quoted(&folder.to_string_lossy())
    }
}

/// A name in backticks, with line ends and the like made visible: a message stays one line.
fn quoted(name: &str) -> String {
    let visible: String = name
        .chars()
        .flat_map(|c| {
            let control = c.is_control().then(|| c.escape_default());
            let plain = (!c.is_control()).then_some(c);
            control.into_iter().flatten().chain(plain)
        })
        .collect();
    format!("`{visible}`")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_made_visible() {
        assert_eq!(quoted("a\nb\u{1b}"), "`a\\nb\\u{1b}`");
        assert_eq!(quoted("é b"), "`é b`");
    }

    #[test]
    fn the_existing_part_ends_where_the_path_does_not_exist() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        fs::create_dir(root.join("a")).unwrap();
        assert_eq!(existing_part(&root.join("a")), (root.join("a"), None));
        assert_eq!(existing_part(&root.join("a/b/c")), (root.join("a"), Some("b".to_owned())));
        assert_eq!(
            existing_part(Path::new("no-such-folder/x")),
            (PathBuf::new(), Some("no-such-folder".into()))
        );
    }

    #[test]
    fn addresses_are_told_from_paths() {
        let told = |text: &str| remote_path(OsStr::new(text), "open").map(|error| error.to_string());
        assert_eq!(
            told("s3://bucket/key").unwrap(),
            "s3://bucket/key: could not open: remote paths are not supported by this build, only files of this \
             machine\nhint: copy the files to a local folder, or mount what `s3://` names, and give that path"
        );
        assert!(told("file:///a/b").unwrap().contains("write `/a/b`"));
        for path in ["a/b", "://a", "a b://c", "a/b://c"] {
            assert_eq!(told(path), None);
        }
    }
}
