//! Images mixed with those before them.

use super::super::rows::RowsOf;
use super::super::{Arguments, Value};
use super::Dims;
use super::mix::{batch_of, mixed, mixed_labels, own_share};

pub(in super::super) fn mixup(arguments: &mut Arguments<'_>) -> Vec<Value> {
    let (call, ids) = (arguments.call, arguments.ids);
    let images = RowsOf::new(arguments.inputs[0]);
    let share = |row: usize, _: &Dims| own_share(call, ids.get(row));
    let mixed = mixed(arguments, &images, |row| {
        let image = batch_of(call, &images, row)?;
        Ok((image.count, share(row, &image)))
    });
    let labels = mixed_labels(arguments, &images, share);
    vec![Value::Rows(mixed), Value::Rows(labels)]
}
