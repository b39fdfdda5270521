"""Datasets for PyTorch. Imported only when used: torch is no dependency."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from ._convert import writable_view
from ._errors import ArgumentError
from ._interop import HandedOver, check_plain, is_own

if TYPE_CHECKING:
    from ._dataset import Dataset


class TorchDataset(HandedOver, torch.utils.data.IterableDataset):  # type: ignore[misc]
    """A dataset whose elements are torch's tensors, over the engine's memory where they stay on the CPU and nobody else sees it; what a source or
    a cache still has is copied, so that tensors may be written to.

    Iterated as it is, or by ``DataLoader(dataset, batch_size=None, num_workers=0)``.
    """

    def __init__(
        self,
        dataset: Dataset,
        device: Any,
        pin_memory: bool,
        rank: int | None,
        world_size: int | None,
        even: bool,
    ) -> None:
        check_plain("to_torch", dataset)
        super().__init__(_part_of(dataset, *_place(rank, world_size), even))
        self._device = None if device is None else torch.device(device)
        self._pin_memory = pin_memory
        self._is_moved = pin_memory or (self._device is not None and self._device.type != "cpu")

    def __iter__(self) -> Iterator[Any]:
        if torch.utils.data.get_worker_info() is not None:
            raise ArgumentError(
                "every worker of the DataLoader would give all elements\n"
                "hint: DataLoader(dataset, batch_size=None, num_workers=0): feedline has threads of its own"
            )
        return super().__iter__()

    def _handed_over(self, leaf: Any) -> Any:
        if isinstance(leaf, bytes) or leaf.dtype == object:
            return leaf  # torch has no strings
        array = np.asarray(leaf)
        tensor = _tensor(array if self._is_moved or is_own(array) else array.copy())
        if self._pin_memory:
            tensor = tensor.pin_memory()
        return tensor if self._device is None else tensor.to(self._device, non_blocking=self._pin_memory)


def _tensor(array: np.ndarray[Any, Any]) -> Any:
    """The array as a tensor over the same memory."""
    if array.dtype.name == "bfloat16":  # which neither numpy nor its DLPack has
        return _tensor(array.view(np.int16)).view(torch.bfloat16)
    try:
        return torch.from_dlpack(array)
    except (BufferError, RuntimeError, TypeError):  # an older torch, which takes no memory it must not write to
        return torch.from_numpy(writable_view(array))


def _place(rank: int | None, world_size: int | None) -> tuple[int, int]:
    """This process among those that train together."""
    if (rank is None) != (world_size is None):
        raise ArgumentError("to_torch: rank and world_size go together")
    if rank is not None and world_size is not None:
        return rank, world_size
    distributed = torch.distributed
    if distributed.is_available() and distributed.is_initialized():
        return distributed.get_rank(), distributed.get_world_size()
    return int(os.environ.get("RANK", 0)), int(os.environ.get("WORLD_SIZE", 1))


def _part_of(dataset: Dataset, rank: int, world_size: int, even: bool) -> Dataset:
    if world_size == 1:
        return dataset
    # If each drew an order of its own, some elements would come to two of them, and others to none.
    dataset = dataset._with(dataset._inner.with_agreed_seeds())
    part = dataset.shard(world_size, rank)
    count = dataset.cardinality()
    if not even or count == -1:
        return part
    if count < 0:
        raise ArgumentError(
            f"to_torch: how many elements each of {world_size} processes gets is not known before they are iterated; if one got "
            "fewer than the others, a collective step would wait for ever\n"
            "hint: repeat() and count steps, or even=False if processes need not get the same number"
        )
    return part.take(count // world_size)
