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
    ///
    /// ```python
    /// >>> lines = fl.Dataset.from_tensor_slices(["1,cat", '2,"a ""big"" dog"', ",cow"])
    /// >>> for row in lines.map(lambda line: tuple(fl.io.decode_csv(line, [0, fl.string]))):
    /// ...     print(row)
    /// (np.int32(1), b'cat')
    /// (np.int32(2), b'a "big" dog')
    /// (np.int32(0), b'cow')
    /// ```
    decode_csv(
        records: Tensor, record_defaults: Tensors, field_delim: Text, use_quote_delim: Bool = true, na_value: Text = String::new(),
        select_cols: Axis = Attribute::None
    ) "tf.io.decode_csv", infer::parsing::decode_csv, Heavy, can_fail;
    /// The fields of records of CSV files, as `decode_csv`, but a record of no bytes, which is a blank line, has one field that is empty.
    /// `exclude_cols` names the columns that are not read, where it is not `select_cols` that names those that are. What `CsvDataset` reads
    /// its records by.
    ///
    /// ```python
    /// >>> import feedline as fl, pathlib, tempfile
    /// >>> path = pathlib.Path(tempfile.mkdtemp(), "pets.csv")
    /// >>> _ = path.write_text("1,cat\n2,dog\n")
    /// >>> list(fl.CsvDataset(str(path), [fl.int32, fl.string]))
    /// [(np.int32(1), b'cat'), (np.int32(2), b'dog')]
    /// ```
    decode_csv_record(
        records: Tensor, record_defaults: Tensors, field_delim: Text, use_quote_delim: Bool = true, na_value: Text = String::new(),
        select_cols: Axis = Attribute::None, exclude_cols: Axis = Attribute::None
    ) "", infer::parsing::decode_csv_record, Heavy, can_fail;
    /// The values of a JSON object, as a dictionary of tensors by their paths: `a.b` is `b` of the object `a`, and `a.0` the first entry of the list
    /// `a`. Features are those of `parse_single_example`, and for a batch of texts those of `parse_example`; int64 takes whole numbers, true and
    /// false, float32 any number, string texts. Lists of lists are tensors of that shape. What is `null` is not there, and what is not asked for
    /// is read over. What is no object, lacks something without default, or has something of another type or number, is an error of its element.
    ///
    /// ```python
    /// >>> features = {"user.id": fl.io.FixedLenFeature([], fl.int64), "boxes.0.tags": fl.io.RaggedFeature(fl.string)}
    /// >>> lines = fl.Dataset.from_tensors('{"user": {"id": 7}, "boxes": [{"tags": ["a", "b"]}, {}], "more": [[{}]]}')
    /// >>> next(iter(lines.map(lambda line: fl.io.decode_json(line, features))))
    /// {'boxes.0.tags': array([b'a', b'b'], dtype=object), 'user.id': np.int64(7)}
    /// ```
    decode_json(input: Tensor, features: Features) "", infer::parsing::decode_json, Heavy, can_fail;
    /// Two dictionaries of tensors from one `tf.train.SequenceExample`: of its context, and of its lists of steps. Features of the context are those of
    /// `parse_single_example`. Lists are `fixed_len_sequence`, a tensor whose first dimension is the steps, or of any length, a ragged or sparse tensor with the
    /// steps as its rows. A record that lacks a feature without default, or has another type or number of values, is an error of its element; a list
    /// with a default may be lacked, and has no steps then.
    ///
    /// ```python
    /// >>> record = b"\x12\x1b\n\x19\n\x05words\x12\x10\n\x07\n\x05\n\x03the\n\x05\n\x03\n\x01a"
    /// >>> words = {"words": fl.io.FixedLenSequenceFeature([], fl.string)}
    /// >>> ds = fl.Dataset.from_tensors(record).map(lambda x: fl.io.parse_single_sequence_example(x, sequence_features=words))
    /// >>> ds.get_single_element()
    /// ({}, {'words': array([b'the', b'a'], dtype=object)})
    /// ```
    parse_single_sequence_example(serialized: Tensor, context_features: Features, sequence_features: Features)
        "tf.io.parse_single_sequence_example", infer::parse_single_sequence_example, Heavy, can_fail;
    /// Three dictionaries of tensors from a batch of `tf.train.SequenceExample`s: of their contexts, of their lists of steps, and of how many steps each
    /// record has of the lists that are `fixed_len_sequence`, which are filled up to the longest. Each tensor has the batch as its first dimension.
    /// Lists of any length are ragged in two dimensions, steps and values, or sparse in three; the rest is as in `parse_single_sequence_example`. A batch with a bad record
    /// is an error.
    ///
    /// ```python
    /// >>> record = b"\x12\x1b\n\x19\n\x05words\x12\x10\n\x07\n\x05\n\x03the\n\x05\n\x03\n\x01a"
    /// >>> words = {"words": fl.io.FixedLenSequenceFeature([], fl.string, allow_missing=True)}
    /// >>> ds = fl.Dataset.from_tensors([record, b""]).map(lambda x: fl.io.parse_sequence_example(x, sequence_features=words))
    /// >>> _, lists, lengths = next(iter(ds))
    /// >>> print(lists["words"], lengths["words"])
    /// [[b'the' b'a']
    ///  [b'' b'']] [2 0]
    /// ```
    parse_sequence_example(serialized: Tensor, context_features: Features, sequence_features: Features)
        "tf.io.parse_sequence_example", infer::parse_sequence_example, Heavy, can_fail;
    /// The contents of strings that are compressed: `GZIP`, `ZLIB`, or not at all. A stream that is damaged or cut off is an error of its element.
    ///
    /// ```python
    /// >>> import feedline as fl, gzip
    /// >>> ds = fl.Dataset.from_tensors(gzip.compress(b"the cat"))
    /// >>> ds.map(lambda x: fl.io.decode_compressed(x, "GZIP")).get_single_element()
    /// b'the cat'
    /// ```
    decode_compressed(bytes: Tensor, compression_type: Text = String::new())
        "tf.io.decode_compressed", infer::parsing::decode_compressed, Heavy, can_fail, any_size;
    /// The bytes of each string in web-safe base64, with `=` at the end where `pad` is set.
    ///
    /// ```python
    /// >>> fl.Dataset.from_tensors("cat?").map(lambda x: fl.io.encode_base64(x, pad=True)).get_single_element()
    /// b'Y2F0Pw=='
    /// ```
    encode_base64(input: Tensor, pad: Bool = false) "tf.io.encode_base64", infer::strings::same, Light, by_value;
    /// The bytes that strings of web-safe base64 stand for, with padding or without. What is none is an error of its element.
    ///
    /// ```python
    /// >>> fl.Dataset.from_tensors("Y2F0Pw").map(lambda x: fl.io.decode_base64(x)).get_single_element()
    /// b'cat?'
    /// ```
    decode_base64(input: Tensor) "tf.io.decode_base64", infer::strings::same, Light, can_fail, by_value;
    /// The tensor as a `TensorProto`.
    ///
    /// ```python
    /// >>> fl.Dataset.from_tensors([1, 2]).map(lambda x: fl.io.serialize_tensor(x)).get_single_element()
    /// b'\x08\x03\x12\x04\x12\x02\x08\x02"\x08\x01\x00\x00\x00\x02\x00\x00\x00'
    /// ```
    serialize_tensor(tensor: Tensor) "tf.io.serialize_tensor", infer::parsing::serialize_tensor, Light;
    /// The tensor that a `TensorProto` is. One of another type, or what is none, is an error of its element.
    ///
    /// ```python
    /// >>> fl.Dataset.from_tensors([1, 2]).map(lambda x: fl.io.parse_tensor(fl.io.serialize_tensor(x), fl.int32)).get_single_element()
    /// array([1, 2], dtype=int32)
    /// ```
    parse_tensor(serialized: Tensor, out_type: DType) "tf.io.parse_tensor", infer::parsing::parse_tensor, Light, can_fail;
    /// Writes a file, which appears under its name when it is complete, in folders that are made where they are missing, and gives its name. One
    /// that cannot be written is an error of its element. An element that is computed again writes its file again.
    ///
    /// ```python
    /// >>> import feedline as fl, pathlib, tempfile
    /// >>> folder = tempfile.mkdtemp()
    /// >>> def keep(x):
    /// ...     fl.io.write_file(fl.strings.join([folder, "/", fl.strings.as_string(x)]), "kept")
    /// ...     return x
    /// >>> _ = list(fl.Dataset.range(3).map(keep))
    /// >>> sorted(path.name for path in pathlib.Path(folder).iterdir())
    /// ['0', '1', '2']
    /// ```
    write_file(filename: Tensor, contents: Tensor) "tf.io.write_file", infer::parsing::write_file, Io, can_fail;
}
