//! Something that one side gives and the other takes, on different threads, without either of them blocking.
//!
//! Each side that finds nothing to do leaves its waker, under the lock under which it looked; the other calls it after it
//! changed something under that lock. So no wake-up is lost. Wakers are called, and dropped, outside the lock: what they do is
//! not known here.

use std::task::{Context, Poll, Waker};

use crate::sync::{Mutex, MutexGuard, PoisonError};

/// A value between a giver and a taker. Each side is one at a time: the last who left a waker is woken.
#[derive(Debug, Default)]
pub(crate) struct HandOver<T>(Mutex<State<T>>);

#[derive(Debug, Default)]
struct State<T> {
    value: T,
    giver: Option<Waker>,
    taker: Option<Waker>,
}

impl<T> HandOver<T> {
    pub(crate) fn new(value: T) -> HandOver<T> {
        HandOver(Mutex::new(State { value, giver: None, taker: None }))
    }

    fn lock(&self) -> MutexGuard<'_, State<T>> {
        // What is called under the lock changes the value in one go, or not at all.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the value and wakes nobody.
    pub(crate) fn with<R>(&self, change: impl FnOnce(&mut T) -> R) -> R {
        change(&mut self.lock().value)
    }

    /// Changes the value and wakes the taker.
    pub(crate) fn give<R>(&self, change: impl FnOnce(&mut T) -> R) -> R {
        self.give_if(|value| (change(value), true))
    }

    /// Changes the value and wakes the taker if `change` says that it is worth it. Else he waits on, for another who does.
    pub(crate) fn give_if<R>(&self, change: impl FnOnce(&mut T) -> (R, bool)) -> R {
        let mut state = self.lock();
        let (result, is_worth_it) = change(&mut state.value);
        let taker = if is_worth_it { state.taker.take() } else { None };
        drop(state);
        if let Some(taker) = taker {
            taker.wake();
        }
        result
    }

    /// Changes the value and wakes the giver: he may give what he did not before.
    pub(crate) fn ask(&self, change: impl FnOnce(&mut T)) {
        let mut state = self.lock();
        change(&mut state.value);
        let giver = state.giver.take();
        drop(state);
        if let Some(giver) = giver {
            giver.wake();
        }
    }

    /// For the taker: what `take` finds, and then the giver is woken; else the taker is, when something was given.
    pub(crate) fn poll_take<R>(&self, cx: &Context<'_>, take: impl FnOnce(&mut T) -> Option<R>) -> Poll<R> {
        let mut state = self.lock();
        let Some(taken) = take(&mut state.value) else {
            let old = leave(&mut state.taker, cx);
            drop(state);
            drop(old);
            return Poll::Pending;
        };
        let giver = state.giver.take();
        drop(state);
        if let Some(giver) = giver {
            giver.wake();
        }
        Poll::Ready(taken)
    }

    /// For the giver: what `look` finds, such as room for more; else the giver is woken when something was taken.
    pub(crate) fn poll_room<R>(&self, cx: &Context<'_>, look: impl FnOnce(&mut T) -> Option<R>) -> Poll<R> {
        let mut state = self.lock();
        if let Some(found) = look(&mut state.value) {
            return Poll::Ready(found);
        }
        let old = leave(&mut state.giver, cx);
        drop(state);
        drop(old);
        Poll::Pending
    }
}

/// Leaves a waker; what was there before is to be dropped outside the lock.
fn leave(place: &mut Option<Waker>, cx: &Context<'_>) -> Option<Waker> {
    if place.as_ref().is_some_and(|waker| waker.will_wake(cx.waker())) {
        return None;
    }
    place.replace(cx.waker().clone())
}
