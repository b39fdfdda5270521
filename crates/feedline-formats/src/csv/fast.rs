//! Records of CSV as nearly all are: so many fields each, in quotes or not, with no quote doubled in them. Anything else is for
//! [`strict`](super::strict), which says what it is and, where it is a mistake, which.
//!
//! Where a field may end is found for 64 bytes at a time, whatever records they are of: fields are a few bytes long, and a search that begins at each of
//! them costs more than the field.

use std::ops::Range;

use super::QUOTE;
use super::strict::Dialect;

/// How many bytes are looked at together.
const WINDOW_BYTES: usize = 64;

/// Reads records of one dialect that have the same number of fields.
#[derive(Clone, Copy, Debug)]
pub struct FastFields {
    dialect: Dialect,
    width: usize,
    /// Whether there may be more fields, which are not looked at.
    may_have_more: bool,
}

impl FastFields {
    /// Of records with `width` fields, or with that many and more. `None` if delimiters have another meaning, too.
    pub fn new(dialect: Dialect, width: usize, may_have_more: bool) -> Option<FastFields> {
        let is_plain = width > 0 && ![QUOTE, b'\n', b'\r'].contains(&dialect.delimiter);
        is_plain.then_some(FastFields { dialect, width, may_have_more })
    }

    /// Says in `places`, one for each field, where the fields lie of the record that is `record` of `memory`, counted from where it begins.
    /// Whether it can: if not, what `places` says has no meaning.
    ///
    /// ```
    /// use feedline_formats::csv::fast::FastFields;
    /// use feedline_formats::csv::strict::Dialect;
    ///
    /// let fields = FastFields::new(Dialect { delimiter: b',', has_quotes: true }, 3, false).expect("a comma");
    /// let mut places = vec![0..0; 3];
    /// assert!(fields.find(br#"7,"say",x"#, 0..9, &mut places));
    /// assert_eq!(places, [0..1, 3..6, 8..9]);
    /// assert!(!fields.find(b"7,8", 0..3, &mut places));
    /// ```
    ///
    /// # Panics
    /// If the record is not in the memory, or there is another number of places.
    #[inline]
    pub fn find(&self, memory: &[u8], record: Range<usize>, places: &mut [Range<u32>]) -> bool {
        assert_eq!(places.len(), self.width, "a place for each field");
        let Dialect { delimiter, has_quotes } = self.dialect;
        let bytes = &memory[record.clone()];
        if bytes.is_empty() || u32::try_from(bytes.len()).is_err() {
            return false;
        }
        let quote = if has_quotes { QUOTE } else { delimiter };
        let mut stops = Stops::new(memory, record, [delimiter, quote, b'\n', b'\r']);
        let (mut at, mut end) = (0, 0);
        for (number, place) in places.iter_mut().enumerate() {
            if number > 0 {
                if end == bytes.len() {
                    return false;
                }
                at = end + 1;
            }
            let field = match bytes.get(at) {
                Some(&QUOTE) if has_quotes => {
                    let opening = stops.next();
                    debug_assert_eq!(opening, at, "the first stop behind a delimiter");
                    let mut closing = stops.next();
                    while closing < bytes.len() && bytes[closing] != QUOTE {
                        closing = stops.next();
                    }
                    end = stops.next();
                    // What follows a closing quote stands right behind it.
                    if closing == bytes.len() || end != closing + 1 {
                        return false;
                    }
                    at + 1..closing
                }
                Some(_) => {
                    end = stops.next();
                    at..end
                }
                // Behind a delimiter at the very end.
                None => {
                    end = at;
                    at..at
                }
            };
            if end < bytes.len() && bytes[end] != delimiter {
                return false;
            }
            *place = field.start as u32..field.end as u32;
        }
        end == bytes.len() || self.may_have_more
    }
}

/// Where in a record bytes are that may end a field.
struct Stops<'a> {
    memory: &'a [u8],
    record: Range<usize>,
    wanted: [u8; 4],
    /// Where the bytes begin that `marks` is of.
    window: usize,
    /// A bit for each byte that is wanted and has not been given.
    marks: u64,
}

impl<'a> Stops<'a> {
    #[inline]
    fn new(memory: &'a [u8], record: Range<usize>, wanted: [u8; 4]) -> Stops<'a> {
        let marks = marks(memory, record.clone(), wanted);
        Stops { memory, window: record.start, record, wanted, marks }
    }

    /// The next of them, counted from where the record begins; how long that is if there is no more.
    #[inline]
    fn next(&mut self) -> usize {
        while self.marks == 0 {
            if self.record.end - self.window <= WINDOW_BYTES {
                return self.record.len();
            }
            self.window += WINDOW_BYTES;
            self.marks = marks(self.memory, self.window..self.record.end, self.wanted);
        }
        let at = self.window + self.marks.trailing_zeros() as usize - self.record.start;
        self.marks &= self.marks - 1;
        at
    }
}

/// A bit for each of the first 64 bytes of `part` that is one of `stops`.
#[inline]
fn marks(memory: &[u8], part: Range<usize>, stops: [u8; 4]) -> u64 {
    // What lies behind the record in memory is looked at, too, and left out: that costs nothing, and to go by lengths does.
    let all = match memory[part.start..].first_chunk::<WINDOW_BYTES>() {
        Some(window) => marks_of(window, stops),
        None => marks_of_last(&memory[part.clone()], stops),
    };
    let left = part.len().min(WINDOW_BYTES) as u32;
    if left == 0 { 0 } else { all & u64::MAX >> (64 - left) }
}

#[cold]
fn marks_of_last(bytes: &[u8], stops: [u8; 4]) -> u64 {
    let mut window = [0; WINDOW_BYTES];
    window[..bytes.len()].copy_from_slice(bytes);
    marks_of(&window, stops)
}

/// A bit for each byte that is one of `stops`.
#[inline]
fn marks_of(window: &[u8; WINDOW_BYTES], stops: [u8; 4]) -> u64 {
    // SAFETY: no processor of this architecture is without SSE2.
    #[cfg(target_arch = "x86_64")]
    return unsafe { marks_of_sixteens(window, stops) };
    #[cfg(not(target_arch = "x86_64"))]
    marks_of_eights(window, stops)
}

#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "sse2")]
fn marks_of_sixteens(window: &[u8; WINDOW_BYTES], stops: [u8; 4]) -> u64 {
    use std::arch::x86_64::{
        _mm_cmpeq_epi8, _mm_loadu_si128, _mm_movemask_epi8, _mm_or_si128, _mm_set1_epi8,
    };

    let wanted = stops.map(|stop| _mm_set1_epi8(stop as i8));
    let (sixteens, _) = window.as_chunks::<16>();
    let mut marks = 0;
    for (number, sixteen) in sixteens.iter().enumerate() {
        // SAFETY: there are sixteen bytes, and loads need no alignment.
        let bytes = unsafe { _mm_loadu_si128(sixteen.as_ptr().cast()) };
        let [a, b, c, d] = wanted.map(|wanted| _mm_cmpeq_epi8(bytes, wanted));
        let found = _mm_movemask_epi8(_mm_or_si128(_mm_or_si128(a, b), _mm_or_si128(c, d)));
        marks |= u64::from(found as u32) << (16 * number);
    }
    marks
}

/// As [`marks_of`], on any processor: eight bytes at a time are one number.
#[cfg(any(test, not(target_arch = "x86_64")))]
fn marks_of_eights(window: &[u8; WINDOW_BYTES], stops: [u8; 4]) -> u64 {
    const ONES: u64 = u64::from_ne_bytes([1; 8]);
    const LOW: u64 = ONES * 0x7f;
    // Brings the lowest bits of eight bytes together in the highest byte: no two of the products meet.
    const GATHER: u64 = 0x0102_0408_1020_4080;

    let (eights, _) = window.as_chunks::<8>();
    let mut marks = 0;
    for (number, eight) in eights.iter().enumerate() {
        let eight = u64::from_le_bytes(*eight);
        let found = stops.iter().fold(0, |found, &stop| {
            let difference = eight ^ (u64::from(stop) * ONES);
            // The highest bit stays clear in a byte that is nothing alone.
            found | !(((difference & LOW) + LOW) | difference | LOW)
        });
        marks |= (found >> 7).wrapping_mul(GATHER) >> 56 << (8 * number);
    }
    marks
}

#[cfg(test)]
mod tests {
    use super::super::strict::{Field, split};
    use super::*;
    use proptest::prelude::*;

    /// What the strict reader says where the fast one takes the record.
    fn check(
        memory: &[u8],
        record: Range<usize>,
        dialect: Dialect,
        width: usize,
        may_have_more: bool,
    ) -> bool {
        let fast = FastFields::new(dialect, width, may_have_more).expect("an ordinary delimiter");
        let mut places = vec![0..0; width];
        if !fast.find(memory, record.clone(), &mut places) {
            return false;
        }
        let (mut fields, mut unescaped) = (Vec::new(), Vec::new());
        let limit = if may_have_more { width } else { usize::MAX };
        split(&memory[record], dialect, limit, &mut fields, &mut unescaped).expect("taken by the fast one");
        let places = places.iter().map(|place| Field::Record(place.start as usize..place.end as usize));
        assert_eq!(places.collect::<Vec<_>>(), fields);
        true
    }

    #[test]
    fn what_nearly_all_records_are_is_taken() {
        let long = format!("{0},\"{0},{0}\",{0}", "x".repeat(70));
        for (record, width) in [
            ("a", 1),
            ("a,b,c", 3),
            ("1,2.5,\"x\",y", 4),
            (",,", 3),
            ("a,", 2),
            ("\"\",\"\"", 2),
            ("\"a,b\",", 2),
            (&long, 3),
        ] {
            let dialect = Dialect { delimiter: b',', has_quotes: true };
            assert!(check(record.as_bytes(), 0..record.len(), dialect, width, false), "{record}");
            assert!(!check(record.as_bytes(), 0..record.len(), dialect, width + 1, false), "{record}");
            assert!(check(record.as_bytes(), 0..record.len(), dialect, 1, true), "{record}");
        }
        for delimiter in [b'"', b'\n', b'\r'] {
            assert!(FastFields::new(Dialect { delimiter, has_quotes: true }, 1, false).is_none());
        }
    }

    proptest! {
        #[test]
        fn where_the_fast_one_takes_a_record_the_strict_one_reads_the_same(
            memory in prop_oneof!["[a,\"]{0,40}", "[a,\"\n\r;]{0,200}", "[ab,]{0,200}"],
            cuts in (0_usize..200, 0_usize..200),
            has_quotes: bool,
            delimiter in prop_oneof![Just(b','), Just(b';')],
            width in 1_usize..12,
            may_have_more: bool,
        ) {
            let memory = memory.as_bytes();
            let (a, b) = (cuts.0.min(memory.len()), cuts.1.min(memory.len()));
            let dialect = Dialect { delimiter, has_quotes };
            check(memory, a.min(b)..a.max(b), dialect, width, may_have_more);
            check(memory, 0..memory.len(), dialect, width, may_have_more);
        }

        /// Records that are written as records are, are taken.
        #[test]
        fn fields_are_taken_wherever_windows_end(
            fields in proptest::collection::vec(prop_oneof!["[ab]{0,90}", "\"[a,\n]{0,90}\""], 1..12),
            before in "[a,\"]{0,9}",
            behind in "[a,\"]{0,90}",
        ) {
            let record = fields.join(",");
            prop_assume!(!record.is_empty());
            let memory = format!("{before}{record}{behind}");
            let place = before.len()..before.len() + record.len();
            let dialect = Dialect { delimiter: b',', has_quotes: true };
            prop_assert!(check(memory.as_bytes(), place, dialect, fields.len(), false));
        }

        #[test]
        fn marks_are_the_same_on_any_processor(
            window in proptest::collection::vec(prop_oneof![0_u8..4, any::<u8>()], WINDOW_BYTES),
            stops in any::<[u8; 4]>(),
            near in 0_u8..4,
        ) {
            let window: &[u8; WINDOW_BYTES] = window.first_chunk().expect("as many");
            for stops in [stops, [near, near ^ 1, 200, 0x80], [0; 4]] {
                let expected = window.iter().rev().fold(0, |marks, byte| marks << 1 | u64::from(stops.contains(byte)));
                prop_assert_eq!(marks_of(window, stops), expected);
                prop_assert_eq!(marks_of_eights(window, stops), expected);
            }
        }
    }
}
