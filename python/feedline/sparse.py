"""Sparse tensors, under the names of ``tf.sparse``.

>>> import feedline as fl
>>> ds = fl.Dataset.from_tensors([[0, 7], [0, 0]]).map(lambda x: fl.sparse.from_dense(x))
>>> next(iter(ds))
SparseTensor(indices=[[0, 1]], values=[7], dense_shape=[2, 2])
"""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _sparse_ops
from ._native import Tensor
from ._ops import TensorLike
from ._sparse import SparseTensor, SparseTensorSpec

__all__ = ["SparseTensor", "SparseTensorSpec", "from_dense", "to_dense"]


def to_dense(
    sp_input: SparseTensor, default_value: Any = None, validate_indices: bool = True, name: str | None = None
) -> Any:
    """The plain tensor, with ``default_value`` where no value is kept: 0, or an empty string, where it is not given."""
    if default_value is None:
        default_value = "" if sp_input.dtype == "string" else False if sp_input.dtype == "bool" else 0
    if isinstance(sp_input.values, Tensor):
        indices, values, dense_shape = sp_input.parts()
        return _sparse_ops.to_dense(indices, values, dense_shape, default_value, validate_indices=validate_indices)
    if sp_input.values.dtype == object and isinstance(default_value, str):
        default_value = default_value.encode()
    dense = np.full(tuple(sp_input.dense_shape), default_value, dtype=sp_input.values.dtype)
    dense[tuple(sp_input.indices.T)] = sp_input.values
    return dense


def from_dense(tensor: TensorLike, name: str | None = None) -> SparseTensor:
    """The values of a tensor that are not 0, or not empty strings, with their places."""
    made = _sparse_ops.from_dense(tensor)
    assert isinstance(made, SparseTensor)
    return made
