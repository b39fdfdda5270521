"""Iterators over datasets."""

from __future__ import annotations

import base64
import reprlib
from collections.abc import Callable
from typing import Any

from . import _native
from ._errors import CheckpointError
from ._form import shaped


class DatasetIterator:
    """The elements of a dataset, one after the other, as numpy has them.

    Arrays are views on the engine's memory, without a copy, and read-only as those of tf.data's ``as_numpy_iterator``;
    ``array.copy()`` gives one to write to. The memory goes back when the last array over it is gone.

    >>> import feedline as fl
    >>> it = fl.Dataset.range(5).iterator()
    >>> next(it), next(it)
    (np.int64(0), np.int64(1))
    >>> saved = it.state()
    >>> list(fl.Dataset.range(5).iterator(state=saved))
    [np.int64(2), np.int64(3), np.int64(4)]
    """

    def __init__(self, elements: _native.Elements, dataset: Any) -> None:
        self._elements = elements
        self._dataset = dataset
        self._form = dataset._form

    def __iter__(self) -> DatasetIterator:
        return self

    def __next__(self) -> Any:
        if self._form is None:
            return next(self._elements)
        return shaped(self._form, next(self._elements))

    def _next_with_bits(self) -> Any:
        """The next element, whose tensors of bfloat16 are arrays of two bytes without a meaning: who takes them knows the type, and numpy does
        not unless another package is installed."""
        return shaped(self._form, self._elements.next_with_bits())

    def _next_counted(self, step: str, show: Callable[[int], object]) -> Any:
        """The next element. Until it is there, ``show`` is called with the number of those that the last step called ``step`` has taken for it."""

        def tell() -> None:
            steps = self._elements.metrics()["steps"]
            # Behind it there may be one of the optimizer's; before it, where it has one input, is that.
            place = max(number for number, other in enumerate(steps) if other["name"].startswith(f"{step}("))
            show(steps[place - 1]["elements"])

        element = self._elements.next_telling(tell)
        tell()
        return shaped(self._form, element)

    @property
    def element_spec(self) -> Any:
        """What is known about every element.

        >>> import feedline as fl
        >>> fl.Dataset.range(3).batch(2).iterator().element_spec
        TensorSpec(shape=(None,), dtype=fl.int64)
        """
        return shaped(self._form, self._elements.element_spec())

    def state(self) -> bytes:
        """Where it is: positions and no data, small enough to save with every checkpoint.

        >>> import feedline as fl
        >>> elements = fl.Dataset.range(5).iterator()
        >>> int(next(elements))
        0
        >>> [int(x) for x in fl.Dataset.range(5).iterator(state=elements.state())]
        [1, 2, 3, 4]
        """
        return self._elements.state()

    def get_state(self) -> bytes:
        """As :meth:`state`, in ASCII: what Grain's handler for Orbax writes as text.

        >>> import feedline as fl
        >>> elements = fl.Dataset.range(5).iterator()
        >>> elements.get_state().isascii()
        True
        """
        return base64.b64encode(self.state())

    def set_state(self, state: bytes) -> None:
        """Goes on where ``state`` was saved, of this dataset or the same one in another process. It is what :meth:`get_state` or
        :meth:`state` gave.

        >>> import feedline as fl
        >>> elements = fl.Dataset.range(3).iterator()
        >>> state = elements.get_state()
        >>> [int(x) for x in elements]
        [0, 1, 2]
        >>> elements.set_state(state)
        >>> [int(x) for x in elements]
        [0, 1, 2]
        """
        if not isinstance(state, (bytes, bytearray)):
            raise CheckpointError(f"set_state: a state is the bytes that get_state() or state() gave, not {reprlib.repr(state)}")
        try:
            # States are compressed, and so never ASCII themselves.
            saved = base64.b64decode(state, validate=True) if state.isascii() else bytes(state)
        except ValueError as error:
            raise CheckpointError(f"set_state: {reprlib.repr(state)} is no state: {error}\nhint: give what get_state() or state() gave") from error
        self._elements = self._dataset._inner.resume(saved)

    def start_prefetch(self) -> None:
        """Nothing: elements are made ahead anyway. Grain's handler calls it.

        >>> import feedline as fl
        >>> elements = fl.Dataset.range(5).iterator()
        >>> elements.start_prefetch()
        >>> int(next(elements))
        0
        """

    def metrics(self) -> dict[str, Any]:
        """What every step has done, holds and waits for; ``["text"]`` is that for people to read.

        ``budget_…`` is the memory of this iterator, ``process_budget_…`` that of all that share the process's budget.

        >>> import feedline as fl
        >>> elements = fl.Dataset.range(6).batch(3).iterator()
        >>> len(list(elements))
        2
        >>> [(step["name"], step["elements"]) for step in elements.metrics()["steps"]]
        [('range(0, 6, 1)', 6), ('batch(3)', 2)]
        """
        return self._elements.metrics()

    def close(self) -> None:
        """Ends it now: what runs for it stops, and its memory is given back, but for that of arrays that are still there. Dropping it does the
        same. What others use stays: the pool of threads, which is the program's, and the processes of ``map(…, workers="process")``, which are the
        dataset's; they wait for its next iteration, and end with it, with the program, or after a minute without work.

        >>> import feedline as fl
        >>> elements = fl.Dataset.counter().iterator()
        >>> int(next(elements))
        0
        >>> elements.close()
        """
        self._elements.close()

    def __enter__(self) -> DatasetIterator:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
