//! Asking memory for bytes before they are needed.

/// Bytes of a record that are asked for; what lies behind them the processor fetches by itself once it sees the pattern, and
/// more at a time than it has places for would be dropped.
const MAX_BYTES: usize = 1024;
const CACHE_LINE_BYTES: usize = 64;

/// Asks for `bytes`, without waiting for them. Records that were shuffled lie anywhere: a parser, which must know where one
/// field ends to find the next, would wait for each of their cache lines in turn.
#[inline]
pub(crate) fn prefetch(bytes: &[u8]) {
    #[cfg(target_arch = "x86_64")]
    for line in bytes[..bytes.len().min(MAX_BYTES)].chunks(CACHE_LINE_BYTES) {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a hint; it reads nothing the program could see, and the address is one of a byte that is there.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(line.as_ptr().cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = bytes;
}
