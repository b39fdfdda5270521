"""Hand-over to JAX, and the two inputs of the old TensorFlow guide."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._dataset import Dataset


def mapped(function: Any, element: Any) -> Any:
    """The structure with ``function`` of each leaf."""
    if isinstance(element, tuple):
        parts = [mapped(function, part) for part in element]
        return type(element)(*parts) if hasattr(element, "_fields") else tuple(parts)
    if isinstance(element, dict):
        return {key: mapped(function, part) for key, part in element.items()}
    return function(element)


def jax_elements(dataset: Dataset, device: Any) -> Iterator[Any]:
    """Elements as JAX's arrays; strings, which it has none of, stay numpy's."""
    import jax

    def handed_over(leaf: Any) -> Any:
        if isinstance(leaf, bytes) or leaf.dtype == object:
            return leaf
        # Not jax.numpy.asarray: that copies, while this takes memory that is aligned, as that of batches is, as it is.
        return jax.device_put(leaf, device)

    return (mapped(handed_over, element) for element in dataset)


def numpy_input(
    x: Any,
    y: Any = None,
    batch_size: int = 128,
    shuffle: bool = True,
    num_epochs: int | None = 1,
    *,
    seed: int | None = None,
) -> Dataset:
    """Batches of the rows of ``x``, or of pairs of those of ``x`` and ``y``: arrays, and tuples and dicts of them.

    >>> import feedline as fl, numpy as np
    >>> for features, labels in fl.numpy_input({"a": np.arange(4)}, np.arange(4) * 10, batch_size=3, shuffle=False):
    ...     print(features["a"], labels)
    [0 1 2] [ 0 10 20]
    [3] [30]
    """
    from ._dataset import Dataset

    rows = Dataset.from_tensor_slices(x if y is None else (x, y))
    if shuffle:
        rows = rows.global_shuffle(seed)
    return rows.repeat(num_epochs).batch(batch_size)


def pandas_input(
    df: Any,
    target: str | None = None,
    batch_size: int = 128,
    shuffle: bool = True,
    num_epochs: int | None = 1,
    *,
    seed: int | None = None,
) -> Dataset:
    """Batches of the rows of a data frame as a dict of its columns; with ``target``, as pairs of the others and that one."""
    columns = {str(name): df[name] for name in df.columns}
    labels = None if target is None else columns.pop(target)
    return numpy_input(columns, labels, batch_size, shuffle, num_epochs, seed=seed)
