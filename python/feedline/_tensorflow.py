"""Elements as those of a ``tf.data.Dataset``, in the memory they are in."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import tensorflow as tf

from ._convert import writable_view
from ._dataset import UNKNOWN_CARDINALITY
from ._interop import check_plain, mapped
from ._spec import TensorSpec

if TYPE_CHECKING:
    from ._dataset import Dataset

#: TensorFlow computes with memory that begins at such an address.
_ALIGNMENT = 64


def tf_dataset(dataset: Dataset) -> Any:
    """The same elements as a ``tf.data.Dataset``.

    A generator of TensorFlow's copies what it yields. So it yields a number for each element, and the element itself is taken from here, as
    tensors, by a function behind it. When an iteration ends, or is dropped, TensorFlow closes its generator.
    """
    specs: list[TensorSpec] = []

    check_plain("to_tf", dataset)

    def noted(spec: TensorSpec) -> int:
        specs.append(spec)
        return len(specs) - 1

    places = mapped(noted, dataset.element_spec)
    numbers = itertools.count()
    waiting: dict[int, Any] = {}

    def elements() -> Iterator[int]:
        number = -1
        try:
            for element in dataset:
                number = next(numbers)
                waiting[number] = element
                yield number
        finally:
            waiting.pop(number, None)

    def taken(number: Any) -> list[Any]:
        leaves: list[Any] = []
        mapped(leaves.append, waiting.pop(int(number)))
        return [_tensor(leaf) for leaf in leaves]

    def element(number: Any) -> Any:
        tensors = tf.py_function(taken, [number], [_dtype(spec) for spec in specs])
        for tensor, spec in zip(tensors, specs, strict=True):
            tensor.set_shape(spec.shape)
        return mapped(lambda place: tensors[place], places)

    converted = tf.data.Dataset.from_generator(elements, output_signature=tf.TensorSpec([], tf.int64)).map(element)
    count = dataset.cardinality()
    # Of a generator it is unknown anyway, and to assert that it is would be to assert a number.
    return converted if count == UNKNOWN_CARDINALITY else converted.apply(tf.data.experimental.assert_cardinality(count))


def _dtype(spec: TensorSpec) -> Any:
    return tf.as_dtype(spec.dtype.name)


def _tensor(leaf: Any) -> Any:
    """The array as a tensor over the same memory, where TensorFlow can compute with it there."""
    if isinstance(leaf, bytes):
        return tf.constant(leaf)
    array = np.asarray(leaf)
    if array.dtype == object or array.size == 0 or array.ctypes.data % _ALIGNMENT or not array.flags.c_contiguous:
        return tf.constant(array)
    try:
        return tf.experimental.dlpack.from_dlpack(writable_view(array).__dlpack__())
    except (BufferError, RuntimeError, TypeError, tf.errors.InvalidArgumentError):  # a type that DLPack has not
        return tf.constant(array)
