//! The seed of the whole program, and the seeds of steps that follow from it, as TensorFlow derives them.

use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use feedline_data::block::mix;
use feedline_plan::SeedPair;

/// What TensorFlow uses for the program's seed when only an operation's is given.
const DEFAULT_PROGRAM_SEED: i64 = 87_654_321;
/// Seeds are counted modulo this.
const MAX_INT_32: i64 = i32::MAX as i64;

struct Program {
    seed: i64,
    /// Where the seeds of steps that were given none come from.
    generator: MersenneTwister,
    /// The seeds drawn last, and the generator as it was before.
    last: Option<(SeedPair, MersenneTwister)>,
}

static PROGRAM: Mutex<Option<Program>> = Mutex::new(None);

/// Makes every dataset built from now on repeatable, also its shuffles that are given no seed: theirs then follow from this
/// one and from how many were built since. The same orders as `tf.random.set_seed(seed)` and the same calls in the same
/// order give in TensorFlow.
pub fn set_seed(seed: i64) {
    let generator = MersenneTwister::new(seed.unsigned_abs());
    let program = Program { seed: truncated(seed), generator, last: None };
    *PROGRAM.lock().unwrap_or_else(PoisonError::into_inner) = Some(program);
}

/// The seeds of a step that was given `seed`. It was built with `instead_of`: if those were just drawn for it, that is taken
/// back, so that the next step draws what it would have drawn in TensorFlow, where the seed is an argument.
pub(crate) fn given(seed: i64, instead_of: Option<SeedPair>) -> SeedPair {
    let mut program = PROGRAM.lock().unwrap_or_else(PoisonError::into_inner);
    let Some(program) = &mut *program else { return pair(DEFAULT_PROGRAM_SEED, truncated(seed)) };
    if let Some((drawn, before)) = program.last.take()
        && Some(drawn) == instead_of
    {
        program.generator = before;
    }
    pair(program.seed, truncated(seed))
}

/// The seeds of a step that was given none: the program's next, or, if it has none, different ones in every process and for
/// every step.
pub(crate) fn drawn() -> SeedPair {
    static COUNTER: AtomicU64 = AtomicU64::new(0);
    if let Some(program) = &mut *PROGRAM.lock().unwrap_or_else(PoisonError::into_inner) {
        let before = program.generator.clone();
        let drawn = pair(program.seed, program.generator.next_below_2_to_31());
        program.last = Some((drawn, before));
        return drawn;
    }
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_nanos() as u64);
    let count = COUNTER.fetch_add(1, Ordering::Relaxed);
    let bits = mix(mix(now, u64::from(std::process::id())), count);
    // Positive, so that they read well; 62 random bits in all.
    SeedPair { seed: (bits >> 33) as i64, seed2: (bits & 0x7fff_ffff) as i64, is_given: false }
}

/// A seed for an operation that was given none: the program's next, or, if it has none, how many there were before it in this process.
/// So the same program draws the same in every run, and a state of it can be restored in another: what an operation computes is
/// a part of the plan, and a seed by chance would make it another plan each time.
pub fn drawn_seed() -> i64 {
    static COUNTER: AtomicI64 = AtomicI64::new(0);
    let has_seed = PROGRAM.lock().unwrap_or_else(PoisonError::into_inner).is_some();
    if has_seed { drawn().seed2 } else { COUNTER.fetch_add(1, Ordering::Relaxed) }
}

fn pair(seed: i64, seed2: i64) -> SeedPair {
    // Both 0 would mean "no seed" to the generator.
    let seed2 = if (seed, seed2) == (0, 0) { MAX_INT_32 } else { seed2 };
    SeedPair { seed, seed2, is_given: true }
}

fn truncated(seed: i64) -> i64 {
    seed.rem_euclid(MAX_INT_32)
}

/// The generator of Python's `random` module (MT19937, M. Matsumoto and T. Nishimura, 1998), which TensorFlow draws from.
#[derive(Clone)]
struct MersenneTwister {
    state: [u32; N],
    next: usize,
}

const N: usize = 624;
const M: usize = 397;

impl MersenneTwister {
    /// As `random.Random(seed)`.
    fn new(seed: u64) -> MersenneTwister {
        let mut state = [0; N];
        state[0] = 19_650_218_u32;
        for i in 1..N {
            state[i] =
                1_812_433_253_u32.wrapping_mul(state[i - 1] ^ (state[i - 1] >> 30)).wrapping_add(i as u32);
        }
        let words = [seed as u32, (seed >> 32) as u32];
        let key = if words[1] == 0 { &words[..1] } else { &words[..] };
        let (mut i, mut j) = (1, 0);
        let mixed = |state: &[u32; N], i: usize, factor: u32| {
            state[i] ^ (state[i - 1] ^ (state[i - 1] >> 30)).wrapping_mul(factor)
        };
        let step = |state: &mut [u32; N], i: &mut usize| {
            *i += 1;
            if *i == N {
                state[0] = state[N - 1];
                *i = 1;
            }
        };
        for _ in 0..N.max(key.len()) {
            state[i] = mixed(&state, i, 1_664_525).wrapping_add(key[j]).wrapping_add(j as u32);
            step(&mut state, &mut i);
            j = (j + 1) % key.len();
        }
        for _ in 1..N {
            state[i] = mixed(&state, i, 1_566_083_941).wrapping_sub(i as u32);
            step(&mut state, &mut i);
        }
        state[0] = 0x8000_0000;
        MersenneTwister { state, next: N }
    }

    /// As `randint(0, 2**31 - 1)`.
    fn next_below_2_to_31(&mut self) -> i64 {
        loop {
            let bits = self.next_u32();
            if bits < 1 << 31 {
                return i64::from(bits);
            }
        }
    }

    fn next_u32(&mut self) -> u32 {
        if self.next == N {
            self.twist();
        }
        let mut bits = self.state[self.next];
        self.next += 1;
        bits ^= bits >> 11;
        bits ^= (bits << 7) & 0x9d2c_5680;
        bits ^= (bits << 15) & 0xefc6_0000;
        bits ^ (bits >> 18)
    }

    fn twist(&mut self) {
        for i in 0..N {
            let joined = (self.state[i] & 0x8000_0000) | (self.state[(i + 1) % N] & 0x7fff_ffff);
            let odd = if joined & 1 == 1 { 0x9908_b0df } else { 0 };
            self.state[i] = self.state[(i + M) % N] ^ (joined >> 1) ^ odd;
        }
        self.next = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All in one test: the seed is the program's.
    #[test]
    fn seeds_are_tensorflows() {
        // Recorded from TensorFlow 2.21: `tf.random.set_seed(n)`, then what `random_seed.get_seed(None)` gives.
        let recorded: [(i64, i64, [i64; 4]); 5] = [
            (0, 0, [1_654_615_998, 1_806_341_205, 173_879_092, 1_112_038_970]),
            (1, 1, [577_090_037, 271_041_745, 1_095_513_148, 506_456_969]),
            (42, 42, [478_163_327, 107_420_369, 1_181_241_943, 1_051_802_512]),
            (-3, 2_147_483_644, [1_022_050_301, 560_161_641, 1_588_945_316, 2_036_044_446]),
            ((1 << 40) + 5, 517, [1_153_647_273, 117_802_120, 200_118_061, 710_650_538]),
        ];
        assert_ne!(drawn(), drawn());
        assert_eq!(given(7, None), SeedPair { seed: 87_654_321, seed2: 7, is_given: true });
        for (seed, first, seconds) in recorded {
            set_seed(seed);
            for second in seconds {
                assert_eq!(drawn(), SeedPair { seed: first, seed2: second, is_given: true });
            }
            assert_eq!(given(7, None), SeedPair { seed: first, seed2: 7, is_given: true });
        }
        set_seed(0);
        assert_eq!(given(0, None), SeedPair { seed: 0, seed2: MAX_INT_32, is_given: true });
    }
}
