"""Records what TensorFlow answers for tensors made, repeated, cut, padded and picked from. README.md says how to run it and what it writes."""

import tensorflow as tf
from attributes import given, integer, text
from cases import FLOATS, NAN, NUMBERS, axes, case, counted, drawn, dtype_of, write

ALL = NUMBERS + [tf.bool, tf.string]
CUBE = counted([2, 3, 4])


def shape_of(dims):
    return {"shape": dims}


def ints(values, dtype=tf.int32):
    return tf.constant(values, dtype)


def made():
    for dtype in ALL:
        case("zeros_like", tf.zeros_like, [counted([2, 3], dtype)])
        case("fill", tf.fill, [ints([2, 2]), counted([], dtype, 7)])
        if dtype != tf.string:
            case("ones_like", tf.ones_like, [counted([2, 3], dtype)])
    for dims in [[], [0], [3, 0], [1, 2, 2], [-1], [2, -3]]:
        case("fill", tf.fill, [ints(dims), tf.constant(2.5)])
        case("fill", tf.fill, [ints(dims, tf.int64), tf.constant(2)])
    case("fill", tf.fill, [ints([[2]]), tf.constant(2)])
    for dtype in [tf.int32, tf.int64, tf.float32, tf.float64]:
        for start, limit, delta in [(0, 5, 1), (3, 18, 3), (5, -2, -2), (0, 0, 1), (3, 1, 1), (0, 5, 0), (1, 5, -1), (2, 3, 7)]:
            case("range", tf.range, [tf.constant(value, dtype) for value in (start, limit, delta)])
    for start, limit, delta in [(0.0, 1.0, 0.1), (0.5, 3.25, 0.75), (1.0, 0.0, -0.3)]:
        for dtype in FLOATS[2:]:
            case("range", tf.range, [tf.constant(value, dtype) for value in (start, limit, delta)], ulps=1)
    for dtype in FLOATS:
        for start, stop, num in [(0.0, 1.0, 5), (10.0, 12.0, 3), (1.0, 1.0, 2), (3.0, -1.0, 7), (2.0, 9.0, 1)]:
            case("linspace", lambda a, b: tf.linspace(a, b, num), [tf.constant(start, dtype), tf.constant(stop, dtype)], [integer(num), integer(0)])
        for num, axis in [(5, 0), (3, 1), (2, -1), (1, 2), (0, 1), (3, -3), (7, 3)]:
            ends = [tf.constant([[0.1], [-2.5]], dtype), tf.constant([1.0, 2.0, 0.3], dtype)]
            case("linspace", lambda a, b: tf.linspace(a, b, num, axis=axis), ends, [integer(num), integer(axis)])
            if abs(axis) < 3:
                ends = [tf.constant(0.7, dtype), tf.constant([[4.0, 0.7]], dtype), ints(num)]
                case("linspace", lambda a, b, n: tf.linspace(a, b, n, axis=axis), ends, [given(2), integer(axis)])
    case("linspace", tf.linspace, [tf.constant(0.0), tf.constant(1.0), ints(-2)], [given(2), integer(0)])
    case("linspace", lambda a, b: tf.linspace(a, b, 3), [tf.zeros([0, 2]), tf.constant(1.0)], [integer(3), integer(0)])
    case("linspace", lambda a, b: tf.linspace(a, b, 3), [tf.zeros([3]), tf.zeros([2])], [integer(3), integer(0)])


def moved():
    for dtype in ALL:
        case("tile", tf.tile, [counted([2, 2], dtype), ints([2, 3])])
        case("reverse", lambda x: tf.reverse(x, [0]), [counted([3, 2], dtype)], [axes((0,))])
        case("roll", lambda x, s: tf.roll(x, s, 1), [counted([2, 3], dtype), ints(1)], [axes(1)])
        case("repeat", lambda x, r: tf.repeat(x, r, 0), [counted([2, 2], dtype), ints([1, 3])], [axes(0)])
        case("broadcast_to", tf.broadcast_to, [counted([2, 1], dtype), ints([3, 2, 2])])
        if dtype != tf.bool:
            padding = tf.constant("p") if dtype == tf.string else tf.constant(9, dtype)
            case("pad", lambda x, p, c: tf.pad(x, p, "CONSTANT", c), [counted([2, 2], dtype), ints([[1, 0], [0, 2]]), padding], [text("CONSTANT")])
    for multiples in [[1, 1, 1], [2, 1, 2], [0, 1, 1], [2, 1], [1, -1, 1]]:
        case("tile", tf.tile, [CUBE, ints(multiples)])
        case("tile", tf.tile, [CUBE, ints(multiples, tf.int64)])
    case("tile", tf.tile, [counted([]), ints([], tf.int32)])
    for axis in [0, 1, -1, None, 3]:
        case("repeat", lambda x, r: tf.repeat(x, r, axis), [CUBE, ints(2)], [axes(axis)])
    case("repeat", lambda x, r: tf.repeat(x, r, 1), [CUBE, ints([0, 2, 1])], [axes(1)])
    case("repeat", lambda x, r: tf.repeat(x, r, 1), [CUBE, ints([0, 2])], [axes(1)])
    case("repeat", lambda x, r: tf.repeat(x, r, 0), [CUBE, ints(0)], [axes(0)])
    for axis in [(0,), (0, 2), (-1,), (), (3,), (0, 0)]:
        case("reverse", lambda x: tf.reverse(x, axis), [CUBE], [axes(axis)])
    for shift, axis in [(1, 0), (-1, 2), (7, 1), ([1, -2], (0, 2)), ([1, 2], (1, 1)), (1, 3)]:
        case("roll", lambda x, s: tf.roll(x, s, axis), [CUBE, ints(shift)], [axes(axis)])
    for mode in ["CONSTANT", "REFLECT", "SYMMETRIC"]:
        for paddings in [[[0, 0], [1, 2], [3, 0]], [[1, 1], [0, 0], [0, 0]], [[0, 2], [0, 0], [0, 4]], [[0, 0], [3, 3], [4, 4]], [[0, 0], [0, 0]],
                         [[0, 0], [-1, 0], [0, 0]]]:
            case("pad", lambda x, p, c: tf.pad(x, p, mode, c), [CUBE, ints(paddings), tf.constant(-1)], [text(mode)])
    case("pad", lambda x, p, c: tf.pad(x, p, "EDGE", c), [CUBE, ints([[0, 0]] * 3), tf.constant(-1)], [text("EDGE")])
    for shape in [[2, 3, 4], [5, 2, 3, 4], [2, 3, 5], [3, 4], [1, 2, 3, 4]]:
        case("broadcast_to", tf.broadcast_to, [CUBE, ints(shape)])
    case("broadcast_to", tf.broadcast_to, [counted([1, 3]), ints([0, 3])])
    for shape in [[24], [-1], [4, -1, 2], [5, -1], [-1, -1], [2, 3, 4], [2, 3], [0, -1]]:
        case("reshape_to", tf.reshape, [CUBE, ints(shape)])
        case("reshape_to", tf.reshape, [CUBE, ints(shape, tf.int64)])
    for dims in [[2, 3, 4], [None, 3, None], [2, 3], [2, 3, 5], None]:
        case("ensure_shape", lambda x: tf.ensure_shape(x, dims), [CUBE], [shape_of(dims)])


def cut():
    for dtype in ALL:
        case("slice", tf.slice, [counted([3, 3], dtype), ints([1, 0]), ints([2, 2])])
        case("split", lambda x: tf.split(x, 2, 1), [counted([2, 4], dtype)], [integer(2), integer(1)])
        case("unstack", lambda x: tf.unstack(x, axis=1), [counted([2, 3], dtype)], [integer(3), integer(1)])
    for begin, size in [([0, 0, 0], [2, 3, 4]), ([1, 1, 1], [1, -1, 2]), ([0, 3, 0], [2, 0, -1]), ([2, 0, 0], [1, 1, 1]), ([0, 0, 3], [1, 1, 2]),
                        ([-1, 0, 0], [1, 1, 1]), ([0, 0], [1, 1]), ([0, 0, 0], [-2, 1, 1])]:
        case("slice", tf.slice, [CUBE, ints(begin), ints(size)])
        case("slice", tf.slice, [CUBE, ints(begin, tf.int64), ints(size, tf.int64)])
    for parts, axis in [(1, 0), (2, 0), (3, 1), (4, -1), (3, 0), ([1, 3], 2), ([1, -1], 2), ([0, 3, 0], 1), ([2, 3], 2), (2, 3)]:
        attribute = integer(parts) if isinstance(parts, int) else {"ints": parts}
        case("split", lambda x: tf.split(x, parts, axis), [CUBE], [attribute, integer(axis)])
    for num, axis in [(2, 0), (4, -1), (3, 0), (2, 3)]:
        case("unstack", lambda x: tf.unstack(x, num, axis), [CUBE], [axes(num), integer(axis)])


def picked():
    for dtype in ALL:
        case("gather_nd", tf.gather_nd, [counted([2, 3], dtype), ints([[0, 1], [1, 2]])])
        case("boolean_mask", tf.boolean_mask, [counted([3, 2], dtype), tf.constant([True, False, True])], [integer(0)])
        case("tensor_scatter_nd_update", tf.tensor_scatter_nd_update, [counted([4], dtype), ints([[1], [3]]), counted([2], dtype, 50)])
        case("unique", tf.unique, [tf.gather(counted([5], dtype), [2, 0, 2, 1, 0])], [dtype_of(tf.int32)])
        case("unique_with_counts", lambda x: tf.unique_with_counts(x, tf.int64), [tf.gather(counted([5], dtype), [2, 0, 2, 1, 0])], [dtype_of(tf.int64)])
    for dtype in NUMBERS:
        case("scatter_nd", tf.scatter_nd, [ints([[1], [3], [1]]), counted([3], dtype, 1), ints([5])])
    for indices in [[[0]], [[1, 2]], [[[0, 0], [1, 1]]], [1, 2, 3], [[2, 0]], [[-1]], [[0, 0, 0, 0]]]:
        case("gather_nd", tf.gather_nd, [CUBE, ints(indices)])
        case("gather_nd", tf.gather_nd, [CUBE, ints(indices, tf.int64)])
    case("gather_nd", tf.gather_nd, [CUBE, tf.zeros([2, 0], tf.int32)])
    for indices, updates, shape in [([[0], [1]], counted([2, 3], start=1), [2, 3]), ([[0, 1]], counted([1], start=1), [2, 2]),
                                    ([[2]], counted([1]), [2]), ([[0]], counted([2]), [2]), ([[-1]], counted([1]), [2])]:
        case("scatter_nd", tf.scatter_nd, [ints(indices), updates, ints(shape)])
    for indices, updates in [([[0]], counted([1, 3, 4], start=90)), ([[1, 2, 3], [0, 0, 0]], counted([2], start=90)), ([[2]], counted([1, 3, 4])),
                             ([[0]], counted([1, 3]))]:
        case("tensor_scatter_nd_update", tf.tensor_scatter_nd_update, [CUBE, ints(indices), updates])
    for mask, axis in [([[True, False, True], [False, False, True]], 0), ([True, False, True], 1), ([False] * 4, 2), ([True, False], 1), ([True, True], 0)]:
        case("boolean_mask", lambda x, m: tf.boolean_mask(x, m, axis=axis), [CUBE, tf.constant(mask)], [integer(axis)])
    for condition in [[True, False, True], [[True, False], [False, True]], []]:
        case("true_indices", tf.where, [tf.constant(condition, tf.bool)])
    case("unique", tf.unique, [tf.constant([0.0, -0.0, 1.0, NAN, NAN])], [dtype_of(tf.int32)])
    case("unique", lambda x: tf.unique(x, tf.int64), [tf.constant([], tf.int64)], [dtype_of(tf.int64)])
    case("unique", tf.unique, [counted([2, 2])], [dtype_of(tf.int32)])


made()
moved()
cut()
picked()
write("arrays.json")
