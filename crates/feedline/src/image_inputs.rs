//! Images to look at or to measure with, out of record files or folders: JPEGs and PNGs, which `decode_jpeg` takes alike.

use std::collections::BTreeSet;
use std::ffi::OsString;

use feedline_data::{DType, Values};
use feedline_image::probe;
use feedline_plan::expr::Feature;
use feedline_plan::{Symbolic, ops};

use crate::dataset::Dataset;
use crate::error::{Error, Result};
use crate::inspect::decode;

/// The images of record files, in that feature or the one that holds images, or of folders, as strings.
pub(crate) fn images_of(inputs: &[OsString], feature: Option<&str>) -> Result<Dataset> {
    if are_folders(inputs) {
        let patterns: Vec<OsString> = inputs.iter().flat_map(image_patterns).collect();
        return Ok(Dataset::list_files_sorted(&existing(&patterns, inputs)?)?.map(ops::read_file));
    }
    let records = Dataset::tf_record(inputs)?;
    let feature = match feature {
        Some(feature) => feature.to_owned(),
        None => feature_with_images(&records)?,
    };
    Ok(records.map(|record| image_of(record, &feature)))
}

/// The feature whose values are images, by their first bytes; an error if there are several, or none.
fn feature_with_images(records: &Dataset) -> Result<String> {
    const NUM_LOOKED_AT: u64 = 16;
    let mut names = BTreeSet::new();
    for record in records.take(NUM_LOOKED_AT).iterator()? {
        let record = record?;
        let Some(strings) = record.leaves()[0].strings() else { continue };
        for feature in decode(strings.get(0))?.features {
            let Some(Values::Bytes(values)) = feature.values else { continue };
            if (0..values.len()).any(|index| probe(values.get(index, &[])).is_ok()) {
                names.insert(feature.name);
            }
        }
    }
    let mut names = names.into_iter();
    let message = match (names.next(), names.next()) {
        (Some(only), None) => return Ok(only),
        (Some(first), Some(second)) => {
            format!("which feature of the records is meant? `{first}` and `{second}` hold images")
        }
        (None, _) => format!("no feature of the first {NUM_LOOKED_AT} records holds an image"),
    };
    let hint = "name it: `--image image`; `feedline inspect` lists the features".to_owned();
    Err(Error::Argument { message, hint })
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
