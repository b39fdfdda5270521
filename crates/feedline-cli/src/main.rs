//! The `feedline` command: what people with training data on disk need every day.

mod commands;
mod ui;

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use commands::{convert, demo, index, inspect, verify};
use ui::Ui;

/// Look at, check, index and convert training data
///
/// Results go to standard output, progress and problems to standard error. The exit code is 0 if all is well, 1 if
/// something is wrong with the data or the machine, 2 if the command was mistyped.
#[derive(Parser)]
#[command(name = "feedline", version, arg_required_else_help = true, after_help = EXAMPLES)]
struct Arguments {
    #[command(subcommand)]
    command: Command,

    /// Print nothing but results and errors
    #[arg(long, short, global = true)]
    quiet: bool,

    /// Print the result as JSON, for scripts; of a run that fails: {"error": {"message": …, "hint": …, "file": …}}
    #[arg(long, global = true)]
    json: bool,

    /// Threads to use [default: all cores this process may use]
    #[arg(long, global = true, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,
}

const EXAMPLES: &str = "\
Examples:
  feedline demo                                        a tour on data it makes itself
  feedline inspect 'train-*.tfrecord'                  what is in these files?
  feedline verify 'train-*.tfrecord'                   is every record intact?
  feedline convert photos/ out/train --shards 8        a folder of images to TFRecord

Patterns:
  * is any run of characters, ? any one, [a-z] one of these, [!a-z] or [^a-z] one of the others,
  ** any folders; hidden files are matched by .* alone. A file named with brackets is meant where
  there is one. A name with * or ? is always a pattern: to mean a file of that name alone, write
  [*] or [?].

`feedline help COMMAND` says more, with examples.";

#[derive(Subcommand)]
enum Command {
    Inspect(inspect::Arguments),
    Verify(verify::Arguments),
    Index(index::Arguments),
    Convert(convert::Arguments),
    Demo(demo::Arguments),
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let num_threads = arguments
        .threads
        .map_or_else(|| std::thread::available_parallelism().map_or(1, usize::from), usize::from);
    let ui = Ui::new(arguments.quiet, arguments.json, num_threads);
    let result = match arguments.command {
        Command::Inspect(arguments) => inspect::run(&arguments, &ui),
        Command::Verify(arguments) => verify::run(&arguments, &ui),
        Command::Index(arguments) => index::run(&arguments, &ui),
        Command::Convert(arguments) => convert::run(&arguments, &ui),
        Command::Demo(arguments) => demo::run(&arguments, &ui),
    };
    result.unwrap_or_else(|error| {
        ui.fail(&error);
        ExitCode::FAILURE
    })
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn lines_of_help_fit_where_help_is_wrapped() {
        let mut command = Arguments::command();
        command.build();
        for command in std::iter::once(&command).chain(command.get_subcommands()) {
            for text in [command.get_after_help(), command.get_after_long_help()].into_iter().flatten() {
                for line in text.to_string().lines() {
                    assert!(line.chars().count() <= 100, "{}: {line}", command.get_name());
                }
            }
        }
    }
}
