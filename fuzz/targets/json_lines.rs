//! JSON lines: any bytes split into rows in any pieces, each row taken apart. Every number is that of its text.
#![no_main]

use feedline_formats::json_lines::{JsonRow, JsonRows, JsonValue};
use feedline_fuzz::split_rows;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let Some((step, text)) = input.split_first() else { return };
    let mut parsed = JsonRow::default();
    for row in split_rows(&JsonRows::default(), text, usize::from(*step) + 1) {
        if parsed.parse(row).is_err() {
            continue;
        }
        assert!(parsed.columns().count() <= parsed.names().count());
        for column in parsed.columns() {
            assert_eq!(column.values().count(), column.texts().count());
            for (value, text) in column.values().zip(column.texts()) {
                match value {
                    JsonValue::Bool(value) => assert_eq!(text, value.to_string()),
                    JsonValue::Text(value) => assert_eq!(text, value),
                    JsonValue::Int(value) => assert_eq!(text.parse(), Ok(value)),
                    JsonValue::Large(value) => {
                        assert!(text.parse::<i64>().is_err() && near(text, value), "{text} as {value}");
                    }
                    JsonValue::Float(value) => {
                        assert!(text.contains(['.', 'e', 'E']) && near(text, value), "{text} as {value}");
                    }
                }
            }
        }
    }
});

/// The parser rounds the last bit its own way.
fn near(text: &str, value: f64) -> bool {
    text.parse::<f64>()
        .is_ok_and(|expected| (expected - value).abs() <= expected.abs() * 1e-15 + f64::MIN_POSITIVE)
}
