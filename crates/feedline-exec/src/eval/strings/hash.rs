//! Strings as numbers of buckets.

use super::super::{Arguments, Value};
use super::each_number;
use super::farmhash::fingerprint64;

pub(super) fn to_hash_bucket_fast(arguments: &mut Arguments<'_>) -> Vec<Value> {
    buckets(arguments, fingerprint64)
}

pub(super) fn to_hash_bucket(arguments: &mut Arguments<'_>) -> Vec<Value> {
    buckets(arguments, hash64)
}

fn buckets(arguments: &mut Arguments<'_>, hash: fn(&[u8]) -> u64) -> Vec<Value> {
    let num_buckets = arguments.call.int("num_buckets").unsigned_abs();
    each_number(arguments, |string| Ok((hash(string) % num_buckets) as i64))
}

/// TensorFlow's first hash: a `MurmurHash64A` with a seed of its own.
fn hash64(bytes: &[u8]) -> u64 {
    const FACTOR: u64 = 0xc6a4_a793_5bd1_e995;
    const SEED: u64 = 0x00de_cafc_affe;
    const SHIFT: u32 = 47;
    let mut hash = SEED ^ (bytes.len() as u64).wrapping_mul(FACTOR);
    let (words, rest) = bytes.as_chunks::<8>();
    for word in words {
        let mut mixed = u64::from_le_bytes(*word).wrapping_mul(FACTOR);
        mixed ^= mixed >> SHIFT;
        hash = (hash ^ mixed.wrapping_mul(FACTOR)).wrapping_mul(FACTOR);
    }
    if !rest.is_empty() {
        let mut last = [0; 8];
        last[..rest.len()].copy_from_slice(rest);
        hash = (hash ^ u64::from_le_bytes(last)).wrapping_mul(FACTOR);
    }
    hash = (hash ^ (hash >> SHIFT)).wrapping_mul(FACTOR);
    hash ^ (hash >> SHIFT)
}
