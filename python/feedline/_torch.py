"""Datasets for PyTorch. Imported only when used: torch is no dependency."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from ._convert import writable_view
from ._errors import ArgumentError
from ._interop import mapped

if TYPE_CHECKING:
    from ._dataset import Dataset


class TorchDataset(torch.utils.data.IterableDataset):  # type: ignore[misc]
    """A dataset whose elements are torch's tensors, over the engine's memory where they stay on the CPU.

    Iterated as it is, or by ``DataLoader(dataset, batch_size=None, num_workers=0)``. Its state can be saved between two
    elements (``state_dict``) and goes on from there in the next iteration (``load_state_dict``).
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
        self._dataset = _part_of(dataset, *_place(rank, world_size), even)
        self._device = None if device is None else torch.device(device)
        self._pin_memory = pin_memory
        self._iterator: Any = None
        self._restored: bytes | None = None

    def __iter__(self) -> Iterator[Any]:
        if torch.utils.data.get_worker_info() is not None:
            raise ArgumentError(
                "every worker of the DataLoader would give all elements\n"
                "hint: DataLoader(dataset, batch_size=None, num_workers=0): feedline has threads of its own"
            )
        state, self._restored = self._restored, None
        self._iterator = self._dataset.iterator(state=state)
        # Not a generator, which would end with the first error.
        return map(lambda element: mapped(self._handed_over, element), self._iterator)

    def __len__(self) -> int:
        return len(self._dataset)

    def state_dict(self) -> dict[str, Any]:
        """Where the iteration at hand is."""
        if self._restored is not None:
            return {"feedline": self._restored}
        iterator = self._iterator or self._dataset.iterator(epoch=0)
        return {"feedline": iterator.state()}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Lets the next iteration go on from there."""
        self._restored = state_dict["feedline"]

    def _handed_over(self, leaf: Any) -> Any:
        if isinstance(leaf, bytes) or leaf.dtype == object:
            return leaf  # torch has no strings
        tensor = _tensor(np.asarray(leaf))
        if self._pin_memory:
            tensor = tensor.pin_memory()
        return tensor if self._device is None else tensor.to(self._device, non_blocking=self._pin_memory)


def _tensor(array: np.ndarray[Any, Any]) -> Any:
    """The array as a tensor over the same memory."""
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
