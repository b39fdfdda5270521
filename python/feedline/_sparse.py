"""Tensors of which few values are kept."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from . import _ops
from ._composite import Composite
from ._convert import plain_array, stacked
from ._dtypes import DType, DTypeLike, as_dtype
from ._errors import ArgumentTypeError, SchemaError
from ._native import Tensor
from ._spec import ShapeLike, TensorSpec, shape_of

__all__ = ["SparseTensor", "SparseTensorSpec"]


class SparseTensor(Composite):
    """A tensor of which few values are kept: where they are, the values, and the shape.

    >>> import feedline as fl
    >>> x = fl.SparseTensor([[0, 1], [1, 0]], [3.0, 4.0], [2, 2])
    >>> fl.sparse.to_dense(x)
    array([[0., 3.],
           [4., 0.]], dtype=float32)
    """

    __slots__ = ("_dense_shape", "_indices", "_values")
    kind = "sparse"

    def __init__(self, indices: Any, values: Any, dense_shape: Any) -> None:
        values = _stacked(values)
        self._indices = _int64("indices", indices)
        self._values = values if isinstance(values, Tensor) else plain_array(values)
        self._dense_shape = _int64("dense_shape", dense_shape)
        if not isinstance(self._indices, Tensor) and self._indices.size == 0:
            self._indices = self._indices.reshape(0, len(self._dense_shape))
        _check_sizes(self._indices.shape, self._values.shape, self._dense_shape.shape)

    def parts(self) -> list[Any]:
        """Indices, values, shape.

        >>> import feedline as fl
        >>> fl.SparseTensor([[0, 1], [2, 0]], [5, 6], [3, 2]).parts()
        [array([[0, 1],
               [2, 0]]), array([5, 6], dtype=int32), array([3, 2])]
        """
        return [self._indices, self._values, self._dense_shape]

    @property
    def indices(self) -> Any:
        """Where the values are: a row of one index a dimension for each.

        >>> import feedline as fl
        >>> x = fl.SparseTensor([[0, 1], [1, 0]], [3.0, 4.0], [2, 2])
        >>> x.indices
        array([[0, 1],
               [1, 0]])
        """
        return self._indices

    @property
    def values(self) -> Any:
        """The values that are kept.

        >>> import feedline as fl
        >>> x = fl.SparseTensor([[0, 1], [1, 0]], [3.0, 4.0], [2, 2])
        >>> x.values
        array([3., 4.], dtype=float32)
        """
        return self._values

    @property
    def dense_shape(self) -> Any:
        """The shape.

        >>> import feedline as fl
        >>> x = fl.SparseTensor([[0, 1], [1, 0]], [3.0, 4.0], [2, 2])
        >>> x.dense_shape
        array([2, 2])
        """
        return self._dense_shape

    @property
    def dtype(self) -> DType:
        """The type of the values.

        >>> import feedline as fl
        >>> x = fl.SparseTensor([[0, 1], [1, 0]], [3.0, 4.0], [2, 2])
        >>> x.dtype
        fl.float32
        """
        return as_dtype(self._values.dtype if self._values.dtype != object else "string")

    @property
    def shape(self) -> tuple[int | None, ...]:
        """The shape, as far as it is known.

        >>> import feedline as fl
        >>> x = fl.SparseTensor([[0, 1], [1, 0]], [3.0, 4.0], [2, 2])
        >>> x.shape
        (2, 2)
        """
        if isinstance(self._dense_shape, Tensor):
            rank = self._dense_shape.shape[0] if self._dense_shape.shape else None
            return (None,) * (rank or 0)
        return tuple(int(size) for size in self._dense_shape)

    def __mul__(self, other: Any) -> SparseTensor:
        """Its values times one number."""
        return self._scaled(_ops.multiply, other)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> SparseTensor:
        """Its values by one number."""
        return self._scaled(_ops.truediv, other)

    def _scaled(self, operation: Any, factor: Any) -> SparseTensor:
        from ._ragged_operators import computed

        made = computed(operation(self, factor), self, factor)
        assert isinstance(made, SparseTensor)
        return made

    def _refuse(self, other: Any) -> Any:
        """Where no value is kept there is 0, which a sum or a comparison makes something else of."""
        raise SchemaError(
            "a sparse tensor is multiplied and divided by one number; other operators, and comparisons, it has none\n"
            "hint: fl.sparse.to_dense(x) is a plain tensor; x.values are the values it keeps"
        )

    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = _refuse
    __add__ = __radd__ = __sub__ = __rsub__ = __pow__ = __mod__ = __floordiv__ = __rtruediv__ = _refuse

    __hash__ = None  # type: ignore[assignment]
    #: Leaves `array * sparse` to the sparse tensor.
    __array_ufunc__ = None

    def __repr__(self) -> str:
        if isinstance(self._values, Tensor):
            return f"<fl.SparseTensor of {self._values!r}>"
        values, shape = self._values.tolist(), self._dense_shape.tolist()
        return f"SparseTensor(indices={self._indices.tolist()}, values={values}, dense_shape={shape})"


def _stacked(values: Any) -> Any:
    """A list with symbolic values in it as one."""
    tensor = stacked(list(values) if isinstance(values, tuple) else values)
    return values if tensor is None else tensor


def _int64(argument: str, values: Any) -> Any:
    if not _has_tensor(values):
        try:
            return np.asarray(values, dtype=np.int64)
        except (TypeError, ValueError, OverflowError):
            raise ArgumentTypeError(f"SparseTensor: {argument} is whole numbers, not {values!r}") from None
    return _stacked(_each_as_int64(values))


def _has_tensor(values: Any) -> bool:
    return isinstance(values, Tensor) or (isinstance(values, (list, tuple)) and any(_has_tensor(part) for part in values))


def _each_as_int64(values: Any) -> Any:
    """Before they are stacked: Python's numbers in a list are int32, and do not go with tensors that are int64."""
    if isinstance(values, (list, tuple)):
        return [_each_as_int64(part) for part in values]
    if not isinstance(values, Tensor):
        return np.asarray(values, dtype=np.int64)
    from . import _ops

    return values if values.dtype == "int64" else _ops.cast(values, "int64")


def _check_sizes(indices: Any, values: Any, dense_shape: Any) -> None:
    """The shapes of the three, as far as they are known, belong to one tensor."""
    found = [indices, values, dense_shape]
    wanted = [2, 1, 1]
    fits = all(shape is None or len(shape) == rank for shape, rank in zip(found, wanted, strict=True))
    if fits and indices is not None:
        pairs = [(indices[0], values and values[0]), (indices[1], dense_shape and dense_shape[0])]
        fits = all(None in pair or pair[0] == pair[1] for pair in pairs)
    if not fits:
        raise SchemaError(
            f"SparseTensor: indices, values and dense_shape are of shapes {indices}, {values} and {dense_shape}, and must be [n, rank], [n] and [rank]"
        )


class SparseTensorSpec(Composite):
    """What is known about a sparse tensor: its shape and its dtype.

    >>> import feedline as fl
    >>> fl.SparseTensorSpec([None, 3], fl.float32)
    SparseTensorSpec(shape=(None, 3), dtype=fl.float32)
    """

    __slots__ = ("_dtype", "_shape")
    kind = "sparse"

    def __init__(self, shape: ShapeLike = None, dtype: DTypeLike = "float32") -> None:
        self._shape = shape_of("SparseTensorSpec", shape)
        self._dtype = as_dtype(dtype)

    @staticmethod
    def of_parts(parts: Sequence[TensorSpec]) -> SparseTensorSpec:
        """The spec of a tensor whose parts have these.

        >>> import feedline as fl
        >>> fl.SparseTensorSpec.of_parts(fl.SparseTensorSpec([None, 3], fl.int32).parts())
        SparseTensorSpec(shape=(None, None), dtype=fl.int32)
        """
        rank = parts[2].shape[0] if parts[2].shape else None
        return SparseTensorSpec(None if rank is None else [None] * rank, parts[1].dtype)

    def parts(self) -> list[Any]:
        """The specs of the parts.

        >>> import feedline as fl
        >>> fl.SparseTensorSpec([None, 3], fl.int32).parts()[1]
        TensorSpec(shape=(None,), dtype=fl.int32)
        """
        rank = None if self._shape is None else len(self._shape)
        return [TensorSpec([None, rank], "int64"), TensorSpec([None], self._dtype), TensorSpec([rank], "int64")]

    @property
    def shape(self) -> tuple[int | None, ...] | None:
        """The size of each dimension, ``None`` where it is unknown.

        >>> import feedline as fl
        >>> fl.SparseTensorSpec([None, 3], fl.int32).shape
        (None, 3)
        """
        return self._shape

    @property
    def dtype(self) -> DType:
        """The type of the values.

        >>> import feedline as fl
        >>> fl.SparseTensorSpec([None, 3], fl.int32).dtype
        fl.int32
        """
        return self._dtype

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SparseTensorSpec) and (self.shape, self.dtype) == (other.shape, other.dtype)

    def __hash__(self) -> int:
        return hash((self._shape, self._dtype))

    def __repr__(self) -> str:
        return f"SparseTensorSpec(shape={self._shape}, dtype={self._dtype!r})"
