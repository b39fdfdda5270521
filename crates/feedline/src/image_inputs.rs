//! Images to look at or to measure with, out of record files or folders: JPEGs and PNGs, which `decode_jpeg` takes alike.

use std::ffi::OsString;

use feedline_data::DType;
use feedline_plan::expr::Feature;
use feedline_plan::{Symbolic, ops};

use crate::dataset::Dataset;
use crate::error::{Error, Result};

/// The images of record files, in that feature, or of folders, as strings.
pub(crate) fn images_of(inputs: &[OsString], feature: Option<&str>) -> Result<Dataset> {
    if are_folders(inputs) {
        let patterns: Vec<OsString> = inputs.iter().flat_map(image_patterns).collect();
        return Ok(Dataset::list_files_sorted(&existing(&patterns, inputs)?)?.map(ops::read_file));
    }
    let records = Dataset::tf_record(inputs)?;
    let Some(feature) = feature else {
        return Err(Error::Argument {
            message: "which feature of the records holds the image?".to_owned(),
            hint: "name it: `--image image`; `feedline inspect` lists the features".to_owned(),
        });
    };
    Ok(records.map(|record| image_of(record, feature)))
}

/// Whether all inputs are folders.
pub(crate) fn are_folders(inputs: &[OsString]) -> bool {
    inputs.iter().all(|input| std::path::Path::new(input).is_dir())
}

/// Endings of their names.
const ENDINGS: [&str; 6] = ["jpg", "jpeg", "png", "JPG", "JPEG", "PNG"];

fn image_patterns(folder: &OsString) -> Vec<OsString> {
    let pattern = |ending: &str| {
        let mut pattern = folder.clone();
        pattern.push(format!("/**/*.{ending}"));
        pattern
    };
    ENDINGS.iter().map(|ending| pattern(ending)).collect()
}

/// Those of `patterns` that match a file.
fn existing(patterns: &[OsString], folders: &[OsString]) -> Result<Vec<OsString>> {
    let matching: Vec<OsString> = patterns
        .iter()
        .filter(|pattern| feedline_io::list_files(std::slice::from_ref(*pattern)).is_ok())
        .cloned()
        .collect();
    if matching.is_empty() {
        let folders: Vec<String> = folders.iter().map(|folder| folder.display().to_string()).collect();
        return Err(Error::Argument {
            message: format!("{}: there is no JPEG or PNG (.jpg, .jpeg, .png) in it", folders.join(", ")),
            hint: "give a folder with such images, or record files: 'train-*.tfrecord'".to_owned(),
        });
    }
    Ok(matching)
}

fn image_of(record: Symbolic, feature: &str) -> Symbolic {
    ops::parse_single_example(record, [(feature, Feature::fixed_len(&[], DType::String))]).get(feature)
}
