//! Cutting text into rows, a piece at a time.

/// Finds where the rows of a text begin.
///
/// Give it the text in pieces of any size: it keeps the little it must know of what came before. Started anew at the
/// first byte of any row, it goes on as one that has read from the beginning.
pub trait RowSplitter: Clone + Send + Sync {
    /// Reads on through `bytes` and calls `on_row` with the place in `bytes` of the first byte of each row.
    fn push(&mut self, bytes: &[u8], on_row: impl FnMut(usize));
}
