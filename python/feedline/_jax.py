"""Datasets for JAX. Imported only when used: it is no dependency."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import jax
import numpy as np

from ._errors import InvalidValueError
from ._interop import HandedOver, check_plain
from ._structure import leaves_of
from ._tracing import _level_of_user

if TYPE_CHECKING:
    from ._dataset import Dataset


#: What JAX makes of whole numbers unless it was told to keep 64 bits. Values that do not fit it would change.
_NARROWED: dict[str, type[np.integer[Any]]] = {"int64": np.int32, "uint64": np.uint32}

_KEEPS = 'jax.config.update("jax_enable_x64", True) keeps 64 bits'


class JaxDataset(HandedOver):
    """A dataset whose elements are JAX's arrays, over the engine's memory where they stay on the CPU; strings, which JAX has none of, stay
    numpy's."""

    def __init__(self, dataset: Dataset, device: Any) -> None:
        check_plain("to_jax", dataset)
        super().__init__(dataset)
        self._device = device
        if not jax.config.jax_enable_x64 and any(spec.dtype.name == "float64" for spec in leaves_of(dataset.element_spec)):
            warnings.warn(f"to_jax: float64 becomes float32\nhint: fl.cast says so in the pipeline; {_KEEPS}", stacklevel=_level_of_user())

    def _handed_over(self, leaf: Any) -> Any:
        if isinstance(leaf, bytes) or leaf.dtype == object:
            return leaf
        if leaf.dtype.name in _NARROWED and not jax.config.jax_enable_x64:
            _check_fits(leaf, _NARROWED[leaf.dtype.name])
        # Not jax.numpy.asarray: that copies, while this takes memory that is aligned, as that of batches is, as it is. JAX never writes to it.
        return jax.device_put(leaf, self._device)


def _check_fits(leaf: Any, kind: type[np.integer[Any]]) -> None:
    low, high = np.iinfo(kind).min, np.iinfo(kind).max
    if np.size(leaf) and not (low <= np.min(leaf) and np.max(leaf) <= high):
        found = np.min(leaf) if np.min(leaf) < low else np.max(leaf)
        raise InvalidValueError(f"to_jax: {found} is no {kind.__name__}, which JAX makes of {leaf.dtype}\nhint: {_KEEPS}")
