//! What others wrote, in names and in contents, does not reach a terminal as something it would obey.

mod cli_support;

use cli_support::{Folder, Run};
use feedline::formats::example::ExampleWriter;

/// A sequence that turns text red, one that retitles the window, one in a single character, and text from right to left.
const ODD: &str = "red\u{1b}[31m\u{1b}]0;title\u{7}\u{9b}2J\u{202e}";

fn assert_tame(run: &Run, what: &str) {
    for (stream, text) in [("stdout", &run.stdout), ("stderr", &run.stderr)] {
        let odd = text.chars().find(|&c| c != '\n' && (c.is_control() || c == '\u{202e}'));
        assert_eq!(odd, None, "{what}: {stream}: {text:?}");
    }
}

#[test]
fn names_and_contents_are_spelled_out() {
    let folder = Folder::new();
    let name = format!("{ODD}\nOK: 1 file.tfrecord");
    let example = ExampleWriter::new().bytes(ODD, &[ODD.as_bytes()]).int64("label", &[1]).to_bytes();
    folder.records(&name, [&example[..], &example], None);
    folder.records(&format!("damaged{ODD}"), [&example[..], &example], None);
    folder.damage(&format!("damaged{ODD}"), 20);
    folder.write(&format!("{ODD}.csv"), format!("a,{ODD}\n1,2\n").as_bytes());
    folder.write(&format!("bad{ODD}.csv"), format!("a,b\n1,2\n{ODD},3\n{ODD}\n").as_bytes());
    folder.write(&format!("photos/{ODD}/{ODD}.png"), b"no image");
    let csv = format!("{ODD}.csv");
    let bad = format!("bad{ODD}.csv");
    let damaged = format!("damaged{ODD}");
    let out = format!("out{ODD}/all");
    for (arguments, code) in [
        (&["inspect", &name][..], 0),
        (&["inspect", &name, "--record", "0"], 0),
        (&["inspect", &name, "--record", "7"], 1),
        (&["inspect", &name, "--spec"], 0),
        (&["inspect", &name, &damaged], 1),
        (&["inspect", "*"], 1),
        (&["verify", &name], 0),
        (&["verify", "*"], 1),
        (&["index", &name], 0),
        (&["index", &damaged], 1),
        (&["index", &csv], 1),
        (&["verify", &format!("missing{ODD}")], 1),
        (&["verify", &format!("missing{ODD}*")], 1),
        (&["verify", &format!("a**{ODD}")], 2),
        (&["convert", &csv, "out/a"], 0),
        (&["convert", &csv, &out], 2),
        (&["convert", &csv, "out/b", "--columns", ODD], 0),
        (&["convert", &csv, "out/c", "--columns", &format!("x{ODD}")], 1),
        (&["convert", &bad, "out/d"], 1),
        (&["convert", &bad, "out/e", "--on-error", "skip"], 0),
        (&["convert", &name, "out/f"], 0),
        (&["convert", &format!("photos/{ODD}/{ODD}.png"), "out/g"], 1),
        (&["convert", "photos", "out/h"], 1),
        (&["convert", &csv, &format!("{ODD}.csv")], 2),
    ] {
        for json in [&[][..], &["--json"]] {
            let run = folder.run(&[arguments, json].concat());
            let what = format!("{arguments:?} {json:?}");
            // The second time, `convert` finds its work done.
            assert_eq!(run.code, code, "{what}: {}{}", run.stdout, run.stderr);
            assert_tame(&run, &what);
            if !json.is_empty() && arguments[0] != "convert" {
                run.json();
            }
        }
    }
    // A name cannot forge a line of the report.
    let run = folder.run(&["verify", &name, &damaged]);
    assert!(!run.stdout.lines().any(|line| line.starts_with("OK: ")), "{}", run.stdout);
    let run = folder.run(&["inspect", &name]);
    assert!(run.stdout.starts_with(
        "red\\u001b[31m\\u001b]0;title\\u0007\\u009b2J\\u202e\\nOK: 1 file.tfrecord: 2 records"
    ));
    // In JSON the name is what it is.
    let json = folder.run(&["verify", &name, "--json"]).json();
    assert_eq!(json["files"][0]["file"].as_str(), Some(name.as_str()));
}
