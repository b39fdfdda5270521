//! Whether a stream among many is the one that everybody waits for.
//!
//! An operator may hold the one block that progress needs whatever the budget says ([`crate::budget`]). Of hundreds of streams that are
//! read in turn only one is needed at a time; the others run ahead, also with their first block. So each stream has a [`Turn`], its
//! operators ask it, and who is told no leaves a waker, because nothing else may ever happen that has him look again.

use std::task::{Context, Waker};

use crate::sync::atomic::{AtomicBool, Ordering};
use crate::sync::{Arc, Mutex, PoisonError};

/// Whether it is a stream's turn.
#[derive(Debug)]
pub(crate) struct Turn {
    is_now: AtomicBool,
    /// Those who wait for it.
    waiting: Mutex<Vec<Waker>>,
    /// The turn of the stream that this one is nested in.
    around: Option<Arc<Turn>>,
    /// Whether it may have been opened ahead, so that nobody needs it yet.
    is_one_of_many: bool,
}

impl Turn {
    /// That of a plan which is nested in none: always.
    pub(crate) fn always() -> Arc<Turn> {
        Arc::new(Turn {
            is_now: AtomicBool::new(true),
            waiting: Mutex::default(),
            around: None,
            is_one_of_many: false,
        })
    }

    /// One that has not come, of a stream within one whose turn is `around`.
    pub(crate) fn within(around: &Arc<Turn>) -> Arc<Turn> {
        Turn::of(around, true)
    }

    /// One that has not come, of an input among several of a step whose turn is `around`: there from the beginning to the end.
    pub(crate) fn of_input(around: &Arc<Turn>) -> Arc<Turn> {
        Turn::of(around, around.is_one_of_many)
    }

    /// That of what runs ahead of its taker, in a plan whose turn is `around`: it comes when he finds nothing, and ends when he is [served](Self::served). Not that of the
    /// plan itself, which steps behind him go by: they need it while they work on what he took. (That of the whole plan is always, also here.)
    pub(crate) fn ahead_of_taker(around: &Arc<Turn>) -> Arc<Turn> {
        if around.around.is_none() { Arc::clone(around) } else { Turn::of(around, around.is_one_of_many) }
    }

    fn of(around: &Arc<Turn>, is_one_of_many: bool) -> Arc<Turn> {
        let around = Some(Arc::clone(around));
        Arc::new(Turn { is_now: AtomicBool::new(false), waiting: Mutex::default(), around, is_one_of_many })
    }

    /// Whether it is of a stream that may have been opened ahead, or within one.
    pub(crate) fn is_one_of_many(&self) -> bool {
        self.is_one_of_many
    }

    /// Whether it has come; who is told no is woken when it does.
    pub(crate) fn has_come(&self, cx: &Context<'_>) -> bool {
        if self.is_now() {
            return true;
        }
        self.wake_when_it_comes(cx);
        // It may have come before the wakers were left.
        self.is_now()
    }

    /// Whether it is now. It may be over a moment later: who acts on this without a [`Context`] at hand has to have one who looks
    /// again when it comes.
    pub(crate) fn is_now(&self) -> bool {
        self.is_now.load(Ordering::SeqCst) && self.around.as_ref().is_none_or(|around| around.is_now())
    }

    /// Whoever asks is woken when it comes the next time, also if it is now.
    pub(crate) fn wake_when_it_comes(&self, cx: &Context<'_>) {
        // (That of the whole plan never comes: it is always.)
        if let Some(around) = &self.around {
            let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
            if !waiting.iter().any(|waker| waker.will_wake(cx.waker())) {
                waiting.push(cx.waker().clone());
            }
            drop(waiting);
            around.wake_when_it_comes(cx);
        }
    }

    /// It comes.
    pub(crate) fn begin(&self) {
        if !self.is_now.swap(true, Ordering::SeqCst) {
            let waiting = std::mem::take(&mut *self.waiting.lock().unwrap_or_else(PoisonError::into_inner));
            waiting.into_iter().for_each(Waker::wake);
        }
    }

    /// A block is on its way to who waits: what comes behind it runs ahead, until he finds that there is no more and lets it come again. Told
    /// before the block can be taken, or it would end a turn that came behind that. (That of the whole plan does not end.)
    pub(crate) fn served(&self) {
        if self.around.is_some() {
            self.end();
        }
    }

    /// It is over, until it comes again.
    pub(crate) fn end(&self) {
        self.is_now.store(false, Ordering::SeqCst);
    }
}
