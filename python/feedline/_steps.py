"""What the parts of a dataset's methods share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import _native

if TYPE_CHECKING:
    from ._dataset import Dataset


class Steps:
    """Methods that add a step."""

    _inner: _native.Dataset

    def _with(self, native: _native.Dataset) -> Dataset:
        from ._dataset import Dataset

        return Dataset(native)
