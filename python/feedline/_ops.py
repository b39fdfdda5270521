"""The operations, as functions of symbolic tensors, under TensorFlow's names.

Made from the catalogue in crates/feedline-plan/src/expr by tools/generate_python_ops.py: do not edit.
"""

# ruff: noqa
from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

from ._dtypes import DTypeLike
from ._native import Tensor, call
from ._spec import ShapeLike

TensorLike: TypeAlias = Any
"""A symbolic tensor, a number, a string, a list of them, or a numpy array."""


def add(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """`x + y`, element by element, with broadcasting. Integers wrap around. As ``tf.add``."""
    return call('add', [x, y], [])  # type: ignore[no-any-return]


def subtract(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """`x - y`, element by element, with broadcasting. Integers wrap around. As ``tf.subtract``."""
    return call('subtract', [x, y], [])  # type: ignore[no-any-return]


def multiply(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """`x * y`, element by element, with broadcasting. Integers wrap around. As ``tf.multiply``."""
    return call('multiply', [x, y], [])  # type: ignore[no-any-return]


def truediv(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """`x / y`, element by element, with broadcasting, as Python divides: integers of up to 16 bits become float32,
    wider ones float64. As ``tf.truediv``."""
    return call('truediv', [x, y], [])  # type: ignore[no-any-return]


def floordiv(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """`x // y`: the quotient rounded down. An integer division by zero is an error of its element. As
    ``tf.math.floordiv``."""
    return call('floordiv', [x, y], [])  # type: ignore[no-any-return]


def floormod(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """`x % y` with the sign of `y`, as Python has it. An integer division by zero is an error of its element. As
    ``tf.math.floormod``."""
    return call('floormod', [x, y], [])  # type: ignore[no-any-return]


def minimum(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """The smaller of the two, element by element, with broadcasting. As ``tf.minimum``."""
    return call('minimum', [x, y], [])  # type: ignore[no-any-return]


def maximum(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """The larger of the two, element by element, with broadcasting. As ``tf.maximum``."""
    return call('maximum', [x, y], [])  # type: ignore[no-any-return]


def negative(x: TensorLike, name: str | None = None) -> Tensor:
    """`-x`. The smallest integer stays itself. As ``tf.negative``."""
    return call('negative', [x], [])  # type: ignore[no-any-return]


def pow(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """`x` to the power of `y`, element by element, with broadcasting. Integers wrap around; a negative power of an
    integer is an error of its element. As ``tf.pow``."""
    return call('pow', [x, y], [])  # type: ignore[no-any-return]


def abs(x: TensorLike, name: str | None = None) -> Tensor:
    """The distance from 0. The smallest integer stays itself. As ``tf.abs``."""
    return call('abs', [x], [])  # type: ignore[no-any-return]


def sign(x: TensorLike, name: str | None = None) -> Tensor:
    """−1, 0 or 1: the sign of a number. Not a number stays not a number. As ``tf.sign``."""
    return call('sign', [x], [])  # type: ignore[no-any-return]


def square(x: TensorLike, name: str | None = None) -> Tensor:
    """`x * x`. Integers wrap around. As ``tf.square``."""
    return call('square', [x], [])  # type: ignore[no-any-return]


def sqrt(x: TensorLike, name: str | None = None) -> Tensor:
    """The square root of a float; not a number below 0. As ``tf.sqrt``."""
    return call('sqrt', [x], [])  # type: ignore[no-any-return]


def rsqrt(x: TensorLike, name: str | None = None) -> Tensor:
    """1 divided by the square root of a float. As ``tf.math.rsqrt``."""
    return call('rsqrt', [x], [])  # type: ignore[no-any-return]


def exp(x: TensorLike, name: str | None = None) -> Tensor:
    """e to the power of a float. As ``tf.exp``."""
    return call('exp', [x], [])  # type: ignore[no-any-return]


def log(x: TensorLike, name: str | None = None) -> Tensor:
    """The natural logarithm of a float. As ``tf.math.log``."""
    return call('log', [x], [])  # type: ignore[no-any-return]


def log1p(x: TensorLike, name: str | None = None) -> Tensor:
    """The natural logarithm of `1 + x`, exact also where `x` is small. As ``tf.math.log1p``."""
    return call('log1p', [x], [])  # type: ignore[no-any-return]


def floor(x: TensorLike, name: str | None = None) -> Tensor:
    """The next whole float below. As ``tf.floor``."""
    return call('floor', [x], [])  # type: ignore[no-any-return]


def ceil(x: TensorLike, name: str | None = None) -> Tensor:
    """The next whole float above. As ``tf.math.ceil``."""
    return call('ceil', [x], [])  # type: ignore[no-any-return]


def round(x: TensorLike, name: str | None = None) -> Tensor:
    """The nearest whole number; a half goes to the even one: `round([0.5, 1.5, 2.5])` is `[0, 2, 2]`. As ``tf.round``."""
    return call('round', [x], [])  # type: ignore[no-any-return]


def is_nan(x: TensorLike, name: str | None = None) -> Tensor:
    """Whether a float is not a number. As ``tf.math.is_nan``."""
    return call('is_nan', [x], [])  # type: ignore[no-any-return]


def is_finite(x: TensorLike, name: str | None = None) -> Tensor:
    """Whether a float is neither infinite nor not a number. As ``tf.math.is_finite``."""
    return call('is_finite', [x], [])  # type: ignore[no-any-return]


def is_inf(x: TensorLike, name: str | None = None) -> Tensor:
    """Whether a float is infinite, with either sign. As ``tf.math.is_inf``."""
    return call('is_inf', [x], [])  # type: ignore[no-any-return]


def equal(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """`x == y`, element by element, with broadcasting; also for strings. As ``tf.equal``."""
    return call('equal', [x, y], [])  # type: ignore[no-any-return]


def not_equal(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """`x != y`, element by element, with broadcasting; also for strings. As ``tf.not_equal``."""
    return call('not_equal', [x, y], [])  # type: ignore[no-any-return]


def less(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """`x < y`, element by element, with broadcasting. As ``tf.less``."""
    return call('less', [x, y], [])  # type: ignore[no-any-return]


def less_equal(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """`x <= y`, element by element, with broadcasting. As ``tf.less_equal``."""
    return call('less_equal', [x, y], [])  # type: ignore[no-any-return]


def greater(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """`x > y`, element by element, with broadcasting. As ``tf.greater``."""
    return call('greater', [x, y], [])  # type: ignore[no-any-return]


def greater_equal(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """`x >= y`, element by element, with broadcasting. As ``tf.greater_equal``."""
    return call('greater_equal', [x, y], [])  # type: ignore[no-any-return]


def logical_and(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Both, of bools, with broadcasting. As ``tf.logical_and``."""
    return call('logical_and', [x, y], [])  # type: ignore[no-any-return]


def logical_or(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Either, of bools, with broadcasting. As ``tf.logical_or``."""
    return call('logical_or', [x, y], [])  # type: ignore[no-any-return]


def logical_not(x: TensorLike, name: str | None = None) -> Tensor:
    """The other, of bools. As ``tf.logical_not``."""
    return call('logical_not', [x], [])  # type: ignore[no-any-return]


def where(condition: TensorLike, x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """`x` where the condition holds, `y` elsewhere, all three broadcast to one shape. Both are computed for every
    element. As ``tf.where``."""
    return call('where', [condition, x, y], [])  # type: ignore[no-any-return]


def clip_by_value(t: TensorLike, clip_value_min: TensorLike, clip_value_max: TensorLike, name: str | None = None) -> Tensor:
    """Values below the minimum become it, values above the maximum become that. The limits are broadcast to the
    tensor's shape. Where the minimum is above the maximum, the minimum wins. As ``tf.clip_by_value``."""
    return call('clip_by_value', [t, clip_value_min, clip_value_max], [])  # type: ignore[no-any-return]


def one_hot(indices: TensorLike, depth: int, on_value: float = 1, off_value: float = 0, axis: int = -1, dtype: DTypeLike = 'float32', name: str | None = None) -> Tensor:
    """A new dimension of size `depth` with `on_value` at the index and `off_value` elsewhere; an index outside gives
    `off_value` throughout. `one_hot([0, 2], 3)` is `[[1, 0, 0], [0, 0, 1]]`. As ``tf.one_hot``."""
    return call('one_hot', [indices], [depth, on_value, off_value, axis, dtype])  # type: ignore[no-any-return]


def cast(x: TensorLike, dtype: DTypeLike, name: str | None = None) -> Tensor:
    """The same numbers in another type. Integers wrap around; floats to integers lose the fraction and stop at the
    type's limits (not-a-number becomes 0); anything but 0 is true. As ``tf.cast``."""
    return call('cast', [x], [dtype])  # type: ignore[no-any-return]


def reshape(tensor: TensorLike, shape: ShapeLike, name: str | None = None) -> Tensor:
    """The same values in another shape. One dimension may be unknown: it is what the values leave. As ``tf.reshape``."""
    return call('reshape', [tensor], [shape])  # type: ignore[no-any-return]


def gather(params: TensorLike, indices: TensorLike, axis: int = 0, name: str | None = None) -> Tensor:
    """The entries of `params` at `indices` along an axis, in the shape of `indices`. An index outside (also a negative
    one) is an error of its element. As ``tf.gather``."""
    return call('gather', [params, indices], [axis])  # type: ignore[no-any-return]


def stack(values: Sequence[TensorLike], axis: int = 0, name: str | None = None) -> Tensor:
    """Tensors of one shape side by side in a new dimension: `stack([x, y])` has a first dimension of size 2. As
    ``tf.stack``."""
    return call('stack', [*values], [axis])  # type: ignore[no-any-return]


def concat(values: Sequence[TensorLike], axis: int, name: str | None = None) -> Tensor:
    """Tensors one behind the other along a dimension they have; the others must agree. As ``tf.concat``."""
    return call('concat', [*values], [axis])  # type: ignore[no-any-return]


def expand_dims(input: TensorLike, axis: int, name: str | None = None) -> Tensor:
    """One more dimension, of size 1, before dimension `axis`; −1 adds it at the end. As ``tf.expand_dims``."""
    return call('expand_dims', [input], [axis])  # type: ignore[no-any-return]


def squeeze(input: TensorLike, axis: int | Sequence[int] | None = None, name: str | None = None) -> Tensor:
    """Without its dimensions of size 1, or without the ones `axis` names, which must have size 1. As ``tf.squeeze``."""
    return call('squeeze', [input], [axis])  # type: ignore[no-any-return]


def transpose(a: TensorLike, perm: int | Sequence[int] | None = None, name: str | None = None) -> Tensor:
    """The dimensions in the order `perm`, or reversed. As ``tf.transpose``."""
    return call('transpose', [a], [perm])  # type: ignore[no-any-return]


def shape(input: TensorLike, out_type: DTypeLike = 'int32', name: str | None = None) -> Tensor:
    """The size of each dimension. As ``tf.shape``."""
    return call('shape', [input], [out_type])  # type: ignore[no-any-return]


def size(input: TensorLike, out_type: DTypeLike = 'int32', name: str | None = None) -> Tensor:
    """The number of values. As ``tf.size``."""
    return call('size', [input], [out_type])  # type: ignore[no-any-return]


def rank(input: TensorLike, name: str | None = None) -> Tensor:
    """The number of dimensions. As ``tf.rank``."""
    return call('rank', [input], [])  # type: ignore[no-any-return]


def reduce_sum(input_tensor: TensorLike, axis: int | Sequence[int] | None = None, keepdims: bool = False, name: str | None = None) -> Tensor:
    """The sum over some dimensions, or all. Integers wrap around; float16 and bfloat16 are added up as float32 and
    rounded once. The order of addition depends on the shape alone. As ``tf.reduce_sum``."""
    return call('reduce_sum', [input_tensor], [axis, keepdims])  # type: ignore[no-any-return]


def reduce_mean(input_tensor: TensorLike, axis: int | Sequence[int] | None = None, keepdims: bool = False, name: str | None = None) -> Tensor:
    """The mean over some dimensions, or all. That of integers is cut to an integer; that of nothing is not a number,
    of integers 0. As ``tf.reduce_mean``."""
    return call('reduce_mean', [input_tensor], [axis, keepdims])  # type: ignore[no-any-return]


def reduce_max(input_tensor: TensorLike, axis: int | Sequence[int] | None = None, keepdims: bool = False, name: str | None = None) -> Tensor:
    """The largest value over some dimensions, or all; not a number if there is one. That of nothing is the type's
    smallest. As ``tf.reduce_max``."""
    return call('reduce_max', [input_tensor], [axis, keepdims])  # type: ignore[no-any-return]


def reduce_min(input_tensor: TensorLike, axis: int | Sequence[int] | None = None, keepdims: bool = False, name: str | None = None) -> Tensor:
    """The smallest value over some dimensions, or all; not a number if there is one. That of nothing is the type's
    largest. As ``tf.reduce_min``."""
    return call('reduce_min', [input_tensor], [axis, keepdims])  # type: ignore[no-any-return]


def reduce_prod(input_tensor: TensorLike, axis: int | Sequence[int] | None = None, keepdims: bool = False, name: str | None = None) -> Tensor:
    """The product over some dimensions, or all. Integers wrap around; float16 and bfloat16 are multiplied as float32
    and rounded once. As ``tf.reduce_prod``."""
    return call('reduce_prod', [input_tensor], [axis, keepdims])  # type: ignore[no-any-return]


def reduce_any(input_tensor: TensorLike, axis: int | Sequence[int] | None = None, keepdims: bool = False, name: str | None = None) -> Tensor:
    """Whether any of the bools is true, over some dimensions, or all. As ``tf.reduce_any``."""
    return call('reduce_any', [input_tensor], [axis, keepdims])  # type: ignore[no-any-return]


def reduce_all(input_tensor: TensorLike, axis: int | Sequence[int] | None = None, keepdims: bool = False, name: str | None = None) -> Tensor:
    """Whether all of the bools are true, over some dimensions, or all. As ``tf.reduce_all``."""
    return call('reduce_all', [input_tensor], [axis, keepdims])  # type: ignore[no-any-return]


def decode_raw(input_bytes: TensorLike, out_type: DTypeLike, little_endian: bool = True, name: str | None = None) -> Tensor:
    """Numbers that lie in strings byte by byte: a new last dimension. All strings of an element must have one length,
    a multiple of the type's; anything else is an error of the element. As ``tf.io.decode_raw``."""
    return call('decode_raw', [input_bytes], [out_type, little_endian])  # type: ignore[no-any-return]


def read_file(filename: TensorLike, name: str | None = None) -> Tensor:
    """The contents of the file of that name. A file that cannot be read is an error of its element. It waits for
    storage, so many are read at a time. As ``tf.io.read_file``."""
    return call('read_file', [filename], [])  # type: ignore[no-any-return]


def parse_single_example(serialized: TensorLike, features: Any, name: str | None = None) -> dict[str, Tensor]:
    """A dictionary of tensors from one `tf.train.Example`. Bytes stay views on the record. `VarLen` features come as
    tensors of one dimension, not as sparse ones. A record that lacks a feature without default, or has another type
    or number of values, is an error of its element. As ``tf.io.parse_single_example``."""
    return call('parse_single_example', [serialized], [features])  # type: ignore[no-any-return]


def parse_example(serialized: TensorLike, features: Any, name: str | None = None) -> dict[str, Tensor]:
    """As `parse_single_example`, for a batch of records: each tensor has the batch as its first dimension, and
    sequences are filled up to the longest of the batch. `VarLen` features need `parse_single_example` before
    `batch`. As ``tf.io.parse_example``."""
    return call('parse_example', [serialized], [features])  # type: ignore[no-any-return]


def check_numerics(tensor: TensorLike, message: str, name: str | None = None) -> Tensor:
    """An error of its element if it holds a value that is infinite or not a number; the tensor otherwise. As
    ``tf.debugging.check_numerics``."""
    return call('check_numerics', [tensor], [message])  # type: ignore[no-any-return]


def random_uniform(shape: ShapeLike, seed: int, name: str | None = None) -> Tensor:
    """Random numbers of one shape, uniform in [0, 1), a function of the seed and the element alone: the same whatever
    the number of threads, also after a resume. As ``tf.random.uniform (other values)``."""
    return call('random_uniform', [], [shape, seed])  # type: ignore[no-any-return]
