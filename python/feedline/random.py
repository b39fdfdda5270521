"""Random values: a function of the seed and the element alone, the same whatever the number of threads, also after a
resume. They are feedline's own, not TensorFlow's."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any

import numpy as np

from . import _native, _ops
from ._arguments import whole
from ._checking import checks, known_values
from ._constants import convert_to_tensor
from ._control import map_fn
from ._dtypes import DType, DTypeLike, as_dtype
from ._errors import ArgumentError, SchemaError
from ._native import Tensor
from ._ops import TensorLike

__all__ = ["categorical", "choice", "int", "normal", "set_seed", "shuffle", "truncated_normal", "uniform"]


def _seed(seed: builtins.int | None) -> builtins.int:
    return _native.drawn_seed() if seed is None else seed


def _drawn(what: str, shape: Any, draw: Callable[[list[builtins.int]], Tensor]) -> Tensor:
    """What ``draw`` gives for a shape. One that is computed for each element has values drawn one by one, each with a number of its own."""
    if isinstance(shape, (str, bytes)):
        raise ArgumentError(f"{what}: shape is a list of numbers, not {shape!r}")
    shape = known_values(convert_to_tensor(shape)) if not isinstance(shape, (list, tuple)) or _is_symbolic(shape) else shape
    if not isinstance(shape, Tensor):
        try:
            sizes = [whole(what, "shape", size) for size in np.asarray(shape, np.int64 if len(shape) == 0 else None)]
        except (TypeError, ValueError):
            raise ArgumentError(f"{what}: shape is a list of numbers, not {shape!r}") from None
        return draw(sizes)
    places = _ops.range(np.int64(0), _ops.reduce_prod(_ops.cast(shape, "int64")), np.int64(1))
    return _ops.reshape_to(map_fn(lambda _: draw([]), places), shape)


def _is_symbolic(value: Any) -> bool:
    return isinstance(value, Tensor) or (isinstance(value, (list, tuple)) and any(_is_symbolic(part) for part in value))


@checks
def uniform(
    shape: Any,
    minval: TensorLike = 0,
    maxval: TensorLike | None = None,
    dtype: DTypeLike = "float32",
    seed: builtins.int | None = None,
    name: str | None = None,
) -> Tensor:
    """Numbers from ``minval`` to before ``maxval`` (1, of floats), each as likely as the others, and other ones for each element.
    Integers are int32 or int64; floats have all the bits of their type. Without a seed they follow from :func:`set_seed`, or from
    how many were traced before: the same in every run of a program.

    >>> import feedline as fl
    >>> ds = fl.Dataset.range(1000).map(lambda x: fl.random.uniform([], -1.0, 1.0, seed=3))
    >>> values = [float(x) for x in ds]
    >>> -1.0 <= min(values) < -0.9 and 0.9 < max(values) < 1.0
    True
    >>> dice = fl.Dataset.range(1000).map(lambda x: fl.random.uniform([], 1, 7, fl.int32, seed=3))
    >>> sorted({x.item() for x in dice})
    [1, 2, 3, 4, 5, 6]
    """
    kind = as_dtype(dtype)
    if kind.name in _WHOLE:
        return _integers("random.uniform", shape, minval, maxval, kind, seed)
    if kind.name not in _BITS:
        raise ArgumentError(f"random.uniform: dtype is a type of floats, int32 or int64, not {kind!r}\nhint: fl.cast(x, dtype) converts what is drawn")
    own_seed = _seed(seed)
    drawn = _drawn("random.uniform", shape, lambda sizes: _units(kind, sizes, own_seed))
    return _between(drawn, minval, 1.0 if maxval is None else maxval, kind)


#: The types that whole numbers are drawn in.
_WHOLE = ("int32", "int64")
#: How many bits a float is drawn with: as many as it holds, so that it is as it was drawn, and 1 is never reached.
_BITS = {"float16": 11, "bfloat16": 8, "float32": 24, "float64": 53}


def _units(kind: DType, sizes: list[builtins.int], seed: builtins.int) -> Tensor:
    """Floats from 0 to before 1."""
    if kind == "float32":
        return _ops.random_uniform(sizes, seed)
    bits = _BITS[kind.name]
    return _ops.cast(_ops.random_integers(np.int64(0), np.int64(1 << bits), sizes, seed), kind) * 2.0**-bits


def _between(drawn: Tensor, low: TensorLike, high: TensorLike, kind: DType) -> Tensor:
    """Floats from 0 to before 1 as such from ``low`` to before ``high``."""
    if isinstance(low, (builtins.int, float)) and isinstance(high, (builtins.int, float)):
        if (low, high) == (0, 1):
            return drawn
        scaled = drawn * float(high - low) + float(low)
        if low >= high or not _may_reach(float(low), float(high), kind):
            return scaled
        return _ops.where(_ops.less(scaled, float(high)), scaled, float(low))
    scaled = _ops.add(drawn * _ops.subtract(high, low), low)
    # What is rounded up to `high` counts for `low`, which gets half of what its neighbours do otherwise: nothing is rounded up to it.
    is_below = _ops.logical_or(_ops.less(scaled, high), _ops.greater_equal(low, high))
    return _ops.where(is_below, scaled, low)


def _may_reach(low: float, high: float, kind: DType) -> bool:
    """Whether the largest float that is drawn is rounded up to ``high``."""
    if kind == "bfloat16":  # which numpy may not have
        return True
    number = kind.as_numpy_dtype
    with np.errstate(all="ignore"):
        return bool(number(1 - 2.0 ** -_BITS[kind.name]) * number(high - low) + number(low) >= number(high))


def _integers(
    what: str, shape: Any, minval: TensorLike, maxval: TensorLike | None, kind: DType, seed: builtins.int | None
) -> Tensor:
    if maxval is None:
        raise ArgumentError(f"{what}: maxval must be given for integers")
    if all(isinstance(value, (builtins.int, float)) for value in (minval, maxval)) and minval >= maxval:
        raise ArgumentError(f"{what}: minval is {minval}, it must be below maxval, which is {maxval}")
    low, high = _bound(what, "minval", minval, kind), _bound(what, "maxval", maxval, kind)
    own_seed = _seed(seed)
    return _drawn(what, shape, lambda sizes: _ops.random_integers(low, high, sizes, own_seed))


def _bound(what: str, argument: str, value: TensorLike, kind: DType) -> Tensor:
    """An end of what whole numbers are drawn from, as their type."""
    try:
        return convert_to_tensor(value, kind)
    except SchemaError as error:
        is_symbolic = isinstance(value, Tensor)
        hint = "\nhint: fl.cast(x, dtype) converts" if is_symbolic else ""
        raise (SchemaError if is_symbolic else ArgumentError)(f"{what}: {argument} is {value!r}, and must be {kind!r}, as dtype says{hint}") from error


@checks
def int(  # noqa: A001
    shape: Any,
    minval: TensorLike,
    maxval: TensorLike,
    dtype: DTypeLike = "int64",
    seed: builtins.int | None = None,
    name: str | None = None,
) -> Tensor:
    """Whole numbers from ``minval`` to before ``maxval``, each as likely as the others, and other ones for each element: :func:`uniform` of int32 or int64.
    TensorFlow has none of the name.

    >>> import feedline as fl
    >>> ds = fl.Dataset.range(100).map(lambda x: fl.random.int([], 1, 7, seed=1))
    >>> sorted({x.item() for x in ds})
    [1, 2, 3, 4, 5, 6]
    """
    kind = as_dtype(dtype)
    if kind.name not in _WHOLE:
        raise ArgumentError(f"random.int: dtype is int32 or int64, not {dtype!r}")
    return _integers("random.int", shape, minval, maxval, kind, seed)


@checks
def normal(
    shape: Any,
    mean: TensorLike = 0.0,
    stddev: TensorLike = 1.0,
    dtype: DTypeLike = "float32",
    seed: builtins.int | None = None,
    name: str | None = None,
) -> Tensor:
    """Floats with a normal distribution, other ones for each element. As ``tf.random.normal``, with other values.

    >>> import feedline as fl
    >>> values = [float(x) for x in fl.Dataset.range(1000).map(lambda x: fl.random.normal([], 10.0, 2.0, seed=1))]
    >>> 9.8 < sum(values) / 1000 < 10.2
    True
    """
    return _normal("random.normal", _ops.random_normal, shape, mean, stddev, dtype, seed)


def _normal(what: str, draw: Callable[..., Tensor], shape: Any, mean: Any, stddev: Any, dtype: DTypeLike, seed: builtins.int | None) -> Tensor:
    if not as_dtype(dtype).is_floating:
        raise ArgumentError(f"{what}: dtype is a type of floats, not {as_dtype(dtype)!r}\nhint: fl.cast(x, dtype) converts what is drawn")
    own_seed = _seed(seed)
    if isinstance(mean, (builtins.int, float)) and isinstance(stddev, (builtins.int, float)):
        return _drawn(what, shape, lambda sizes: draw(sizes, mean, stddev, dtype, seed=own_seed))
    drawn = _drawn(what, shape, lambda sizes: draw(sizes, 0.0, 1.0, dtype, seed=own_seed))
    return _ops.add(_ops.multiply(drawn, stddev), mean)


@checks
def truncated_normal(
    shape: Any,
    mean: TensorLike = 0.0,
    stddev: TensorLike = 1.0,
    dtype: DTypeLike = "float32",
    seed: builtins.int | None = None,
    name: str | None = None,
) -> Tensor:
    """As :func:`normal`, but never more than two deviations from the mean. As ``tf.random.truncated_normal``, with other
    values.

    >>> import feedline as fl
    >>> ds = fl.Dataset.range(1000).map(lambda x: fl.random.truncated_normal([], 10.0, 2.0, seed=1))
    >>> all(6 <= x <= 14 for x in ds)
    True
    """
    return _normal("random.truncated_normal", _ops.random_truncated_normal, shape, mean, stddev, dtype, seed)


@checks
def shuffle(value: TensorLike, seed: builtins.int | None = None, name: str | None = None) -> Tensor:
    """The entries of the first dimension in a random order, another for each element. As ``tf.random.shuffle``.

    >>> import feedline as fl
    >>> ds = fl.Dataset.range(2).map(lambda x: fl.random.shuffle([1, 2, 3, 4], seed=1))
    >>> [sorted(x.tolist()) for x in ds]
    [[1, 2, 3, 4], [1, 2, 3, 4]]
    """
    return _ops.random_shuffle(value, _seed(seed))


@checks
def choice(
    a: TensorLike, shape: Any = (), seed: builtins.int | None = None, name: str | None = None
) -> Tensor:
    """Entries of the first dimension of ``a``, each as likely as the others; the same may come again.

    >>> import feedline as fl
    >>> ds = fl.Dataset.range(100).map(lambda x: fl.random.choice(["a", "b"], seed=1))
    >>> sorted({x for x in ds})
    [b'a', b'b']
    """
    count = _ops.shape(a, "int64")[0]
    own_seed = _seed(seed)
    return _ops.gather(a, _drawn("random.choice", shape, lambda sizes: _ops.random_integers(_ops.zeros_like(count), count, sizes, own_seed)))


@checks
def categorical(
    logits: TensorLike, num_samples: builtins.int, dtype: Any = "int64", seed: builtins.int | None = None, name: str | None = None
) -> Tensor:
    """Classes: for each row of ``logits`` as many as asked for, by the logarithms of their probabilities. As
    ``tf.random.categorical``, with other values.

    >>> import feedline as fl
    >>> likely = fl.Dataset.range(1).map(lambda x: fl.random.categorical([[0.0, -100.0]], 5, seed=1))
    >>> likely.get_single_element()
    array([[0, 0, 0, 0, 0]])
    """
    return _ops.random_categorical(logits, num_samples, dtype, seed=_seed(seed))


@checks
def set_seed(seed: builtins.int) -> None:
    """Makes every dataset built from now on repeatable, also its shuffles and random values that are given no seed: theirs follow from this one and from how
    many were built since. Shuffles have the orders that ``tf.random.set_seed`` and the same calls give.

    >>> import feedline as fl
    >>> for _ in range(2):
    ...     fl.set_seed(7)
    ...     print(fl.Dataset.range(5).shuffle(5).batch(5).get_single_element())
    [3 2 0 4 1]
    [3 2 0 4 1]
    """
    _native.set_seed(seed)
