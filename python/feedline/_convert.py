"""Python values as tensors, by TensorFlow's rules: lists are int32 and float32, numpy keeps its types."""

from __future__ import annotations

import reprlib
from typing import Any

import numpy as np

from ._composite import Composite
from ._dtypes import dtype_name, scalar_type
from ._errors import SchemaError
from ._native import Tensor
from ._pieces import array_of_list, as_lists, copied, objects_of_list
from ._string_column import StringColumn

# What the bindings take: an array and its dtype's name, or, for strings, a list of bytes and the shape, or where they lie (`_string_column.py`).
Parts = tuple[Any, Any]

# The types that need no second look, which takes longer than many a function; others are looked at.
_NUMBERS = {np.dtype(name) for name in ("bool", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8")}


def tensor_parts(value: object) -> Parts:
    """A value as a tensor."""
    column = _lying(value)
    if isinstance(column, StringColumn):
        return column.parts()
    array = as_array(value if column is None else column)
    if array.dtype.kind in "SUO":
        return _strings(array)
    array = _native_layout(array)
    return array, dtype_name(array.dtype)


def result_parts(value: object, dtype: str | None) -> Parts:
    """What a function of the user's returned, as a tensor. Numbers and lists take the type ``dtype``, and so do arrays whose values it has."""
    if isinstance(value, Tensor):
        raise SchemaError("the function returned a symbolic tensor\nhint: without python=True it is traced, and may")
    if isinstance(value, tuple):
        try:
            return result_parts(list(value), dtype)
        except SchemaError as error:
            raise SchemaError(f"a tuple of {len(value)} where the spec says a tensor, and none can be made of it: {error}") from error
    if dtype is None:
        array = as_array(value)
    elif dtype == "string" or not _is_plain(value):
        array = _fitted(as_array(value), dtype)
    else:
        array = _numbers(value, dtype)
    if array.dtype.kind in "SUO":
        return _strings(array)
    array = _native_layout(array)
    return array, dtype_name(array.dtype)


def as_array(value: object) -> np.ndarray[Any, Any]:
    """A value as an array; plain Python numbers become int32 (int64 where they need it) and float32."""
    if isinstance(value, (np.ndarray, np.generic)):
        _check_unmasked(value)
        array = np.asarray(value)
        return array.astype(object) if array.dtype.kind == "T" else array  # numpy's strings of any length
    if isinstance(value, (str, bytes)):
        return np.array(value, dtype=object)
    if isinstance(value, Composite):
        raise SchemaError(f"a {value.kind} tensor where a plain one is expected\nhint: x.to_tensor() makes one of a ragged tensor, fl.sparse.to_dense(x) of a sparse one")
    if type(value).__module__ == "torch":
        return _of_torch(value)
    column = _column(value)
    if column is not None:
        return column
    if type(value) is list and value and isinstance(value[0], (str, bytes)) and _is_of_strings(value):
        return objects_of_list(value)
    try:
        array = array_of_list(value) if type(value) is list else np.asarray(value)
    except ValueError as error:
        message = f"{_shown(value)} is no tensor: its parts differ in shape\nhint: pad them to one length"
        raise SchemaError(message) from error
    if array.dtype.kind in "SU":
        # numpy's own strings lose the zero bytes they end with, which records often do.
        return np.array(value, dtype=object)
    if array.dtype.kind == "i" and _is_plain(value):
        low, high = np.iinfo(np.int32).min, np.iinfo(np.int32).max
        fits = array.size == 0 or (low <= array.min() and array.max() <= high)
        return array.astype(np.int32) if fits else array
    if array.dtype.kind == "f" and _is_plain(value):
        return array.astype(np.float32)
    if value is None:
        raise SchemaError("None (NoneType) is no tensor\nhint: a function without `return` gives None, and so does one with a way out that has none")
    if array.dtype.kind == "O" and not all(isinstance(item, (str, bytes)) for item in array.flat):
        raise SchemaError(
            f"{_shown(value)} ({type(value).__name__}) is no tensor\n"
            "hint: numbers, strings, lists of them and numpy arrays are; tuples and dicts are structures of them"
        )
    return array


def _of_torch(tensor: Any) -> np.ndarray[Any, Any]:
    """A tensor of torch's over the same memory."""
    name = str(tensor.dtype).removeprefix("torch.")
    try:
        if name == "bfloat16":  # which numpy has not
            import torch

            bits: np.ndarray[Any, Any] = tensor.view(torch.int16).numpy()
            return bits.view(scalar_type(name))
        return np.asarray(tensor)
    except (TypeError, RuntimeError) as error:
        said = str(error).rstrip(".")
        raise SchemaError(f"a tensor of torch's, of {name} on {tensor.device}, is none that numpy can have: {said}\nhint: {_REMEDIES_OF_TORCH}") from error


_REMEDIES_OF_TORCH = "x.detach() of one with gradients, x.cpu() of one on a device, and x.float() of a type that numpy has not"


def _is_of_strings(values: list[Any]) -> bool:
    return all(isinstance(value, (str, bytes)) for value in values)


def _check_unmasked(value: object) -> None:
    """Refuses arrays of ``numpy.ma`` with values that are masked: what lies there means nothing."""
    masked = np.count_nonzero(value.mask) if type(value) is not np.ndarray and hasattr(value, "mask") else 0
    if masked:
        raise SchemaError(f"an array has {masked} masked values\nhint: x.filled(value) puts a value in their place")


def plain_array(value: object) -> np.ndarray[Any, Any]:
    """As :func:`as_array`, with strings as bytes, as elements have them."""
    array = as_array(value)
    if array.dtype.kind not in "SUO":
        return array
    strings, shape = _strings(array)
    return objects_of_list(strings).reshape(shape)


def stacked(value: object) -> Tensor | None:
    """A list with symbolic tensors in it as the stack of them; ``None`` for anything else."""
    if not isinstance(value, list) or not any(isinstance(part, (Tensor, list)) for part in value):
        return None
    parts = [stacked(part) if isinstance(part, list) else part for part in value]
    if not any(isinstance(part, Tensor) for part in parts):
        return None
    from . import _ops

    return _ops.stack([given if part is None else part for part, given in zip(parts, value, strict=True)])


def writable_view(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The array without its mark that it must not be written to: for libraries that do not know the mark."""

    class View:
        def __init__(self) -> None:
            interface = array.__array_interface__
            self.kept = array
            self.__array_interface__ = {**interface, "data": (interface["data"][0], False)}

    return np.asarray(View())


def table_columns(value: object) -> object:
    """A data frame or a table of Arrow's as a dict of its columns, and a column as an array; anything else as it is."""
    if isinstance(value, tuple):
        parts: list[Any] = [table_columns(part) for part in value]
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    if isinstance(value, dict):
        return {key: table_columns(part) for key, part in value.items()}
    if _speaks_arrow(value):
        from ._arrow import columns_of

        return columns_of(value)
    if _is_arrow_of_pandas(value):
        _check_none_missing(value)
        return table_columns(value.array.__arrow_array__())  # type: ignore[attr-defined]
    if hasattr(value, "__dataframe__"):  # pandas
        names = list(value.columns)  # type: ignore[attr-defined]
        check_names(names)
        return {name: table_columns(value[name]) for name in names}  # type: ignore[index]
    return value


def check_names(names: list[Any]) -> None:
    """Refuses columns of one name: all but one would be lost."""
    several = sorted({str(name) for name in names if names.count(name) > 1}) if len(set(names)) < len(names) else []
    if several:
        raise SchemaError(f"a table has several columns {several[0]!r}\nhint: give each a name of its own")


def _speaks_arrow(value: object) -> bool:
    # pandas does by way of pyarrow, which need not be there, and has arrays anyway.
    is_of_pandas = type(value).__module__.partition(".")[0] == "pandas"
    return not is_of_pandas and (hasattr(value, "__arrow_c_stream__") or hasattr(value, "__arrow_c_array__"))


def _lying(value: object) -> Any:
    """A column of strings where it lies, or another column of Arrow's as an array; ``None`` for what is none."""
    if isinstance(value, StringColumn):
        return value
    if not (_speaks_arrow(value) or _is_arrow_of_pandas(value)):
        return None
    column = table_columns(value)
    if isinstance(column, (np.ndarray, StringColumn)):
        return column
    raise SchemaError(f"{_shown(value)} is no tensor, but a table or a column of lists\nhint: from_tensor_slices takes tables")


def _is_arrow_of_pandas(value: object) -> bool:
    """Whether it is a column of pandas that is one of Arrow's: its strings, as a rule, where pyarrow is installed."""
    dtype = getattr(value, "dtype", None)
    is_of_arrow = hasattr(dtype, "pyarrow_dtype") or getattr(dtype, "storage", None) == "pyarrow"
    return is_of_arrow and hasattr(getattr(value, "array", None), "__arrow_array__")


def _column(value: object) -> np.ndarray[Any, Any] | None:
    """A column of pandas or Arrow, or what else has arrays, as an array, without copying where the library can."""
    column = _lying(value)
    if column is not None:
        return column.copied() if isinstance(column, StringColumn) else column
    if not (hasattr(value, "__array__") or hasattr(value, "to_numpy")):
        return None
    _check_none_missing(value)
    return np.asarray(value.to_numpy() if hasattr(value, "to_numpy") else value)


def _check_none_missing(value: Any) -> None:
    """Refuses columns of pandas with values that are missing. In columns of numpy's floats not-a-number is a float like others; pandas's own
    types know what is missing."""
    dtype = getattr(value, "dtype", None)
    if not hasattr(value, "isna") or dtype is None or (isinstance(dtype, np.dtype) and dtype.kind == "f"):
        return
    missing = int(value.isna().sum())
    if missing:
        raise SchemaError(f"a column has {missing} missing values\nhint: fill them first, for example with fillna")


def _strings(array: np.ndarray[Any, Any]) -> Parts:
    def encoded(item: object) -> bytes:
        if isinstance(item, bytes):
            return item
        if isinstance(item, str):
            return item.encode()
        raise SchemaError(
            f"{_shown(item)} ({type(item).__name__}) among strings is no string\n"
            "hint: an array or column of objects holds strings; make numbers of others first, with astype"
        )

    return [encoded(item) for items in as_lists(array.reshape(-1)) for item in items], array.shape


def _native_layout(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The array in C order and the machine's byte order, aligned; itself if it is."""
    if array.dtype in _NUMBERS and array.flags.c_contiguous and array.flags.aligned:
        return array
    if array.dtype.kind not in "biufV" or array.dtype.itemsize > 8:
        raise SchemaError(f"arrays of {array.dtype} have no dtype in feedline\nhint: convert them with astype first")
    return copied(array, array.dtype.newbyteorder("="))


def _fitted(array: np.ndarray[Any, Any], dtype: str) -> np.ndarray[Any, Any]:
    """The array with values of that type where it has them: whole numbers, and floats of any width, as tf.data's generators convert them. Others
    come as they are, and are told to be of another type."""
    if array.size == 0:
        return np.empty(array.shape, dtype=object if dtype == "string" else scalar_type(dtype))
    is_text = array.dtype.kind in "SUO"
    if is_text or dtype in ("string", "bool") or dtype_name(array.dtype) == dtype:
        return array
    fitted = array.astype(scalar_type(dtype))
    is_float = fitted.dtype.kind not in "biu"  # bfloat16 is of a kind of its own
    is_same = is_float or (array.dtype.kind in "biu" and np.array_equal(fitted, array))
    return fitted if is_same else array


def _numbers(value: object, dtype: str) -> np.ndarray[Any, Any]:
    try:
        exact = np.asarray(value)
        array = np.asarray(value, dtype=scalar_type(dtype))
    except (ValueError, TypeError, OverflowError) as error:
        raise SchemaError(f"{_shown(value)} is no {dtype}: {error}") from error
    if exact.dtype.kind == "f" and exact.size > 0 and array.dtype.kind in "iu":
        raise SchemaError(f"{_shown(value)} is a float where the spec says {dtype}\nhint: round it, or say output_spec=")
    return array


def _is_plain(value: object) -> bool:
    """Whether it is made of Python's own numbers alone."""
    if isinstance(value, (list, tuple)):
        # The first few tell: nobody mixes numpy's numbers into a list of Python's further back.
        return all(_is_plain(part) for part in value[:8])
    return not isinstance(value, (np.ndarray, np.generic))


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
