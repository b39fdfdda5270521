//! Kernels of strings, a file a job.

mod as_string;
mod automaton;
mod case;
mod each;
mod farmhash;
mod format;
mod hash;
mod join;
mod number;
mod printf;
mod ragged;
mod regex;
mod spaces;
mod split;
mod substr;
mod unicode;

use super::Kernel;
pub(super) use each::{each_number, each_string, each_string_in, shown};
pub(super) use farmhash::fingerprint64;
pub(super) use number::{Parsed, parse_number, parse_number_in};

/// The kernel of each operation of strings.
pub(super) const KERNELS: &[(&str, Kernel)] = &[
    ("strings.lower", case::lower),
    ("strings.upper", case::upper),
    ("strings.strip", substr::strip),
    ("strings.length", substr::length),
    ("strings.substr", substr::substr),
    ("strings.join", join::join),
    ("strings.reduce_join", join::reduce_join),
    ("strings.regex_full_match", regex::full_match),
    ("strings.regex_replace", regex::replace),
    ("strings.to_number", number::to_number),
    ("strings.as_string", as_string::as_string),
    ("strings.format", format::format),
    ("strings.to_hash_bucket_fast", hash::to_hash_bucket_fast),
    ("strings.to_hash_bucket", hash::to_hash_bucket),
    ("strings.bytes_split", split::bytes_split),
    ("strings.split", split::split),
    ("strings.unicode_decode", unicode::decode),
    ("strings.unicode_split", unicode::split),
    ("strings.unicode_encode", unicode::encode),
    ("strings.unicode_transcode", unicode::transcode),
];
