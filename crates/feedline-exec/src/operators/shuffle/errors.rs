//! Where the errors of an epoch were met.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// For each error met how many elements came before it. The epoch adds to the list, and positions share it: each sees as many as there were in its time,
/// so that one of a hundred thousand errors costs no copy of those before it.
#[derive(Clone, Debug, Default)]
pub(super) struct Errors {
    all: Arc<Mutex<Vec<u64>>>,
    len: usize,
}

impl Errors {
    fn all(&self) -> MutexGuard<'_, Vec<u64>> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds one. Only the epoch does, which has seen all there are.
    pub(super) fn push(&mut self, elements_before: u64) {
        let mut all = self.all();
        debug_assert_eq!(all.len(), self.len, "who adds has seen all");
        all.push(elements_before);
        drop(all);
        self.len += 1;
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// How many came before this element.
    pub(super) fn before(&self, element: u64) -> u64 {
        self.all()[..self.len].partition_point(|&before| before <= element) as u64
    }

    /// Whether they are in the order they came, behind no more than `received` elements.
    pub(super) fn are_of(&self, received: u64) -> bool {
        let all = self.all();
        let seen = &all[..self.len];
        seen.is_sorted() && seen.last().is_none_or(|&last| last <= received)
    }
}

impl Serialize for Errors {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.all()[..self.len].serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Errors {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Errors, D::Error> {
        let all: Vec<u64> = Vec::deserialize(deserializer)?;
        Ok(Errors { len: all.len(), all: Arc::new(Mutex::new(all)) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_sees_those_of_its_time() {
        let mut errors = Errors::default();
        errors.push(2);
        let earlier = errors.clone();
        errors.push(2);
        errors.push(5);
        assert_eq!((earlier.len(), earlier.before(1), earlier.before(2), earlier.before(9)), (1, 0, 1, 1));
        assert_eq!((errors.len(), errors.before(2), errors.before(9)), (3, 2, 3));
        assert!(errors.are_of(5) && !errors.are_of(4) && earlier.are_of(4));
        let text = |errors: &Errors| serde_json::to_string(errors).expect("numbers");
        assert_eq!((text(&earlier), text(&errors)), ("[2]".to_owned(), "[2,2,5]".to_owned()));
        let mut back: Errors = serde_json::from_str("[2,5]").expect("numbers");
        back.push(7);
        assert_eq!(text(&back), "[2,5,7]");
    }
}
