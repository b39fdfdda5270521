//! JSON laid out for people: what fits on a line stands on one.

use serde_json::Value;

const WIDTH: usize = 120;

/// `value` as text that ends in a line end. Its first two levels always have lines of their own: one for each step.
pub(super) fn lay_out(value: &Value) -> String {
    let mut text = String::new();
    write(value, 0, 0, &mut text);
    text.push('\n');
    text
}

/// `taken` is what stands before it on its line (and behind it, a comma).
fn write(value: &Value, level: usize, taken: usize, text: &mut String) {
    let is_short = || length(value, WIDTH.saturating_sub(taken)).is_some();
    match value {
        Value::Array(items) if !items.is_empty() && (level < 2 || !is_short()) => {
            text.push('[');
            if items.iter().all(|item| !item.is_array() && !item.is_object()) {
                fill(items, level + 1, text);
            } else {
                for (index, item) in items.iter().enumerate() {
                    begin_line(index, level + 1, text);
                    write(item, level + 1, indent(level + 1) + 1, text);
                }
            }
            end(level, text);
            text.push(']');
        }
        Value::Object(fields) if !fields.is_empty() && (level < 2 || !is_short()) => {
            // A step that does not fit keeps its name on the first line.
            text.push('{');
            for (index, (key, value)) in fields.iter().enumerate() {
                begin_line(index, level + 1, text);
                let key = Value::from(key.as_str()).to_string();
                text.push_str(&key);
                text.push_str(": ");
                write(value, level + 1, indent(level + 1) + key.chars().count() + 3, text);
            }
            end(level, text);
            text.push('}');
        }
        other => write_inline(other, text),
    }
}

/// Single values, as many on a line as fit.
fn fill(items: &[Value], level: usize, text: &mut String) {
    let mut taken = WIDTH;
    for (index, item) in items.iter().enumerate() {
        let item = item.to_string();
        let len = item.chars().count() + 2;
        if taken + len > WIDTH {
            begin_line(index, level, text);
            taken = indent(level);
        } else {
            text.push_str(", ");
        }
        text.push_str(&item);
        taken += len;
    }
}

fn begin_line(index: usize, level: usize, text: &mut String) {
    if index > 0 {
        text.push(',');
    }
    end(level, text);
}

fn end(level: usize, text: &mut String) {
    text.push('\n');
    text.extend(std::iter::repeat_n(' ', indent(level)));
}

fn indent(level: usize) -> usize {
    level * 2
}

fn write_inline(value: &Value, text: &mut String) {
    match value {
        Value::Array(items) => {
            text.push('[');
            for (index, item) in items.iter().enumerate() {
                text.push_str(if index == 0 { "" } else { ", " });
                write_inline(item, text);
            }
            text.push(']');
        }
        Value::Object(fields) => {
            text.push('{');
            for (index, (key, value)) in fields.iter().enumerate() {
                text.push_str(if index == 0 { "" } else { ", " });
                text.push_str(&Value::from(key.as_str()).to_string());
                text.push_str(": ");
                write_inline(value, text);
            }
            text.push('}');
        }
        single => text.push_str(&single.to_string()),
    }
}

/// What is left of `room` behind the value on one line; `None` if it does not fit.
fn length(value: &Value, room: usize) -> Option<usize> {
    match value {
        Value::Array(items) => {
            items.iter().try_fold(room.checked_sub(2)?, |room, item| length(item, room.checked_sub(2)?))
        }
        Value::Object(fields) => fields.iter().try_fold(room.checked_sub(2)?, |room, (key, value)| {
            length(value, room.checked_sub(key.chars().count() + 6)?)
        }),
        // Not measured by writing it: it may be megabytes.
        Value::String(text) if text.len() > room => None,
        single => room.checked_sub(single.to_string().chars().count()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_short_where_they_can_be_and_nothing_is_lost() {
        let long: Vec<u64> = (0..40).map(|number| number * 1_000_003).collect();
        let value = serde_json::json!({
            "a": 1,
            "list": [{"short": [1, 2]}, {"long": {"values": long, "text": "é\n", "none": null, "empty": []}}],
        });
        let text = lay_out(&value);
        assert!(text.lines().all(|line| line.chars().count() <= WIDTH), "{text}");
        assert!(text.contains("\n    {\"short\": [1, 2]},\n"), "{text}");
        assert!(text.lines().count() < 20, "{text}");
        assert_eq!(serde_json::from_str::<Value>(&text).expect("JSON"), value);
    }
}
