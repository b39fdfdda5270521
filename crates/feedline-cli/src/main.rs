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

    /// Print results as JSON, for scripts
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
        ui.error(&error);
        ExitCode::FAILURE
    })
}
