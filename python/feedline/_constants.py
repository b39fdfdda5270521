"""Tensors made of Python values, by TensorFlow's rules."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _native
from ._convert import as_array, stacked
from ._dtypes import DTypeLike, as_dtype, dtype_argument, dtype_name
from ._errors import ArgumentError, ResourceError, SchemaError
from ._native import Tensor
from ._ops import TensorLike
from ._pieces import array_of_list

__all__ = ["constant", "convert_to_tensor"]

#: Values of one tensor at most.
MAX_VALUES = 1 << 32


def constant(value: Any, dtype: DTypeLike | None = None, shape: Any = None, name: str = "Const") -> Tensor:
    """The tensor of ``value``, the same for every element: of type ``dtype``, and of ``shape``, which one value fills. As ``tf.constant``.

    >>> import feedline as fl
    >>> fl.constant(7, fl.int64)
    <Tensor int64[]: 7>
    >>> [x.tolist() for x in fl.Dataset.range(2).map(lambda x: fl.constant([10, 20, 30], fl.int64)[x:])]
    [[10, 20, 30], [20, 30]]
    """
    try:
        array = as_array(value)
    except SchemaError as error:
        raise SchemaError(f"constant: value: {error}") from None
    if dtype is not None:
        array = of_type(array, value, dtype_argument("constant", "dtype", dtype))
    if shape is not None:
        if any(isinstance(size, int) and size > MAX_VALUES for size in (shape if isinstance(shape, (list, tuple)) else [shape])):
            raise ArgumentError(f"constant: shape {shape!r} has more values than a tensor may have, 2^32")
        try:
            array = np.broadcast_to(array, shape) if array.size == 1 else array.reshape(shape)
        except (TypeError, ValueError):
            raise SchemaError(f"constant: {array.size} values do not fill the shape {shape!r}") from None
    try:
        made = _native.constant(np.ascontiguousarray(array) if array.shape else array)
    except MemoryError:
        raise ResourceError(f"constant: there is no memory for the shape {shape!r}\nhint: fl.fill makes it for each element, and needs none before") from None
    assert isinstance(made, Tensor)
    return made


def convert_to_tensor(
    value: TensorLike, dtype: DTypeLike | None = None, dtype_hint: DTypeLike | None = None, name: str | None = None
) -> Tensor:
    """``value`` as a tensor: a symbolic one stays itself, a list with some in it is their stack, and anything else is a constant, of
    type ``dtype``, or of ``dtype_hint`` if its values allow. As ``tf.convert_to_tensor``.

    >>> import feedline as fl
    >>> [x.tolist() for x in fl.Dataset.range(2).map(lambda x: fl.convert_to_tensor([x, 5]))]
    [[0, 5], [1, 5]]
    """
    tensor = value if isinstance(value, Tensor) else stacked(value)
    if tensor is None:
        if dtype is None and dtype_hint is not None:
            try:
                return constant(value, dtype_hint)
            except (ArgumentError, SchemaError):
                return constant(value)
        return constant(value, dtype)
    if dtype is not None and tensor.dtype != as_dtype(dtype):
        raise SchemaError(f"convert_to_tensor: the tensor is {tensor.dtype!r}, not {as_dtype(dtype)!r}\nhint: fl.cast(x, dtype) converts")
    return tensor


def of_type(array: np.ndarray[Any, Any], value: Any, name: str) -> np.ndarray[Any, Any]:
    """The array as a type that holds its values as they are: integers become floats, and floats no integers."""
    if array.size == 0 and isinstance(value, (list, tuple)):
        return np.empty(array.shape, dtype=object if name == "string" else as_dtype(name).as_numpy_dtype)  # no values, of any type
    is_text = array.dtype.kind in "SUO"
    if is_text or name == "string":
        if is_text and name == "string":
            return array
        raise SchemaError(f"constant: {value!r} is no {name}")
    wanted = np.dtype(as_dtype(name).as_numpy_dtype)
    is_float = wanted.kind not in "biu"  # bfloat16 is of a kind of its own
    is_fit = array.dtype.kind == "b" if wanted.kind == "b" else array.dtype.kind in ("iuf" if is_float else "iu") or array.dtype == wanted
    converted = array
    if is_fit:
        if is_float and isinstance(value, (int, float, list, tuple)):
            # Python's own floats were made float32; here they become what was asked for, from what was written.
            converted = array_of_list(value) if isinstance(value, list) else np.asarray(value)
        converted = converted.astype(wanted)
    if not is_fit or (not is_float and not np.array_equal(converted, array)):
        raise SchemaError(f"constant: {value!r} is no {name}\nhint: fl.cast(x, dtype) converts")
    return converted
