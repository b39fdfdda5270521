//! The operations of strings: `ops::strings` in Rust, `fl.strings` in Python.
//!
//! Strings are bytes; what reads characters in them says so.

use super::Operation;

catalogue! {
    "strings.";
    /// Strings: cut, joined, searched, hashed, made of numbers and numbers of them. Names and results are those of `tf.strings`.
    ///
    /// ```
    /// use feedline_data::{DType, ElementSpec, TensorSpec};
    /// use feedline_plan::{Symbolic, ops};
    ///
    /// let line = Symbolic::of_spec(&ElementSpec::Leaf(TensorSpec::scalar(DType::String)));
    /// let words = ops::strings::split(ops::strings::lower(line, ""), "", -1);
    /// let ids = ops::strings::to_hash_bucket_fast(words, 1000);
    /// assert_eq!(ids.to_structure()?.map(|expr| expr.spec().to_string()).to_string(), "int64[?]");
    /// # Ok::<(), feedline_plan::PlanError>(())
    /// ```
    functions {}

    /// Capital letters as small ones: those of ASCII, or with the encoding `utf-8` all that Unicode has, where bytes that are no
    /// UTF-8 become U+FFFD.
    ///
    /// ```python
    /// >>> fl.Dataset.from_tensors("The CAT").map(lambda x: fl.strings.lower(x)).get_single_element()
    /// b'the cat'
    /// ```
    lower(input: Tensor, encoding: Text = String::new()) "tf.strings.lower", infer::strings::case, Light, by_value;
    /// Small letters as capital ones: those of ASCII, or with the encoding `utf-8` all that Unicode has, where bytes that are no
    /// UTF-8 become U+FFFD.
    ///
    /// ```python
    /// >>> fl.Dataset.from_tensors("The cat").map(lambda x: fl.strings.upper(x)).get_single_element()
    /// b'THE CAT'
    /// ```
    upper(input: Tensor, encoding: Text = String::new()) "tf.strings.upper", infer::strings::case, Light, by_value;
    /// Without the ASCII white space at both ends. Shares the memory of what it gets.
    ///
    /// ```python
    /// >>> fl.Dataset.from_tensors(" the cat\n").map(lambda x: fl.strings.strip(x)).get_single_element()
    /// b'the cat'
    /// ```
    strip(input: Tensor) "tf.strings.strip", infer::strings::same, Light, by_value;
    /// How long each string is, as int32: in bytes (`BYTE`) or in characters (`UTF8_CHAR`).
    ///
    /// ```python
    /// >>> ds = fl.Dataset.from_tensors("né").map(lambda x: (fl.strings.length(x), fl.strings.length(x, "UTF8_CHAR")))
    /// >>> next(iter(ds))
    /// (np.int32(3), np.int32(2))
    /// ```
    length(input: Tensor, unit: Text) "tf.strings.length", infer::strings::length, Light, by_value;
    /// The `len` bytes (`unit` is `BYTE`) or characters (`UTF8_CHAR`) of each string from `pos` on, or those that are there; a negative `pos`
    /// counts from the end. `pos` and `len` have one shape, which is broadcast with that of the strings. A negative `len` is all the rest of
    /// the bytes, or no character. A string that has no place `pos` is an error of its element. Shares the memory of what it gets.
    ///
    /// ```python
    /// >>> next(iter(fl.Dataset.from_tensors("feedline").map(lambda x: fl.strings.substr(x, -4, 2))))
    /// b'li'
    /// ```
    substr(input: Tensor, pos: Indices, len: Indices, unit: Text) "tf.strings.substr", infer::strings::substr, Light, can_fail, by_value;
    /// Strings of several tensors one behind the other, with a separator between them. The tensors have one shape; single strings go
    /// with any.
    ///
    /// ```python
    /// >>> ds = fl.Dataset.from_tensors(["a", "b"]).map(lambda x: fl.strings.join(["train", x], "/"))
    /// >>> next(iter(ds))
    /// array([b'train/a', b'train/b'], dtype=object)
    /// ```
    join(inputs: Tensors, separator: Text = String::new()) "tf.strings.join", infer::strings::join, Light, can_fail, any_size, by_value;
    /// The strings along some dimensions, or all, as one, with a separator between them. Of several dimensions the one named first
    /// changes fastest; of all of them the last.
    ///
    /// ```python
    /// >>> fl.Dataset.from_tensors(["the", "cat"]).map(lambda x: fl.strings.reduce_join(x, separator=" ")).get_single_element()
    /// b'the cat'
    /// ```
    reduce_join(inputs: Tensor, axis: Axis = Attribute::None, keepdims: Bool = false, separator: Text = String::new())
        "tf.strings.reduce_join", infer::strings::reduce_join, Light, can_fail;
    /// Whether a pattern of RE2's syntax matches all of a string.
    ///
    /// ```python
    /// >>> fl.Dataset.from_tensors(["img_12.png", "notes.txt"]).map(lambda x: fl.strings.regex_full_match(x, r"img_\d+\.png")).get_single_element()
    /// array([ True, False])
    /// ```
    regex_full_match(input: Tensor, pattern: Text) "tf.strings.regex_full_match", infer::strings::regex_full_match, Light, by_value;
    /// Each match of a pattern of RE2's syntax, or without `replace_global` the first, replaced by `rewrite`, in which `\1` to `\9` are what the
    /// groups matched, `\0` is all of the match and `\\` a backslash.
    ///
    /// ```python
    /// >>> fl.Dataset.from_tensors("img_12.png").map(lambda x: fl.strings.regex_replace(x, r"img_(\d+)", r"\1_img")).get_single_element()
    /// b'12_img.png'
    /// ```
    regex_replace(input: Tensor, pattern: Text, rewrite: Text, replace_global: Bool = true)
        "tf.strings.regex_replace", infer::strings::regex_replace, Light, can_fail, any_size, by_value;
    /// The number that each string is, as float32, float64, int32, int64, uint32 or uint64, with white space around it or without. Floats
    /// may be hexadecimal, `inf` or `nan`. What is no number of the type is an error of its element.
    ///
    /// ```python
    /// >>> fl.Dataset.from_tensors(["1.5", " 2 "]).map(lambda x: fl.strings.to_number(x)).get_single_element()
    /// array([1.5, 2. ], dtype=float32)
    /// ```
    to_number(input: Tensor, out_type: DType = DType::Float32) "tf.strings.to_number", infer::strings::to_number, Light, can_fail, by_value;
    /// Each number as a string, as C's `printf` writes it: floats with `precision` digits behind the point (6 where it is negative),
    /// `scientific` with an exponent, `shortest` the shorter of both. `width` is the least length, which `fill` makes up for with spaces in front, zeros (`0`),
    /// spaces behind (`-`), or with a sign for positive numbers (`+`) or a space in its place (` `).
    ///
    /// ```python
    /// >>> fl.Dataset.from_tensors([1.5, 2.0]).map(lambda x: fl.strings.as_string(x, precision=2)).get_single_element()
    /// array([b'1.50', b'2.00'], dtype=object)
    /// ```
    as_string(
        input: Tensor, precision: Int = -1, scientific: Bool = false, shortest: Bool = false, width: Int = -1, fill: Text = String::new()
    ) "tf.strings.as_string", infer::strings::as_string, Light, can_fail, any_size, by_value;
    /// One string: the template with a tensor in place of each placeholder, in their order. Of each dimension `summarize` entries from each end are
    /// shown, or all of them where it is negative. Floats have as many digits as it takes to read back the same, bools are 1 and 0, strings are in
    /// quotes with escapes.
    ///
    /// ```python
    /// >>> ds = fl.Dataset.range(10).batch(10).map(lambda x: fl.strings.format("{} have the sum {}", (x, fl.reduce_sum(x))))
    /// >>> next(iter(ds))
    /// b'[0 1 2 ... 7 8 9] have the sum 45'
    /// ```
    format(inputs: Tensors, template: Text, placeholder: Text, summarize: Int = 3)
        "tf.strings.format", infer::strings::format, Light;
    /// A number from 0 to below `num_buckets` for each string, by a fast hash: `FarmHash`'s Fingerprint64.
    ///
    /// ```python
    /// >>> fl.Dataset.from_tensors(["cat", "dog"]).map(lambda x: fl.strings.to_hash_bucket_fast(x, 1000)).get_single_element()
    /// array([ 96, 112])
    /// ```
    to_hash_bucket_fast(input: Tensor, num_buckets: Int)
        "tf.strings.to_hash_bucket_fast", infer::strings::to_hash_bucket, Light, by_value;
    /// A number from 0 to below `num_buckets` for each string, by TensorFlow's oldest hash, a kind of `MurmurHash`.
    ///
    /// ```python
    /// >>> fl.Dataset.from_tensors(["cat", "cow"]).map(lambda x: fl.strings.to_hash_bucket(x, 1000)).get_single_element()
    /// array([335, 417])
    /// ```
    to_hash_bucket(input: Tensor, num_buckets: Int) "tf.strings.to_hash_bucket", infer::strings::to_hash_bucket, Light, by_value;
    /// The bytes of each string, a string each: of one string a tensor of one dimension, of a tensor of them a ragged one.
    ///
    /// ```python
    /// >>> fl.Dataset.from_tensors("cat").map(lambda x: fl.strings.bytes_split(x)).get_single_element()
    /// array([b'c', b'a', b't'], dtype=object)
    /// ```
    bytes_split(input: Tensor) "tf.strings.bytes_split", infer::strings::bytes_split, Light, can_fail, any_size, gives_ragged;
    /// The parts of each string between separators, or, where the separator is empty, between runs of ASCII white space: of one string a
    /// tensor of one dimension, of a tensor of them a ragged one. It is cut `maxsplit` times at most; −1 is no limit. Parts share the memory
    /// of what they are of.
    ///
    /// ```python
    /// >>> ds = fl.Dataset.from_tensor_slices(["a,b", "c"]).batch(2).map(lambda x: fl.strings.split(x, ","))
    /// >>> next(iter(ds))
    /// <fl.RaggedTensor [[b'a', b'b'], [b'c']]>
    /// ```
    split(input: Tensor, sep: Text = String::new(), maxsplit: Int = -1)
        "tf.strings.split", infer::strings::split, Light, can_fail, any_size, gives_ragged;
    /// The characters of each string as numbers (int32): of one string a tensor of one dimension, of a tensor of them a ragged one. The encoding
    /// is `UTF-8`. Bytes that are none become `replacement_char` (`errors` is `replace`), are left out (`ignore`) or are an error of the element
    /// (`strict`). With `replace_control_characters` characters below 32 are treated likewise.
    ///
    /// ```python
    /// >>> next(iter(fl.Dataset.from_tensors("né").map(lambda x: fl.strings.unicode_decode(x, "UTF-8"))))
    /// array([110, 233], dtype=int32)
    /// ```
    unicode_decode(
        input: Tensor, input_encoding: Text, errors: Text, replacement_char: Int = 65533, replace_control_characters: Bool = false
    ) "tf.strings.unicode_decode", infer::strings::unicode_decode, Light, can_fail, any_size, gives_ragged;
    /// The characters of each string, a string each: of one string a tensor of one dimension, of a tensor of them a ragged one. The rest is as in
    /// `unicode_decode`.
    ///
    /// ```python
    /// >>> fl.Dataset.from_tensors("né").map(lambda x: fl.strings.unicode_split(x, "UTF-8")).get_single_element()[0]
    /// b'n'
    /// ```
    unicode_split(input: Tensor, input_encoding: Text, errors: Text, replacement_char: Int = 65533)
        "tf.strings.unicode_split", infer::strings::unicode_split, Light, can_fail, any_size, gives_ragged;
    /// The string of characters that each list of numbers (int32) along the last dimension stands for, in `UTF-8`. Numbers that are no character become
    /// `replacement_char` (`errors` is `replace`), are left out (`ignore`) or are an error of the element (`strict`).
    ///
    /// ```python
    /// >>> next(iter(fl.Dataset.from_tensors([110, 233]).map(lambda x: fl.strings.unicode_encode(x, "UTF-8")))).decode()
    /// 'né'
    /// ```
    unicode_encode(input: Tensor, output_encoding: Text, errors: Text, replacement_char: Int = 65533)
        "tf.strings.unicode_encode", infer::strings::unicode_encode, Light, can_fail;
    /// Each string with bytes that are no `UTF-8` replaced, left out, or an error of the element: see `unicode_decode`.
    ///
    /// ```python
    /// >>> fl.Dataset.from_tensors(b"a\xffb").map(lambda x: fl.strings.unicode_transcode(x, "UTF-8", "UTF-8", errors="ignore")).get_single_element()
    /// b'ab'
    /// ```
    unicode_transcode(
        input: Tensor, input_encoding: Text, output_encoding: Text, errors: Text, replacement_char: Int = 65533,
        replace_control_characters: Bool = false
    ) "tf.strings.unicode_transcode", infer::strings::unicode_transcode, Light, can_fail, by_value;
}
