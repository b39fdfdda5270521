//! Listing on real folders: tables, error messages, and a property test against a naive reference.
#![allow(clippy::unwrap_used, reason = "test code")]

use feedline_io::{Error, ErrorKind, FileEntry, ListingWatch, list_files, list_files_watched, survey_files};
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// A folder with these files, each as long as its path; a path that ends in `/` is a folder.
fn tree(paths: &[&str]) -> TempDir {
    let root = tempfile::tempdir().unwrap();
    for path in paths {
        let full = root.path().join(path);
        if path.ends_with('/') {
            fs::create_dir_all(full).unwrap();
        } else {
            fs::create_dir_all(full.parent().unwrap()).unwrap();
            fs::write(full, path).unwrap();
        }
    }
    root
}

fn list(root: &TempDir, patterns: &[&str]) -> Result<Vec<FileEntry>, Error> {
    let patterns: Vec<String> =
        patterns.iter().map(|pattern| format!("{}/{pattern}", root.path().display())).collect();
    list_files(&patterns)
}

/// The paths found, relative to the root.
fn names(root: &TempDir, patterns: &[&str]) -> Vec<String> {
    let found = list(root, patterns).unwrap();
    let relative =
        |entry: &FileEntry| entry.location.strip_prefix(root.path()).unwrap().display().to_string();
    found.iter().map(relative).collect()
}

/// The error's text with the root taken out.
fn message(root: &TempDir, pattern: &str) -> (ErrorKind, String) {
    let error = list(root, &[pattern]).unwrap_err();
    let prefix = root.path().display().to_string();
    let text = error.to_string();
    assert!(text.starts_with(&prefix), "{text}");
    (error.kind(), text.replace(&format!("{prefix}/"), "").replace(&prefix, "ROOT"))
}

#[test]
fn patterns_find_files() {
    let root = tree(&[
        "a-1.rec",
        "a-2.rec",
        "a-10.rec",
        "a/x.rec",
        "b.txt",
        ".hidden.rec",
        "d/e/f/deep.rec",
        "d/e/g.rec",
        "d/.git/h.rec",
        "d/h.rec",
        "empty/",
        "folder.rec/x",
    ]);
    let cases: [(&str, &[&str], &[&str]); 17] = [
        ("star", &["*.rec"], &["a-1.rec", "a-10.rec", "a-2.rec"]),
        ("question mark", &["a-?.rec"], &["a-1.rec", "a-2.rec"]),
        ("set", &["a-[13].rec"], &["a-1.rec"]),
        ("negated set", &["a-[!13].rec"], &["a-2.rec"]),
        ("range", &["[a-b]*.[rt]*t"], &["b.txt"]),
        ("star keeps within a name", &["d/*"], &["d/h.rec"]),
        ("star as a folder", &["*/x*"], &["a/x.rec", "folder.rec/x"]),
        ("literal after a wildcard", &["*/h.rec"], &["d/h.rec"]),
        ("any depth", &["d/**/*.rec"], &["d/e/f/deep.rec", "d/e/g.rec", "d/h.rec"]),
        ("any depth twice", &["**/e/**/*.rec"], &["d/e/f/deep.rec", "d/e/g.rec"]),
        ("any depth at the end", &["d/**"], &["d/e/f/deep.rec", "d/e/g.rec", "d/h.rec"]),
        ("any depth, literal name", &["**/g.rec"], &["d/e/g.rec"]),
        ("hidden file", &[".*"], &[".hidden.rec"]),
        ("hidden folder by name", &["d/.git/*"], &["d/.git/h.rec"]),
        ("plain path", &["a/x.rec"], &["a/x.rec"]),
        (
            "several, each file once",
            &["*.txt", "a-1*", "a-*.rec"],
            &["a-1.rec", "a-10.rec", "a-2.rec", "b.txt"],
        ),
        ("order of bytes across folders", &["a*", "a/*"], &["a-1.rec", "a-10.rec", "a-2.rec", "a/x.rec"]),
    ];
    for (name, patterns, expected) in cases {
        assert_eq!(names(&root, patterns), expected, "{name}");
    }
    let sizes: Vec<u64> = list(&root, &["a-*.rec"]).unwrap().iter().map(|entry| entry.size).collect();
    assert_eq!(sizes, [7, 8, 7]);
}

#[test]
fn a_file_called_like_a_pattern() {
    let root = tree(&[
        "run[1].rec",
        "run1.rec",
        "what?.rec",
        "what1.rec",
        "a*",
        "ab",
        "[x",
        "b[1]*",
        "b1",
        "c**",
        "cc",
    ]);
    let table: [(&str, &[&str]); 9] = [
        // Brackets are part of names; such a file is meant where there is one.
        ("run[1].rec", &["run[1].rec"]),
        ("[x", &["[x"]),
        ("run[12].rec", &["run1.rec"]),
        // A file called `a*` does not hide the others that match, and is one of them.
        ("what?.rec", &["what1.rec", "what?.rec"]),
        ("a*", &["a*", "ab"]),
        ("b[1]*", &["b1", "b[1]*"]),
        // To mean it alone.
        ("a[*]", &["a*"]),
        ("what[?].rec", &["what?.rec"]),
        // No pattern at all.
        ("c**", &["c**"]),
    ];
    for (pattern, expected) in table {
        assert_eq!(names(&root, &[pattern]), expected, "{pattern}");
    }
    // As a shell gives them, having expanded the pattern itself.
    assert_eq!(names(&root, &["a*", "ab"]), ["a*", "ab"]);
}

#[test]
fn links_are_followed_and_loops_end() {
    let root = tree(&["data/a.rec", "data/sub/b.rec", "other/c.rec"]);
    let at = |path: &str| root.path().join(path);
    symlink(at("data/a.rec"), at("link.rec")).unwrap();
    symlink(at("other"), at("data/linked")).unwrap();
    symlink(at("data"), at("data/sub/loop")).unwrap();
    symlink(at("data/self"), at("data/self")).unwrap();
    assert_eq!(names(&root, &["*.rec"]), ["link.rec"]);
    assert_eq!(names(&root, &["data/**/*.rec"]), ["data/a.rec", "data/linked/c.rec", "data/sub/b.rec"]);
    assert_eq!(names(&root, &["data/*/c.rec"]), ["data/linked/c.rec"]);
}

#[test]
fn a_broken_link_that_matches_is_an_error() {
    let root = tree(&["data/a.rec"]);
    symlink(root.path().join("gone"), root.path().join("data/b.rec")).unwrap();
    for pattern in ["data/*.rec", "*/b.rec"] {
        let error = list(&root, &[pattern]).unwrap_err();
        assert_eq!(error.location(), root.path().join("data/b.rec"));
        assert!(error.hint().contains("the link's target is missing"), "{error}");
    }
    assert_eq!(names(&root, &["data/a*"]), ["data/a.rec"]);
}

#[test]
fn a_survey_has_what_cannot_be_read_beside_the_files() {
    let root = tree(&["data/a.rec", "data/c.rec", "folder.rec/x"]);
    symlink("gone", root.path().join("data/b.rec")).unwrap();
    symlink("loop.rec", root.path().join("loop.rec")).unwrap();
    let survey = |patterns: &[&str]| {
        let patterns: Vec<PathBuf> = patterns.iter().map(|pattern| root.path().join(pattern)).collect();
        survey_files(&patterns)
    };
    let cases: [(&[&str], &[&str], &[&str]); 5] = [
        (&["data/*.rec"], &["data/a.rec", "data/c.rec"], &["data/b.rec"]),
        (&["data/*.rec", "data/b.rec", "*/[bc].rec"], &["data/a.rec", "data/c.rec"], &["data/b.rec"]),
        (&["data/b.rec"], &[], &["data/b.rec"]),
        (&["loop.rec"], &[], &["loop.rec"]),
        (&["data/a.rec", "folder.rec"], &["data/a.rec"], &["folder.rec"]),
    ];
    for (patterns, files, unreadable) in cases {
        let found = survey(patterns).unwrap();
        let paths = |names: &[&str]| names.iter().map(|name| root.path().join(name)).collect::<Vec<_>>();
        let found_files: Vec<PathBuf> = found.files.into_iter().map(|entry| entry.location).collect();
        let found_unreadable: Vec<PathBuf> =
            found.unreadable.iter().map(|error| error.location().to_owned()).collect();
        assert_eq!((found_files, found_unreadable), (paths(files), paths(unreadable)), "{patterns:?}");
        assert!(found.unreadable.iter().all(|error| !error.hint().is_empty()), "{:?}", found.unreadable);
    }
    // What was mistyped is not there for anybody.
    assert_eq!(survey(&["data/d.rec"]).unwrap_err().kind(), ErrorKind::NotFound);
    let below = feedline_io::survey_folder(root.path(), &ListingWatch::default()).unwrap();
    assert_eq!((below.files.len(), below.unreadable.len()), (3, 2));
}

#[test]
fn another_thread_sees_how_far_it_is_and_stops_it() {
    let root = tree(&["data/a.rec", "data/b.rec", "more/c.rec"]);
    let pattern = [root.path().join("*/*.rec")];
    let watch = ListingWatch::default();
    assert_eq!(list_files_watched(&pattern, &watch).unwrap().len(), 3);
    assert_eq!(watch.num_found(), 3);
    watch.stop();
    let stopped = list_files_watched(&pattern, &watch).unwrap_err();
    assert_eq!((stopped.kind(), stopped.location()), (ErrorKind::Interrupted, pattern[0].as_path()));
    assert_eq!(feedline_io::survey_folder(root.path(), &watch).unwrap_err().kind(), ErrorKind::Interrupted);
    assert_eq!(watch.num_found(), 3, "nothing was looked for any more");
}

#[test]
fn relative_patterns_stay_relative() {
    // The tests' working folder is the crate's own.
    let paths = |patterns: &[&str]| -> Vec<PathBuf> {
        list_files(patterns).unwrap().into_iter().map(|entry| entry.location).collect()
    };
    assert_eq!(paths(&["Cargo.t?ml"]), [Path::new("Cargo.toml")]);
    assert_eq!(paths(&["./Cargo.t?ml", "Cargo.toml"]), [Path::new("./Cargo.toml")]);
    assert_eq!(paths(&["s*/store.rs"]), [Path::new("src/store.rs")]);
    assert!(paths(&["**/walk.rs"]).contains(&PathBuf::from("src/local/walk.rs")));
}

#[test]
fn no_match_says_what_is_there_instead() {
    let root = tree(&[
        "data/train-0.tfrecord",
        "data/train-1.tfrecord",
        "data/labels.csv",
        "data/.cache",
        "set/a/x.txt",
        "set/b/y.txt",
        "odd[1]/x.rec",
        "empty/",
    ]);
    let cases: [(&str, &str, &str); 12] = [
        (
            "data/trian-*.tfrecord",
            "no file matches the pattern; searched `data`",
            "`data` has 4 entries and none matches `trian-*.tfrecord`; \
             the closest are `train-0.tfrecord`, `train-1.tfrecord`, ",
        ),
        ("data/*.tfrecords", "searched `data`", "the closest are `train-0.tfrecord`, `train-1.tfrecord`, "),
        (
            "dta/*.rec",
            "searched `ROOT`",
            "`ROOT` has 4 entries and none is called `dta`; the closest are `data`, ",
        ),
        ("data/deep/er/*.rec", "searched `data`", "none is called `deep`"),
        (
            "set/*",
            "searched `set`",
            "`*` matches only folders in `set`; did you mean `set/*/*`, e.g. `set/a/*`?",
        ),
        ("set/*/z.*", "searched `set` and below, 3 folders in all", "has 1 entry and none matches `z.*`"),
        (
            "set/**/*.rec",
            "searched `set` and below, 3 folders in all",
            "none matches `*.rec`; the closest are `a`",
        ),
        ("empty/*", "searched `empty`", "`empty` has no entries and none matches `*`"),
        ("data/*cache", "searched `data`", "names that begin with `.`, such as `.cache` in `data`"),
        ("odd[1]/*.rec", "searched `ROOT`", "has a folder called `odd[1]`; to match `[` itself, write `[[]`"),
        ("data/labels.csv/*", "searched `data/labels.csv`", "`data/labels.csv` is a file, not a folder"),
        ("data/*.{csv,txt}", "searched `data`", "`{a,b}` has no meaning here"),
    ];
    for (pattern, found, hint) in cases {
        let (kind, text) = message(&root, pattern);
        assert_eq!(kind, ErrorKind::NoMatch, "{pattern}");
        assert!(text.starts_with(pattern) && text.contains(found), "{pattern}: {text}");
        assert!(text.split_once("\nhint: ").unwrap().1.contains(hint), "{pattern}: {text}");
    }
}

#[test]
fn plain_paths_and_broken_patterns_have_their_own_errors() {
    let root = tree(&["data/train.rec", "data/more/x"]);
    let cases = [
        ("data/trian.rec", ErrorKind::NotFound, "the closest are `train.rec`"),
        ("data/train.rec/x", ErrorKind::NotFound, "`data/train.rec` is a file, not a folder"),
        ("data", ErrorKind::IsFolder, "did you mean `data/*`?"),
        ("data/", ErrorKind::IsFolder, "did you mean `data/*`?"),
        ("data/*/", ErrorKind::InvalidPattern, "data/*/*`?"),
        ("data/[a", ErrorKind::InvalidPattern, "`[[]`"),
        ("data/a**", ErrorKind::InvalidPattern, "must stand alone"),
    ];
    for (pattern, kind, hint) in cases {
        let (found, text) = message(&root, pattern);
        assert_eq!(found, kind, "{pattern}: {text}");
        assert!(text.split_once("\nhint: ").unwrap().1.contains(hint), "{pattern}: {text}");
    }
    assert_eq!(list_files(&[""]).unwrap_err().kind(), ErrorKind::InvalidPattern);
    assert_eq!(list_files(&["a\0b"]).unwrap_err().location(), Path::new("a\0b"));
    for address in ["s3://bucket/*.rec", "s3://bucket/a.rec", "gs://bucket/a.rec", "file:///no/such.rec"] {
        let error = list_files(&[address]).unwrap_err();
        assert_eq!((error.kind(), error.location()), (ErrorKind::Remote, Path::new(address)), "{error}");
    }
    // A folder may be called like one.
    let root = tree(&["s3:/bucket/a.rec"]);
    assert_eq!(names(&root, &["s3:/bucket/*.rec"]), ["s3:/bucket/a.rec"]);
}

#[test]
fn one_pattern_without_a_match_fails_the_whole_list() {
    let root = tree(&["a.rec"]);
    assert_eq!(list(&root, &["a.rec", "b*.rec"]).unwrap_err().kind(), ErrorKind::NoMatch);
}

#[test]
fn names_that_are_not_text_are_found_and_kept() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let root = tree(&[]);
    let path = root.path().join(OsStr::from_bytes(b"bad\xff.rec"));
    fs::write(&path, "x").unwrap();
    assert_eq!(list(&root, &["*.rec"]).unwrap()[0].location, path);
    for pattern in [&b"bad\xff.rec"[..], b"bad\xff*", b"*\xff.rec"] {
        let pattern = root.path().join(OsStr::from_bytes(pattern));
        assert_eq!(list_files(&[&pattern]).unwrap()[0].location, path);
    }
    let inside = root.path().join(OsStr::from_bytes(b"fol\xffder/more"));
    fs::create_dir_all(&inside).unwrap();
    fs::write(inside.join("x.rec"), "x").unwrap();
    for pattern in [&b"fol\xffder/*/x.rec"[..], b"fol*/more/*", b"*\xff*/**"] {
        let pattern = root.path().join(OsStr::from_bytes(pattern));
        assert_eq!(list_files(&[&pattern]).unwrap()[0].location, inside.join("x.rec"));
    }
}

const AS_NOBODY: &str = "FEEDLINE_TEST_AS_NOBODY";

/// The administrator may read everything, so under that account the test runs itself again as another user.
#[test]
fn a_folder_we_may_not_read_is_an_error() {
    use std::os::unix::fs::PermissionsExt;
    use std::os::unix::process::CommandExt;
    let root = tree(&["a/x.rec", "locked/y.rec"]);
    let locked = root.path().join("locked");
    fs::set_permissions(&locked, fs::Permissions::from_mode(0o000)).unwrap();
    if fs::read_dir(&locked).is_ok() {
        assert!(std::env::var_os(AS_NOBODY).is_none(), "still may read everything");
        let name = "a_folder_we_may_not_read_is_an_error";
        let mut again = Command::new(std::env::current_exe().unwrap());
        again.args(["--exact", name]).env(AS_NOBODY, "1").current_dir("/").uid(65_534).gid(65_534);
        // The test program itself may lie where nobody else can reach it; then there is nothing to check.
        if let Ok(output) = again.output() {
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
        }
        return;
    }
    for pattern in ["**/*.rec", "*/*.rec", "*/y.rec", "locked/*"] {
        let error = list(&root, &[pattern]).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::PermissionDenied, "{pattern}: {error}");
        assert!(error.location().starts_with(&locked), "{pattern}: {error}");
        assert!(!error.hint().is_empty());
    }
    assert_eq!(names(&root, &["a/*"]), ["a/x.rec"]);
    fs::set_permissions(&locked, fs::Permissions::from_mode(0o700)).unwrap();
}

/// All files below `folder`, as lists of names.
fn all_files(folder: &Path, above: &[String], found: &mut Vec<Vec<String>>) {
    for entry in fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let mut path = above.to_vec();
        path.push(entry.file_name().into_string().unwrap());
        if entry.path().is_dir() {
            all_files(&entry.path(), &path, found);
        } else {
            found.push(path);
        }
    }
}

/// The definition, as directly as it can be written: try every way to let `**` stand for names.
fn reference_match(pattern: &[&str], path: &[String]) -> bool {
    match (pattern, path) {
        ([], []) => true,
        (["**"], path) => !path.is_empty() && path.iter().all(|name| !name.starts_with('.')),
        (["**", rest @ ..], path) => {
            reference_match(rest, path)
                || matches!(path, [first, below @ ..] if !first.starts_with('.') && reference_match(pattern, below))
        }
        ([first, rest @ ..], [name, below @ ..]) => {
            let visible = !name.starts_with('.') || first.starts_with('.');
            visible && glob::Pattern::new(first).unwrap().matches(name) && reference_match(rest, below)
        }
        _ => false,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn listing_equals_the_naive_reference(
        files in prop::collection::vec("(\\.?[ab]{1,2}/){0,3}\\.?[abc]{1,2}(\\.x)?", 0..12),
        pattern in "((\\*\\*|\\*|\\.\\*|a\\*|\\?|[ab]{1,2}|\\[ab\\]\\?|\\.a)/){0,3}(\\*\\*|\\*|\\.\\*|\\*\\.x|[abc]{1,2}|[abc]\\*|\\?\\?|\\[!a\\]\\*)",
    ) {
        let root = tempfile::tempdir().unwrap();
        for file in &files {
            let path = root.path().join(file);
            // A name may be wanted as a file and as a folder: the first one has it.
            if fs::create_dir_all(path.parent().unwrap()).is_ok() && !path.is_dir() {
                fs::write(&path, file).unwrap();
            }
        }
        let mut all = Vec::new();
        all_files(root.path(), &[], &mut all);
        let components: Vec<&str> = pattern.split('/').collect();
        let expected: BTreeSet<String> =
            all.iter().filter(|path| reference_match(&components, path)).map(|path| path.join("/")).collect();
        match list(&root, &[&pattern]) {
            Ok(entries) => {
                let found: Vec<String> = entries
                    .iter()
                    .map(|entry| entry.location.strip_prefix(root.path()).unwrap().display().to_string())
                    .collect();
                prop_assert_eq!(found, expected.into_iter().collect::<Vec<_>>());
            }
            Err(error) => {
                prop_assert!(expected.is_empty(), "{} has {:?}: {}", pattern, expected, error);
                let kinds = [ErrorKind::NoMatch, ErrorKind::NotFound, ErrorKind::IsFolder];
                prop_assert!(kinds.contains(&error.kind()), "{}", error);
            }
        }
    }

    #[test]
    fn no_pattern_panics(pattern in "[a*?\\[\\]!./{}\\\\-]{0,12}|.{0,12}") {
        let _ = list_files(&[format!("no-such-folder/{pattern}")]);
        let root = tree(&["a", "a-a/.a/a"]);
        let _ = list(&root, &[&pattern]);
    }
}
