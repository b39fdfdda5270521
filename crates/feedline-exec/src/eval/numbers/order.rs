//! Which number comes before which.

use std::cmp::Ordering;

use feedline_data::Native;

/// Numbers with an order, in which not-a-number comes last, whichever way it goes.
pub(super) trait Ordered: Native {
    fn is_nothing(self) -> bool;
    fn ascending(self, other: Self) -> Ordering;
}

macro_rules! ordered {
    (integers $($rust:ty),*) => {$(
        impl Ordered for $rust {
            fn is_nothing(self) -> bool {
                false
            }
            fn ascending(self, other: $rust) -> Ordering {
                self.cmp(&other)
            }
        }
    )*};
    (floats $($rust:ty),*) => {$(
        impl Ordered for $rust {
            fn is_nothing(self) -> bool {
                self.is_nan()
            }
            fn ascending(self, other: $rust) -> Ordering {
                self.partial_cmp(&other).unwrap_or(Ordering::Equal)
            }
        }
    )*};
}

ordered!(integers i8, i16, i32, i64, u8, u16, u32, u64);

ordered!(floats half::f16, half::bf16, f32, f64);

pub(super) fn compared<T: Ordered>(one: T, two: T, is_descending: bool) -> Ordering {
    match (one.is_nothing(), two.is_nothing()) {
        (false, false) if is_descending => two.ascending(one),
        (false, false) => one.ascending(two),
        (one, two) => one.cmp(&two),
    }
}

pub(super) fn places_in_order<T: Ordered>(values: &[T], is_descending: bool) -> Vec<usize> {
    let mut places: Vec<usize> = (0..values.len()).collect();
    places.sort_by(|&one, &two| compared(values[one], values[two], is_descending));
    places
}
