//! Which requests to make for a list of ranges. Arithmetic only.

use super::ByteRange;
use crate::blob::{Blob, read_operation};
use crate::error::{Error, ErrorKind, Result};

/// Requests in ascending order, and where in them each range lies.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Plan {
    pub(super) requests: Vec<ByteRange>,
    /// One per range, in the caller's order; `None` for an empty range.
    pub(super) places: Vec<Option<Place>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) request: usize,
    pub(super) start: usize,
}

/// Refuses a range that does not lie within the blob, so that no buffer is made for it.
pub(super) fn check(blob: &dyn Blob, ranges: &[ByteRange]) -> Result<()> {
    let size = blob.size();
    for (index, range) in ranges.iter().enumerate() {
        let end = range.offset.checked_add(range.len as u64);
        if end.is_none_or(|end| end > size) {
            let found =
                format!("range {index} of {} ends beyond the file, which has {size} bytes", ranges.len());
            let operation = read_operation(range.len, range.offset);
            return Err(Error::new(ErrorKind::InvalidArgument, blob.location(), operation, found)
                .with_hint("ask for ranges within the file; if they come from an index, make that anew"));
        }
    }
    Ok(())
}

impl Plan {
    /// Joins ranges at most `max_gap_bytes` apart, as long as the joined request has at most
    /// `max_request_bytes`. The ranges have passed [`check`], so sums do not overflow.
    pub(super) fn new(ranges: &[ByteRange], max_gap_bytes: u64, max_request_bytes: usize) -> Self {
        let mut order: Vec<usize> = (0..ranges.len()).filter(|&index| ranges[index].len > 0).collect();
        // Of ranges that begin together the longest first: the others then lie within its request.
        order.sort_unstable_by_key(|&index| (ranges[index].offset, usize::MAX - ranges[index].len));
        let mut requests: Vec<ByteRange> = Vec::new();
        let mut places = vec![None; ranges.len()];
        for index in order {
            let range = ranges[index];
            match requests.last_mut() {
                Some(last) if joins(last, range, max_gap_bytes, max_request_bytes) => {
                    last.len = last.len.max(start_in(last, range) + range.len);
                }
                _ => requests.push(range),
            }
            if let Some(last) = requests.last() {
                let place = Place { request: requests.len() - 1, start: start_in(last, range) };
                places[index] = Some(place);
            }
        }
        Self { requests, places }
    }
}

fn joins(last: &ByteRange, range: ByteRange, max_gap_bytes: u64, max_request_bytes: usize) -> bool {
    let last_end = last.offset + last.len as u64;
    let range_end = range.offset + range.len as u64;
    let joined_bytes = range_end.max(last_end) - last.offset;
    let within = range_end <= last_end;
    within
        || (range.offset <= last_end.saturating_add(max_gap_bytes)
            && joined_bytes <= max_request_bytes as u64)
}

/// Where `range`, which does not begin before `request`, begins in it.
fn start_in(request: &ByteRange, range: ByteRange) -> usize {
    (range.offset - request.offset) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn plan(ranges: &[(u64, usize)], gap: u64, max: usize) -> Vec<(u64, usize)> {
        let ranges: Vec<ByteRange> = ranges.iter().map(|&(offset, len)| ByteRange { offset, len }).collect();
        Plan::new(&ranges, gap, max).requests.iter().map(|request| (request.offset, request.len)).collect()
    }

    #[test]
    fn requests() {
        type Pairs = &'static [(u64, usize)];
        let cases: [(&str, Pairs, u64, usize, Pairs); 10] = [
            ("none", &[], 10, 100, &[]),
            ("empty", &[(5, 0)], 10, 100, &[]),
            ("touching", &[(0, 5), (5, 5)], 0, 100, &[(0, 10)]),
            ("gap within the limit", &[(0, 5), (8, 5)], 3, 100, &[(0, 13)]),
            ("gap beyond the limit", &[(0, 5), (8, 5)], 2, 100, &[(0, 5), (8, 5)]),
            ("unordered", &[(8, 5), (0, 5)], 3, 100, &[(0, 13)]),
            ("overlapping", &[(0, 5), (3, 5)], 0, 100, &[(0, 8)]),
            ("joined too large", &[(0, 5), (5, 5), (10, 5)], 0, 10, &[(0, 10), (10, 5)]),
            ("one too large", &[(0, 50), (10, 5), (50, 5)], 0, 10, &[(0, 50), (50, 5)]),
            ("same start", &[(0, 5), (0, 50)], 0, 10, &[(0, 50)]),
        ];
        for (name, ranges, gap, max, expected) in cases {
            assert_eq!(plan(ranges, gap, max), expected, "{name}");
        }
    }

    proptest! {
        #[test]
        fn every_range_lies_in_its_request(
            ranges in prop::collection::vec((0_u64..500, 0_usize..60), 0..40),
            gap in 0_u64..50,
            max in 0_usize..200,
        ) {
            let ranges: Vec<ByteRange> =
                ranges.into_iter().map(|(offset, len)| ByteRange { offset, len }).collect();
            let plan = Plan::new(&ranges, gap, max);
            let longest = ranges.iter().map(|range| range.len).max().unwrap_or(0);
            for (range, place) in ranges.iter().zip(&plan.places) {
                prop_assert_eq!(place.is_none(), range.len == 0);
                if let Some(place) = place {
                    let request = plan.requests[place.request];
                    prop_assert_eq!(request.offset + place.start as u64, range.offset);
                    prop_assert!(place.start + range.len <= request.len);
                }
            }
            for request in &plan.requests {
                prop_assert!(request.len <= max.max(longest));
            }
            prop_assert!(plan.requests.is_sorted_by_key(|request| request.offset));
        }
    }
}
