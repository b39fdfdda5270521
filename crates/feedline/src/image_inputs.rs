//! Images to look at or to measure with, out of record files, folders or files of their own, of any format that is decoded.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;

use feedline_data::{DType, Values};
use feedline_image::{ImageFormat, probe};
use feedline_plan::expr::Feature;
use feedline_plan::{Symbolic, ops};

use crate::dataset::Dataset;
use crate::error::{Error, Result};
use crate::inspect::decode;

/// The images of record files, in that feature or the one that holds images, or of folders and image files, as strings.
pub(crate) fn images_of(inputs: &[OsString], feature: Option<&str>) -> Result<Dataset> {
    if are_image_files(inputs) {
        return Ok(Dataset::list_files_sorted(inputs)?.map(ops::read_file));
    }
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

/// Whether all inputs are images, each a file of its own: folders of them, or files and patterns that are called so.
pub(crate) fn are_images(inputs: &[OsString]) -> bool {
    are_folders(inputs) || are_image_files(inputs)
}

fn are_folders(inputs: &[OsString]) -> bool {
    inputs.iter().all(|input| Path::new(input).is_dir())
}

fn are_image_files(inputs: &[OsString]) -> bool {
    let is_image = |input: &OsString| {
        let ending = Path::new(input).extension().map(OsStr::to_ascii_lowercase);
        ending.is_some_and(|ending| ENDINGS.iter().any(|known| ending == *known))
            && !Path::new(input).is_dir()
    };
    inputs.iter().all(is_image)
}

/// Endings of their names.
const ENDINGS: [&str; 7] = ["jpg", "jpeg", "png", "webp", "gif", "bmp", "jpe"];

fn image_patterns(folder: &OsString) -> Vec<OsString> {
    let pattern = |ending: String| {
        let mut pattern = literal(folder);
        pattern.push(format!("/**/*.{ending}"));
        pattern
    };
    ENDINGS
        .iter()
        .flat_map(|ending| [pattern((*ending).to_owned()), pattern(ending.to_uppercase())])
        .collect()
}

/// A pattern that matches this path alone: characters with a meaning in patterns, each as a set of itself.
fn literal(path: &OsStr) -> OsString {
    let mut escaped = Vec::with_capacity(path.len());
    for &byte in path.as_bytes() {
        if matches!(byte, b'*' | b'?' | b'[') {
            escaped.extend([b'[', byte, b']']);
        } else {
            escaped.push(byte);
        }
    }
    OsString::from_vec(escaped)
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
        let endings: Vec<String> = ENDINGS.iter().map(|ending| format!(".{ending}")).collect();
        return Err(Error::Argument {
            message: format!("{}: there is no image ({}) in it", folders.join(", "), endings.join(", ")),
            hint: "give a folder with such images, or record files: 'train-*.tfrecord'".to_owned(),
        });
    }
    Ok(matching)
}

/// How these images are decoded: by `decode_jpeg`, which crops are computed along with, unless some of the first are of formats that
/// only `decode_image` takes.
pub(crate) fn decoding_of(images: &Dataset) -> Result<fn(Symbolic) -> Symbolic> {
    const NUM_LOOKED_AT: u64 = 256;
    for image in images.take(NUM_LOOKED_AT).iterator()? {
        let Ok(image) = image else { continue };
        let Some(strings) = image.leaves()[0].strings() else { continue };
        if probe(strings.get(0))
            .is_ok_and(|info| !matches!(info.format, ImageFormat::Jpeg | ImageFormat::Png))
        {
            return Ok(any_image);
        }
    }
    Ok(|bytes| ops::image::decode_jpeg(bytes, 3, 1, ""))
}

/// An image of any format, in three colours; of one that moves the first picture.
pub(crate) fn any_image(bytes: Symbolic) -> Symbolic {
    ops::image::decode_image(bytes, 3, DType::UInt8, false)
}

fn image_of(record: Symbolic, feature: &str) -> Symbolic {
    ops::parse_single_example(record, [(feature, Feature::fixed_len(&[], DType::String))]).get(feature)
}
