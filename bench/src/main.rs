//! Measures feedline and the ceilings it runs against; `run.sh` puts the peers beside it and `report.py` the ratios.
//!
//! Every measurement checks what came out before it reports a time.
#![allow(clippy::print_stdout, reason = "results are lines of JSON on standard output")]

mod data;
mod engine;
mod filtered;
mod handed_out;
mod imagenet;
mod inflate;
mod measure;
mod ops;
mod overlap;
mod parse;
mod records;
mod tabular;
mod tune;
mod write;

use std::path::PathBuf;
use std::process::ExitCode;

// As the command and the Python package have it.
#[global_allocator]
static MEMORY: feedline::LargeMemory = feedline::LargeMemory::new();

const USAGE: &str = "\
usage: feedline-bench make DIR          write the input files
       feedline-bench records FILES...  raw records with checksums, and the plain checksum of the same bytes
       feedline-bench parse FILES...    batches of 40 numeric features, 3 of them, and a bare walk over the fields
       feedline-bench write FILE        write 200,000 Examples of 40 features
       feedline-bench engine [FILES...] pipelines in memory through the engine, or raw records of FILES and the bare reader
       feedline-bench tabular FILES...  shuffled batches of 40 numeric features through the engine, and 3 of them
       feedline-bench ops               one operation of numbers at a time over a million scalars
       feedline-bench inflate           short compressed strings, and the same by libdeflate
       feedline-bench overlap           a map on two threads, a producer beside a consumer, one epoch after the other
       feedline-bench tune              AUTOTUNE against the best of a sweep of hand-set numbers, in pipelines of eight shapes
       feedline-bench pack FOLDER FILE  photos of a folder as a TFRecord file, for imagenet
       feedline-bench imagenet FILE [FOLDER]  photos as batches of training and evaluation, and the parts of the work; first batches to FOLDER
                                        with --same-as FILE all batches must be those of that file
       options: --repeat N (default 5), --threads N (default: all cores), --only TEXT (what has it in its name)";

fn main() -> ExitCode {
    let mut words: Vec<String> = std::env::args().skip(1).collect();
    let options = measure::Options {
        repeat: take_option(&mut words, "--repeat").unwrap_or(5),
        num_threads: take_option(&mut words, "--threads")
            .unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from)),
        only: take_option(&mut words, "--only"),
    };
    let same: Option<PathBuf> = take_option(&mut words, "--same-as");
    let Some((command, rest)) = words.split_first() else { return usage() };
    let paths: Vec<PathBuf> = rest.iter().map(PathBuf::from).collect();
    let result = match (command.as_str(), paths.as_slice()) {
        ("make", [folder]) => data::make(folder),
        ("records", [_, ..]) => records::run(&paths, &options),
        ("parse", [_, ..]) => parse::run(&paths, &options),
        ("write", [file]) => write::run(file, &options),
        ("tabular", [_, ..]) => tabular::run(&paths, &options),
        ("tune", []) => tune::run(&options),
        ("engine", files) => engine::run(files, &options),
        ("pack", [folder, file]) => imagenet::pack(folder, file),
        ("imagenet", [file]) => imagenet::run(file, None, same.as_deref(), &options),
        ("imagenet", [file, folder]) => imagenet::run(file, Some(folder), same.as_deref(), &options),
        ("ops", []) => ops::run(&options),
        ("inflate", []) => inflate::run(&options),
        ("overlap", []) => overlap::run(&options),
        _ => return usage(),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            println!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn usage() -> ExitCode {
    println!("{USAGE}");
    ExitCode::from(2)
}

fn take_option<T: std::str::FromStr>(words: &mut Vec<String>, name: &str) -> Option<T> {
    let at = words.iter().position(|word| word == name)?;
    let value = words.get(at + 1)?.parse().ok()?;
    words.drain(at..at + 2);
    Some(value)
}
