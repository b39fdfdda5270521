//! JSON at paths: any bytes, read at some paths. What is found has the values its shape says, and is what the reader of whole rows finds, where that takes the row.
#![no_main]

use feedline_formats::json_lines::{JsonPaths, JsonRow};
use libfuzzer_sys::fuzz_target;

const PATHS: [&str; 6] = ["a", "b", "a.b", "a.0", "b.1.c", "c"];

fuzz_target!(|input: &[u8]| {
    let mut all = JsonPaths::new(PATHS);
    let read = all.parse(input);
    let mut row = JsonRow::default();
    let is_row = row.parse(input).is_ok();
    // What one takes as a whole the other takes at its paths.
    assert!(!is_row || read.is_ok());
    if read.is_err() {
        return;
    }
    for (place, path) in PATHS.iter().enumerate() {
        let Some(found) = all.found(place) else { continue };
        let count = found.values().count();
        assert_eq!(found.shape().iter().product::<usize>(), count, "{path}");
        // Alone it is the same, unless it is a list that is read by its places, too.
        let mut alone = JsonPaths::new([*path]);
        alone.parse(input).expect("read before");
        assert_eq!(alone.found(0).map(|alone| alone.values().count()), Some(count), "{path}");
    }
});
