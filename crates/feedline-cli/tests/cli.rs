//! What all commands share: help that teaches, errors with place and remedy, exit codes.

mod cli_support;

use cli_support::Folder;

const COMMANDS: [&str; 3] = ["inspect", "verify", "index"];

#[test]
fn help_has_examples() {
    let folder = Folder::new();
    for command in COMMANDS {
        let help = folder.run(&[command, "--help"]);
        assert_eq!(help.code, 0);
        let (_, examples) = help.stdout.split_once("\nExamples:\n").unwrap();
        let prefix = format!("  feedline {command} ");
        let count = examples.lines().filter(|line| line.starts_with(&prefix)).count();
        assert!((3..=6).contains(&count), "{command}: {count} examples");
        assert!(help.stdout.lines().all(|line| line.chars().count() <= 100), "{command}: lines too long");
        assert!(folder.run(&[command]).code == 2, "{command} without files");
    }
}

/// Who may start no threads has one all the same. (The limit does not hold for root, for whom this says little.)
#[test]
fn one_thread_is_enough() {
    let folder = Folder::new();
    for number in 0..8 {
        folder.examples(&format!("{number}.tfrecord"), 3, None);
    }
    for command in ["verify '*.tfrecord'", "index '*.tfrecord'", "convert '*.tfrecord' out/all"] {
        // The option is -u in most shells and -p in others.
        let limit = "{ ulimit -u 1 || ulimit -p 1; } 2>/dev/null";
        let run = folder.shell(&format!("{limit}; exec $FEEDLINE --threads 8 {command}"));
        assert_eq!(run.code, 0, "{command}: {}", run.stderr);
    }
}

#[test]
fn files_that_are_not_there() {
    let folder = Folder::new();
    folder.examples("train-0.tfrecord", 3, None);
    std::fs::create_dir(folder.path("folder")).unwrap();
    for command in COMMANDS {
        for (pattern, parts) in [
            ("trian-0.tfrecord", ["error: trian-0.tfrecord: could not ", "train-0.tfrecord"]),
            ("trian-*", ["error: trian-*: could not ", "hint: "]),
            ("folder", ["error: folder: could not ", "hint: did you mean `folder/*`"]),
        ] {
            let run = folder.run(&[command, pattern]);
            assert_eq!((run.code, run.stdout.as_str()), (1, ""), "{command} {pattern}");
            assert!(
                parts.iter().all(|part| run.stderr.contains(part)),
                "{command} {pattern}: {}",
                run.stderr
            );
        }
    }
}

#[test]
fn a_result_that_cannot_be_written_is_a_failure() {
    if !std::path::Path::new("/dev/full").exists() {
        return; // not on every system
    }
    let folder = Folder::new();
    folder.examples("a", 3, None);
    for command in COMMANDS {
        for json in ["", "--json"] {
            let run = folder.shell(&format!("$FEEDLINE {command} {json} a > /dev/full"));
            assert_eq!(run.code, 1, "{command} {json}");
            let (error, hint) = run.stderr.split_once('\n').unwrap();
            assert!(
                error.starts_with("error: could not write the result to standard output: No space"),
                "{error}"
            );
            assert!(hint.starts_with("hint: ") && hint.lines().count() == 1, "{hint}");
        }
    }
}

#[test]
fn with_json_there_is_one_object_also_when_it_fails() {
    let folder = Folder::new();
    folder.write("bad.csv", b"a,b\n1\n");
    folder.records("data", ["\u{ff}x"], None);
    folder.damage("data", 13);
    for (arguments, file, message, hint) in [
        (&["verify", "missing"][..], Some("missing"), "missing: could not ", None),
        (
            &["inspect", "data", "--record", "0"],
            Some("data"),
            "data: record 0 (byte 0): data checksum",
            Some("verify"),
        ),
        (
            &["convert", "bad.csv", "out"],
            Some("bad.csv"),
            "bad.csv: line 2: the row has 1 field",
            Some("quote fields"),
        ),
        (&["convert", "bad.csv", "out2", "--columns", "c"], None, "`--columns` names `c`", Some("a, b")),
    ] {
        let run = folder.run(&[arguments, &["--json"]].concat());
        assert_eq!(run.code, 1, "{arguments:?}");
        let error = &run.json()["error"];
        assert_eq!(error["file"].as_str(), file, "{error}");
        assert!(error["message"].as_str().unwrap().starts_with(message), "{error}");
        assert!(hint.is_none_or(|hint| error["hint"].as_str().unwrap().contains(hint)), "{error}");
        // For who looks at the terminal.
        assert!(run.stderr.starts_with(&format!("error: {message}")), "{}", run.stderr);
    }
    assert_eq!(
        folder.run(&["convert", "bad.csv", "out", "--json"]).json()["error"]["line"].as_u64(),
        Some(2)
    );
    assert_eq!(
        folder.run(&["inspect", "data", "--record", "0", "--json"]).json()["error"]["byte"].as_u64(),
        Some(0)
    );
}

#[test]
fn what_was_mistyped_is_told_with_the_usage() {
    let folder = Folder::new();
    folder.examples("a", 3, None);
    folder.examples("b", 3, None);
    for (arguments, message) in [
        (&["inspect", "a", "b", "--record", "0"][..], "--record 0: 2 files were given, expected one"),
        (&["inspect", "a["], "a[: could not read the pattern: "),
        (&["verify", "a**b"], "a**b: could not read the pattern: "),
        (&["index", ""], "could not "),
        (&["convert", "a", "out", "--from", "tfrecord", "--types", "x=int64"], "`--types` names `x`"),
        (&["verify", "a", "--limit", "-1"], "unexpected argument '-1' found"),
        (&["inspect", "a", "--sample", "0"], "invalid value '0' for '--sample <N>'"),
        (&["inspect"], "the following required arguments were not provided:\n  <FILES>..."),
        (&["inspcet", "a"], "unrecognized subcommand 'inspcet'"),
    ] {
        let run = folder.run(arguments);
        assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{arguments:?}: {}", run.stderr);
        assert!(run.stderr.starts_with(&format!("error: {message}")), "{arguments:?}: {}", run.stderr);
        assert!(run.stderr.ends_with("\nFor more information, try '--help'.\n"), "{}", run.stderr);
        let run = folder.run(&[arguments, &["--json"]].concat());
        let error = &run.json()["error"];
        assert!(error["message"].as_str().unwrap().starts_with(message), "{arguments:?}: {error}");
        assert!(!error["message"].as_str().unwrap().contains("Usage"), "{error}");
        assert!(error["hint"].is_string(), "{error}");
        assert_eq!(run.code, 2, "{arguments:?}");
    }
    for help in [&["--help"][..], &["help", "verify"], &["verify", "--help", "--json"], &["--version"]] {
        assert_eq!((folder.run(help).code, folder.run(help).stderr.as_str()), (0, ""), "{help:?}");
    }
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let folder = Folder::new();
    folder.examples("a", 3, None);
    for command in COMMANDS {
        let run = folder.shell(&format!("$FEEDLINE {command} a | true; echo done"));
        assert_eq!((run.stdout.as_str(), run.stderr.as_str()), ("done\n", ""), "{command}");
    }
}

#[test]
fn progress_is_hidden_from_scripts() {
    let folder = Folder::new();
    folder.examples("a", 3, None);
    for command in COMMANDS {
        assert_eq!(folder.run(&[command, "a"]).stderr, "", "{command}");
    }
}

#[test]
fn one_thread_gives_what_many_give() {
    let folder = Folder::new();
    for number in 0..8 {
        folder.examples(&format!("data-{number}"), 50 + number, None);
    }
    folder.damage("data-3", 1000);
    for arguments in
        [&["verify", "-q", "data-?"][..], &["inspect", "--json", "data-?"], &["index", "--json", "data-?"]]
    {
        let with_threads = |threads: &str| folder.run(&[arguments, &["--threads", threads]].concat());
        let (one, many) = (with_threads("1"), with_threads("7"));
        let normal = |text: &str| text.replace("\"state\":\"indexed\"", "\"state\":\"up to date\"");
        assert_eq!((one.code, normal(&one.stdout)), (many.code, normal(&many.stdout)), "{arguments:?}");
    }
}
