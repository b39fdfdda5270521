"""The bits of integers, under the names of ``tf.bitwise``. ``&``, ``|``, ``^``, ``~``, ``<<`` and ``>>`` do the same.

>>> import feedline as fl
>>> [int(x) for x in fl.Dataset.range(4).map(lambda x: fl.bitwise.bitwise_xor(x << 1, 1))]
[1, 3, 5, 7]
"""

from __future__ import annotations

from ._bitwise_ops import bitwise_and, bitwise_or, bitwise_xor, invert, left_shift, right_shift

__all__ = ["bitwise_and", "bitwise_or", "bitwise_xor", "invert", "left_shift", "right_shift"]
