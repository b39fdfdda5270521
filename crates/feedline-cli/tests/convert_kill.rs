//! `convert`, killed in the middle: no half file is ever seen, and a run that goes on ends like one that was not killed.
//!
//! The real program is ended with SIGKILL at moments told by what it has written, not by a clock.
#![allow(clippy::unwrap_used, clippy::format_push_string, clippy::format_collect, reason = "test code")]

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};

const NUM_SHARDS: usize = 12;
const JOURNAL: &str = ".train.feedline-convert";

fn start(input: &Path, folder: &Path, options: &[&str]) -> Child {
    let shards = NUM_SHARDS.to_string();
    Command::new(env!("CARGO_BIN_EXE_feedline"))
        .args(["convert", "--quiet", "--threads", "2", "--shards", &shards])
        .args(options)
        .arg(input)
        .arg(folder.join("train"))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// What is in a folder: the contents of each file.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let Ok(entries) = fs::read_dir(folder) else { return BTreeMap::new() };
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    // A temporary file may be gone by the time it is read.
    names.filter_map(|name| Some((name.clone(), fs::read(folder.join(&name)).ok()?))).collect()
}

/// The names of the finished shards.
fn shards(folder: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.filter(|name| name.starts_with("train-0")).collect()
}

/// Runs until `is_time`, then kills; whether the kill came before the end.
fn kill_when(mut child: Child, is_time: impl Fn() -> bool) -> bool {
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            assert!(status.success(), "{status}");
            return false;
        }
        if is_time() {
            child.kill().unwrap();
            let status = child.wait().unwrap();
            return status.signal().is_some();
        }
        std::thread::yield_now();
    }
}

fn identities(folder: &Path) -> BTreeMap<String, (u64, i64, i64)> {
    let of = |name: &String| {
        let metadata = fs::metadata(folder.join(name)).unwrap();
        (metadata.ino(), metadata.mtime(), metadata.mtime_nsec())
    };
    shards(folder).into_iter().map(|name| (name.clone(), of(&name))).collect()
}

/// Kills a conversion again and again, each time further on, and compares with one that ran through.
fn check(input: &Path, options: &[&str], has_report: bool) {
    let place = tempfile::tempdir().unwrap();
    let (reference, folder) = (place.path().join("reference"), place.path().join("killed"));
    assert!(start(input, &reference, options).wait().unwrap().success());
    let reference = files(&reference);
    assert_eq!(reference.keys().filter(|name| name.starts_with("train-0")).count(), NUM_SHARDS);
    assert_eq!(reference.contains_key("train.skipped.jsonl"), has_report);

    let mut num_kills = 0;
    let mut seen = BTreeMap::new();
    let has_temporary = || files(&folder).keys().any(|name| name.starts_with(".train-0"));
    let moments: [(&str, &dyn Fn() -> bool); 6] = [
        ("as soon as there is a journal", &|| folder.join(JOURNAL).exists()),
        ("while the first file is written", &has_temporary),
        ("after one", &|| !shards(&folder).is_empty()),
        ("after three", &|| shards(&folder).len() >= 3),
        ("after four, while another is written", &|| shards(&folder).len() >= 4 && has_temporary()),
        ("after eight", &|| shards(&folder).len() >= 8),
    ];
    for (moment, is_time) in moments {
        let was_killed = kill_when(start(input, &folder, options), is_time);
        num_kills += u32::from(was_killed);
        for name in shards(&folder) {
            assert_eq!(fs::read(folder.join(&name)).unwrap(), reference[&name], "{name}, killed {moment}");
        }
        let now = identities(&folder);
        for (name, identity) in &seen {
            assert_eq!(now.get(name), Some(identity), "{name} was made again, killed {moment}");
        }
        // One that came to its end is replaced, if that is what the command says, and not gone on with.
        let is_replaced = !was_killed && options.contains(&"--overwrite");
        seen = if is_replaced { BTreeMap::new() } else { now };
    }
    assert!(num_kills >= 4, "the conversion is too fast to be killed {num_kills} times: give it more rows");

    assert!(start(input, &folder, options).wait().unwrap().success());
    let mut result = files(&folder);
    for (name, identity) in identities(&folder).iter().filter(|(name, _)| seen.contains_key(*name)) {
        assert_eq!(seen[name], *identity, "{name} was made again at the end");
    }
    // The journal may list files in another order; everything else is equal to the byte, and nothing is left over.
    result.insert(JOURNAL.into(), reference[JOURNAL].clone());
    assert_eq!(result.keys().collect::<Vec<_>>(), reference.keys().collect::<Vec<_>>());
    assert!(result == reference, "the files differ");
}

/// Rows enough that a run takes a while even where it is fast, with a bad one here and there.
fn rows(num_rows: u32, bad_every: Option<u32>) -> String {
    let mut text = "id,name,score\n".to_owned();
    for row in 0..num_rows {
        match bad_every {
            Some(every) if row % every == every - 1 => text += "bad row\n",
            _ => text += &format!("{row},\"name, {}\",{}.5\n", row % 97, row % 13),
        }
    }
    text
}

#[test]
fn plain() {
    let place = tempfile::tempdir().unwrap();
    let input = place.path().join("in.csv");
    fs::write(&input, rows(60_000, None)).unwrap();
    check(&input, &[], false);
}

#[test]
fn compressed_shuffled_and_with_skipped_rows() {
    let place = tempfile::tempdir().unwrap();
    let input = place.path().join("in.csv");
    fs::write(&input, rows(40_000, Some(5000))).unwrap();
    check(&input, &["--compression", "gzip", "--shuffle", "--seed", "5", "--on-error", "skip"], true);
}

#[test]
fn with_overwrite_given_again_it_goes_on() {
    let place = tempfile::tempdir().unwrap();
    let input = place.path().join("in.csv");
    fs::write(&input, rows(60_000, None)).unwrap();
    check(&input, &["--overwrite"], false);
}
