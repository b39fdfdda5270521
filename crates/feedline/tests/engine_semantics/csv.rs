//! `csv`, which is tf.data's `CsvDataset`.

use std::fs;

use feedline::data::block::{Strings, Tensor};
use feedline::{Csv, Dataset};

use crate::engine_support::check;
use crate::{Case, run};

pub(crate) const CASES: &[Case] = &[
    ("csv_empty_fields", || {
        let csv = Csv::new([0, 0, 0, 0].map(number));
        assert_eq!(rows(",,,\n1,1,1,\n,2,2,2", &csv), ["(0, 0, 0, 0)", "(1, 1, 1, 0)", "(0, 2, 2, 2)"]);
    }),
    ("csv_quotes_newline", || {
        let csv = Csv::new([(); 4].map(|()| required()));
        assert_eq!(
            rows("a,b,\"\"\"c\"\"\n0\",\"d\ne\"\nf,g,h,i", &csv),
            [r#"("a", "b", "\"c\"\n0", "d\ne")"#, r#"("f", "g", "h", "i")"#]
        );
    }),
    ("csv_unquoted_quote", || {
        fails("1,2\"3,4", &Csv::new([0, 0, 0].map(number)), "a field that is not quoted has a quote");
    }),
    ("csv_unescaped", || {
        fails(r#""a"b","c","d""#, &Csv::new([(); 3].map(|()| required())), "text follows the closing quote");
    }),
    ("csv_ignore_errors", || {
        let csv = Csv::new([(); 3].map(|()| required()));
        let (_folder, dataset) = dataset("1,\"2\"3\",4\n\"a\"b\",\"c\",\"d\"\ne,f,g", &csv);
        assert_eq!(check(&dataset.ignore_errors()), [r#"("e", "f", "g")"#]);
        assert_eq!(check(&dataset).len(), 3, "each error is one, and the next record goes on");
    }),
    ("csv_missing_required", || {
        let required = || Tensor::from_vec::<i32>(vec![0], vec![]);
        fails("0,", &Csv::new([required(), required()]), "field 1 is required and empty");
    }),
    ("csv_header_empty_file", || {
        fails("", &Csv::new([number(0)]).header(true), "the file is empty and has no header to read");
    }),
    ("csv_one_col_default", || {
        let default = Tensor::from_strings(vec![1], ["NA"].iter().collect());
        assert_eq!(rows("0\n\n2", &Csv::new([default])), [r#"("0",)"#, r#"("NA",)"#, r#"("2",)"#]);
    }),
    ("csv_spaces", || {
        let csv = Csv::new([(); 4].map(|()| Tensor::from_vec(vec![1], vec![0_f32])));
        assert_eq!(rows("0, 1, 2, 3", &csv), ["(0.0, 1.0, 2.0, 3.0)"]);
    }),
];

#[test]
fn csv() {
    run(CASES);
}

/// What the other arguments do, as tf.data's `CsvDataset` (2.21) gave it.
#[test]
fn columns_headers_and_delimiters() {
    let text = "a|b|c|d\n1|\"2\n|\"|NA|4\n5|x|7|8\n";
    let strings = || Csv::new([(); 2].map(|()| required())).field_delim(b'|').header(true);
    assert_eq!(rows(text, &strings().select_cols(&[1, 3])), [r#"("2\n|", "4")"#, r#"("x", "8")"#]);
    assert_eq!(rows(text, &strings().exclude_cols(&[0, 2])), [r#"("2\n|", "4")"#, r#"("x", "8")"#]);
    let numbers = Csv::new([7, 8].map(number)).field_delim(b'|').header(true).na_value("NA");
    assert_eq!(rows(text, &numbers.clone().select_cols(&[0, 2])), ["(1, 8)", "(5, 7)"]);
    fails(text, &numbers.clone().select_cols(&[0, 4]), "there are 4 fields, column 4 is to be read");
    fails(text, &numbers.exclude_cols(&[0]), "there are 3 fields beside exclude_cols");
    assert_eq!(
        rows("a \"b\",c", &Csv::new([(); 2].map(|()| required())).use_quote_delim(false)),
        [r#"("a \"b\"", "c")"#]
    );
    // A header may have line ends, too; a file of nothing else has no rows.
    assert_eq!(rows("\"a\nb\"\r\n1", &Csv::new([number(0)]).header(true)), ["(1,)"]);
    assert_eq!(rows("a", &Csv::new([number(0)]).header(true)).len(), 0);
}

#[test]
fn wrong_arguments_are_refused_by_name() {
    let refused = |csv: &Csv, message: &str| {
        let (_folder, dataset) = dataset("1,2", csv);
        let error = dataset.check().expect_err(message).to_string();
        assert!(error.contains(message), "{error}");
    };
    let two = || Csv::new([0, 0].map(number));
    refused(&Csv::new([]), "record_defaults");
    refused(&Csv::new([Tensor::from_vec(vec![1], vec![1_u8])]), "record_defaults[0] is uint8");
    refused(&two().select_cols(&[1]), "select_cols names 1 columns, record_defaults has 2");
    refused(&two().select_cols(&[1, 1]), "select_cols [1, 1]");
    refused(&two().exclude_cols(&[2, 1]), "exclude_cols [2, 1]");
    refused(&two().exclude_cols(&[2]).select_cols(&[0, 1]), "select_cols and exclude_cols");
    for delimiter in [b'"', b'\n', 0xe9] {
        refused(&two().field_delim(delimiter), "field_delim");
    }
}

fn number(value: i32) -> Tensor {
    Tensor::from_vec(vec![1], vec![value])
}

fn required() -> Tensor {
    Tensor::from_strings(vec![0], Strings::default())
}

fn dataset(text: &str, csv: &Csv) -> (tempfile::TempDir, Dataset) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("rows.csv");
    fs::write(&path, text).unwrap();
    let dataset = Dataset::csv(&[&path], csv).unwrap();
    (folder, dataset)
}

fn rows(text: &str, csv: &Csv) -> Vec<String> {
    let (_folder, dataset) = dataset(text, csv);
    check(&dataset)
}

fn fails(text: &str, csv: &Csv, message: &str) {
    let found = rows(text, csv);
    assert!(found[0].starts_with("error: ") && found[0].contains(message), "{found:?}");
}
