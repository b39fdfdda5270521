//! Kernels that read and write formats, a file each.

mod base64;
mod decode_compressed;
mod decode_csv;
mod decode_json;
mod parse_sequence_example;
mod parse_single_sequence_example;
mod parse_tensor;
pub(super) mod sequence;
mod serialize_tensor;
mod write_file;

use super::Kernel;

/// The kernel of each of these operations.
pub(super) const KERNELS: &[(&str, Kernel)] = &[
    ("decode_csv", decode_csv::decode_csv),
    ("decode_csv_record", decode_csv::decode_csv_record),
    ("decode_json", decode_json::decode_json),
    ("parse_single_sequence_example", parse_single_sequence_example::parse_single_sequence_example),
    ("parse_sequence_example", parse_sequence_example::parse_sequence_example),
    ("decode_compressed", decode_compressed::decode_compressed),
    ("encode_base64", base64::encode),
    ("decode_base64", base64::decode),
    ("serialize_tensor", serialize_tensor::serialize),
    ("parse_tensor", parse_tensor::parse),
    ("write_file", write_file::write_file),
];
