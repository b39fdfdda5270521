"""Several tensors, as an argument of an operation."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ._composite import Composite
from ._errors import ArgumentTypeError
from ._native import Tensor

__all__ = ["several"]


def several(what: str, argument: str, values: Any) -> Iterable[Any]:
    """The tensors of a list; one tensor with a first dimension of a known size is a list of its entries."""
    if isinstance(values, (list, tuple)) or (isinstance(values, np.ndarray) and values.ndim > 0):
        return values
    if isinstance(values, Tensor) and values.shape and values.shape[0] is not None:
        return [values[place] for place in range(values.shape[0])]
    shown = "a single tensor" if isinstance(values, (Tensor, Composite)) else repr(values)
    raise ArgumentTypeError(f"{what}: {argument} is a list of tensors, not {shown}")
