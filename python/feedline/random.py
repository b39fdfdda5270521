"""Random values: a function of the seed and the element alone, the same whatever the number of threads, also after a
resume. They are feedline's own, not TensorFlow's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from . import _native, _ops
from ._dtypes import DTypeLike, as_dtype
from ._errors import ArgumentError
from ._native import Tensor
from ._ops import TensorLike

__all__ = ["categorical", "choice", "normal", "set_seed", "shuffle", "truncated_normal", "uniform"]


def _seed(seed: int | None) -> int:
    return _native.drawn_seed() if seed is None else seed


def uniform(
    shape: Sequence[int],
    minval: TensorLike = 0,
    maxval: TensorLike | None = None,
    dtype: DTypeLike = "float32",
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Numbers from ``minval`` to before ``maxval`` (1, of floats), each as likely as the others, and other ones for each element.
    Integers are int32 or int64. Without a seed they follow from :func:`set_seed`, or from
    how many were traced before: the same in every run of a program.

    >>> import feedline as fl
    >>> ds = fl.Dataset.range(1000).map(lambda x: fl.random.uniform([], -1.0, 1.0, seed=3))
    >>> values = [float(x) for x in ds]
    >>> -1.0 <= min(values) < -0.9 and 0.9 < max(values) < 1.0
    True
    >>> dice = fl.Dataset.range(1000).map(lambda x: fl.random.uniform([], 1, 7, fl.int32, seed=3))
    >>> sorted({int(x) for x in dice})
    [1, 2, 3, 4, 5, 6]
    """
    kind = as_dtype(dtype)
    if kind.is_integer:
        if maxval is None:
            raise ArgumentError("random.uniform: maxval must be given for integers")
        low, high = (value if isinstance(value, Tensor) else _ops.cast(value, dtype) for value in (minval, maxval))
        return _ops.random_integers(low, high, list(shape), _seed(seed))
    drawn = _ops.random_uniform(list(shape), _seed(seed))
    drawn = drawn if kind == "float32" else _ops.cast(drawn, dtype)
    end = 1.0 if maxval is None else maxval
    if isinstance(minval, (int, float)) and isinstance(end, (int, float)):
        return drawn if (minval, end) == (0, 1) else drawn * float(end - minval) + float(minval)
    return _ops.add(drawn * _ops.subtract(end, minval), minval)


def normal(
    shape: Sequence[int],
    mean: float = 0.0,
    stddev: float = 1.0,
    dtype: DTypeLike = "float32",
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Floats with a normal distribution, other ones for each element. As ``tf.random.normal``, with other values.

    >>> import feedline as fl
    >>> values = [float(x) for x in fl.Dataset.range(1000).map(lambda x: fl.random.normal([], 10.0, 2.0, seed=1))]
    >>> 9.8 < sum(values) / 1000 < 10.2
    True
    """
    return _ops.random_normal(list(shape), mean, stddev, dtype, seed=_seed(seed))


def truncated_normal(
    shape: Sequence[int],
    mean: float = 0.0,
    stddev: float = 1.0,
    dtype: DTypeLike = "float32",
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """As :func:`normal`, but never more than two deviations from the mean. As ``tf.random.truncated_normal``, with other
    values."""
    return _ops.random_truncated_normal(list(shape), mean, stddev, dtype, seed=_seed(seed))


def shuffle(value: TensorLike, seed: int | None = None, name: str | None = None) -> Tensor:
    """The entries of the first dimension in a random order, another for each element. As ``tf.random.shuffle``."""
    return _ops.random_shuffle(value, _seed(seed))


def choice(
    a: TensorLike, shape: Sequence[int] = (), seed: int | None = None, name: str | None = None
) -> Tensor:
    """Entries of the first dimension of ``a``, each as likely as the others; the same may come again.

    >>> import feedline as fl
    >>> ds = fl.Dataset.range(100).map(lambda x: fl.random.choice(["a", "b"], seed=1))
    >>> sorted({x for x in ds})
    [b'a', b'b']
    """
    count = _ops.shape(a, "int64")[0]
    return _ops.gather(a, _ops.random_integers(_ops.zeros_like(count), count, list(shape), _seed(seed)))


def categorical(
    logits: TensorLike, num_samples: int, dtype: Any = "int64", seed: int | None = None, name: str | None = None
) -> Tensor:
    """Classes: for each row of ``logits`` as many as asked for, by the logarithms of their probabilities. As
    ``tf.random.categorical``, with other values."""
    return _ops.random_categorical(logits, num_samples, dtype, seed=_seed(seed))


def set_seed(seed: int) -> None:
    """As :func:`feedline.set_seed`."""
    _native.set_seed(seed)
