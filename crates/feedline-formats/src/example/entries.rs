//! Walking the named features of a record, in the order of its bytes.

use super::feature::{BYTES_LIST, FLOAT_LIST, Feature, INT64_LIST};
use crate::error::{Error, ErrorKind};
use crate::wire::{Reader, WireError, delimited_tag};

/// A key and the message behind it: a `Feature` or a `FeatureList`.
pub(super) type Entry<'a> = (&'a [u8], Reader<'a>);

/// Calls `visit` with each feature of an `Example`.
///
/// Several `Features` messages read as one, fields an `Example` does not have are passed over.
pub(super) fn example<'a>(record: &'a [u8], mut visit: impl FnMut(Entry<'a>)) -> Result<(), WireError> {
    let mut message = Reader::new(record);
    while !message.is_at_end() {
        if message.take(delimited_tag(1)) {
            let mut map = message.delimited()?;
            while !map.is_at_end() {
                visit(map_entry(&mut map)?);
            }
        } else {
            message.skip_field()?;
        }
    }
    Ok(())
}

/// Calls `context` with each context feature of a `SequenceExample` and `list` with each of its feature lists.
pub(super) fn sequence_example<'a>(
    record: &'a [u8],
    mut context: impl FnMut(Entry<'a>),
    mut list: impl FnMut(Entry<'a>),
) -> Result<(), WireError> {
    let mut message = Reader::new(record);
    while !message.is_at_end() {
        if message.take(delimited_tag(1)) {
            ordered_entries(message.delimited()?, &mut context)?;
        } else if message.take(delimited_tag(2)) {
            ordered_entries(message.delimited()?, &mut list)?;
        } else {
            message.skip_field()?;
        }
    }
    Ok(())
}

fn ordered_entries<'a>(mut map: Reader<'a>, visit: &mut impl FnMut(Entry<'a>)) -> Result<(), WireError> {
    while !map.is_at_end() {
        visit(ordered_entry(&mut map)?);
    }
    Ok(())
}

const KEY: u64 = delimited_tag(1) as u64;
const VALUE: u64 = delimited_tag(2) as u64;

/// The next entry of a map in an `Example`: a key (field 1) and a message (field 2), nothing else.
///
/// TensorFlow takes any two fields, and of two keys or two messages the last; what is not there is the empty one.
pub(super) fn map_entry<'a>(map: &mut Reader<'a>) -> Result<Entry<'a>, WireError> {
    if !map.take(delimited_tag(1)) {
        return Err(map.error("a field that is no named feature"));
    }
    let mut entry = map.delimited()?;
    let (mut key, mut value) = (None, None);
    for _ in 0..2 {
        if entry.is_at_end() {
            return Err(entry.error("a named feature without its name or its value"));
        }
        let before = entry;
        match entry.varint()? {
            KEY => key = Some(entry.delimited()?.rest()),
            VALUE => value = Some(entry.delimited()?),
            _ => return Err(before.error(NO_ENTRY)),
        }
    }
    if !entry.is_at_end() {
        return Err(entry.error(NO_ENTRY));
    }
    // What is left of the entry is empty.
    Ok((key.unwrap_or_default(), value.unwrap_or(entry)))
}

const NO_ENTRY: &str = "a named feature with something besides one name and one value";

/// The next entry of a map in a `SequenceExample`, where TensorFlow takes the key before the message and not after it.
pub(super) fn ordered_entry<'a>(map: &mut Reader<'a>) -> Result<Entry<'a>, WireError> {
    if !map.take(delimited_tag(1)) {
        return Err(map.error("a field that is no named feature"));
    }
    let mut entry = map.delimited()?;
    if !entry.take(delimited_tag(1)) {
        return Err(entry.error("a named feature that does not begin with its name"));
    }
    let key = entry.delimited()?;
    if !entry.take(delimited_tag(2)) {
        return Err(entry.error("a named feature without a value behind its name"));
    }
    let value = entry.delimited()?;
    if !entry.is_at_end() {
        return Err(entry.error("something behind a named feature"));
    }
    Ok((key.rest(), value))
}

/// The next step of a `FeatureList`.
#[inline]
pub(super) fn step<'a>(list: &mut Reader<'a>) -> Result<Reader<'a>, WireError> {
    if !list.take(delimited_tag(1)) {
        return Err(list.error("a field that is no step of a feature list"));
    }
    list.delimited()
}

pub(super) fn wire_error(message: &'static str, error: WireError) -> Error {
    Error::new(ErrorKind::Wire { message, reason: error.reason }).at_byte(error.at as u64)
}

/// Whether every byte of `record` reads as a `tf.train.Example`; the error says what does not, and where.
pub fn is_valid_example(record: &[u8]) -> Result<(), Error> {
    check_example(record).map_err(|error| wire_error("Example", error))
}

fn check_example(record: &[u8]) -> Result<(), WireError> {
    let mut message = Reader::new(record);
    while !message.is_at_end() {
        if !message.take(delimited_tag(1)) {
            message.skip_field()?;
            continue;
        }
        let mut map = message.delimited()?;
        while !map.is_at_end() {
            if let Some(length) = valid_short_entry(map.rest()) {
                map.advance(length);
                continue;
            }
            let (_, feature) = map_entry(&mut map)?;
            Feature::read(feature)?.count()?;
        }
    }
    Ok(())
}

/// The length of the map entry that `map` begins with, if it is valid and in the form that writers give to short ones: a
/// name, then one packed run or one byte string, each length in one byte. Verifying 40 numeric features takes a quarter
/// of the time this way.
#[inline]
fn valid_short_entry(map: &[u8]) -> Option<usize> {
    const ENTRY: u8 = delimited_tag(1);
    const KEY: u8 = delimited_tag(1);
    const VALUE: u8 = delimited_tag(2);
    const VALUES: u8 = delimited_tag(1);
    let [ENTRY, entry_bytes @ ..0x80, KEY, key_bytes @ ..0x80, rest @ ..] = map else { return None };
    let rest = rest.get(usize::from(*key_bytes)..)?;
    let [VALUE, feature_bytes, list_tag, list_bytes, VALUES, value_bytes, values @ ..] = rest else {
        return None;
    };
    // Each length must be what the ones around it leave; the outermost is less than 128, and so are the others then.
    let value_bytes = usize::from(*value_bytes);
    if value_bytes + 2 != usize::from(*list_bytes)
        || value_bytes + 4 != usize::from(*feature_bytes)
        || value_bytes + 8 + usize::from(*key_bytes) != usize::from(*entry_bytes)
    {
        return None;
    }
    let values = values.get(..value_bytes)?;
    let valid = match *list_tag {
        BYTES_LIST => true,
        FLOAT_LIST => values.len().is_multiple_of(4),
        // Of at most ten bytes, the last one ending a number: no number can be longer than ten.
        INT64_LIST => values.len() <= 10 && values.last().is_none_or(|&byte| byte < 0x80),
        _ => false,
    };
    valid.then_some(2 + usize::from(*entry_bytes))
}

/// Whether every byte of `record` reads as a `tf.train.SequenceExample`; the error says what does not, and where.
pub fn is_valid_sequence_example(record: &[u8]) -> Result<(), Error> {
    let (mut context_result, mut list_result) = (Ok(()), Ok(()));
    sequence_example(
        record,
        |(_, feature)| {
            if context_result.is_ok() {
                context_result = Feature::read(feature).and_then(|feature| feature.count()).map(drop);
            }
        },
        |(_, list)| {
            if list_result.is_ok() {
                list_result = check_steps(list);
            }
        },
    )
    .and(context_result)
    .and(list_result)
    .map_err(|error| wire_error("SequenceExample", error))
}

fn check_steps(mut list: Reader<'_>) -> Result<(), WireError> {
    while !list.is_at_end() {
        Feature::read_step(step(&mut list)?)?.count()?;
    }
    Ok(())
}

/// Number of features in an `Example`, found by stepping over them: the least any reader of Examples must do.
///
/// Benchmarks use it as the floor of projection.
pub fn count_features(record: &[u8]) -> Result<usize, Error> {
    let mut count = 0;
    let mut message = Reader::new(record);
    let mut walk = || {
        while !message.is_at_end() {
            if !message.take(delimited_tag(1)) {
                message.skip_field()?;
                continue;
            }
            let mut map = message.delimited()?;
            while !map.is_at_end() {
                map.skip_field()?;
                count += 1;
            }
        }
        Ok(())
    };
    walk().map_err(|error| wire_error("Example", error))?;
    Ok(count)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::write::ExampleWriter;
    use super::*;

    /// As [`check_example`], without the short way.
    fn check_carefully(record: &[u8]) -> Result<(), WireError> {
        let mut result = Ok(());
        example(record, |(_, feature)| {
            if result.is_ok() {
                result = Feature::read(feature).and_then(|feature| feature.count()).map(drop);
            }
        })
        .and(result)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn the_short_way_changes_nothing(
            ints in prop::collection::vec(any::<i64>(), 0..4),
            floats in prop::collection::vec(any::<f32>(), 0..3),
            text in prop::collection::vec(any::<u8>(), 0..140),
            flips in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..3),
        ) {
            let mut record = ExampleWriter::new()
                .int64("i", &ints).float("a_float", &floats).bytes("text", &[&text]).int64("one", &[300]).to_bytes();
            for (at, byte) in flips {
                let at = at.index(record.len());
                record[at] = byte;
            }
            prop_assert_eq!(check_example(&record).is_ok(), check_carefully(&record).is_ok());
        }
    }
}
