//! Shuffles that do not fit the budget and go to a folder in part: nothing but time tells.
#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

mod engine_support;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use engine_support::{modes, show};
use feedline::data::DType;
use feedline::records::RecordWriter;
use feedline::{Dataset, Options, State, Symbolic, ops};
use tempfile::TempDir;

/// Records of about a kilobyte, each different, read from files.
fn records(folder: &Path, count: usize) -> Dataset {
    let path = folder.join("records.tfrecord");
    let mut writer = RecordWriter::create(&path, None).unwrap();
    for number in 0..count {
        writer.write(format!("{number:0width$}", width = 900 + number % 200).as_bytes()).unwrap();
    }
    writer.finish().unwrap();
    Dataset::tf_record(&[path]).unwrap()
}

/// A kilobyte of numbers for each number: the spec says how large a buffer is.
fn wide(x: Symbolic) -> Symbolic {
    Symbolic::from((ops::one_hot(x.clone() % 128, 128, 1, 0, -1, DType::Int64), x))
}

/// Files in `folder` that this process has open, though they have no names.
fn num_open_files(folder: &Path) -> usize {
    let entries = fs::read_dir("/proc/self/fd").unwrap();
    let paths = entries.filter_map(|entry| fs::read_link(entry.unwrap().path()).ok());
    paths.filter(|path| path.starts_with(folder)).count()
}

/// Waits until there are none: what was being read when an iterator was dropped is read to its end. A file that stays open
/// is a test that does not end, and is ended.
fn wait_until_closed(folder: &Path) {
    while num_open_files(folder) > 0 {
        std::thread::yield_now();
    }
    assert_eq!(fs::read_dir(folder).unwrap().count(), 0);
}

fn all(dataset: &Dataset) -> Vec<String> {
    dataset.iterator_of(0).unwrap().map(|item| show(&item)).collect()
}

#[test]
fn a_buffer_of_ten_budgets_gives_what_a_large_budget_gives_in_every_mode() {
    let (data, spill) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let records = records(data.path(), 120);
    let failing = |x: Symbolic| ops::floormod(x.clone(), x.clone() % 40) + x;
    let datasets = [
        records.shuffle(100).seed(3),
        records.shuffle(70).seed(3).repeat(2),
        records.map(|record| Symbolic::from((record, 7_i64))).shuffle(1000).seed(4).batch(3),
        Dataset::range(120).map(failing).map(wide).shuffle(100).seed(5).repeat(2),
        Dataset::range(120).map(wide).shuffle(90).seed(6).skip(40),
    ];
    for dataset in datasets {
        let expected = all(&dataset.with_options(Options::new().threads(0)));
        for (how, options) in modes() {
            // A buffer takes some 100 KB.
            let options = options.memory_budget(10_000).spill_dir(spill.path());
            let dataset = dataset.with_options(options);
            assert_eq!(all(&dataset), expected, "{how}");
            // A state of the middle is restored with the same budget, and saved the same.
            let mut elements = dataset.iterator_of(0).unwrap();
            elements.by_ref().take(expected.len() / 3).for_each(drop);
            let state = State::from_bytes(&elements.state().to_bytes()).unwrap();
            let resumed: Vec<String> = dataset.resume(&state).unwrap().map(|item| show(&item)).collect();
            assert_eq!(resumed, expected[expected.len() / 3..], "resumed, {how}");
        }
    }
    wait_until_closed(spill.path());
}

#[test]
fn states_do_not_tell_where_rows_were() {
    let (data, spill) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let dataset = records(data.path(), 100).shuffle(60).seed(1);
    // Blocks as small as they get: how much is read at a time follows the budget otherwise, and shows in states.
    let states = |options: Options| {
        engine_support::states(&dataset.with_options(options.threads(0).block_size(1)), 90)
    };
    let spilling = Options::new().memory_budget(10_000).spill_dir(spill.path());
    assert_eq!(states(spilling), states(Options::new()));
}

#[test]
fn the_budget_is_kept_and_files_go_with_the_iterator() {
    let (data, spill) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let budget = 2 << 20;
    let dataset = records(data.path(), 20_000).shuffle(20_000).seed(1).batch(10);
    let options = Options::new().threads(2).memory_budget(budget).spill_dir(spill.path());
    let mut batches = dataset.with_options(options).iterator().unwrap();
    assert_eq!(num_open_files(spill.path()), 0);
    batches.next().unwrap().unwrap();
    assert!(num_open_files(spill.path()) > 0);
    // A buffer of all elements, some 20 MB, was filled for the first.
    let snapshot = batches.metrics();
    assert!(snapshot.spilled_bytes() > 10 << 20, "{snapshot}");
    assert!(snapshot.to_string().contains(" MiB spilled\n"), "{snapshot}");
    // They have no names, so that a kill leaves none behind.
    assert_eq!(fs::read_dir(spill.path()).unwrap().count(), 0);
    assert_eq!(batches.by_ref().map(Result::unwrap).count(), 1999);
    let peak = batches.budget().peak_bytes();
    // And a block for each step that moves on without asking.
    assert!(peak <= budget + (512 << 10), "{peak} of {budget}");
    drop(batches);
    wait_until_closed(spill.path());
}

#[test]
fn what_fits_stays_in_memory_and_what_cannot_spill_is_an_error() {
    let spill = TempDir::new().unwrap();
    let with = |dataset: &Dataset, budget: u64| {
        dataset.with_options(Options::new().threads(0).memory_budget(budget).spill_dir(spill.path()))
    };
    let dataset = Dataset::range(100).map(wide).shuffle(50).seed(1);
    let mut elements = with(&dataset, 1 << 20).iterator().unwrap();
    elements.next().unwrap().unwrap();
    assert_eq!((num_open_files(spill.path()), elements.metrics().spilled_bytes()), (0, 0));
    // Single numbers take no more memory than the places of rows in files.
    let numbers = Dataset::range(1 << 20).shuffle(1 << 20).seed(1);
    let message = with(&numbers, 1 << 20).iterator().unwrap_err().to_string();
    assert!(message.contains("needs 20971520 bytes, the memory budget has 1048576"), "{message}");
    let wide = Dataset::range(1 << 20).map(wide).shuffle(1 << 20).seed(1);
    let message =
        wide.with_options(Options::new().memory_budget(1 << 20)).iterator().unwrap_err().to_string();
    assert!(
        message.contains("let it spill to a folder (`Options::spill_dir`, FEEDLINE_SPILL_DIR)"),
        "{message}"
    );
}

#[test]
fn a_folder_that_is_not_there_is_an_error_before_anything_runs() {
    let options = Options::new().spill_dir("/nowhere/to spill");
    let message = Dataset::range(10).with_options(options).iterator().unwrap_err().to_string();
    assert!(message.contains("the spill folder /nowhere/to spill: "), "{message}");
    assert!(message.contains("hint: make the folder"), "{message}");
}

#[test]
fn a_folder_that_cannot_be_written_to_is_an_error_before_anything_runs() {
    let folder = TempDir::new().unwrap();
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o555)).unwrap();
    if tempfile::tempfile_in(folder.path()).is_ok() {
        return; // The administrator may write everywhere.
    }
    let options = Options::new().spill_dir(folder.path());
    let message = Dataset::range(10).with_options(options).iterator().unwrap_err().to_string();
    assert!(message.contains(&format!("the spill folder {}: ", folder.path().display())), "{message}");
    assert!(message.contains("hint: spill to a folder that can be written to"), "{message}");
}

/// Runs this program again with `shell` around it, and of its tests `child` alone; what it printed. The variables say the rest.
fn run_child(child: &str, shell: &str, variables: &[(&str, &Path)]) -> String {
    let mut command = Command::new("sh");
    command.arg("-c").arg(format!("{shell} exec \"$0\" \"$@\"")).arg(std::env::current_exe().unwrap());
    command.args(["--exact", child, "--ignored", "--nocapture", "--test-threads=1"]);
    let output = command.envs(variables.iter().copied()).output().unwrap();
    let printed = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{printed}");
    assert!(printed.contains("1 passed"), "{printed}");
    printed.into_owned()
}

/// The shuffle of a child process: some 2 MB of a buffer. What the environment says is all it is told.
fn shuffled_by_child() -> Dataset {
    Dataset::range(2000).map(wide).shuffle(2000).seed(1)
}

#[test]
#[ignore = "run by the_environment_says_where_and_how_much"]
fn child_that_spills() {
    let mut elements = shuffled_by_child().iterator_of(0).unwrap();
    let found: Vec<String> = elements.by_ref().map(|item| show(&item)).collect();
    let snapshot = elements.metrics();
    assert_eq!(snapshot.budget_limit_bytes, 256 << 10);
    assert!(snapshot.spilled_bytes() > 1 << 20, "{snapshot}");
    assert_eq!(found, all(&shuffled_by_child().with_options(Options::new().memory_budget(1 << 30))));
}

#[test]
fn the_environment_says_where_and_how_much() {
    let spill = TempDir::new().unwrap();
    let budget = ("FEEDLINE_MEMORY_BUDGET", Path::new("256K"));
    run_child("child_that_spills", "", &[("FEEDLINE_SPILL_DIR", spill.path()), budget]);
    assert_eq!(fs::read_dir(spill.path()).unwrap().count(), 0);
}

#[test]
#[ignore = "run by a_disk_that_takes_no_more_is_an_error_in_its_place"]
fn child_whose_files_stay_small() {
    for threads in [0, 2] {
        let options = Options::new().threads(threads).memory_budget(256 << 10);
        let mut elements = shuffled_by_child().with_options(options).iterator_of(0).unwrap();
        let message = elements.next().unwrap().unwrap_err().to_string();
        println!("{threads} threads: {message}");
        assert!(elements.next().is_none());
    }
}

#[test]
fn a_disk_that_takes_no_more_is_an_error_in_its_place() {
    let spill = TempDir::new().unwrap();
    // Files of 16 KiB at most (a limit is counted in half of them); the signal that tells is not heard, so the write fails.
    let shell = "trap '' XFSZ; ulimit -f 32;";
    let printed = run_child("child_whose_files_stay_small", shell, &[("FEEDLINE_SPILL_DIR", spill.path())]);
    for threads in [0, 2] {
        let start = format!(
            "{threads} threads: elements cannot be written to the spill folder {}: File too large",
            spill.path().display()
        );
        assert!(printed.contains(&start), "{printed}");
    }
    assert!(printed.contains("hint: `ulimit -f` shows how large files may be"), "{printed}");
}

#[test]
#[ignore = "run by a_folder_of_the_environment_that_is_not_there_is_an_error"]
fn child_without_a_folder() {
    println!("{}", Dataset::range(10).iterator().unwrap_err());
}

#[test]
fn a_folder_of_the_environment_that_is_not_there_is_an_error() {
    let folder = ("FEEDLINE_SPILL_DIR", Path::new("/nowhere/to spill"));
    let printed = run_child("child_without_a_folder", "", &[folder]);
    assert!(printed.contains("a file cannot be made in the spill folder /nowhere/to spill: "), "{printed}");
    assert!(printed.contains("hint: make the folder, or spill to another"), "{printed}");
}
