"""Checks, under the names of ``tf.debugging``."""

from __future__ import annotations

from ._ops import check_numerics

__all__ = ["check_numerics"]
