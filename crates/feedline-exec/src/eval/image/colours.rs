//! How many channels there are.

use super::{Dims, Failure};

pub(super) fn expect_channels(shape: &[usize], channels: usize) -> Result<(), Failure> {
    let image = Dims::of(shape)?;
    if image.channels == channels {
        return Ok(());
    }
    Err(format!("takes {channels} channels, not shape {shape:?}").into())
}
