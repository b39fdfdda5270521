"""Sparse tensors, under the names of ``tf.sparse``.

>>> import feedline as fl
>>> ds = fl.Dataset.from_tensors([[0, 7], [0, 0]]).map(lambda x: fl.sparse.from_dense(x))
>>> next(iter(ds))
SparseTensor(indices=[[0, 1]], values=[7], dense_shape=[2, 2])
"""

from __future__ import annotations

from typing import Any

from . import _sparse_ops
from ._checking import checks
from ._ops import TensorLike
from ._ragged_operators import computed
from ._sparse import SparseTensor, SparseTensorSpec

__all__ = ["SparseTensor", "SparseTensorSpec", "from_dense", "to_dense"]


@checks
def to_dense(
    sp_input: SparseTensor, default_value: Any = None, validate_indices: bool = True, name: str | None = None
) -> Any:
    """The plain tensor, with ``default_value`` where no value is kept: 0, or an empty string, where it is not given. Indices that are not in order, or
    that come twice, are an error unless ``validate_indices`` is false.

    >>> import feedline as fl
    >>> fl.sparse.to_dense(fl.SparseTensor([[0, 1], [1, 0]], [3, 4], [2, 2]), default_value=-1)
    array([[-1,  3],
           [ 4, -1]], dtype=int32)
    """
    if default_value is None:
        default_value = "" if sp_input.dtype == "string" else False if sp_input.dtype == "bool" else 0
    indices, values, dense_shape = sp_input.parts()
    dense = _sparse_ops.to_dense(indices, values, dense_shape, default_value, validate_indices=validate_indices)
    return computed(dense, sp_input, default_value)


@checks
def from_dense(tensor: TensorLike, name: str | None = None) -> SparseTensor:
    """The values of a tensor that are not 0, or not empty strings, with their places.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors([[0, 7], [0, 0]]).map(lambda x: fl.sparse.from_dense(x)).get_single_element()
    SparseTensor(indices=[[0, 1]], values=[7], dense_shape=[2, 2])
    """
    made = _sparse_ops.from_dense(tensor)
    assert isinstance(made, SparseTensor)
    return made
