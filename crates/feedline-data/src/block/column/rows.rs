//! Rows taken out of columns and put together: runs of them, some of them, those of several columns.

use std::ops::Range;

use super::{Buffer, Column, ColumnValues, EachShape, RowShapes};
use crate::DType;
use crate::block::StringsBuilder;

impl Column {
    /// A run of rows, sharing the memory.
    ///
    /// # Panics
    /// If `rows` are not within the column.
    #[must_use]
    pub fn slice(&self, rows: Range<usize>) -> Column {
        assert!(rows.start <= rows.end && rows.end <= self.rows, "rows {rows:?} of {}", self.rows);
        if rows == (0..self.rows) {
            return self.clone();
        }
        let values = self.value_range(rows.clone());
        let values = match &self.values {
            ColumnValues::Fixed(buffer) => {
                let width = self.dtype.width().expect("fixed values have a width");
                ColumnValues::Fixed(buffer.slice(values.start * width..values.end * width))
            }
            ColumnValues::Strings(strings) => ColumnValues::Strings(strings.slice(values)),
        };
        let shapes = match &self.shapes {
            RowShapes::Same(shape) => RowShapes::Same(shape.clone()),
            RowShapes::Each(each) => {
                let range = each.range.start + rows.start..each.range.start + rows.end;
                match each.shapes[range.clone()].split_first() {
                    // Rows that turn out to have one shape have a common one again.
                    Some((first, others)) if others.iter().all(|shape| shape == first) => {
                        RowShapes::Same(first.clone())
                    }
                    _ => RowShapes::Each(EachShape { range, ..each.clone() }),
                }
            }
        };
        Column { dtype: self.dtype, rows: rows.len(), shapes, values }
    }

    /// Row `row` alone, sharing the memory.
    ///
    /// # Panics
    /// If there is no such row.
    #[inline]
    pub(crate) fn row(&self, row: usize) -> Column {
        match (&self.shapes, &self.values) {
            // Few instructions, to be a part of the loop that takes records one by one.
            (RowShapes::Same(shape), ColumnValues::Strings(strings)) if shape.is_empty() => Column {
                dtype: DType::String,
                rows: 1,
                shapes: RowShapes::Same(Vec::new()),
                values: ColumnValues::Strings(strings.one(row)),
            },
            _ => self.slice(row..row + 1),
        }
    }

    /// The rows at `rows`, copied (strings: as views) in that order.
    ///
    /// # Panics
    /// If a row is out of range.
    #[must_use]
    pub fn gather(&self, rows: &[usize]) -> Column {
        match (&self.shapes, &self.values) {
            (RowShapes::Same(shape), ColumnValues::Fixed(buffer)) => {
                let stride: usize = shape.iter().product();
                let buffer = gather_fixed(buffer, self.dtype, stride, rows);
                Column {
                    dtype: self.dtype,
                    rows: rows.len(),
                    shapes: self.shapes.clone(),
                    values: ColumnValues::Fixed(buffer),
                }
            }
            (RowShapes::Same(shape), ColumnValues::Strings(strings)) => {
                let stride: usize = shape.iter().product();
                let picked = strings.gather(rows.iter().flat_map(|&row| row * stride..(row + 1) * stride));
                Column::from_strings(shape.clone(), rows.len(), picked)
            }
            (RowShapes::Each(_), _) => {
                let pieces: Vec<Column> = rows.iter().map(|&row| self.slice(row..row + 1)).collect();
                if pieces.is_empty() { self.slice(0..0) } else { Column::concat(&pieces) }
            }
        }
    }

    /// The rows of all `columns`, one column behind the other. One column is returned as it is; several are copied
    /// (strings: as views).
    ///
    /// # Panics
    /// If there is no column or they differ in type.
    pub fn concat(columns: &[Column]) -> Column {
        let [first, others @ ..] = columns else { panic!("at least one column") };
        if others.is_empty() {
            return first.clone();
        }
        let dtype = first.dtype;
        assert!(others.iter().all(|column| column.dtype == dtype), "columns of one type");
        let rows = columns.iter().map(Column::rows).sum();
        let values = if dtype == DType::String {
            let mut all = StringsBuilder::default();
            columns.iter().filter_map(Column::strings).for_each(|strings| all.extend_shared(strings));
            ColumnValues::Strings(all.finish())
        } else {
            ColumnValues::Fixed(concat_fixed(dtype, columns))
        };
        let common =
            first.common_shape().filter(|&shape| others.iter().all(|c| c.common_shape() == Some(shape)));
        if let Some(shape) = common {
            return Column { dtype, rows, shapes: RowShapes::Same(shape.to_vec()), values };
        }
        let shapes: Vec<Vec<usize>> = columns
            .iter()
            .flat_map(|column| (0..column.rows).map(|row| column.shape(row).to_vec()))
            .collect();
        let flat = match &values {
            ColumnValues::Fixed(buffer) => buffer.len() / dtype.width().expect("fixed values have a width"),
            ColumnValues::Strings(strings) => strings.len(),
        };
        Column { dtype, rows: flat, shapes: RowShapes::Same(vec![]), values }.with_shapes(shapes)
    }

    /// The same rows in memory of their own: nothing else stays alive because of them.
    #[must_use]
    pub fn to_owned_rows(&self) -> Column {
        let values = match &self.values {
            ColumnValues::Fixed(_) => {
                ColumnValues::Fixed(concat_fixed(self.dtype, std::slice::from_ref(self)))
            }
            ColumnValues::Strings(strings) => ColumnValues::Strings(strings.iter().collect()),
        };
        Column { values, ..self.clone() }
    }
}

/// Moving values needs their width alone, so code that moves is written for four unsigned types, not for thirteen.
macro_rules! by_width {
    ($dtype:expr, $word:ident => $body:expr) => {
        match $dtype.width() {
            Some(1) => {
                type $word = u8;
                $body
            }
            Some(2) => {
                type $word = u16;
                $body
            }
            Some(4) => {
                type $word = u32;
                $body
            }
            Some(8) => {
                type $word = u64;
                $body
            }
            _ => unreachable!("fixed values have a width of 1, 2, 4 or 8"),
        }
    };
}

fn gather_fixed(buffer: &Buffer, dtype: DType, stride: usize, rows: &[usize]) -> Buffer {
    by_width!(dtype, Word => {
        let values = buffer.as_slice::<Word>();
        if stride == 1 {
            return Buffer::from_vec(rows.iter().map(|&row| values[row]).collect::<Vec<Word>>());
        }
        let mut picked = Vec::with_capacity(rows.len() * stride);
        for &row in rows {
            picked.extend_from_slice(&values[row * stride..(row + 1) * stride]);
        }
        Buffer::from_vec(picked)
    })
}

fn concat_fixed(dtype: DType, columns: &[Column]) -> Buffer {
    by_width!(dtype, Word => {
        let slices = columns.iter().map(|column| column.buffer().expect("fixed values").as_slice::<Word>());
        let mut all = Vec::with_capacity(slices.clone().map(<[Word]>::len).sum());
        slices.for_each(|values| all.extend_from_slice(values));
        Buffer::from_vec(all)
    })
}
