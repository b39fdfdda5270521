//! What the integration tests share: golden files, hex, owned features.
#![allow(dead_code, reason = "each test binary uses its part")]

pub(crate) mod proto;

use feedline_formats::example::FeatureValues;
use feedline_formats::{Compression, Decompressor};
use serde_json::Value;

pub(crate) fn load_bytes(name: &str) -> Vec<u8> {
    let path = format!("{}/tests/golden/{name}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

pub(crate) fn load(name: &str) -> Value {
    serde_json::from_slice(&load_bytes(name)).unwrap()
}

pub(crate) fn hex(text: &str) -> Vec<u8> {
    (0..text.len()).step_by(2).map(|at| u8::from_str_radix(&text[at..at + 2], 16).unwrap()).collect()
}

pub(crate) fn to_hex(bytes: &[u8]) -> String {
    let digit = |value: u8| char::from(b"0123456789abcdef"[usize::from(value)]);
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

pub(crate) fn inflate(compression: Compression, bytes: &[u8]) -> Vec<u8> {
    let mut decompressor = Decompressor::new(compression);
    let (mut out, mut rest) = (Vec::new(), bytes);
    while !rest.is_empty() {
        let taken = decompressor.push(rest, &mut out, 1 << 16).unwrap();
        rest = &rest[taken..];
    }
    while decompressor.push(&[], &mut out, 1 << 16).unwrap() > 0 {}
    decompressor.finish().unwrap();
    out
}

/// A feature that owns its values.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum OwnedFeature {
    Bytes(Vec<Vec<u8>>),
    Float(Vec<f32>),
    Int64(Vec<i64>),
    Unset,
}

impl OwnedFeature {
    /// From the notation of the golden files.
    pub(crate) fn from_json(feature: &Value) -> OwnedFeature {
        let values = |key: &str| feature[key].as_array();
        if let Some(values) = values("int64") {
            OwnedFeature::Int64(values.iter().map(|value| value.as_i64().unwrap()).collect())
        } else if let Some(values) = values("float") {
            OwnedFeature::Float(
                values.iter().map(|bits| f32::from_bits(bits.as_u64().unwrap() as u32)).collect(),
            )
        } else if let Some(values) = values("bytes") {
            OwnedFeature::Bytes(values.iter().map(|value| hex(value.as_str().unwrap())).collect())
        } else {
            OwnedFeature::Unset
        }
    }

    pub(crate) fn map(features: &Value) -> Vec<(String, OwnedFeature)> {
        let features = features.as_object().unwrap();
        features.iter().map(|(key, feature)| (key.clone(), OwnedFeature::from_json(feature))).collect()
    }

    pub(crate) fn list(steps: &Value) -> Vec<(String, OwnedFeature)> {
        steps.as_array().unwrap().iter().map(|step| (String::new(), OwnedFeature::from_json(step))).collect()
    }

    /// Slices of the byte strings of each feature (none for other types), for [`OwnedFeature::values`].
    pub(crate) fn byte_lists(features: &[(String, OwnedFeature)]) -> Vec<Vec<&[u8]>> {
        features
            .iter()
            .map(|(_, feature)| match feature {
                OwnedFeature::Bytes(values) => values.iter().map(Vec::as_slice).collect(),
                _ => Vec::new(),
            })
            .collect()
    }

    pub(crate) fn values<'a>(&'a self, byte_list: &'a [&'a [u8]]) -> FeatureValues<'a> {
        match self {
            OwnedFeature::Bytes(_) => FeatureValues::Bytes(byte_list),
            OwnedFeature::Float(values) => FeatureValues::Float(values),
            OwnedFeature::Int64(values) => FeatureValues::Int64(values),
            OwnedFeature::Unset => FeatureValues::Unset,
        }
    }
}
