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


def bitwise_and(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """The bits both have, of integers, with broadcasting. As ``tf.bitwise.bitwise_and``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors([12, 10]).map(lambda x: fl.bitwise.bitwise_and(x, 6)).get_single_element()
    array([4, 2], dtype=int32)
    """
    return call('bitwise.bitwise_and', [x, y], [])  # type: ignore[no-any-return]


def bitwise_or(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """The bits either has, of integers, with broadcasting. As ``tf.bitwise.bitwise_or``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors([12, 10]).map(lambda x: fl.bitwise.bitwise_or(x, 6)).get_single_element()
    array([14, 14], dtype=int32)
    """
    return call('bitwise.bitwise_or', [x, y], [])  # type: ignore[no-any-return]


def bitwise_xor(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """The bits one has and the other has not, of integers, with broadcasting. As ``tf.bitwise.bitwise_xor``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors([12, 10]).map(lambda x: fl.bitwise.bitwise_xor(x, 6)).get_single_element()
    array([10, 12], dtype=int32)
    """
    return call('bitwise.bitwise_xor', [x, y], [])  # type: ignore[no-any-return]


def invert(x: TensorLike, name: str | None = None) -> Tensor:
    """The bits an integer has not. As ``tf.bitwise.invert``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors([0, 5]).map(lambda x: fl.bitwise.invert(x)).get_single_element()
    array([-1, -6], dtype=int32)
    """
    return call('bitwise.invert', [x], [])  # type: ignore[no-any-return]


def left_shift(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """The bits `y` places further up, with broadcasting. A negative `y` moves none, one beyond the type's width as
    many as it has less one. As ``tf.bitwise.left_shift``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors([1, 3]).map(lambda x: fl.bitwise.left_shift(x, 4)).get_single_element()
    array([16, 48], dtype=int32)
    """
    return call('bitwise.left_shift', [x, y], [])  # type: ignore[no-any-return]


def right_shift(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """The bits `y` places further down, with broadcasting; what is negative stays so. `y` is limited as in
    `left_shift`. As ``tf.bitwise.right_shift``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors([32, -32]).map(lambda x: fl.bitwise.right_shift(x, 4)).get_single_element()
    array([ 2, -2], dtype=int32)
    """
    return call('bitwise.right_shift', [x, y], [])  # type: ignore[no-any-return]
