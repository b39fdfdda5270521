"""Tensors with rows of different lengths."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from . import _native, _ops, _ragged_ops
from ._checking import checks_arguments
from ._composite import Composite
from ._constants import convert_to_tensor
from ._convert import plain_array, stacked
from ._dtypes import DType, DTypeLike, as_dtype
from ._errors import ArgumentError, ArgumentTypeError, SchemaError
from ._native import Tensor
from ._ragged_operators import RaggedOperators, computed, is_symbolic, item
from ._sparse import SparseTensor
from ._spec import ShapeLike, TensorSpec, shape_of
from ._tracing import refusal

__all__ = ["RaggedTensor", "RaggedTensorSpec"]


@checks_arguments
class RaggedTensor(RaggedOperators):
    """A tensor whose rows have different lengths: the values of all rows one behind the other, and where each row begins and
    the last one ends. In a traced function its parts are symbolic; elements have it with arrays. Operators and comparisons are those of its values,
    indices are those of its rows and of places in them.

    >>> import feedline as fl
    >>> ds = fl.Dataset.from_tensors(["a b", "c"]).map(lambda lines: fl.strings.split(lines))
    >>> words = next(iter(ds))
    >>> words
    <fl.RaggedTensor [[b'a', b'b'], [b'c']]>
    >>> words.row_splits
    array([0, 2, 3])
    >>> words == "a"
    <fl.RaggedTensor [[True, False], [False]]>
    >>> words[:, 1:]
    <fl.RaggedTensor [[b'b'], []]>
    """

    __slots__ = ("_flat_values", "_nested_row_splits")
    kind = "ragged"

    def __init__(self, flat_values: Any, nested_row_splits: Sequence[Any]) -> None:
        self._flat_values = flat_values
        if not isinstance(nested_row_splits, (list, tuple)):
            raise ArgumentTypeError(f"RaggedTensor: nested_row_splits is a list of row splits, not {nested_row_splits!r}")
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
        if not is_symbolic(values, row_splits):
            values = _values("from_row_splits", "values", values)
            row_splits = _whole_numbers("from_row_splits", "row_splits", row_splits)
        return RaggedTensor.from_nested_row_splits(values, (row_splits, *inner))

    @staticmethod
    def from_nested_row_splits(
        flat_values: Any, nested_row_splits: Sequence[Any], name: str | None = None, validate: bool = True
    ) -> RaggedTensor:
        """As :meth:`from_row_splits`, for several ragged dimensions, the outermost first.

        >>> import feedline as fl
        >>> fl.RaggedTensor.from_nested_row_splits([1, 2, 3], [[0, 2, 2, 3]])
        <fl.RaggedTensor [[1, 2], [], [3]]>
        """
        if is_symbolic(flat_values, *nested_row_splits):
            made = _ragged_ops.from_nested_row_splits(flat_values, [_int64(splits) for splits in nested_row_splits])
            assert isinstance(made, RaggedTensor)
            return made
        values = _values("from_nested_row_splits", "flat_values", flat_values)
        nested = [_whole_numbers("from_nested_row_splits", "nested_row_splits", splits) for splits in nested_row_splits]
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
        if is_symbolic(values, row_lengths):
            made = _ragged_ops.from_row_lengths(values, row_lengths)
            assert isinstance(made, RaggedTensor)
            return made
        lengths = _whole_numbers("from_row_lengths", "row_lengths", row_lengths)
        return RaggedTensor.from_row_splits(values, np.concatenate([[0], np.cumsum(lengths)]))

    @staticmethod
    def from_value_rowids(
        values: Any, value_rowids: Any, nrows: Any = None, name: str | None = None, validate: bool = True
    ) -> RaggedTensor:
        """Rows of ``values``: of each, in which row it is; these numbers do not fall. There are as many rows as the last says, or ``nrows``.

        >>> import feedline as fl
        >>> fl.RaggedTensor.from_value_rowids([3, 1, 4, 1], [0, 0, 2, 2], nrows=4)
        <fl.RaggedTensor [[3, 1], [], [4, 1], []]>
        """
        rows = _ops.cast(value_rowids, "int64")
        message = "from_value_rowids: value_rowids fall"
        rows = _native.after(rows, [_ops.assert_less_equal(rows[:-1], rows[1:], message)])
        count = _ops.reduce_max(_ops.concat([rows, np.asarray([-1])], 0)) + 1 if nrows is None else _ops.cast(nrows, "int64")
        splits = _ops.searchsorted(rows, _ops.range(np.int64(0), count + 1, np.int64(1)), side="left", out_type="int64")
        return _rows(values, splits, value_rowids, nrows)

    @staticmethod
    def from_row_starts(values: Any, row_starts: Any, name: str | None = None, validate: bool = True) -> RaggedTensor:
        """Rows of ``values``, of which each begins at a place of ``row_starts`` and ends where the next begins.

        >>> import feedline as fl
        >>> fl.RaggedTensor.from_row_starts([3, 1, 4, 1], [0, 3, 3])
        <fl.RaggedTensor [[3, 1, 4], [], [1]]>
        """
        end = _ops.expand_dims(_num_values(values), 0)
        return _rows(values, _ops.concat([_ops.cast(row_starts, "int64"), end], 0), row_starts)

    @staticmethod
    def from_row_limits(values: Any, row_limits: Any, name: str | None = None, validate: bool = True) -> RaggedTensor:
        """Rows of ``values``, of which each ends at a place of ``row_limits`` and begins where the one before ends.

        >>> import feedline as fl
        >>> fl.RaggedTensor.from_row_limits([3, 1, 4, 1], [3, 3, 4])
        <fl.RaggedTensor [[3, 1, 4], [], [1]]>
        """
        return _rows(values, _ops.concat([np.asarray([0]), _ops.cast(row_limits, "int64")], 0), row_limits)

    @staticmethod
    def from_uniform_row_length(
        values: Any, uniform_row_length: Any, nrows: Any = None, validate: bool = True, name: str | None = None
    ) -> RaggedTensor:
        """Rows of ``values`` that are all as long; ``nrows`` says how many there are where they have no values.

        >>> import feedline as fl
        >>> fl.RaggedTensor.from_uniform_row_length([3, 1, 4, 1], 2)
        <fl.RaggedTensor [[3, 1], [4, 1]]>
        """
        length = _ops.cast(uniform_row_length, "int64")
        count = _ops.floordiv(_num_values(values), length) if nrows is None else _ops.cast(nrows, "int64")
        return _rows(values, _ops.range(np.int64(0), count + 1, np.int64(1)) * length, uniform_row_length, nrows)

    @staticmethod
    def from_tensor(
        tensor: Any,
        lengths: Any = None,
        padding: Any = None,
        ragged_rank: int = 1,
        name: str | None = None,
        row_splits_dtype: DTypeLike = "int64",
    ) -> RaggedTensor:
        """The rows of a plain tensor: of the ``lengths`` given, or without the ``padding`` that they end with, or whole.

        >>> import feedline as fl
        >>> fl.RaggedTensor.from_tensor([[3, 1, 0], [0, 0, 0], [4, 0, 1]], padding=0)
        <fl.RaggedTensor [[3, 1], [], [4, 0, 1]]>
        """
        if as_dtype(row_splits_dtype) != as_dtype("int64"):
            raise ArgumentError("from_tensor: row_splits_dtype is int64: row splits are")
        if lengths is not None and padding is not None:
            raise ArgumentError("from_tensor: give one of lengths and padding")
        dense = convert_to_tensor(tensor)
        shape = dense.shape
        if shape is None or not 1 <= ragged_rank < len(shape):
            raise ArgumentError(f"from_tensor: ragged_rank is {ragged_rank}, of a tensor of shape {shape}")
        if ragged_rank > 1 and (lengths is not None or padding is not None):
            raise ArgumentError("from_tensor: lengths and padding are for a ragged_rank of 1")
        sizes, given = _ops.shape(dense, "int64"), lengths
        if padding is not None:
            kept = _ops.not_equal(dense, padding)
            if len(shape) > 2:
                kept = _ops.reduce_any(kept, list(range(2, len(shape))))
            places = _ops.range(np.int64(1), sizes[1] + 1, np.int64(1))
            lengths = _ops.reduce_max(_ops.where(kept, places, np.int64(0)), 1)
        if lengths is not None:
            counts = _ops.minimum(_ops.cast(lengths, "int64"), sizes[1])
            mask = _ops.less(_ops.range(np.int64(0), sizes[1], np.int64(1)), _ops.expand_dims(counts, -1))
            made = _ragged_ops.from_row_lengths(_ops.boolean_mask(dense, mask), counts)
        else:
            splits, count = [], sizes[0]
            for dim in range(1, ragged_rank + 1):
                splits.append(_ops.range(np.int64(0), count + 1, np.int64(1)) * sizes[dim])
                count = count * sizes[dim]
            inner = [-1 if size is None else size for size in shape[ragged_rank + 1 :]]
            if -1 in inner:
                values = _ops.reshape_to(dense, _ops.concat([np.asarray([-1]), sizes[ragged_rank + 1 :]], 0))
            else:
                values = _ops.reshape(dense, [-1, *inner])
            made = _ragged_ops.from_nested_row_splits(values, splits)
        result = computed(made, tensor, given)
        assert isinstance(result, RaggedTensor)
        return result

    @staticmethod
    def from_sparse(st_input: SparseTensor, name: str | None = None, row_splits_dtype: DTypeLike = "int64") -> RaggedTensor:
        """The rows of a sparse tensor of two dimensions, whose values stand at the beginning of each row, without gaps.

        >>> import feedline as fl
        >>> fl.RaggedTensor.from_sparse(fl.SparseTensor([[0, 0], [0, 1], [2, 0]], [3, 1, 4], [3, 5]))
        <fl.RaggedTensor [[3, 1], [], [4]]>
        """
        if as_dtype(row_splits_dtype) != as_dtype("int64"):
            raise ArgumentError("from_sparse: row_splits_dtype is int64: row splits are")
        if not isinstance(st_input, SparseTensor):
            raise ArgumentError(f"from_sparse: st_input is a fl.SparseTensor, not {st_input!r}")
        indices, values, dense_shape = (convert_to_tensor(part) for part in st_input.parts())
        rows = indices[:, 0]
        splits = _ops.searchsorted(rows, _ops.range(np.int64(0), dense_shape[0] + 1, np.int64(1)), side="left", out_type="int64")
        places = _ops.range(np.int64(0), _ops.size(rows, "int64"), np.int64(1)) - _ops.gather(splits, rows)
        message = "from_sparse: values do not stand at the beginning of their rows, without gaps"
        check = _ops.assert_equal(indices[:, 1], places, message)
        made = _ragged_ops.from_nested_row_splits(_native.after(values, [check]), [splits])
        result = computed(made, st_input)
        assert isinstance(result, RaggedTensor)
        return result

    def parts(self) -> list[Any]:
        """The values, then the splits from the outermost.

        >>> import feedline as fl
        >>> fl.ragged.constant([[1, 2], [3]]).parts()
        [array([1, 2, 3], dtype=int32), array([0, 2, 3])]
        """
        return [self._flat_values, *self._nested_row_splits]

    @property
    def flat_values(self) -> Any:
        """The values of all rows.

        >>> import feedline as fl
        >>> fl.ragged.constant([[[1], [2, 3]], [[4]]]).flat_values
        array([1, 2, 3, 4], dtype=int32)
        """
        return self._flat_values

    @property
    def nested_row_splits(self) -> tuple[Any, ...]:
        """Where the rows of each ragged dimension begin and the last ends, the outermost first.

        >>> import feedline as fl
        >>> fl.ragged.constant([[[1], [2, 3]], [[4]]]).nested_row_splits
        (array([0, 2, 3]), array([0, 1, 3, 4]))
        """
        return self._nested_row_splits

    @property
    def row_splits(self) -> Any:
        """Where the rows begin and the last one ends.

        >>> import feedline as fl
        >>> fl.ragged.constant([[1, 2], [], [3]]).row_splits
        array([0, 2, 2, 3])
        """
        return self._nested_row_splits[0]

    @property
    def values(self) -> Any:
        """What the rows are rows of: ragged itself where there are more ragged dimensions.

        >>> import feedline as fl
        >>> fl.ragged.constant([[[1], [2, 3]], [[4]]]).values
        <fl.RaggedTensor [[1], [2, 3], [4]]>
        """
        inner = self._nested_row_splits[1:]
        return RaggedTensor(self._flat_values, inner) if inner else self._flat_values

    @property
    def ragged_rank(self) -> int:
        """How many dimensions are ragged.

        >>> import feedline as fl
        >>> fl.ragged.constant([[[1], [2, 3]], [[4]]]).ragged_rank
        2
        """
        return len(self._nested_row_splits)

    @property
    def dtype(self) -> DType:
        """The type of the values.

        >>> import feedline as fl
        >>> fl.RaggedTensor.from_row_splits([1.5, 2.5, 3.5], [0, 1, 3]).dtype
        fl.float32
        """
        return as_dtype(self._flat_values.dtype if self._flat_values.dtype != object else "string")

    @property
    def shape(self) -> tuple[int | None, ...]:
        """The number of rows, ``None`` for each ragged dimension, and the shape of a value.

        >>> import feedline as fl
        >>> fl.ragged.constant([[1, 2], [], [3]]).shape
        (3, None)
        """
        splits = self._nested_row_splits[0].shape[0]
        inner = tuple(self._flat_values.shape[1:])
        return (None if splits is None else splits - 1, *[None] * self.ragged_rank, *inner)

    def nrows(self, out_type: DTypeLike | None = None, name: str | None = None) -> Any:
        """The number of rows, as ``out_type`` or int64.

        >>> import feedline as fl
        >>> fl.ragged.constant([[1, 2], [], [3]]).nrows()
        3
        """
        kind = as_dtype("int64" if out_type is None else out_type)
        if is_symbolic(self.row_splits):
            from . import _ops

            return _ops.cast(_ops.size(self.row_splits, "int64") - 1, kind)
        count = len(self.row_splits) - 1
        return count if out_type is None else kind.as_numpy_dtype(count)

    def row_lengths(self, axis: int = 1, name: str | None = None) -> Any:
        """How long each row is: of the rows of dimension ``axis``, which is a ragged one, or 0 for the number of rows.

        >>> import feedline as fl
        >>> fl.RaggedTensor.from_row_splits([3, 1, 4, 1], [0, 3, 3, 4]).row_lengths()
        array([3, 0, 1])
        >>> fl.ragged.constant([[[1, 2], []], [], [[3]]]).row_lengths(axis=2)
        <fl.RaggedTensor [[2, 0], [], [1]]>
        """
        place = axis + len(self.shape) if axis < 0 else axis
        if not 0 <= place <= self.ragged_rank:
            raise ArgumentError(f"row_lengths: axis is {axis}; it is from 0 to {self.ragged_rank}, a ragged dimension")
        if place == 0:
            return self.nrows()
        lengths = self._nested_row_splits[place - 1]
        lengths = lengths[1:] - lengths[:-1]
        return lengths if place == 1 else RaggedTensor(lengths, self._nested_row_splits[: place - 1])

    def row_starts(self, name: str | None = None) -> Any:
        """Where each row begins.

        >>> import feedline as fl
        >>> fl.ragged.constant([[1, 2], [], [3]]).row_starts()
        array([0, 2, 2])
        """
        return self.row_splits[:-1]

    def row_limits(self, name: str | None = None) -> Any:
        """Where each row ends.

        >>> import feedline as fl
        >>> fl.ragged.constant([[1, 2], [], [3]]).row_limits()
        array([2, 2, 3])
        """
        return self.row_splits[1:]

    def value_rowids(self, name: str | None = None) -> Any:
        """In which row each value of the first ragged dimension is.

        >>> import feedline as fl
        >>> fl.ragged.constant([[1, 2], [], [3]]).value_rowids()
        array([0, 0, 2])
        """
        lengths = self.row_lengths()
        if is_symbolic(self):
            return _ops.repeat(_ops.range(np.int64(0), self.nrows(), np.int64(1)), lengths, 0)
        return np.repeat(np.arange(len(self)), lengths)

    def bounding_shape(self, axis: Any = None, name: str | None = None, out_type: DTypeLike | None = None) -> Any:
        """The shape of the plain tensor that holds all of it, or its size along ``axis``.

        >>> import feedline as fl
        >>> fl.ragged.constant([[1, 2], [], [3]]).bounding_shape()
        array([3, 2])
        """
        longest = [_ops.reduce_max(_ops.concat([splits[1:] - splits[:-1], np.asarray([0])], 0)) for splits in self._nested_row_splits]
        inner = _ops.shape(convert_to_tensor(self._flat_values), "int64")[1:]
        outer = _ops.stack([_ops.cast(self.nrows("int64"), "int64"), *longest])
        shape = _ops.cast(_ops.concat([outer, inner], 0), "int64" if out_type is None else out_type)
        return computed(shape if axis is None else _ops.gather(shape, axis), self, axis)

    def with_values(self, new_values: Any) -> RaggedTensor:
        """The same rows of other values, which are ragged themselves where those of this are.

        >>> import feedline as fl
        >>> fl.ragged.constant([[1, 2], [], [3]]).with_values(fl.ragged.constant([[7], [], [8, 9]]))
        <fl.RaggedTensor [[[7], []], [], [[8, 9]]]>
        """
        return RaggedTensor.from_row_splits(new_values, self.row_splits)

    def with_flat_values(self, new_values: Any) -> RaggedTensor:
        """The same rows of other values.

        >>> import feedline as fl
        >>> fl.ragged.constant([[1, 2], [], [3]]).with_flat_values([7, 8, 9])
        <fl.RaggedTensor [[7, 8], [], [9]]>
        """
        values = new_values if isinstance(new_values, Tensor) else plain_array(new_values)
        return RaggedTensor(values, self._nested_row_splits)

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
        if is_symbolic(self._flat_values):
            if convert_to_tensor(default_value).shape != ():
                return self._filled_up(default_value, shape)
            sizes = None if shape is None else [-1 if size is None else int(size) for size in _sizes(shape)]
            return _ragged_ops.to_tensor(self._flat_values, default_value, list(self._nested_row_splits), shape=sizes)
        return _padded(self, default_value, None if shape is None else list(_sizes(shape)))

    def _filled_up(self, default_value: Any, shape: ShapeLike) -> Any:
        """As :meth:`to_tensor`, where what fills is not one number but as large as what stands at a place."""
        inner = convert_to_tensor(self._flat_values).shape
        if inner is None:
            raise ArgumentError("to_tensor: default_value is one value where it is not known how many dimensions the values have")
        sizes = None if shape is None else list(_sizes(shape))[: self.ragged_rank + 1]
        flags = _ops.fill(_ops.shape(self._flat_values)[:1], True)
        kept = self.with_flat_values(flags).to_tensor(False, None, sizes)
        for _ in inner[1:]:
            kept = _ops.expand_dims(kept, -1)
        return _ops.where(kept, self.to_tensor(None, None, sizes), convert_to_tensor(default_value, dtype_hint=self.dtype))

    def to_sparse(self, name: str | None = None) -> SparseTensor:
        """A sparse tensor that keeps every value that is in a row, also those that are 0.

        >>> import feedline as fl
        >>> fl.RaggedTensor.from_row_splits([3, 0, 4, 1], [0, 3, 3, 4]).to_sparse()
        SparseTensor(indices=[[0, 0], [0, 1], [0, 2], [2, 0]], values=[3, 0, 4, 1], dense_shape=[3, 3])
        """
        if is_symbolic(self._flat_values):
            made = _ragged_ops.to_sparse(self._flat_values, list(self._nested_row_splits))
            assert isinstance(made, SparseTensor)
            return made
        kept = _padded(self.with_flat_values(np.ones(self._flat_values.shape, dtype=np.bool_)), False, None)
        return SparseTensor(np.argwhere(kept), self._flat_values.reshape(-1), kept.shape)

    def to_list(self) -> list[Any]:
        """Lists of lists.

        >>> import feedline as fl
        >>> fl.ragged.constant([[1, 2], [], [3]]).to_list()
        [[1, 2], [], [3]]
        """
        values = self.values
        items = values.to_list() if isinstance(values, RaggedTensor) else values.tolist()
        return [items[begin:end] for begin, end in zip(self.row_splits[:-1], self.row_splits[1:], strict=True)]

    def __len__(self) -> int:
        return len(self.row_splits) - 1

    def __iter__(self) -> Iterator[Any]:
        if is_symbolic(self):
            raise refusal("iter")
        return (self[number] for number in range(len(self)))

    def __getitem__(self, index: Any) -> Any:
        """Row ``index``; or rows, and parts of rows, by Python's rules."""
        if is_symbolic(self) or not hasattr(index, "__index__") or isinstance(index, Tensor):
            return item(self, index)
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
        if is_symbolic(self._flat_values):
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


def _values(what: str, argument: str, values: Any) -> np.ndarray[Any, Any]:
    try:
        return plain_array(values)
    except SchemaError as error:
        raise ArgumentTypeError(f"{what}: {argument}: {error}") from None


def _whole_numbers(what: str, argument: str, numbers: Any) -> np.ndarray[Any, Any]:
    array = _values(what, argument, numbers)
    if array.ndim != 1 or (array.size and array.dtype.kind not in "iu"):
        raise ArgumentTypeError(f"{what}: {argument} is a list of whole numbers, not {numbers!r}")
    return array.astype(np.int64)


def _rows(values: Any, splits: Any, *given: Any) -> RaggedTensor:
    """The ragged tensor with these splits, which were computed of what was ``given``."""
    inner = values.nested_row_splits if isinstance(values, RaggedTensor) else ()
    flat = values.flat_values if isinstance(values, RaggedTensor) else values
    made = computed(_ragged_ops.from_nested_row_splits(flat, [splits, *map(_int64, inner)]), values, *given)
    assert isinstance(made, RaggedTensor)
    return made


def _num_values(values: Any) -> Any:
    """How many values, or rows, there are to be put in rows."""
    if isinstance(values, RaggedTensor):
        return _ops.cast(values.nrows("int64"), "int64")
    return _ops.shape(convert_to_tensor(values), "int64")[0]


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
        shape: Sequence[int | None] | None = None,
        dtype: DTypeLike = "float32",
        ragged_rank: int | None = None,
        row_splits_dtype: DTypeLike = "int64",
        flat_values_spec: None = None,
    ) -> None:
        if shape is None:
            raise ArgumentError("RaggedTensorSpec: shape must be given\nhint: [None, None] is any number of rows of any length")
        if flat_values_spec is not None:
            raise ArgumentError("RaggedTensorSpec: there are no flat_values_spec: shape and dtype say what the values are")
        self._shape = tuple(shape_of("RaggedTensorSpec", shape) or ())
        self._dtype = as_dtype(dtype)
        self._ragged_rank = len(self._shape) - 1 if ragged_rank is None else ragged_rank
        if not 0 <= self._ragged_rank < len(self._shape):
            raise ArgumentError(f"RaggedTensorSpec: ragged_rank is from 0 to {len(self._shape) - 1}, not {ragged_rank}")
        if as_dtype(row_splits_dtype) != as_dtype("int64"):
            raise ArgumentError("RaggedTensorSpec: row_splits are int64")

    @staticmethod
    def of_parts(parts: Sequence[TensorSpec]) -> RaggedTensorSpec:
        """The spec of a tensor whose parts have these.

        >>> import feedline as fl
        >>> fl.RaggedTensorSpec.of_parts(fl.RaggedTensorSpec([4, None], fl.int32).parts())
        RaggedTensorSpec(shape=(4, None), dtype=fl.int32, ragged_rank=1)
        """
        values, splits = parts[0], parts[1:]
        if not splits:
            return RaggedTensorSpec(values.shape or [None], values.dtype, 0)
        outer = splits[0].shape[0] if splits[0].shape else None
        inner = values.shape[1:] if values.shape else ()
        rows = None if outer is None else outer - 1
        return RaggedTensorSpec((rows, *[None] * len(splits), *inner), values.dtype, len(splits))

    def parts(self) -> list[Any]:
        """The specs of the parts.

        >>> import feedline as fl
        >>> fl.RaggedTensorSpec([4, None], fl.int32).parts()
        [TensorSpec(shape=(None,), dtype=fl.int32), TensorSpec(shape=(5,), dtype=fl.int64)]
        """
        rank = self._ragged_rank
        splits: list[TensorSpec] = []
        rows: int | None = 1
        for dim in self._shape[:rank]:
            rows = None if rows is None or dim is None else rows * dim
            splits.append(TensorSpec([None if rows is None else rows + 1], "int64"))
        return [TensorSpec([None, *self._shape[rank + 1 :]], self._dtype), *splits]

    @property
    def shape(self) -> tuple[int | None, ...]:
        """The size of each dimension, ``None`` where it is ragged or unknown.

        >>> import feedline as fl
        >>> fl.RaggedTensorSpec([4, None], fl.int32).shape
        (4, None)
        """
        return self._shape

    @property
    def dtype(self) -> DType:
        """The type of the values.

        >>> import feedline as fl
        >>> fl.RaggedTensorSpec([4, None], fl.int32).dtype
        fl.int32
        """
        return self._dtype

    @property
    def ragged_rank(self) -> int:
        """How many dimensions are ragged.

        >>> import feedline as fl
        >>> fl.RaggedTensorSpec([None, None, 3], fl.int32, ragged_rank=1).ragged_rank
        1
        """
        return self._ragged_rank

    def __eq__(self, other: object) -> bool:
        return isinstance(other, RaggedTensorSpec) and repr(self) == repr(other)

    def __hash__(self) -> int:
        return hash((self._shape, self._dtype, self._ragged_rank))

    def __repr__(self) -> str:
        return f"RaggedTensorSpec(shape={self._shape}, dtype={self._dtype!r}, ragged_rank={self._ragged_rank})"
