//! A position in the bytes of an image that never leaves them: the end is an error with a name, not a panic.

use crate::error::ImageError;
use crate::info::ImageFormat;
use std::fmt::Display;

#[derive(Clone, Copy)]
pub(crate) struct Reader<'a> {
    bytes: &'a [u8],
    position: usize,
    format: ImageFormat,
}

impl<'a> Reader<'a> {
    /// Starts at `position`, which may lie beyond the end.
    pub(crate) fn new(bytes: &'a [u8], position: usize, format: ImageFormat) -> Self {
        Self { bytes, position, format }
    }

    pub(crate) fn position(&self) -> usize {
        self.position
    }

    pub(crate) fn is_at_end(&self) -> bool {
        self.position >= self.bytes.len()
    }

    /// The next `len` bytes, which belong to `what`; that is put into words only if they are not there.
    pub(crate) fn take(&mut self, len: usize, what: impl Display) -> Result<&'a [u8], ImageError> {
        let rest = self.bytes.get(self.position..).unwrap_or_default();
        match rest.get(..len) {
            Some(taken) => {
                self.position += len;
                Ok(taken)
            }
            None => Err(self.truncated(format!("{what} needs {len} bytes, found {}", rest.len()))),
        }
    }

    /// As [`take`](Self::take), for a number of bytes known when compiling.
    pub(crate) fn array<const N: usize>(&mut self, what: impl Display) -> Result<[u8; N], ImageError> {
        let mut array = [0; N];
        array.copy_from_slice(self.take(N, what)?);
        Ok(array)
    }

    pub(crate) fn truncated(&self, message: impl Into<String>) -> ImageError {
        ImageError::truncated(self.format, self.position.min(self.bytes.len()), message)
    }

    pub(crate) fn corrupt(&self, message: impl Into<String>) -> ImageError {
        ImageError::corrupt(self.format, self.position, message)
    }
}
