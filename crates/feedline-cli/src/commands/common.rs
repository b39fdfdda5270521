//! Words that `inspect`, `verify` and `index` share.

use std::collections::BTreeMap;

use feedline::Problem;
use serde_json::{Value, json};

use crate::ui::thousands;

/// `1 file`, `1,024 files`.
pub(super) fn count(number: u64, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {noun}{plural}", thousands(number))
}

/// A problem for scripts.
pub(super) fn problem_json(problem: &Problem) -> Value {
    json!({
        "file": problem.path.to_string_lossy(),
        "record": problem.record,
        "byte": problem.byte,
        "reason": problem.reason,
        "hint": problem.hint,
    })
}

/// Each remedy once, the most frequent first.
pub(super) fn hints<'a>(problems: &[&'a Problem]) -> Vec<&'a str> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for hint in problems.iter().filter_map(|problem| problem.hint.as_deref()) {
        *counts.entry(hint).or_default() += 1;
    }
    let mut hints: Vec<(&str, usize)> = counts.into_iter().collect();
    hints.sort_by_key(|&(_, count)| std::cmp::Reverse(count));
    // A file that is something else altogether can make its name part of many remedies.
    hints.into_iter().map(|(hint, _)| hint).take(5).collect()
}

/// Lines of cells, aligned. Columns of numbers stand right.
pub(super) struct Table {
    /// For each column, whether it stands right.
    right: Vec<bool>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table whose columns are headed `header`; those whose heading begins with `>` stand right.
    pub(super) fn new(header: &[&str]) -> Table {
        let right = header.iter().map(|name| name.starts_with('>')).collect();
        Table {
            right,
            rows: vec![header.iter().map(|name| name.trim_start_matches('>').to_owned()).collect()],
        }
    }

    pub(super) fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().collect());
    }

    /// The lines, without trailing spaces.
    pub(super) fn lines(&self) -> Vec<String> {
        let width = |column: usize| {
            self.rows
                .iter()
                .filter_map(|row| row.get(column))
                .map(|cell| cell.chars().count())
                .max()
                .unwrap_or(0)
        };
        let widths: Vec<usize> = (0..self.right.len()).map(width).collect();
        let line = |row: &Vec<String>| {
            let cells = row.iter().zip(&widths).zip(&self.right).map(|((cell, &width), &right)| {
                if right { format!("{cell:>width$}") } else { format!("{cell:<width$}") }
            });
            cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
        };
        self.rows.iter().map(line).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_and_tables() {
        assert_eq!(
            (count(1, "file"), count(0, "file"), count(1024, "file")),
            ("1 file".into(), "0 files".into(), "1,024 files".into())
        );
        let mut table = Table::new(&["name", ">size", "what"]);
        table.row(["é".into(), "12,000".into(), "x".into()]);
        table.row(["longer".into(), "1".into(), String::new()]);
        assert_eq!(table.lines(), ["name      size  what", "é       12,000  x", "longer       1"]);
    }
}
