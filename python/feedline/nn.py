"""Functions of what a network gets and gives, under the names of ``tf.nn``."""

from __future__ import annotations

from . import _ops
from ._arrays import top_k
from ._checking import checks
from ._native import Tensor
from ._ops import TensorLike, sigmoid, softplus, tanh
from .linalg import l2_normalize

__all__ = ["l2_normalize", "log_softmax", "relu", "sigmoid", "softmax", "softplus", "tanh", "top_k"]


@checks
def softmax(logits: TensorLike, axis: int | None = None, name: str | None = None) -> Tensor:
    """``exp(x)`` divided by its sum along a dimension, the last if none is given. As ``tf.nn.softmax``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors([1.0, 1.0, 3.0]).map(lambda x: fl.nn.softmax(x)).get_single_element().round(4)
    array([0.1065, 0.1065, 0.787 ], dtype=float32)
    """
    return _ops.softmax(logits, -1 if axis is None else axis)


@checks
def log_softmax(logits: TensorLike, axis: int | None = None, name: str | None = None) -> Tensor:
    """The logarithm of :func:`softmax`. As ``tf.nn.log_softmax``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors([1.0, 1.0, 3.0]).map(lambda x: fl.nn.log_softmax(x)).get_single_element().round(4)
    array([-2.2395, -2.2395, -0.2395], dtype=float32)
    """
    return _ops.log_softmax(logits, -1 if axis is None else axis)


@checks
def relu(features: TensorLike, name: str | None = None) -> Tensor:
    """The number, or 0 where it is below. As ``tf.nn.relu``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors([-1.5, 2.0]).map(lambda x: fl.nn.relu(x)).get_single_element()
    array([0., 2.], dtype=float32)
    """
    return _ops.maximum(features, 0)
