//! What the user may say about how a plan runs. Nothing of it changes what comes out, but for the order if that is given up.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use feedline_plan::{Optimizer, Plan, PlanError};

use crate::budget::Budget;
use crate::error::ExecError;
use crate::lower::check_size;
use crate::notices::Notices;
use crate::per_process::PerProcess;
use crate::runtime::{DEFAULT_BLOCK_BYTES, DEFAULT_COMMIT_AFTER};
use crate::spill_folder::SpillFolder;
use crate::stall::StallWatch;
use crate::workers::Pool;

/// How a plan runs: threads, memory, and what the optimizer may do. The defaults fit the machine, or the part of it this process may use.
///
/// What a program does not say, the environment may: `FEEDLINE_THREADS` (a number), `FEEDLINE_MEMORY_BUDGET` (bytes, or
/// `512M`, `8G`), `FEEDLINE_SPILL_DIR` (a folder) and `FEEDLINE_STALL_S` (seconds).
#[derive(Clone, Debug, Default)]
pub struct Options {
    threads: Option<usize>,
    budget_bytes: Option<u64>,
    spill_dir: Option<PathBuf>,
    block_bytes: Option<usize>,
    optimizer: Optimizer,
    stall_after: Option<Duration>,
    commit_after: Option<Duration>,
    notices: Notices,
    deterministic: Option<bool>,
}

impl Options {
    /// The defaults.
    pub fn new() -> Options {
        Options::default()
    }

    /// Worker threads. 0 runs everything on the thread that asks, one step after the other: the reference all other ways
    /// must equal. By default all iterators share one pool with a thread for each core.
    #[must_use]
    pub fn threads(self, threads: usize) -> Options {
        Options { threads: Some(threads), ..self }
    }

    /// Bytes for everything in flight of an iterator: buffers, queues, caches.
    ///
    /// All iterators of a process share one budget, the process's: what `FEEDLINE_MEMORY_BUDGET` says when the first of them is made, or a quarter
    /// of the memory this process may use. What is given here is an iterator's own limit within that. More than the process has is
    /// taken at its word: such an iterator has a budget of its own beside the process's, and so have the caches it fills. The same goes for
    /// a `FEEDLINE_MEMORY_BUDGET` that is changed later. An iterator is never stopped by what others hold, only kept from running ahead; a shuffle
    /// that does not fit beside theirs is an error that says so.
    ///
    /// What may be held beyond it: a block, or an element that is larger, for each step and each worker; a batch that is put together is there
    /// twice while it is; read buffers that wait to be used again, up to a sixteenth.
    #[must_use]
    pub fn memory_budget(self, bytes: u64) -> Options {
        Options { budget_bytes: Some(bytes), ..self }
    }

    /// A folder for what the budget has no room for: a shuffle whose buffer is too large keeps the rest of its elements in
    /// files there instead of failing. They have no names and go with the iterator, also when the process is killed. The
    /// folder should be on a fast local disk, not in memory; picks from it cost a read each. By default there is none.
    #[must_use]
    pub fn spill_dir(self, path: impl Into<PathBuf>) -> Options {
        Options { spill_dir: Some(path.into()), ..self }
    }

    /// Aimed-at bytes of a block; 1 makes every element its own. For tests: it shows in nothing but speed.
    #[must_use]
    pub fn block_size(self, bytes: usize) -> Options {
        Options { block_bytes: Some(bytes), ..self }
    }

    /// Whether plans are optimized; they are, unless told otherwise. It shows in speed and in `explain` only: elements,
    /// errors and saved states are the same.
    #[must_use]
    pub fn optimizer(self, is_on: bool) -> Options {
        Options { optimizer: self.optimizer.switched(is_on), ..self }
    }

    /// Without one rule of the optimizer, by the name `explain` calls it.
    ///
    /// # Errors
    /// If there is no such rule, with the one that was probably meant.
    pub fn without_rule(self, name: &str) -> Result<Options, PlanError> {
        Ok(Options { optimizer: self.optimizer.clone().without(name)?, ..self })
    }

    /// How long nothing may move while an iterator waits for its next element before it tells who waits for whom: 30 seconds
    /// by default; zero is never. Told once a stall, to standard error or [`Options::on_notice`]; the iterator goes on waiting.
    /// Without workers nobody watches: the thread that asks does all the work itself.
    #[must_use]
    pub fn stall_after(self, time: Duration) -> Options {
        Options { stall_after: Some(time), ..self }
    }

    /// How long elements that a cache in files has computed may wait to be written: ten seconds by default, after which they are however few
    /// they are, so that a kill loses no more than that. It is looked at as elements come: while the consumer pauses nothing is written.
    #[must_use]
    pub fn commit_after(self, time: Duration) -> Options {
        Options { commit_after: Some(time), ..self }
    }

    /// Where an iterator tells what is no error, instead of standard error: a stall, a cache that outgrew the memory budget.
    /// Called on the thread that notices, which may be a worker.
    #[must_use]
    pub fn on_notice(self, tell: impl Fn(&str) + Send + Sync + 'static) -> Options {
        Options { notices: Notices::new(tell), ..self }
    }

    /// Whether `map` and `interleave` keep the order where they do not say themselves (`Dataset::deterministic` right behind one
    /// wins, both ways); they do, unless told otherwise. If they do not, every element still comes exactly once, also after a
    /// resume. It is a part of what a dataset is: its text, its fingerprint and saved states are those of a plan that says so step by step.
    #[must_use]
    pub fn deterministic(self, is_deterministic: bool) -> Options {
        Options { deterministic: Some(is_deterministic), ..self }
    }

    /// `plan` with what these options say about it: whether steps that do not say so themselves keep the order.
    pub fn decided(&self, plan: &Plan) -> Plan {
        if self.deterministic == Some(false) { plan.with_order_given_up() } else { plan.clone() }
    }

    /// The optimizer with these rules.
    pub fn as_optimizer(&self) -> &Optimizer {
        &self.optimizer
    }

    /// `plan` as it runs.
    pub(crate) fn optimize(&self, plan: &Plan) -> Result<Plan, ExecError> {
        check_size(plan)?;
        // Numbered, so that errors can say which of the user's steps they are of.
        let optimized = self.optimizer.optimize(&plan.numbered());
        optimized.map(|optimized| optimized.plan).map_err(|error| ExecError::internal(error.to_string()))
    }

    pub(crate) fn pool(&self) -> Result<Option<Arc<Pool>>, ExecError> {
        let threads = match self.threads {
            Some(threads) => Some(threads),
            None => from_environment(THREADS_VARIABLE, |text| text.parse().ok())?,
        };
        Ok(match threads {
            None => Some(Pool::shared()?),
            Some(0) => None,
            Some(threads) if threads > MAX_THREADS => {
                return Err(ExecError::resource(format!("{threads} worker threads: there can be {MAX_THREADS}"))
                    .with_hint(format!("as many as there are cores are enough: leave Options::threads and {THREADS_VARIABLE} unset")));
            }
            Some(threads) => Some(Pool::new(threads)?),
        })
    }

    pub(crate) fn budget(&self) -> Result<Arc<Budget>, ExecError> {
        let from_variable = from_environment(BUDGET_VARIABLE, parse_bytes)?;
        let process = process_budget(from_variable);
        let bytes = self.budget_bytes.or(from_variable).unwrap_or(process.limit_bytes());
        Ok(if bytes <= process.limit_bytes() { Budget::within(process, bytes) } else { Budget::new(bytes) })
    }

    pub(crate) fn spill_folder(&self) -> Result<Option<SpillFolder>, ExecError> {
        let from_environment = || std::env::var_os(SPILL_VARIABLE).filter(|path| !path.is_empty());
        let path = self.spill_dir.clone().or_else(|| from_environment().map(PathBuf::from));
        path.map(SpillFolder::new).transpose()
    }

    pub(crate) fn notices(&self) -> Notices {
        self.notices.clone()
    }

    pub(crate) fn stall_watch(&self) -> Result<StallWatch, ExecError> {
        let after = match self.stall_after {
            Some(after) => Some(after),
            None => from_environment(STALL_VARIABLE, |text| {
                text.parse().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
            })?,
        };
        Ok(StallWatch::new(after.unwrap_or(DEFAULT_STALL), self.notices()))
    }

    pub(crate) fn commit_interval(&self) -> Duration {
        self.commit_after.unwrap_or(DEFAULT_COMMIT_AFTER)
    }

    pub(crate) fn block_bytes(&self) -> usize {
        self.block_bytes.unwrap_or(DEFAULT_BLOCK_BYTES).max(1)
    }
}

/// More than any machine has cores; asked for many more, a system has no threads left for others.
const MAX_THREADS: usize = 4096;
/// Worker threads, where the program does not say.
const THREADS_VARIABLE: &str = "FEEDLINE_THREADS";
/// The memory budget, where the program does not say: bytes, or with a unit (`512M`, `8G`).
const BUDGET_VARIABLE: &str = "FEEDLINE_MEMORY_BUDGET";

/// The folder for what memory has no room for, where the program does not say.
const SPILL_VARIABLE: &str = "FEEDLINE_SPILL_DIR";

/// Seconds without movement that are a stall, where the program does not say; 0: none are.
const STALL_VARIABLE: &str = "FEEDLINE_STALL_S";
/// Longer than a slow read or a slow function takes, shorter than a person waits before looking.
const DEFAULT_STALL: Duration = Duration::from_secs(30);

/// The budget that all iterators of this process share; with `limit_bytes` where there is none yet.
fn process_budget(limit_bytes: Option<u64>) -> &'static Arc<Budget> {
    static BUDGET: PerProcess<Arc<Budget>> = PerProcess::new();
    BUDGET.get(|| Budget::new(limit_bytes.unwrap_or_else(|| available_memory() / 4)))
}

/// What an environment variable says, if it is set to something.
fn from_environment<T>(name: &str, parse: impl FnOnce(&str) -> Option<T>) -> Result<Option<T>, ExecError> {
    let Some(text) = std::env::var_os(name).filter(|text| !text.is_empty()) else { return Ok(None) };
    // What is no text is no number.
    let text = text.to_string_lossy();
    let value = parse(text.trim()).ok_or_else(|| {
        ExecError::resource(format!("the environment variable {name} is `{text}`, which is no number"))
            .with_hint("set it to a number (bytes: 512M, 8G), or unset it")
    })?;
    Ok(Some(value))
}

/// Bytes as people write them: `1000`, `64K`, `512M`, `8G`, `1T`, with or without `B` or `iB` behind the unit.
fn parse_bytes(text: &str) -> Option<u64> {
    let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let unit = unit.trim().trim_end_matches(['b', 'B']).trim_end_matches('i').to_ascii_uppercase();
    let shift = match unit.as_str() {
        "" => 0,
        "K" => 10,
        "M" => 20,
        "G" => 30,
        "T" => 40,
        _ => return None,
    };
    number.parse::<u64>().ok()?.checked_mul(1 << shift)
}

/// Memory this process may use: the machine's, or its cgroup's limit if that is less.
pub fn available_memory() -> u64 {
    let read = |path: &Path| std::fs::read_to_string(path).ok();
    let machine = read(Path::new("/proc/meminfo")).and_then(|text| total_memory(&text));
    let groups = read(Path::new("/proc/self/cgroup")).unwrap_or_default();
    let limits = cgroup_limits(&groups);
    let cgroup = limits.iter().filter_map(|path| read(path)?.trim().parse().ok()).min();
    // Where neither can be read: 4 GiB, small enough for any machine that trains.
    machine.into_iter().chain(cgroup).min().unwrap_or(4 << 30)
}

/// The files with the limits of the cgroups in `/proc/self/cgroup`, and of those around each: any of them may be the tightest.
/// In a container they may be anywhere; its own is then the outermost.
fn cgroup_limits(groups: &str) -> Vec<PathBuf> {
    let of_group = |line: &str| -> Option<Vec<PathBuf>> {
        let (_, group) = line.split_once(':')?;
        let (controllers, path) = group.split_once(':')?;
        let (root, file) = match controllers {
            "" => ("/sys/fs/cgroup", "memory.max"),
            _ if controllers.split(',').any(|name| name == "memory") => {
                ("/sys/fs/cgroup/memory", "memory.limit_in_bytes")
            }
            _ => return None,
        };
        let around = Path::new(path.trim_start_matches('/')).ancestors();
        Some(around.map(|group| Path::new(root).join(group).join(file)).collect())
    };
    groups.lines().filter_map(of_group).flatten().collect()
}

/// The total of a `/proc/meminfo`.
fn total_memory(meminfo: &str) -> Option<u64> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok().map(|kib| kib * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_without_end_are_refused() {
        let error = Options::new().threads(1_000_000).pool().expect_err("too many").to_string();
        assert!(error.contains("1000000 worker threads") && error.contains("unset"), "{error}");
    }

    #[test]
    fn bytes_are_read_as_people_write_them() {
        let cases =
            [("1000", 1000), ("64K", 65536), ("512M", 512 << 20), ("8G", 8 << 30), ("2 GiB", 2 << 30)];
        for (text, bytes) in cases {
            assert_eq!(parse_bytes(text), Some(bytes), "{text}");
        }
        for text in ["", "G", "-1", "1.5G", "8X", "99999999999T"] {
            assert_eq!(parse_bytes(text), None, "{text}");
        }
    }

    #[test]
    fn memory_is_read_as_the_kernel_writes_it() {
        assert_eq!(total_memory("MemTotal:       16384256 kB\nMemFree: 1 kB\n"), Some(16_384_256 * 1024));
        assert_eq!(total_memory("nothing"), None);
        assert!(available_memory() > 0);
    }

    #[test]
    fn limits_of_all_cgroups_around_are_looked_at() {
        let limits = |groups| -> Vec<String> {
            cgroup_limits(groups).iter().map(|path| path.display().to_string()).collect()
        };
        assert_eq!(
            limits("0::/train.slice/run\n"),
            [
                "/sys/fs/cgroup/train.slice/run/memory.max",
                "/sys/fs/cgroup/train.slice/memory.max",
                "/sys/fs/cgroup/memory.max"
            ]
        );
        assert_eq!(limits("0::/\n"), ["/sys/fs/cgroup/memory.max"]);
        let old = "5:cpu,cpuacct:/a\n4:memory:/a\n";
        assert_eq!(
            limits(old),
            ["/sys/fs/cgroup/memory/a/memory.limit_in_bytes", "/sys/fs/cgroup/memory/memory.limit_in_bytes"]
        );
        assert!(limits("").is_empty() && limits("nonsense").is_empty());
    }
}
