"""Strings, tables, CSV and messages, ragged and sparse tensors, from Python."""

from __future__ import annotations

import gzip

import numpy as np
import pytest

import feedline as fl


def one(function, *tensors):
    """What a traced function gives for an element of these tensors."""
    (result,) = fl.Dataset.from_tensors(tensors if len(tensors) > 1 else tensors[0]).map(function)
    return result


def test_strings_are_those_of_tensorflow():
    assert one(lambda x: fl.strings.upper(x), "abc é") == "ABC é".encode()
    assert one(lambda x: fl.strings.upper(x, encoding="utf-8"), "abc é") == "ABC É".encode()
    assert one(lambda x: fl.strings.strip(x), " a ") == b"a"
    assert one(lambda x: fl.strings.length(x), ["a", "bcd"]).tolist() == [1, 3]
    assert one(lambda x: fl.strings.substr(x, [0, 1], [1, 2]), ["abc", "def"]).tolist() == [b"a", b"ef"]
    assert one(lambda x: fl.strings.reduce_join(x, separator="-"), ["a", "b"]) == b"a-b"
    assert one(lambda x: fl.strings.regex_full_match(x, r"\d+"), ["12", "x"]).tolist() == [True, False]
    assert one(lambda x: fl.strings.regex_replace(x, r"(\w+) (\w+)", r"\2 \1"), "big dog") == b"dog big"
    assert one(lambda x: fl.strings.to_number(x, fl.int32), [" 7 ", "-1"]).tolist() == [7, -1]
    assert one(lambda x: fl.strings.as_string(x, precision=2), [1.5, 2.0]).tolist() == [b"1.50", b"2.00"]
    assert one(lambda x: fl.strings.to_hash_bucket_fast(x, 1000), ["", "a", "hello world"]).tolist() == [263, 939, 11]
    assert one(lambda x: fl.strings.to_hash_bucket(x, 1000), ["", "a", "hello world"]).tolist() == [899, 868, 655]
    assert one(lambda x: fl.strings.unicode_transcode(x, "UTF-8", "UTF-8"), b"a\xff").decode() == "a\ufffd"
    assert one(lambda x: fl.strings.unicode_split(x, "UTF-8"), ["ab", "é"]).to_list() == [[b"a", b"b"], ["é".encode()]]
    assert one(lambda x: fl.strings.bytes_split(x), "ab").tolist() == [b"a", b"b"]


def test_tensors_are_put_into_templates():
    assert one(lambda x: fl.strings.format("x is {}", x), np.arange(8)) == b"x is [0 1 2 ... 5 6 7]"
    assert one(lambda x: fl.strings.format("{} of {}", [x, 7]), "a") == b'"a" of 7'
    assert one(lambda x: fl.strings.format("%, {}", (x,), placeholder="%", summarize=1), [True, False, True]) == b"[1 ... 1], {}"
    assert one(lambda x: fl.strings.format("nothing", ()), 1) == b"nothing"


@pytest.mark.parametrize(
    ("function", "reason"),
    [
        (lambda x: fl.strings.regex_full_match(x, "("), "pattern"),
        (lambda x: fl.strings.regex_replace(x, "a", r"\1"), "rewrite"),
        (lambda x: fl.strings.length(x, "WORD"), "unit"),
        (lambda x: fl.strings.format("{} {}", x), "template '{} {}' has '{}' 2 times"),
        (lambda x: fl.strings.format("{}", x, placeholder=""), "placeholder"),
        (lambda x: fl.strings.format("{}", fl.strings.split([x])), "a ragged tensor where a plain one is expected"),
        (lambda x: fl.strings.to_number(x, fl.int8), "out_type"),
        (lambda x: fl.io.decode_csv(x, []), "record_defaults"),
        (lambda x: fl.io.decode_csv(x, [[1, 2]]), "record_defaults"),
        (lambda x: fl.io.decode_csv(x, [fl.int32], field_delim=",,"), "field_delim"),
        (lambda x: fl.io.decode_csv(x, [fl.int32], select_cols=[0, 1]), "select_cols"),
        (lambda x: fl.io.decode_compressed(x, "LZ4"), "compression_type"),
        (lambda x: fl.lookup.KeyValueTensorInitializer(["a"], [1, 2]), "one length"),
        (lambda x: fl.lookup.StaticHashTable(fl.lookup.KeyValueTensorInitializer(["a", "a"], [1, 2]), 0), "twice"),
        (lambda x: fl.RaggedTensor.from_row_splits([1, 2], [0, 3]), "row_splits"),
    ],
)
def test_bad_arguments_are_refused_where_they_are_written(function, reason):
    with pytest.raises(fl.FeedlineError, match=reason):
        fl.Dataset.from_tensors("a").map(function)


def test_bad_data_is_an_error_of_its_element():
    ds = fl.Dataset.from_tensor_slices(["1", "x", "3"]).map(lambda x: fl.strings.to_number(x, fl.int64))
    assert list(ds.ignore_errors()) == [1, 3]
    with pytest.raises(fl.InvalidValueError, match="'x' is no int64"):
        list(ds)


def test_strings_in_lists_keep_zeros_at_their_end():
    strings = [b"a\0\0", b"\0", b""]
    assert list(fl.Dataset.from_tensor_slices(strings)) == strings
    assert next(iter(fl.Dataset.from_tensors([strings, strings]))).tolist() == [strings, strings]


def test_csv_is_read_by_columns():
    lines = ["1,cat,0.5", '2,"a, b",', "3,NA,nan"]
    ds = fl.Dataset.from_tensor_slices(lines).batch(3)
    ds = ds.map(lambda x: tuple(fl.io.decode_csv(x, [fl.int64, "none", 9.0], na_value="NA")))
    ids, names, sizes = next(iter(ds))
    assert ids.tolist() == [1, 2, 3] and names.tolist() == [b"cat", b"a, b", b"none"]
    np.testing.assert_array_equal(sizes, np.array([0.5, 9.0, np.nan], np.float32))
    (name,) = one(lambda x: tuple(fl.io.decode_csv(x, [""], select_cols=[1])), "1,cat,0.5")
    assert name == b"cat"


def test_messages_and_codes():
    array = np.arange(6, dtype=np.float32).reshape(2, 3)
    message = one(lambda x: fl.io.serialize_tensor(x), array)
    np.testing.assert_array_equal(one(lambda x: fl.io.parse_tensor(x, fl.float32), message), array)
    assert one(lambda x: fl.io.decode_base64(fl.io.encode_base64(x)), b"\xff\x00") == b"\xff\x00"
    assert one(lambda x: fl.io.decode_compressed(x, "GZIP"), gzip.compress(b"hi")) == b"hi"


def test_files_are_written(tmp_path):
    names = [str(tmp_path / "a" / "one"), str(tmp_path / "two")]
    ds = fl.Dataset.from_tensor_slices(names).map(lambda x: fl.io.write_file(x, fl.strings.join(["to ", x])))
    assert list(ds) == [name.encode() for name in names]
    assert (tmp_path / "two").read_bytes() == b"to " + names[1].encode()


def test_tables_are_part_of_the_plan(tmp_path):
    path = tmp_path / "words.txt"
    path.write_text("cat\ndog\n")
    table = fl.lookup.index_table_from_file(path, num_oov_buckets=5)
    path.unlink()
    ds = fl.Dataset.from_tensors(["dog", "cow", "", "mouse"]).map(lambda x: table.lookup(x))
    # TensorFlow's StaticVocabularyTable of the same keys.
    assert next(iter(ds)).tolist() == [1, 5, 5, 3]
    names = fl.lookup.StaticHashTable(fl.lookup.KeyValueTensorInitializer([1, 2], ["one", "two"]), "many")
    assert one(lambda x: names[x], np.array([2, 3], np.int32)).tolist() == [b"two", b"many"]
    words = fl.Dataset.from_tensors(["a cat", "dog"]).map(lambda x: table.lookup(fl.strings.split(x)))
    assert next(iter(words)).to_list()[1] == [1]


def test_tables_of_files_with_carriage_returns(tmp_path):
    path = tmp_path / "words.txt"
    path.write_bytes(b"cat\r\r\ndo\rg\r\nend\r")
    for table, other in [(fl.lookup.index_table_from_file(path), -1), (fl.lookup.index_table_from_file(path, num_oov_buckets=1), 3)]:
        # As TensorFlow 2.21, which leaves out one at the end of a line.
        assert one(table.lookup, np.array(["cat\r", "do\rg", "end", "cat"], object)).tolist() == [0, 1, 2, other]


def test_integers_are_looked_up_in_a_table_of_another_type():
    numbers = fl.lookup.KeyValueTensorInitializer([1, 2], [0, 1], key_dtype=fl.int64, value_dtype=fl.int64)
    table = fl.lookup.StaticVocabularyTable(numbers, 3, lookup_key_dtype=fl.int32)
    # As TensorFlow 2.21.
    assert one(table.lookup, np.array([2, 7], np.int32)).tolist() == [1, 3]


def test_ragged_tensors_come_and_go():
    ragged = fl.ragged.constant([[1, 2], [], [3]])
    (same,) = fl.Dataset.from_tensors(ragged)
    assert same.to_list() == [[1, 2], [], [3]] and same.shape == (3, None)
    assert same.row_lengths().tolist() == [2, 0, 1] and same.nrows() == 3
    assert one(lambda x: x.to_tensor(-1), ragged).tolist() == [[1, 2], [-1, -1], [3, -1]]
    assert one(lambda x: x.to_tensor(shape=[2, 1]), ragged).tolist() == [[1], [0]]
    np.testing.assert_array_equal(ragged.to_tensor(-1, shape=[4, None]), one(lambda x: x.to_tensor(-1, shape=[4, None]), ragged))
    assert one(lambda x: (x.row_lengths(), x.nrows()), ragged)[0].tolist() == [2, 0, 1]
    assert one(lambda x: fl.cast(x, fl.float32), ragged).flat_values.dtype == np.float32
    deep = fl.ragged.constant([[["a"], ["b", "c"]], [], [["d"]]])
    assert deep.ragged_rank == 2 and deep[0].to_list() == [[b"a"], [b"b", b"c"]] and deep[-1].to_list() == [[b"d"]]
    np.testing.assert_array_equal(deep.to_tensor("-"), one(lambda x: x.to_tensor("-"), deep))


def test_ragged_tensors_are_batched_saved_and_resumed():
    def words(line):
        return fl.strings.split(fl.reshape(line, [1]))

    ds = fl.Dataset.from_tensor_slices(["a b", "", "c d e", "f"]).map(words).batch(2)
    assert ds.element_spec == fl.RaggedTensorSpec([None, None, None], fl.string, ragged_rank=2)
    batches = list(ds)
    assert [batch.to_list() for batch in batches] == [[[[b"a", b"b"]], [[]]], [[[b"c", b"d", b"e"]], [[b"f"]]]]
    iterator = ds.iterator()
    next(iterator)
    (rest,) = ds.iterator(state=iterator.state())
    assert rest.to_list() == batches[1].to_list()


def test_sparse_tensors_come_and_go():
    sparse = fl.SparseTensor([[0, 1], [1, 0]], [3.0, 4.0], [2, 2])
    (same,) = fl.Dataset.from_tensors(sparse)
    np.testing.assert_array_equal(fl.sparse.to_dense(same), [[0, 3], [4, 0]])
    assert one(lambda x: fl.sparse.to_dense(x, -1.0), sparse).tolist() == [[-1, 3], [4, -1]]
    ds = fl.Dataset.from_tensor_slices([[0, 1], [2, 0], [0, 0]]).map(lambda x: fl.sparse.from_dense(x)).batch(3)
    assert ds.element_spec == fl.SparseTensorSpec([None, None], fl.int32)
    (batch,) = ds
    assert batch.indices.tolist() == [[0, 1], [1, 0]] and batch.dense_shape.tolist() == [3, 2]


def test_python_functions_get_and_give_ragged_tensors():
    spec = fl.RaggedTensorSpec([None, None], fl.int32, ragged_rank=1)
    ragged = fl.ragged.constant([[1, 2], [3]])

    def doubled(value):
        return value.with_flat_values(value.flat_values * 2)

    (result,) = fl.Dataset.from_tensors(ragged).map(doubled, python=True, output_spec=spec)
    assert result.to_list() == [[2, 4], [6]]


def test_features_of_any_length_are_ragged_in_batches():
    records = [fl.io.example({"tags": tags, "id": len(tags)}) for tags in ([1, 2], [], [3])]
    features = {"tags": fl.io.RaggedFeature(fl.int64), "id": fl.io.FixedLenFeature([], fl.int64)}
    ds = fl.Dataset.from_tensor_slices(records)
    (batch,) = ds.batch(3).map(lambda x: fl.io.parse_example(x, features))
    assert batch["tags"].to_list() == [[1, 2], [], [3]] and batch["id"].tolist() == [2, 0, 1]
    assert [element["tags"].tolist() for element in ds.map(lambda x: fl.io.parse_single_example(x, features))] == [[1, 2], [], [3]]


def test_sequences_are_refused_and_read():
    with pytest.raises(fl.ArgumentError, match="no features"):
        fl.Dataset.from_tensors("").map(lambda x: fl.io.parse_single_sequence_example(x))
    # id 7; words [[1, 2], [3]] as TensorFlow writes them.
    record = b"\x0a\x0d\x0a\x0b\x0a\x02id\x12\x05\x1a\x03\x0a\x01\x07"
    words = b"\x0a\x05words\x12\x0f\x0a\x06\x1a\x04\x0a\x02\x01\x02\x0a\x05\x1a\x03\x0a\x01\x03"
    record += b"\x12" + bytes([len(words) + 2]) + b"\x0a" + bytes([len(words)]) + words
    ds = fl.Dataset.from_tensors(record).map(
        lambda x: fl.io.parse_single_sequence_example(
            x, {"id": fl.io.FixedLenFeature([], fl.int64)}, {"words": fl.io.RaggedFeature(fl.int64)}
        )
    )
    ((context, lists),) = ds
    assert context == {"id": 7} and lists["words"].to_list() == [[1, 2], [3]]


def test_batches_of_sequences_are_filled_up_or_ragged():
    ints = [b"\x0a\x05\x1a\x03\x0a\x01" + bytes([n]) for n in (4, 5)]
    words = [b"\x0a\x05words\x12" + bytes([7 * n]) + b"".join(ints[:n]) for n in (1, 2)]
    records = [b"\x12" + bytes([len(w) + 2]) + b"\x0a" + bytes([len(w)]) + w for w in words] + [b""]

    def parse(records, feature):
        return one(lambda x: fl.io.parse_sequence_example(x, sequence_features={"words": feature}), records)

    context, lists, lengths = parse(records, fl.io.FixedLenSequenceFeature([], fl.int64, allow_missing=True))
    assert context == {} and lists["words"].tolist() == [[4, 0], [4, 5], [0, 0]] and lengths["words"].tolist() == [1, 2, 0]
    _, lists, lengths = parse(records, fl.io.RaggedFeature(fl.int64))
    assert lists["words"].to_list() == [[[4]], [[4], [5]], []] and lengths == {}
    with pytest.raises(fl.FeedlineError, match="record 2 of the batch.*words"):
        parse(records, fl.io.FixedLenSequenceFeature([], fl.int64))
    with pytest.raises(fl.ArgumentError, match="default_value"):
        parse(records, fl.io.FixedLenSequenceFeature([], fl.int64, default_value=1))
    with pytest.raises(fl.ArgumentError, match="no features"):
        one(lambda x: fl.io.parse_sequence_example(x), records)
    # The single parser knows of lists that may be missing, too.
    optional = {"words": fl.io.FixedLenSequenceFeature([], fl.int64, allow_missing=True)}
    _, lists = one(lambda x: fl.io.parse_single_sequence_example(x, sequence_features=optional), b"")
    assert lists["words"].tolist() == []


def test_texts_may_be_bytes():
    ds = fl.Dataset.from_tensors(["a,b"])
    assert next(iter(ds.map(lambda x: fl.strings.split(x, b",")))).to_list() == [[b"a", b"b"]]
    assert next(iter(ds.map(lambda x: fl.strings.join([x, x], separator=b"-")))).tolist() == [b"a,b-a,b"]
