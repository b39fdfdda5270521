//! An allocator for programs that make large tensors all the time.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, Once, OnceLock, TryLockError};
use std::time::{Duration, Instant};

use feedline_exec::{is_iterating, when_none_iterates};

/// The system's allocator, which keeps large pieces that were freed for a moment, and asks for large pages where they are very large.
///
/// Fresh memory is handed out by the system page by page, cleared, at the first touch of each, and that costs more than filling it. Batches are made,
/// looked at and dropped all the time, so the next one gets the memory of one that was dropped. What is fresh is cheaper in large pages: a batch of 38 MB
/// is 9,400 pages of 4 KiB, or 18 of 2 MiB. (Batches of 64 photos made floats, from Python, 2 cores: 21,000 photos a second without large pages, 34,000 with.)
///
/// What is kept are pieces of 256 KiB or more, as long as there is an iterator: so many bytes that with those in use they are no more than were in use at a time in the last second or two (or 16 MiB, in any
/// case); never more than 256 MiB or a 32nd of the memory the machine or its cgroup has, and none longer than a second while others come back. When the last iterator is gone, all but 16 MiB are
/// given back, and [`LargeMemory::trim`] gives back the rest. All allocators of this type share what is kept. Large pages
/// are advice (`madvise`): where the system has none, or gives them anyway, nothing changes.
///
/// On Linux, pieces of 4 MiB or more are mappings of their own, so what is not kept here is the system's again at once. The C library would keep up to twice
/// the largest piece that was ever freed for each of its arenas, of which threads have several: four batches of 19 MB were left when all was done.
///
/// A library must not choose the allocator of its program, so programs that use feedline say it, in one line:
///
/// ```
/// #[global_allocator]
/// static MEMORY: feedline::LargeMemory = feedline::LargeMemory::new();
/// # fn main() {}
/// ```
///
/// The `feedline` command does, and so does the Python package, for its own memory alone.
#[derive(Debug, Default)]
pub struct LargeMemory(());

static SHARED: Pieces = Pieces::new(is_iterating);

/// Has what is kept let go when nothing is made any more.
static TRIMMED: Once = Once::new();

/// Large pieces, in use and kept.
#[derive(Debug)]
struct Pieces {
    /// Never waited for: who does not get it does without. (In the child of a fork it may be held for ever, by a thread that is not there.)
    kept: Mutex<Kept>,
    /// Bytes of large pieces in use. Relaxed: a count, by which nothing else is read.
    used_bytes: AtomicUsize,
    /// Whether more is made all the time.
    is_making: fn() -> bool,
}

/// Smaller pieces the system's allocator has at hand.
const MIN_BYTES: usize = 256 << 10;
/// Large pages are 2 MiB; of one or two of them nothing may be left whole. From here on pieces are mappings of their own, too.
const MIN_PAGES_BYTES: usize = 4 << 20;
/// The smallest page there is: where a mapping begins.
#[cfg(target_os = "linux")]
const MAPPING_ALIGNMENT: usize = 4 << 10;
/// What is kept at most: three batches of 64 photos as floats, and as much again for what is computed on the way.
const MAX_KEPT_BYTES: usize = 256 << 20;
const MAX_KEPT: usize = 128;
/// So much may be kept in any case.
const SMALL_KEPT_BYTES: usize = 16 << 20;
/// And no larger part of the memory there is.
const PART_OF_MEMORY: u64 = 32;
/// What nobody has asked for so long is of a size that is not made any more.
const MAX_AGE: Duration = Duration::from_secs(1);
/// How often the lock is tried: it is held for some hundred nanoseconds, and never while the system is asked for anything.
const TRIES: usize = 64;
/// And by who gives back all that is kept: more often than there are pieces.
const TRIM_TRIES: usize = 64 * MAX_KEPT;

impl LargeMemory {
    /// The allocator.
    #[must_use]
    pub const fn new() -> LargeMemory {
        LargeMemory(())
    }

    /// Gives all that is kept back to the system.
    pub fn trim(&self) {
        SHARED.trim(0);
    }
}

impl Pieces {
    /// Nothing kept yet.
    const fn new(is_making: fn() -> bool) -> Pieces {
        let kept = Kept { pieces: [None; MAX_KEPT], len: 0, bytes: 0, peak: Peak::new() };
        Pieces { kept: Mutex::new(kept), used_bytes: AtomicUsize::new(0), is_making }
    }

    /// Keeps no more than `most_bytes`. It asks for the lock again and again, but does not wait for it for ever.
    fn trim(&self, most_bytes: usize) {
        for _ in 0..TRIM_TRIES {
            match self.with_kept(|kept| kept.take_excess(most_bytes, 0, None)) {
                Some(Some(piece)) => piece.give_back(),
                Some(None) => return,
                None => std::thread::yield_now(),
            }
        }
    }

    fn with_kept<T>(&self, act: impl FnOnce(&mut Kept) -> T) -> Option<T> {
        for _ in 0..TRIES {
            match self.kept.try_lock() {
                Ok(mut kept) => return Some(act(&mut kept)),
                Err(TryLockError::WouldBlock) => std::hint::spin_loop(),
                // Nothing here panics; if something did, what is kept stays where it is.
                Err(TryLockError::Poisoned(_)) => return None,
            }
        }
        None
    }

    /// A kept piece for `layout`, if there is one.
    fn take(&self, layout: Layout) -> Option<*mut u8> {
        let used_bytes = self.used_bytes.fetch_add(layout.size(), Ordering::Relaxed) + layout.size();
        self.with_kept(|kept| {
            kept.peak.see(used_bytes, Instant::now());
            kept.take(layout)
        })
        .flatten()
    }

    /// A piece of `old` bytes, for which `old_stepped` were asked, becomes one of `new`; small ones are not counted.
    fn count_change(&self, old: usize, old_stepped: usize, new: usize, new_stepped: usize) {
        if old >= MIN_BYTES {
            self.used_bytes.fetch_sub(old_stepped, Ordering::Relaxed);
        }
        if new >= MIN_BYTES {
            self.used_bytes.fetch_add(new_stepped, Ordering::Relaxed);
        }
    }
}

/// Pieces that were freed, in the order they were. Nothing of it allocates.
#[derive(Debug)]
struct Kept {
    pieces: [Option<Piece>; MAX_KEPT],
    len: usize,
    bytes: usize,
    peak: Peak,
}

/// The most that was in use at a time in the last second or two.
#[derive(Debug)]
struct Peak {
    /// When the second began that is under way; `None` before anything was in use.
    since: Option<Instant>,
    bytes: usize,
    /// In the second before.
    bytes_before: usize,
}

impl Peak {
    const fn new() -> Peak {
        Peak { since: None, bytes: 0, bytes_before: 0 }
    }

    /// So much is in use now.
    fn see(&mut self, used_bytes: usize, now: Instant) {
        let age = self.since.map_or(Duration::MAX, |since| now.saturating_duration_since(since));
        if age > MAX_AGE {
            self.bytes_before = if age > MAX_AGE * 2 { 0 } else { self.bytes };
            (self.since, self.bytes) = (Some(now), 0);
        }
        self.bytes = self.bytes.max(used_bytes);
    }

    fn bytes(&self) -> usize {
        self.bytes.max(self.bytes_before)
    }
}

#[derive(Clone, Copy, Debug)]
struct Piece {
    address: usize,
    layout: Layout,
    since: Instant,
}

impl Piece {
    fn new(memory: *mut u8, layout: Layout, since: Instant) -> Piece {
        Piece { address: memory.expose_provenance(), layout, since }
    }

    /// Lets the system have it.
    fn give_back(self) {
        // SAFETY: kept pieces came from `fresh` with this layout, and one that was taken from among them is nobody's.
        unsafe { give_back(std::ptr::with_exposed_provenance_mut(self.address), self.layout) };
    }
}

impl Kept {
    fn take(&mut self, layout: Layout) -> Option<*mut u8> {
        // The last to come back is the likeliest to be in a cache.
        let index = self.pieces[..self.len]
            .iter()
            .rposition(|piece| piece.is_some_and(|piece| piece.layout == layout))?;
        Some(self.remove(index))
    }

    /// Keeps a piece, if there is room for it in `max_bytes`; whether there was.
    fn put(&mut self, piece: Piece, max_bytes: usize) -> bool {
        let is_kept = self.len < MAX_KEPT && self.bytes + piece.layout.size() <= max_bytes;
        if is_kept {
            self.pieces[self.len] = Some(piece);
            self.len += 1;
            self.bytes += piece.layout.size();
        }
        is_kept
    }

    /// The oldest piece, where with `wanted_bytes` more there are more than `max_bytes`, or too many, or it is too old at `now`. It is to be
    /// given back, which takes longer than anybody may hold the lock.
    fn take_excess(&mut self, max_bytes: usize, wanted_bytes: usize, now: Option<Instant>) -> Option<Piece> {
        let oldest = self.pieces[0]?;
        let is_old = now.is_some_and(|now| now.saturating_duration_since(oldest.since) > MAX_AGE);
        let is_full = wanted_bytes > 0 && self.len == MAX_KEPT;
        (is_old || is_full || self.bytes + wanted_bytes > max_bytes).then(|| {
            self.remove(0);
            oldest
        })
    }

    fn remove(&mut self, index: usize) -> *mut u8 {
        let piece = self.pieces[index].expect("an index of a piece");
        self.pieces.copy_within(index + 1..self.len, index);
        self.len -= 1;
        self.pieces[self.len] = None;
        self.bytes -= piece.layout.size();
        std::ptr::with_exposed_provenance_mut(piece.address)
    }
}

/// How much is kept at most.
fn max_kept_bytes() -> usize {
    static MAX_BYTES: OnceLock<usize> = OnceLock::new();
    // Finding out takes memory, too, in pieces that are too small to be kept.
    *MAX_BYTES.get_or_init(|| {
        let part = feedline_exec::available_memory() / PART_OF_MEMORY;
        usize::try_from(part).unwrap_or(usize::MAX).min(MAX_KEPT_BYTES)
    })
}

/// What is asked of the system for `layout`: large sizes in steps of an eighth of the power of two below them, so that batches of about one size, as the last of an epoch, share their memory.
fn stepped(layout: Layout) -> Layout {
    let size = layout.size();
    if size < MIN_BYTES {
        return layout;
    }
    let step = (1_usize << size.ilog2()) / 8;
    let stepped = size.checked_next_multiple_of(step);
    stepped.and_then(|size| Layout::from_size_align(size, layout.align()).ok()).unwrap_or(layout)
}

// SAFETY: all memory is that of `fresh` or of `System`, asked for and given back with the layout that `stepped` makes of the caller's, which is at least as large and
// aligned as that; it is a function of the layout alone, and so is which of the two. A kept piece is in the list once and leaves it before it is handed out. Advice about pages
// changes no contents.
unsafe impl GlobalAlloc for Pieces {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if layout.size() < MIN_BYTES {
            // SAFETY: the caller's promises are those of `System`.
            return unsafe { System.alloc(layout) };
        }
        let layout = stepped(layout);
        // SAFETY: it is no smaller than the caller's, which is not empty.
        self.take(layout).unwrap_or_else(|| unsafe { fresh(layout, false) })
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if layout.size() < MIN_BYTES {
            // SAFETY: as above.
            return unsafe { System.alloc_zeroed(layout) };
        }
        let stepped = stepped(layout);
        match self.take(stepped) {
            Some(memory) => {
                // SAFETY: it is as large as `layout`, and nobody else's.
                unsafe { memory.write_bytes(0, layout.size()) };
                memory
            }
            // SAFETY: as above.
            None => unsafe { fresh(stepped, true) },
        }
    }

    #[inline]
    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        if layout.size() < MIN_BYTES && new_size < MIN_BYTES {
            // SAFETY: as above.
            return unsafe { System.realloc(memory, layout, new_size) };
        }
        // SAFETY: the caller promises that the new size makes a layout.
        let new = stepped(unsafe { Layout::from_size_align_unchecked(new_size, layout.align()) });
        let old = stepped(layout);
        if old == new {
            return memory;
        }
        // SAFETY: `memory` is that of `fresh` or `System` with the layout `old`, and neither layout is empty.
        let resized = unsafe { resized(memory, old, new) };
        if !resized.is_null() {
            self.count_change(layout.size(), old.size(), new_size, new.size());
        }
        resized
    }

    #[inline]
    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        if layout.size() < MIN_BYTES {
            // SAFETY: as above.
            return unsafe { System.dealloc(memory, layout) };
        }
        let layout = stepped(layout);
        let used_before = self.used_bytes.fetch_sub(layout.size(), Ordering::Relaxed);
        let used_bytes = used_before.saturating_sub(layout.size());
        let (most_bytes, is_making) = (max_kept_bytes(), (self.is_making)());
        let now = Instant::now();
        let max_bytes = self.with_kept(|kept| {
            kept.peak.see(used_bytes, now);
            let peak_bytes = if is_making { kept.peak.bytes() } else { 0 };
            peak_bytes.saturating_sub(used_bytes).max(SMALL_KEPT_BYTES).min(most_bytes)
        });
        let Some(max_bytes) = max_bytes else {
            // SAFETY: it was asked for with this layout.
            return unsafe { give_back(memory, layout) };
        };
        // One that is too large by itself drives no others out.
        let wanted_bytes = if layout.size() <= max_bytes { layout.size() } else { 0 };
        let excess = || self.with_kept(|kept| kept.take_excess(max_bytes, wanted_bytes, Some(now))).flatten();
        while let Some(piece) = excess() {
            piece.give_back();
        }
        let piece = Piece::new(memory, layout, now);
        if self.with_kept(|kept| kept.put(piece, max_bytes)) != Some(true) {
            // SAFETY: as above.
            unsafe { give_back(memory, layout) };
        }
    }
}

// SAFETY: as of what it hands on to.
unsafe impl GlobalAlloc for LargeMemory {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as the caller says; so below.
        unsafe { SHARED.alloc(layout) }
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as above.
        unsafe { SHARED.alloc_zeroed(layout) }
    }

    #[inline]
    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        // SAFETY: as above.
        unsafe { SHARED.realloc(memory, layout, new_size) }
    }

    #[inline]
    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        if layout.size() >= MIN_BYTES {
            TRIMMED.call_once(|| when_none_iterates(|| SHARED.trim(SMALL_KEPT_BYTES)));
        }
        // SAFETY: as above.
        unsafe { SHARED.dealloc(memory, layout) }
    }
}

/// Whether a piece of this layout is a mapping of its own.
fn is_mapping(layout: Layout) -> bool {
    #[cfg(target_os = "linux")]
    return layout.size() >= MIN_PAGES_BYTES && layout.align() <= MAPPING_ALIGNMENT;
    #[cfg(not(target_os = "linux"))]
    return false;
}

/// New memory, or null.
///
/// # Safety
/// The layout is not empty.
unsafe fn fresh(layout: Layout, is_zeroed: bool) -> *mut u8 {
    if is_mapping(layout) {
        mapping::create(layout.size())
    } else if is_zeroed {
        // SAFETY: as the caller says.
        unsafe { System.alloc_zeroed(layout) }
    } else {
        // SAFETY: as the caller says.
        unsafe { System.alloc(layout) }
    }
}

/// Memory of layout `old` as one of layout `new`, of the same alignment; null, and nothing changed, if there is none.
///
/// # Safety
/// `memory` came from `fresh`, or from `System` where it is small, with the layout `old`. Neither is empty.
unsafe fn resized(memory: *mut u8, old: Layout, new: Layout) -> *mut u8 {
    if is_mapping(old) != is_mapping(new) {
        // SAFETY: `new` is not empty; both pieces have the bytes that are copied, and the old one is not used any more.
        unsafe {
            let other = fresh(new, false);
            if !other.is_null() {
                memory.copy_to_nonoverlapping(other, old.size().min(new.size()));
                give_back(memory, old);
            }
            return other;
        }
    }
    if is_mapping(old) {
        // SAFETY: a mapping of that size.
        unsafe { mapping::resize(memory, old.size(), new.size()) }
    } else {
        // SAFETY: as the caller says.
        unsafe { System.realloc(memory, old, new.size()) }
    }
}

/// Lets go of memory.
///
/// # Safety
/// As of [`resized`], and nobody uses it any more.
unsafe fn give_back(memory: *mut u8, layout: Layout) {
    if is_mapping(layout) {
        // SAFETY: a mapping of that size.
        unsafe { mapping::remove(memory, layout.size()) };
    } else {
        // SAFETY: as the caller says.
        unsafe { System.dealloc(memory, layout) };
    }
}

/// Memory of the system's own, in whole pages.
#[cfg(target_os = "linux")]
mod mapping {
    use std::ptr;

    use rustix::mm::{Advice, MapFlags, MremapFlags, ProtFlags, madvise, mmap_anonymous, mremap, munmap};

    /// `len` bytes, all of them zero; null if there are none.
    pub(super) fn create(len: usize) -> *mut u8 {
        // SAFETY: a new mapping, where the kernel wants it.
        let mapped = unsafe {
            mmap_anonymous(ptr::null_mut(), len, ProtFlags::READ | ProtFlags::WRITE, MapFlags::PRIVATE)
        };
        mapped.map_or(ptr::null_mut(), |memory| with_large_pages(memory.cast(), len))
    }

    /// All of it: a part would be a mapping of its own to the system, and mappings are made larger one by one.
    fn with_large_pages(memory: *mut u8, len: usize) -> *mut u8 {
        // SAFETY: a mapping of that size, and this advice changes no contents. An error means that there are no large pages, which is none.
        let _ = unsafe { madvise(memory.cast(), len, Advice::LinuxHugepage) };
        memory
    }

    /// # Safety
    /// `memory` is a mapping of `len` bytes. If the result is not null, it takes its place.
    pub(super) unsafe fn resize(memory: *mut u8, len: usize, new_len: usize) -> *mut u8 {
        // SAFETY: as the caller says.
        let moved = unsafe { mremap(memory.cast(), len, new_len, MremapFlags::MAYMOVE) };
        moved.map_or(ptr::null_mut(), |memory| with_large_pages(memory.cast(), new_len))
    }

    /// # Safety
    /// `memory` is a mapping of `len` bytes, which nobody uses any more.
    pub(super) unsafe fn remove(memory: *mut u8, len: usize) {
        // SAFETY: as the caller says. It can fail only where the kernel may have no more mappings, and then the memory stays.
        let _ = unsafe { munmap(memory.cast(), len) };
    }
}

/// There are none: see [`is_mapping`].
#[cfg(not(target_os = "linux"))]
mod mapping {
    pub(super) fn create(_: usize) -> *mut u8 {
        std::ptr::null_mut()
    }

    pub(super) unsafe fn resize(_: *mut u8, _: usize, _: usize) -> *mut u8 {
        std::ptr::null_mut()
    }

    pub(super) unsafe fn remove(_: *mut u8, _: usize) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layout(num_bytes: usize) -> Layout {
        Layout::from_size_align(num_bytes, 64).expect("a power of two")
    }

    #[test]
    fn memory_of_any_size_is_as_it_was_asked_for() {
        let allocator = Pieces::new(|| true);
        for num_bytes in
            [1, 4096, MIN_BYTES - 1, MIN_BYTES, MIN_BYTES + 12_345, MIN_PAGES_BYTES, 9 * MIN_PAGES_BYTES + 1]
        {
            // Twice: fresh, and used before.
            for _ in 0..2 {
                // SAFETY: layouts are not empty; memory is written within its size, made larger and given back with the layout it has then.
                unsafe {
                    let memory = allocator.alloc_zeroed(layout(num_bytes));
                    let all = std::slice::from_raw_parts_mut(memory, num_bytes);
                    assert!(all.iter().all(|&byte| byte == 0), "{num_bytes}");
                    all.fill(7);
                    let memory = allocator.realloc(memory, layout(num_bytes), num_bytes * 2);
                    assert_eq!((memory.align_offset(64), *memory.add(num_bytes - 1)), (0, 7));
                    memory.write_bytes(9, num_bytes * 2);
                    let memory = allocator.realloc(memory, layout(num_bytes * 2), num_bytes);
                    assert_eq!(*memory.add(num_bytes - 1), 9);
                    allocator.dealloc(memory, layout(num_bytes));
                }
            }
        }
        allocator.trim(0);
        assert_eq!(allocator.with_kept(|kept| (kept.len, kept.bytes)), Some((0, 0)));
        assert_eq!(allocator.used_bytes.load(Ordering::Relaxed), 0);
    }

    #[test]
    fn what_was_freed_is_used_again_within_limits() {
        let allocator = Pieces::new(|| true);
        let kept = || allocator.with_kept(|kept| (kept.len, kept.bytes)).expect("nobody else has it");
        // SAFETY: pieces are given back once, with the layout they were asked for, and not touched.
        unsafe {
            let first = allocator.alloc(layout(1 << 20));
            allocator.dealloc(first, layout(1 << 20));
            assert_eq!(kept(), (1, 1 << 20));
            // Another size is not it; one a little smaller is.
            let small = allocator.alloc(layout(1 << 19));
            assert_ne!(small, first);
            assert_eq!(allocator.alloc(layout((1 << 20) - 100)), first);
            allocator.dealloc(small, layout(1 << 19));
            allocator.dealloc(first, layout((1 << 20) - 100));
            assert_eq!(kept(), (2, (1 << 20) + (1 << 19)));
            // The oldest make room.
            let quarter = max_kept_bytes().next_power_of_two() / 4;
            let in_use = [(); 5].map(|()| allocator.alloc(layout(quarter)));
            for memory in [(); 5].map(|()| allocator.alloc(layout(quarter))) {
                allocator.dealloc(memory, layout(quarter));
            }
            let most = (max_kept_bytes() / quarter, max_kept_bytes() / quarter * quarter);
            assert_eq!(kept(), most);
            // Larger than all that is kept.
            allocator.dealloc(allocator.alloc(layout(MAX_KEPT_BYTES + 1)), layout(MAX_KEPT_BYTES + 1));
            assert_eq!(kept(), most);
            let many: Vec<_> = (0..MAX_KEPT + 3).map(|_| allocator.alloc(layout(MIN_BYTES))).collect();
            many.into_iter().for_each(|memory| allocator.dealloc(memory, layout(MIN_BYTES)));
            let (len, bytes) = kept();
            assert!(len == MAX_KEPT || bytes + MIN_BYTES > max_kept_bytes(), "{len}");
            assert!(len <= MAX_KEPT && bytes <= max_kept_bytes(), "{bytes}");
            in_use.into_iter().for_each(|memory| allocator.dealloc(memory, layout(quarter)));
            assert_eq!(allocator.used_bytes.load(Ordering::Relaxed), 0);
        }
        allocator.trim(0);
        assert_eq!(kept(), (0, 0));
    }

    #[test]
    fn what_was_in_use_a_moment_ago_is_kept_as_long_as_more_is_made() {
        let piece = layout(8 << 20);
        let cases: [(fn() -> bool, usize); 2] = [(|| true, 8), (|| false, 2)];
        for (is_making, num_kept) in cases {
            let allocator = Pieces::new(is_making);
            // SAFETY: pieces are given back once, with the layout they were asked for, and not touched.
            unsafe {
                let all = [(); 8].map(|()| allocator.alloc(piece));
                all.into_iter().for_each(|memory| allocator.dealloc(memory, piece));
                assert_eq!(allocator.with_kept(|kept| kept.len), Some(num_kept));
                let again = [(); 8].map(|()| allocator.alloc(piece));
                assert!(again.iter().filter(|memory| all.contains(memory)).count() >= num_kept);
                again.into_iter().for_each(|memory| allocator.dealloc(memory, piece));
            }
            allocator.trim(SMALL_KEPT_BYTES);
            assert_eq!(allocator.with_kept(|kept| kept.bytes), Some(SMALL_KEPT_BYTES));
            allocator.trim(0);
        }
    }

    #[test]
    fn the_most_of_a_second_or_two_is_known() {
        let start = Instant::now();
        let mut peak = Peak::new();
        // Milliseconds, what is in use then, and what counts.
        for (ms, used_bytes, expected) in
            [(0, 5, 5), (500, 9, 9), (900, 2, 9), (1900, 3, 9), (3000, 1, 3), (3500, 2, 3), (9000, 1, 1)]
        {
            peak.see(used_bytes, start + Duration::from_millis(ms));
            assert_eq!(peak.bytes(), expected, "after {ms} ms");
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn what_is_not_kept_is_the_systems_again() {
        let resident_bytes = || {
            let status = std::fs::read_to_string("/proc/self/status").expect("Linux has it");
            let line = status.lines().find(|line| line.starts_with("VmRSS:")).expect("it is there");
            line.split_whitespace().nth(1).expect("a number").parse::<usize>().expect("a number") << 10
        };
        let batch = layout(19 << 20);
        let allocator = Pieces::new(|| true);
        let before = resident_bytes();
        // Each thread has an arena of the C library's, which maps no piece of a size that was freed once.
        for _ in 0..2 {
            std::thread::scope(|scope| {
                for _ in 0..4 {
                    // SAFETY: written within its size and given back once.
                    scope.spawn(|| unsafe {
                        let memory = allocator.alloc(batch);
                        memory.write_bytes(1, batch.size());
                        allocator.dealloc(memory, batch);
                    });
                }
            });
        }
        allocator.trim(0);
        assert!(resident_bytes() < before + (19 << 20), "{before} bytes before, {} now", resident_bytes());
    }

    #[test]
    fn threads_share_it() {
        let allocator = Pieces::new(|| true);
        std::thread::scope(|scope| {
            for thread in 1..=4_u8 {
                let allocator = &allocator;
                scope.spawn(move || {
                    for round in 0..200 {
                        let layout = layout(MIN_BYTES + round % 7 * 100_000);
                        // SAFETY: as above, and only this thread writes to it.
                        unsafe {
                            let memory = allocator.alloc(layout);
                            memory.write_bytes(thread, layout.size());
                            std::thread::yield_now();
                            let all = std::slice::from_raw_parts(memory, layout.size());
                            assert!(all.iter().all(|&byte| byte == thread));
                            allocator.dealloc(memory, layout);
                        }
                    }
                });
            }
        });
    }
}
