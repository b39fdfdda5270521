//! Large buffers, asked for rather than taken: where the machine has too little memory the answer is an error with the
//! size and the remedy, not the end of the process.

use std::collections::TryReserveError;
use std::path::Path;

use feedline_io::{Error as IoError, ErrorKind as IoErrorKind};

use crate::error::Error;

/// Makes `buffer` `len` bytes long, new ones zero. It has then no more memory than that, unless it had before: to double
/// two gigabytes because one more byte is wanted is how such limits are met.
pub(crate) fn resize(buffer: &mut Vec<u8>, len: u64) -> Result<(), TryReserveError> {
    let len = usize::try_from(len).unwrap_or(usize::MAX);
    reserve(buffer, len.saturating_sub(buffer.len()))?;
    buffer.resize(len, 0);
    Ok(())
}

/// Makes room for `additional` more elements, as `Vec` grows where it has to by little.
pub(crate) fn reserve<T>(buffer: &mut Vec<T>, additional: usize) -> Result<(), TryReserveError> {
    // Doubling makes many small steps cheap; from here on the steps are large.
    const LARGE: usize = 16 << 20;
    if additional < LARGE { buffer.try_reserve(additional) } else { buffer.try_reserve_exact(additional) }
}

impl Error {
    /// The machine has too little memory to `operation`, which takes `num_bytes`.
    #[cold]
    pub(crate) fn memory(path: &Path, operation: &str, num_bytes: u64) -> Error {
        let found = format!("it takes {num_bytes} bytes at once, more memory than this process can have");
        let hint = "give it more: a higher limit (`ulimit -v`, or that of the container) or a larger machine; \
                    fewer `--threads` take less";
        IoError::new(IoErrorKind::OutOfMemory, path, operation, found).with_hint(hint).into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_had_is_an_error_and_changes_nothing() {
        let mut buffer = vec![1, 2, 3];
        assert!(resize(&mut buffer, u64::MAX / 2).is_err());
        assert_eq!(buffer, [1, 2, 3]);
        resize(&mut buffer, 5).unwrap();
        assert_eq!(buffer, [1, 2, 3, 0, 0]);
        resize(&mut buffer, 1).unwrap();
        assert_eq!(buffer, [1]);
    }
}
