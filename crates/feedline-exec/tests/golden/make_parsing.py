"""Records what TensorFlow answers for the operations that read and write formats, and for ragged and sparse tensors. README.md says
how to run it and what it writes."""

import gzip
import itertools
import zlib

import numpy as np
import tensorflow as tf
from tensorflow.core.framework import tensor_pb2

from attributes import flag, ints, text
from recording import Cases, Lists

REQUIRED = {name: tf.constant([], getattr(tf, name)) for name in ["int32", "int64", "float32", "float64", "string"]}


def dtype_of(value):
    return {"d_type": value.name}


def csv(lists, record, defaults, delim=",", quotes=True, missing="", columns=None):
    lists.add(
        "decode_csv",
        lambda x, *d: tf.io.decode_csv(x, list(d), delim, quotes, missing, columns),
        [record, *defaults],
        [text(delim), flag(quotes), text(missing), "none" if columns is None else ints(columns)],
    )


def add_csv(lists):
    pair = [REQUIRED["int32"], REQUIRED["string"]]
    lines = [
        "1,a", "1", "1,a,b", '1,"a,b"', '1,"a""b"', "x,a", ",a", " 1 ,a", '1,a"b', '1,"a"b', '"1",a', '1,"a', "1,a\n", "1,a\r\n", "1,a\n2,b", "1,\na",
        "\n1,a", "1.5,a", "9999999999,a", "", '1, "a" ', "1,", ",", '1,"a\nb"', '1,""""', '1,""', '"",a', "1,é", "1,a,", '"1"a,b', "0x1,a", "+1,a",
    ]
    for line in lines:
        csv(lists, line, pair)
        csv(lists, line, [tf.constant([5]), tf.constant(["x"])])
        csv(lists, line, pair, quotes=False)
        csv(lists, line, [tf.constant([7], tf.int64)], columns=[0])
        csv(lists, line, [tf.constant(["z"])], columns=[1])
    for line in ["NA,b", "1,NA", '"NA","NA"', "na,b", " NA,b"]:
        csv(lists, line, [tf.constant(5), tf.constant("x")], missing="NA")
        csv(lists, line, pair, missing="NA")
    csv(lists, "1|a", pair, delim="|")
    csv(lists, "1\ta,b", pair, delim="\t")
    csv(lists, "1,a,3", [tf.constant([0]), tf.constant([0])], columns=[0, 2])
    csv(lists, "1,a", [tf.constant([0]), tf.constant([0])], columns=[0, 2])
    csv(lists, "1,a,3", [tf.constant([0]), tf.constant([0])], columns=[2, 0])
    csv(lists, "1,a,3", [tf.constant([0])], columns=[0, 2])
    csv(lists, '1,a,"3', [tf.constant([0])], columns=[0])
    csv(lists, ["1,a", "2,b"], pair)
    csv(lists, ["1,a", "x,b"], pair)
    csv(lists, [["1,a", "2,b"]], pair)
    csv(lists, tf.zeros([0], tf.string), pair)
    every = [REQUIRED[name] for name in ["float32", "int64", "float64", "int32", "string"]]
    for line in ["1,2,3,4,5", "1.5e3,-2,nan,4,", "inf,9223372036854775807,1e-400,4,x", "1,9223372036854775808,3,4,5", "0x10,2,3,4,5"]:
        csv(lists, line, every)
    csv(lists, "1,a", pair, delim=",,")
    csv(lists, "1,a", [tf.constant([True]), tf.constant(["x"])])
    csv(lists, "1", [tf.constant([1, 2])])


def add_messages(cases, lists):
    tensors = [tf.constant([[1, 2], [3, 4]]), tf.constant(["a", "", "bc"]), tf.constant(1.5), tf.constant([True, False]), tf.zeros([0, 2])]
    for dtype in [tf.int8, tf.int16, tf.int32, tf.int64, tf.uint8, tf.uint16, tf.uint32, tf.uint64, tf.float16, tf.bfloat16, tf.float32, tf.float64]:
        tensors.append(tf.cast(tf.constant([0, 1, 100]), dtype))
    for tensor in tensors:
        cases.add("serialize_tensor", tf.io.serialize_tensor, [tensor])
        message = tf.io.serialize_tensor(tensor).numpy()
        for dtype in {tensor.dtype, tf.float32}:
            lists.add("parse_tensor", lambda x, d=dtype: tf.io.parse_tensor(x, d), [message], [dtype_of(dtype)])

    def proto(number, sizes, **values):
        made = tensor_pb2.TensorProto(dtype=number, **values)
        made.tensor_shape.SetInParent()
        for size in sizes:
            made.tensor_shape.dim.add(size=size)
        return made.SerializeToString()

    messages = [
        (b"", tf.int32), (b"\xff", tf.int32), (proto(3, [4], int_val=[1, 2]), tf.int32), (proto(3, [2], int_val=[1, 2, 3]), tf.int32),
        (proto(3, [2]), tf.int32), (proto(3, [], int_val=[-7]), tf.int32), (proto(19, [1], half_val=[15360]), tf.float16),
        (proto(14, [1], half_val=[16256]), tf.bfloat16), (proto(3, [2], tensor_content=b"\1\0\0\0"), tf.int32), (proto(1, [2], float_val=[1.5]), tf.float32),
        (proto(2, [2], double_val=[1.5, 2.5]), tf.float64), (proto(9, [2], int64_val=[-1, 2**62]), tf.int64), (proto(10, [3], bool_val=[True, False]), tf.bool),
        (proto(22, [1], uint32_val=[2**32 - 1]), tf.uint32), (proto(23, [1], uint64_val=[2**64 - 1]), tf.uint64), (proto(6, [2], int_val=[-1, 127]), tf.int8),
        (proto(4, [2], int_val=[1, 255]), tf.uint8), (proto(7, [3], string_val=[b"a", b"b"]), tf.string), (proto(7, [2]), tf.string),
        (proto(3, [0]), tf.int32), (proto(8, [1], scomplex_val=[1, 2]), tf.float32), (proto(3, [2, 0, 3]), tf.int32),
    ]
    for message, dtype in messages:
        lists.add("parse_tensor", lambda x, d=dtype: tf.io.parse_tensor(x, d), [message], [dtype_of(dtype)])


def add_codes(cases):
    words = [b"", b"a", b"ab", b"abc", b"abcd", b"\xff\xfe\xfb", bytes(range(256))]
    for pad in [False, True]:
        cases.add("encode_base64", lambda x, p=pad: tf.io.encode_base64(x, p), [words], [flag(pad)])
    for code in [b"", b"YQ", b"YQ==", b"YQ=", b"YWI", b"YWI=", b"YWI==", b"Y", b"__77", b"//77", b"YW I", b"YR", b"YQ==YQ==", b"=", b"====", b"YWJj", b"-_-_", b"YWJjZA"]:
        cases.add("decode_base64", tf.io.decode_base64, [code])
    whole = [
        (gzip.compress(b"hi" * 50, mtime=0), "GZIP"), (zlib.compress(b"hi" * 50), "ZLIB"), (b"hi", ""), (b"hi", "GZIP"), (b"hi", "ZLIB"), (b"", "GZIP"), (b"", "ZLIB"),
        (b"", ""), (gzip.compress(b"a", mtime=0) + gzip.compress(b"b", mtime=0), "GZIP"), (b"x", "LZ4"), (gzip.compress(b"hi", mtime=0), "ZLIB"),
    ]
    for value, kind in whole:
        cases.add("decode_compressed", lambda x, k=kind: tf.io.decode_compressed(x, k), [value], [text(kind)])


def add_rows(lists):
    def ragged(values, *splits):
        return tf.RaggedTensor.from_nested_row_splits(values, splits)

    values = [np.arange(6), np.arange(6).astype(np.float32), np.array([b"a", b"b", b"c", b"d", b"e", b"f"], dtype=object), np.arange(12).reshape(6, 2)]
    splits = [[[0, 3, 3, 6]], [[0, 6]], [[0, 2, 2, 3], [0, 1, 4, 6]], [[0, 1, 2, 2], [0, 6, 6]], [[0, 3, 6, 7]], [[1, 6]], [[0, 4, 2, 6]], [[0]], [[]], [[0, 1, 3], [0, 1, 4, 6]]]
    for value, nested in itertools.product(values, splits):
        nested = [np.array(level, np.int64) for level in nested]
        inputs = [tf.constant(value), *nested]
        lists.add("ragged.from_nested_row_splits", ragged, inputs)
        default = tf.constant(b"-") if value.dtype == object else tf.constant(-1, tf.as_dtype(value.dtype))
        for shape in [None, [2], [-1, 2], [4, 4], [1, 1]]:
            wanted = None if shape is None else [None if size < 0 else size for size in shape]
            wanted = None if wanted is None else wanted + [None] * (1 + len(nested) + value.ndim - 1 - len(wanted))
            lists.add("ragged.to_tensor", lambda x, d, *s, w=wanted: ragged(x, *s).to_tensor(d, shape=w), [tf.constant(value), default, *nested],
                      ["none" if shape is None else ints(shape)])
    for lengths in [[2, 0, 4], [6], [], [3, -1, 4], [3, 3, 1], [1]]:
        for dtype in [np.int32, np.int64]:
            lists.add("ragged.from_row_lengths", lambda x, n: tf.RaggedTensor.from_row_lengths(x, tf.cast(n, tf.int64)), [np.arange(6), np.array(lengths, dtype)])
    ranges = [
        ([3, 0, 2], 0, 1), ([0, 5, 8], [3, 3, 12], 1), ([0, 5, 8], [3, 3, 12], [2, 1, 3]), (0, [1, 2, 3], 1), (5, 0, -2), ([5, 5], [0, 1], [-2, -3]), ([0], [5], [0]),
        ([3], [5, 6], 1), ([[1]], 2, 1), ([], [], 1), ([1, 2], [7, 2], [4, 5]),
    ]
    for (starts, limits, deltas), dtype in itertools.product(ranges, [np.int32, np.int64, np.float32, np.float64]):
        lists.add("ragged.range", tf.ragged.range, [np.array(part, dtype) for part in (starts, limits, deltas)])
    for dtype in [np.float32, np.float64]:
        # They are added up one by one.
        lists.add("ragged.range", tf.ragged.range, [np.array(part, dtype) for part in ([0.0, -1.5, 2.0], [1.0, 0.25, 1.1], [0.1, 0.3, -0.1])])
    grids = [tf.constant([[0, 7], [0, 0]]), tf.constant([0.0, -0.0, 2.5]), tf.constant([["", "a"], ["b", ""]]), tf.constant([[[True], [False]]]), tf.zeros([2, 0]), tf.zeros([3], tf.float16)]
    for grid in grids:
        lists.add("sparse.from_dense", tf.sparse.from_dense, [grid])
    for indices, count, shape in [
        ([[0, 1], [1, 0]], 2, [2, 2]), ([[1, 0], [0, 1]], 2, [2, 2]), ([[0, 1], [0, 1]], 2, [2, 2]), ([[0, 2]], 1, [2, 2]), ([[-1, 0]], 1, [2, 2]), (np.zeros([0, 2]), 0, [2, 3]),
        ([[2]], 1, [4]), (np.zeros([0, 1]), 0, [0]), ([[0, 0, 1]], 1, [1, 2, 2]), ([[0, 1]], 2, [2, 2]), ([[0]], 1, [2, 2]),
    ]:
        for strict in [True, False]:
            lists.add(
                "sparse.to_dense",
                lambda i, v, s, d, n=strict: tf.sparse.to_dense(tf.sparse.SparseTensor(i, v, s), d, n),
                [np.array(indices, np.int64), np.arange(5, 5 + count).astype(np.int32), np.array(shape, np.int64), np.int32(-1)], [flag(strict)],
            )


def main():
    cases, lists = Cases(), Lists()
    add_csv(lists)
    add_messages(cases, lists)
    add_codes(cases)
    add_rows(lists)
    cases.write("parsing.json")
    lists.write("parsing_lists.json")


main()
