//! Chroma at half size to full size, as libjpeg's "fancy" upsampling: a triangle filter, three parts of the nearer
//! sample and one of the next. At an edge of the image the next sample is the nearer one again.

/// `2 × columns` samples of a row from `columns` of them at half size: `row` holds one more at each end.
#[inline(always)]
pub(super) fn double_columns(row: &[u8], out: &mut [u8]) {
    let windows = row.windows(3).zip(out.as_chunks_mut::<2>().0);
    for (window, out) in windows {
        let [before, here, after] = [window[0], window[1], window[2]].map(u16::from);
        *out = [((3 * here + before + 1) >> 2) as u8, ((3 * here + after + 2) >> 2) as u8];
    }
}

/// As [`double_columns`], from two rows: the nearer one and the next.
#[inline(always)]
pub(super) fn double_both(near: &[u8], far: &[u8], sums: &mut Vec<u16>, out: &mut [u8]) {
    sums.clear();
    sums.extend(near.iter().zip(far).map(|(near, far)| 3 * u16::from(*near) + u16::from(*far)));
    for (window, out) in sums.windows(3).zip(out.as_chunks_mut::<2>().0) {
        let (before, here, after) = (window[0], window[1], window[2]);
        *out = [((3 * here + before + 8) >> 4) as u8, ((3 * here + after + 7) >> 4) as u8];
    }
}

/// A row between `near` and the next one: the first or the second (`half` 0 or 1) of the two that `near` becomes.
pub(super) fn double_rows(near: &[u8], far: &[u8], half: usize, out: &mut [u8]) {
    let bias = 1 + half as u16;
    for ((near, far), out) in near.iter().zip(far).zip(out) {
        *out = ((3 * u16::from(*near) + u16::from(*far) + bias) >> 2) as u8;
    }
}

/// Every sample twice: what libjpeg does where an image is too narrow for a filter.
pub(super) fn repeat_columns(row: &[u8], out: &mut [u8]) {
    for (sample, out) in row.iter().zip(out.as_chunks_mut::<2>().0) {
        *out = [*sample; 2];
    }
}
