"""Elements put together, and taken apart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _native, _ops
from ._arguments import Values, naming, parallel_calls, positive, whole
from ._checking import checks_arguments, known_argument, known_values
from ._dtypes import DTypeLike, as_dtype
from ._errors import ArgumentError, ArgumentTypeError, SchemaError
from ._native import Tensor
from ._ragged import RaggedTensor
from ._sparse import SparseTensor
from ._spec import TensorSpec
from ._steps import Steps
from ._tracing import note_check

if TYPE_CHECKING:
    from ._dataset import Dataset


@checks_arguments
class Batching(Steps):
    """The methods of a dataset that make elements of several."""

    def batch(
        self,
        batch_size: int,
        drop_remainder: bool = False,
        num_parallel_calls: int | None = None,
        deterministic: bool | None = None,
        name: str | None = None,
    ) -> Dataset:
        """Every ``batch_size`` elements as one; the last may be smaller unless ``drop_remainder``. They are made on all cores and come in
        order, whatever ``num_parallel_calls`` and ``deterministic`` say.

        >>> import feedline as fl
        >>> list(fl.Dataset.range(5).batch(3))
        [array([0, 1, 2]), array([3, 4])]
        """
        parallel_calls("batch", num_parallel_calls)
        return self._with(self._inner.batch(positive("batch", "batch_size", batch_size), drop_remainder))

    def unbatch(self, name: str | None = None) -> Dataset:
        """The slices of each element along its first dimension, as elements.

        >>> import feedline as fl
        >>> [int(x) for x in fl.Dataset.from_tensor_slices([[1, 2], [3, 4]]).unbatch()]
        [1, 2, 3, 4]
        """
        return self._with(self._inner.unbatch())

    def padded_batch(
        self,
        batch_size: int,
        padded_shapes: Any = None,
        padding_values: Values | None = None,
        drop_remainder: bool = False,
        name: str | None = None,
    ) -> Dataset:
        """Every ``batch_size`` elements as one, filled up to ``padded_shapes``: one for each tensor, with ``None`` for what becomes as long as
        the longest in its batch, which is the usual for dimensions that are not known. What fills are zeros, empty strings or ``False``
        unless ``padding_values`` says otherwise: a value for each tensor, or one for all.

        >>> import feedline as fl
        >>> ds = fl.Dataset.from_tensor_slices(["a", "bcd"]).map(lambda s: fl.io.decode_raw(s, fl.uint8))
        >>> next(iter(ds.padded_batch(2)))
        array([[ 97,   0,   0],
               [ 98,  99, 100]], dtype=uint8)
        """
        size = positive("padded_batch", "batch_size", batch_size)
        shapes = None if padded_shapes is None else shapes_of("padded_batch", padded_shapes)
        values = padding_values_of("padded_batch", padding_values)
        with naming("padded_batch", "padding_values"):
            return self._with(self._inner.padded_batch(size, shapes, values, drop_remainder))

    def ragged_batch(
        self,
        batch_size: int,
        drop_remainder: bool = False,
        row_splits_dtype: DTypeLike = "int64",
        name: str | None = None,
    ) -> Dataset:
        """Every ``batch_size`` elements as one: tensors of a fixed shape side by side, others as ragged tensors, whose dimensions are ragged up to the last
        that is not known.

        >>> import feedline as fl
        >>> ds = fl.Dataset.from_tensor_slices(["a", "bcd"]).map(lambda s: fl.io.decode_raw(s, fl.uint8))
        >>> next(iter(ds.ragged_batch(2))).to_list()
        [[97], [98, 99, 100]]
        """
        if as_dtype(row_splits_dtype) != as_dtype("int64"):
            raise ArgumentError(f"ragged_batch: row_splits_dtype is int64, not {row_splits_dtype!r}")
        size = positive("ragged_batch", "batch_size", batch_size)
        return self._with(_native.ragged_batch(self._inner, size, drop_remainder))

    def dense_to_ragged_batch(
        self,
        batch_size: int,
        drop_remainder: bool = False,
        row_splits_dtype: DTypeLike = "int64",
        name: str | None = None,
    ) -> Dataset:
        """As :meth:`ragged_batch`, under the name that ``tf.data.experimental`` has for it.

        >>> import feedline as fl
        >>> ds = fl.Dataset.range(1, 4).map(lambda n: fl.fill([n], n))
        >>> next(iter(ds.dense_to_ragged_batch(3)))
        <fl.RaggedTensor [[1], [2, 2], [3, 3, 3]]>
        """
        return self.ragged_batch(batch_size, drop_remainder, row_splits_dtype, name)

    def sparse_batch(self, batch_size: int, row_shape: Any, name: str | None = None) -> Dataset:
        """Every ``batch_size`` elements as one sparse tensor that keeps all their values, and has room for ``row_shape`` in each row: an element may be smaller,
        and where ``row_shape`` has ``None`` there is room for the largest. As ``tf.data.experimental.dense_to_sparse_batch``.

        >>> import feedline as fl
        >>> ds = fl.Dataset.range(1, 3).map(lambda n: fl.fill([n], n))
        >>> next(iter(ds.sparse_batch(2, [4])))
        SparseTensor(indices=[[0, 0], [1, 0], [1, 1]], values=[1, 2, 2], dense_shape=[2, 4])
        """
        room = _room("sparse_batch", row_shape)
        spec = self.element_spec  # type: ignore[attr-defined]
        if not isinstance(spec, TensorSpec) or spec.shape is None or len(spec.shape) != len(room):
            raise SchemaError(f"sparse_batch: elements are {spec}, and row_shape has {len(room)} dimensions: elements are one tensor with as many")

        def with_room(batch: Any) -> Any:
            kept = batch.to_sparse() if isinstance(batch, RaggedTensor) else _kept(batch)
            indices, values, dense_shape = kept.parts()
            needed = dense_shape[1:]
            wanted = _ops.where([size is None for size in room], needed, np.asarray([size or 0 for size in room], np.int64))
            checked = note_check(_ops.assert_less_equal(needed, wanted, "sparse_batch: an element is larger than row_shape"))
            return SparseTensor(indices, values, _ops.concat([dense_shape[:1], wanted + (checked - checked)], 0))

        return self.ragged_batch(batch_size).map(with_room)

    def rebatch(
        self, batch_size: int | Sequence[int], drop_remainder: bool = False, name: str | None = None
    ) -> Dataset:
        """The elements of batches in batches of another size, or of several in turn, of which some may be 0.

        >>> import feedline as fl
        >>> list(fl.Dataset.range(6).batch(3).rebatch([1, 3]))
        [array([0]), array([1, 2, 3]), array([4]), array([5])]
        """
        if np.ndim(batch_size) == 0:
            return self._with(self._inner.rebatch([positive("rebatch", "batch_size", batch_size)], drop_remainder))
        several: Any = batch_size
        sizes = [whole("rebatch", "batch_size", size) for size in several]
        if any(size < 0 for size in sizes) or not any(sizes):
            raise ArgumentError(f"rebatch: batch_size must be numbers from 0, and not all 0, not {batch_size!r}")
        return self._with(self._inner.rebatch(sizes, drop_remainder))


def _room(what: str, row_shape: Any) -> list[int | None]:
    try:
        return [None if size in (None, -1) else positive(what, "row_shape", size) for size in row_shape]
    except TypeError:
        raise ArgumentTypeError(f"{what}: row_shape is a shape, numbers and None, not {row_shape!r}") from None


def _kept(batch: Any) -> Any:
    """A plain tensor as a sparse one that keeps all values, also those that are 0."""
    from . import _ragged_ops

    return _ragged_ops.to_sparse(batch, [])


def shapes_of(what: str, shapes: Any) -> Any:
    """Shapes as the engine has them. A list or a tuple of numbers is one; others hold shapes."""
    if isinstance(shapes, dict):
        return {key: shapes_of(what, shape) for key, shape in shapes.items()}
    if isinstance(shapes, TensorSpec):
        return shapes
    shapes = known_values(shapes) if isinstance(shapes, Tensor) else shapes
    try:
        dims = list(shapes)
    except TypeError:
        raise ArgumentError(f"{what}: padded_shapes is a shape for each tensor, not {shapes!r}") from None
    if isinstance(shapes, tuple) and any(not _is_dim(dim) for dim in dims):
        return tuple(shapes_of(what, shape) for shape in dims)
    if getattr(shapes, "ndim", 1) != 1 or not all(_is_dim(dim) for dim in dims):
        raise ArgumentError(f"{what}: {shapes!r} in padded_shapes is no shape: numbers, and None for the longest")
    return TensorSpec(dims)


def _is_dim(value: Any) -> bool:
    return value is None or hasattr(value, "__index__")


def padding_values_of(what: str, values: Any) -> Any:
    """Values as the engine has them."""
    if isinstance(values, tuple):
        return tuple(padding_values_of(what, value) for value in values)
    if isinstance(values, dict):
        return {key: padding_values_of(what, value) for key, value in values.items()}
    return known_argument(what, "padding_values", values)
