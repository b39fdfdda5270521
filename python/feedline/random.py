"""Random values: a function of the seed and the element alone, the same whatever the number of threads, also after a
resume. They are feedline's own, not TensorFlow's."""

from __future__ import annotations

from collections.abc import Sequence

from . import _native, _ops
from ._dtypes import DTypeLike, as_dtype
from ._errors import SchemaError
from ._native import Tensor

__all__ = ["set_seed", "uniform"]


def uniform(
    shape: Sequence[int],
    minval: float = 0.0,
    maxval: float = 1.0,
    dtype: DTypeLike = "float32",
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Floats, uniform from ``minval`` to before ``maxval``, other ones for each element. Without a seed they follow from
    :func:`set_seed`, or differ from run to run.

    >>> import feedline as fl
    >>> ds = fl.Dataset.range(1000).map(lambda x: fl.random.uniform([], -1.0, 1.0, seed=3))
    >>> values = [float(x) for x in ds]
    >>> -1.0 <= min(values) < -0.9 and 0.9 < max(values) < 1.0
    True
    """
    if not as_dtype(dtype).is_floating:
        raise SchemaError(f"random.uniform draws floats, not {as_dtype(dtype)}\nhint: fl.cast(fl.floor(…), {dtype})")
    drawn = _ops.random_uniform(list(shape), _native.drawn_seed() if seed is None else seed)
    if (minval, maxval) != (0.0, 1.0):
        drawn = drawn * float(maxval - minval) + float(minval)
    return drawn if as_dtype(dtype) == "float32" else _ops.cast(drawn, dtype)


def set_seed(seed: int) -> None:
    """As :func:`feedline.set_seed`."""
    _native.set_seed(seed)
