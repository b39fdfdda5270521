"""Matrices and lengths, under the names of ``tf.linalg``."""

from __future__ import annotations

from . import _ops
from ._arrays import einsum
from ._errors import ArgumentError
from ._native import Tensor
from ._ops import TensorLike, eye, l2_normalize, matmul

__all__ = ["einsum", "eye", "l2_normalize", "matmul", "norm"]


def norm(
    tensor: TensorLike,
    ord: float | str = "euclidean",
    axis: int | tuple[int, int] | list[int] | None = None,
    keepdims: bool = False,
    name: str | None = None,
) -> Tensor:
    """The length of a tensor, or along dimensions: ``ord`` is ``euclidean`` (2), 1, infinity, or another power above 0. As
    ``tf.norm``.

    >>> import feedline as fl
    >>> print(next(iter(fl.Dataset.from_tensors([3.0, 4.0]).map(fl.linalg.norm))))
    5.0
    """
    axes = list(axis) if isinstance(axis, (tuple, list)) else axis
    if ord in ("euclidean", "fro", 2) and not (ord == 2 and isinstance(axes, list)):
        return _ops.reduce_euclidean_norm(tensor, axes, keepdims)
    if isinstance(ord, str) or isinstance(axes, list) or ord <= 0:
        raise ArgumentError(f"norm: ord is {ord!r} for axis {axis!r}; it can be 'euclidean', or a number above 0 for vectors")
    sizes = _ops.abs(tensor)
    if ord == float("inf"):
        return _ops.reduce_max(sizes, axes, keepdims)
    if ord == 1:
        return _ops.reduce_sum(sizes, axes, keepdims)
    return _ops.pow(_ops.reduce_sum(_ops.pow(sizes, float(ord)), axes, keepdims), 1.0 / ord)
