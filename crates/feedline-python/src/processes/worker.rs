//! One process that runs a function, and the conversation with it.
//!
//! What goes through the socket are messages of five words, the kind and four numbers; files for shared memory go along, and
//! what is neither (the function, an exception) follows. The process answers each request before it gets the next, so memory
//! that it wrote to is free to be read until it is named in a request again.

use std::ffi::OsString;
use std::io::{self, IoSlice, Read, Write};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use feedline::data::block::Tensor;
use rustix::net::{SendAncillaryBuffer, SendAncillaryMessage, SendFlags, sendmsg};

use super::layout;
use super::memory::SharedMemory;

/// Results that can be held here while the process goes on with others; what comes then is copied. Each is an open file, of
/// which a program may have a thousand or so.
const MAX_OUTPUTS: usize = 32;

/// How often who waits for an answer looks whether it is still wanted. An iterator that is closed is to leave nothing behind for longer than
/// a fifth of a second.
const LOOKS_EVERY: Duration = Duration::from_millis(100);

/// The place whose results are always copied, so that one is always free.
const COPIED: usize = 0;

/// Libraries beneath numpy that would start a thread for each core in each process.
const ONE_THREAD: [&str; 3] = ["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"];

/// What a process is started with.
pub(super) struct Recipe {
    /// Program and arguments.
    pub(super) command: Vec<OsString>,
    /// What it is told first: the function and the like, for `_worker.py` to read.
    pub(super) setup: Vec<u8>,
}

/// What became of a call.
pub(super) enum Answer {
    /// Its tensors, and where they are not put together as was said, how.
    Result(Vec<Tensor>, Option<Vec<u8>>),
    /// An exception, for `_processes.py` to read.
    Raised(Vec<u8>),
    /// The process had nothing to do for so long that it ended; the call is another's.
    Left,
}

mod kind {
    pub(super) const SETUP: u64 = 0;
    pub(super) const CALL: u64 = 1;
    pub(super) const RESULT: u64 = 2;
    pub(super) const RAISED: u64 = 3;
    pub(super) const LEFT: u64 = 4;
}

pub(super) struct Worker {
    child: Child,
    socket: UnixStream,
    input: SharedMemory,
    /// Whether the process has that memory, and has not kept an array over it.
    is_input_known: bool,
    outputs: Vec<Arc<SharedMemory>>,
}

impl Worker {
    pub(super) fn start(recipe: &Recipe) -> io::Result<Worker> {
        let (mut socket, theirs) = UnixStream::pair()?;
        socket.set_read_timeout(Some(LOOKS_EVERY))?;
        let mut command = Command::new(&recipe.command[0]);
        // A group of its own: Ctrl-C is for the program, which ends its processes itself.
        command.args(&recipe.command[1..]).stdin(Stdio::from(OwnedFd::from(theirs))).process_group(0);
        for variable in ONE_THREAD {
            if std::env::var_os(variable).is_none() {
                command.env(variable, "1");
            }
        }
        let child = command.spawn()?;
        let input = SharedMemory::create(0)?;
        let message = words([kind::SETUP, recipe.setup.len() as u64, 0, 0, 0]);
        let sent = socket.write_all(&message).and_then(|()| socket.write_all(&recipe.setup));
        let worker = Worker { child, socket, input, is_input_known: false, outputs: Vec::new() };
        // One that ended at once is found out by who asks it for something.
        sent.or_else(|error| if error.kind() == io::ErrorKind::BrokenPipe { Ok(()) } else { Err(error) })?;
        Ok(worker)
    }

    /// Has the function called with these tensors.
    ///
    /// # Errors
    /// If the process is gone; [`Worker::ended`] says how.
    pub(super) fn call(&mut self, tensors: &[&Tensor]) -> io::Result<Answer> {
        layout::write(&mut self.input, tensors)?;
        let (output, is_new) = self.free_output()?;
        let mut files: Vec<BorrowedFd<'_>> = Vec::new();
        if !self.is_input_known {
            files.push(self.input.as_fd());
        }
        if is_new {
            files.push(self.outputs[output].as_fd());
        }
        let message =
            words([kind::CALL, output as u64, u64::from(!self.is_input_known), u64::from(is_new), 0]);
        // Who ended has said so before it went, if it was for want of something to do.
        let sent = send(&self.socket, &message, &files);
        self.is_input_known = true;
        let [kind, is_kept, end, num_tensors, len] =
            self.answer().map_err(|error| sent.err().unwrap_or(error))?;
        if is_kept != 0 {
            self.input = SharedMemory::create(0)?;
            self.is_input_known = false;
        }
        let extra = self.bytes(len as usize)?;
        match kind {
            kind::RESULT => {
                let memory = &mut self.outputs[output];
                Arc::get_mut(memory).map_or(Ok(()), |memory| memory.grow(end as usize))?;
                let result = layout::read(memory, num_tensors as usize, output != COPIED)
                    .ok_or_else(|| io::Error::other("an answer that is no tensors"))?;
                Ok(Answer::Result(result, (!extra.is_empty()).then_some(extra)))
            }
            kind::RAISED => Ok(Answer::Raised(extra)),
            kind::LEFT => Ok(Answer::Left),
            _ => Err(io::Error::other("an answer of a kind that there is not")),
        }
    }

    /// How the process ended, which it has, or is about to.
    pub(super) fn ended(mut self) -> String {
        for _ in 0..100 {
            match self.child.try_wait() {
                Ok(Some(status)) => return shown(status),
                Ok(None) => thread::sleep(Duration::from_millis(10)),
                Err(error) => return format!("is gone: {error}"),
            }
        }
        "closed its connection".to_owned()
    }

    pub(super) fn process(&self) -> u32 {
        self.child.id()
    }

    /// Memory for a result that nobody looks at any more, and whether it is new.
    fn free_output(&mut self) -> io::Result<(usize, bool)> {
        let is_free = |memory: &Arc<SharedMemory>| Arc::strong_count(memory) == 1;
        if let Some(free) = self.outputs.iter().skip(COPIED + 1).position(is_free) {
            return Ok((COPIED + 1 + free, false));
        }
        if self.outputs.len() < MAX_OUTPUTS {
            self.outputs.push(Arc::new(SharedMemory::create(0)?));
            return Ok((self.outputs.len() - 1, true));
        }
        Ok((COPIED, false))
    }

    fn answer(&mut self) -> io::Result<[u64; 5]> {
        let mut message = [0; 40];
        self.read(&mut message)?;
        let mut words = [0; 5];
        for (word, bytes) in words.iter_mut().zip(message.chunks_exact(8)) {
            *word = u64::from_ne_bytes(bytes.try_into().expect("eight bytes"));
        }
        Ok(words)
    }

    fn bytes(&mut self, len: usize) -> io::Result<Vec<u8>> {
        let mut bytes = vec![0; len];
        self.read(&mut bytes)?;
        Ok(bytes)
    }

    /// Fills `bytes` with what the process says, unless nobody wants that any more.
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<()> {
        let mut num_read = 0;
        while num_read < bytes.len() {
            match self.socket.read(&mut bytes[num_read..]) {
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(count) => num_read += count,
                Err(error) => match error.kind() {
                    io::ErrorKind::Interrupted => {}
                    io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut if feedline::is_call_wanted() => {}
                    _ => return Err(error),
                },
            }
        }
        Ok(())
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        // It may be in the middle of a call, which nobody waits for any more.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn words(words: [u64; 5]) -> [u8; 40] {
    let mut bytes = [0; 40];
    for (place, word) in bytes.chunks_exact_mut(8).zip(words) {
        place.copy_from_slice(&word.to_ne_bytes());
    }
    bytes
}

fn send(socket: &UnixStream, message: &[u8], files: &[BorrowedFd<'_>]) -> io::Result<()> {
    if files.is_empty() {
        return (&*socket).write_all(message);
    }
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(2))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    control.push(SendAncillaryMessage::ScmRights(files));
    let sent = loop {
        match sendmsg(socket, &[IoSlice::new(message)], &mut control, SendFlags::NOSIGNAL) {
            Err(rustix::io::Errno::INTR) => {}
            sent => break sent?,
        }
    };
    (&*socket).write_all(&message[sent..])
}

fn shown(status: ExitStatus) -> String {
    match (status.signal(), status.code()) {
        (Some(9), _) => "was killed (signal 9), as the system does when memory runs out".to_owned(),
        (Some(signal), _) => format!("was ended by signal {signal}"),
        (None, code) => format!("ended with exit code {}", code.unwrap_or_default()),
    }
}
