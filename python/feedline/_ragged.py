"""Tensors with rows of different lengths."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from . import _ragged_ops
from ._composite import Composite
from ._convert import plain_array, stacked
from ._dtypes import DType, DTypeLike, as_dtype
from ._errors import ArgumentError
from ._native import Tensor
from ._sparse import SparseTensor
from ._spec import ShapeLike, TensorSpec

__all__ = ["RaggedTensor", "RaggedTensorSpec"]


class RaggedTensor(Composite):
    """A tensor whose rows have different lengths: the values of all rows one behind the other, and where each row begins and
    the last one ends. In a traced function its parts are symbolic; elements have it with arrays.

    >>> import feedline as fl
    >>> ds = fl.Dataset.from_tensors(["a b", "c"]).map(lambda lines: fl.strings.split(lines))
    >>> words = next(iter(ds))
    >>> words
    <fl.RaggedTensor [[b'a', b'b'], [b'c']]>
    >>> words.row_splits
    array([0, 2, 3])
    """

    __slots__ = ("_flat_values", "_nested_row_splits")
    kind = "ragged"

    def __init__(self, flat_values: Any, nested_row_splits: Sequence[Any]) -> None:
        self._flat_values = flat_values
        self._nested_row_splits = tuple(nested_row_splits)

    @staticmethod
    def from_row_splits(values: Any, row_splits: Any, name: str | None = None, validate: bool = True) -> RaggedTensor:
        """Rows of ``values``, of which each begins where the one before it ends: row ``i`` is ``values[row_splits[i]:row_splits[i + 1]]``.

        >>> import feedline as fl
        >>> fl.RaggedTensor.from_row_splits([3, 1, 4, 1], [0, 3, 3, 4])
        <fl.RaggedTensor [[3, 1, 4], [], [1]]>
        """
        inner: tuple[Any, ...] = ()
        if isinstance(values, RaggedTensor):
            values, inner = values.flat_values, values.nested_row_splits
        return RaggedTensor.from_nested_row_splits(values, (row_splits, *inner))

    @staticmethod
    def from_nested_row_splits(
        flat_values: Any, nested_row_splits: Sequence[Any], name: str | None = None, validate: bool = True
    ) -> RaggedTensor:
        """As :meth:`from_row_splits`, for several ragged dimensions, the outermost first."""
        if _is_symbolic(flat_values, *nested_row_splits):
            made = _ragged_ops.from_nested_row_splits(flat_values, [_int64(splits) for splits in nested_row_splits])
            assert isinstance(made, RaggedTensor)
            return made
        values = plain_array(flat_values)
        nested = [np.asarray(splits, dtype=np.int64) for splits in nested_row_splits]
        if values.ndim == 0 or not nested:
            raise ArgumentError("RaggedTensor: values have one dimension at least, and splits for each ragged one")
        for level, splits in enumerate(nested):
            end = len(nested[level + 1]) - 1 if level + 1 < len(nested) else len(values)
            if splits.ndim != 1 or not len(splits) or splits[0] != 0 or splits[-1] != end or (np.diff(splits) < 0).any():
                raise ArgumentError(
                    f"RaggedTensor: row_splits {splits.tolist()} of {end} values\n"
                    "hint: they begin with 0, do not fall, and end with the number of values"
                )
        return RaggedTensor(values, nested)

    @staticmethod
    def from_row_lengths(values: Any, row_lengths: Any, name: str | None = None, validate: bool = True) -> RaggedTensor:
        """Rows of ``values``, of these lengths.

        >>> import feedline as fl
        >>> fl.RaggedTensor.from_row_lengths([3, 1, 4, 1], [1, 0, 3])
        <fl.RaggedTensor [[3], [], [1, 4, 1]]>
        """
        if _is_symbolic(values, row_lengths):
            made = _ragged_ops.from_row_lengths(values, row_lengths)
            assert isinstance(made, RaggedTensor)
            return made
        return RaggedTensor.from_row_splits(values, np.concatenate([[0], np.cumsum(np.asarray(row_lengths, np.int64))]))

    def parts(self) -> list[Any]:
        """The values, then the splits from the outermost."""
        return [self._flat_values, *self._nested_row_splits]

    @property
    def flat_values(self) -> Any:
        """The values of all rows."""
        return self._flat_values

    @property
    def nested_row_splits(self) -> tuple[Any, ...]:
        """Where the rows of each ragged dimension begin and the last ends, the outermost first."""
        return self._nested_row_splits

    @property
    def row_splits(self) -> Any:
        """Where the rows begin and the last one ends."""
        return self._nested_row_splits[0]

    @property
    def values(self) -> Any:
        """What the rows are rows of: ragged itself where there are more ragged dimensions."""
        inner = self._nested_row_splits[1:]
        return RaggedTensor(self._flat_values, inner) if inner else self._flat_values

    @property
    def ragged_rank(self) -> int:
        """How many dimensions are ragged."""
        return len(self._nested_row_splits)

    @property
    def dtype(self) -> DType:
        """The type of the values."""
        return as_dtype(self._flat_values.dtype if self._flat_values.dtype != object else "string")

    @property
    def shape(self) -> tuple[int | None, ...]:
        """The number of rows, ``None`` for each ragged dimension, and the shape of a value."""
        splits = self._nested_row_splits[0].shape[0]
        inner = tuple(self._flat_values.shape[1:])
        return (None if splits is None else splits - 1, *[None] * self.ragged_rank, *inner)

    def nrows(self) -> Any:
        """The number of rows."""
        if _is_symbolic(self.row_splits):
            from . import _ops

            return _ops.size(self.row_splits, "int64") - 1
        return len(self.row_splits) - 1

    def row_lengths(self) -> Any:
        """How long each row is.

        >>> import feedline as fl
        >>> fl.RaggedTensor.from_row_splits([3, 1, 4, 1], [0, 3, 3, 4]).row_lengths()
        array([3, 0, 1])
        """
        return self.row_splits[1:] - self.row_splits[:-1]

    def with_flat_values(self, flat_values: Any) -> RaggedTensor:
        """The same rows of other values."""
        return RaggedTensor(flat_values, self._nested_row_splits)

    def to_tensor(self, default_value: Any = None, name: str | None = None, shape: ShapeLike = None) -> Any:
        """A plain tensor, shorter rows filled up with ``default_value``, which is 0 or an empty string where it is not given; with
        a ``shape``, filled up or cut to that.

        >>> import feedline as fl
        >>> fl.RaggedTensor.from_row_splits([3, 1, 4, 1], [0, 3, 3, 4]).to_tensor(-1)
        array([[ 3,  1,  4],
               [-1, -1, -1],
               [ 1, -1, -1]], dtype=int32)
        """
        if default_value is None:
            default_value = "" if self.dtype == "string" else False if self.dtype == "bool" else 0
        if _is_symbolic(self._flat_values):
            sizes = None if shape is None else [-1 if size is None else int(size) for size in _sizes(shape)]
            return _ragged_ops.to_tensor(self._flat_values, default_value, list(self._nested_row_splits), shape=sizes)
        return _padded(self, default_value, None if shape is None else list(_sizes(shape)))

    def to_sparse(self, name: str | None = None) -> SparseTensor:
        """A sparse tensor that keeps every value that is in a row, also those that are 0.

        >>> import feedline as fl
        >>> fl.RaggedTensor.from_row_splits([3, 0, 4, 1], [0, 3, 3, 4]).to_sparse()
        SparseTensor(indices=[[0, 0], [0, 1], [0, 2], [2, 0]], values=[3, 0, 4, 1], dense_shape=[3, 3])
        """
        if _is_symbolic(self._flat_values):
            made = _ragged_ops.to_sparse(self._flat_values, list(self._nested_row_splits))
            assert isinstance(made, SparseTensor)
            return made
        kept = _padded(self.with_flat_values(np.ones(self._flat_values.shape, dtype=np.bool_)), False, None)
        return SparseTensor(np.argwhere(kept), self._flat_values.reshape(-1), kept.shape)

    def to_list(self) -> list[Any]:
        """Lists of lists."""
        values = self.values
        items = values.to_list() if isinstance(values, RaggedTensor) else values.tolist()
        return [items[begin:end] for begin, end in zip(self.row_splits[:-1], self.row_splits[1:], strict=True)]

    def __len__(self) -> int:
        return len(self.row_splits) - 1

    def __getitem__(self, index: int) -> Any:
        """Row ``index``."""
        number = index + len(self) if index < 0 else index
        if not 0 <= number < len(self):
            raise IndexError(f"row {index} of {len(self)}")
        begin, end = int(self.row_splits[number]), int(self.row_splits[number + 1])
        values = self.values
        if not isinstance(values, RaggedTensor):
            return values[begin:end]
        splits = values.row_splits[begin : end + 1]
        rows = values.values
        cut = _rows_between(rows, int(splits[0]), int(splits[-1]))
        return RaggedTensor.from_row_splits(cut, splits - splits[0])

    def __repr__(self) -> str:
        if _is_symbolic(self._flat_values):
            return f"<fl.RaggedTensor of {self._flat_values!r} in rows>"
        return f"<fl.RaggedTensor {self.to_list()}>"


def _rows_between(values: Any, begin: int, end: int) -> Any:
    if not isinstance(values, RaggedTensor):
        return values[begin:end]
    splits = values.row_splits[begin : end + 1]
    inner = _rows_between(values.values, int(splits[0]), int(splits[-1]))
    return RaggedTensor.from_row_splits(inner, splits - splits[0])


def _padded(ragged: RaggedTensor, default_value: Any, shape: list[int | None] | None) -> Any:
    sizes: list[int] = [len(ragged.row_splits) - 1]
    sizes += [int(np.diff(splits).max(initial=0)) for splits in ragged.nested_row_splits]
    inner = ragged.flat_values.shape[1:]
    if shape is not None:
        wanted = [*shape, *[None] * (len(sizes) + len(inner) - len(shape))]
        sizes = [size if given in (None, -1) else int(given) for size, given in zip(sizes, wanted, strict=False)]
    if ragged.flat_values.dtype == object and isinstance(default_value, str):
        default_value = default_value.encode()
    result = np.full((*sizes, *inner), default_value, dtype=ragged.flat_values.dtype)
    _fill(result, ragged)
    return result


def _fill(target: Any, rows: Any) -> None:
    for index in range(min(len(target), len(rows))):
        row = rows[index]
        if isinstance(row, RaggedTensor):
            _fill(target[index], row)
        else:
            count = min(len(target[index]), len(row))
            target[index][:count] = row[:count]


def _sizes(shape: Any) -> Sequence[int | None]:
    return (shape,) if isinstance(shape, int) else shape


def _is_symbolic(*values: Any) -> bool:
    return any(isinstance(value, Tensor) for value in values)


def _int64(values: Any) -> Any:
    symbolic = values if isinstance(values, Tensor) else stacked(values)
    return np.asarray(values, dtype=np.int64) if symbolic is None else symbolic


class RaggedTensorSpec(Composite):
    """What is known about a ragged tensor: its shape, ``None`` for each ragged dimension, its dtype, and how many dimensions
    are ragged. With none it is a row of one: functions and loops see a plain tensor, and a batch of such rows is ragged.

    >>> import feedline as fl
    >>> fl.RaggedTensorSpec([None, None, 3], fl.float32, ragged_rank=1)
    RaggedTensorSpec(shape=(None, None, 3), dtype=fl.float32, ragged_rank=1)
    """

    __slots__ = ("_dtype", "_ragged_rank", "_shape")
    kind = "ragged"

    def __init__(
        self,
        shape: Sequence[int | None],
        dtype: DTypeLike = "float32",
        ragged_rank: int | None = None,
        row_splits_dtype: DTypeLike = "int64",
    ) -> None:
        self._shape = tuple(shape)
        self._dtype = as_dtype(dtype)
        self._ragged_rank = len(self._shape) - 1 if ragged_rank is None else ragged_rank
        if not 0 <= self._ragged_rank < len(self._shape):
            raise ArgumentError(f"RaggedTensorSpec: ragged_rank is from 0 to {len(self._shape) - 1}, not {ragged_rank}")
        if as_dtype(row_splits_dtype) != as_dtype("int64"):
            raise ArgumentError("RaggedTensorSpec: row_splits are int64")

    @staticmethod
    def of_parts(parts: Sequence[TensorSpec]) -> RaggedTensorSpec:
        """The spec of a tensor whose parts have these."""
        values, splits = parts[0], parts[1:]
        if not splits:
            return RaggedTensorSpec(values.shape or [None], values.dtype, 0)
        outer = splits[0].shape[0] if splits[0].shape else None
        inner = values.shape[1:] if values.shape else ()
        rows = None if outer is None else outer - 1
        return RaggedTensorSpec((rows, *[None] * len(splits), *inner), values.dtype, len(splits))

    def parts(self) -> list[Any]:
        """The specs of the parts."""
        rank = self._ragged_rank
        splits: list[TensorSpec] = []
        rows: int | None = 1
        for dim in self._shape[:rank]:
            rows = None if rows is None or dim is None else rows * dim
            splits.append(TensorSpec([None if rows is None else rows + 1], "int64"))
        return [TensorSpec([None, *self._shape[rank + 1 :]], self._dtype), *splits]

    @property
    def shape(self) -> tuple[int | None, ...]:
        """The size of each dimension, ``None`` where it is ragged or unknown."""
        return self._shape

    @property
    def dtype(self) -> DType:
        """The type of the values."""
        return self._dtype

    @property
    def ragged_rank(self) -> int:
        """How many dimensions are ragged."""
        return self._ragged_rank

    def __eq__(self, other: object) -> bool:
        return isinstance(other, RaggedTensorSpec) and repr(self) == repr(other)

    def __hash__(self) -> int:
        return hash((self._shape, self._dtype, self._ragged_rank))

    def __repr__(self) -> str:
        return f"RaggedTensorSpec(shape={self._shape}, dtype={self._dtype!r}, ragged_rank={self._ragged_rank})"
