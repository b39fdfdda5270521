"""Python values as tensors, as TensorFlow's `constant` and `convert_to_tensor` make them."""

from __future__ import annotations

import numpy as np
import pytest

import feedline as fl


def value_of(tensor):
    (element,) = fl.Dataset.from_tensors(tensor)
    return element


CONSTANTS = [
    ((3,), np.int32(3)),
    ((3.5,), np.float32(3.5)),
    ((2**40,), np.int64(2**40)),
    ((True,), np.bool_(True)),
    (([1, 2], fl.float32), np.array([1, 2], np.float32)),
    ((0.1, fl.float64), np.float64(0.1)),
    (([0.1, 0.2], fl.float64), np.array([0.1, 0.2])),
    (([1, 2], fl.uint8), np.array([1, 2], np.uint8)),
    ((np.array([1, 2]), fl.int32), np.array([1, 2], np.int32)),
    ((7, fl.int64, [2, 2]), np.full([2, 2], 7)),
    ((range(6), None, [2, 3]), np.arange(6, dtype=np.int32).reshape(2, 3)),
    ((np.arange(6)[::2],), np.array([0, 2, 4])),
]


@pytest.mark.parametrize("arguments, expected", CONSTANTS, ids=[str(arguments) for arguments, _ in CONSTANTS])
def test_constants(arguments, expected):
    made = fl.constant(*arguments)
    value = value_of(made)
    assert np.array_equal(value, expected) and value.dtype == expected.dtype and made.shape == expected.shape


def test_strings_and_uses():
    assert value_of(fl.constant("a")) == b"a" and value_of(fl.constant(["a", "b"])).tolist() == [b"a", b"b"]
    assert [int(x) for x in fl.Dataset.from_tensor_slices(fl.constant([5, 6]))] == [5, 6]
    assert len(list(fl.Dataset.range(fl.constant(4, fl.int64)))) == 4
    ds = fl.Dataset.range(3).map(lambda x: (fl.convert_to_tensor(x), fl.convert_to_tensor([x, 1]), fl.convert_to_tensor(2)))
    assert [[np.asarray(part).tolist() for part in element] for element in ds][2] == [2, [2, 1], 2]
    assert fl.convert_to_tensor(1, dtype_hint=fl.float32).dtype == fl.float32
    assert fl.convert_to_tensor(1.5, dtype_hint=fl.int32).dtype == fl.float32


REFUSED = [
    (lambda: fl.constant(1.5, fl.int32), "1.5 is no int32"),
    (lambda: fl.constant(300, fl.uint8), "300 is no uint8"),
    (lambda: fl.constant("a", fl.int32), "'a' is no int32"),
    (lambda: fl.constant(1, fl.string), "1 is no string"),
    (lambda: fl.constant(2, fl.bool), "2 is no bool"),
    (lambda: fl.constant([1, 2, 3], shape=[2, 2]), r"3 values do not fill the shape \[2, 2\]"),
    (lambda: fl.Dataset.range(3).map(lambda x: fl.convert_to_tensor(x, fl.float32)), "the tensor is fl.int64, not fl.float32\nhint: fl.cast"),
    (lambda: fl.Dataset.range(fl.cast(3, fl.int64)), "range: an argument is computed by operations of fl.*\nhint: compute it with numpy"),
]


@pytest.mark.parametrize("made, told", REFUSED, ids=[told[:30] for _, told in REFUSED])
def test_what_is_no_constant(made, told):
    with pytest.raises(fl.SchemaError, match=told):
        made()
