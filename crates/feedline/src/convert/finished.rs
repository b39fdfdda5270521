//! Which shards of an earlier run are there still, as they were written.
//!
//! A shard whose size and time are those in the journal is taken for the one that was written; to read it would make the
//! rerun of a finished conversion as slow as reading all of it. Where only the time is another (the set was copied, or somebody
//! wrote into it) it is read, and its checksum decides. What has another size, or another checksum, is made again.

use std::fs;
use std::path::Path;

use feedline_io::{Blob, LocalBlob, modified_ns};

use super::journal::{Past, ShardDone};
use super::options::{OnError, Options};
use super::outputs::Outputs;
use super::parallel::try_map;
use crate::error::Result;

/// The shards of an earlier run that need not be made again.
pub(super) fn finished_shards(outputs: &Outputs, past: &Past, options: &Options) -> Result<Vec<ShardDone>> {
    let Some(plan) = past.plan else { return Ok(Vec::new()) };
    let shards: Vec<&ShardDone> = past.shards.values().collect();
    let are_good = try_map(options.num_threads, &shards, |done| {
        // A shard with holes is not what a run without `--on-error skip` writes: it fails at the first of them.
        let may_skip = options.on_error == OnError::Skip || done.skipped.is_empty();
        Ok(may_skip && is_as_written(&outputs.shard(done.shard, plan.shards)?, done))
    })?;
    let good = shards.into_iter().zip(are_good).filter(|(_, is_good)| *is_good);
    Ok(good.map(|(done, _)| done.clone()).collect())
}

fn is_as_written(path: &Path, done: &ShardDone) -> bool {
    let Ok(metadata) = fs::metadata(path) else { return false };
    if !metadata.is_file() || metadata.len() != done.bytes {
        return false;
    }
    // One that cannot be read is made again, too.
    modified_ns(&metadata) == done.modified_ns
        || checksum_of(path).is_ok_and(|checksum| checksum == done.checksum)
}

fn checksum_of(path: &Path) -> Result<u64> {
    let blob = LocalBlob::open(path)?;
    let (mut checksum, mut offset) = (Checksum::default(), 0);
    let mut buffer = vec![0; blob.access().chunk_bytes];
    loop {
        let read = blob.read_at(&mut buffer, offset)?;
        if read == 0 {
            return Ok(checksum.finish());
        }
        checksum.add(&buffer[..read]);
        offset += read as u64;
    }
}

/// A checksum over the bytes of a shard, given in pieces: 64 bits, so that no change goes by unseen by chance.
pub(super) struct Checksum(crc_fast::Digest);

impl Default for Checksum {
    fn default() -> Checksum {
        Checksum(crc_fast::Digest::new(crc_fast::CrcAlgorithm::Crc64Nvme))
    }
}

impl Checksum {
    pub(super) fn add(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    pub(super) fn finish(&self) -> u64 {
        self.0.finalize()
    }
}
