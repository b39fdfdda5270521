"""Datasets for PyTorch. Imported only when used: torch is no dependency."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from ._convert import writable_view
from ._errors import ArgumentError
from ._interop import BITS, HandedOver, check_plain, is_own
from ._splitting import is_split_by_caller

if TYPE_CHECKING:
    from ._dataset import Dataset


class TorchDataset(HandedOver, torch.utils.data.IterableDataset):  # type: ignore[misc]
    """A dataset whose elements are torch's tensors, over the engine's memory where they stay on the CPU and nobody else sees it; what a source or
    a cache still has is copied, so that tensors may be written to.

    Iterated as it is, or by ``DataLoader(dataset, batch_size=None, num_workers=0)``.
    """

    _with_bits = True

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
        super().__init__(dataset)
        self._asked = rank, world_size
        self._even = even
        #: Whether who iterated last, or asked for the length since, gives each process its part of all elements.
        self._is_split_by_caller = False
        #: The part of one of several processes, by its number and theirs. Kept: a dataset counts its epochs.
        self._parts: dict[tuple[int, int], Dataset] = {}
        #: All elements in an order that several processes agree on.
        self._agreed: Dataset | None = None
        _ = self._dataset  # what is wrong with it is told here
        self._device = None if device is None else torch.device(device)
        self._pin_memory = pin_memory
        self._is_moved = pin_memory or (self._device is not None and self._device.type != "cpu")

    @property
    def _dataset(self) -> Dataset:
        """This process's part. Which that is may be told later than this was made: by ``init_process_group``."""
        rank, world_size = _place(*self._asked)
        if world_size == 1:
            return self._given
        if self._agreed is None:
            # If each drew an order of its own, some elements would come to two of them, and others to none.
            self._agreed = self._given._with(self._given._inner.with_agreed_seeds())
        if self._is_split_by_caller:
            return self._agreed
        if (rank, world_size) not in self._parts:
            self._parts[rank, world_size] = _part_of(self._agreed, rank, world_size, self._even)
        return self._parts[rank, world_size]

    def _ask_who_splits(self, known: bool) -> None:
        """Notes whether the caller splits, which is ``known`` of others that call. A place that was asked for is always this one's."""
        is_split = is_split_by_caller() or known
        self._is_split_by_caller = is_split and self._asked == (None, None)

    def __len__(self) -> int:
        self._ask_who_splits(self._is_split_by_caller)
        return super().__len__()

    def set_epoch(self, epoch: int) -> None:
        """Nothing that loops that call it would have to know: each iteration is the next epoch."""
        self._ask_who_splits(self._is_split_by_caller)

    def __iter__(self) -> Iterator[Any]:
        workers = torch.utils.data.get_worker_info()
        if workers is not None:
            reason = (
                "every worker of the DataLoader would give all elements"
                if workers.num_workers > 1
                else "a worker of the DataLoader is a process of its own, whose threads and place state_dict() here would not know of"
            )
            raise ArgumentError(
                f"{reason}\n"
                "hint: DataLoader(dataset, batch_size=None, num_workers=0): feedline has threads of its own"
            )
        self._ask_who_splits(False)
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
    if array.dtype == BITS:  # bfloat16, which neither numpy nor its DLPack has
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
    return _variable("RANK", 0), _variable("WORLD_SIZE", 1)


def _variable(name: str, default: int) -> int:
    value = os.environ.get(name)
    try:
        return default if value is None else int(value)
    except ValueError:
        raise ArgumentError(
            f"to_torch: the environment variable {name} is {value!r}, which is no number\n"
            "hint: unset it where one process trains alone, or give rank= and world_size="
        ) from None


def _part_of(dataset: Dataset, rank: int, world_size: int, even: bool) -> Dataset:
    part = dataset.shard(world_size, rank)
    count = dataset.cardinality()
    if not even or count == -1:
        return part
    if count < 0:
        raise ArgumentError(
            f"to_torch: how many elements each of {world_size} processes gets is not known before they are iterated; if one got "
            "fewer than the others, a collective step would wait for ever\n"
            "hint: repeat() and count steps, or even=False if processes need not get the same number, or another library deals them out, as accelerate does"
        )
    return part.take(count // world_size)
