//! The `feedline` command: what people with training data on disk need every day.

mod commands;
mod mistyped;
mod signals;
mod ui;

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use commands::{bench, convert, demo, index, inspect, preview, verify};
use ui::Ui;

#[global_allocator]
static MEMORY: feedline::LargeMemory = feedline::LargeMemory::new();

/// Look at, check, index, convert and measure training data
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

    /// Threads to use, at most 16 for each core [default: as many as there are cores this process may use]
    #[arg(long, global = true, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,
}

const EXAMPLES: &str = "\
Examples:
  feedline demo                                        a tour on data it makes itself
  feedline inspect 'train-*.tfrecord'                  what is in these files?
  feedline verify 'train-*.tfrecord'                   is every record intact?
  feedline convert photos/ out/train --shards 8        a folder of images to TFRecord
  feedline bench 'train-*.tfrecord' --image image      how fast do they become batches?

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
    Bench(bench::Arguments),
    Preview(preview::Arguments),
    Demo(demo::Arguments),
}

fn main() -> ExitCode {
    signals::outlive_file_size_limit();
    let (arguments, name) = match mistyped::parse() {
        Ok(parsed) => parsed,
        Err(code) => return code,
    };
    let ui = Ui::new(arguments.quiet, arguments.json, num_threads(arguments.threads));
    let result = match arguments.command {
        Command::Inspect(arguments) => inspect::run(&arguments, &ui),
        Command::Verify(arguments) => verify::run(&arguments, &ui),
        Command::Index(arguments) => index::run(&arguments, &ui),
        Command::Convert(arguments) => convert::run(&arguments, &ui),
        Command::Bench(arguments) => bench::run(&arguments, &ui),
        Command::Preview(arguments) => preview::run(&arguments, &ui),
        Command::Demo(arguments) => demo::run(&arguments, &ui),
    };
    result.unwrap_or_else(|error| mistyped::end(&error, &name, &ui))
}

/// More threads than this for each core do no good: what they wait for is one disk, or the cores.
const MAX_THREADS_A_CORE: usize = 16;

/// Threads to use, where so many were asked for.
fn num_threads(asked: Option<u16>) -> usize {
    let num_cores = std::thread::available_parallelism().map_or(1, usize::from);
    asked.map_or(num_cores, |asked| usize::from(asked).min(num_cores * MAX_THREADS_A_CORE))
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn threads_are_as_many_as_asked_for_within_reason() {
        let num_cores = num_threads(None);
        assert_eq!((num_threads(Some(1)), num_threads(Some(7))), (1, 7));
        assert_eq!(num_threads(Some(u16::MAX)), (num_cores * 16).min(usize::from(u16::MAX)));
    }

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
