"""Ragged tensors, under the names of ``tf.ragged``.

>>> import feedline as fl
>>> fl.ragged.constant([[1, 2], [], [3]])
<fl.RaggedTensor [[1, 2], [], [3]]>
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from . import _ops, _ragged_ops
from ._checking import checks
from ._constants import convert_to_tensor
from ._convert import as_array
from ._dtypes import DTypeLike, as_dtype, dtype_name
from ._errors import ArgumentError, ArgumentTypeError
from ._native import Tensor
from ._ops import TensorLike
from ._ragged import RaggedTensor, RaggedTensorSpec
from ._ragged_operators import computed

__all__ = ["RaggedTensor", "RaggedTensorSpec", "boolean_mask", "constant", "map_flat_values", "range", "stack"]


@checks
def constant(
    pylist: Sequence[Any],
    dtype: DTypeLike | None = None,
    ragged_rank: int | None = None,
    inner_shape: Sequence[int] | None = None,
    name: str | None = None,
    row_splits_dtype: DTypeLike = "int64",
) -> RaggedTensor:
    """A ragged tensor of nested lists, whose inner ones may differ in length: ``ragged_rank`` dimensions behind the first are ragged, all but those of
    ``inner_shape``, the shape of what is in the innermost rows. As ``tf.ragged.constant``.

    >>> import feedline as fl
    >>> fl.ragged.constant([[1, 2], [], [3]])
    <fl.RaggedTensor [[1, 2], [], [3]]>
    >>> fl.ragged.constant([[[1, 2], [3, 4]], [[5, 6]]], inner_shape=(2,)).shape
    (2, None, 2)
    """
    if as_dtype(row_splits_dtype) != as_dtype("int64"):
        raise ArgumentError("ragged.constant: row_splits_dtype is int64: row splits are")
    inner = () if inner_shape is None else tuple(inner_shape)
    depth = _depth(pylist)
    if ragged_rank is not None and inner_shape is not None:
        depth = max(depth, ragged_rank + 1 + len(inner))  # lists of no rows tell nothing of what is in them
    rank = depth - 1 - len(inner) if ragged_rank is None else ragged_rank
    if depth < 2 or not 1 <= rank < depth:
        raise ArgumentError(f"ragged.constant: lists {depth} deep cannot have a ragged_rank of {rank}")
    rows: list[Any] = list(pylist)
    nested = []
    for _ in builtins.range(rank):
        nested.append(np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype(np.int64))
        rows = [item for row in rows for item in row]
    values = as_array(rows)
    if not rows and dtype is None:
        values = values.astype(np.float32)
    if dtype is not None and dtype_name(dtype) != "string":
        values = values.astype(dtype_name(dtype))
    if inner_shape is not None:
        try:
            values = values.reshape(len(rows), *inner)
        except ValueError:
            raise ArgumentError(f"ragged.constant: inner_shape is {inner_shape!r}, values have the shape {values.shape[1:]}") from None
    return RaggedTensor.from_nested_row_splits(values, nested)


@checks
def boolean_mask(data: Any, mask: Any, name: str | None = None) -> Any:
    """The rows of which ``mask``, a list, is true; or, where the mask has rows as the data has, the values of which it is, in their rows. As
    ``tf.ragged.boolean_mask``.

    >>> import feedline as fl
    >>> fl.ragged.boolean_mask(fl.ragged.constant([[1, 2], [], [3]]), fl.ragged.constant([[True, False], [], [True]]))
    <fl.RaggedTensor [[1], [], [3]]>
    """
    masks = mask if isinstance(mask, RaggedTensor) else convert_to_tensor(mask)
    if isinstance(masks, Tensor) and masks.shape is not None and len(masks.shape) > 1:
        masks = RaggedTensor.from_tensor(masks)
    rows = data
    if isinstance(masks, RaggedTensor) and not isinstance(data, RaggedTensor):
        rows = RaggedTensor.from_tensor(data)
    return computed(_ops.boolean_mask(rows, masks), data, mask)


def map_flat_values(op: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """What ``op`` gives for the values of ragged tensors, in their rows: it gets the values in the place of each ragged tensor, all of which have
    the same rows. As ``tf.ragged.map_flat_values``.

    >>> import feedline as fl
    >>> fl.ragged.map_flat_values(lambda x: x * 10, fl.ragged.constant([[1, 2], [], [3]]))
    <fl.RaggedTensor [[10, 20], [], [30]]>
    """
    ragged = [value for value in (*args, *kwargs.values()) if isinstance(value, RaggedTensor)]
    if not callable(op):
        raise ArgumentTypeError(f"ragged.map_flat_values: op is a function, not {op!r}")
    if not ragged:
        return op(*args, **kwargs)
    rows = ragged[0]

    def flat(value: Any) -> Any:
        if not isinstance(value, RaggedTensor):
            return value
        if value is rows:
            return value.flat_values
        # Zeros of the first are added, so that other rows are an error.
        return computed(_ops.where(_ops.equal(rows, rows), value, value), value, rows).flat_values

    result = op(*map(flat, args), **{key: flat(value) for key, value in kwargs.items()})
    return rows.with_flat_values(result)


@checks
def range(  # noqa: A001
    starts: TensorLike,
    limits: TensorLike | None = None,
    deltas: TensorLike = 1,
    dtype: DTypeLike | None = None,
    name: str | None = None,
    row_splits_dtype: DTypeLike = "int64",
) -> Any:
    """Numbers from each of ``starts`` to before each of ``limits``, by ``deltas``, a row for each; without ``limits`` from 0 to before each of ``starts``.
    Without ``dtype`` they are of the widest type of the three. As ``tf.ragged.range``.

    >>> import feedline as fl
    >>> fl.ragged.range([0, 5, 8], [3, 3, 12], 2)
    <fl.RaggedTensor [[0, 2], [], [8, 10]]>
    """
    if as_dtype(row_splits_dtype) != as_dtype("int64"):
        raise ArgumentError("ragged.range: row_splits_dtype is int64: row splits are")
    given = (0, starts, deltas) if limits is None else (starts, limits, deltas)
    numbers = [convert_to_tensor(part, dtype) for part in given]
    widest = max((part.dtype.name for part in numbers), key=lambda name: _COUNTED.index(name) if name in _COUNTED else -1)
    first, limit, delta = (_ops.cast(part, widest) if part.dtype.name in _COUNTED else part for part in numbers)
    return computed(_ragged_ops.range(first, limit, delta), *given)


_COUNTED = ("int32", "int64", "float32", "float64")
"""The types that can be counted in, from narrow to wide."""


@checks
def stack(values: Sequence[Any], axis: int = 0, name: str | None = None) -> Any:
    """The tensors as rows of one that has a dimension more. As ``tf.ragged.stack``.

    >>> import feedline as fl
    >>> fl.ragged.stack([fl.ragged.constant([[1, 2], [3]]), fl.ragged.constant([[4]])])
    <fl.RaggedTensor [[[1, 2], [3]], [[4]]]>
    """
    if axis != 0:
        raise ArgumentError(f"ragged.stack: axis is {axis}, it can only be 0")
    return computed(_ops.stack(list(values)), *values)


def _depth(value: Any) -> int:
    if not isinstance(value, (list, tuple)):
        return 0
    return 1 + max((_depth(item) for item in value), default=0)
