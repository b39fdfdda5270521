"""What is known about a tensor before there is one."""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from typing import Any, TypeAlias, Union

from ._dtypes import DType, DTypeLike, as_dtype
from ._errors import ArgumentError, ArgumentTypeError

__all__ = ["DTypes", "DatasetSpec", "Shape", "ShapeLike", "SpecLike", "TensorShape", "TensorSpec", "spec_of"]

SpecLike: TypeAlias = Any
"""A spec, or a tuple or dict of them."""

DTypes: TypeAlias = Any
"""A dtype, or a tuple or dict of them."""

ShapeLike: TypeAlias = Union[Sequence[int | None], int, None]


class Shape(tuple[int | None, ...]):
    """The size of each dimension, ``None`` for one that is not known: a tuple, with the names that a ``tf.TensorShape`` has, and
    ``fl.TensorShape``, too. Of a shape of which nothing is known, ``fl.TensorShape(None)``, ``None`` is all there is.

    >>> import feedline as fl
    >>> fl.TensorShape([None, 3]).concatenate([2]), fl.TensorShape(5), fl.TensorShape([2, 3]).num_elements()
    ((None, 3, 2), (5,), 6)
    >>> shape = fl.TensorSpec([None, 3]).shape
    >>> shape, shape.as_list(), shape.rank, shape.is_fully_defined()
    ((None, 3), [None, 3], 2, False)
    """

    __slots__ = ()

    def __new__(cls, dims: Any) -> Any:
        """Of sizes, of one, or of nothing that is known."""
        return None if dims is None else super().__new__(cls, _sizes("TensorShape", "dims", dims))

    @property
    def dims(self) -> list[int | None]:
        """As :meth:`as_list`.

        >>> import feedline as fl
        >>> fl.TensorShape([None, 3]).dims
        [None, 3]
        """
        return list(self)

    @property
    def rank(self) -> int:
        """How many dimensions there are.

        >>> import feedline as fl
        >>> fl.TensorShape([None, 3]).rank
        2
        """
        return len(self)

    @property
    def ndims(self) -> int:
        """As :attr:`rank`.

        >>> import feedline as fl
        >>> fl.TensorShape([None, 3]).ndims
        2
        """
        return len(self)

    def as_list(self) -> list[int | None]:
        """The sizes as a list.

        >>> import feedline as fl
        >>> fl.TensorShape([None, 3]).as_list()
        [None, 3]
        """
        return list(self)

    def is_fully_defined(self) -> bool:
        """Whether all sizes are known.

        >>> import feedline as fl
        >>> fl.TensorShape([2, 3]).is_fully_defined(), fl.TensorShape([None, 3]).is_fully_defined()
        (True, False)
        """
        return None not in self

    def num_elements(self) -> int | None:
        """How many values there are, if all sizes are known.

        >>> import feedline as fl
        >>> fl.TensorShape([2, 3]).num_elements(), fl.TensorShape([None, 3]).num_elements()
        (6, None)
        """
        return None if None in self else math.prod(size for size in self if size is not None)

    def concatenate(self, other: Any) -> Shape | None:
        """The dimensions of this shape and of another behind them.

        >>> import feedline as fl
        >>> fl.TensorShape([None, 3]).concatenate([2])
        (None, 3, 2)
        """
        return None if other is None else Shape((*self, *Shape(other)))

    def is_compatible_with(self, other: Any) -> bool:
        """Whether a tensor may have both shapes: as many dimensions, and the same sizes where both are known.

        >>> import feedline as fl
        >>> shape = fl.TensorShape([None, 3])
        >>> shape.is_compatible_with([2, 3]), shape.is_compatible_with([2, 4])
        (True, False)
        """
        shape = Shape(other)
        return shape is None or (len(self) == len(shape) and all(None in pair or pair[0] == pair[1] for pair in zip(self, shape, strict=True)))


TensorShape = Shape


def shape_of(what: str, shape: Any) -> Shape | None:
    """The argument ``shape`` of ``what``."""
    return None if shape is None else Shape(_sizes(what, "shape", shape))


def _sizes(what: str, argument: str, dims: Any) -> list[int | None]:
    try:
        sizes = [dims] if hasattr(dims, "__index__") else list(dims)
        known = [None if size is None or size == -1 else operator.index(size) for size in sizes]
    except (TypeError, ValueError):
        raise ArgumentTypeError(f"{what}: {argument} is numbers and None, not {dims!r}") from None
    if any(size is not None and size < 0 for size in known):
        raise ArgumentError(f"{what}: {dims!r} is no shape: dimensions are numbers from 0, or None")
    return known


class TensorSpec:
    """The dtype and shape of a tensor; ``None`` for a dimension that is not known, or for a shape of which nothing is.

    >>> import feedline as fl
    >>> fl.TensorSpec([None, 3], fl.float32)
    TensorSpec(shape=(None, 3), dtype=fl.float32)
    """

    __slots__ = ("_dtype", "_name", "_shape")

    def __init__(self, shape: ShapeLike, dtype: DTypeLike = "float32", name: str | None = None) -> None:
        self._shape = shape_of("TensorSpec", shape)
        self._dtype = as_dtype(dtype)
        self._name = name

    @staticmethod
    def from_tensor(tensor: Any, name: str | None = None) -> TensorSpec:
        """The spec of a tensor: of an array, or of a symbolic one.

        >>> import feedline as fl, numpy as np
        >>> fl.TensorSpec.from_tensor(np.zeros((2, 3)))
        TensorSpec(shape=(2, 3), dtype=fl.float64)
        """
        return TensorSpec(tensor.shape, tensor.dtype, name)

    def is_compatible_with(self, spec_or_tensor: Any) -> bool:
        """Whether a tensor, or one of another spec, may be of this spec: the dtype is the same, and so are sizes that both know.

        >>> import feedline as fl, numpy as np
        >>> spec = fl.TensorSpec([None, 3], fl.int64)
        >>> spec.is_compatible_with(np.zeros((2, 3), np.int64)), spec.is_compatible_with(fl.TensorSpec([2], fl.int64))
        (True, False)
        """
        other = spec_or_tensor if isinstance(spec_or_tensor, TensorSpec) else TensorSpec.from_tensor(spec_or_tensor)
        if self._dtype != other._dtype:
            return False
        if self._shape is None or other._shape is None:
            return True
        pairs = zip(self._shape, other._shape, strict=False)
        return len(self._shape) == len(other._shape) and all(None in pair or pair[0] == pair[1] for pair in pairs)

    @property
    def shape(self) -> Shape | None:
        """The size of each dimension, ``None`` where it is unknown.

        >>> import feedline as fl
        >>> fl.TensorSpec([None, 3], fl.float32).shape
        (None, 3)
        """
        return self._shape

    @property
    def dtype(self) -> DType:
        """The type of the values.

        >>> import feedline as fl
        >>> fl.TensorSpec([None, 3], fl.float32).dtype
        fl.float32
        """
        return self._dtype

    @property
    def name(self) -> str | None:
        """The name it was given.

        >>> import feedline as fl
        >>> fl.TensorSpec([], fl.int64, name="label").name
        'label'
        """
        return self._name

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TensorSpec) and (self.shape, self.dtype) == (other.shape, other.dtype)

    def __hash__(self) -> int:
        return hash((self._shape, self._dtype))

    def __repr__(self) -> str:
        return f"TensorSpec(shape={self._shape}, dtype={self._dtype!r})"


class DatasetSpec:
    """What is known about a value that is a dataset: what its elements are.

    >>> import feedline as fl
    >>> fl.Dataset.range(4).window(2).element_spec
    DatasetSpec(TensorSpec(shape=(), dtype=fl.int64))
    """

    __slots__ = ("_element_spec",)

    def __init__(self, element_spec: Any) -> None:
        self._element_spec = element_spec

    @property
    def element_spec(self) -> Any:
        """What is known about every element of the dataset.

        >>> import feedline as fl
        >>> fl.Dataset.range(4).window(2).element_spec.element_spec
        TensorSpec(shape=(), dtype=fl.int64)
        """
        return self._element_spec

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DatasetSpec) and bool(self.element_spec == other.element_spec)

    def __hash__(self) -> int:
        return hash(repr(self))

    def __repr__(self) -> str:
        return f"DatasetSpec({self._element_spec!r})"


def spec_of(structure: Any, types: Any = None) -> Any:
    """The specs that go with shapes and types given apart: tf.data's ``output_types`` and ``output_shapes``."""
    if isinstance(types, tuple):
        shapes = structure if structure is not None else (None,) * len(types)
        return tuple(spec_of(shape, dtype) for shape, dtype in zip(shapes, types, strict=True))
    if isinstance(types, dict):
        shapes = structure if structure is not None else dict.fromkeys(types)
        return {key: spec_of(shapes[key], dtype) for key, dtype in types.items()}
    return TensorSpec(structure, types)
