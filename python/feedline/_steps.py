"""What the parts of a dataset's methods share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from . import _native
from ._options import Options

if TYPE_CHECKING:
    from ._dataset import Dataset


class Steps:
    """Methods that add a step."""

    _inner: _native.Dataset
    #: What was set with ``with_options``. The engine hands its own form of them on from step to step, as :meth:`_with` does these.
    _options = Options()

    #: The form of its elements (``_form.py``).
    _form: Any = None

    def _with(self, native: _native.Dataset) -> Dataset:
        """A step whose elements are structured as those of this are."""
        return self._as(native, self._form)

    def _as(self, native: _native.Dataset, form: Any) -> Dataset:
        """A step whose elements have the form ``form``."""
        from ._dataset import Dataset

        dataset = Dataset(native)
        dataset._options, dataset._form = self._options, form
        return dataset

    def _running(self, options: Options) -> Dataset:
        """The same, with these options instead of those it has."""
        dataset = self._with(self._inner.with_options(options._to_native()))
        dataset._options = options
        return dataset

    def _merged(self, others: Sequence[Steps]) -> Dataset:
        """The same, with the options of others it is made of."""
        options = self._options
        for other in others:
            options = options.merge(other._options)
        return self._with(self._inner) if options == self._options else self._running(options)
