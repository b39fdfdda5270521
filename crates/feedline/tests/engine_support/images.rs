//! Small JPEGs, some of them broken.

use feedline::data::block::Tensor;

/// Of `feedline-image`'s tests; what is cut short has a `<` before its name.
pub(crate) const FILES: [&str; 7] =
    ["444-17x33", "420-restart-3", "<420-67x45", "420-progressive", "gray", "420-67x45", "cmyk"];

/// Their contents.
pub(crate) fn files() -> Tensor {
    let contents = FILES.map(|name| {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../feedline-image/tests/jpegs");
        let whole = std::fs::read(format!("{folder}/{}.jpg", name.trim_start_matches('<'))).unwrap();
        if name.starts_with('<') { whole[..whole.len() * 3 / 4].to_vec() } else { whole }
    });
    Tensor::from_strings(vec![FILES.len()], contents.iter().collect())
}
