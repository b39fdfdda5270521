"""Steps that remember: a state handed from element to element, elements that came before, how many there were."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from . import _native, _tracing
from ._arguments import Values
from ._checking import checks_arguments, known_values
from ._errors import ArgumentError, SchemaError
from ._form import form_of, form_with, plain, shaped
from ._progress import bar
from ._steps import Steps

if TYPE_CHECKING:
    from ._dataset import Dataset


@checks_arguments
class Folding(Steps):
    """The methods of a dataset that remember."""

    def scan(
        self, initial_state: Values, scan_func: Callable[[Any, Any], tuple[Any, Any]], name: str | None = None
    ) -> Dataset:
        """What ``scan_func`` makes of each element: it gets a state, ``initial_state`` to begin with, and the element, and returns the next
        state and what comes out. It is traced, perhaps more than once: until the shapes of the states it returns are those it gets.

        >>> import feedline as fl, numpy as np
        >>> ds = fl.Dataset.range(5).scan(np.int64(0), lambda total, x: (total + x, total + x))
        >>> [int(x) for x in ds]
        [0, 1, 3, 6, 10]
        """
        initial_state = known_values(initial_state)
        traced = _tracing.element_function(scan_func, "scan", form_with((form_of(initial_state), self._form)))

        def call(pair: tuple[Any, Any]) -> Any:
            result = traced(pair)
            if not isinstance(result, (tuple, list)) or len(result) != 2:
                raise SchemaError(f"scan: the function returns a pair, the next state and what comes out, not {result!r}")
            return tuple(result)

        _tracing.label_as(call, traced)
        scanned = self._inner.scan(plain(initial_state), call)
        return self._as(scanned, None if traced.result_form is None else traced.result_form[1])

    def reduce(
        self,
        initial_state: Values,
        reduce_func: Callable[[Any, Any], Any],
        name: str | None = None,
        *,
        progress: bool = False,
    ) -> Any:
        """The state behind the last element, each made by ``reduce_func``, which is traced, of the one before it, ``initial_state`` to begin
        with, and an element. Iterates the dataset; inside a function that is traced it is a symbolic value, of a dataset made of what the
        function gets. ``progress`` shows how many elements have come.

        >>> import feedline as fl, numpy as np
        >>> int(fl.Dataset.range(5).reduce(np.int64(0), lambda total, x: total + x))
        10
        >>> sums = fl.Dataset.range(6).window(3).map(lambda window: window.reduce(np.int64(0), lambda total, x: total + x))
        >>> [int(x) for x in sums]
        [3, 12]
        """
        reduced = self.reduced(initial_state, reduce_func)
        if not progress or _native.is_tracing():
            return reduced.get_single_element()
        total = self._inner.cardinality()
        with bar(total if total >= 0 else None, "reduce", True) as show, reduced.iterator() as elements:
            assert show is not None
            return elements._next_counted("reduce", show)

    def reduced(self, initial_state: Values, reduce_func: Callable[[Any, Any], Any]) -> Dataset:
        """As :meth:`reduce`, as a dataset of that one element: for the functions of ``flat_map`` and ``interleave``.

        >>> import feedline as fl, numpy as np
        >>> def total(n):
        ...     return fl.Dataset.range(n).reduced(np.int64(0), lambda total, x: total + x)
        >>> [int(x) for x in fl.Dataset.range(5).flat_map(total)]
        [0, 0, 1, 3, 6]
        """
        initial_state = known_values(initial_state)
        form = form_of(initial_state)
        function = _tracing.element_function(reduce_func, "reduce", form_with((form, self._form)))
        return self._as(self._inner.reduce(plain(initial_state), function), form)

    def get_single_element(self, name: str | None = None) -> Any:
        """The one element there is. Iterates the dataset; inside a function that is traced it is a symbolic value, of a dataset made of what
        the function gets.

        >>> import feedline as fl
        >>> fl.Dataset.range(3).batch(3).get_single_element()
        array([0, 1, 2])
        >>> for pair in fl.Dataset.range(4).window(2).map(lambda window: window.batch(2).get_single_element() * 10):
        ...     print(pair)
        [ 0 10]
        [20 30]
        """
        if _native.is_tracing():
            return shaped(self._form, self._inner.single_element())
        from ._iterator import DatasetIterator

        dataset = self._with(self._inner)
        with DatasetIterator(self._inner.iterator(None), dataset) as elements:
            found = [element for element, _ in zip(elements, range(2), strict=False)]
        if len(found) != 1:
            count = "more than one element" if found else "no element"
            raise ArgumentError(f"get_single_element: the dataset has {count}")
        return found[0]

    def take_while(self, predicate: Callable[..., Any], name: str | None = None) -> Dataset:
        """The elements before the first of which ``predicate``, a function that is traced, is false.

        >>> import feedline as fl
        >>> [int(x) for x in fl.Dataset.range(10).take_while(lambda x: x < 3)]
        [0, 1, 2]
        """
        traced = _tracing.element_function(predicate, "take_while", self._form)

        def call(element: Any) -> Any:
            result = traced(element)
            if result is None:
                raise SchemaError("take_while: predicate returns one bool, not None\nhint: a function without return gives None")
            return result

        _tracing.label_as(call, traced)
        return self._with(self._inner.take_while(call))

    def unique(self, name: str | None = None) -> Dataset:
        """Each element the first time it comes: of integers, bools and strings.

        >>> import feedline as fl
        >>> [int(x) for x in fl.Dataset.from_tensor_slices([1, 2, 1, 3]).unique()]
        [1, 2, 3]
        """
        return self._with(self._inner.unique())

    def assert_cardinality(self, expected_cardinality: int) -> Dataset:
        """The elements, of which there are ``expected_cardinality`` (−1: without end): so ``len`` knows. If it is not so, that is an error
        where it is found.

        >>> import feedline as fl
        >>> len(fl.Dataset.range(10).filter(lambda x: x < 3).assert_cardinality(3))
        3
        """
        count = expected_cardinality
        if count < -1:
            raise ArgumentError(
                f"assert_cardinality: expected_cardinality is a number from 0, or -1 for no end, not {count}"
            )
        return self._with(self._inner.assert_cardinality(None if count == -1 else count))
