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


def add(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """`x + y`, element by element, with broadcasting. Integers wrap around. As ``tf.add``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors([1, 2]).map(lambda x: fl.add(x, [10, 20])).get_single_element()
    array([11, 22], dtype=int32)
    """
    return call('add', [x, y], [])  # type: ignore[no-any-return]


def subtract(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """`x - y`, element by element, with broadcasting. Integers wrap around. As ``tf.subtract``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors([5, 7]).map(lambda x: fl.subtract(x, 2)).get_single_element()
    array([3, 5], dtype=int32)
    """
    return call('subtract', [x, y], [])  # type: ignore[no-any-return]


def multiply(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """`x * y`, element by element, with broadcasting. Integers wrap around. As ``tf.multiply``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors([2, 3]).map(lambda x: fl.multiply(x, x)).get_single_element()
    array([4, 9], dtype=int32)
    """
    return call('multiply', [x, y], [])  # type: ignore[no-any-return]


def truediv(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """`x / y`, element by element, with broadcasting, as Python divides: integers of up to 16 bits become float32,
    wider ones float64. As ``tf.truediv``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors([1, 2]).map(lambda x: fl.truediv(x, 4)).get_single_element()
    array([0.25, 0.5 ])
    """
    return call('truediv', [x, y], [])  # type: ignore[no-any-return]


def floordiv(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """`x // y`: the quotient rounded down. An integer division by zero is an error of its element. As
    ``tf.math.floordiv``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors([7, -7]).map(lambda x: fl.math.floordiv(x, 2)).get_single_element()
    array([ 3, -4], dtype=int32)
    """
    return call('floordiv', [x, y], [])  # type: ignore[no-any-return]


def floormod(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """`x % y` with the sign of `y`, as Python has it. An integer division by zero is an error of its element. As
    ``tf.math.floormod``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors([7, -7]).map(lambda x: fl.math.floormod(x, 3)).get_single_element()
    array([1, 2], dtype=int32)
    """
    return call('floormod', [x, y], [])  # type: ignore[no-any-return]


def minimum(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """The smaller of the two, element by element, with broadcasting. As ``tf.minimum``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors([1, 5]).map(lambda x: fl.minimum(x, 3)).get_single_element()
    array([1, 3], dtype=int32)
    """
    return call('minimum', [x, y], [])  # type: ignore[no-any-return]


def maximum(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """The larger of the two, element by element, with broadcasting. As ``tf.maximum``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors([1, 5]).map(lambda x: fl.maximum(x, 3)).get_single_element()
    array([3, 5], dtype=int32)
    """
    return call('maximum', [x, y], [])  # type: ignore[no-any-return]


def negative(x: TensorLike, name: str | None = None) -> Tensor:
    """`-x`. The smallest integer stays itself. As ``tf.negative``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors([1, -2]).map(lambda x: fl.negative(x)).get_single_element()
    array([-1,  2], dtype=int32)
    """
    return call('negative', [x], [])  # type: ignore[no-any-return]


def pow(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """`x` to the power of `y`, element by element, with broadcasting. Integers wrap around; a negative power of an
    integer is an error of its element. As ``tf.pow``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors([2, 3]).map(lambda x: fl.pow(x, [10, 2])).get_single_element()
    array([1024,    9], dtype=int32)
    """
    return call('pow', [x, y], [])  # type: ignore[no-any-return]


def abs(x: TensorLike, name: str | None = None) -> Tensor:
    """The distance from 0. The smallest integer stays itself. As ``tf.abs``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors([-1.5, 2.0]).map(lambda x: fl.abs(x)).get_single_element()
    array([1.5, 2. ], dtype=float32)
    """
    return call('abs', [x], [])  # type: ignore[no-any-return]


def sign(x: TensorLike, name: str | None = None) -> Tensor:
    """−1, 0 or 1: the sign of a number. Not a number stays not a number. As ``tf.sign``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors([-1.5, 0.0, 2.0]).map(lambda x: fl.sign(x)).get_single_element()
    array([-1.,  0.,  1.], dtype=float32)
    """
    return call('sign', [x], [])  # type: ignore[no-any-return]


def square(x: TensorLike, name: str | None = None) -> Tensor:
    """`x * x`. Integers wrap around. As ``tf.square``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors([-2, 3]).map(lambda x: fl.square(x)).get_single_element()
    array([4, 9], dtype=int32)
    """
    return call('square', [x], [])  # type: ignore[no-any-return]


def sqrt(x: TensorLike, name: str | None = None) -> Tensor:
    """The square root of a float; not a number below 0. As ``tf.sqrt``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors([4.0, 9.0]).map(lambda x: fl.sqrt(x)).get_single_element()
    array([2., 3.], dtype=float32)
    """
    return call('sqrt', [x], [])  # type: ignore[no-any-return]


def rsqrt(x: TensorLike, name: str | None = None) -> Tensor:
    """1 divided by the square root of a float. As ``tf.math.rsqrt``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors([4.0, 16.0]).map(lambda x: fl.math.rsqrt(x)).get_single_element()
    array([0.5 , 0.25], dtype=float32)
    """
    return call('rsqrt', [x], [])  # type: ignore[no-any-return]


def exp(x: TensorLike, name: str | None = None) -> Tensor:
    """e to the power of a float. As ``tf.exp``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors([0.0, 1.0]).map(lambda x: fl.exp(x)).get_single_element().round(4)
    array([1.    , 2.7183], dtype=float32)
    """
    return call('exp', [x], [])  # type: ignore[no-any-return]


def log(x: TensorLike, name: str | None = None) -> Tensor:
    """The natural logarithm of a float. As ``tf.math.log``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors([1.0, 10.0]).map(lambda x: fl.math.log(x)).get_single_element().round(4)
    array([0.    , 2.3026], dtype=float32)
    """
    return call('log', [x], [])  # type: ignore[no-any-return]


def log1p(x: TensorLike, name: str | None = None) -> Tensor:
    """The natural logarithm of `1 + x`, exact also where `x` is small. As ``tf.math.log1p``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors([0.0, 1.0]).map(lambda x: fl.math.log1p(x)).get_single_element().round(4)
    array([0.    , 0.6931], dtype=float32)
    """
    return call('log1p', [x], [])  # type: ignore[no-any-return]


def floor(x: TensorLike, name: str | None = None) -> Tensor:
    """The next whole float below. As ``tf.floor``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors([1.7, -1.2]).map(lambda x: fl.floor(x)).get_single_element()
    array([ 1., -2.], dtype=float32)
    """
    return call('floor', [x], [])  # type: ignore[no-any-return]


def ceil(x: TensorLike, name: str | None = None) -> Tensor:
    """The next whole float above. As ``tf.math.ceil``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors([1.2, -1.7]).map(lambda x: fl.math.ceil(x)).get_single_element()
    array([ 2., -1.], dtype=float32)
    """
    return call('ceil', [x], [])  # type: ignore[no-any-return]


def round(x: TensorLike, name: str | None = None) -> Tensor:
    """The nearest whole number; a half goes to the even one: `round([0.5, 1.5, 2.5])` is `[0, 2, 2]`. As ``tf.round``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors([0.5, 1.5, 2.6]).map(lambda x: fl.round(x)).get_single_element()
    array([0., 2., 3.], dtype=float32)
    """
    return call('round', [x], [])  # type: ignore[no-any-return]


def is_nan(x: TensorLike, name: str | None = None) -> Tensor:
    """Whether a float is not a number. As ``tf.math.is_nan``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors([1.0, float("nan")]).map(lambda x: fl.math.is_nan(x)).get_single_element()
    array([False,  True])
    """
    return call('is_nan', [x], [])  # type: ignore[no-any-return]


def is_finite(x: TensorLike, name: str | None = None) -> Tensor:
    """Whether a float is neither infinite nor not a number. As ``tf.math.is_finite``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors([1.0, float("inf")]).map(lambda x: fl.math.is_finite(x)).get_single_element()
    array([ True, False])
    """
    return call('is_finite', [x], [])  # type: ignore[no-any-return]


def is_inf(x: TensorLike, name: str | None = None) -> Tensor:
    """Whether a float is infinite, with either sign. As ``tf.math.is_inf``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors([1.0, float("-inf")]).map(lambda x: fl.math.is_inf(x)).get_single_element()
    array([False,  True])
    """
    return call('is_inf', [x], [])  # type: ignore[no-any-return]


def equal(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """`x == y`, element by element, with broadcasting; also for strings. As ``tf.equal``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors(["cat", "dog"]).map(lambda x: fl.equal(x, "cat")).get_single_element()
    array([ True, False])
    """
    return call('equal', [x, y], [])  # type: ignore[no-any-return]


def not_equal(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """`x != y`, element by element, with broadcasting; also for strings. As ``tf.not_equal``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors([1, 2]).map(lambda x: fl.not_equal(x, 2)).get_single_element()
    array([ True, False])
    """
    return call('not_equal', [x, y], [])  # type: ignore[no-any-return]


def less(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """`x < y`, element by element, with broadcasting. As ``tf.less``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors([1, 2, 3]).map(lambda x: fl.less(x, 2)).get_single_element()
    array([ True, False, False])
    """
    return call('less', [x, y], [])  # type: ignore[no-any-return]


def less_equal(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """`x <= y`, element by element, with broadcasting. As ``tf.less_equal``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors([1, 2, 3]).map(lambda x: fl.less_equal(x, 2)).get_single_element()
    array([ True,  True, False])
    """
    return call('less_equal', [x, y], [])  # type: ignore[no-any-return]


def greater(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """`x > y`, element by element, with broadcasting. As ``tf.greater``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors([1, 2, 3]).map(lambda x: fl.greater(x, 2)).get_single_element()
    array([False, False,  True])
    """
    return call('greater', [x, y], [])  # type: ignore[no-any-return]


def greater_equal(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """`x >= y`, element by element, with broadcasting. As ``tf.greater_equal``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors([1, 2, 3]).map(lambda x: fl.greater_equal(x, 2)).get_single_element()
    array([False,  True,  True])
    """
    return call('greater_equal', [x, y], [])  # type: ignore[no-any-return]


def logical_and(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Both, of bools, with broadcasting. As ``tf.logical_and``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors([1, 2, 3]).map(lambda x: fl.logical_and(x > 1, x < 3)).get_single_element()
    array([False,  True, False])
    """
    return call('logical_and', [x, y], [])  # type: ignore[no-any-return]


def logical_or(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Either, of bools, with broadcasting. As ``tf.logical_or``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors([1, 2, 3]).map(lambda x: fl.logical_or(x < 2, x > 2)).get_single_element()
    array([ True, False,  True])
    """
    return call('logical_or', [x, y], [])  # type: ignore[no-any-return]


def logical_not(x: TensorLike, name: str | None = None) -> Tensor:
    """The other, of bools. As ``tf.logical_not``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors([True, False]).map(lambda x: fl.logical_not(x)).get_single_element()
    array([False,  True])
    """
    return call('logical_not', [x], [])  # type: ignore[no-any-return]


def where(condition: TensorLike, x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """`x` where the condition holds, `y` elsewhere, all three broadcast to one shape. Both are computed for every
    element. As ``tf.where``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors([-1.0, 4.0]).map(lambda x: fl.where(x > 0, x, 0.0)).get_single_element()
    array([0., 4.], dtype=float32)
    """
    return call('where', [condition, x, y], [])  # type: ignore[no-any-return]


def clip_by_value(t: TensorLike, clip_value_min: TensorLike, clip_value_max: TensorLike, name: str | None = None) -> Tensor:
    """Values below the minimum become it, values above the maximum become that. The limits are broadcast to the
    tensor's shape. Where the minimum is above the maximum, the minimum wins. As ``tf.clip_by_value``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors([-5, 3, 12]).map(lambda x: fl.clip_by_value(x, 0, 10)).get_single_element()
    array([ 0,  3, 10], dtype=int32)
    """
    return call('clip_by_value', [t, clip_value_min, clip_value_max], [])  # type: ignore[no-any-return]


def one_hot(indices: TensorLike, depth: int, on_value: float = 1, off_value: float = 0, axis: int = -1, dtype: DTypeLike = 'float32', name: str | None = None) -> Tensor:
    """A new dimension of size `depth` with `on_value` at the index and `off_value` elsewhere; an index outside gives
    `off_value` throughout. `one_hot([0, 2], 3)` is `[[1, 0, 0], [0, 0, 1]]`. As ``tf.one_hot``.

    >>> import feedline as fl
    >>> next(iter(fl.Dataset.from_tensors([0, 2]).map(lambda x: fl.one_hot(x, 3, on_value="yes", off_value=""))))
    array([[b'yes', b'', b''],
           [b'', b'', b'yes']], dtype=object)
    """
    return call('one_hot', [indices], [depth, on_value, off_value, axis, dtype])  # type: ignore[no-any-return]


def cast(x: TensorLike, dtype: DTypeLike, name: str | None = None) -> Tensor:
    """The same numbers in another type. Integers wrap around; floats to integers lose the fraction and stop at the
    type's limits (not-a-number becomes 0); anything but 0 is true. As ``tf.cast``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors([1.7, -2.2]).map(lambda x: fl.cast(x, fl.int32)).get_single_element()
    array([ 1, -2], dtype=int32)
    """
    return call('cast', [x], [dtype])  # type: ignore[no-any-return]


def reshape(tensor: TensorLike, shape: ShapeLike, name: str | None = None) -> Tensor:
    """The same values in another shape. One dimension may be unknown: it is what the values leave. As ``tf.reshape``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors([1, 2, 3, 4]).map(lambda x: fl.reshape(x, [2, -1])).get_single_element()
    array([[1, 2],
           [3, 4]], dtype=int32)
    """
    return call('reshape', [tensor], [shape])  # type: ignore[no-any-return]


def gather(params: TensorLike, indices: TensorLike, axis: int = 0, name: str | None = None) -> Tensor:
    """The entries of `params` at `indices` along an axis, in the shape of `indices`. An index outside (also a negative
    one) is an error of its element. As ``tf.gather``.

    >>> import feedline as fl
    >>> rows = fl.Dataset.from_tensors([[10, 11, 12], [20, 21, 22]])
    >>> print(next(iter(rows.map(lambda x: fl.gather(x, [[2, 0], [1, 1]], batch_dims=1)))))
    [[12 10]
     [21 21]]
    """
    return call('gather', [params, indices], [axis])  # type: ignore[no-any-return]


def batch_gather(params: TensorLike, indices: TensorLike, axis: int | Sequence[int] | None = None, batch_dims: int = 0, name: str | None = None) -> Tensor:
    """As `gather`, where the first `batch_dims` dimensions of both belong together: each entry there is gathered from
    on its own. The axis is the next one where none is given. As ``tf.gather``.

    >>> import feedline as fl
    >>> rows = fl.Dataset.from_tensors([[10, 11, 12], [20, 21, 22]])
    >>> print(next(iter(rows.map(lambda x: fl.gather(x, [[2, 0], [1, 1]], batch_dims=1)))))
    [[12 10]
     [21 21]]
    """
    return call('batch_gather', [params, indices], [axis, batch_dims])  # type: ignore[no-any-return]


def stack(values: Sequence[TensorLike], axis: int = 0, name: str | None = None) -> Tensor:
    """Tensors of one shape side by side in a new dimension: `stack([x, y])` has a first dimension of size 2. As
    ``tf.stack``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors([1, 2]).map(lambda x: fl.stack([x, x + 10])).get_single_element()
    array([[ 1,  2],
           [11, 12]], dtype=int32)
    """
    return call('stack', [*several('stack', 'values', values)], [axis])  # type: ignore[no-any-return]


def concat(values: Sequence[TensorLike], axis: int, name: str | None = None) -> Tensor:
    """Tensors one behind the other along a dimension they have; the others must agree. As ``tf.concat``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors([1, 2]).map(lambda x: fl.concat([x, x + 10], 0)).get_single_element()
    array([ 1,  2, 11, 12], dtype=int32)
    """
    return call('concat', [*several('concat', 'values', values)], [axis])  # type: ignore[no-any-return]


def expand_dims(input: TensorLike, axis: int, name: str | None = None) -> Tensor:
    """One more dimension, of size 1, before dimension `axis`; −1 adds it at the end. As ``tf.expand_dims``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors([1, 2]).map(lambda x: fl.expand_dims(x, -1)).get_single_element()
    array([[1],
           [2]], dtype=int32)
    """
    return call('expand_dims', [input], [axis])  # type: ignore[no-any-return]


def squeeze(input: TensorLike, axis: int | Sequence[int] | None = None, name: str | None = None) -> Tensor:
    """Without its dimensions of size 1, or without the ones `axis` names, which must have size 1. As ``tf.squeeze``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors([[1, 2]]).map(lambda x: fl.squeeze(x)).get_single_element()
    array([1, 2], dtype=int32)
    """
    return call('squeeze', [input], [axis])  # type: ignore[no-any-return]


def transpose(a: TensorLike, perm: int | Sequence[int] | None = None, name: str | None = None) -> Tensor:
    """The dimensions in the order `perm`, or reversed. As ``tf.transpose``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors([[1, 2], [3, 4]]).map(lambda x: fl.transpose(x)).get_single_element()
    array([[1, 3],
           [2, 4]], dtype=int32)
    """
    return call('transpose', [a], [perm])  # type: ignore[no-any-return]


def shape(input: TensorLike, out_type: DTypeLike = 'int32', name: str | None = None) -> Tensor:
    """The size of each dimension. As ``tf.shape``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors([[1, 2, 3]]).map(lambda x: fl.shape(x)).get_single_element()
    array([1, 3], dtype=int32)
    """
    return call('shape', [input], [out_type])  # type: ignore[no-any-return]


def size(input: TensorLike, out_type: DTypeLike = 'int32', name: str | None = None) -> Tensor:
    """The number of values. As ``tf.size``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors([[1, 2, 3]]).map(lambda x: fl.size(x)).get_single_element()
    np.int32(3)
    """
    return call('size', [input], [out_type])  # type: ignore[no-any-return]


def rank(input: TensorLike, name: str | None = None) -> Tensor:
    """The number of dimensions. As ``tf.rank``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors([[1, 2, 3]]).map(lambda x: fl.rank(x)).get_single_element()
    np.int32(2)
    """
    return call('rank', [input], [])  # type: ignore[no-any-return]


def reduce_sum(input_tensor: TensorLike, axis: int | Sequence[int] | None = None, keepdims: bool = False, name: str | None = None) -> Tensor:
    """The sum over some dimensions, or all. Integers wrap around; float16 and bfloat16 are added up as float32 and
    rounded once. The order of addition depends on the shape alone. As ``tf.reduce_sum``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors([[1, 2], [3, 4]]).map(lambda x: fl.reduce_sum(x, axis=0)).get_single_element()
    array([4, 6], dtype=int32)
    """
    return call('reduce_sum', [input_tensor], [axis, keepdims])  # type: ignore[no-any-return]


def reduce_mean(input_tensor: TensorLike, axis: int | Sequence[int] | None = None, keepdims: bool = False, name: str | None = None) -> Tensor:
    """The mean over some dimensions, or all. That of integers is cut to an integer; that of nothing is not a number,
    of integers 0. As ``tf.reduce_mean``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors([[1.0, 2.0], [3.0, 5.0]]).map(lambda x: fl.reduce_mean(x, axis=1)).get_single_element()
    array([1.5, 4. ], dtype=float32)
    """
    return call('reduce_mean', [input_tensor], [axis, keepdims])  # type: ignore[no-any-return]


def reduce_max(input_tensor: TensorLike, axis: int | Sequence[int] | None = None, keepdims: bool = False, name: str | None = None) -> Tensor:
    """The largest value over some dimensions, or all; not a number if there is one. That of nothing is the type's
    smallest. As ``tf.reduce_max``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors([[1, 2], [3, 4]]).map(lambda x: fl.reduce_max(x, axis=1)).get_single_element()
    array([2, 4], dtype=int32)
    """
    return call('reduce_max', [input_tensor], [axis, keepdims])  # type: ignore[no-any-return]


def reduce_min(input_tensor: TensorLike, axis: int | Sequence[int] | None = None, keepdims: bool = False, name: str | None = None) -> Tensor:
    """The smallest value over some dimensions, or all; not a number if there is one. That of nothing is the type's
    largest. As ``tf.reduce_min``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors([[1, 2], [3, 4]]).map(lambda x: fl.reduce_min(x, axis=1)).get_single_element()
    array([1, 3], dtype=int32)
    """
    return call('reduce_min', [input_tensor], [axis, keepdims])  # type: ignore[no-any-return]


def reduce_prod(input_tensor: TensorLike, axis: int | Sequence[int] | None = None, keepdims: bool = False, name: str | None = None) -> Tensor:
    """The product over some dimensions, or all. Integers wrap around; float16 and bfloat16 are multiplied as float32
    and rounded once. As ``tf.reduce_prod``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors([[1, 2], [3, 4]]).map(lambda x: fl.reduce_prod(x, axis=1)).get_single_element()
    array([ 2, 12], dtype=int32)
    """
    return call('reduce_prod', [input_tensor], [axis, keepdims])  # type: ignore[no-any-return]


def reduce_any(input_tensor: TensorLike, axis: int | Sequence[int] | None = None, keepdims: bool = False, name: str | None = None) -> Tensor:
    """Whether any of the bools is true, over some dimensions, or all. As ``tf.reduce_any``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors([[True, False], [False, False]]).map(lambda x: fl.reduce_any(x, axis=1)).get_single_element()
    array([ True, False])
    """
    return call('reduce_any', [input_tensor], [axis, keepdims])  # type: ignore[no-any-return]


def reduce_all(input_tensor: TensorLike, axis: int | Sequence[int] | None = None, keepdims: bool = False, name: str | None = None) -> Tensor:
    """Whether all of the bools are true, over some dimensions, or all. As ``tf.reduce_all``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors([[True, False], [True, True]]).map(lambda x: fl.reduce_all(x, axis=1)).get_single_element()
    array([False,  True])
    """
    return call('reduce_all', [input_tensor], [axis, keepdims])  # type: ignore[no-any-return]


def decode_raw(input_bytes: TensorLike, out_type: DTypeLike, little_endian: bool = True, name: str | None = None) -> Tensor:
    """Numbers that lie in strings byte by byte: a new last dimension. All strings of an element must have one length,
    a multiple of the type's; anything else is an error of the element. As ``tf.io.decode_raw``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors("abc").map(lambda x: fl.io.decode_raw(x, fl.uint8)).get_single_element()
    array([97, 98, 99], dtype=uint8)
    """
    return call('decode_raw', [input_bytes], [out_type, little_endian])  # type: ignore[no-any-return]


def read_file(filename: TensorLike, name: str | None = None) -> Tensor:
    """The contents of the file of that name. A file that cannot be read is an error of its element. It waits for
    storage, so many are read at a time. As ``tf.io.read_file``.

    >>> import feedline as fl, pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "label.txt")
    >>> _ = path.write_text("cat")
    >>> fl.Dataset.from_tensors(str(path)).map(lambda x: fl.io.read_file(x)).get_single_element()
    b'cat'
    """
    return call('read_file', [filename], [])  # type: ignore[no-any-return]


def parse_single_example(serialized: TensorLike, features: Any, name: str | None = None) -> Any:
    """A dictionary of tensors from one `tf.train.Example`. Bytes stay views on the record. `VarLen` features come as
    sparse tensors, `Ragged` ones as plain tensors of one dimension. A record that lacks a feature without default,
    or has another type or number of values, is an error of its element. As ``tf.io.parse_single_example``.

    >>> import feedline as fl
    >>> record = fl.io.example({"label": 3, "name": "cat"})
    >>> features = {"label": fl.io.FixedLenFeature([], fl.int64), "name": fl.io.FixedLenFeature([], fl.string)}
    >>> fl.Dataset.from_tensors(record).map(lambda x: fl.io.parse_single_example(x, features)).get_single_element()
    {'label': np.int64(3), 'name': b'cat'}
    """
    return call('parse_single_example', [serialized], [features])


def parse_example(serialized: TensorLike, features: Any, name: str | None = None) -> Any:
    """As `parse_single_example`, for a batch of records: each tensor has the batch as its first dimension, and
    sequences are filled up to the longest of the batch. `VarLen` features come as sparse tensors, `Ragged` ones as
    ragged ones. As ``tf.io.parse_example``.

    >>> import feedline as fl
    >>> records = [fl.io.example({"label": 3}), fl.io.example({"label": 5})]
    >>> features = {"label": fl.io.FixedLenFeature([], fl.int64)}
    >>> fl.Dataset.from_tensors(records).map(lambda x: fl.io.parse_example(x, features)).get_single_element()
    {'label': array([3, 5])}
    """
    return call('parse_example', [serialized], [features])


def check_numerics(tensor: TensorLike, message: str, name: str | None = None) -> Tensor:
    """An error of its element if it holds a value that is infinite or not a number; the tensor otherwise. As
    ``tf.debugging.check_numerics``.

    >>> import feedline as fl
    >>> ds = fl.Dataset.from_tensor_slices([1.0, 0.0]).map(lambda x: fl.debugging.check_numerics(1 / x, "1 / x"))
    >>> [float(x) for x in ds.ignore_errors()]
    [1.0]
    """
    return call('check_numerics', [tensor], [message])  # type: ignore[no-any-return]


def random_uniform(shape: ShapeLike, seed: int, name: str | None = None) -> Tensor:
    """Random numbers of one shape, uniform in [0, 1), a function of the seed and the element alone: the same whatever
    the number of threads, also after a resume. As ``tf.random.uniform (other values)``.

    >>> import feedline as fl
    >>> ds = fl.Dataset.range(1000).map(lambda x: fl.random.uniform([], -1.0, 1.0, seed=3))
    >>> all(-1 <= x < 1 for x in ds)
    True
    """
    return call('random_uniform', [], [shape, seed])  # type: ignore[no-any-return]


def sin(x: TensorLike, name: str | None = None) -> Tensor:
    """The sine of a float, an angle in radians. As ``tf.sin``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors([0.0, 1.0]).map(lambda x: fl.sin(x)).get_single_element().round(4)
    array([0.    , 0.8415], dtype=float32)
    """
    return call('sin', [x], [])  # type: ignore[no-any-return]


def cos(x: TensorLike, name: str | None = None) -> Tensor:
    """The cosine of a float, an angle in radians. As ``tf.cos``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors([0.0, 1.0]).map(lambda x: fl.cos(x)).get_single_element().round(4)
    array([1.    , 0.5403], dtype=float32)
    """
    return call('cos', [x], [])  # type: ignore[no-any-return]


def tan(x: TensorLike, name: str | None = None) -> Tensor:
    """The tangent of a float, an angle in radians. As ``tf.tan``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors([0.0, 1.0]).map(lambda x: fl.tan(x)).get_single_element().round(4)
    array([0.    , 1.5574], dtype=float32)
    """
    return call('tan', [x], [])  # type: ignore[no-any-return]


def asin(x: TensorLike, name: str | None = None) -> Tensor:
    """The angle whose sine a float is; not a number beyond −1 and 1. As ``tf.asin``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors([0.0, 1.0]).map(lambda x: fl.asin(x)).get_single_element().round(4)
    array([0.    , 1.5708], dtype=float32)
    """
    return call('asin', [x], [])  # type: ignore[no-any-return]


def acos(x: TensorLike, name: str | None = None) -> Tensor:
    """The angle whose cosine a float is; not a number beyond −1 and 1. As ``tf.acos``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors([0.0, 1.0]).map(lambda x: fl.acos(x)).get_single_element().round(4)
    array([1.5708, 0.    ], dtype=float32)
    """
    return call('acos', [x], [])  # type: ignore[no-any-return]


def atan(x: TensorLike, name: str | None = None) -> Tensor:
    """The angle whose tangent a float is. As ``tf.atan``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors([0.0, 1.0]).map(lambda x: fl.atan(x)).get_single_element().round(4)
    array([0.    , 0.7854], dtype=float32)
    """
    return call('atan', [x], [])  # type: ignore[no-any-return]


def atan2(y: TensorLike, x: TensorLike, name: str | None = None) -> Tensor:
    """The angle of the point with the coordinates `x` and `y`, from −π to π, with broadcasting. As ``tf.math.atan2``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors([1.0, -1.0]).map(lambda x: fl.math.atan2(x, 1.0)).get_single_element().round(4)
    array([ 0.7854, -0.7854], dtype=float32)
    """
    return call('atan2', [y, x], [])  # type: ignore[no-any-return]


def sinh(x: TensorLike, name: str | None = None) -> Tensor:
    """The hyperbolic sine of a float. As ``tf.sinh``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors([0.0, 1.0]).map(lambda x: fl.sinh(x)).get_single_element().round(4)
    array([0.    , 1.1752], dtype=float32)
    """
    return call('sinh', [x], [])  # type: ignore[no-any-return]


def cosh(x: TensorLike, name: str | None = None) -> Tensor:
    """The hyperbolic cosine of a float. As ``tf.cosh``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors([0.0, 1.0]).map(lambda x: fl.cosh(x)).get_single_element().round(4)
    array([1.    , 1.5431], dtype=float32)
    """
    return call('cosh', [x], [])  # type: ignore[no-any-return]


def tanh(x: TensorLike, name: str | None = None) -> Tensor:
    """The hyperbolic tangent of a float. As ``tf.tanh``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors([0.0, 1.0]).map(lambda x: fl.tanh(x)).get_single_element().round(4)
    array([0.    , 0.7616], dtype=float32)
    """
    return call('tanh', [x], [])  # type: ignore[no-any-return]


def asinh(x: TensorLike, name: str | None = None) -> Tensor:
    """The float whose hyperbolic sine this is. As ``tf.asinh``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors([0.0, 1.0]).map(lambda x: fl.asinh(x)).get_single_element().round(4)
    array([0.    , 0.8814], dtype=float32)
    """
    return call('asinh', [x], [])  # type: ignore[no-any-return]


def acosh(x: TensorLike, name: str | None = None) -> Tensor:
    """The float whose hyperbolic cosine this is; not a number below 1. As ``tf.acosh``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors([1.0, 2.0]).map(lambda x: fl.acosh(x)).get_single_element().round(4)
    array([0.   , 1.317], dtype=float32)
    """
    return call('acosh', [x], [])  # type: ignore[no-any-return]


def atanh(x: TensorLike, name: str | None = None) -> Tensor:
    """The float whose hyperbolic tangent this is; not a number beyond −1 and 1. As ``tf.atanh``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors([0.0, 0.5]).map(lambda x: fl.atanh(x)).get_single_element().round(4)
    array([0.    , 0.5493], dtype=float32)
    """
    return call('atanh', [x], [])  # type: ignore[no-any-return]


def sigmoid(x: TensorLike, name: str | None = None) -> Tensor:
    """`1 / (1 + exp(-x))`. As ``tf.sigmoid``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors([0.0, 2.0]).map(lambda x: fl.sigmoid(x)).get_single_element().round(4)
    array([0.5   , 0.8808], dtype=float32)
    """
    return call('sigmoid', [x], [])  # type: ignore[no-any-return]


def softplus(features: TensorLike, name: str | None = None) -> Tensor:
    """`log(1 + exp(x))`, also where `exp(x)` is larger than any float. As ``tf.math.softplus``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors([0.0, 100.0]).map(lambda x: fl.math.softplus(x)).get_single_element().round(4)
    array([  0.6931, 100.    ], dtype=float32)
    """
    return call('softplus', [features], [])  # type: ignore[no-any-return]


def expm1(x: TensorLike, name: str | None = None) -> Tensor:
    """`exp(x) - 1`, exact also where `x` is small. As ``tf.math.expm1``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors([0.0, 1.0]).map(lambda x: fl.math.expm1(x)).get_single_element().round(4)
    array([0.    , 1.7183], dtype=float32)
    """
    return call('expm1', [x], [])  # type: ignore[no-any-return]


def reciprocal(x: TensorLike, name: str | None = None) -> Tensor:
    """`1 / x`, of floats. As ``tf.math.reciprocal``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors([2.0, 4.0]).map(lambda x: fl.math.reciprocal(x)).get_single_element()
    array([0.5 , 0.25], dtype=float32)
    """
    return call('reciprocal', [x], [])  # type: ignore[no-any-return]


def squared_difference(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """`(x - y) * (x - y)`, with broadcasting. Integers wrap around. As ``tf.math.squared_difference``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors([1, 5]).map(lambda x: fl.math.squared_difference(x, 3)).get_single_element()
    array([4, 4], dtype=int32)
    """
    return call('squared_difference', [x, y], [])  # type: ignore[no-any-return]


def divide_no_nan(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """`x / y` of floats, with broadcasting, and 0 where `y` is 0. As ``tf.math.divide_no_nan``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors([2.0, 0.0]).map(lambda x: fl.math.divide_no_nan(1.0, x)).get_single_element()
    array([0.5, 0. ], dtype=float32)
    """
    return call('divide_no_nan', [x, y], [])  # type: ignore[no-any-return]


def logical_xor(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Either, but not both, of bools, with broadcasting. As ``tf.math.logical_xor``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors([True, False]).map(lambda x: fl.math.logical_xor(x, True)).get_single_element()
    array([False,  True])
    """
    return call('logical_xor', [x, y], [])  # type: ignore[no-any-return]


def reduce_variance(input_tensor: TensorLike, axis: int | Sequence[int] | None = None, keepdims: bool = False, name: str | None = None) -> Tensor:
    """The mean of the squared distances from the mean, of floats, over some dimensions, or all. It is computed in
    double precision and rounded once. That of nothing is not a number. As ``tf.math.reduce_variance``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors([[1.0, 3.0], [2.0, 2.0]]).map(lambda x: fl.math.reduce_variance(x, axis=1)).get_single_element()
    array([1., 0.], dtype=float32)
    """
    return call('reduce_variance', [input_tensor], [axis, keepdims])  # type: ignore[no-any-return]


def reduce_std(input_tensor: TensorLike, axis: int | Sequence[int] | None = None, keepdims: bool = False, name: str | None = None) -> Tensor:
    """The root of `reduce_variance`. As ``tf.math.reduce_std``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors([[1.0, 3.0], [2.0, 2.0]]).map(lambda x: fl.math.reduce_std(x, axis=1)).get_single_element()
    array([1., 0.], dtype=float32)
    """
    return call('reduce_std', [input_tensor], [axis, keepdims])  # type: ignore[no-any-return]


def reduce_logsumexp(input_tensor: TensorLike, axis: int | Sequence[int] | None = None, keepdims: bool = False, name: str | None = None) -> Tensor:
    """`log(sum(exp(x)))` of floats over some dimensions, or all, also where `exp(x)` is larger than any float.
    Computed in double precision. As ``tf.math.reduce_logsumexp``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors([[0.0, 0.0], [100.0, 100.0]]).map(lambda x: fl.reduce_logsumexp(x, axis=1)).get_single_element().round(4)
    array([  0.6931, 100.6931], dtype=float32)
    """
    return call('reduce_logsumexp', [input_tensor], [axis, keepdims])  # type: ignore[no-any-return]


def reduce_euclidean_norm(input_tensor: TensorLike, axis: int | Sequence[int] | None = None, keepdims: bool = False, name: str | None = None) -> Tensor:
    """The root of the sum of squares over some dimensions, or all. Of floats computed in double precision; of integers
    squares and their sum wrap around, as TensorFlow's do, and the root is rounded down. As
    ``tf.math.reduce_euclidean_norm``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors([[3.0, 4.0], [6.0, 8.0]]).map(lambda x: fl.math.reduce_euclidean_norm(x, axis=1)).get_single_element()
    array([ 5., 10.], dtype=float32)
    """
    return call('reduce_euclidean_norm', [input_tensor], [axis, keepdims])  # type: ignore[no-any-return]


def argmax(input: TensorLike, axis: int = 0, output_type: DTypeLike = 'int64', name: str | None = None) -> Tensor:
    """Where the largest value along a dimension is, the first of equal ones; the dimension goes. Not a number is never
    the largest. A dimension without values is an error of its element. As ``tf.argmax``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors([3, 9, 5]).map(lambda x: fl.argmax(x)).get_single_element()
    np.int64(1)
    """
    return call('argmax', [input], [axis, output_type])  # type: ignore[no-any-return]


def argmin(input: TensorLike, axis: int = 0, output_type: DTypeLike = 'int64', name: str | None = None) -> Tensor:
    """Where the smallest value along a dimension is, the first of equal ones; the dimension goes. As ``tf.argmin``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors([3, 9, 5]).map(lambda x: fl.argmin(x)).get_single_element()
    np.int64(0)
    """
    return call('argmin', [input], [axis, output_type])  # type: ignore[no-any-return]


def softmax(logits: TensorLike, axis: int = -1, name: str | None = None) -> Tensor:
    """`exp(x)` divided by its sum along a dimension: positive floats that add up to 1. As ``tf.nn.softmax``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors([1.0, 1.0, 3.0]).map(lambda x: fl.nn.softmax(x)).get_single_element().round(4)
    array([0.1065, 0.1065, 0.787 ], dtype=float32)
    """
    return call('softmax', [logits], [axis])  # type: ignore[no-any-return]


def log_softmax(logits: TensorLike, axis: int = -1, name: str | None = None) -> Tensor:
    """The logarithm of `softmax`, also where that is 0. As ``tf.nn.log_softmax``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors([1.0, 1.0, 3.0]).map(lambda x: fl.nn.log_softmax(x)).get_single_element().round(4)
    array([-2.2395, -2.2395, -0.2395], dtype=float32)
    """
    return call('log_softmax', [logits], [axis])  # type: ignore[no-any-return]


def l2_normalize(x: TensorLike, axis: int | Sequence[int] | None = None, epsilon: float = 0.000000000001, name: str | None = None) -> Tensor:
    """The tensor divided by the root of its sum of squares over some dimensions, or all. That sum is `epsilon` at
    least. As ``tf.math.l2_normalize``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors([3.0, 4.0]).map(lambda x: fl.math.l2_normalize(x)).get_single_element()
    array([0.6, 0.8], dtype=float32)
    """
    return call('l2_normalize', [x], [axis, epsilon])  # type: ignore[no-any-return]


def cumsum(x: TensorLike, axis: int = 0, exclusive: bool = False, reverse: bool = False, name: str | None = None) -> Tensor:
    """The sums of what comes first along a dimension: `cumsum([a, b, c])` is `[a, a + b, a + b + c]`, and `[0, a, a +
    b]` if it is `exclusive`; with `reverse` from the end. Integers wrap around; float16 and bfloat16 are added up
    as float32. As ``tf.cumsum``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors([1, 2, 3]).map(lambda x: fl.cumsum(x)).get_single_element()
    array([1, 3, 6], dtype=int32)
    """
    return call('cumsum', [x], [axis, exclusive, reverse])  # type: ignore[no-any-return]


def cumprod(x: TensorLike, axis: int = 0, exclusive: bool = False, reverse: bool = False, name: str | None = None) -> Tensor:
    """The products of what comes first along a dimension, as `cumsum` has the sums. As ``tf.math.cumprod``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors([1, 2, 3]).map(lambda x: fl.math.cumprod(x)).get_single_element()
    array([1, 2, 6], dtype=int32)
    """
    return call('cumprod', [x], [axis, exclusive, reverse])  # type: ignore[no-any-return]


def sort(values: TensorLike, axis: int = -1, *, direction: str, name: str | None = None) -> Tensor:
    """The numbers along a dimension in order; `direction` is `ASCENDING` or `DESCENDING`. Not a number comes last. As
    ``tf.sort``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors([3, 9, 5]).map(lambda x: fl.sort(x, direction="DESCENDING")).get_single_element()
    array([9, 5, 3], dtype=int32)
    """
    return call('sort', [values], [axis, direction])  # type: ignore[no-any-return]


def argsort(values: TensorLike, axis: int = -1, *, direction: str, name: str | None = None) -> Tensor:
    """Where the numbers along a dimension are that `sort` gives, as int32; of equal ones the first comes first. As
    ``tf.argsort``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors([3, 9, 5]).map(lambda x: fl.argsort(x)).get_single_element()
    array([0, 2, 1], dtype=int32)
    """
    return call('argsort', [values], [axis, direction])  # type: ignore[no-any-return]


def top_k(input: TensorLike, k: int = 1, sorted: bool = True, name: str | None = None) -> tuple[Tensor, Tensor]:
    """The `k` largest values of the last dimension and where they are (int32), the largest first; of equal ones the
    first comes first. They are in order whatever `sorted` says. As ``tf.math.top_k``.

    >>> import feedline as fl
    >>> values, indices = fl.Dataset.from_tensors([3, 9, 5]).map(lambda x: fl.math.top_k(x, k=2)).get_single_element()
    >>> print(values, indices)
    [9 5] [1 2]
    """
    return call('top_k', [input], [k, sorted])  # type: ignore[no-any-return]


def searchsorted(sorted_sequence: TensorLike, values: TensorLike, side: str, out_type: DTypeLike = 'int32', name: str | None = None) -> Tensor:
    """Where each value would have to be put into a sequence in order: as many places as there are smaller values
    (`side` is `left`), or not larger ones (`right`). There is a row of the sequence for each row of values. As
    ``tf.searchsorted``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors([0, 4, 9]).map(lambda x: fl.searchsorted([1, 4, 6], x)).get_single_element()
    array([0, 1, 3], dtype=int32)
    """
    return call('searchsorted', [sorted_sequence, values], [side, out_type])  # type: ignore[no-any-return]


def bucketize(input: TensorLike, boundaries: Sequence[float], name: str | None = None) -> Tensor:
    """How many of the `boundaries`, which are in order, are not above each number, as int32. As
    ``tf.raw_ops.Bucketize``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors([0, 15, 90]).map(lambda x: fl.math.bucketize(x, boundaries=[10, 50])).get_single_element()
    array([0, 1, 2], dtype=int32)
    """
    return call('bucketize', [input], [boundaries])  # type: ignore[no-any-return]


def matmul(a: TensorLike, b: TensorLike, transpose_a: bool = False, transpose_b: bool = False, name: str | None = None) -> Tensor:
    """The product of two matrices, or of two stacks of matrices, whose other dimensions are broadcast. With
    `transpose_a` the first is turned first, with `transpose_b` the second. Integers wrap around; float16 and
    bfloat16 are added up as float32. As ``tf.matmul``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors([[1, 2], [3, 4]]).map(lambda x: fl.matmul(x, x, transpose_b=True)).get_single_element()
    array([[ 5, 11],
           [11, 25]], dtype=int32)
    """
    return call('matmul', [a, b], [transpose_a, transpose_b])  # type: ignore[no-any-return]


def einsum(inputs: Sequence[TensorLike], equation: str, name: str | None = None) -> Tensor:
    """Products summed over the letters the result does not have: `einsum([a, b], "ij,jk->ik")` is the product of two
    matrices. An ellipsis stands for dimensions without letters, which are broadcast: `...ij,...jk->...ik`. `->` may
    be left out: then the result has those of an ellipsis, and the letters that occur once, in the order of the
    alphabet. As ``tf.einsum``.

    >>> import feedline as fl
    >>> a = fl.Dataset.from_tensors([[1, 2], [3, 4]])
    >>> print(next(iter(a.map(lambda x: fl.einsum("ij,kj->ik", x, x)))))
    [[ 5 11]
     [11 25]]
    """
    return call('einsum', [*several('einsum', 'inputs', inputs)], [equation])  # type: ignore[no-any-return]


def zeros(shape: ShapeLike, dtype: DTypeLike = 'float32', name: str | None = None) -> Tensor:
    """Zeros of one shape, the same for every element. As ``tf.zeros``.

    >>> import feedline as fl
    >>> print(next(iter(fl.Dataset.range(2, 3).map(lambda n: fl.zeros([n, 2])))))
    [[0. 0.]
     [0. 0.]]
    """
    return call('zeros', [], [shape, dtype])  # type: ignore[no-any-return]


def ones(shape: ShapeLike, dtype: DTypeLike = 'float32', name: str | None = None) -> Tensor:
    """Ones of one shape, the same for every element. As ``tf.ones``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors([7, 8]).map(lambda x: fl.ones([2], x.dtype)).get_single_element()
    array([1, 1], dtype=int32)
    """
    return call('ones', [], [shape, dtype])  # type: ignore[no-any-return]


def eye(num_rows: int, num_columns: int | Sequence[int] | None = None, dtype: DTypeLike = 'float32', name: str | None = None) -> Tensor:
    """A matrix with ones on its diagonal and zeros elsewhere; as many columns as rows where `num_columns` is left out.
    As ``tf.eye``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors(0).map(lambda x: fl.eye(2, 3, dtype=fl.int32)).get_single_element()
    array([[1, 0, 0],
           [0, 1, 0]], dtype=int32)
    """
    return call('eye', [], [num_rows, num_columns, dtype])  # type: ignore[no-any-return]


def zeros_like(input: TensorLike, name: str | None = None) -> Tensor:
    """Zeros (false, empty strings) of the shape and type of a tensor. As ``tf.zeros_like``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors([7.0, 8.0]).map(lambda x: fl.zeros_like(x)).get_single_element()
    array([0., 0.], dtype=float32)
    """
    return call('zeros_like', [input], [])  # type: ignore[no-any-return]


def ones_like(input: TensorLike, name: str | None = None) -> Tensor:
    """Ones (true) of the shape and type of a tensor. As ``tf.ones_like``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors([7.0, 8.0]).map(lambda x: fl.ones_like(x)).get_single_element()
    array([1., 1.], dtype=float32)
    """
    return call('ones_like', [input], [])  # type: ignore[no-any-return]


def fill(dims: TensorLike, value: TensorLike, name: str | None = None) -> Tensor:
    """A tensor of the shape `dims` with one value throughout. As ``tf.fill``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors(7).map(lambda x: fl.fill([2, 2], x)).get_single_element()
    array([[7, 7],
           [7, 7]], dtype=int32)
    """
    return call('fill', [dims, value], [])  # type: ignore[no-any-return]


def range(start: TensorLike, limit: TensorLike, delta: TensorLike, name: str | None = None) -> Tensor:
    """Numbers from `start` to before `limit`, `delta` apart. A `delta` of 0 is an error of its element, and so is one
    of the wrong sign. As ``tf.range``.

    >>> import feedline as fl
    >>> [list(map(int, x)) for x in fl.Dataset.range(1, 4).map(lambda n: fl.range(n))]
    [[0], [0, 1], [0, 1, 2]]
    """
    return call('range', [start, limit, delta], [])  # type: ignore[no-any-return]


def linspace(start: TensorLike, stop: TensorLike, num: int | Tensor, axis: int = 0, name: str | None = None) -> Tensor:
    """`num` floats from `start` to `stop`, evenly spaced: numbers, or tensors that are broadcast, between which the
    new dimension `axis` lies. As ``tf.linspace``.

    >>> import feedline as fl
    >>> next(iter(fl.Dataset.from_tensors([0.0, 10.0]).map(lambda x: fl.linspace(x, x + 4.0, 3, axis=-1))))
    array([[ 0.,  2.,  4.],
           [10., 12., 14.]], dtype=float32)
    """
    return call('linspace', [start, stop], [num, axis])  # type: ignore[no-any-return]


def tile(input: TensorLike, multiples: TensorLike, name: str | None = None) -> Tensor:
    """The tensor as often as `multiples` says, a number a dimension: `tile([1, 2], [2])` is `[1, 2, 1, 2]`. As
    ``tf.tile``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors([1, 2]).map(lambda x: fl.tile(x, [2])).get_single_element()
    array([1, 2, 1, 2], dtype=int32)
    """
    return call('tile', [input, multiples], [])  # type: ignore[no-any-return]


def repeat(input: TensorLike, repeats: TensorLike, axis: int | Sequence[int] | None = None, name: str | None = None) -> Tensor:
    """Each entry of a dimension as often as `repeats` says, one number for all or one for each: `repeat([1, 2], 2)` is
    `[1, 1, 2, 2]`. Without `axis` all values are taken one by one. As ``tf.repeat``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors([1, 2]).map(lambda x: fl.repeat(x, [3, 1])).get_single_element()
    array([1, 1, 1, 2], dtype=int32)
    """
    return call('repeat', [input, repeats], [axis])  # type: ignore[no-any-return]


def reverse(tensor: TensorLike, axis: int | Sequence[int] | None, name: str | None = None) -> Tensor:
    """Some dimensions from their end to their beginning. As ``tf.reverse``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors([1, 2, 3]).map(lambda x: fl.reverse(x, [0])).get_single_element()
    array([3, 2, 1], dtype=int32)
    """
    return call('reverse', [tensor], [axis])  # type: ignore[no-any-return]


def roll(input: TensorLike, shift: TensorLike, axis: int | Sequence[int] | None, name: str | None = None) -> Tensor:
    """The entries of some dimensions `shift` places further; those that would lie beyond the end come first.
    Dimensions may be named twice. As ``tf.roll``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors([1, 2, 3]).map(lambda x: fl.roll(x, shift=1, axis=0)).get_single_element()
    array([3, 1, 2], dtype=int32)
    """
    return call('roll', [input, shift], [axis])  # type: ignore[no-any-return]


def pad(tensor: TensorLike, paddings: TensorLike, constant_values: TensorLike, mode: str, name: str | None = None) -> Tensor:
    """The tensor with more around it: `paddings` has how many entries come before and behind each dimension. `mode` is
    `CONSTANT` (of `constant_values`), `REFLECT` (mirrored, without the entry at the edge) or `SYMMETRIC` (with it).
    As ``tf.pad``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors([1, 2, 3]).map(lambda x: fl.pad(x, [[2, 1]], "REFLECT")).get_single_element()
    array([3, 2, 1, 2, 3, 2], dtype=int32)
    """
    return call('pad', [tensor, paddings, constant_values], [mode])  # type: ignore[no-any-return]


def broadcast_to(input: TensorLike, shape: TensorLike, name: str | None = None) -> Tensor:
    """The tensor stretched to a shape it broadcasts to. As ``tf.broadcast_to``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors([1, 2]).map(lambda x: fl.broadcast_to(x, [2, 2])).get_single_element()
    array([[1, 2],
           [1, 2]], dtype=int32)
    """
    return call('broadcast_to', [input, shape], [])  # type: ignore[no-any-return]


def reshape_to(tensor: TensorLike, shape: TensorLike, name: str | None = None) -> Tensor:
    """The same values in the shape a tensor has as its values; one dimension may be −1. `reshape` where the shape is
    known. As ``tf.reshape``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors([1, 2, 3, 4]).map(lambda x: fl.reshape(x, [fl.size(x) // 2, 2])).get_single_element()
    array([[1, 2],
           [3, 4]], dtype=int32)
    """
    return call('reshape_to', [tensor, shape], [])  # type: ignore[no-any-return]


def ensure_shape(x: TensorLike, shape: ShapeLike, name: str | None = None) -> Tensor:
    """The tensor, whose shape is known from here on; one that does not fit is an error of its element. As
    ``tf.ensure_shape``.

    >>> import feedline as fl
    >>> ds = fl.Dataset.from_tensor_slices(["ab", "cd"]).map(lambda x: fl.ensure_shape(fl.io.decode_raw(x, fl.uint8), [2]))
    >>> ds.element_spec
    TensorSpec(shape=(2,), dtype=fl.uint8)
    """
    return call('ensure_shape', [x], [shape])  # type: ignore[no-any-return]


def slice(input_: TensorLike, begin: TensorLike, size: TensorLike, name: str | None = None) -> Tensor:
    """The part of a tensor that begins at `begin` and has the size `size`, a number a dimension; a size of −1 is all
    that is left. A part that is not within the tensor is an error of its element. As ``tf.slice``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors([[1, 2, 3], [4, 5, 6]]).map(lambda x: fl.slice(x, [0, 1], [2, 2])).get_single_element()
    array([[2, 3],
           [5, 6]], dtype=int32)
    """
    return call('slice', [input_, begin, size], [])  # type: ignore[no-any-return]


def split(value: TensorLike, num_or_size_splits: int | Sequence[int] | None, axis: int = 0, name: str | None = None) -> Any:
    """Several parts of a tensor along a dimension: so many of equal size, or of the sizes given, one of which may be
    −1. As ``tf.split``.

    >>> import feedline as fl
    >>> a, b = fl.Dataset.from_tensors([1, 2, 3]).map(lambda x: tuple(fl.split(x, [1, 2]))).get_single_element()
    >>> print(a, b)
    [1] [2 3]
    """
    return call('split', [value], [num_or_size_splits, axis])


def unstack(value: TensorLike, num: int | Sequence[int] | None = None, axis: int = 0, name: str | None = None) -> Any:
    """The entries of a dimension one by one. How many there are must be known, or said by `num`. As ``tf.unstack``.

    >>> import feedline as fl
    >>> a, b = fl.Dataset.from_tensors([[1, 2], [3, 4]]).map(lambda x: tuple(fl.unstack(x))).get_single_element()
    >>> print(a, b)
    [1 2] [3 4]
    """
    return call('unstack', [value], [num, axis])


def gather_nd(params: TensorLike, indices: TensorLike, name: str | None = None) -> Tensor:
    """The entries of `params` at the places the last dimension of `indices` has. A place outside is an error of its
    element. As ``tf.gather_nd``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors([[1, 2], [3, 4]]).map(lambda x: fl.gather_nd(x, [[0, 1], [1, 0]])).get_single_element()
    array([2, 3], dtype=int32)
    """
    return call('gather_nd', [params, indices], [])  # type: ignore[no-any-return]


def scatter_nd(indices: TensorLike, updates: TensorLike, shape: TensorLike, name: str | None = None) -> Tensor:
    """A tensor of zeros of a shape, with `updates` added at the places the last dimension of `indices` has. A place
    outside is an error of its element. As ``tf.scatter_nd``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors([7, 8]).map(lambda x: fl.scatter_nd([[3], [1]], x, [5])).get_single_element()
    array([0, 8, 0, 7, 0], dtype=int32)
    """
    return call('scatter_nd', [indices, updates, shape], [])  # type: ignore[no-any-return]


def tensor_scatter_nd_update(tensor: TensorLike, indices: TensorLike, updates: TensorLike, name: str | None = None) -> Tensor:
    """The tensor with `updates` instead of what is at the places the last dimension of `indices` has; of two updates
    of one place the last stays. As ``tf.tensor_scatter_nd_update``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors([1, 2, 3]).map(lambda x: fl.tensor_scatter_nd_update(x, [[1]], [20])).get_single_element()
    array([ 1, 20,  3], dtype=int32)
    """
    return call('tensor_scatter_nd_update', [tensor, indices, updates], [])  # type: ignore[no-any-return]


def boolean_mask(tensor: TensorLike, mask: TensorLike, axis: int = 0, name: str | None = None) -> Tensor:
    """The entries whose place in `mask` is true; the dimensions of the mask, from dimension `axis` on, become one. As
    ``tf.boolean_mask``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors([1, 2, 3]).map(lambda x: fl.boolean_mask(x, x != 2)).get_single_element()
    array([1, 3], dtype=int32)
    """
    return call('boolean_mask', [tensor, mask], [axis])  # type: ignore[no-any-return]


def true_indices(condition: TensorLike, name: str | None = None) -> Tensor:
    """The places of all that is true: a row of int64 for each. (`where` of a condition alone.) As ``tf.where``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors([0, 7, 8]).map(lambda x: fl.where(x > 0)).get_single_element()
    array([[1],
           [2]])
    """
    return call('true_indices', [condition], [])  # type: ignore[no-any-return]


def unique(x: TensorLike, out_idx: DTypeLike = 'int32', name: str | None = None) -> tuple[Tensor, Tensor]:
    """The different values of a tensor of one dimension, in the order they come first in, and for each value which of
    these it is. As ``tf.unique``.

    >>> import feedline as fl
    >>> words, index = fl.Dataset.from_tensors(["b", "a", "b"]).map(lambda x: fl.unique(x)).get_single_element()
    >>> print(words, index)
    [b'b' b'a'] [0 1 0]
    """
    return call('unique', [x], [out_idx])  # type: ignore[no-any-return]


def unique_with_counts(x: TensorLike, out_idx: DTypeLike = 'int32', name: str | None = None) -> tuple[Tensor, Tensor, Tensor]:
    """As `unique`, and how often each occurs. As ``tf.unique_with_counts``.

    >>> import feedline as fl
    >>> words, index, count = fl.Dataset.from_tensors(["b", "a", "b"]).map(lambda x: fl.unique_with_counts(x)).get_single_element()
    >>> print(words, count)
    [b'b' b'a'] [2 1]
    """
    return call('unique_with_counts', [x], [out_idx])  # type: ignore[no-any-return]


def assert_equal(x: TensorLike, y: TensorLike, message: str, name: str | None = None) -> Tensor:
    """`x`, if it equals `y` everywhere, with broadcasting; else an error of its element with `message` and the values.
    As ``tf.debugging.assert_equal``.

    >>> import feedline as fl
    >>> ds = fl.Dataset.from_tensor_slices([1, 2, 3]).map(lambda x: fl.debugging.assert_equal(x, 2))
    >>> [int(x) for x in ds.ignore_errors()]
    [2]
    """
    return call('assert_equal', [x, y], [message])  # type: ignore[no-any-return]


def assert_none_equal(x: TensorLike, y: TensorLike, message: str, name: str | None = None) -> Tensor:
    """`x`, if it equals `y` nowhere, with broadcasting; else an error of its element. As
    ``tf.debugging.assert_none_equal``.

    >>> import feedline as fl
    >>> ds = fl.Dataset.from_tensor_slices([1, 2, 3]).map(lambda x: fl.debugging.assert_none_equal(x, 2))
    >>> [int(x) for x in ds.ignore_errors()]
    [1, 3]
    """
    return call('assert_none_equal', [x, y], [message])  # type: ignore[no-any-return]


def assert_less(x: TensorLike, y: TensorLike, message: str, name: str | None = None) -> Tensor:
    """`x`, if it is below `y` everywhere, with broadcasting; else an error of its element. As
    ``tf.debugging.assert_less``.

    >>> import feedline as fl
    >>> ds = fl.Dataset.from_tensor_slices([1, 2, 3]).map(lambda x: fl.debugging.assert_less(x, 2))
    >>> [int(x) for x in ds.ignore_errors()]
    [1]
    """
    return call('assert_less', [x, y], [message])  # type: ignore[no-any-return]


def assert_less_equal(x: TensorLike, y: TensorLike, message: str, name: str | None = None) -> Tensor:
    """`x`, if it is below `y` or equals it everywhere, with broadcasting; else an error of its element. As
    ``tf.debugging.assert_less_equal``.

    >>> import feedline as fl
    >>> ds = fl.Dataset.from_tensor_slices([1, 2, 3]).map(lambda x: fl.debugging.assert_less_equal(x, 2))
    >>> [int(x) for x in ds.ignore_errors()]
    [1, 2]
    """
    return call('assert_less_equal', [x, y], [message])  # type: ignore[no-any-return]


def assert_greater(x: TensorLike, y: TensorLike, message: str, name: str | None = None) -> Tensor:
    """`x`, if it is above `y` everywhere, with broadcasting; else an error of its element. As
    ``tf.debugging.assert_greater``.

    >>> import feedline as fl
    >>> ds = fl.Dataset.from_tensor_slices([1, 2, 3]).map(lambda x: fl.debugging.assert_greater(x, 2))
    >>> [int(x) for x in ds.ignore_errors()]
    [3]
    """
    return call('assert_greater', [x, y], [message])  # type: ignore[no-any-return]


def assert_greater_equal(x: TensorLike, y: TensorLike, message: str, name: str | None = None) -> Tensor:
    """`x`, if it is above `y` or equals it everywhere, with broadcasting; else an error of its element. As
    ``tf.debugging.assert_greater_equal``.

    >>> import feedline as fl
    >>> ds = fl.Dataset.from_tensor_slices([1, 2, 3]).map(lambda x: fl.debugging.assert_greater_equal(x, 2))
    >>> [int(x) for x in ds.ignore_errors()]
    [2, 3]
    """
    return call('assert_greater_equal', [x, y], [message])  # type: ignore[no-any-return]


def assert_rank(x: TensorLike, rank: int, message: str, name: str | None = None) -> Tensor:
    """`x`, if it has so many dimensions; else an error: of the plan where the number is known, else of the element. As
    ``tf.debugging.assert_rank``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors([1, 2]).map(lambda x: fl.debugging.assert_rank(x, 1)).element_spec
    TensorSpec(shape=(2,), dtype=fl.int32)
    """
    return call('assert_rank', [x], [rank, message])  # type: ignore[no-any-return]


def assert_rank_at_least(x: TensorLike, rank: int, message: str, name: str | None = None) -> Tensor:
    """`x`, if it has so many dimensions or more; else an error, as of `assert_rank`. As
    ``tf.debugging.assert_rank_at_least``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors([1, 2]).map(lambda x: fl.debugging.assert_rank_at_least(x, 1)).element_spec
    TensorSpec(shape=(2,), dtype=fl.int32)
    """
    return call('assert_rank_at_least', [x], [rank, message])  # type: ignore[no-any-return]


def random_normal(shape: ShapeLike, mean: float = 0, stddev: float = 1, dtype: DTypeLike = 'float32', *, seed: int, name: str | None = None) -> Tensor:
    """Random floats of one shape with a normal distribution. Which, is a function of the seed and the element alone:
    the same whatever the number of threads, also after a resume. As ``tf.random.normal (other values)``.

    >>> import feedline as fl
    >>> values = [float(x) for x in fl.Dataset.range(1000).map(lambda x: fl.random.normal([], 10.0, 2.0, seed=1))]
    >>> 9.8 < sum(values) / 1000 < 10.2
    True
    """
    return call('random_normal', [], [shape, mean, stddev, dtype, seed])  # type: ignore[no-any-return]


def random_truncated_normal(shape: ShapeLike, mean: float = 0, stddev: float = 1, dtype: DTypeLike = 'float32', *, seed: int, name: str | None = None) -> Tensor:
    """As `random_normal`, but what is more than two deviations from the mean is drawn again. As
    ``tf.random.truncated_normal (other values)``.

    >>> import feedline as fl
    >>> ds = fl.Dataset.range(1000).map(lambda x: fl.random.truncated_normal([], 10.0, 2.0, seed=1))
    >>> all(6 <= x <= 14 for x in ds)
    True
    """
    return call('random_truncated_normal', [], [shape, mean, stddev, dtype, seed])  # type: ignore[no-any-return]


def random_integers(minval: TensorLike, maxval: TensorLike, shape: ShapeLike, seed: int, name: str | None = None) -> Tensor:
    """Random integers of one shape, from `minval` to before `maxval`, each as likely as the others. Where there are
    none, it is an error of its element. As ``tf.random.uniform (other values)``.

    >>> import feedline as fl
    >>> dice = fl.Dataset.range(100).map(lambda x: fl.random.uniform([], 1, 7, fl.int32, seed=3))
    >>> sorted({int(x) for x in dice})
    [1, 2, 3, 4, 5, 6]
    """
    return call('random_integers', [minval, maxval], [shape, seed])  # type: ignore[no-any-return]


def random_shuffle(value: TensorLike, seed: int, name: str | None = None) -> Tensor:
    """The entries of the first dimension in a random order. As ``tf.random.shuffle (another order)``.

    >>> import feedline as fl
    >>> ds = fl.Dataset.range(2).map(lambda x: fl.random.shuffle([1, 2, 3, 4], seed=1))
    >>> [sorted(x.tolist()) for x in ds]
    [[1, 2, 3, 4], [1, 2, 3, 4]]
    """
    return call('random_shuffle', [value], [seed])  # type: ignore[no-any-return]


def random_categorical(logits: TensorLike, num_samples: int, dtype: DTypeLike = 'int64', *, seed: int, name: str | None = None) -> Tensor:
    """Random classes: of each row of `logits`, the logarithms of what the probabilities of its classes are in
    proportion to, `num_samples`. As ``tf.random.categorical (other values)``.

    >>> import feedline as fl
    >>> likely = fl.Dataset.range(1).map(lambda x: fl.random.categorical([[0.0, -100.0]], 5, seed=1))
    >>> likely.get_single_element()
    array([[0, 0, 0, 0, 0]])
    """
    return call('random_categorical', [logits], [num_samples, dtype, seed])  # type: ignore[no-any-return]


def decode_csv(records: TensorLike, record_defaults: Sequence[TensorLike], field_delim: str, use_quote_delim: bool = True, na_value: str = '', select_cols: int | Sequence[int] | None = None, name: str | None = None) -> Any:
    """The fields of records of CSV, a tensor for each column, of the type of its default, which is also what an empty
    field, or one that is `na_value`, stands for; a default without a value says that there must be one.
    `select_cols` names the columns that are read, in order, where not all are. A record that has another number of
    fields, or a field that is no number, is an error of its element. As ``tf.io.decode_csv``.

    >>> import feedline as fl
    >>> lines = fl.Dataset.from_tensor_slices(["1,cat", '2,"a ""big"" dog"', ",cow"])
    >>> for row in lines.map(lambda line: tuple(fl.io.decode_csv(line, [0, fl.string]))):
    ...     print(row)
    (np.int32(1), b'cat')
    (np.int32(2), b'a "big" dog')
    (np.int32(0), b'cow')
    """
    return call('decode_csv', [records, *several('decode_csv', 'record_defaults', record_defaults)], [field_delim, use_quote_delim, na_value, select_cols])


def decode_csv_record(records: TensorLike, record_defaults: Sequence[TensorLike], field_delim: str, use_quote_delim: bool = True, na_value: str = '', select_cols: int | Sequence[int] | None = None, exclude_cols: int | Sequence[int] | None = None, name: str | None = None) -> Any:
    """The fields of records of CSV files, as `decode_csv`, but a record of no bytes, which is a blank line, has one
    field that is empty. `exclude_cols` names the columns that are not read, where it is not `select_cols` that
    names those that are. What `CsvDataset` reads its records by. TensorFlow has none.

    >>> import feedline as fl, pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "pets.csv")
    >>> _ = path.write_text("1,cat\\n2,dog\\n")
    >>> list(fl.CsvDataset(str(path), [fl.int32, fl.string]))
    [(np.int32(1), b'cat'), (np.int32(2), b'dog')]
    """
    return call('decode_csv_record', [records, *several('decode_csv_record', 'record_defaults', record_defaults)], [field_delim, use_quote_delim, na_value, select_cols, exclude_cols])


def decode_json(input: TensorLike, features: Any, name: str | None = None) -> Any:
    """The values of a JSON object, as a dictionary of tensors by their paths: `a.b` is `b` of the object `a`, and
    `a.0` the first entry of the list `a`. Features are those of `parse_single_example`, and for a batch of texts
    those of `parse_example`; int64 takes whole numbers, true and false, float32 any number, string texts. Lists of
    lists are tensors of that shape. What is `null` is not there, and what is not asked for is read over. What is no
    object, lacks something without default, or has something of another type or number, is an error of its element.
    TensorFlow has none.

    >>> import feedline as fl
    >>> features = {"user.id": fl.io.FixedLenFeature([], fl.int64), "boxes.0.tags": fl.io.RaggedFeature(fl.string)}
    >>> lines = fl.Dataset.from_tensors('{"user": {"id": 7}, "boxes": [{"tags": ["a", "b"]}, {}], "more": [[{}]]}')
    >>> next(iter(lines.map(lambda line: fl.io.decode_json(line, features))))
    {'boxes.0.tags': array([b'a', b'b'], dtype=object), 'user.id': np.int64(7)}
    """
    return call('decode_json', [input], [features])


def parse_single_sequence_example(serialized: TensorLike, context_features: Any, sequence_features: Any, name: str | None = None) -> Any:
    """Two dictionaries of tensors from one `tf.train.SequenceExample`: of its context, and of its lists of steps.
    Features of the context are those of `parse_single_example`. Lists are `fixed_len_sequence`, a tensor whose
    first dimension is the steps, or of any length, a ragged or sparse tensor with the steps as its rows. A record
    that lacks a feature without default, or has another type or number of values, is an error of its element; a
    list with a default may be lacked, and has no steps then. As ``tf.io.parse_single_sequence_example``.

    >>> import feedline as fl
    >>> record = b"\\x12\\x1b\\n\\x19\\n\\x05words\\x12\\x10\\n\\x07\\n\\x05\\n\\x03the\\n\\x05\\n\\x03\\n\\x01a"
    >>> words = {"words": fl.io.FixedLenSequenceFeature([], fl.string)}
    >>> ds = fl.Dataset.from_tensors(record).map(lambda x: fl.io.parse_single_sequence_example(x, sequence_features=words))
    >>> ds.get_single_element()
    ({}, {'words': array([b'the', b'a'], dtype=object)})
    """
    return call('parse_single_sequence_example', [serialized], [context_features, sequence_features])


def parse_sequence_example(serialized: TensorLike, context_features: Any, sequence_features: Any, name: str | None = None) -> Any:
    """Three dictionaries of tensors from a batch of `tf.train.SequenceExample`s: of their contexts, of their lists of
    steps, and of how many steps each record has of the lists that are `fixed_len_sequence`, which are filled up to
    the longest. Each tensor has the batch as its first dimension. Lists of any length are ragged in two dimensions,
    steps and values, or sparse in three; the rest is as in `parse_single_sequence_example`. A batch with a bad
    record is an error. As ``tf.io.parse_sequence_example``.

    >>> import feedline as fl
    >>> record = b"\\x12\\x1b\\n\\x19\\n\\x05words\\x12\\x10\\n\\x07\\n\\x05\\n\\x03the\\n\\x05\\n\\x03\\n\\x01a"
    >>> words = {"words": fl.io.FixedLenSequenceFeature([], fl.string, allow_missing=True)}
    >>> ds = fl.Dataset.from_tensors([record, b""]).map(lambda x: fl.io.parse_sequence_example(x, sequence_features=words))
    >>> _, lists, lengths = next(iter(ds))
    >>> print(lists["words"], lengths["words"])
    [[b'the' b'a']
     [b'' b'']] [2 0]
    """
    return call('parse_sequence_example', [serialized], [context_features, sequence_features])


def decode_compressed(bytes: TensorLike, compression_type: str = '', name: str | None = None) -> Tensor:
    """The contents of strings that are compressed: `GZIP`, `ZLIB`, or not at all. A stream that is damaged or cut off
    is an error of its element. As ``tf.io.decode_compressed``.

    >>> import feedline as fl, gzip
    >>> ds = fl.Dataset.from_tensors(gzip.compress(b"the cat"))
    >>> ds.map(lambda x: fl.io.decode_compressed(x, "GZIP")).get_single_element()
    b'the cat'
    """
    return call('decode_compressed', [bytes], [compression_type])  # type: ignore[no-any-return]


def encode_base64(input: TensorLike, pad: bool = False, name: str | None = None) -> Tensor:
    """The bytes of each string in web-safe base64, with `=` at the end where `pad` is set. As ``tf.io.encode_base64``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors("cat?").map(lambda x: fl.io.encode_base64(x, pad=True)).get_single_element()
    b'Y2F0Pw=='
    """
    return call('encode_base64', [input], [pad])  # type: ignore[no-any-return]


def decode_base64(input: TensorLike, name: str | None = None) -> Tensor:
    """The bytes that strings of web-safe base64 stand for, with padding or without. What is none is an error of its
    element. As ``tf.io.decode_base64``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors("Y2F0Pw").map(lambda x: fl.io.decode_base64(x)).get_single_element()
    b'cat?'
    """
    return call('decode_base64', [input], [])  # type: ignore[no-any-return]


def serialize_tensor(tensor: TensorLike, name: str | None = None) -> Tensor:
    """The tensor as a `TensorProto`. As ``tf.io.serialize_tensor``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors([1, 2]).map(lambda x: fl.io.serialize_tensor(x)).get_single_element()
    b'\\x08\\x03\\x12\\x04\\x12\\x02\\x08\\x02"\\x08\\x01\\x00\\x00\\x00\\x02\\x00\\x00\\x00'
    """
    return call('serialize_tensor', [tensor], [])  # type: ignore[no-any-return]


def parse_tensor(serialized: TensorLike, out_type: DTypeLike, name: str | None = None) -> Tensor:
    """The tensor that a `TensorProto` is. One of another type, or what is none, is an error of its element. As
    ``tf.io.parse_tensor``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors([1, 2]).map(lambda x: fl.io.parse_tensor(fl.io.serialize_tensor(x), fl.int32)).get_single_element()
    array([1, 2], dtype=int32)
    """
    return call('parse_tensor', [serialized], [out_type])  # type: ignore[no-any-return]


def write_file(filename: TensorLike, contents: TensorLike, name: str | None = None) -> Tensor:
    """Writes a file, which appears under its name when it is complete, in folders that are made where they are
    missing, and gives its name. One that cannot be written is an error of its element. An element that is computed
    again writes its file again. As ``tf.io.write_file``.

    >>> import feedline as fl, pathlib, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> def keep(x):
    ...     fl.io.write_file(fl.strings.join([folder, "/", fl.strings.as_string(x)]), "kept")
    ...     return x
    >>> _ = list(fl.Dataset.range(3).map(keep))
    >>> sorted(path.name for path in pathlib.Path(folder).iterdir())
    ['0', '1', '2']
    """
    return call('write_file', [filename, contents], [])  # type: ignore[no-any-return]
