"""Columns of CSV: their types, and what stands for a field that is empty."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from . import _native
from ._convert import as_array
from ._dtypes import DType, dtype_name
from ._errors import ArgumentError


def column_defaults(what: str, record_defaults: Sequence[Any]) -> list[Any]:
    """Defaults as arrays of one value, or of none where a dtype says that there must be one."""
    defaults = [_column_default(what, index, default) for index, default in enumerate(record_defaults)]
    if not defaults:
        raise ArgumentError(f"{what}: record_defaults: there are none")
    return defaults


def _column_default(what: str, index: int, default: Any) -> Any:
    if isinstance(default, (_native.Tensor, np.ndarray)):
        return default
    if isinstance(default, (DType, type)):
        dtype = dtype_name(default)
        return np.array([], dtype=object if dtype == "string" else dtype)
    array = as_array(default).reshape(-1)
    if array.size > 1:
        raise ArgumentError(f"{what}: record_defaults[{index}] is {default!r}: a default is one value, or a dtype")
    return array
