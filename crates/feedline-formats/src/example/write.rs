//! Making Examples and `SequenceExample`s, in canonical form: features sorted by name, numbers packed, each number in
//! its shortest form. Equal data gives equal bytes, the ones `SerializeToString(deterministic=True)` gives.

use crate::wire::{delimited_tag, varint_bytes, write_varint};

/// The values of one feature.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FeatureValues<'a> {
    /// A `BytesList`.
    Bytes(&'a [&'a [u8]]),
    /// A `FloatList`.
    Float(&'a [f32]),
    /// An `Int64List`.
    Int64(&'a [i64]),
    /// A feature that holds no list; readers take it for missing.
    Unset,
}

impl FeatureValues<'_> {
    fn list_field(self) -> u8 {
        match self {
            FeatureValues::Bytes(_) => 1,
            FeatureValues::Float(_) => 2,
            FeatureValues::Int64(_) => 3,
            FeatureValues::Unset => 0,
        }
    }

    /// Bytes of the values alone, without the tag and length of a packed run.
    fn packed_bytes(self) -> usize {
        match self {
            FeatureValues::Bytes(values) => values.iter().map(|value| delimited_bytes(value.len())).sum(),
            FeatureValues::Float(values) => values.len() * 4,
            FeatureValues::Int64(values) => values.iter().map(|&value| varint_bytes(value as u64)).sum(),
            FeatureValues::Unset => 0,
        }
    }

    /// Bytes of the list message, given [`FeatureValues::packed_bytes`].
    fn list_bytes(self, packed: usize) -> usize {
        match self {
            FeatureValues::Float(_) | FeatureValues::Int64(_) if packed > 0 => delimited_bytes(packed),
            _ => packed,
        }
    }

    /// Bytes of the `Feature` message.
    fn feature_bytes(self) -> usize {
        match self {
            FeatureValues::Unset => 0,
            values => delimited_bytes(values.list_bytes(values.packed_bytes())),
        }
    }

    /// Appends the `Feature` message.
    fn write(self, out: &mut Vec<u8>) {
        let packed = self.packed_bytes();
        if self != FeatureValues::Unset {
            write_delimited(out, self.list_field(), self.list_bytes(packed));
        }
        match self {
            FeatureValues::Bytes(values) => {
                for value in values {
                    write_delimited(out, 1, value.len());
                    out.extend_from_slice(value);
                }
            }
            FeatureValues::Float(values) if packed > 0 => {
                write_delimited(out, 1, packed);
                values.iter().for_each(|value| out.extend_from_slice(&value.to_le_bytes()));
            }
            FeatureValues::Int64(values) if packed > 0 => {
                write_delimited(out, 1, packed);
                values.iter().for_each(|&value| write_varint(out, value as u64));
            }
            FeatureValues::Float(_) | FeatureValues::Int64(_) | FeatureValues::Unset => {}
        }
    }
}

/// Bytes of a length-delimited field with a one-byte tag and `content` bytes.
fn delimited_bytes(content: usize) -> usize {
    1 + varint_bytes(content as u64) + content
}

/// Appends the tag and length of a length-delimited field.
fn write_delimited(out: &mut Vec<u8>, field: u8, content: usize) {
    out.push(delimited_tag(field));
    write_varint(out, content as u64);
}

/// Appends field `field` holding a protobuf map, its entries sorted by name; of several with one name the last counts.
fn write_map<T>(
    out: &mut Vec<u8>,
    field: u8,
    entries: &mut Vec<(&str, T)>,
    value_bytes: impl Fn(&T) -> usize,
    write_value: impl Fn(&T, &mut Vec<u8>),
) {
    if entries.is_empty() {
        return;
    }
    if !entries.is_sorted_by(|a, b| a.0 < b.0) {
        // Stable, so that after reversing the last of equal names comes first and is the one dedup keeps.
        entries.reverse();
        entries.sort_by(|a, b| a.0.cmp(b.0));
        entries.dedup_by(|later, earlier| later.0 == earlier.0);
    }
    let entry_bytes =
        |(name, value): &(&str, T)| delimited_bytes(name.len()) + delimited_bytes(value_bytes(value));
    let total = entries.iter().map(|entry| delimited_bytes(entry_bytes(entry))).sum();
    out.reserve(delimited_bytes(total));
    write_delimited(out, field, total);
    for entry in entries {
        write_delimited(out, 1, entry_bytes(entry));
        write_delimited(out, 1, entry.0.len());
        out.extend_from_slice(entry.0.as_bytes());
        write_delimited(out, 2, value_bytes(&entry.1));
        write_value(&entry.1, out);
    }
}

/// Builds one `tf.train.Example`.
///
/// ```
/// use feedline_formats::example::ExampleWriter;
///
/// let bytes = ExampleWriter::new().int64("label", &[3]).bytes("image", &[b"..."]).to_bytes();
/// let other = ExampleWriter::new().bytes("image", &[b"..."]).int64("label", &[3]).to_bytes();
/// assert_eq!(bytes, other);
/// ```
#[derive(Clone, Debug, Default)]
pub struct ExampleWriter<'a> {
    features: Vec<(&'a str, FeatureValues<'a>)>,
}

impl<'a> ExampleWriter<'a> {
    /// An Example without features.
    pub fn new() -> ExampleWriter<'a> {
        ExampleWriter::default()
    }

    /// Adds a feature; one of the same name added before is replaced.
    #[must_use]
    pub fn feature(mut self, name: &'a str, values: FeatureValues<'a>) -> ExampleWriter<'a> {
        self.push(name, values);
        self
    }

    /// [`ExampleWriter::feature`] for loops.
    pub fn push(&mut self, name: &'a str, values: FeatureValues<'a>) {
        self.features.push((name, values));
    }

    /// Adds a feature of byte strings.
    #[must_use]
    pub fn bytes(self, name: &'a str, values: &'a [&'a [u8]]) -> ExampleWriter<'a> {
        self.feature(name, FeatureValues::Bytes(values))
    }

    /// Adds a feature of floats.
    #[must_use]
    pub fn float(self, name: &'a str, values: &'a [f32]) -> ExampleWriter<'a> {
        self.feature(name, FeatureValues::Float(values))
    }

    /// Adds a feature of integers.
    #[must_use]
    pub fn int64(self, name: &'a str, values: &'a [i64]) -> ExampleWriter<'a> {
        self.feature(name, FeatureValues::Int64(values))
    }

    /// Appends the serialized Example to `out`.
    pub fn write(mut self, out: &mut Vec<u8>) {
        write_features(out, &mut self.features);
    }

    /// The serialized Example.
    pub fn to_bytes(self) -> Vec<u8> {
        let mut out = Vec::new();
        self.write(&mut out);
        out
    }
}

fn write_features(out: &mut Vec<u8>, features: &mut Vec<(&str, FeatureValues<'_>)>) {
    write_map(out, 1, features, |values| values.feature_bytes(), |values, out| values.write(out));
}

/// Builds one `tf.train.SequenceExample`.
///
/// ```
/// use feedline_formats::example::{FeatureValues, SequenceWriter};
///
/// let frames = [FeatureValues::Int64(&[1, 2]), FeatureValues::Int64(&[3])];
/// let bytes = SequenceWriter::new().context("id", FeatureValues::Int64(&[7])).list("frames", &frames).to_bytes();
/// # assert!(feedline_formats::example::is_valid_sequence_example(&bytes).is_ok());
/// ```
#[derive(Clone, Debug, Default)]
pub struct SequenceWriter<'a> {
    context: Vec<(&'a str, FeatureValues<'a>)>,
    lists: Vec<(&'a str, &'a [FeatureValues<'a>])>,
}

impl<'a> SequenceWriter<'a> {
    /// A `SequenceExample` without features.
    pub fn new() -> SequenceWriter<'a> {
        SequenceWriter::default()
    }

    /// Adds a feature of the whole sequence; one of the same name added before is replaced.
    #[must_use]
    pub fn context(mut self, name: &'a str, values: FeatureValues<'a>) -> SequenceWriter<'a> {
        self.context.push((name, values));
        self
    }

    /// Adds a feature with one list of values a step; one of the same name added before is replaced.
    #[must_use]
    pub fn list(mut self, name: &'a str, steps: &'a [FeatureValues<'a>]) -> SequenceWriter<'a> {
        self.lists.push((name, steps));
        self
    }

    /// Appends the serialized `SequenceExample` to `out`.
    pub fn write(mut self, out: &mut Vec<u8>) {
        write_features(out, &mut self.context);
        let step_bytes = |steps: &&[FeatureValues<'_>]| -> usize {
            steps.iter().map(|step| delimited_bytes(step.feature_bytes())).sum()
        };
        write_map(out, 2, &mut self.lists, step_bytes, |steps, out| {
            for step in *steps {
                write_delimited(out, 1, step.feature_bytes());
                step.write(out);
            }
        });
    }

    /// The serialized `SequenceExample`.
    pub fn to_bytes(self) -> Vec<u8> {
        let mut out = Vec::new();
        self.write(&mut out);
        out
    }
}
