//! Whether the scans of a progressive image are all there.
//!
//! Each brings some coefficients of some components, or one more bit of them. An image that ends after any of them can be shown, and libjpeg
//! smooths it then, each version in another way. To us it is cut short.

/// The coefficients libjpeg looks at: the first and the nine that it would smooth.
const NUM_CHECKED: usize = 10;

/// What the scans so far have brought: of each component its id, and which bits of its coefficients are still to come.
#[derive(Default)]
pub(super) struct Progress {
    components: Vec<(u8, [Option<u8>; NUM_CHECKED])>,
}

impl Progress {
    /// Of the components in a frame header.
    pub(super) fn new(frame_header: &[u8]) -> Self {
        let components = frame_header.get(6..).unwrap_or_default().as_chunks::<3>().0;
        Self { components: components.iter().map(|&[id, ..]| (id, [None; NUM_CHECKED])).collect() }
    }

    /// Notes a scan by its header.
    pub(super) fn scan(&mut self, scan_header: &[u8]) {
        let Some((&num_components, rest)) = scan_header.split_first() else { return };
        let Some((selectors, &[first, last, bits])) = rest.split_at_checked(2 * usize::from(num_components))
        else {
            return;
        };
        for (id, known) in &mut self.components {
            if selectors.as_chunks::<2>().0.iter().any(|selector| selector[0] == *id) {
                let known = known.iter_mut().take(usize::from(last) + 1).skip(usize::from(first));
                known.for_each(|missing| *missing = Some(bits & 15));
            }
        }
    }

    /// Whether every coefficient that counts has all its bits.
    pub(super) fn is_complete(&self) -> bool {
        self.components.iter().all(|(_, known)| known.iter().all(|&missing| missing == Some(0)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_complete_with_the_last_bit_of_the_last_component() {
        let mut progress = Progress::new(&[8, 0, 9, 0, 9, 2, 1, 0x11, 0, 2, 0x11, 0]);
        // Components with their tables; the first and the last coefficient; from which bit to which.
        for scan in [
            &[2, 1, 0, 2, 0, 0, 0, 0][..],
            &[1, 1, 0, 1, 5, 0x02],
            &[1, 1, 0, 6, 63, 0x00],
            &[1, 2, 0, 1, 63, 0x00],
            &[1, 1, 0, 1, 5, 0x21],
            &[1, 1, 0, 1, 5, 0x10],
        ] {
            assert!(!progress.is_complete(), "before {scan:?}");
            progress.scan(scan);
        }
        assert!(progress.is_complete());
    }
}
