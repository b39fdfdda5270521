"""Types of values, under TensorFlow's names."""

from __future__ import annotations

from typing import Any, Final, TypeAlias, Union

import numpy as np

from ._errors import ArgumentError

__all__ = ["DType", "DTypeLike", "as_dtype", "dtype_name", "scalar_type"]


class DType:
    """The type of a tensor's values, such as ``fl.float32``.

    Equal to its name and to numpy's type of that name.

    >>> import feedline as fl
    >>> fl.float32 == "float32", fl.float32 == np.float32, fl.int64 == fl.int32
    (True, True, False)
    """

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name: Final = name

    @property
    def as_numpy_dtype(self) -> type[Any]:
        """numpy's type of it; that of strings is ``numpy.object_``.

        >>> import feedline as fl
        >>> fl.float32.as_numpy_dtype, fl.string.as_numpy_dtype
        (<class 'numpy.float32'>, <class 'numpy.object_'>)
        """
        return np.object_ if self.name == "string" else scalar_type(self.name)

    @property
    def is_floating(self) -> bool:
        """Whether it is a float of any width.

        >>> import feedline as fl
        >>> fl.bfloat16.is_floating, fl.int32.is_floating
        (True, False)
        """
        return "float" in self.name

    @property
    def is_integer(self) -> bool:
        """Whether it is an integer of any width, signed or not.

        >>> import feedline as fl
        >>> fl.uint8.is_integer, fl.float32.is_integer
        (True, False)
        """
        return "int" in self.name

    def __repr__(self) -> str:
        return f"fl.{self.name}" if self.name != "bool" else "fl.bool"

    def __eq__(self, other: object) -> bool:
        if isinstance(other, DType):
            return self.name == other.name
        try:
            return self.name == dtype_name(other)
        except ArgumentError:
            return False

    def __hash__(self) -> int:
        return hash(self.name)

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        return as_dtype, (self.name,)


DTypeLike: TypeAlias = Union[DType, str, type, "np.dtype[Any]"]

_NAMES: Final = (
    "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 bfloat16 float32 float64 string".split()
)
_DTYPES: Final = {name: DType(name) for name in _NAMES}
_OF_NUMPY: Final = {np.dtype(name): name for name in _NAMES if name not in ("bfloat16", "string")}
_ALIASES: Final = {"half": "float16", "float": "float32", "double": "float64", "bytes": "string", "str": "string"}


def dtype_name(dtype: object) -> str:
    """The name of a dtype given as one of ours, a string, or a type of numpy's or Python's."""
    if isinstance(dtype, DType):
        return dtype.name
    if isinstance(dtype, np.dtype) and dtype in _OF_NUMPY:
        return _OF_NUMPY[dtype]
    if isinstance(dtype, str) and (dtype in _DTYPES or dtype in _ALIASES):
        return _ALIASES.get(dtype, dtype)
    if dtype is bytes or dtype is str:
        return "string"
    if dtype is float:
        return "float32"  # as in TensorFlow; numpy's is float64
    try:
        # None would be float64 to numpy, and lists and tuples are structures of several.
        numpy_dtype = None if dtype is None or not isinstance(dtype, (str, type, np.dtype)) else np.dtype(dtype)
    except TypeError:
        numpy_dtype = None
    if numpy_dtype is not None:
        if numpy_dtype.kind in "SUO":
            return "string"
        if numpy_dtype.name in _DTYPES:
            return str(numpy_dtype.name)
    raise ArgumentError(f"{dtype!r} is no dtype feedline has\nhint: there are {', '.join(_NAMES)}")


def dtype_argument(what: str, argument: str, dtype: object) -> str:
    """The name of the dtype that was given for an argument of ``what``."""
    try:
        return dtype_name(dtype)
    except ArgumentError as error:
        raise ArgumentError(f"{what}: {argument}: {error}") from None


def as_dtype(type_value: DTypeLike) -> DType:
    """The dtype given as one of ours, a string, or a type of numpy's or Python's.

    >>> import feedline as fl, numpy as np
    >>> fl.as_dtype("int64"), fl.as_dtype(np.float16)
    (fl.int64, fl.float16)
    """
    return _DTYPES[dtype_name(type_value)]


def scalar_type(name: str) -> type[Any]:
    """numpy's type of single values."""
    if name == "bfloat16":
        try:
            import ml_dtypes
        except ImportError as error:
            message = "numpy has no bfloat16\nhint: pip install ml_dtypes, or fl.cast to float32 before the end"
            raise ArgumentError(message) from error
        return ml_dtypes.bfloat16  # type: ignore[no-any-return]
    return np.dtype(name).type
