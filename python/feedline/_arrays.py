"""Tensors made, repeated, cut, padded and picked from, with TensorFlow's arguments.

Sizes may be numbers, which are known when the dataset is built, or symbolic tensors, which are computed for each element.
"""

from __future__ import annotations

import builtins
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from . import _ops
from ._checking import checks, known_values
from ._convert import as_array
from ._dtypes import DType, DTypeLike, as_dtype
from ._errors import ArgumentError, SchemaError
from ._native import Tensor
from ._ops import TensorLike
from ._ragged import RaggedTensor

__all__ = [
    "argsort",
    "boolean_mask",
    "broadcast_to",
    "einsum",
    "fill",
    "gather",
    "gather_nd",
    "identity",
    "linspace",
    "one_hot",
    "ones",
    "ones_like",
    "pad",
    "range",
    "repeat",
    "reshape",
    "roll",
    "scatter_nd",
    "searchsorted",
    "sequence_mask",
    "sort",
    "split",
    "tile",
    "top_k",
    "transpose",
    "truncatediv",
    "truncatemod",
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
        sizes = as_array(value) if value else np.zeros([0], np.int32)
        return sizes if sizes.dtype.kind != "f" or sizes.size else sizes.astype(np.int32)
    return list(value) if isinstance(value, tuple) else value


@checks
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


@checks
def ones(shape: Any, dtype: DTypeLike = "float32", name: str | None = None) -> Tensor:
    """Ones (true) of a shape, which may be computed. As ``tf.ones``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors([7, 8]).map(lambda x: fl.ones([2], x.dtype)).get_single_element()
    array([1, 1], dtype=int32)
    """
    if _is_symbolic(shape):
        return _ops.fill(_sizes(shape), _ops.ones([], dtype))
    return _ops.ones(shape, dtype)


@checks
def zeros_like(input: TensorLike, dtype: DTypeLike | None = None, name: str | None = None) -> Tensor:
    """Zeros of the shape of a tensor, and of its type or another. As ``tf.zeros_like``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors([7.0, 8.0]).map(lambda x: fl.zeros_like(x)).get_single_element()
    array([0., 0.], dtype=float32)
    """
    if dtype is not None and as_dtype(dtype) == "string":
        return _ops.fill(_ops.shape(input), "")
    return _of_type(_ops.zeros_like(input), dtype)


@checks
def ones_like(input: TensorLike, dtype: DTypeLike | None = None, name: str | None = None) -> Tensor:
    """Ones of the shape of a tensor, and of its type or another. As ``tf.ones_like``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors([7.0, 8.0]).map(lambda x: fl.ones_like(x)).get_single_element()
    array([1., 1.], dtype=float32)
    """
    return _of_type(_ops.ones_like(input), dtype)


def _of_type(tensor: Tensor, dtype: DTypeLike | None) -> Tensor:
    return tensor if dtype is None or as_dtype(dtype) == tensor.dtype else _ops.cast(tensor, dtype)


@checks
def fill(dims: Any, value: TensorLike, name: str | None = None) -> Tensor:
    """A tensor of the shape ``dims`` with one value throughout. As ``tf.fill``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors(7).map(lambda x: fl.fill([2, 2], x)).get_single_element()
    array([[7, 7],
           [7, 7]], dtype=int32)
    """
    return _ops.fill(_sizes(dims), value)


@checks
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
    bounds = {"start": 0 if limit is None else start, "limit": start if limit is None else limit, "delta": delta}
    if dtype is None:
        # The widest of those that there are; integers as written take the type of the others.
        kinds = [_kind(value) for value in bounds.values()]
        dtype = max(kinds, key=lambda kind: _WIDTHS.get(kind, -1)) if any(kind in _WIDTHS for kind in kinds) else kinds[0]
    first, last, step = (_as_number("range", argument, value, dtype) for argument, value in bounds.items())
    return _ops.range(first, last, step)


#: TensorFlow's order.
_WIDTHS = {"int32": 0, "int64": 1, "float16": 2, "bfloat16": 3, "float32": 4, "float64": 5}


def _kind(value: TensorLike) -> str:
    return str(value.dtype.name if isinstance(value, Tensor) else as_dtype(as_array(value).dtype).name)


def _as_number(what: str, argument: str, value: TensorLike, dtype: DTypeLike) -> TensorLike:
    """One number of a type: what was written becomes it from what was written."""
    if not isinstance(value, Tensor):
        try:
            value = np.asarray(value) if isinstance(value, (int, float)) else as_array(value)
        except (SchemaError, ValueError) as error:
            raise SchemaError(f"{what}: {argument}: {error}") from None
        if value.dtype.kind not in "biuf":
            raise SchemaError(f"{what}: {argument} is a number, not {value.tolist()!r}")
        if as_dtype(dtype) not in ("string", "bfloat16"):
            return value.astype(as_dtype(dtype).as_numpy_dtype)
    return value if _kind(value) == as_dtype(dtype).name else _ops.cast(value, dtype)


@checks
def linspace(start: TensorLike, stop: TensorLike, num: int | Tensor, name: str | None = None, axis: int = 0) -> Tensor:
    """``num`` floats from ``start`` to ``stop``, evenly spaced, which are numbers, or tensors between which a new dimension ``axis`` lies; integers
    of up to 16 bits become float32, others float64. As ``tf.linspace``.

    >>> import feedline as fl
    >>> next(iter(fl.Dataset.from_tensors([0.0, 10.0]).map(lambda x: fl.linspace(x, x + 4.0, 3, axis=-1))))
    array([[ 0.,  2.,  4.],
           [10., 12., 14.]], dtype=float32)
    """
    first, last = _ends(start, stop)
    return _ops.linspace(first, last, num, axis)


def _ends(start: TensorLike, stop: TensorLike) -> tuple[Tensor, Tensor]:
    """The two ends of a linspace as floats of one type."""
    tensors = [value if isinstance(value, Tensor) else None for value in (start, stop)]
    kind = next((tensor.dtype for tensor in tensors if tensor is not None), None)
    values = [value if isinstance(value, Tensor) else as_array(value) for value in (start, stop)]
    if kind is None:
        wide = [as_dtype(value.dtype) for value in values]
        kind = next((dtype for dtype in wide if dtype.is_floating), wide[0])
    if not kind.is_floating:
        kind = as_dtype("float32" if kind.name in ("int8", "uint8", "int16", "uint16") else "float64")
    first, last = (identity(value) for value in values)
    return _of_type(first, kind), _of_type(last, kind)


@checks
def one_hot(
    indices: TensorLike,
    depth: int,
    on_value: Any = None,
    off_value: Any = None,
    axis: int | None = None,
    dtype: DTypeLike | None = None,
    name: str | None = None,
) -> Tensor:
    """``on_value``, which is 1, at the index and ``off_value``, which is 0, everywhere else of ``depth`` places, in a new dimension ``axis``, the last. The type
    is ``dtype``, or that of the two values, or float32. As ``tf.one_hot``.

    >>> import feedline as fl
    >>> next(iter(fl.Dataset.from_tensors([0, 2]).map(lambda x: fl.one_hot(x, 3, on_value="yes", off_value=""))))
    array([[b'yes', b'', b''],
           [b'', b'', b'yes']], dtype=object)
    """
    place = -1 if axis is None else axis
    given = [value for value in (on_value, off_value) if value is not None]
    kinds = [_kind(value) for value in given]
    if kinds and dtype is None:
        dtype = kinds[0]
    kind = as_dtype("float32" if dtype is None else dtype)
    if any(other != kind.name and not _may_be(value, kind) for value, other in zip(given, kinds, strict=True)):
        told = " and ".join(kinds)
        raise SchemaError(f"one_hot: on_value and off_value are {told}, and must be of one type, which is {kind!r}\nhint: fl.cast converts")
    is_number = kind.is_floating or kind.is_integer or kind == "bool"
    for argument, value in (("on_value", on_value), ("off_value", off_value)):
        if value is not None and not isinstance(value, Tensor) and as_array(value).ndim > 0:
            raise ArgumentError(f"one_hot: {argument} is one value, not {value!r}")
    if is_number and not any(isinstance(value, Tensor) for value in given):
        defaults = (True, False) if kind == "bool" else (1, 0)
        numbers = [default if value is None else as_array(value).item() for value, default in zip((on_value, off_value), defaults, strict=True)]
        return _ops.one_hot(indices, depth, numbers[0], numbers[1], place, kind)
    hot = _ops.one_hot(indices, depth, True, False, place, "bool")
    if not is_number and (on_value is None or off_value is None):
        raise ArgumentError(f"one_hot: on_value and off_value must both be given for {kind!r}")
    return _ops.where(hot, _one(on_value, 1, kind), _one(off_value, 0, kind))


def _may_be(value: Any, kind: DType) -> bool:
    """Whether a number as written can have the type."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and (kind.is_floating or (kind.is_integer and isinstance(value, int)))


def _one(value: Any, default: int, kind: DType) -> Any:
    if isinstance(value, Tensor):
        return value
    return as_array(value) if kind == "string" else _ops.cast(np.asarray(default if value is None else value), kind)


@checks
def identity(input: TensorLike, name: str | None = None) -> Tensor:
    """The tensor itself. As ``tf.identity``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors([1, 2]).map(lambda x: fl.identity(x)).get_single_element()
    array([1, 2], dtype=int32)
    """
    return input if isinstance(input, Tensor) else _ops.stack([input])[0]


@checks
def repeat(input: TensorLike, repeats: Any, axis: int | None = None, name: str | None = None) -> Tensor:
    """Each entry of a dimension as often as ``repeats`` says; without ``axis`` of all values one by one. As ``tf.repeat``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors([1, 2]).map(lambda x: fl.repeat(x, [3, 1])).get_single_element()
    array([1, 1, 1, 2], dtype=int32)
    """
    return _ops.repeat(input, _sizes(repeats), axis)


@checks
def broadcast_to(input: TensorLike, shape: Any, name: str | None = None) -> Tensor:
    """The tensor stretched to a shape it broadcasts to. As ``tf.broadcast_to``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors([1, 2]).map(lambda x: fl.broadcast_to(x, [2, 2])).get_single_element()
    array([[1, 2],
           [1, 2]], dtype=int32)
    """
    return _ops.broadcast_to(input, _sizes(shape))


@checks
def tile(input: TensorLike, multiples: Any, name: str | None = None) -> Tensor:
    """The tensor as often as ``multiples`` says, a number a dimension. As ``tf.tile``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors([1, 2]).map(lambda x: fl.tile(x, [2])).get_single_element()
    array([1, 2, 1, 2], dtype=int32)
    """
    return _ops.tile(input, _sizes(multiples))


@checks
def roll(input: TensorLike, shift: Any, axis: int | Sequence[int], name: str | None = None) -> Tensor:
    """The entries of some dimensions ``shift`` places further; those beyond the end come first. As ``tf.roll``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors([1, 2, 3]).map(lambda x: fl.roll(x, shift=1, axis=0)).get_single_element()
    array([3, 1, 2], dtype=int32)
    """
    return _ops.roll(input, _sizes(shift), axis)


@checks
def pad(
    tensor: TensorLike, paddings: Any, mode: str = "CONSTANT", constant_values: TensorLike = 0, name: str | None = None
) -> Tensor:
    """The tensor with more around it: ``paddings`` has a pair for each dimension. ``mode`` is ``CONSTANT``, ``REFLECT`` or
    ``SYMMETRIC``. Strings are padded with empty ones. As ``tf.pad``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors([1, 2, 3]).map(lambda x: fl.pad(x, [[2, 1]], "REFLECT")).get_single_element()
    array([3, 2, 1, 2, 3, 2], dtype=int32)
    """
    tensor = identity(tensor)
    is_number = tensor.dtype.is_floating or tensor.dtype.is_integer
    if not is_number and isinstance(constant_values, int) and constant_values == 0:
        constant_values = "" if tensor.dtype == "string" else False
    sizes = _sizes(paddings)
    if mode.upper() != "CONSTANT" and isinstance(sizes, np.ndarray):
        _check_mirrored(sizes, tensor.shape, mode.upper())
    return _ops.pad(tensor, sizes, constant_values, mode.upper())


def _check_mirrored(paddings: np.ndarray[Any, Any], shape: tuple[int | None, ...] | None, mode: str) -> None:
    """What mirrors a tensor at its ends cannot take more of it than there is."""
    missing = 1 if mode == "REFLECT" else 0  # the value at the end is not taken twice
    for dim, (size, pair) in enumerate(zip(shape or (), paddings.tolist(), strict=False)):
        if size is not None and max(pair) > max(size - missing, 0):
            raise ArgumentError(
                f"pad: paddings has {pair} for dimension {dim}, and {mode} can take {max(size - missing, 0)} of its {size} at most"
            )


@checks
def reshape(tensor: TensorLike, shape: Any, name: str | None = None) -> Tensor:
    """The same values in another shape, which may be computed; one dimension may be -1. As ``tf.reshape``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors([1, 2, 3, 4]).map(lambda x: fl.reshape(x, [2, -1])).get_single_element()
    array([[1, 2],
           [3, 4]], dtype=int32)
    """
    return _ops.reshape_to(tensor, _sizes(shape)) if _is_symbolic(shape) else _ops.reshape(tensor, shape)


@checks
def split(
    value: TensorLike,
    num_or_size_splits: Any,
    axis: int = 0,
    num: int | None = None,
    name: str | None = None,
) -> list[Tensor]:
    """Parts of a tensor along a dimension: so many of equal size, or of the sizes given, which may be computed where their number is known, or said by
    ``num``. As ``tf.split``.

    >>> import feedline as fl
    >>> a, b = fl.Dataset.from_tensors([1, 2, 3]).map(lambda x: tuple(fl.split(x, [1, 2]))).get_single_element()
    >>> print(a, b)
    [1] [2 3]
    """
    if _is_symbolic(num_or_size_splits):
        sizes = known_values(identity(num_or_size_splits))
        if isinstance(sizes, Tensor):
            return _split_by(value, sizes, axis, num)
        num_or_size_splits = np.asarray(sizes).tolist()
    if num is not None and isinstance(num_or_size_splits, (list, tuple, np.ndarray)) and len(num_or_size_splits) != num:
        raise ArgumentError(f"split: num is {num}, and num_or_size_splits has {len(num_or_size_splits)} sizes")
    return _listed(_ops.split(value, num_or_size_splits, axis))


def _split_by(value: TensorLike, sizes: Tensor, axis: int, num: int | None) -> list[Tensor]:
    """Parts of sizes that are computed: all of the tensor, or it is an error of the element."""
    tensor = identity(value)
    if sizes.shape == () or sizes.shape is None or (sizes.shape[0] is None and num is None):
        raise ArgumentError(
            f"split: how many parts num_or_size_splits has must be known when the plan is built, and {sizes!r} is computed for each element\n"
            "hint: num= says how many there are"
        )
    count = sizes.shape[0] if num is None else num
    sizes = _ops.cast(_ops.ensure_shape(sizes, [count]), "int64")
    length = _ops.shape(tensor, "int64")[axis]
    whole = _ops.assert_equal(_ops.reduce_sum(sizes), length, "split: num_or_size_splits are the sizes of all parts together")
    ends = _ops.cumsum(sizes) + (whole - whole)
    before = () if axis == 0 else (slice(None),) * axis if axis > 0 else (Ellipsis,)
    after = (slice(None),) * (-axis - 1) if axis < 0 else ()
    return [tensor[(*before, slice(ends[part] - sizes[part], ends[part]), *after)] for part in builtins.range(count or 0)]


@checks
def unstack(value: TensorLike, num: int | None = None, axis: int = 0, name: str | None = None) -> list[Tensor]:
    """The entries of a dimension one by one; how many there are must be known, or said by ``num``. As ``tf.unstack``.

    >>> import feedline as fl
    >>> a, b = fl.Dataset.from_tensors([[1, 2], [3, 4]]).map(lambda x: tuple(fl.unstack(x))).get_single_element()
    >>> print(a, b)
    [1 2] [3 4]
    """
    tensor = identity(value)
    if num in (None, 0) and tensor.shape and -len(tensor.shape) <= axis < len(tensor.shape) and tensor.shape[axis] == 0:
        return []
    return _listed(_ops.unstack(tensor, num, axis))


def _listed(result: Any) -> list[Tensor]:
    return list(result) if isinstance(result, tuple) else [result]


@checks
def where(
    condition: TensorLike | RaggedTensor, x: TensorLike | None = None, y: TensorLike | None = None, name: str | None = None
) -> Tensor:
    """``x`` where the condition holds, ``y`` elsewhere, all three broadcast to one shape; of a condition alone, the places of
    all that is true, or not 0. As ``tf.where``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors([-1.0, 4.0]).map(lambda x: fl.where(x > 0, x, 0.0)).get_single_element()
    array([0., 4.], dtype=float32)
    """
    if x is None and y is None:
        condition = condition if isinstance(condition, RaggedTensor) else identity(condition)
        is_number = condition.dtype.is_floating or condition.dtype.is_integer
        return _ops.true_indices(_ops.not_equal(condition, 0) if is_number else condition)
    if x is None or y is None:
        raise ArgumentError("where takes both x and y, or neither")
    return _ops.where(condition, x, y)


@checks
def gather(
    params: TensorLike,
    indices: TensorLike,
    validate_indices: bool | None = None,
    axis: int | None = None,
    batch_dims: int = 0,
    name: str | None = None,
) -> Tensor:
    """The entries of ``params`` at ``indices`` along an axis; the first ``batch_dims`` dimensions of both belong together. Indices are checked,
    whatever ``validate_indices`` says. As ``tf.gather``.

    >>> import feedline as fl
    >>> rows = fl.Dataset.from_tensors([[10, 11, 12], [20, 21, 22]])
    >>> print(next(iter(rows.map(lambda x: fl.gather(x, [[2, 0], [1, 1]], batch_dims=1)))))
    [[12 10]
     [21 21]]
    """
    if batch_dims == 0:
        return _ops.gather(params, indices, 0 if axis is None else axis)
    return _ops.batch_gather(params, indices, axis, batch_dims)


@checks
def gather_nd(
    params: TensorLike, indices: TensorLike, batch_dims: int = 0, name: str | None = None, bad_indices_policy: str = ""
) -> Tensor:
    """The entries of ``params`` at the places the last dimension of ``indices`` has; the first ``batch_dims`` dimensions of both belong together. As
    ``tf.gather_nd``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors([[1, 2], [3, 4]]).map(lambda x: fl.gather_nd(x, [[0, 1], [1, 0]])).get_single_element()
    array([2, 3], dtype=int32)
    """
    _check_policy("gather_nd", bad_indices_policy)
    if batch_dims < 0:
        raise ArgumentError(f"gather_nd: batch_dims is a number from 0 on, not {batch_dims}")
    if batch_dims == 0:
        return _ops.gather_nd(params, indices)
    from ._control import map_fn  # which needs what is here

    picked = map_fn(lambda both: gather_nd(both[0], both[1], batch_dims - 1), (identity(params), identity(indices)))
    assert isinstance(picked, Tensor)
    return picked


@checks
def scatter_nd(
    indices: TensorLike, updates: TensorLike, shape: Any, bad_indices_policy: str = "", name: str | None = None
) -> Tensor:
    """A tensor of zeros of a shape, to which ``updates`` are added at the places the last dimension of ``indices`` has. As ``tf.scatter_nd``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors([7, 8]).map(lambda x: fl.scatter_nd([[3], [1]], x, [5])).get_single_element()
    array([0, 8, 0, 7, 0], dtype=int32)
    """
    _check_policy("scatter_nd", bad_indices_policy)
    return _ops.scatter_nd(indices, updates, _sizes(shape))


def _check_policy(what: str, bad_indices_policy: str) -> None:
    if bad_indices_policy not in ("", "DEFAULT", "ERROR"):
        raise ArgumentError(
            f"{what}: bad_indices_policy is {bad_indices_policy!r}, it can only be 'ERROR'\nhint: fl.where makes good indices of bad ones"
        )


@checks
def transpose(
    a: TensorLike, perm: Any = None, conjugate: bool = False, name: str | None = None
) -> Tensor:
    """The dimensions in another order: that of ``perm``, or reversed. There are no complex numbers that ``conjugate`` would change. As
    ``tf.transpose``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors([[1, 2], [3, 4]]).map(lambda x: fl.transpose(x)).get_single_element()
    array([[1, 3],
           [2, 4]], dtype=int32)
    """
    return _ops.transpose(a, perm)


@checks
def boolean_mask(tensor: TensorLike, mask: TensorLike, axis: int | None = None, name: str | None = None) -> Tensor:
    """The entries whose place in ``mask`` is true. As ``tf.boolean_mask``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors([1, 2, 3]).map(lambda x: fl.boolean_mask(x, x != 2)).get_single_element()
    array([1, 3], dtype=int32)
    """
    if isinstance(mask, (list, tuple)) and not mask:
        mask = np.zeros([0], np.bool_)  # a list without values has no type of its own
    return _ops.boolean_mask(tensor, mask, 0 if axis is None else axis)


@checks
def sort(values: TensorLike, axis: int = -1, direction: str = "ASCENDING", name: str | None = None) -> Tensor:
    """The numbers along a dimension in order; not a number comes last. As ``tf.sort``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors([3, 9, 5]).map(lambda x: fl.sort(x, direction="DESCENDING")).get_single_element()
    array([9, 5, 3], dtype=int32)
    """
    return _ops.sort(values, axis, direction=direction.upper())


@checks
def argsort(
    values: TensorLike, axis: int = -1, direction: str = "ASCENDING", stable: bool = False, name: str | None = None
) -> Tensor:
    """Where the numbers along a dimension are that :func:`sort` gives; of equal ones the first comes first. As
    ``tf.argsort``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors([3, 9, 5]).map(lambda x: fl.argsort(x)).get_single_element()
    array([0, 2, 1], dtype=int32)
    """
    return _ops.argsort(values, axis, direction=direction.upper())


@checks
def top_k(
    input: TensorLike, k: Any = 1, sorted: bool = True, index_type: DTypeLike = "int32", name: str | None = None
) -> TopK:
    """The ``k`` largest values of the last dimension and where they are, as ``index_type``: int16, int32 or int64. ``k`` may be computed. As
    ``tf.math.top_k``.

    >>> import feedline as fl
    >>> values, indices = fl.Dataset.from_tensors([3, 9, 5]).map(lambda x: fl.math.top_k(x, k=2)).get_single_element()
    >>> print(values, indices)
    [9 5] [1 2]
    """
    if as_dtype(index_type) not in ("int16", "int32", "int64"):
        raise ArgumentError(f"top_k: index_type is int16, int32 or int64, not {index_type!r}")
    k = known_values(k)
    if isinstance(k, Tensor):
        tensor = identity(input)
        count = _ops.assert_less_equal(_ops.cast(k, "int64"), _ops.shape(tensor, "int64")[-1], "top_k: k is more than the last dimension has")
        values = _ops.sort(tensor, -1, direction="DESCENDING")[..., :count]
        indices = _ops.argsort(tensor, -1, direction="DESCENDING")[..., :count]
    else:
        values, indices = _ops.top_k(input, k, sorted)
    return TopK(values, _of_type(indices, index_type))


@checks
def searchsorted(
    sorted_sequence: TensorLike,
    values: TensorLike,
    side: str = "left",
    out_type: DTypeLike = "int32",
    name: str | None = None,
) -> Tensor:
    """Where each value would have to be put into a sequence in order. As ``tf.searchsorted``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors([0, 4, 9]).map(lambda x: fl.searchsorted([1, 4, 6], x)).get_single_element()
    array([0, 1, 3], dtype=int32)
    """
    return _ops.searchsorted(sorted_sequence, values, side=side, out_type=out_type)


@checks
def unique(x: TensorLike, out_idx: DTypeLike = "int32", name: str | None = None) -> Unique:
    """The different values of a tensor of one dimension, and which of them each value is. As ``tf.unique``.

    >>> import feedline as fl
    >>> words, index = fl.Dataset.from_tensors(["b", "a", "b"]).map(lambda x: fl.unique(x)).get_single_element()
    >>> print(words, index)
    [b'b' b'a'] [0 1 0]
    """
    return Unique(*_ops.unique(x, out_idx))


@checks
def unique_with_counts(x: TensorLike, out_idx: DTypeLike = "int32", name: str | None = None) -> UniqueWithCounts:
    """As :func:`unique`, and how often each occurs. As ``tf.unique_with_counts``.

    >>> import feedline as fl
    >>> words, index, count = fl.Dataset.from_tensors(["b", "a", "b"]).map(lambda x: fl.unique_with_counts(x)).get_single_element()
    >>> print(words, count)
    [b'b' b'a'] [2 1]
    """
    return UniqueWithCounts(*_ops.unique_with_counts(x, out_idx))


@checks
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
    if maxlen is None:
        # Of no lengths the largest is less than nothing.
        longest = _ops.maximum(_ops.reduce_max(lengths), _ops.zeros([], lengths.dtype))
    else:
        # Lengths are what maxlen is: beside a whole number what is behind the point of 1.5 does not count.
        longest = identity(maxlen)
        longest = _ops.cast(longest, "int64") if longest.dtype.is_integer else longest
        lengths = _ops.cast(lengths, longest.dtype)
    places = _ops.range(_ops.zeros([], longest.dtype), longest, _ops.ones([], longest.dtype))
    return _of_type(_ops.less(places, _ops.expand_dims(lengths, -1)), dtype)


@checks
def truncatediv(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """``x / y``, rounded towards 0, as C divides whole numbers; ``//`` rounds down. As ``tf.truncatediv``.

    >>> import feedline as fl
    >>> print(next(iter(fl.Dataset.from_tensors([7, -7]).map(lambda x: fl.truncatediv(x, 2)))))
    [ 3 -3]
    """
    below = _ops.floordiv(x, y)
    if not below.dtype.is_integer:
        quotient = _ops.truediv(x, y)
        return _ops.where(_ops.less(quotient, 0), _ops.ceil(quotient), _ops.floor(quotient))
    rest = _ops.subtract(x, _ops.multiply(below, y))
    # Below 0 and with a rest, it was rounded the other way.
    is_off = _ops.logical_and(_ops.not_equal(rest, 0), _ops.less(below, 0))
    return _ops.add(below, _ops.cast(is_off, below.dtype))


@checks
def truncatemod(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """What is left of ``x`` divided by ``y`` and rounded towards 0: it has the sign of ``x``, that of ``%`` the one of ``y``. As
    ``tf.truncatemod``.

    >>> import feedline as fl
    >>> print(next(iter(fl.Dataset.from_tensors([7, -7]).map(lambda x: fl.truncatemod(x, 2)))))
    [ 1 -1]
    """
    rest = _ops.floormod(x, y)
    if rest.dtype.is_integer:
        return _ops.subtract(x, _ops.multiply(truncatediv(x, y), y))
    # Of numbers that are not below 0 both are the same, and nothing is rounded.
    rest = _ops.floormod(_ops.abs(x), _ops.abs(y))
    return _ops.where(_ops.less(_ops.add(x, _ops.zeros_like(rest)), 0), _ops.negative(rest), rest)


@checks
def einsum(equation: str, *inputs: TensorLike, name: str | None = None) -> Tensor:
    """Products of tensors, summed over the letters the result does not have; ``...`` stands for dimensions without letters. As ``tf.einsum``.

    >>> import feedline as fl
    >>> a = fl.Dataset.from_tensors([[1, 2], [3, 4]])
    >>> print(next(iter(a.map(lambda x: fl.einsum("ij,kj->ik", x, x)))))
    [[ 5 11]
     [11 25]]
    """
    return _ops.einsum(list(inputs), equation)
