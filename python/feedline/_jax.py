"""Datasets for JAX. Imported only when used: it is no dependency."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jax

from ._interop import HandedOver, check_plain

if TYPE_CHECKING:
    from ._dataset import Dataset


class JaxDataset(HandedOver):
    """A dataset whose elements are JAX's arrays, over the engine's memory where they stay on the CPU; strings, which JAX has none of, stay
    numpy's."""

    def __init__(self, dataset: Dataset, device: Any) -> None:
        check_plain("to_jax", dataset)
        super().__init__(dataset)
        self._device = device

    def _handed_over(self, leaf: Any) -> Any:
        if isinstance(leaf, bytes) or leaf.dtype == object:
            return leaf
        # Not jax.numpy.asarray: that copies, while this takes memory that is aligned, as that of batches is, as it is. JAX never writes to it.
        return jax.device_put(leaf, self._device)
