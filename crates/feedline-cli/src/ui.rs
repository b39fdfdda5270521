//! What a person (or a script) sees: results on standard output, progress and problems on standard error. Nothing that a
//! terminal would obey gets through, wherever it comes from: names and contents of files are others' words.

use std::fmt::Display;
use std::io::{IsTerminal, Write};

use feedline::Error;
use feedline::io::without_controls;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde_json::{Value, json};

/// How to talk to the caller.
pub(crate) struct Ui {
    quiet: bool,
    /// Whether results are printed as JSON.
    pub(crate) json: bool,
    /// Threads to work with.
    pub(crate) num_threads: usize,
}

#[expect(
    clippy::unused_self,
    reason = "where a line goes is the Ui's business, also where it needs no field for it"
)]
impl Ui {
    pub(crate) fn new(quiet: bool, json: bool, num_threads: usize) -> Ui {
        Ui { quiet, json, num_threads }
    }

    /// A line of the result, always printed.
    pub(crate) fn result(&self, line: impl Display) {
        if let Err(error) = writeln!(std::io::stdout().lock(), "{}", without_controls(&line.to_string())) {
            self.not_printed(&error);
        }
    }

    /// Ends the command over a line that could not be printed, unless nobody wants it any more: a reader that has gone
    /// (`| head`) is no reason to fail; a result that is nowhere is.
    pub(crate) fn not_printed(&self, error: &std::io::Error) {
        if error.kind() == std::io::ErrorKind::BrokenPipe {
            return;
        }
        self.problem(format_args!(
            "error: could not write the result to standard output: {error}\nhint: see where it leads to: is there room, may \
             you write there?"
        ));
        std::process::exit(1);
    }

    /// A line of explanation, for people only.
    pub(crate) fn note(&self, line: impl Display) {
        if !self.quiet && !self.json {
            self.result(line);
        }
    }

    /// Something that is wrong.
    pub(crate) fn problem(&self, line: impl Display) {
        _ = writeln!(std::io::stderr().lock(), "{}", without_controls(&line.to_string()));
    }

    /// Something that failed.
    pub(crate) fn error(&self, error: &Error) {
        self.problem(format_args!("error: {error}"));
    }

    /// The error that ends the command. A script that reads standard output finds it there, too: in JSON mode one object
    /// comes, whatever happens.
    pub(crate) fn fail(&self, error: &Error) {
        self.error(error);
        if self.json {
            self.result(json!({ "error": error_json(error) }));
        }
    }

    /// A bar that counts bytes, with rate and time left; hidden from scripts and when quiet.
    pub(crate) fn bytes_bar(&self, num_bytes: u64) -> ProgressBar {
        self.bar(num_bytes, "{bar:32} {bytes}/{total_bytes}  {bytes_per_sec}  {eta} left  {msg}")
    }

    /// A bar that counts `what` (rows, images), with rate and time left; hidden from scripts and when quiet.
    pub(crate) fn count_bar(&self, count: u64, what: &str) -> ProgressBar {
        self.bar(
            count,
            &format!("{{bar:32}} {{human_pos}}/{{human_len}} {what}  {{per_sec}}  {{eta}} left  {{msg}}"),
        )
    }

    fn bar(&self, length: u64, template: &str) -> ProgressBar {
        let target = if self.quiet || self.json || !std::io::stderr().is_terminal() {
            ProgressDrawTarget::hidden()
        } else {
            ProgressDrawTarget::stderr_with_hz(10)
        };
        let bar = ProgressBar::with_draw_target(Some(length), target);
        bar.set_style(ProgressStyle::with_template(template).expect("templates are constants"));
        bar
    }
}

/// An error for scripts: what happened, where, and what to do.
fn error_json(error: &Error) -> Value {
    let text = error.to_string();
    let (message, hint) = match text.split_once("\nhint: ") {
        Some((message, hint)) => (message, Some(hint)),
        None => (text.as_str(), None),
    };
    let (mut file, mut line, mut record, mut byte) = (None, None, None, None);
    match error {
        Error::Io(error) => file = Some(error.location().to_string_lossy().into_owned()),
        Error::Data { path, error } => {
            file = Some(path.to_string_lossy().into_owned());
            (record, byte) = (error.record(), error.byte_offset());
        }
        Error::Row(row) => {
            file = Some(row.file.clone());
            (line, record, byte) = (row.line, row.record, row.byte);
        }
        _ => {}
    }
    json!({ "message": message, "hint": hint, "file": file, "line": line, "record": record, "byte": byte })
}

/// A number with its thousands apart: 1,234,567.
pub(crate) fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() * 4 / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A size for people: 512 B, 1.5 KiB, 2.0 GiB.
pub(crate) fn size(bytes: u64) -> String {
    const UNITS: [&str; 5] = ["KiB", "MiB", "GiB", "TiB", "PiB"];
    if bytes < 1024 {
        return format!("{bytes} B");
    }
    let mut value = bytes as f64 / 1024.0;
    let mut unit = 0;
    while value >= 1024.0 && unit + 1 < UNITS.len() {
        value /= 1024.0;
        unit += 1;
    }
    format!("{value:.1} {}", UNITS[unit])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_for_people() {
        for (number, text) in [(0, "0"), (999, "999"), (1000, "1,000"), (1_234_567, "1,234,567")] {
            assert_eq!(thousands(number), text);
        }
        for (bytes, text) in [(0, "0 B"), (1023, "1023 B"), (1536, "1.5 KiB"), (2 << 30, "2.0 GiB")] {
            assert_eq!(size(bytes), text);
        }
    }
}
