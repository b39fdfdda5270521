//! An Example with some of its features, or with other values in them, re-encoded.

use super::entries::{example, wire_error};
use super::feature::Feature;
use super::write::{ExampleWriter, FeatureValues};
use crate::error::Result;
use crate::wire::WireError;
use feedline_data::DType;

/// Appends to `out` an Example with the features of `record` whose names are in `names`, in canonical form.
///
/// A name the record does not have is left out. Nothing is appended where `record` is no Example.
///
/// ```
/// use feedline_formats::example::{ExampleWriter, select_features};
///
/// let record = ExampleWriter::new().int64("label", &[3]).bytes("image", &[b"..."]).to_bytes();
/// let mut out = Vec::new();
/// select_features(&record, &["label", "height"], &mut out)?;
/// assert_eq!(out, ExampleWriter::new().int64("label", &[3]).to_bytes());
/// # Ok::<(), feedline_formats::Error>(())
/// ```
pub fn select_features<N: AsRef<str>>(record: &[u8], names: &[N], out: &mut Vec<u8>) -> Result<()> {
    let is_wanted = |name: &str| names.iter().any(|wanted| wanted.as_ref() == name);
    let features = read_features(record, is_wanted)?;
    write_features(&features, out);
    Ok(())
}

/// Appends to `out` the Example `record` with those of its byte strings replaced that `change` gives another for, in canonical form;
/// whether there were any. Nothing is appended where there is none, or where `record` is no Example.
///
/// ```
/// use feedline_formats::example::{ExampleWriter, change_strings};
///
/// let record = ExampleWriter::new().int64("label", &[3]).bytes("image", &[b"..."]).to_bytes();
/// let mut out = Vec::new();
/// assert!(change_strings(&record, |image| (image == b"...").then(|| b"???".to_vec()), &mut out)?);
/// assert_eq!(out, ExampleWriter::new().int64("label", &[3]).bytes("image", &[b"???"]).to_bytes());
/// # Ok::<(), feedline_formats::Error>(())
/// ```
pub fn change_strings(
    record: &[u8],
    mut change: impl FnMut(&[u8]) -> Option<Vec<u8>>,
    out: &mut Vec<u8>,
) -> Result<bool> {
    let mut features = read_features(record, |_| true)?;
    let mut changed: Vec<(usize, usize, Vec<u8>)> = Vec::new();
    for (feature, (_, values)) in features.iter().enumerate() {
        if let Values::Bytes(strings) = values {
            let new =
                strings.iter().enumerate().filter_map(|(at, string)| Some((feature, at, change(string)?)));
            changed.extend(new);
        }
    }
    for (feature, at, new) in &changed {
        if let Values::Bytes(strings) = &mut features[*feature].1 {
            strings[*at] = new;
        }
    }
    if !changed.is_empty() {
        write_features(&features, out);
    }
    Ok(!changed.is_empty())
}

/// The features of an Example whose names are wanted; one that is no text is none.
fn read_features(record: &[u8], is_wanted: impl Fn(&str) -> bool) -> Result<Vec<(&str, Values<'_>)>> {
    let mut features: Vec<(&str, Values<'_>)> = Vec::new();
    let mut read = Ok(());
    example(record, |(key, value)| {
        let Some(name) = std::str::from_utf8(key).ok().filter(|name| is_wanted(name)) else { return };
        match Feature::read(value).and_then(|feature| Values::read(record, &feature)) {
            Ok(values) => features.push((name, values)),
            Err(error) if read.is_ok() => read = Err(error),
            Err(_) => {}
        }
    })
    .and(read)
    .map_err(|error| wire_error("Example", error))?;
    Ok(features)
}

fn write_features(features: &[(&str, Values<'_>)], out: &mut Vec<u8>) {
    let mut writer = ExampleWriter::new();
    for (name, values) in features {
        writer.push(name, values.view());
    }
    writer.write(out);
}

enum Values<'a> {
    Bytes(Vec<&'a [u8]>),
    Float(Vec<f32>),
    Int64(Vec<i64>),
    Unset,
}

impl<'a> Values<'a> {
    fn read(record: &'a [u8], feature: &Feature<'a>) -> Result<Values<'a>, WireError> {
        Ok(match feature.dtype {
            None => Values::Unset,
            Some(DType::Int64) => {
                let mut values = Vec::new();
                feature.int64(|value| values.push(value))?;
                Values::Int64(values)
            }
            Some(DType::Float32) => {
                let mut values = Vec::new();
                feature.float(|value| values.push(value))?;
                Values::Float(values)
            }
            Some(_) => {
                let mut values = Vec::new();
                feature.bytes(0, |view| values.push(&record[view.start as usize..][..view.len as usize]))?;
                Values::Bytes(values)
            }
        })
    }

    fn view(&self) -> FeatureValues<'_> {
        match self {
            Values::Bytes(values) => FeatureValues::Bytes(values),
            Values::Float(values) => FeatureValues::Float(values),
            Values::Int64(values) => FeatureValues::Int64(values),
            Values::Unset => FeatureValues::Unset,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn selects_by_name_in_canonical_form() {
        let record = ExampleWriter::new()
            .bytes("b", &[b"x", b""])
            .float("a", &[1.5, f32::NAN])
            .int64("c", &[-1, 7])
            .feature("d", FeatureValues::Unset)
            .to_bytes();
        let mut out = b"before".to_vec();
        select_features(&record, &["d", "b", "a", "missing"], &mut out).unwrap();
        let expected = ExampleWriter::new()
            .float("a", &[1.5, f32::NAN])
            .bytes("b", &[b"x", b""])
            .feature("d", FeatureValues::Unset)
            .to_bytes();
        assert_eq!(&out[..6], b"before");
        assert_eq!(&out[6..], expected);
    }

    #[test]
    fn strings_are_changed_and_all_else_stays() {
        let record = |new: &[u8]| {
            ExampleWriter::new()
                .bytes("images", &[b"one", new, b""])
                .float("a", &[1.5])
                .int64("c", &[-1, 7])
                .feature("d", FeatureValues::Unset)
                .to_bytes()
        };
        let mut out = b"before".to_vec();
        assert!(!change_strings(&record(b"two"), |_| None, &mut out).unwrap() && out == b"before");
        let change = |string: &[u8]| (string == b"two").then(|| b"another".to_vec());
        assert!(change_strings(&record(b"two"), change, &mut out).unwrap());
        assert_eq!(out[6..], record(b"another"));
        assert!(change_strings(b"some text", |_| Some(Vec::new()), &mut out).is_err());
    }

    #[test]
    fn no_example_appends_nothing() {
        let mut out = Vec::new();
        let error = select_features(b"some text", &["a"], &mut out).unwrap_err();
        assert!(error.to_string().contains("not a valid Example"), "{error}");
        assert!(out.is_empty());
    }
}
