//! Kernels of strings, a file a job.

mod as_string;
mod automaton;
mod bytes_split;
mod case;
mod characters;
mod cuts;
mod each;
mod farmhash;
mod format;
mod hash;
mod join;
mod length;
mod printf;
mod ragged;
mod reduce_join;
mod regex_full_match;
mod regex_replace;
mod spaces;
mod split;
mod strip;
mod substr;
mod to_number;
mod unicode;
mod unicode_decode;
mod unicode_encode;
mod unicode_split;
mod unicode_transcode;

use super::Kernel;
pub(super) use each::{each_number, each_string, each_string_in, shown};
pub(super) use farmhash::fingerprint64;
pub(super) use to_number::{Parsed, parse_number, parse_number_in};

/// The kernel of each operation of strings.
pub(super) const KERNELS: &[(&str, Kernel)] = &[
    ("strings.lower", case::lower),
    ("strings.upper", case::upper),
    ("strings.strip", strip::strip),
    ("strings.length", length::length),
    ("strings.substr", substr::substr),
    ("strings.join", join::join),
    ("strings.reduce_join", reduce_join::reduce_join),
    ("strings.regex_full_match", regex_full_match::full_match),
    ("strings.regex_replace", regex_replace::replace),
    ("strings.to_number", to_number::to_number),
    ("strings.as_string", as_string::as_string),
    ("strings.format", format::format),
    ("strings.to_hash_bucket_fast", hash::to_hash_bucket_fast),
    ("strings.to_hash_bucket", hash::to_hash_bucket),
    ("strings.bytes_split", bytes_split::bytes_split),
    ("strings.split", split::split),
    ("strings.unicode_decode", unicode_decode::decode),
    ("strings.unicode_split", unicode_split::split),
    ("strings.unicode_encode", unicode_encode::encode),
    ("strings.unicode_transcode", unicode_transcode::transcode),
];
