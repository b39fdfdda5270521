//! What this process uses of the machine.

use std::alloc::{GlobalAlloc, Layout, System};
use std::fmt;
use std::fs;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// Bytes allocated and not freed: unlike what the system says this process uses, it says nothing of memory that the
/// allocator keeps in pieces. Wrapping, relaxed: a count.
static LIVE_BYTES: AtomicU64 = AtomicU64::new(0);

/// The system's allocator, counted.
struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

// SAFETY: all calls go on to the system's allocator as they are.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        LIVE_BYTES.fetch_add(layout.size() as u64, Ordering::Relaxed);
        // SAFETY: the caller's promise is the one asked for.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        LIVE_BYTES.fetch_sub(layout.size() as u64, Ordering::Relaxed);
        // SAFETY: as above.
        unsafe { System.dealloc(place, layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        LIVE_BYTES.fetch_add(layout.size() as u64, Ordering::Relaxed);
        // SAFETY: as above.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, place: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        LIVE_BYTES.fetch_add((new_size as u64).wrapping_sub(layout.size() as u64), Ordering::Relaxed);
        // SAFETY: as above.
        unsafe { System.realloc(place, layout, new_size) }
    }
}

/// Threads, open files and memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Usage {
    /// Threads of pools.
    pub(super) workers: usize,
    pub(super) io_threads: usize,
    pub(super) files: usize,
    pub(super) live_bytes: u64,
    pub(super) resident_bytes: u64,
}

impl Usage {
    pub(super) fn now() -> Usage {
        let tasks = fs::read_dir("/proc/self/task").unwrap().flatten();
        // One that ends meanwhile has no name any more.
        let names: Vec<String> =
            tasks.filter_map(|task| fs::read_to_string(task.path().join("comm")).ok()).collect();
        let io_threads = names.iter().filter(|name| name.trim() == "feedline-io").count();
        let workers = names.iter().filter(|name| name.starts_with("feedline-")).count() - io_threads;
        let status = fs::read_to_string("/proc/self/status").unwrap();
        let resident = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
        let kib: u64 = resident.trim().trim_end_matches("kB").trim().parse().unwrap();
        let files = fs::read_dir("/proc/self/fd").unwrap().count();
        Usage {
            workers,
            io_threads,
            files,
            live_bytes: LIVE_BYTES.load(Ordering::Relaxed),
            resident_bytes: kib << 10,
        }
    }

    /// As it is when what was dropped has ended: no more workers than there are cores, and no file that only I/O threads
    /// had open. Where there is time, the I/O threads have ended too.
    pub(super) fn settled(waits_for_io: bool) -> Usage {
        let cores = thread::available_parallelism().map_or(1, usize::from);
        let start = Instant::now();
        let mut usage = Usage::now();
        let mut files = usize::MAX;
        // Files: until two looks in a row find the same.
        while (usage.workers > cores || waits_for_io && usage.io_threads > 0 || files != usage.files)
            && start.elapsed() < super::SETTLE
        {
            files = usage.files;
            thread::sleep(Duration::from_millis(50));
            usage = Usage::now();
        }
        usage
    }
}

impl fmt::Display for Usage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Usage { workers, io_threads, files, live_bytes, resident_bytes } = self;
        let (kib, mib) = (live_bytes >> 10, resident_bytes >> 20);
        write!(
            f,
            "{workers} workers, {io_threads} I/O threads, {files} files, {kib} KiB allocated, {mib} MiB resident"
        )
    }
}
