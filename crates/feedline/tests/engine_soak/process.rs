//! What this process uses of the machine.

use std::fmt;
use std::fs;
use std::thread;
use std::time::{Duration, Instant};

/// Threads, open files and memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Usage {
    /// Threads of pools.
    pub(super) workers: usize,
    pub(super) io_threads: usize,
    pub(super) files: usize,
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
        Usage { workers, io_threads, files, resident_bytes: kib << 10 }
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
        let Usage { workers, io_threads, files, resident_bytes } = self;
        let mib = resident_bytes >> 20;
        write!(f, "{workers} workers, {io_threads} I/O threads, {files} files open, {mib} MiB")
    }
}
