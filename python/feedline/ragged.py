"""Ragged tensors, under the names of ``tf.ragged``.

>>> import feedline as fl
>>> fl.ragged.constant([[1, 2], [], [3]])
<fl.RaggedTensor [[1, 2], [], [3]]>
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ._convert import as_array
from ._dtypes import DTypeLike, dtype_name
from ._errors import ArgumentError
from ._ragged import RaggedTensor, RaggedTensorSpec

__all__ = ["RaggedTensor", "RaggedTensorSpec", "constant"]


def constant(pylist: Sequence[Any], dtype: DTypeLike | None = None, ragged_rank: int | None = None) -> RaggedTensor:
    """A ragged tensor of nested lists, whose inner ones may differ in length."""
    depth = _depth(pylist)
    rank = depth - 1 if ragged_rank is None else ragged_rank
    if depth < 2 or not 1 <= rank < depth:
        raise ArgumentError(f"ragged.constant: lists {depth} deep cannot have a ragged_rank of {rank}")
    rows: list[Any] = list(pylist)
    nested = []
    for _ in range(rank):
        nested.append(np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype(np.int64))
        rows = [item for row in rows for item in row]
    values = as_array(rows)
    if not rows and dtype is None:
        values = values.astype(np.float32)
    if dtype is not None and dtype_name(dtype) != "string":
        values = values.astype(dtype_name(dtype))
    return RaggedTensor.from_nested_row_splits(values, nested)


def _depth(value: Any) -> int:
    if not isinstance(value, (list, tuple)):
        return 0
    return 1 + max((_depth(item) for item in value), default=0)
