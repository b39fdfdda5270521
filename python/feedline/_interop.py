"""What hand-over to torch, JAX and TensorFlow shares, and the two inputs of the old TensorFlow guide."""

from __future__ import annotations

import reprlib
import weakref
from collections.abc import Hashable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _native
from ._errors import ArgumentError, ArgumentTypeError, CheckpointError
from ._spec import TensorSpec
from ._structure import leaves_of

if TYPE_CHECKING:
    from ._dataset import Dataset
    from ._iterator import DatasetIterator


#: Two bytes that numpy takes for nothing.
BITS = np.dtype("V2")


def mapped(function: Any, element: Any) -> Any:
    """The structure with ``function`` of each leaf."""
    if isinstance(element, tuple):
        parts = [mapped(function, part) for part in element]
        return type(element)(*parts) if hasattr(element, "_fields") else tuple(parts)
    if isinstance(element, dict):
        return {key: mapped(function, part) for key, part in element.items()}
    return None if element is None else function(element)


def check_plain(what: str, dataset: Dataset) -> None:
    """Refuses tensors that others have not: ragged and sparse ones, and datasets."""
    for spec in leaves_of(dataset.element_spec):
        if not isinstance(spec, TensorSpec):
            raise ArgumentError(
                f"{what}: {spec} is no plain tensor\n"
                "hint: make it one in a map before: x.to_tensor() of a ragged one, fl.sparse.to_dense(x) of a sparse one, and of a dataset "
                "inside an element flat_map(lambda window: window.batch(n))"
            )


def is_own(array: Any) -> bool:
    """Whether whoever has the array is the only one who sees its memory, and may write to it."""
    if isinstance(array.base, _native.Memory):
        return array.base.may_be_written
    return array.base is None and bool(array.flags.writeable)  # made just now, of a single value


class HandedOver:
    """A dataset whose elements are another library's. Each ``for`` over it is an epoch; an error among the elements is raised once, and the
    next ``next`` goes on behind it.

    Its state can be saved between two elements (``state_dict``), and the next iteration goes on from there (``load_state_dict``). What was
    saved when an epoch had ended goes on with the next one.
    """

    _with_bits = False
    """Whether bfloat16, which numpy has not, comes as its bits: arrays of :data:`BITS`."""

    def __init__(self, dataset: Dataset) -> None:
        self._given = dataset
        #: Where the last iteration is, or was left.
        self._left: _Left | None = None
        #: The next iteration, where its state was asked for before it began, and what it is of.
        self._next: tuple[Dataset, DatasetIterator] | None = None
        self._restored: dict[str, Any] | None = None

    def __getstate__(self) -> dict[str, Any]:
        """What another process gets: the dataset, and not the iteration at hand, which is this one's."""
        return {**self.__dict__, "_left": None, "_next": None}

    def __iter__(self) -> Iterator[Any]:
        restored, self._restored = self._restored, None
        dataset, begun = self._dataset, self._next
        self._next = None
        if begun is not None and begun[0] is dataset:
            iterator = begun[1]
        else:
            iterator = dataset.iterator(state=restored["feedline"] if restored else None)
            if restored and restored["has_ended"]:
                iterator.close()
                iterator = dataset.iterator()
        self._left = _Left(iterator)
        return _Elements(iterator, self._left, self._handed_over, self._with_bits)

    @property
    def _dataset(self) -> Dataset:
        """What is iterated now."""
        return self._given

    def __len__(self) -> int:
        return len(self._dataset)

    def state_dict(self) -> dict[str, Any]:
        """Where the iteration at hand is."""
        if self._restored is not None:
            return self._restored
        if self._left is None:
            # Which epoch it will be is known by the iterator alone.
            dataset = self._dataset
            if self._next is None or self._next[0] is not dataset:
                self._next = dataset, dataset.iterator()
            return {"feedline": self._next[1].state(), "has_ended": False}
        return {"feedline": self._left.state(), "has_ended": self._left.has_ended}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Lets the next iteration go on from there."""
        state = state_dict.get("feedline") if isinstance(state_dict, dict) else None
        if not isinstance(state, bytes):
            raise CheckpointError(
                f"load_state_dict: {reprlib.repr(state_dict)} is not what state_dict() of a dataset gives: a dict with bytes as 'feedline'\n"
                "hint: of a checkpoint with several parts, give the one that state_dict() of the dataset gave"
            )
        self._restored = {"feedline": state, "has_ended": bool(state_dict.get("has_ended"))}
        self._next = None

    def _handed_over(self, leaf: Any) -> Any:
        """A leaf as the other library has it."""
        raise NotImplementedError


class _Left:
    """Where an iteration is as long as there is one, and where it was when it had ended or was dropped: whoever asks for its state later holds no
    memory or threads of it."""

    def __init__(self, iterator: DatasetIterator) -> None:
        self._iterator = weakref.ref(iterator)
        self._place: _native.Place | None = None
        self.has_ended = False

    def leave(self, iterator: DatasetIterator) -> None:
        """Notes where it is, before it goes."""
        self._place = iterator._elements.place()

    def state(self) -> bytes:
        """What is saved of it."""
        iterator = self._iterator() if self._place is None else None
        if iterator is not None:
            return iterator.state()
        if self._place is None:
            raise CheckpointError("state_dict: the iteration is of a process that forked\nhint: begin another here: iter(dataset)")
        return self._place.state()


class _Elements:
    """Elements as another library has them. No generator, which would end with the first error."""

    def __init__(self, iterator: DatasetIterator, left: _Left, handed_over: Any, with_bits: bool) -> None:
        self._iterator = iterator
        self._left = left
        self._handed_over = handed_over
        self._with_bits = with_bits

    def __iter__(self) -> _Elements:
        return self

    def __next__(self) -> Any:
        if self._left.has_ended:
            raise StopIteration
        try:
            element = self._iterator._next_with_bits() if self._with_bits else next(self._iterator)
        except StopIteration:
            self._left.leave(self._iterator)
            self._left.has_ended = True
            self._iterator.close()
            raise
        return mapped(self._handed_over, element)

    def __del__(self) -> None:
        try:
            if not self._left.has_ended:
                self._left.leave(self._iterator)
        except Exception:  # noqa: S110, BLE001 - one that was made before the process forked cannot tell, nor can one in an interpreter that ends
            pass


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
    target: Any = None,
    batch_size: int = 128,
    shuffle: bool = True,
    num_epochs: int | None = 1,
    *,
    seed: int | None = None,
) -> Dataset:
    """Batches of the rows of a data frame as a dict of its columns; with ``target``, the name of a column, as pairs of the others and that one.

    >>> import feedline as fl, pandas as pd
    >>> table = pd.DataFrame({"size": [1, 2, 3], "label": [0, 1, 0]})
    >>> for features, labels in fl.pandas_input(table, "label", batch_size=2, shuffle=False):
    ...     print(features["size"], labels)
    [1 2] [0 1]
    [3] [0]
    """
    if not hasattr(df, "columns"):
        raise ArgumentTypeError(
            f"pandas_input: df is a data frame, not {type(df).__name__}\nhint: numpy_input takes arrays, and dicts of them"
        )
    columns = {name: df[name] for name in df.columns}
    if isinstance(target, type(df)) or hasattr(target, "to_numpy") or not isinstance(target, Hashable):
        raise ArgumentTypeError(
            f"pandas_input: target is the name of a column, not {type(target).__name__}\n"
            "hint: pandas_input(df, 'label'), or numpy_input(dict(df), labels) for labels that are no column of it"
        )
    if target is not None and target not in columns:
        raise ArgumentError(f"pandas_input: there is no column {target!r}\nhint: there are {', '.join(map(repr, columns))}")
    labels = None if target is None else columns.pop(target)
    return numpy_input(columns, labels, batch_size, shuffle, num_epochs, seed=seed)
