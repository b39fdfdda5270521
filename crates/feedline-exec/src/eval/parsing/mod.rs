//! Kernels that read and write formats, a file each.

mod base64;
mod compressed;
mod csv;
mod json;
pub(super) mod sequence;
mod sequence_batch;
mod tensor_proto;
mod write_file;

use super::Kernel;

/// The kernel of each of these operations.
pub(super) const KERNELS: &[(&str, Kernel)] = &[
    ("decode_csv", csv::decode_csv),
    ("decode_csv_record", csv::decode_csv_record),
    ("decode_json", json::decode_json),
    ("parse_single_sequence_example", sequence::parse_single_sequence_example),
    ("parse_sequence_example", sequence_batch::parse_sequence_example),
    ("decode_compressed", compressed::decode_compressed),
    ("encode_base64", base64::encode),
    ("decode_base64", base64::decode),
    ("serialize_tensor", tensor_proto::serialize),
    ("parse_tensor", tensor_proto::parse),
    ("write_file", write_file::write_file),
];
