"""Ragged and sparse tensors as values: operators, indices, operations and constructors. What is expected is what TensorFlow 2.21 gives."""

from __future__ import annotations

import numpy as np
import pytest

import feedline as fl

constant = fl.ragged.constant
R = constant([[1, 2], [], [3]])
N = constant([[[1, 2], [3]], [], [[4, 5, 6]]])
W = constant([["a", "bc"], [], ["d"]])


def one(function, *tensors):
    """What a traced function gives for an element of these tensors."""
    (result,) = fl.Dataset.from_tensors(tensors).map(function)
    return result


def listed(value):
    if isinstance(value, fl.RaggedTensor):
        return value.to_list()
    return value.tolist() if isinstance(value, (np.ndarray, np.generic)) else value


# Written with operators and brackets, they are the same in functions and outside of them.
WRITTEN = {
    "==": (lambda r: r == 1, [[True, False], [], [False]]),
    "== itself": (lambda r: r == r, [[True, True], [], [True]]),
    "!=": (lambda r: r != 1, [[False, True], [], [True]]),
    "!= a number of numpy": (lambda r: np.int32(1) != r, [[False, True], [], [True]]),
    "<": (lambda r: r < 2, [[True, False], [], [False]]),
    ">=": (lambda r: r >= 2, [[False, True], [], [True]]),
    "+": (lambda r: r + 1, [[2, 3], [], [4]]),
    "+ of two": (lambda r: r + r, [[2, 4], [], [6]]),
    "+ a row": (lambda r: r + [[1], [2], [3]], [[2, 3], [], [6]]),
    "+ one": (lambda r: r + [1], [[2, 3], [], [4]]),
    "2 -": (lambda r: 2 - r, [[1, 0], [], [-1]]),
    "*": (lambda r: np.int32(3) * r, [[3, 6], [], [9]]),
    "//": (lambda r: r // 2, [[0, 1], [], [1]]),
    "/": (lambda r: r / 2, [[0.5, 1.0], [], [1.5]]),
    "%": (lambda r: r % 2, [[1, 0], [], [1]]),
    "**": (lambda r: r**2, [[1, 4], [], [9]]),
    "-r": (lambda r: -r, [[-1, -2], [], [-3]]),
    "abs": (lambda r: abs(-r), [[1, 2], [], [3]]),
    "&": (lambda r: (r > 1) & (r < 3), [[False, True], [], [False]]),
    "|": (lambda r: (r > 2) | (r < 2), [[True, False], [], [True]]),
    "~": (lambda r: ~(r > 1), [[True, False], [], [False]]),
    "[0]": (lambda r: r[0], [1, 2]),
    "[-1]": (lambda r: r[-1], [3]),
    "[1:]": (lambda r: r[1:], [[], [3]]),
    "[::2]": (lambda r: r[::2], [[1, 2], [3]]),
    "[::-1]": (lambda r: r[::-1], [[3], [], [1, 2]]),
    "[:, :1]": (lambda r: r[:, :1], [[1], [], [3]]),
    "[:, -1:]": (lambda r: r[:, -1:], [[2], [], [3]]),
    "[:, ::2]": (lambda r: r[:, ::2], [[1], [], [3]]),
    "[:, ::-1]": (lambda r: r[:, ::-1], [[2, 1], [], [3]]),
    "[..., :1]": (lambda r: r[..., :1], [[1], [], [3]]),
    "[0, 1]": (lambda r: r[0, 1], 2),
    "[0, :1]": (lambda r: r[0, :1], [1]),
    "[None]": (lambda r: r[None], [[[1, 2], [], [3]]]),
    "[:, None]": (lambda r: r[:, None], [[[1, 2]], [[]], [[3]]]),
    "value_rowids": (lambda r: r.value_rowids(), [0, 0, 2]),
    "bounding_shape": (lambda r: r.bounding_shape(), [3, 2]),
    "bounding_shape of an axis": (lambda r: r.bounding_shape(axis=1), 2),
    "with_values": (lambda r: r.with_values([4, 5, 6]), [[4, 5], [], [6]]),
    "starts and limits": (lambda r: fl.RaggedTensor.from_row_limits(r.flat_values, r.row_limits()), [[1, 2], [], [3]]),
    "from_value_rowids": (lambda r: fl.RaggedTensor.from_value_rowids(r.flat_values, r.value_rowids(), nrows=4), [[1, 2], [], [3], []]),
    "from_row_starts": (lambda r: fl.RaggedTensor.from_row_starts(r.flat_values, r.row_starts()), [[1, 2], [], [3]]),
    "from_tensor": (lambda r: fl.RaggedTensor.from_tensor(r.to_tensor()), [[1, 2], [0, 0], [3, 0]]),
    "from_tensor without padding": (lambda r: fl.RaggedTensor.from_tensor(r.to_tensor(), padding=0), [[1, 2], [], [3]]),
    "from_tensor by lengths": (lambda r: fl.RaggedTensor.from_tensor(r.to_tensor(), lengths=r.row_lengths()), [[1, 2], [], [3]]),
    "from_sparse": (lambda r: fl.RaggedTensor.from_sparse(r.to_sparse()), [[1, 2], [], [3]]),
    "boolean_mask": (lambda r: fl.ragged.boolean_mask(r, r > 1), [[2], [], [3]]),
    "boolean_mask of rows": (lambda r: fl.ragged.boolean_mask(r, [True, False, True]), [[1, 2], [3]]),
    "map_flat_values": (lambda r: fl.ragged.map_flat_values(lambda x, y: x * y, r, r + 1), [[2, 6], [], [12]]),
    "ragged.stack": (lambda r: fl.ragged.stack([r, r]), [[[1, 2], [], [3]], [[1, 2], [], [3]]]),
}


def test_places_are_filled_up_with_rows():
    pairs = fl.RaggedTensor.from_row_splits([[1, 10], [2, 20], [3, 30]], [0, 2, 2, 3])
    # As TensorFlow 2.21.
    expected = [[[1, 10], [2, 20]], [[7, 8], [7, 8]], [[3, 30], [7, 8]]]
    for given in (lambda r: r.to_tensor([7, 8]), lambda r: r.to_tensor(np.array([7, 8], np.int32))):
        assert given(pairs).tolist() == one(given, pairs).tolist() == expected
    cut = lambda r: r.to_tensor([7, 8], shape=[2, 3, 2])  # noqa: E731
    assert cut(pairs).tolist() == one(cut, pairs).tolist() == [[*row, [7, 8]] for row in expected[:2]]


@pytest.mark.parametrize("name", WRITTEN)
def test_operators_and_indices(name):
    function, expected = WRITTEN[name]
    assert listed(one(function, R)) == expected
    assert listed(function(R)) == expected


LOWEST, HIGHEST = -(2**31), 2**31 - 1
OPERATIONS = {
    "reduce_sum": (lambda r: fl.reduce_sum(r, axis=1), [3, 0, 3]),
    "reduce_sum, kept": (lambda r: fl.reduce_sum(r, axis=-1, keepdims=True), [[3], [0], [3]]),
    "reduce_sum of places": (lambda r: fl.reduce_sum(r, axis=0), [4, 2]),
    "reduce_sum of all": (lambda r: fl.reduce_sum(r), 6),
    "reduce_sum of all, kept": (lambda r: fl.reduce_sum(r, keepdims=True), [[6]]),
    "reduce_sum of all axes": (lambda r: fl.reduce_sum(r, axis=[0, 1]), 6),
    "reduce_max": (lambda r: fl.reduce_max(r, axis=1), [2, LOWEST, 3]),
    "reduce_min": (lambda r: fl.reduce_min(r, axis=1), [1, HIGHEST, 3]),
    "reduce_prod": (lambda r: fl.reduce_prod(r, axis=1), [2, 1, 3]),
    "reduce_any": (lambda r: fl.reduce_any(r > 1, axis=1), [True, False, True]),
    "reduce_all": (lambda r: fl.reduce_all(r > 1, axis=1), [False, True, True]),
    "reduce_mean": (lambda r: fl.reduce_mean(r[::2], axis=1), [1.5, 3.0]),
    "reduce_mean of places": (lambda r: fl.reduce_mean(fl.cast(r, fl.float32), axis=0), [2.0, 2.0]),
    "reduce_variance": (lambda r: fl.math.reduce_variance(fl.cast(r[::2], fl.float32), axis=1), [0.25, 0.0]),
    "concat": (lambda r: fl.concat([r, r], 0), [[1, 2], [], [3], [1, 2], [], [3]]),
    "concat of rows": (lambda r: fl.concat([r, r], 1), [[1, 2, 1, 2], [], [3, 3]]),
    "concat with a plain one": (lambda r: fl.concat([r, [[7], [8], [9]]], 1), [[1, 2, 7], [8], [3, 9]]),
    "stack": (lambda r: fl.stack([r, r]), [[[1, 2], [], [3]], [[1, 2], [], [3]]]),
    "size": (lambda r: fl.size(r), 3),
    "rank": (lambda r: fl.rank(r), 2),
    "expand_dims 0": (lambda r: fl.expand_dims(r, 0), [[[1, 2], [], [3]]]),
    "expand_dims 1": (lambda r: fl.expand_dims(r, 1), [[[1, 2]], [[]], [[3]]]),
    "expand_dims -1": (lambda r: fl.expand_dims(r, -1), [[[1], [2]], [], [[3]]]),
    "zeros_like": (lambda r: fl.zeros_like(r), [[0, 0], [], [0]]),
    "ones_like": (lambda r: fl.ones_like(r, fl.float32), [[1.0, 1.0], [], [1.0]]),
    "gather": (lambda r: fl.gather(r, [2, 0]), [[3], [1, 2]]),
    "where": (lambda r: fl.where(r > 1, r, 0), [[0, 2], [], [3]]),
    "maximum": (lambda r: fl.maximum(r, 2), [[2, 2], [], [3]]),
    "clip": (lambda r: fl.clip_by_value(r, 1, 2), [[1, 2], [], [2]]),
    "reverse": (lambda r: fl.reverse(r, [1]), [[2, 1], [], [3]]),
    "one_hot": (lambda r: fl.one_hot(r, 2, dtype=fl.int32), [[[0, 1], [0, 0]], [], [[0, 0]]]),
    "map_fn": (lambda r: fl.map_fn(fl.reduce_sum, r), [3, 0, 3]),
    "map_fn of two": (lambda r: fl.map_fn(lambda pair: fl.size(pair[0]) + pair[1], (r, [10, 20, 30])), [12, 20, 31]),
    "a symbolic row": (lambda r: r[fl.size(r) - 1], [3]),
    "symbolic rows": (lambda r: r[fl.size(r) - 2 :, :1], [[], [3]]),
    "a tensor beside it": (lambda r: fl.size(r) * r, [[3, 6], [], [9]]),
}


@pytest.mark.parametrize("name", OPERATIONS)
def test_operations(name):
    function, expected = OPERATIONS[name]
    assert listed(one(function, R)) == expected


NESTED = {
    "[0]": (lambda n: n[0], [[1, 2], [3]]),
    "[2, 0]": (lambda n: n[2, 0], [4, 5, 6]),
    "[:, :1]": (lambda n: n[:, :1], [[[1, 2]], [], [[4, 5, 6]]]),
    "[:, :, 1:]": (lambda n: n[:, :, 1:], [[[2], []], [], [[5, 6]]]),
    "+": (lambda n: n + 1, [[[2, 3], [4]], [], [[5, 6, 7]]]),
    "reduce_sum": (lambda n: fl.reduce_sum(n, axis=2), [[3, 3], [], [15]]),
    "concat": (lambda n: fl.concat([n, n], 1), [[[1, 2], [3], [1, 2], [3]], [], [[4, 5, 6], [4, 5, 6]]]),
}


@pytest.mark.parametrize("name", NESTED)
def test_several_ragged_dimensions(name):
    function, expected = NESTED[name]
    assert listed(one(function, N)) == expected


STRINGS = {
    "==": (lambda w: w == "a", [[True, False], [], [False]]),
    "+": (lambda w: w + "!", [[b"a!", b"bc!"], [], [b"d!"]]),
    "length": (lambda w: fl.strings.length(w), [[1, 2], [], [1]]),
    "join": (lambda w: fl.strings.join([w, w, "x"], "-"), [[b"a-a-x", b"bc-bc-x"], [], [b"d-d-x"]]),
    "substr": (lambda w: fl.strings.substr(w, 0, 1), [[b"a", b"b"], [], [b"d"]]),
    "reduce_join": (lambda w: fl.strings.reduce_join(w, axis=1), [b"abc", b"", b"d"]),
    "reduce_join with a separator": (lambda w: fl.strings.reduce_join(w, axis=1, separator="-"), [b"a-bc", b"", b"d"]),
    "reduce_join of all": (lambda w: fl.strings.reduce_join(w), b"abcd"),
    "bytes_split": (lambda w: fl.strings.bytes_split(w), [[[b"a"], [b"b", b"c"]], [], [[b"d"]]]),
    "split": (lambda w: fl.strings.split(w), [[[b"a"], [b"bc"]], [], [[b"d"]]]),
    "there and back": (lambda w: fl.strings.unicode_encode(fl.strings.unicode_decode(["né", "", "b"], "UTF-8"), "UTF-8"), ["né".encode(), b"", b"b"]),
}


@pytest.mark.parametrize("name", STRINGS)
def test_strings(name):
    function, expected = STRINGS[name]
    assert listed(one(function, W)) == expected


# [[[1, 2], []], [[3]], []], and [[[1, 2], [3, 4]], [], [[5, 6]]] of which the pairs are no rows.
DEEP = constant([[[1, 2], []], [[3]], []])
PAIRS = fl.RaggedTensor.from_row_splits([[1, 2], [3, 4], [5, 6]], [0, 2, 2, 3])
LONG = constant([[1, 2, 3], [], [4, 5]])
# As TensorFlow 2.21 answers.
ALONG = {
    "cumsum": (lambda: fl.cumsum(LONG), [[1, 2, 3], [], [5, 7]]),
    "cumsum of rows": (lambda: fl.cumsum(LONG, axis=1), [[1, 3, 6], [], [4, 9]]),
    "cumsum of the last dimension": (lambda: fl.cumsum(LONG, axis=-1), [[1, 3, 6], [], [4, 9]]),
    "exclusive": (lambda: fl.cumsum(LONG, axis=1, exclusive=True), [[0, 1, 3], [], [0, 4]]),
    "reverse": (lambda: fl.cumsum(LONG, axis=1, reverse=True), [[6, 5, 3], [], [9, 5]]),
    "both": (lambda: fl.cumsum(LONG, axis=1, exclusive=True, reverse=True), [[5, 3, 0], [], [5, 0]]),
    "exclusive over rows": (lambda: fl.cumsum(LONG, axis=0, exclusive=True), [[0, 0, 0], [], [1, 2]]),
    "reverse over rows": (lambda: fl.cumsum(LONG, axis=0, reverse=True), [[5, 7, 3], [], [4, 5]]),
    "deep, 0": (lambda: fl.cumsum(DEEP, axis=0), [[[1, 2], []], [[4]], []]),
    "deep, 1": (lambda: fl.cumsum(DEEP, axis=1), [[[1, 2], []], [[3]], []]),
    "deep, 2": (lambda: fl.cumsum(DEEP, axis=2), [[[1, 3], []], [[3]], []]),
    "pairs, 0": (lambda: fl.cumsum(PAIRS, axis=0), [[[1, 2], [3, 4]], [], [[6, 8]]]),
    "pairs, 1": (lambda: fl.cumsum(PAIRS, axis=1), [[[1, 2], [4, 6]], [], [[5, 6]]]),
    "pairs, 2": (lambda: fl.cumsum(PAIRS, axis=2), [[[1, 3], [3, 7]], [], [[5, 11]]]),
    "where of a condition": (lambda: fl.where(LONG > 2), [[0, 2], [2, 0], [2, 1]]),
    "where of numbers": (lambda: fl.where(LONG), [[0, 0], [0, 1], [0, 2], [2, 0], [2, 1]]),
    "where of a deep condition": (lambda: fl.where(DEEP > 1), [[0, 0, 1], [1, 0, 0]]),
    "where of pairs": (lambda: fl.where(PAIRS > 2), [[0, 1, 0], [0, 1, 1], [2, 0, 0], [2, 0, 1]]),
    "where of three": (lambda: fl.where(LONG > 2, LONG, LONG * 10), [[10, 20, 3], [], [4, 5]]),
    "where of one value": (lambda: fl.where(LONG > 2, LONG, 0), [[0, 0, 3], [], [4, 5]]),
    "where by row": (lambda: fl.where([[True], [False], [True]], LONG, LONG * 10), [[1, 2, 3], [], [4, 5]]),
    "where of deep ones": (lambda: fl.where(DEEP > 1, DEEP, -DEEP), [[[-1, 2], []], [[3]], []]),
    "range": (lambda: fl.ragged.range([3, 0, 2]), [[0, 1, 2], [], [0, 1]]),
    "range of limits": (lambda: fl.ragged.range([3, 5, 8], [5, 5, 12]), [[3, 4], [], [8, 9, 10, 11]]),
    "range of one start": (lambda: fl.ragged.range(0, [1, 2, 3]), [[0], [0, 1], [0, 1, 2]]),
    "range by two": (lambda: fl.ragged.range([0, 1], 5, 2), [[0, 2, 4], [1, 3]]),
    "range backwards": (lambda: fl.ragged.range([5, 5], [0, 1], -2), [[5, 3, 1], [5, 3]]),
    "range of floats": (lambda: fl.ragged.range([1.0, 2.0], [3.5, 2.0], 0.5), [[1.0, 1.5, 2.0, 2.5, 3.0], []]),
    "range of one": (lambda: fl.ragged.range(3), [[0, 1, 2]]),
    "range the other way": (lambda: fl.ragged.range([5, 0], [0, 5]), [[], [0, 1, 2, 3, 4]]),
    "range of a type": (lambda: fl.ragged.range([0, 0], [2, 3], 1, fl.int64), [[0, 1], [0, 1, 2]]),
}


@pytest.mark.parametrize("name", ALONG)
def test_along_dimensions(name):
    function, expected = ALONG[name]
    (found,) = fl.Dataset.range(1).map(lambda _: function())
    assert listed(found) == expected


def test_sums_keep_what_is_not_a_number_in_its_row():
    rows = constant([[1.0, float("inf")], [float("nan")], [2.0, 3.0]])
    (found,) = fl.Dataset.range(1).map(lambda _: fl.cumsum(rows, axis=1))
    assert str(found.to_list()) == "[[1.0, inf], [nan], [2.0, 5.0]]"


def test_ranges_have_the_widest_type_and_are_computed_outside_of_functions_too():
    assert fl.ragged.range([2, 1]).to_list() == [[0, 1], [0]]
    assert fl.ragged.range([2, 1]).dtype == fl.int32 and fl.ragged.range([2.0], 5).dtype == fl.float32
    assert fl.ragged.range([2], np.int64(5)).dtype == fl.int64 and fl.ragged.range([2.0], np.int64(5)).dtype == fl.float32
    with pytest.raises(fl.ArgumentError, match="row_splits_dtype"):
        fl.ragged.range([1], row_splits_dtype="int32")
    for wrong in (lambda: fl.ragged.range(["a"]), lambda: fl.ragged.range([[1]]), lambda: fl.ragged.range([3], [5, 6])):
        with pytest.raises(fl.SchemaError, match="ragged.range"):
            fl.Dataset.range(1).map(lambda _, wrong=wrong: wrong())
    with pytest.raises(fl.InvalidValueError, match="(?s)ragged.range: a delta is 0.*\nhint: "):
        list(fl.Dataset.range(1).map(lambda x: fl.ragged.range([2, 1], 5, x)))


def test_tables_are_looked_up_in_ragged_and_sparse_tensors():
    words = fl.lookup.KeyValueTensorInitializer(["a", "b"], [1, 2])
    ids = fl.lookup.KeyValueTensorInitializer(["a", "b"], [0, 1], value_dtype=fl.int64)
    sparse = fl.SparseTensor([[0, 0], [1, 0], [1, 1]], ["a", "c", "b"], [2, 2])
    rows = constant([["a"], [], ["b", "z"]])
    # As TensorFlow 2.21 answers.
    for table, of_sparse, of_rows in (
        (fl.lookup.StaticHashTable(words, -1), [1, -1, 2], [[1], [], [2, -1]]),
        (fl.lookup.StaticVocabularyTable(ids, 2), [0, 2, 1], [[0], [], [1, 3]]),
    ):
        (found,) = fl.Dataset.range(1).map(lambda _, table=table: table.lookup(sparse))
        assert (found.indices.tolist(), found.values.tolist(), found.dense_shape.tolist()) == ([[0, 0], [1, 0], [1, 1]], of_sparse, [2, 2])
        (found,) = fl.Dataset.from_tensors(sparse).map(table.lookup)
        assert found.values.tolist() == of_sparse
        (found,) = fl.Dataset.from_tensors(rows).map(table.lookup)
        assert found.to_list() == of_rows


REFUSED = {
    "a place of each row": (lambda r: r[:, 0], "one place of each row"),
    "an index": (lambda r: r["a"], "'a' is no index of a ragged tensor"),
    "a symbolic place": (lambda r: r[:, fl.size(r) :], "symbolic index of a ragged tensor, behind its first dimension"),
    "another shape": (lambda r: r + [1, 2, 3], "add cannot take a ragged tensor of int32.3., int32.3.\nhint: to_tensor"),
    "shape": (lambda r: fl.shape(r), "shape cannot take a ragged tensor"),
    "transpose": (lambda r: fl.transpose(r), "transpose cannot take a ragged tensor"),
    "iterated": (lambda r: [row for row in r], "for"),
    "if": (lambda r: 1 if r == 1 else 2, "if"),
    "string": (lambda r: r + "a", "string"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_they_cannot_do_is_told(name):
    function, message = REFUSED[name]
    with pytest.raises(fl.FeedlineError, match=message):
        fl.Dataset.from_tensors(R).map(function)


def test_rows_that_differ_are_an_error():
    with pytest.raises(fl.InvalidValueError, match="equal: the rows of the two ragged tensors differ in length"):
        R == constant([[1], [2, 3], []])
    with pytest.raises(fl.InvalidValueError, match="values do not stand at the beginning"):
        fl.RaggedTensor.from_sparse(fl.SparseTensor([[0, 0], [2, 1]], [4, 5], [3, 2]))
    with pytest.raises(fl.InvalidValueError, match="value_rowids fall"):
        fl.RaggedTensor.from_value_rowids([1, 2], [1, 0])


def test_equality_is_by_value():
    assert (R == None) is False and (R != None) is True  # noqa: E711
    with pytest.raises(TypeError, match="unhashable"):
        hash(R)
    with pytest.raises(fl.SchemaError, match="neither true nor false\nhint: fl.reduce_all"):
        bool(R == R)
    assert [row.tolist() for row in R] == [[1, 2], [], [3]] and len(R) == 3


def test_sparse_tensors_are_scaled_and_not_compared():
    sparse = fl.SparseTensor([[0, 1]], [5], [2, 2])
    assert (sparse * 2).values.tolist() == [10] and (np.int32(2) * sparse).values.tolist() == [10]
    assert (sparse / 2).values.tolist() == [2.5]
    assert one(lambda x: fl.sparse.from_dense(x) * 3, [[0, 7]]).values.tolist() == [21]
    for wrong in (lambda s: s == s, lambda s: s != 1, lambda s: s + 1, lambda s: s > 1):
        with pytest.raises(fl.SchemaError, match="hint: fl.sparse.to_dense"):
            wrong(sparse)
        with pytest.raises(fl.SchemaError, match="hint: fl.sparse.to_dense"):
            fl.Dataset.from_tensors([[0, 7]]).map(lambda x: wrong(fl.sparse.from_dense(x)))
    with pytest.raises(TypeError, match="unhashable"):
        hash(sparse)
    twice = fl.SparseTensor([[0], [0]], [1, 2], [2])
    with pytest.raises(fl.InvalidValueError, match="indices"):
        fl.sparse.to_dense(twice)
    assert fl.sparse.to_dense(twice, validate_indices=False).tolist() == [2, 0]


def test_ragged_batches_of_any_unknown_dimensions():
    numbers = fl.Dataset.range(1, 3)
    (batch,) = numbers.map(lambda n: fl.fill([2, n], n)).ragged_batch(2)
    assert batch.to_list() == [[[1], [1]], [[2, 2], [2, 2]]] and batch.ragged_rank == 2
    (batch,) = numbers.map(lambda n: fl.fill([n, n], n)).ragged_batch(2)
    assert batch.to_list() == [[[1]], [[2, 2], [2, 2]]]
    spec = numbers.map(lambda n: fl.fill([n, n, 3], n)).ragged_batch(2).element_spec
    assert spec == fl.RaggedTensorSpec([None, None, None, 3], fl.int64, ragged_rank=2)
    assert numbers.map(lambda n: fl.fill([n, 3], n)).dense_to_ragged_batch(2).element_spec.ragged_rank == 1


def test_full_ragged_batches_say_how_many_elements_they_have():
    rows = fl.Dataset.range(5).map(lambda x: fl.fill([x], x))
    assert rows.ragged_batch(2, drop_remainder=True).element_spec.shape == (2, None)
    assert rows.ragged_batch(2).element_spec.shape == (None, None)
    assert [batch.to_list() for batch in rows.ragged_batch(2, drop_remainder=True)] == [[[], [1]], [[2, 2], [3, 3, 3]]]


def test_sparse_batches():
    numbers = fl.Dataset.range(1, 3).map(lambda n: fl.fill([n], n))
    (batch,) = numbers.sparse_batch(2, [4])
    assert batch.dense_shape.tolist() == [2, 4] and batch.indices.tolist() == [[0, 0], [1, 0], [1, 1]] and batch.values.tolist() == [1, 2, 2]
    assert next(iter(numbers.sparse_batch(2, [None]))).dense_shape.tolist() == [2, 2]
    fixed = fl.Dataset.from_tensor_slices([[0, 1], [2, 3]]).sparse_batch(2, [3])
    assert next(iter(fixed)).values.tolist() == [0, 1, 2, 3]
    with pytest.raises(fl.InvalidValueError, match="an element is larger than row_shape"):
        list(numbers.sparse_batch(2, [1]))
    with pytest.raises(TypeError, match="sparse_batch: row_shape"):
        numbers.sparse_batch(2, 4)
    with pytest.raises(fl.SchemaError, match="row_shape has 2 dimensions"):
        numbers.sparse_batch(2, [1, 2])
