"""The operations, as functions of symbolic tensors, under TensorFlow's names.

Made from the catalogue in crates/feedline-plan/src/expr by tools/generate_python_ops.py: do not edit.
"""

# ruff: noqa
from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

from ._dtypes import DTypeLike
from ._native import Tensor, call
from ._several import several
from ._spec import ShapeLike

TensorLike: TypeAlias = Any
"""A symbolic tensor, a number, a string, a list of them, or a numpy array."""


def to_dense(indices: TensorLike, values: TensorLike, dense_shape: TensorLike, default_value: TensorLike, validate_indices: bool = True, name: str | None = None) -> Tensor:
    """The plain tensor of a sparse one, given by its parts, with `default_value` where no value is kept. Places
    outside of the shape are an error of the element; with `validate_indices` so are places that are not in order or
    come twice. As ``tf.sparse.to_dense``.

    >>> import feedline as fl
    >>> fl.sparse.to_dense(fl.SparseTensor([[0, 1], [1, 0]], [3, 4], [2, 2]), default_value=-1)
    array([[-1,  3],
           [ 4, -1]], dtype=int32)
    """
    return call('sparse.to_dense', [indices, values, dense_shape, default_value], [validate_indices])  # type: ignore[no-any-return]


def from_dense(tensor: TensorLike, name: str | None = None) -> Any:
    """The sparse tensor of the values that are not 0, not false, or not an empty string. As ``tf.sparse.from_dense``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors([[0, 7], [0, 0]]).map(lambda x: fl.sparse.from_dense(x)).get_single_element()
    SparseTensor(indices=[[0, 1]], values=[7], dense_shape=[2, 2])
    """
    return call('sparse.from_dense', [tensor], [])
