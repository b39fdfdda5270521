//! Room for functions that call themselves once for each step of a plan.

/// What a step may take of a stack: in builds without optimization one takes 30 KiB where plans are lowered, and behind the last
/// step there may be a decoder, or code of the user's.
const RED_ZONE_BYTES: usize = 256 << 10;
/// Enough for most plans at once. Pages of it that nobody touches cost nothing.
const ADDED_BYTES: usize = 4 << 20;

/// What `act` returns, called where the stack has room for one step more: on another piece of memory where the thread's own has
/// not. How much a thread has, and how much a step takes, is not ours to know: 2 MiB and 2 KiB, or 512 KiB and 30. With room
/// enough it is a comparison.
#[inline]
pub fn on_roomy_stack<R>(act: impl FnOnce() -> R) -> R {
    stacker::maybe_grow(RED_ZONE_BYTES, ADDED_BYTES, act)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn depth(left: usize) -> usize {
        let used = std::hint::black_box([left; 1024]);
        if left == 0 { 0 } else { on_roomy_stack(|| 1 + depth(used[1] - 1)) }
    }

    #[test]
    fn no_stack_is_too_small() {
        // 8 KiB each, 20,000 deep, in a thread of 128 KiB.
        let thread = std::thread::Builder::new().stack_size(128 << 10).spawn(|| depth(20_000));
        assert_eq!(thread.expect("there is room for a thread").join().expect("it did not fail"), 20_000);
    }

    #[test]
    fn a_panic_comes_through() {
        let thread =
            std::thread::Builder::new().stack_size(128 << 10).spawn(|| on_roomy_stack(|| panic!("hello")));
        let panic = thread.expect("there is room for a thread").join().expect_err("it panicked");
        assert_eq!(panic.downcast_ref::<&str>(), Some(&"hello"));
    }
}
