//! Making frames.

use super::{FOOTER_BYTES, HEADER_BYTES};
use crate::checksum::masked_crc32c;

/// Appends `data` to `out` as one record.
pub fn write_frame(out: &mut Vec<u8>, data: &[u8]) {
    out.reserve(data.len() + HEADER_BYTES + FOOTER_BYTES);
    write_frame_with(out, |out| out.extend_from_slice(data));
}

/// Appends as one record whatever `write` appends, so that a record is built in place instead of copied.
pub fn write_frame_with(out: &mut Vec<u8>, write: impl FnOnce(&mut Vec<u8>)) {
    let start = out.len();
    out.extend_from_slice(&[0; HEADER_BYTES]);
    let data_start = out.len();
    write(out);
    let length = ((out.len() - data_start) as u64).to_le_bytes();
    let data_checksum = masked_crc32c(&out[data_start..]);
    out[start..start + 8].copy_from_slice(&length);
    out[start + 8..data_start].copy_from_slice(&masked_crc32c(&length).to_le_bytes());
    out.extend_from_slice(&data_checksum.to_le_bytes());
}
