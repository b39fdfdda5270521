//! The operations that read and write formats: in `ops` in Rust, in `fl.io` in Python.

use super::Operation;

catalogue! {
    "";
    /// Reading and writing formats. All of them are in [`ops`](crate::ops), too.
    ///
    /// ```
    /// use feedline_data::block::{Strings, Tensor};
    /// use feedline_data::{DType, ElementSpec, TensorSpec};
    /// use feedline_plan::expr::Attribute;
    /// use feedline_plan::{Symbolic, ops};
    ///
    /// let line = Symbolic::of_spec(&ElementSpec::Leaf(TensorSpec::scalar(DType::String)));
    /// let required = Tensor::from_strings(vec![0], Strings::default());
    /// let columns = [Symbolic::from(required), Symbolic::from(Tensor::from_vec(vec![1], vec![0.5_f32]))];
    /// let row = ops::decode_csv(line, columns, ",", true, "", Attribute::None);
    /// assert_eq!(row.to_structure()?.map(|expr| expr.spec().to_string()).to_string(), "(string[], float32[])");
    /// # Ok::<(), feedline_plan::PlanError>(())
    /// ```
    functions {}

    /// The fields of records of CSV, a tensor for each column, of the type of its default, which is also what an empty field, or one that is
    /// `na_value`, stands for; a default without a value says that there must be one. `select_cols` names the columns that are read, in
    /// order, where not all are. A record that has another number of fields, or a field that is no number, is an error of its element.
    decode_csv(
        records: Tensor, record_defaults: Tensors, field_delim: Text, use_quote_delim: Bool = true, na_value: Text = String::new(),
        select_cols: Axis = Attribute::None
    ) "tf.io.decode_csv", infer::parsing::decode_csv, Heavy, can_fail;
    /// The fields of records of CSV files, as `decode_csv`, but a record of no bytes, which is a blank line, has one field that is empty.
    /// `exclude_cols` names the columns that are not read, where it is not `select_cols` that names those that are. What `CsvDataset` reads
    /// its records by.
    decode_csv_record(
        records: Tensor, record_defaults: Tensors, field_delim: Text, use_quote_delim: Bool = true, na_value: Text = String::new(),
        select_cols: Axis = Attribute::None, exclude_cols: Axis = Attribute::None
    ) "", infer::parsing::decode_csv_record, Heavy, can_fail;
    /// The values of a JSON object, as a dictionary of tensors by their paths: `a.b` is `b` of the object `a`. Features are those of
    /// `parse_single_example`; int64 takes whole numbers, true and false, float32 any number, string texts. What is `null` is not there. What is no
    /// object, lacks something without default, or has something of another type or number, is an error of its element.
    decode_json(input: Tensor, features: Features) "", infer::parsing::decode_json, Heavy, can_fail;
    /// Two dictionaries of tensors from one `tf.train.SequenceExample`: of its context, and of its lists of steps. Features of the context are those of
    /// `parse_single_example`. Lists are `fixed_len_sequence`, a tensor whose first dimension is the steps, or of any length, a ragged or sparse tensor with the
    /// steps as its rows. A record that lacks a feature without default, or has another type or number of values, is an error of its element; a list
    /// with a default may be lacked, and has no steps then.
    parse_single_sequence_example(serialized: Tensor, context_features: Features, sequence_features: Features)
        "tf.io.parse_single_sequence_example", infer::parse_single_sequence_example, Heavy, can_fail;
    /// Three dictionaries of tensors from a batch of `tf.train.SequenceExample`s: of their contexts, of their lists of steps, and of how many steps each
    /// record has of the lists that are `fixed_len_sequence`, which are filled up to the longest. Each tensor has the batch as its first dimension.
    /// Lists of any length are ragged in two dimensions, steps and values, or sparse in three; the rest is as in `parse_single_sequence_example`. A batch with a bad record
    /// is an error.
    parse_sequence_example(serialized: Tensor, context_features: Features, sequence_features: Features)
        "tf.io.parse_sequence_example", infer::parse_sequence_example, Heavy, can_fail;
    /// The contents of strings that are compressed: `GZIP`, `ZLIB`, or not at all. A stream that is damaged or cut off is an error of its element.
    decode_compressed(bytes: Tensor, compression_type: Text = String::new())
        "tf.io.decode_compressed", infer::parsing::decode_compressed, Heavy, can_fail, any_size;
    /// The bytes of each string in web-safe base64, with `=` at the end where `pad` is set.
    encode_base64(input: Tensor, pad: Bool = false) "tf.io.encode_base64", infer::strings::same, Light, by_value;
    /// The bytes that strings of web-safe base64 stand for, with padding or without. What is none is an error of its element.
    decode_base64(input: Tensor) "tf.io.decode_base64", infer::strings::same, Light, can_fail, by_value;
    /// The tensor as a `TensorProto`.
    serialize_tensor(tensor: Tensor) "tf.io.serialize_tensor", infer::parsing::serialize_tensor, Light;
    /// The tensor that a `TensorProto` is. One of another type, or what is none, is an error of its element.
    parse_tensor(serialized: Tensor, out_type: DType) "tf.io.parse_tensor", infer::parsing::parse_tensor, Light, can_fail;
    /// Writes a file, which appears under its name when it is complete, in folders that are made where they are missing, and gives its name. One
    /// that cannot be written is an error of its element. An element that is computed again writes its file again.
    write_file(filename: Tensor, contents: Tensor) "tf.io.write_file", infer::parsing::write_file, Io, can_fail;
}
