//! Features whose names are no UTF-8. No spec can ask for them, yet who looks at a record wants to see what is in it.

use std::collections::BTreeMap;

use feedline_data::Values;

use super::entries;
use super::feature::Feature;
use super::schema::RecordKind;
use crate::wire::{Reader, WireError};

/// The values of a feature, or those of all steps of a feature list.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OddFeature {
    /// The values; `None` if it holds no list. Byte strings are owned.
    pub values: Option<Values>,
    /// For a feature list, the number of values of each step.
    pub step_lens: Vec<usize>,
}

/// The features and the feature lists of `record` whose names are no UTF-8, by their names as
/// [`super::FeatureSummary`] has them; what does not parse is left out.
pub fn odd_features(
    record: &[u8],
    kind: RecordKind,
) -> (BTreeMap<String, OddFeature>, BTreeMap<String, OddFeature>) {
    let (mut features, mut lists) = (BTreeMap::new(), BTreeMap::new());
    let mut keep = |(name, feature): (&[u8], Reader<'_>)| {
        let mut odd = OddFeature::default();
        if std::str::from_utf8(name).is_err() && odd.add(record, feature).is_ok() {
            features.insert(name.escape_ascii().to_string(), odd);
        }
    };
    // What is read before something that does not parse is good.
    _ = match kind {
        RecordKind::Bytes => Ok(()),
        RecordKind::Example => entries::example(record, keep),
        RecordKind::SequenceExample => entries::sequence_example(record, &mut keep, |(name, list)| {
            let mut odd = OddFeature::default();
            if std::str::from_utf8(name).is_err() && odd.add_steps(record, list).is_ok() {
                lists.insert(name.escape_ascii().to_string(), odd);
            }
        }),
    };
    (features, lists)
}

impl OddFeature {
    fn add_steps(&mut self, record: &[u8], mut list: Reader<'_>) -> Result<(), WireError> {
        while !list.is_at_end() {
            let before = self.values.as_ref().map_or(0, Values::len);
            self.add(record, entries::step(&mut list)?)?;
            self.step_lens.push(self.values.as_ref().map_or(0, Values::len) - before);
        }
        Ok(())
    }

    fn add(&mut self, record: &[u8], feature: Reader<'_>) -> Result<(), WireError> {
        let feature = Feature::read(feature)?;
        let Some(dtype) = feature.dtype else { return Ok(()) };
        match self.values.get_or_insert_with(|| Values::empty(dtype)) {
            // Steps that disagree on their type have no values in common.
            values if values.dtype() != dtype => Ok(()),
            Values::Int64(values) => feature.int64(|value| values.push(value)),
            Values::Float32(values) => feature.float(|value| values.push(value)),
            Values::Bytes(values) => feature.bytes(0, |view| {
                values.push_owned(&record[view.start as usize..][..view.len as usize]);
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::write::{ExampleWriter, FeatureValues, SequenceWriter};
    use super::*;

    /// The same record, a name in it made no UTF-8.
    fn spoiled(mut record: Vec<u8>, name: &[u8]) -> Vec<u8> {
        let at = record.windows(name.len()).position(|bytes| bytes == name).unwrap();
        record[at] = 0xe9;
        record
    }

    #[test]
    fn features_and_lists_with_odd_names_have_their_values() {
        let numbers: Vec<i64> = (0..20).collect();
        let example = ExampleWriter::new().int64("odd", &numbers).bytes("name", &[b"x"]).to_bytes();
        assert_eq!(odd_features(&example, RecordKind::Example).0.len(), 0);
        let example = spoiled(example, b"odd");
        let (features, lists) = odd_features(&example, RecordKind::Example);
        assert_eq!((features.len(), lists.len()), (1, 0));
        assert_eq!(features["\\xe9dd"].values, Some(Values::Int64(numbers)));

        let steps =
            [FeatureValues::Float(&[1.0, 2.0]), FeatureValues::Float(&[]), FeatureValues::Float(&[3.0])];
        let sequence = SequenceWriter::new()
            .context("odd", FeatureValues::Bytes(&[b"ab", b""]))
            .list("steps", &steps)
            .to_bytes();
        let sequence = spoiled(spoiled(sequence, b"odd"), b"steps");
        let (features, lists) = odd_features(&sequence, RecordKind::SequenceExample);
        let Some(Values::Bytes(values)) = &features["\\xe9dd"].values else { panic!("{features:?}") };
        assert_eq!((values.get(0, &[]), values.get(1, &[])), (&b"ab"[..], &b""[..]));
        let list = &lists["\\xe9teps"];
        assert_eq!(list.values, Some(Values::Float32(vec![1.0, 2.0, 3.0])));
        assert_eq!(list.step_lens, [2, 0, 1]);
    }
}
