//! A command that was mistyped: told with the usage, and with exit code 2, whether the parser of arguments found it or the
//! code that was to act on them.

use std::process::ExitCode;

use clap::{Command, CommandFactory, FromArgMatches};
use feedline::Error;
use feedline::io::ErrorKind;
use serde_json::json;

use crate::Arguments;
use crate::ui::Ui;

/// The exit code of a mistyped command, the one clap ends with.
const MISTYPED: u8 = 2;

/// The arguments, and the name of the command given; or the exit code, where there is nothing to run.
pub(crate) fn parse() -> Result<(Arguments, String), ExitCode> {
    let parsed = Arguments::command().try_get_matches().and_then(|matches| {
        let name = matches.subcommand_name().unwrap_or_default().to_owned();
        Ok((Arguments::from_arg_matches(&matches)?, name))
    });
    parsed.map_err(|error| {
        if let Err(failure) = error.print()
            && !error.use_stderr()
        {
            Ui::new(false, false, 1).not_printed(&failure);
        }
        // Who asked for JSON reads standard output, also when it was asked for in a line that cannot be read.
        if error.use_stderr() && std::env::args_os().any(|argument| argument == "--json") {
            let text = error.to_string();
            let text = text.trim_start_matches("error: ").trim_end();
            // What follows is how to use the command, for people.
            let message = text.split_once("\n\nUsage:").map_or(text, |(message, _)| message);
            let message = message.split_once("\n\nFor more information").map_or(message, |(text, _)| text);
            let object = json!({ "message": message, "hint": "see `feedline help`", "file": null });
            Ui::new(false, true, 1).result(json!({ "error": object }));
        }
        if error.use_stderr() { ExitCode::from(MISTYPED) } else { ExitCode::SUCCESS }
    })
}

/// Tells of an error; the exit code says whether `command` was mistyped or something else is wrong.
pub(crate) fn end(error: &Error, command: &str, ui: &Ui) -> ExitCode {
    ui.fail(error);
    if !is_mistyped(error) {
        return ExitCode::FAILURE;
    }
    ui.problem(format_args!("\n{}\n\nFor more information, try '--help'.", usage(command)));
    ExitCode::from(MISTYPED)
}

/// Whether the error is one of what was typed, whatever the files hold.
fn is_mistyped(error: &Error) -> bool {
    match error {
        Error::Usage { .. } => true,
        Error::Io(error) => matches!(error.kind(), ErrorKind::InvalidPattern | ErrorKind::Remote),
        _ => false,
    }
}

fn usage(command: &str) -> String {
    let mut all: Command = Arguments::command();
    all.build();
    let usage = all.find_subcommand_mut(command).map(Command::render_usage);
    usage.unwrap_or_else(|| Arguments::command().render_usage()).to_string()
}
