"""Matrices and lengths, under the names of ``tf.linalg``."""

from __future__ import annotations

from typing import Any

from . import _ops
from ._arrays import einsum, range
from ._checking import checks, known_values
from ._dtypes import DTypeLike
from ._errors import ArgumentError
from ._native import Tensor
from ._ops import TensorLike

__all__ = ["einsum", "eye", "l2_normalize", "matmul", "norm"]


@checks
def matmul(
    a: TensorLike,
    b: TensorLike,
    transpose_a: bool = False,
    transpose_b: bool = False,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    output_type: DTypeLike | None = None,
    grad_a: bool = False,
    grad_b: bool = False,
    name: str | None = None,
) -> Tensor:
    """The product of matrices in the last two dimensions; those before are broadcast. There are no complex numbers, so to adjoin is to
    transpose. ``output_type`` is int32 for the product of two int8, which does not fit into that. What else there is says how TensorFlow computes it. As
    ``tf.matmul``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors([[1, 2], [3, 4]]).map(lambda x: fl.matmul(x, x, transpose_b=True)).get_single_element()
    array([[ 5, 11],
           [11, 25]], dtype=int32)
    """
    for side, transposed, adjoined in (("a", transpose_a, adjoint_a), ("b", transpose_b, adjoint_b)):
        if transposed and adjoined:
            raise ArgumentError(f"matmul: give one of transpose_{side} and adjoint_{side}")
    if output_type is not None:
        a, b = _ops.cast(a, output_type), _ops.cast(b, output_type)
    return _ops.matmul(a, b, transpose_a or adjoint_a, transpose_b or adjoint_b)


@checks
def eye(
    num_rows: Any,
    num_columns: Any = None,
    batch_shape: Any = None,
    dtype: DTypeLike = "float32",
    name: str | None = None,
) -> Tensor:
    """The matrix with ones from its upper left corner down and zeros elsewhere; with a ``batch_shape``, so many of them. Sizes may be computed. As
    ``tf.eye``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors(0).map(lambda x: fl.eye(2, 3, dtype=fl.int32)).get_single_element()
    array([[1, 0, 0],
           [0, 1, 0]], dtype=int32)
    """
    sizes = known_values((num_rows, num_columns))
    if any(isinstance(size, Tensor) for size in sizes):
        rows, columns = (range(num_rows if size is None else size) for size in sizes)
        matrix = _ops.cast(_ops.equal(_ops.expand_dims(rows, 1), _ops.cast(columns, rows.dtype)), dtype)
    else:
        matrix = _ops.eye(sizes[0], sizes[1], dtype)
    if batch_shape is None:
        return matrix
    return _ops.broadcast_to(matrix, _ops.concat([_ops.cast(batch_shape, "int32"), _ops.shape(matrix)], 0))


@checks
def l2_normalize(
    x: TensorLike, axis: Any = None, epsilon: float = 1e-12, name: str | None = None, dim: Any = None
) -> Tensor:
    """``x`` divided by its length along dimensions, or by the square root of ``epsilon`` where that is larger. ``dim`` is TensorFlow's old name of
    ``axis``. As ``tf.math.l2_normalize``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors([3.0, 4.0]).map(lambda x: fl.math.l2_normalize(x)).get_single_element()
    array([0.6, 0.8], dtype=float32)
    """
    if axis is not None and dim is not None:
        raise ArgumentError("l2_normalize: give one of axis and dim, which mean the same")
    return _ops.l2_normalize(x, dim if axis is None else axis, epsilon)


@checks
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
