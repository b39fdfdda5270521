//! What there is to convert: the files, and what they are.

use std::fs;
use std::path::{Path, PathBuf};

use feedline_exec::files::detect_compression;
use feedline_formats::Decompressor;
use feedline_formats::tfrecord::{FrameReader, HEADER_BYTES};
use feedline_io::{Blob, FileEntry, Listing, LocalStore, Store, shown, survey_files};

use super::image_folder::{ImageFolder, is_image_name};
use super::loss::{Loss, skippable};
use super::options::{Format, OnError, Options, argument};
use super::packed;
use crate::error::{Error, Result};
use crate::records::without_indexes;

/// The input, listed.
pub(super) enum Inputs {
    Images(ImageFolder),
    Files { format: Format, files: Vec<InputFile> },
}

/// A file of the input.
#[derive(Clone)]
pub(super) struct InputFile {
    pub(super) path: PathBuf,
    /// Why it cannot be read, as far as listing has shown.
    pub(super) loss: Option<Loss>,
}

impl Inputs {
    /// Lists the input; files for which `is_own_output` are left out.
    pub(super) fn list(options: &Options, mut is_own_output: impl FnMut(&Path) -> bool) -> Result<Inputs> {
        let is_folder = |input: &&std::ffi::OsString| Path::new(input).is_dir();
        let format = match options.format {
            None if options.inputs.iter().all(|input| is_folder(&input)) => Some(Format::Images),
            format => format,
        };
        if format == Some(Format::Images) {
            options.check_for(Format::Images)?;
            return Ok(Inputs::Images(ImageFolder::list(&options.inputs, options.on_error)?));
        }
        if options.on_error == OnError::Fail
            && format.is_none()
            && let Some(folder) = options.inputs.iter().find(is_folder)
        {
            return Err(argument(
                format!("{}: a folder among files", shown(folder.as_ref())),
                "convert folders of images and files in two runs, to two prefixes",
            ));
        }
        let Listing { files, unreadable } = survey_files(&options.inputs)?;
        let mut files = sift(Listing { files: without_indexes(files)?, unreadable }, options.on_error)?;
        files.retain(|file| file.loss.is_some() || !is_own_output(&file.path));
        let format = match format {
            Some(format) => format,
            None => format_of(&files, options.on_error)?,
        };
        Ok(Inputs::Files { format, files })
    }

    pub(super) fn format(&self) -> Format {
        match self {
            Inputs::Images(_) => Format::Images,
            Inputs::Files { format, .. } => *format,
        }
    }

    pub(super) fn files(&self) -> Box<dyn Iterator<Item = &InputFile> + '_> {
        match self {
            Inputs::Images(folder) => Box::new(folder.files()),
            Inputs::Files { files, .. } => Box::new(files.iter()),
        }
    }

    /// The names of the classes, if it is images.
    pub(super) fn classes(&self) -> Option<&[String]> {
        match self {
            Inputs::Images(folder) => Some(&folder.classes),
            Inputs::Files { .. } => None,
        }
    }
}

/// What was listed, in the order of paths; what cannot be looked at is an error, or one of the files and lost.
pub(super) fn sift(listing: Listing, on_error: OnError) -> Result<Vec<InputFile>> {
    let readable = |entry: FileEntry| InputFile { path: entry.location, loss: None };
    let mut files: Vec<InputFile> = listing.files.into_iter().map(readable).collect();
    for error in listing.unreadable {
        let path = error.location().to_owned();
        if let Err(loss) = skippable::<()>(Err(error.into()), on_error)? {
            files.push(InputFile { path, loss: Some(loss) });
        }
    }
    let bytes = |file: &InputFile| file.path.as_os_str().as_encoded_bytes().to_owned();
    files.sort_by_cached_key(bytes);
    Ok(files)
}

/// What all of the files are, by their names, or by their first bytes where a name does not say.
fn format_of(files: &[InputFile], on_error: OnError) -> Result<Format> {
    let mut known: Option<(Format, &Path)> = None;
    for InputFile { path, .. } in files.iter().filter(|file| file.loss.is_none()) {
        let begins_with_record = || skippable(begins_with_record(path), on_error);
        let format = match format_by_name(path) {
            Some(format) => format,
            None => match begins_with_record()? {
                Ok(true) => Format::TfRecord,
                Err(_) => continue, // a file that cannot be read has no say; it is reported when it is its turn
                Ok(false) => {
                    packed::check(&*LocalStore.open(path)?)?;
                    return Err(unknown_format(path));
                }
            },
        };
        match known {
            Some((other, first)) if other != format => {
                let message = format!(
                    "{} is {other}, {} is {format}: one run reads one kind",
                    shown(first),
                    shown(path)
                );
                return Err(argument(
                    message,
                    "convert them in two runs, or say what all of them are with `--from`",
                ));
            }
            _ => known = known.or(Some((format, path))),
        }
    }
    // A listing without files is an error of its own.
    Ok(known.map_or(Format::TfRecord, |(format, _)| format))
}

fn format_by_name(path: &Path) -> Option<Format> {
    let name = path.file_name()?.to_string_lossy().to_ascii_lowercase();
    let name = [".gz", ".zlib"].into_iter().find_map(|ending| name.strip_suffix(ending)).unwrap_or(&name);
    // `train.tfrecord-00000-of-00008` has its ending in the middle.
    if name.contains(".tfrecord") {
        return Some(Format::TfRecord);
    }
    match name.rsplit_once('.')?.1 {
        "csv" | "tsv" => Some(Format::Csv),
        "jsonl" | "ndjson" | "json" => Some(Format::JsonL),
        "tfrec" | "tfrecs" => Some(Format::TfRecord),
        _ => None,
    }
}

/// Endings of data that is not read, with what it is called.
const OTHER_FORMATS: [(&[&str], &str); 8] = [
    (&["parquet"], "Parquet"),
    (&["arrow", "feather"], "Arrow"),
    (&["avro"], "Avro"),
    (&["orc"], "ORC"),
    (&["tar", "tgz", "zip"], "an archive"),
    (&["npy", "npz"], "NumPy"),
    (&["h5", "hdf5"], "HDF5"),
    (&["xls", "xlsx"], "Excel"),
];

fn unknown_format(path: &Path) -> Error {
    let ending = path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    let say_so = "say so: `--from csv`, `--from jsonl` or `--from tfrecord`";
    let other = OTHER_FORMATS.iter().find(|(endings, _)| endings.contains(&ending.as_str()));
    let (found, hint) = match other {
        Some((_, name)) => {
            let found = format!("this is {name} by its name, which is not read (yet)");
            (
                found,
                format!(
                    "make images, CSV, JSON lines or TFRecord of it; or, if it is one of these, {say_so}"
                ),
            )
        }
        None if !ending.is_empty() && is_image_name(path) => {
            let hint =
                "give the folder that holds one folder of images per class: `photos` for `photos/cat/1.jpg`";
            ("an image alone has no class".to_owned(), hint.to_owned())
        }
        None if fs::metadata(path).is_ok_and(|metadata| metadata.len() == 0) => {
            ("the file is empty, and its name does not say what it is".to_owned(), say_so.to_owned())
        }
        None => ("neither its name nor its first bytes say what it is".to_owned(), say_so.to_owned()),
    };
    argument(format!("{}: {found}", shown(path)), hint)
}

fn begins_with_record(path: &Path) -> Result<bool> {
    let blob = LocalStore.open(path)?;
    let mut head = vec![0; 4096];
    let read = blob.read_at(&mut head, 0)?;
    head.truncate(read);
    if let Some(compression) = detect_compression(&*blob)? {
        let mut inflated = Vec::new();
        if Decompressor::new(compression).push(&head, &mut inflated, HEADER_BYTES).is_err() {
            return Ok(false);
        }
        head = inflated;
    }
    Ok(FrameReader::default().bytes_wanted(&head) > HEADER_BYTES as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_what_files_are() {
        for (name, format) in [
            ("a.csv", Some(Format::Csv)),
            ("A.CSV.gz", Some(Format::Csv)),
            ("a.csv.zlib", Some(Format::Csv)),
            ("a.tsv", Some(Format::Csv)),
            ("a.jsonl.gz", Some(Format::JsonL)),
            ("a.ndjson", Some(Format::JsonL)),
            ("train-00000-of-00002.tfrecord", Some(Format::TfRecord)),
            ("mnist-train.tfrecord-00000-of-00001", Some(Format::TfRecord)),
            ("a.tfrecord.gz", Some(Format::TfRecord)),
            ("train-00000-of-00002", None),
            ("a.dat", None),
        ] {
            assert_eq!(format_by_name(Path::new(name)), format, "{name}");
        }
    }
}
