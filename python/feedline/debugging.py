"""Checks, under the names of ``tf.debugging``.

In a traced function a check counts whether or not what it gives is used: an element that is not as said is an error.

>>> import feedline as fl
>>> def halve(x):
...     fl.debugging.assert_less(x, 3, message="too large")
...     return x / 2
>>> ds = fl.Dataset.range(5).map(halve).ignore_errors()
>>> [float(x) for x in ds]
[0.0, 0.5, 1.0]
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from . import _ops
from ._checking import checks
from ._composite import Composite
from ._constants import convert_to_tensor
from ._dtypes import DTypeLike, as_dtype
from ._errors import ArgumentTypeError, SchemaError
from ._native import Tensor
from ._ops import TensorLike
from ._tracing import note_check

__all__ = [
    "assert_all_finite",
    "assert_equal",
    "assert_greater",
    "assert_greater_equal",
    "assert_integer",
    "assert_less",
    "assert_less_equal",
    "assert_near",
    "assert_negative",
    "assert_non_negative",
    "assert_non_positive",
    "assert_none_equal",
    "assert_positive",
    "assert_rank",
    "assert_rank_at_least",
    "assert_rank_in",
    "assert_scalar",
    "assert_shapes",
    "assert_type",
    "check_numerics",
]


@checks
def check_numerics(tensor: TensorLike, message: str, name: str | None = None) -> Tensor:
    """An error of its element if it holds a value that is infinite or not a number. As ``tf.debugging.check_numerics``.

    >>> import feedline as fl
    >>> ds = fl.Dataset.from_tensor_slices([1.0, 0.0]).map(lambda x: fl.debugging.check_numerics(1 / x, "1 / x"))
    >>> [float(x) for x in ds.ignore_errors()]
    [1.0]
    """
    return note_check(_ops.check_numerics(tensor, message))


@checks
def assert_all_finite(x: TensorLike, message: str, name: str | None = None) -> Tensor:
    """As :func:`check_numerics`. As ``tf.debugging.assert_all_finite``.

    >>> import feedline as fl
    >>> ds = fl.Dataset.from_tensor_slices([1.0, 0.0]).map(lambda x: fl.debugging.assert_all_finite(1 / x, "1 / x"))
    >>> [float(x) for x in ds.ignore_errors()]
    [1.0]
    """
    return check_numerics(x, message)


@checks
def assert_equal(
    x: TensorLike, y: TensorLike, message: str | None = None, summarize: Any = None, name: str | None = None
) -> Tensor:
    """An error of its element if ``x`` and ``y`` differ anywhere. As ``tf.debugging.assert_equal``.

    >>> import feedline as fl
    >>> ds = fl.Dataset.from_tensor_slices([1, 2, 3]).map(lambda x: fl.debugging.assert_equal(x, 2))
    >>> [int(x) for x in ds.ignore_errors()]
    [2]
    """
    return note_check(_ops.assert_equal(x, y, message or ""))


@checks
def assert_none_equal(
    x: TensorLike, y: TensorLike, summarize: Any = None, message: str | None = None, name: str | None = None
) -> Tensor:
    """An error of its element if ``x`` and ``y`` are equal anywhere. As ``tf.debugging.assert_none_equal``.

    >>> import feedline as fl
    >>> ds = fl.Dataset.from_tensor_slices([1, 2, 3]).map(lambda x: fl.debugging.assert_none_equal(x, 2))
    >>> [int(x) for x in ds.ignore_errors()]
    [1, 3]
    """
    return note_check(_ops.assert_none_equal(x, y, message or ""))


@checks
def assert_less(
    x: TensorLike, y: TensorLike, message: str | None = None, summarize: Any = None, name: str | None = None
) -> Tensor:
    """An error of its element unless ``x < y`` everywhere. As ``tf.debugging.assert_less``.

    >>> import feedline as fl
    >>> ds = fl.Dataset.from_tensor_slices([1, 2, 3]).map(lambda x: fl.debugging.assert_less(x, 2))
    >>> [int(x) for x in ds.ignore_errors()]
    [1]
    """
    return note_check(_ops.assert_less(x, y, message or ""))


@checks
def assert_less_equal(
    x: TensorLike, y: TensorLike, message: str | None = None, summarize: Any = None, name: str | None = None
) -> Tensor:
    """An error of its element unless ``x <= y`` everywhere. As ``tf.debugging.assert_less_equal``.

    >>> import feedline as fl
    >>> ds = fl.Dataset.from_tensor_slices([1, 2, 3]).map(lambda x: fl.debugging.assert_less_equal(x, 2))
    >>> [int(x) for x in ds.ignore_errors()]
    [1, 2]
    """
    return note_check(_ops.assert_less_equal(x, y, message or ""))


@checks
def assert_greater(
    x: TensorLike, y: TensorLike, message: str | None = None, summarize: Any = None, name: str | None = None
) -> Tensor:
    """An error of its element unless ``x > y`` everywhere. As ``tf.debugging.assert_greater``.

    >>> import feedline as fl
    >>> ds = fl.Dataset.from_tensor_slices([1, 2, 3]).map(lambda x: fl.debugging.assert_greater(x, 2))
    >>> [int(x) for x in ds.ignore_errors()]
    [3]
    """
    return note_check(_ops.assert_greater(x, y, message or ""))


@checks
def assert_greater_equal(
    x: TensorLike, y: TensorLike, message: str | None = None, summarize: Any = None, name: str | None = None
) -> Tensor:
    """An error of its element unless ``x >= y`` everywhere. As ``tf.debugging.assert_greater_equal``.

    >>> import feedline as fl
    >>> ds = fl.Dataset.from_tensor_slices([1, 2, 3]).map(lambda x: fl.debugging.assert_greater_equal(x, 2))
    >>> [int(x) for x in ds.ignore_errors()]
    [2, 3]
    """
    return note_check(_ops.assert_greater_equal(x, y, message or ""))


@checks
def assert_positive(x: TensorLike, message: str | None = None, summarize: Any = None, name: str | None = None) -> Tensor:
    """An error of its element unless ``x > 0`` everywhere. As ``tf.debugging.assert_positive``.

    >>> import feedline as fl
    >>> ds = fl.Dataset.from_tensor_slices([-1, 0, 1]).map(lambda x: fl.debugging.assert_positive(x))
    >>> [int(x) for x in ds.ignore_errors()]
    [1]
    """
    return assert_greater(x, 0, message)


@checks
def assert_negative(x: TensorLike, message: str | None = None, summarize: Any = None, name: str | None = None) -> Tensor:
    """An error of its element unless ``x < 0`` everywhere. As ``tf.debugging.assert_negative``.

    >>> import feedline as fl
    >>> ds = fl.Dataset.from_tensor_slices([-1, 0, 1]).map(lambda x: fl.debugging.assert_negative(x))
    >>> [int(x) for x in ds.ignore_errors()]
    [-1]
    """
    return assert_less(x, 0, message)


@checks
def assert_non_negative(
    x: TensorLike, message: str | None = None, summarize: Any = None, name: str | None = None
) -> Tensor:
    """An error of its element unless ``x >= 0`` everywhere. As ``tf.debugging.assert_non_negative``.

    >>> import feedline as fl
    >>> ds = fl.Dataset.from_tensor_slices([-1, 0, 1]).map(lambda x: fl.debugging.assert_non_negative(x))
    >>> [int(x) for x in ds.ignore_errors()]
    [0, 1]
    """
    return assert_greater_equal(x, 0, message)


@checks
def assert_non_positive(
    x: TensorLike, message: str | None = None, summarize: Any = None, name: str | None = None
) -> Tensor:
    """An error of its element unless ``x <= 0`` everywhere. As ``tf.debugging.assert_non_positive``.

    >>> import feedline as fl
    >>> ds = fl.Dataset.from_tensor_slices([-1, 0, 1]).map(lambda x: fl.debugging.assert_non_positive(x))
    >>> [int(x) for x in ds.ignore_errors()]
    [-1, 0]
    """
    return assert_less_equal(x, 0, message)


@checks
def assert_near(
    x: TensorLike,
    y: TensorLike,
    rtol: TensorLike | None = None,
    atol: TensorLike | None = None,
    message: str | None = None,
    summarize: Any = None,
    name: str | None = None,
) -> Tensor:
    """An error of its element unless ``|x - y| <= atol + rtol * |y|`` everywhere. Both are ten times the distance from 1 to the next number of the type, unless
    given. As ``tf.debugging.assert_near``.

    >>> import feedline as fl
    >>> def check(x):
    ...     fl.debugging.assert_near(x, 1.0, atol=0.2)
    ...     return x
    >>> len(list(fl.Dataset.from_tensor_slices([1.0, 1.1, 1.5]).map(check).ignore_errors()))
    2
    """
    tensor = convert_to_tensor(x)
    if not tensor.dtype.is_floating:
        raise SchemaError(f"debugging.assert_near: x is {tensor.dtype!r}, and must be floats\nhint: assert_equal is for integers")
    usual = 10 * _STEPS[tensor.dtype.name]
    relative, absolute = (usual if given is None else given for given in (rtol, atol))
    distance, size = _ops.abs(_ops.subtract(tensor, y)), _ops.abs(_ops.cast(y, tensor.dtype))
    allowed = _ops.add(_ops.multiply(size, relative), absolute)
    note_check(_ops.assert_less_equal(distance, allowed, message or "x and y are not near"))
    return tensor


#: The distance from 1 to the next number.
_STEPS = {"float16": 2.0**-10, "bfloat16": 2.0**-7, "float32": 2.0**-23, "float64": 2.0**-52}


@checks
def assert_integer(x: TensorLike, message: str | None = None, name: str | None = None) -> None:
    """An error, at once, unless ``x`` is of a type of integers. As ``tf.debugging.assert_integer``.

    >>> import feedline as fl
    >>> fl.debugging.assert_integer(fl.constant([1, 2]))
    """
    tensor = convert_to_tensor(x)
    if not tensor.dtype.is_integer:
        raise SchemaError(f"{_told(message)}debugging.assert_integer: x is {tensor.dtype!r}, and must be integers")


@checks
def assert_type(tensor: TensorLike, tf_type: DTypeLike, message: str | None = None, name: str | None = None) -> None:
    """An error, at once, unless the tensor is of this type. As ``tf.debugging.assert_type``.

    >>> import feedline as fl
    >>> fl.debugging.assert_type(fl.constant([1, 2]), fl.int32)
    """
    found = tensor.dtype if isinstance(tensor, Composite) else convert_to_tensor(tensor).dtype  # type: ignore[attr-defined]
    if found != as_dtype(tf_type):
        raise SchemaError(f"{_told(message)}debugging.assert_type: tensor is {found!r}, and must be {as_dtype(tf_type)!r}")


@checks
def assert_rank_in(x: TensorLike, ranks: Sequence[int], message: str | None = None, name: str | None = None) -> Tensor:
    """An error unless the number of dimensions of ``x`` is among ``ranks``: at once where it is known. As ``tf.debugging.assert_rank_in``.

    >>> import feedline as fl
    >>> fl.debugging.assert_rank_in(fl.constant([1, 2]), (0, 1)).shape
    (2,)
    """
    tensor = convert_to_tensor(x)
    if tensor.shape is not None:
        if len(tensor.shape) not in ranks:
            raise SchemaError(f"{_told(message)}debugging.assert_rank_in: x has the shape {tensor.shape}, and as many dimensions as one of {list(ranks)}")
        return tensor
    found = _ops.reduce_any(_ops.equal(_ops.rank(tensor), [int(rank) for rank in ranks]))
    note_check(_ops.assert_equal(found, True, message or f"x has another number of dimensions than {list(ranks)}"))
    return tensor


@checks
def assert_shapes(
    shapes: Any, data: Any = None, summarize: Any = None, message: str | None = None, name: str | None = None
) -> None:
    """An error unless tensors have these shapes: ``shapes`` has pairs of a tensor and its shape, in which a number is a size, a text a name for one that is the same
    wherever it stands, and ``None`` or ``"."`` any; ``...`` or ``"*"`` in front stands for any dimensions. As ``tf.debugging.assert_shapes``.

    >>> import feedline as fl
    >>> def check(image, mask):
    ...     fl.debugging.assert_shapes([(image, ("height", "width", 3)), (mask, ("height", "width"))])
    ...     return image
    >>> sizes = fl.Dataset.range(5).map(lambda n: check(fl.zeros([4, 5, 3]), fl.zeros([n, 5])))
    >>> len(list(sizes.ignore_errors()))
    1
    """
    pairs = list(shapes.items()) if isinstance(shapes, dict) else shapes
    if not isinstance(pairs, (list, tuple)) or not all(isinstance(pair, (list, tuple)) and len(pair) == 2 for pair in pairs):
        raise ArgumentTypeError(f"debugging.assert_shapes: shapes is a list of pairs of a tensor and its shape, not {shapes!r}")
    named: dict[str, Any] = {}
    for tensor, wanted in pairs:
        _check_shape(convert_to_tensor(tensor), wanted, named, message)


def _check_shape(tensor: Tensor, wanted: Any, named: dict[str, Any], message: str | None) -> None:
    what = f"{_told(message)}debugging.assert_shapes:"
    sizes = list(wanted) if isinstance(wanted, (list, tuple, str)) else [wanted]
    if not all(size is None or size is ... or isinstance(size, str) or hasattr(size, "__index__") for size in sizes):
        raise ArgumentTypeError(f"{what} shapes: {wanted!r} is no shape: sizes are numbers, names, None or ...")
    is_open = bool(sizes) and sizes[0] in (..., "*")
    sizes = sizes[1:] if is_open else sizes
    known = tensor.shape
    if known is None:
        raise SchemaError(f"{what} the number of dimensions of {tensor!r} is not known\nhint: x.set_shape(shape) says it")
    if len(known) < len(sizes) or (len(known) > len(sizes) and not is_open):
        raise SchemaError(f"{what} a tensor has the shape {known}, and must have {tuple(sizes)}")
    for place, size in enumerate(sizes, len(known) - len(sizes)):
        if size in (None, "."):
            continue
        found = _ops.shape(tensor, "int64")[place] if known[place] is None else known[place]
        expected = named.setdefault(size, found) if isinstance(size, str) and not size.isdigit() else int(size)
        if isinstance(found, Tensor) or isinstance(expected, Tensor):
            text = message or f"dimension {place} of a tensor of shape {known} is not {size}"
            note_check(_ops.assert_equal(_ops.cast(found, "int64"), _ops.cast(expected, "int64"), text))
        elif found != expected:
            raise SchemaError(f"{what} dimension {place} of a tensor of shape {known} is {found}, and must be {size}, which is {expected}")


def _told(message: str | None) -> str:
    return f"{message}: " if message else ""


@checks
def assert_rank(x: TensorLike, rank: int, message: str | None = None, name: str | None = None) -> Tensor:
    """An error unless ``x`` has so many dimensions: at once where that is known. As ``tf.debugging.assert_rank``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors([1, 2]).map(lambda x: fl.debugging.assert_rank(x, 1)).element_spec
    TensorSpec(shape=(2,), dtype=fl.int32)
    """
    return note_check(_ops.assert_rank(x, rank, message or ""))


@checks
def assert_rank_at_least(x: TensorLike, rank: int, message: str | None = None, name: str | None = None) -> Tensor:
    """An error unless ``x`` has so many dimensions or more. As ``tf.debugging.assert_rank_at_least``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors([1, 2]).map(lambda x: fl.debugging.assert_rank_at_least(x, 1)).element_spec
    TensorSpec(shape=(2,), dtype=fl.int32)
    """
    return note_check(_ops.assert_rank_at_least(x, rank, message or ""))


@checks
def assert_scalar(tensor: TensorLike, message: str | None = None, name: str | None = None) -> Tensor:
    """An error unless the tensor has no dimensions. As ``tf.debugging.assert_scalar``.

    >>> import feedline as fl
    >>> fl.Dataset.range(3).map(lambda x: fl.debugging.assert_scalar(x)).element_spec
    TensorSpec(shape=(), dtype=fl.int64)
    """
    return assert_rank(tensor, 0, message)
