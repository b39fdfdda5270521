"""Checks, under the names of ``tf.debugging``.

In a traced function a check counts whether or not what it gives is used: an element that is not as said is an error.

>>> import feedline as fl
>>> def halve(x):
...     fl.debugging.assert_less(x, 3, message="too large")
...     return x / 2
>>> ds = fl.Dataset.range(5).map(halve).ignore_errors()
>>> [float(x) for x in ds]
[0.0, 0.5, 1.0]
"""

from __future__ import annotations

from typing import Any

from . import _ops
from ._native import Tensor
from ._ops import TensorLike
from ._tracing import note_check

__all__ = [
    "assert_all_finite",
    "assert_equal",
    "assert_greater",
    "assert_greater_equal",
    "assert_less",
    "assert_less_equal",
    "assert_near",
    "assert_negative",
    "assert_non_negative",
    "assert_non_positive",
    "assert_none_equal",
    "assert_positive",
    "assert_rank",
    "assert_rank_at_least",
    "assert_scalar",
    "check_numerics",
]


def check_numerics(tensor: TensorLike, message: str, name: str | None = None) -> Tensor:
    """An error of its element if it holds a value that is infinite or not a number. As ``tf.debugging.check_numerics``."""
    return note_check(_ops.check_numerics(tensor, message))


def assert_all_finite(x: TensorLike, message: str, name: str | None = None) -> Tensor:
    """As :func:`check_numerics`. As ``tf.debugging.assert_all_finite``."""
    return check_numerics(x, message)


def assert_equal(
    x: TensorLike, y: TensorLike, message: str | None = None, summarize: Any = None, name: str | None = None
) -> Tensor:
    """An error of its element if ``x`` and ``y`` differ anywhere. As ``tf.debugging.assert_equal``."""
    return note_check(_ops.assert_equal(x, y, message or ""))


def assert_none_equal(
    x: TensorLike, y: TensorLike, summarize: Any = None, message: str | None = None, name: str | None = None
) -> Tensor:
    """An error of its element if ``x`` and ``y`` are equal anywhere. As ``tf.debugging.assert_none_equal``."""
    return note_check(_ops.assert_none_equal(x, y, message or ""))


def assert_less(
    x: TensorLike, y: TensorLike, message: str | None = None, summarize: Any = None, name: str | None = None
) -> Tensor:
    """An error of its element unless ``x < y`` everywhere. As ``tf.debugging.assert_less``."""
    return note_check(_ops.assert_less(x, y, message or ""))


def assert_less_equal(
    x: TensorLike, y: TensorLike, message: str | None = None, summarize: Any = None, name: str | None = None
) -> Tensor:
    """An error of its element unless ``x <= y`` everywhere. As ``tf.debugging.assert_less_equal``."""
    return note_check(_ops.assert_less_equal(x, y, message or ""))


def assert_greater(
    x: TensorLike, y: TensorLike, message: str | None = None, summarize: Any = None, name: str | None = None
) -> Tensor:
    """An error of its element unless ``x > y`` everywhere. As ``tf.debugging.assert_greater``."""
    return note_check(_ops.assert_greater(x, y, message or ""))


def assert_greater_equal(
    x: TensorLike, y: TensorLike, message: str | None = None, summarize: Any = None, name: str | None = None
) -> Tensor:
    """An error of its element unless ``x >= y`` everywhere. As ``tf.debugging.assert_greater_equal``."""
    return note_check(_ops.assert_greater_equal(x, y, message or ""))


def assert_positive(x: TensorLike, message: str | None = None, summarize: Any = None, name: str | None = None) -> Tensor:
    """An error of its element unless ``x > 0`` everywhere. As ``tf.debugging.assert_positive``."""
    return assert_greater(x, 0, message)


def assert_negative(x: TensorLike, message: str | None = None, summarize: Any = None, name: str | None = None) -> Tensor:
    """An error of its element unless ``x < 0`` everywhere. As ``tf.debugging.assert_negative``."""
    return assert_less(x, 0, message)


def assert_non_negative(
    x: TensorLike, message: str | None = None, summarize: Any = None, name: str | None = None
) -> Tensor:
    """An error of its element unless ``x >= 0`` everywhere. As ``tf.debugging.assert_non_negative``."""
    return assert_greater_equal(x, 0, message)


def assert_non_positive(
    x: TensorLike, message: str | None = None, summarize: Any = None, name: str | None = None
) -> Tensor:
    """An error of its element unless ``x <= 0`` everywhere. As ``tf.debugging.assert_non_positive``."""
    return assert_less_equal(x, 0, message)


def assert_near(
    x: TensorLike,
    y: TensorLike,
    rtol: float = 1e-6,
    atol: float = 1e-6,
    message: str | None = None,
    summarize: Any = None,
    name: str | None = None,
) -> Tensor:
    """An error of its element unless ``|x - y| <= atol + rtol * |y|`` everywhere. (TensorFlow's tolerances depend on the
    type.) As ``tf.debugging.assert_near``."""
    distance, size = _ops.abs(_ops.subtract(x, y)), _ops.abs(y)
    note_check(_ops.assert_less_equal(distance, size * rtol + atol, message or "x and y are not near"))
    return x if isinstance(x, Tensor) else _ops.add(x, 0)


def assert_rank(x: TensorLike, rank: int, message: str | None = None, name: str | None = None) -> Tensor:
    """An error unless ``x`` has so many dimensions: at once where that is known. As ``tf.debugging.assert_rank``."""
    return note_check(_ops.assert_rank(x, rank, message or ""))


def assert_rank_at_least(x: TensorLike, rank: int, message: str | None = None, name: str | None = None) -> Tensor:
    """An error unless ``x`` has so many dimensions or more. As ``tf.debugging.assert_rank_at_least``."""
    return note_check(_ops.assert_rank_at_least(x, rank, message or ""))


def assert_scalar(tensor: TensorLike, message: str | None = None, name: str | None = None) -> Tensor:
    """An error unless the tensor has no dimensions. As ``tf.debugging.assert_scalar``."""
    return assert_rank(tensor, 0, message)
