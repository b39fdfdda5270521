"""The operations, as functions of symbolic tensors, under TensorFlow's names.

Made from the catalogue in crates/feedline-plan/src/expr by tools/generate_python_ops.py: do not edit.
"""

# ruff: noqa
from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

from ._dtypes import DTypeLike
from ._native import Tensor, call
from ._several import several
from ._spec import ShapeLike

TensorLike: TypeAlias = Any
"""A symbolic tensor, a number, a string, a list of them, or a numpy array."""


def from_nested_row_splits(flat_values: TensorLike, nested_row_splits: Sequence[TensorLike], name: str | None = None) -> Any:
    """The ragged tensor of these values, and of where the rows of each ragged dimension begin and the last one ends,
    the outermost first: row `i` is `values[row_splits[i]:row_splits[i + 1]]`. Splits that do not begin with 0,
    fall, or do not end with the number of what they are rows of are an error of the element. As
    ``tf.RaggedTensor.from_nested_row_splits``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors([1, 2, 3]).map(lambda x: fl.RaggedTensor.from_nested_row_splits(x, [[0, 2, 2, 3]])).get_single_element()
    <fl.RaggedTensor [[1, 2], [], [3]]>
    """
    return call('ragged.from_nested_row_splits', [flat_values, *several('from_nested_row_splits', 'nested_row_splits', nested_row_splits)], [])


def from_row_lengths(values: TensorLike, row_lengths: TensorLike, name: str | None = None) -> Any:
    """The ragged tensor of these values in rows of these lengths. Lengths that are negative, or are not those of all
    values together, are an error of the element. As ``tf.RaggedTensor.from_row_lengths``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors([1, 2, 3]).map(lambda x: fl.RaggedTensor.from_row_lengths(x, [2, 0, 1])).get_single_element()
    <fl.RaggedTensor [[1, 2], [], [3]]>
    """
    return call('ragged.from_row_lengths', [values, row_lengths], [])


def to_tensor(flat_values: TensorLike, default_value: TensorLike, nested_row_splits: Sequence[TensorLike], shape: int | Sequence[int] | None = None, name: str | None = None) -> Tensor:
    """The plain tensor of a ragged one, given by its parts, with `default_value` where rows are shorter than the
    longest. `shape` is the size of each of the first dimensions, −1 for as large as needed: what is larger is cut.
    As ``tf.RaggedTensor.to_tensor``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors([1, 2, 3]).map(lambda x: fl.RaggedTensor.from_row_lengths(x, [2, 0, 1]).to_tensor(-1)).get_single_element()
    array([[ 1,  2],
           [-1, -1],
           [ 3, -1]], dtype=int32)
    """
    return call('ragged.to_tensor', [flat_values, default_value, *several('to_tensor', 'nested_row_splits', nested_row_splits)], [shape])  # type: ignore[no-any-return]


def range(starts: TensorLike, limits: TensorLike, deltas: TensorLike, name: str | None = None) -> Any:
    """Numbers from each of `starts` to before each of `limits`, by `deltas`, a row for each: as `range`, but of
    numbers that lie the other way there are none. Each of the three is one number or a list, and lists have one
    length. A delta of 0, or lists of several lengths, are an error of the element. As ``tf.ragged.range``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors([2, 0, 3]).map(lambda x: fl.ragged.range(x)).get_single_element()
    <fl.RaggedTensor [[0, 1], [], [0, 1, 2]]>
    """
    return call('ragged.range', [starts, limits, deltas], [])


def to_sparse(flat_values: TensorLike, nested_row_splits: Sequence[TensorLike], name: str | None = None) -> Any:
    """The sparse tensor of a ragged one, given by its parts, which keeps every value that is in a row, also those that
    are 0; without splits, of a plain tensor. As ``tf.RaggedTensor.to_sparse``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors([1, 2, 3]).map(lambda x: fl.RaggedTensor.from_row_lengths(x, [2, 0, 1]).to_sparse()).get_single_element()
    SparseTensor(indices=[[0, 0], [0, 1], [2, 0]], values=[1, 2, 3], dense_shape=[3, 2])
    """
    return call('ragged.to_sparse', [flat_values, *several('to_sparse', 'nested_row_splits', nested_row_splits)], [])
