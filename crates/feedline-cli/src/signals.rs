//! Signals whose default would end the command without a word.

/// Has a write beyond the limit on the size of files (`ulimit -f`) fail as one on a full disk does. By default the system
/// ends the process instead: nobody is told why, and temporary files stay.
pub(crate) fn outlive_file_size_limit() {
    // SAFETY: the number is that of a signal, and to ignore it runs no code of ours; called first in `main`, before there
    // are other threads.
    unsafe { libc::signal(libc::SIGXFSZ, libc::SIG_IGN) };
}
