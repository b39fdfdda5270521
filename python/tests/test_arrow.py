"""Tables of whatever speaks Arrow's C interface."""

from __future__ import annotations

import gc
import tracemalloc
import weakref

import numpy as np
import pytest

import feedline as fl
from feedline import _string_column

pyarrow = pytest.importorskip("pyarrow")
polars = pytest.importorskip("polars")


class Stream:
    """What a library we know nothing of has: a stream of Arrow's, and nothing else."""

    def __init__(self, table):
        self._table = table

    def __arrow_c_stream__(self, requested_schema=None):
        return self._table.__arrow_c_stream__(requested_schema)


class Batch:
    def __init__(self, batch):
        self._batch = batch

    def __arrow_c_array__(self, requested_schema=None):
        return self._batch.__arrow_c_array__(requested_schema)


def plain(value):
    if isinstance(value, dict):
        return {key: plain(part) for key, part in value.items()}
    return value.to_list() if isinstance(value, fl.RaggedTensor) else np.asarray(value).tolist()


def whole(table):
    (element,) = fl.Dataset.from_tensors(table)
    return plain(element)


WORDS = ["a", "", "a word of more than twelve bytes", "é"]
COLUMNS = {
    **{name: pyarrow.array([1, 0, 3, 4], name) for name in "int8 uint8 int16 uint16 int32 uint32 int64 uint64 float32 float64".split()},
    "float16": pyarrow.array(np.array([1, 0, 3, 4], np.float16)),
    "bool": pyarrow.array([True, False, False, True]),
    "string": pyarrow.array(WORDS),
    "large_string": pyarrow.array(WORDS, pyarrow.large_string()),
    "string_view": pyarrow.array(WORDS, pyarrow.string_view()),
    "binary": pyarrow.array([b"a", b"", b"\0", b"\xff"]),
    "fixed_binary": pyarrow.array([b"ab", b"cd", b"ef", b"gh"], pyarrow.binary(2)),
    "dictionary": pyarrow.array(["x", "y", "x", "x"]).dictionary_encode(),
    "fixed_list": pyarrow.array([[1, 2], [3, 4], [5, 6], [7, 8]], pyarrow.list_(pyarrow.int64(), 2)),
    "list": pyarrow.array([[1], [], [2, 3], [4]]),
    "large_list": pyarrow.array([["a"], [], ["b", "c"], ["d"]], pyarrow.large_list(pyarrow.string())),
    "lists_of_lists": pyarrow.array([[[1], [2, 3]], [], [[]], [[4]]]),
    "struct": pyarrow.array([{"x": n, "y": [n] * n} for n in range(4)]),
}


def expected(rows):
    def value(part):
        if isinstance(part, dict):
            return {key: value(item) for key, item in part.items()}
        return part.encode() if isinstance(part, str) else [value(item) for item in part] if isinstance(part, list) else part

    values = [value(row) for row in rows]
    if values and isinstance(values[0], dict):
        return {key: [row[key] for row in values] for key in values[0]}
    return values


@pytest.mark.parametrize("name", COLUMNS)
def test_columns_of_every_type(name):
    column = COLUMNS[name]
    table = pyarrow.table({"c": column})
    parts = {
        "whole": table,
        "a slice": table.slice(1, 2),
        "chunks": pyarrow.concat_tables([table, table.slice(2), table.slice(0, 0), table.slice(1, 1)]),
        "none": table.slice(0, 0),
    }
    for how, part in parts.items():
        if how == "none" and name == "struct":
            continue  # has no rows to say what they are, in the test
        assert whole(Stream(part))["c"] == expected(part["c"].to_pylist()), how
    for batch in (table.slice(1, 3).to_batches()[0], table.to_batches()[0]):
        assert whole(Batch(batch))["c"] == expected(batch["c"].to_pylist())
    assert whole(Stream(table["c"])) == expected(column.to_pylist())
    assert whole(Batch(column.slice(1))) == expected(column.slice(1).to_pylist())


def test_types_and_shapes():
    table = pyarrow.table({"n": COLUMNS["int16"], "box": COLUMNS["fixed_list"], "bool": COLUMNS["bool"]})
    assert fl.Dataset.from_tensor_slices(Stream(table)).element_spec == {
        "n": fl.TensorSpec([], fl.int16),
        "box": fl.TensorSpec([2], fl.int64),
        "bool": fl.TensorSpec([], fl.bool),
    }


def test_numbers_are_not_copied_unless_they_lie_in_pieces():
    numbers = pyarrow.array(np.arange(10_000))
    in_place = numbers.to_numpy()
    boxes = pyarrow.FixedSizeListArray.from_arrays(numbers, 4)
    table = pyarrow.table({"box": boxes.slice(100), "n": numbers.slice(10, 2400)})
    batch = next(iter(fl.Dataset.from_tensor_slices(Stream(table)).batch(500)))
    assert np.shares_memory(batch["n"], in_place) and np.shares_memory(batch["box"], in_place)
    twice = next(iter(fl.Dataset.from_tensor_slices(Stream(pyarrow.concat_tables([table, table]))).batch(4000)))
    assert not np.shares_memory(twice["n"], in_place) and twice["n"][2400] == 10


@pytest.mark.parametrize("name", ["string", "large_string", "string_view", "binary", "fixed_binary", "dictionary"])
def test_strings_are_not_copied(name):
    kind = {"binary": pyarrow.binary(), "fixed_binary": pyarrow.binary(1000)}.get(name, pyarrow.string())
    column = pyarrow.array([f"{n:01000}".encode() for n in range(1000)]).cast(kind)
    column = column.dictionary_encode() if name == "dictionary" else column if "binary" in name else column.cast(COLUMNS[name].type)
    table = pyarrow.table({"c": pyarrow.chunked_array([column, column.slice(500)])})
    tracemalloc.start()
    dataset = fl.Dataset.from_tensor_slices(Stream(table))
    taken = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    # The strings have a megabyte and a half. (numpy tells of its memory; that of the engine's own is looked at below.)
    assert taken < 300_000
    kept = pyarrow.total_allocated_bytes()
    del table, column
    gc.collect()
    assert pyarrow.total_allocated_bytes() > kept - 200_000, "the dataset has the strings of the table"
    found = [element["c"] for element in dataset.shuffle(1500, seed=1)]
    assert sorted(found) == sorted(f"{n:01000}".encode() for n in [*range(1000), *range(500, 1000)])


def test_large_columns_of_strings_are_cut(monkeypatch):
    # Places have 32 bits: as if those had five.
    monkeypatch.setattr(_string_column, "MAX_BYTES", 32)
    words = [word * 2 for word in ["a word of ten", "", "b", "a word of 20 bytes", "c"]]
    for kind in (pyarrow.string(), pyarrow.large_string(), pyarrow.string_view()):
        assert whole(Stream(pyarrow.table({"c": pyarrow.array(words[1:3] * 5 + words[:1], kind)})))["c"] == [
            word.encode() for word in words[1:3] * 5 + words[:1]
        ]
    fixed = [f"{n:05}".encode() for n in range(20)]
    assert whole(Stream(pyarrow.table({"c": pyarrow.array(fixed, pyarrow.binary(5))})))["c"] == fixed
    with pytest.raises(fl.SchemaError, match="string 3 of a column has more than 32 bytes\nhint: "):
        fl.Dataset.from_tensors(Stream(pyarrow.table({"c": pyarrow.array(words)})))


def test_damaged_columns_are_told():
    offsets = np.array([0, 5, 2, 9], np.int32)
    damaged = pyarrow.Array.from_buffers(pyarrow.string(), 3, [None, pyarrow.py_buffer(offsets), pyarrow.py_buffer(b"some words")])
    with pytest.raises(fl.SchemaError, match="damaged: string 1 is not within its memory\nhint: "):
        fl.Dataset.from_tensor_slices(Stream(pyarrow.table({"c": damaged})))


def test_the_memory_of_a_table_goes_with_its_dataset():
    memory = np.arange(10_000)
    gone = weakref.ref(memory)
    table = pyarrow.table({"n": pyarrow.array(memory)})
    dataset = fl.Dataset.from_tensor_slices(Stream(table)).batch(10_000)
    del memory, table
    gc.collect()
    assert next(iter(dataset))["n"].sum() == 49_995_000 and gone() is not None
    del dataset
    # Iterators end on threads of their own.
    for _ in range(2000):
        gc.collect()
        if gone() is None:
            return
        list(fl.Dataset.range(1))
    pytest.fail("still there")


def test_polars():
    frame = polars.DataFrame({"n": [1, 2], "word": WORDS[2:], "list": [[1], [2, 3]], "box": polars.Series([[1, 2], [3, 4]], dtype=polars.Array(polars.Int32, 2))})
    assert whole(frame) == {"n": [1, 2], "word": [word.encode() for word in WORDS[2:]], "list": [[1], [2, 3]], "box": [[1, 2], [3, 4]]}
    assert whole(frame["n"]) == [1, 2]
    assert [element["word"] for element in fl.Dataset.from_tensor_slices(frame.select("word"))] == [word.encode() for word in WORDS[2:]]


REFUSED = [
    (pyarrow.array([1, None]), "the column 'c' has 1 missing values\nhint: fill them"),
    (pyarrow.array([None, None]), "the column 'c' has 2 missing values"),
    (pyarrow.array([0], pyarrow.timestamp("s")), "the column 'c' is of Arrow's type 'tss:', which has no dtype in feedline\nhint: cast"),
    (pyarrow.array([[{"x": 1}]]), "the column 'c' holds lists of what are no tensors"),
]


@pytest.mark.parametrize("column, told", REFUSED, ids=[told[:40] for _, told in REFUSED])
def test_what_cannot_be_read_is_named(column, told):
    with pytest.raises(fl.SchemaError, match=f"from_tensor_slices: tensors: {told}"):
        fl.Dataset.from_tensor_slices(Stream(pyarrow.table({"c": column})))


def test_a_stream_that_fails():
    def batches():
        yield pyarrow.record_batch({"n": [1]})
        raise RuntimeError("the disk is gone")

    reader = pyarrow.RecordBatchReader.from_batches(pyarrow.schema({"n": pyarrow.int64()}), batches())
    with pytest.raises(fl.SchemaError, match="could not be read: .*the disk is gone"):
        fl.Dataset.from_tensor_slices(reader)
