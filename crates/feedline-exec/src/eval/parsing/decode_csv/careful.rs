//! Record by record, with what is wrong with each.

use feedline_data::block::Column;
use feedline_formats::csv::strict::{Field, split};

use super::super::super::Arguments;
use super::super::super::strings::shown;
use super::{Builder, Decoding};

/// The columns. Rows with a record that cannot be read fail.
pub(super) fn decode(decoding: &Decoding<'_>, arguments: &mut Arguments<'_>) -> Vec<Column> {
    let Decoding { columns, records, strings, defaults, .. } = decoding;
    let mut builders: Vec<Builder<'_>> =
        defaults.iter().map(|default| Builder::new(default.column().dtype(), strings)).collect();
    let limit = columns.limit();
    let (mut fields, mut unescaped) = (Vec::new(), Vec::new());
    let (mut row, mut row_end) = (0, records.value_range(0..records.rows().min(1)).end);
    for (index, record) in strings.iter().enumerate() {
        while index >= row_end {
            row += 1;
            row_end = records.value_range(row..row + 1).end;
        }
        fields.clear();
        unescaped.clear();
        let parsed = split(record, decoding.dialect, limit, &mut fields, &mut unescaped)
            .map_err(|error| (error.reason(), Some(error.hint())))
            .and_then(|()| {
                if decoding.has_blank_lines && fields.is_empty() && limit > 0 {
                    fields.push(Field::Record(0..0));
                }
                columns.check_count(defaults.len(), fields.len()).map_err(|reason| (reason, None))
            });
        if let Err((reason, hint)) = parsed {
            arguments.fail_with_hint(row, &in_batch(decoding, row, index, &reason), hint);
            builders.iter_mut().for_each(Builder::push_nothing);
            continue;
        }
        for (column, (builder, default)) in builders.iter_mut().zip(defaults).enumerate() {
            let number = columns.field(column);
            let field = &fields[number];
            let text = match field {
                Field::Record(range) => &record[range.clone()],
                Field::Unescaped(range) => &unescaped[range.clone()],
            };
            let pushed = if decoding.is_missing(text) {
                builder
                    .push_default(default, row)
                    .ok_or_else(|| format!("field {number} is required and empty"))
            } else {
                builder.push(index, text, field).ok_or_else(|| {
                    format!("field {number} is {}, no {}", shown(text), default.column().dtype())
                })
            };
            if let Err(reason) = pushed {
                arguments.fail(row, &in_batch(decoding, row, index, &reason));
                builder.push_nothing();
            }
        }
    }
    builders.into_iter().map(Builder::finish).collect()
}

/// The reason, with the number of the record where a row has several.
fn in_batch(decoding: &Decoding<'_>, row: usize, index: usize, reason: &str) -> String {
    if decoding.source.shape(row).is_empty() {
        return reason.to_owned();
    }
    format!("record {}: {reason}", index - decoding.records.value_range(row..row + 1).start)
}
