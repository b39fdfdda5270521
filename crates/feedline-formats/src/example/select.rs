//! Some features of an Example and not the others, re-encoded.

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
    let mut features: Vec<(&str, Values<'_>)> = Vec::with_capacity(names.len());
    let mut read = Ok(());
    example(record, |(key, value)| {
        let Some(name) = names.iter().map(AsRef::as_ref).find(|name| name.as_bytes() == key) else { return };
        match Feature::read(value).and_then(|feature| Values::read(record, &feature)) {
            Ok(values) => features.push((name, values)),
            Err(error) if read.is_ok() => read = Err(error),
            Err(_) => {}
        }
    })
    .and(read)
    .map_err(|error| wire_error("Example", error))?;
    let mut writer = ExampleWriter::new();
    for (name, values) in &features {
        writer.push(name, values.view());
    }
    writer.write(out);
    Ok(())
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
    fn no_example_appends_nothing() {
        let mut out = Vec::new();
        let error = select_features(b"some text", &["a"], &mut out).unwrap_err();
        assert!(error.to_string().contains("not a valid Example"), "{error}");
        assert!(out.is_empty());
    }
}
