"""Functions of what a network gets and gives, under the names of ``tf.nn``."""

from __future__ import annotations

from . import _ops
from ._native import Tensor
from ._ops import TensorLike, l2_normalize, sigmoid, softplus, tanh

__all__ = ["l2_normalize", "log_softmax", "relu", "sigmoid", "softmax", "softplus", "tanh"]


def softmax(logits: TensorLike, axis: int | None = None, name: str | None = None) -> Tensor:
    """``exp(x)`` divided by its sum along a dimension, the last if none is given. As ``tf.nn.softmax``."""
    return _ops.softmax(logits, -1 if axis is None else axis)


def log_softmax(logits: TensorLike, axis: int | None = None, name: str | None = None) -> Tensor:
    """The logarithm of :func:`softmax`. As ``tf.nn.log_softmax``."""
    return _ops.log_softmax(logits, -1 if axis is None else axis)


def relu(features: TensorLike, name: str | None = None) -> Tensor:
    """The number, or 0 where it is below. As ``tf.nn.relu``."""
    return _ops.maximum(features, 0)
