//! Example and `SequenceExample` as a protobuf library reads and writes them: the reference for our own code.

use std::collections::BTreeMap;

use super::OwnedFeature;

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct BytesList {
    #[prost(bytes = "vec", repeated, tag = "1")]
    pub(crate) value: Vec<Vec<u8>>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct FloatList {
    #[prost(float, repeated, tag = "1")]
    pub(crate) value: Vec<f32>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct UnpackedFloatList {
    #[prost(float, repeated, packed = "false", tag = "1")]
    pub(crate) value: Vec<f32>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct Int64List {
    #[prost(int64, repeated, tag = "1")]
    pub(crate) value: Vec<i64>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct UnpackedInt64List {
    #[prost(int64, repeated, packed = "false", tag = "1")]
    pub(crate) value: Vec<i64>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct Feature {
    #[prost(oneof = "Kind", tags = "1, 2, 3")]
    pub(crate) kind: Option<Kind>,
}

#[derive(Clone, PartialEq, prost::Oneof)]
pub(crate) enum Kind {
    #[prost(message, tag = "1")]
    Bytes(BytesList),
    #[prost(message, tag = "2")]
    Float(FloatList),
    #[prost(message, tag = "3")]
    Int64(Int64List),
}

/// The same message with its lists written one value at a time.
#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct UnpackedFeature {
    #[prost(oneof = "UnpackedKind", tags = "1, 2, 3")]
    pub(crate) kind: Option<UnpackedKind>,
}

#[derive(Clone, PartialEq, prost::Oneof)]
pub(crate) enum UnpackedKind {
    #[prost(message, tag = "1")]
    Bytes(BytesList),
    #[prost(message, tag = "2")]
    Float(UnpackedFloatList),
    #[prost(message, tag = "3")]
    Int64(UnpackedInt64List),
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct Features {
    #[prost(btree_map = "string, message", tag = "1")]
    pub(crate) feature: BTreeMap<String, Feature>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct Example {
    #[prost(message, optional, tag = "1")]
    pub(crate) features: Option<Features>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct UnpackedFeatures {
    #[prost(btree_map = "string, message", tag = "1")]
    pub(crate) feature: BTreeMap<String, UnpackedFeature>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct UnpackedExample {
    #[prost(message, optional, tag = "1")]
    pub(crate) features: Option<UnpackedFeatures>,
}

impl From<&OwnedFeature> for Feature {
    fn from(feature: &OwnedFeature) -> Feature {
        let kind = match feature.clone() {
            OwnedFeature::Bytes(value) => Some(Kind::Bytes(BytesList { value })),
            OwnedFeature::Float(value) => Some(Kind::Float(FloatList { value })),
            OwnedFeature::Int64(value) => Some(Kind::Int64(Int64List { value })),
            OwnedFeature::Unset => None,
        };
        Feature { kind }
    }
}

impl From<&OwnedFeature> for UnpackedFeature {
    fn from(feature: &OwnedFeature) -> UnpackedFeature {
        let kind = match feature.clone() {
            OwnedFeature::Bytes(value) => Some(UnpackedKind::Bytes(BytesList { value })),
            OwnedFeature::Float(value) => Some(UnpackedKind::Float(UnpackedFloatList { value })),
            OwnedFeature::Int64(value) => Some(UnpackedKind::Int64(UnpackedInt64List { value })),
            OwnedFeature::Unset => None,
        };
        UnpackedFeature { kind }
    }
}
