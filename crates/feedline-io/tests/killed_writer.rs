//! A writer killed at any moment leaves no half file under the final name, and what it leaves is cleaned up.
//!
//! The writer is this same program, run again with a variable set. It reports each step on its output and, where
//! told to, waits there to be killed: no sleeps.
#![allow(clippy::unwrap_used, reason = "test code")]

use feedline_io::{AtomicFile, remove_stale_temporaries};
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};

const FOLDER: &str = "FEEDLINE_TEST_KILLED_WRITER";
const CHUNK: usize = 1 << 20;
const NUM_CHUNKS: usize = 4;

/// Not a test of its own: the writer that the tests below start and kill.
#[test]
fn writer() {
    let Some(folder) = std::env::var_os(FOLDER) else { return };
    for round in 0.. {
        let mut file = AtomicFile::create(Path::new(&folder).join(format!("shard-{round}.rec"))).unwrap();
        report(&format!("created {round}"));
        for chunk in 0..NUM_CHUNKS {
            file.write_all(&vec![chunk as u8; CHUNK]).unwrap();
            report(&format!("wrote {round} {chunk}"));
        }
        file.commit().unwrap();
        report(&format!("committed {round}"));
    }
}

/// Tells the parent, and waits for its leave: one byte.
fn report(step: &str) {
    // Straight to the output: the test harness keeps back what is printed.
    let mut output = std::io::stdout();
    output.write_all(format!("step {step}\n").as_bytes()).unwrap();
    output.flush().unwrap();
    std::io::stdin().read_exact(&mut [0]).unwrap();
}

struct Writer {
    child: Child,
    output: BufReader<ChildStdout>,
}

impl Writer {
    fn start(folder: &Path) -> Self {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "writer", "--nocapture"])
            .env(FOLDER, folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        Self { child, output }
    }

    /// The next step the writer has reached; it waits there.
    fn step(&mut self) -> String {
        loop {
            let mut line = String::new();
            assert_ne!(self.output.read_line(&mut line).unwrap(), 0, "the writer ended by itself");
            // The harness prints "test writer ... " before the first of them.
            if let Some((_, step)) = line.split_once("step ") {
                return step.trim().to_owned();
            }
        }
    }

    fn go_on(&mut self) {
        self.child.stdin.as_mut().unwrap().write_all(&[0]).unwrap();
    }

    /// Ends it with SIGKILL: no destructor runs.
    fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

fn names_in(folder: &Path) -> (Vec<PathBuf>, Vec<PathBuf>) {
    let all = fs::read_dir(folder).unwrap().map(|entry| PathBuf::from(entry.unwrap().file_name()));
    all.partition(|name| name.to_str().unwrap().starts_with('.'))
}

fn assert_complete(path: &Path) {
    let bytes = fs::read(path).unwrap();
    assert_eq!(bytes.len(), NUM_CHUNKS * CHUNK, "{}", path.display());
    for (index, chunk) in bytes.chunks(CHUNK).enumerate() {
        assert!(chunk.iter().all(|byte| *byte == index as u8), "{}", path.display());
    }
}

#[test]
fn killed_at_each_step() {
    let steps = ["created 0", "wrote 0 0", "wrote 0 2", "wrote 0 3", "committed 0"];
    for wanted in steps {
        let folder = tempfile::tempdir().unwrap();
        let mut writer = Writer::start(folder.path());
        while writer.step() != wanted {
            writer.go_on();
        }
        let is_committed = wanted.starts_with("committed");
        let (temporaries, finals) = names_in(folder.path());
        assert_eq!((temporaries.len(), finals.len()), if is_committed { (0, 1) } else { (1, 0) }, "{wanted}");
        // Alive, it keeps its temporary.
        assert!(remove_stale_temporaries(folder.path(), "shard-").unwrap().is_empty(), "{wanted}");

        writer.kill();
        let (temporaries, finals) = names_in(folder.path());
        assert_eq!((temporaries.len(), finals.len()), if is_committed { (0, 1) } else { (1, 0) }, "{wanted}");
        // Dead, it does not.
        assert!(remove_stale_temporaries(folder.path(), "other-").unwrap().is_empty());
        let removed = remove_stale_temporaries(folder.path(), "shard-").unwrap();
        assert_eq!(removed.len(), temporaries.len(), "{wanted}");
        assert_eq!(names_in(folder.path()), (vec![], finals), "{wanted}");
    }
}

#[test]
fn killed_in_the_middle_of_a_step() {
    // The kill races with a write, a sync or a rename; wherever it lands, what has a final name is whole.
    for num_steps in 0..24 {
        let folder = tempfile::tempdir().unwrap();
        let mut writer = Writer::start(folder.path());
        for _ in 0..num_steps {
            writer.step();
            writer.go_on();
        }
        writer.kill();
        let (_, finals) = names_in(folder.path());
        for name in &finals {
            assert_complete(&folder.path().join(name));
        }
        remove_stale_temporaries(folder.path(), "").unwrap();
        assert_eq!(names_in(folder.path()), (vec![], finals), "after {num_steps} steps");
    }
}
