//! Making frames.

use super::{FOOTER_BYTES, HEADER_BYTES, MAX_RECORD_BYTES};
use crate::checksum::masked_crc32c;
use crate::error::{Error, ErrorKind, Result};

/// Appends `data` to `out` as one record.
///
/// An error, and nothing appended, if it is longer than [`MAX_RECORD_BYTES`]: readers would refuse it.
pub fn write_frame(out: &mut Vec<u8>, data: &[u8]) -> Result<()> {
    check_length(data.len(), MAX_RECORD_BYTES)?;
    out.reserve(data.len() + HEADER_BYTES + FOOTER_BYTES);
    write_frame_with(out, |out| out.extend_from_slice(data))
}

/// Appends as one record whatever `write` appends, so that a record is built in place instead of copied.
///
/// An error, and nothing appended, if that is longer than [`MAX_RECORD_BYTES`]: readers would refuse it.
pub fn write_frame_with(out: &mut Vec<u8>, write: impl FnOnce(&mut Vec<u8>)) -> Result<()> {
    write_up_to(MAX_RECORD_BYTES, out, write)
}

#[inline]
fn write_up_to(limit: u64, out: &mut Vec<u8>, write: impl FnOnce(&mut Vec<u8>)) -> Result<()> {
    let start = out.len();
    out.extend_from_slice(&[0; HEADER_BYTES]);
    let data_start = out.len();
    write(out);
    let num_bytes = out.len() - data_start;
    if let Err(error) = check_length(num_bytes, limit) {
        out.truncate(start);
        return Err(error);
    }
    let length = (num_bytes as u64).to_le_bytes();
    let data_checksum = masked_crc32c(&out[data_start..]);
    out[start..start + 8].copy_from_slice(&length);
    out[start + 8..data_start].copy_from_slice(&masked_crc32c(&length).to_le_bytes());
    out.extend_from_slice(&data_checksum.to_le_bytes());
    Ok(())
}

#[inline]
fn check_length(num_bytes: usize, limit: u64) -> Result<()> {
    let length = num_bytes as u64;
    if length > limit { Err(Error::new(ErrorKind::TooLong { length, limit })) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::super::{FrameReader, ReadOptions};
    use super::*;

    #[test]
    fn what_readers_refuse_is_not_written() {
        // Never touched, so that it takes no memory.
        let huge = vec![0; MAX_RECORD_BYTES as usize + 1];
        let mut out = b"before".to_vec();
        let error = write_frame(&mut out, &huge).unwrap_err();
        assert_eq!(out, b"before");
        assert_eq!(
            error.to_string(),
            "the record has 2147483648 bytes, more than the limit of 2147483647\n\
             hint: no protocol buffer is longer than 2 GiB, so no Example is; write the data as several records"
        );
        assert_eq!(ReadOptions::default().max_record_bytes, MAX_RECORD_BYTES, "one limit for both");
    }

    #[test]
    fn what_is_built_in_place_and_too_long_is_taken_back() {
        let mut out = Vec::new();
        for (num_bytes, is_written) in [(9, true), (10, true), (11, false), (10, true)] {
            let before = out.len();
            let written = write_up_to(10, &mut out, |out| out.resize(out.len() + num_bytes, 7));
            assert_eq!(written.is_ok(), is_written, "{num_bytes} bytes");
            assert_eq!(out.len() > before, is_written, "{num_bytes} bytes");
        }
        let (mut reader, mut records) = (FrameReader::default(), Vec::new());
        assert_eq!(reader.read(&out, &mut records).unwrap(), out.len());
        assert_eq!(records, [&[7; 9][..], &[7; 10], &[7; 10]]);
    }
}
