//! Bytes that were handed out and are still in use.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use feedline_data::block::Block;

/// Counts what the caller holds. Blocks leave the budget when they are handed out; here they are counted until the last
/// view of their memory is gone, which may be after the iterator is.
#[derive(Clone, Debug, Default)]
pub(crate) struct HeldByCaller(Arc<AtomicU64>);

impl HeldByCaller {
    /// `block`, counted from now on. One allocation a column, none an element. Columns of which nobody else has any memory may be written to
    /// by the caller.
    pub(crate) fn count(&self, block: Block) -> Block {
        let bytes = block.byte_size() as u64;
        if bytes == 0 {
            return block;
        }
        // Relaxed: a count.
        self.0.fetch_add(bytes, Ordering::Relaxed);
        let share: Arc<Share> = Arc::new(Share { held: self.clone(), bytes });
        block.with_each_column(|column| column.keeping(Arc::clone(&share) as _))
    }

    /// Bytes held now.
    pub(crate) fn bytes(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// The part of it that is one block.
struct Share {
    held: HeldByCaller,
    bytes: u64,
}

impl Drop for Share {
    fn drop(&mut self) {
        self.held.0.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}
