"""Tensors made, repeated, cut, padded and picked from, with TensorFlow's arguments.

Sizes may be numbers, which are known when the dataset is built, or symbolic tensors, which are computed for each element.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from . import _ops
from ._dtypes import DTypeLike, as_dtype
from ._errors import ArgumentError
from ._native import Tensor
from ._ops import TensorLike

__all__ = [
    "argsort",
    "boolean_mask",
    "einsum",
    "fill",
    "gather",
    "gather_nd",
    "identity",
    "linspace",
    "ones",
    "ones_like",
    "pad",
    "range",
    "repeat",
    "reshape",
    "roll",
    "searchsorted",
    "sequence_mask",
    "sort",
    "split",
    "top_k",
    "unique",
    "unique_with_counts",
    "unstack",
    "where",
    "zeros",
    "zeros_like",
]


class TopK(NamedTuple):
    """What :func:`top_k` gives."""

    values: Tensor
    indices: Tensor


class Unique(NamedTuple):
    """What :func:`unique` gives."""

    y: Tensor
    idx: Tensor


class UniqueWithCounts(NamedTuple):
    """What :func:`unique_with_counts` gives."""

    y: Tensor
    idx: Tensor
    count: Tensor  # type: ignore[assignment]  # TensorFlow's name, in spite of tuple.count


def _is_symbolic(value: object) -> bool:
    if isinstance(value, (list, tuple)):
        return any(_is_symbolic(part) for part in value)
    return isinstance(value, Tensor)


def _sizes(value: Any) -> Any:
    """Sizes as a tensor of int32 or int64; lists may have symbolic numbers in them."""
    if isinstance(value, (list, tuple)) and not _is_symbolic(value):
        return np.asarray(value, np.int64 if any(np.ravel(np.asarray(value)) > 2**31 - 1) else np.int32)
    return list(value) if isinstance(value, tuple) else value


def zeros(shape: Any, dtype: DTypeLike = "float32", name: str | None = None) -> Tensor:
    """Zeros (false, empty strings) of a shape, which may be computed. As ``tf.zeros``.

    >>> import feedline as fl
    >>> print(next(iter(fl.Dataset.range(2, 3).map(lambda n: fl.zeros([n, 2])))))
    [[0. 0.]
     [0. 0.]]
    """
    if _is_symbolic(shape):
        return _ops.fill(_sizes(shape), _ops.zeros([], dtype))
    return _ops.zeros(shape, dtype)


def ones(shape: Any, dtype: DTypeLike = "float32", name: str | None = None) -> Tensor:
    """Ones (true) of a shape, which may be computed. As ``tf.ones``."""
    if _is_symbolic(shape):
        return _ops.fill(_sizes(shape), _ops.ones([], dtype))
    return _ops.ones(shape, dtype)


def zeros_like(input: TensorLike, dtype: DTypeLike | None = None, name: str | None = None) -> Tensor:
    """Zeros of the shape of a tensor, and of its type or another. As ``tf.zeros_like``."""
    return _of_type(_ops.zeros_like(input), dtype)


def ones_like(input: TensorLike, dtype: DTypeLike | None = None, name: str | None = None) -> Tensor:
    """Ones of the shape of a tensor, and of its type or another. As ``tf.ones_like``."""
    return _of_type(_ops.ones_like(input), dtype)


def _of_type(tensor: Tensor, dtype: DTypeLike | None) -> Tensor:
    return tensor if dtype is None or as_dtype(dtype) == tensor.dtype else _ops.cast(tensor, dtype)


def fill(dims: Any, value: TensorLike, name: str | None = None) -> Tensor:
    """A tensor of the shape ``dims`` with one value throughout. As ``tf.fill``."""
    return _ops.fill(_sizes(dims), value)


def range(
    start: TensorLike,
    limit: TensorLike | None = None,
    delta: TensorLike = 1,
    dtype: DTypeLike | None = None,
    name: str | None = None,
) -> Tensor:
    """Numbers from ``start`` (or 0) to before ``limit``, ``delta`` apart. As ``tf.range``.

    >>> import feedline as fl
    >>> [list(map(int, x)) for x in fl.Dataset.range(1, 4).map(lambda n: fl.range(n))]
    [[0], [0, 1], [0, 1, 2]]
    """
    first, last = (0, start) if limit is None else (start, limit)
    if dtype is not None:
        first, last, delta = (_ops.cast(_wide(value), dtype) for value in (first, last, delta))
    return _ops.range(first, last, delta)


def _wide(value: TensorLike) -> TensorLike:
    """A number as written in a type that holds it, to be cast from."""
    return value if isinstance(value, Tensor) else np.asarray(value)


def linspace(start: TensorLike, stop: TensorLike, num: int, name: str | None = None) -> Tensor:
    """``num`` floats from ``start`` to ``stop``, evenly spaced; integers become float64. As ``tf.linspace``."""
    if all(isinstance(value, int) for value in (start, stop)):
        start, stop = np.float64(start), np.float64(stop)
    return _ops.linspace(start, stop, num)


def identity(input: TensorLike, name: str | None = None) -> Tensor:
    """The tensor itself. As ``tf.identity``."""
    return input if isinstance(input, Tensor) else _ops.stack([input])[0]


def repeat(input: TensorLike, repeats: Any, axis: int | None = None, name: str | None = None) -> Tensor:
    """Each entry of a dimension as often as ``repeats`` says; without ``axis`` of all values one by one. As ``tf.repeat``."""
    return _ops.repeat(input, _sizes(repeats), axis)


def roll(input: TensorLike, shift: Any, axis: int | Sequence[int], name: str | None = None) -> Tensor:
    """The entries of some dimensions ``shift`` places further; those beyond the end come first. As ``tf.roll``."""
    return _ops.roll(input, _sizes(shift), axis)


def pad(
    tensor: TensorLike, paddings: Any, mode: str = "CONSTANT", constant_values: TensorLike = 0, name: str | None = None
) -> Tensor:
    """The tensor with more around it: ``paddings`` has a pair for each dimension. ``mode`` is ``CONSTANT``, ``REFLECT`` or
    ``SYMMETRIC``. Strings are padded with empty ones. As ``tf.pad``."""
    tensor = identity(tensor)
    is_number = tensor.dtype.is_floating or tensor.dtype.is_integer
    if not is_number and isinstance(constant_values, int) and constant_values == 0:
        constant_values = "" if tensor.dtype == "string" else False
    return _ops.pad(tensor, _sizes(paddings), constant_values, mode.upper())


def reshape(tensor: TensorLike, shape: Any, name: str | None = None) -> Tensor:
    """The same values in another shape, which may be computed; one dimension may be -1. As ``tf.reshape``."""
    return _ops.reshape_to(tensor, _sizes(shape)) if _is_symbolic(shape) else _ops.reshape(tensor, shape)


def split(
    value: TensorLike,
    num_or_size_splits: int | Sequence[int],
    axis: int = 0,
    num: int | None = None,
    name: str | None = None,
) -> list[Tensor]:
    """Parts of a tensor along a dimension: so many of equal size, or of the sizes given. As ``tf.split``."""
    return _listed(_ops.split(value, num_or_size_splits, axis))


def unstack(value: TensorLike, num: int | None = None, axis: int = 0, name: str | None = None) -> list[Tensor]:
    """The entries of a dimension one by one; how many there are must be known, or said by ``num``. As ``tf.unstack``."""
    return _listed(_ops.unstack(value, num, axis))


def _listed(result: Any) -> list[Tensor]:
    return list(result) if isinstance(result, tuple) else [result]


def where(
    condition: TensorLike, x: TensorLike | None = None, y: TensorLike | None = None, name: str | None = None
) -> Tensor:
    """``x`` where the condition holds, ``y`` elsewhere, all three broadcast to one shape; of a condition alone, the places of
    all that is true. As ``tf.where``."""
    if x is None and y is None:
        return _ops.true_indices(condition)
    if x is None or y is None:
        raise ArgumentError("where takes both x and y, or neither")
    return _ops.where(condition, x, y)


def gather(
    params: TensorLike, indices: TensorLike, axis: int | None = None, batch_dims: int = 0, name: str | None = None
) -> Tensor:
    """The entries of ``params`` at ``indices`` along an axis; the first ``batch_dims`` dimensions of both belong together. As ``tf.gather``.

    >>> import feedline as fl
    >>> rows = fl.Dataset.from_tensors([[10, 11, 12], [20, 21, 22]])
    >>> print(next(iter(rows.map(lambda x: fl.gather(x, [[2, 0], [1, 1]], batch_dims=1)))))
    [[12 10]
     [21 21]]
    """
    if batch_dims == 0:
        return _ops.gather(params, indices, 0 if axis is None else axis)
    return _ops.batch_gather(params, indices, axis, batch_dims)


def gather_nd(params: TensorLike, indices: TensorLike, batch_dims: int = 0, name: str | None = None) -> Tensor:
    """The entries of ``params`` at the places the last dimension of ``indices`` has. As ``tf.gather_nd``."""
    if batch_dims != 0:
        raise ArgumentError(f"gather_nd: batch_dims is {batch_dims}, it can only be 0")
    return _ops.gather_nd(params, indices)


def boolean_mask(tensor: TensorLike, mask: TensorLike, axis: int | None = None, name: str | None = None) -> Tensor:
    """The entries whose place in ``mask`` is true. As ``tf.boolean_mask``."""
    return _ops.boolean_mask(tensor, mask, 0 if axis is None else axis)


def sort(values: TensorLike, axis: int = -1, direction: str = "ASCENDING", name: str | None = None) -> Tensor:
    """The numbers along a dimension in order; not a number comes last. As ``tf.sort``."""
    return _ops.sort(values, axis, direction=direction.upper())


def argsort(
    values: TensorLike, axis: int = -1, direction: str = "ASCENDING", stable: bool = False, name: str | None = None
) -> Tensor:
    """Where the numbers along a dimension are that :func:`sort` gives; of equal ones the first comes first. As
    ``tf.argsort``."""
    return _ops.argsort(values, axis, direction=direction.upper())


def top_k(input: TensorLike, k: int = 1, sorted: bool = True, name: str | None = None) -> TopK:
    """The ``k`` largest values of the last dimension and where they are. As ``tf.math.top_k``."""
    return TopK(*_ops.top_k(input, k, sorted))


def searchsorted(
    sorted_sequence: TensorLike,
    values: TensorLike,
    side: str = "left",
    out_type: DTypeLike = "int32",
    name: str | None = None,
) -> Tensor:
    """Where each value would have to be put into a sequence in order. As ``tf.searchsorted``."""
    return _ops.searchsorted(sorted_sequence, values, side=side, out_type=out_type)


def unique(x: TensorLike, out_idx: DTypeLike = "int32", name: str | None = None) -> Unique:
    """The different values of a tensor of one dimension, and which of them each value is. As ``tf.unique``."""
    return Unique(*_ops.unique(x, out_idx))


def unique_with_counts(x: TensorLike, out_idx: DTypeLike = "int32", name: str | None = None) -> UniqueWithCounts:
    """As :func:`unique`, and how often each occurs. As ``tf.unique_with_counts``."""
    return UniqueWithCounts(*_ops.unique_with_counts(x, out_idx))


def sequence_mask(
    lengths: TensorLike, maxlen: TensorLike | None = None, dtype: DTypeLike = "bool", name: str | None = None
) -> Tensor:
    """Rows of true and then false: as many true as each of ``lengths`` says. Without ``maxlen`` they are as long as the
    longest. As ``tf.sequence_mask``.

    >>> import feedline as fl
    >>> print(next(iter(fl.Dataset.from_tensors([1, 3]).map(lambda x: fl.sequence_mask(x, 4, fl.int32)))))
    [[1 0 0 0]
     [1 1 1 0]]
    """
    lengths = identity(lengths)
    longest = _ops.reduce_max(lengths) if maxlen is None else maxlen
    places = _ops.range(_ops.zeros([], lengths.dtype), longest, _ops.ones([], lengths.dtype))
    return _of_type(_ops.less(places, _ops.expand_dims(lengths, -1)), dtype)


def einsum(equation: str, *inputs: TensorLike, name: str | None = None) -> Tensor:
    """Products of tensors, summed over the letters the result does not have; ``...`` stands for dimensions without letters. As ``tf.einsum``.

    >>> import feedline as fl
    >>> a = fl.Dataset.from_tensors([[1, 2], [3, 4]])
    >>> print(next(iter(a.map(lambda x: fl.einsum("ij,kj->ik", x, x)))))
    [[ 5 11]
     [11 25]]
    """
    return _ops.einsum(list(inputs), equation)
