"""Records what TensorFlow answers for numbers along dimensions, matrices and bits. README.md says how to run it and what it writes."""

import tensorflow as tf
from attributes import flag, integer, number, text
from cases import FLOATS, INF, NAN, NUMBERS, RANDOM, SIGNED, UNSIGNED, axes, case, drawn, dtype_of, extremes, write


def floats(shape, dtype, low=-3.0, high=3.0):
    return tf.cast(tf.constant(RANDOM.uniform(low, high, size=shape)), dtype)


def functions():
    names = ["sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "sigmoid", "softplus", "expm1",
             "reciprocal"]
    for dtype in FLOATS:
        for name in names:
            case(name, getattr(tf.math, name), [tf.concat([extremes(dtype), floats([12], dtype)], 0)], ulps=16 if dtype == tf.float64 else 4)
        case("atan2", tf.math.atan2, [floats([3, 1], dtype), floats([4], dtype)], ulps=4)
        case("atan2", tf.math.atan2, [tf.constant([0.0, 1.0, -1.0, 0.0], dtype), tf.constant([1.0, 0.0, 0.0, -1.0], dtype)], ulps=4)
        zeros = tf.constant([1.0, 0.0, 2.0, INF], dtype)
        case("divide_no_nan", tf.math.divide_no_nan, [tf.constant([1.0, 5.0, 0.0, 3.0], dtype), zeros], ulps=1)
    case("sin", tf.sin, [tf.constant([1])])
    case("atan2", tf.math.atan2, [tf.constant([1]), tf.constant([1])])
    for dtype in FLOATS + [tf.int32, tf.int64]:
        case("squared_difference", tf.math.squared_difference, [drawn([2, 3], dtype), drawn([3], dtype)])
    bools = [tf.constant([True, True, False, False]), tf.constant([True, False, True, False])]
    case("logical_xor", tf.math.logical_xor, bools)
    for dtype in SIGNED + UNSIGNED:
        left, right = extremes(dtype), tf.reverse(extremes(dtype), [0])
        for name in ["bitwise_and", "bitwise_or", "bitwise_xor"]:
            case(f"bitwise.{name}", getattr(tf.bitwise, name), [left, right])
        case("bitwise.invert", tf.bitwise.invert, [left])
        places = tf.constant([0, 1, 2, 3, 5, 7, 1, 4, 6], dtype)
        case("bitwise.left_shift", tf.bitwise.left_shift, [left, places])
        case("bitwise.right_shift", tf.bitwise.right_shift, [left, places])
        case("bitwise.left_shift", tf.bitwise.left_shift, [drawn([2, 1], dtype), tf.constant([1, 100, 2], dtype)])
        case("bitwise.right_shift", tf.bitwise.right_shift, [drawn([2, 1], dtype), tf.constant([1, 100, 2], dtype)])
        if dtype in SIGNED:
            case("bitwise.left_shift", tf.bitwise.left_shift, [drawn([3], dtype), tf.constant(-2, dtype)])
            case("bitwise.right_shift", tf.bitwise.right_shift, [drawn([3], dtype), tf.constant(-2, dtype)])
    case("bitwise.bitwise_and", tf.bitwise.bitwise_and, [tf.constant([1.0]), tf.constant([1.0])])


def reductions():
    names = ["reduce_variance", "reduce_std", "reduce_logsumexp", "reduce_euclidean_norm"]
    for name in names:
        function = getattr(tf.math, name)

        def reduced(tensor, axis, keepdims=False, ulps=8):
            case(name, lambda x: function(x, axis, keepdims), [tensor], [axes(axis), flag(keepdims)], ulps)

        for dtype in FLOATS[2:]:
            for axis, keepdims in [(None, False), (0, False), (1, True), ((0, 2), False), ((-1,), True)]:
                reduced(floats([2, 3, 4], dtype), axis, keepdims, ulps=32)
            reduced(tf.zeros([0], dtype), None)
            reduced(tf.zeros([2, 3], dtype), 1)
        if name == "reduce_euclidean_norm":
            # Sums that wrap around to below 0 have no root, and are whatever the processor makes of it.
            for dtype in SIGNED + UNSIGNED:
                reduced(tf.constant([[3, 4], [1, 1], [7, 7]], dtype), 1, ulps=0)
                reduced(tf.constant([[[100], [100]]], dtype), (0, 1), True, ulps=0)
                reduced(tf.zeros([0, 2], dtype), 0, ulps=0)
            reduced(tf.constant([2**31 - 1, 5], tf.int32), None, ulps=0)
            reduced(tf.constant([3037000500, 3037000500], tf.int64), None, ulps=0)
        reduced(tf.constant([2.0]), 3)
    case("reduce_logsumexp", tf.reduce_logsumexp, [tf.constant([1000.0, 1000.0])], [axes(None), flag(False)], 4)
    case("reduce_logsumexp", tf.reduce_logsumexp, [tf.constant([-INF, -INF])], [axes(None), flag(False)], 4)
    for name in ["argmax", "argmin"]:
        for dtype in NUMBERS:
            values = drawn([3, 4], dtype)
            for axis, output in [(0, tf.int64), (1, tf.int32), (-1, tf.int64), (2, tf.int64)]:
                case(name, lambda x: getattr(tf, name)(x, axis, output), [values], [integer(axis), dtype_of(output)])
        case(name, getattr(tf, name), [tf.constant([])], [integer(0), dtype_of(tf.int64)])
        case(name, getattr(tf, name), [tf.constant([NAN, 1.0, 5.0, 5.0, -2.0])], [integer(0), dtype_of(tf.int64)])


def along():
    for dtype in FLOATS:
        for axis in [-1, 0, 1, 3]:
            case("softmax", lambda x: tf.nn.softmax(x, axis), [floats([2, 3, 2], dtype)], [integer(axis)], 4)
            case("log_softmax", lambda x: tf.nn.log_softmax(x, axis), [floats([2, 3, 2], dtype)], [integer(axis)], 256)
    case("softmax", tf.nn.softmax, [tf.constant([1000.0, 1001.0, -1000.0])], [integer(-1)], 4)
    for dtype in FLOATS[2:]:
        for axis in [None, 0, (0, 1), -1, 4]:
            case("l2_normalize", lambda x: tf.math.l2_normalize(x, axis), [floats([2, 3, 2], dtype)], [axes(axis), number(1e-12)], 8)
    case("l2_normalize", lambda x: tf.math.l2_normalize(x, 0), [tf.zeros([2, 2])], [axes(0), number(1e-12)])
    for dtype in NUMBERS:
        for axis, exclusive, reverse in [(0, False, False), (1, True, False), (-1, False, True), (2, True, True), (3, False, False)]:
            arguments = [integer(axis), flag(exclusive), flag(reverse)]
            values = drawn([2, 3, 2], dtype, 1, 4)
            case("cumsum", lambda x: tf.cumsum(x, axis, exclusive, reverse), [values], arguments)
            case("cumprod", lambda x: tf.math.cumprod(x, axis, exclusive, reverse), [values], arguments)
    case("cumsum", tf.cumsum, [tf.zeros([0, 2])], [integer(0), flag(False), flag(False)])
    for dtype in NUMBERS:
        values = drawn([3, 5], dtype)
        for axis, direction in [(-1, "ASCENDING"), (0, "DESCENDING"), (1, "DESCENDING"), (2, "ASCENDING")]:
            case("sort", lambda x: tf.sort(x, axis, direction), [values], [integer(axis), text(direction)])
            # Of equal ones the first comes first; TensorFlow's ascending order of unsigned numbers has the last.
            if dtype not in UNSIGNED:
                case("argsort", lambda x: tf.argsort(x, axis, direction), [values], [integer(axis), text(direction)])
        for k in [0, 1, 3, 5, 6]:
            case("top_k", lambda x: tf.math.top_k(x, k), [values], [integer(k), flag(True)])
    case("sort", lambda x: tf.sort(x, -1, "UP"), [tf.constant([1, 2])], [integer(-1), text("UP")])
    case("top_k", lambda x: tf.math.top_k(x, 1), [tf.constant(1)], [integer(1), flag(True)])
    for dtype in [tf.int32, tf.int64, tf.float32, tf.float64]:
        sequence = tf.sort(drawn([2, 6], dtype), -1)
        for side in ["left", "right"]:
            for output in [tf.int32, tf.int64]:
                case("searchsorted", lambda s, v: tf.searchsorted(s, v, side, output), [sequence, drawn([2, 4], dtype)],
                     [text(side), dtype_of(output)])
            case("searchsorted", lambda s, v: tf.searchsorted(s, v, side), [sequence[0], drawn([7], dtype)],
                 [text(side), dtype_of(tf.int32)])
            case("searchsorted", lambda s, v: tf.searchsorted(s, v, side), [sequence[0][:0], drawn([2], dtype)],
                 [text(side), dtype_of(tf.int32)])
        case("searchsorted", tf.searchsorted, [sequence, drawn([3, 4], dtype)], [text("left"), dtype_of(tf.int32)])
        for boundaries in [[-3.0, 0.0, 2.5, 7.0], [], [1.0, 1.0]]:
            case("bucketize", lambda x: tf.raw_ops.Bucketize(input=x, boundaries=boundaries), [drawn([3, 4], dtype)],
                 [{"floats": boundaries}])
        case("bucketize", lambda x: tf.raw_ops.Bucketize(input=x, boundaries=[2.0, 1.0]), [drawn([3], dtype)], [{"floats": [2.0, 1.0]}])


def matrices():
    shapes = [([2, 3], [3, 4]), ([5, 2, 3], [3, 4]), ([5, 1, 2, 3], [2, 3, 2]), ([0, 3], [3, 2]), ([2, 0], [0, 2]), ([2, 3], [2, 3]), ([3], [3, 2]),
              ([2, 2, 3], [3, 3, 2])]
    for dtype in FLOATS[2:] + [tf.int32, tf.int64]:
        for one, two in shapes:
            case("matmul", tf.matmul, [drawn(one, dtype, -4, 5), drawn(two, dtype, -4, 5)], [flag(False), flag(False)])
        for turned_a, turned_b in [(True, False), (False, True), (True, True)]:
            one, two = [3, 2] if turned_a else [2, 3], [4, 3] if turned_b else [3, 4]
            case("matmul", lambda a, b: tf.matmul(a, b, turned_a, turned_b), [drawn(one, dtype, -4, 5), drawn(two, dtype, -4, 5)],
                 [flag(turned_a), flag(turned_b)])
    case("matmul", tf.matmul, [floats([7, 40], tf.float32), floats([40, 5], tf.float32)], [flag(False), flag(False)], 64)
    equations = [("ij,jk->ik", [[2, 3], [3, 4]]), ("ij->ji", [[2, 3]]), ("ij->", [[2, 3]]), ("ij->i", [[2, 3]]), ("i,j->ij", [[2], [3]]),
                 ("bij,bjk->bik", [[2, 2, 3], [2, 3, 2]]), ("ij,jk", [[2, 3], [3, 4]]), ("ii->i", [[3, 3]]), ("ii", [[3, 3]]), ("i,i->", [[4], [4]]),
                 (" ij , j -> i ", [[2, 3], [3]]), ("ij,kj->ik", [[2, 3], [2, 4]]), ("ij->ik", [[2, 3]]), ("ij->i", [[2]]), ("ij,ij->j", [[2, 3], [2, 3]]),
                 ("ij->j", [[0, 3]])]
    # Behind those above, which draw the same values as before.
    others = [("...ij->...ji", [[2, 2, 3]]), ("...ij,jk->...ik", [[2, 2, 3], [3, 2]]), ("...ij,...jk->...ik", [[2, 1, 2, 3], [4, 3, 2]]),
              ("i...,i...->...", [[2], [2, 3]]), ("b...i->...", [[2, 2, 3]]), ("...->...", [[2, 3]]), ("...i->i", [[3]]), ("...i->i", [[2, 3]]),
              ("...,...->...", [[2, 3], [4]]), ("...i...->i", [[2, 3]]), ("i..j->ij", [[2, 3]]), ("...ij->...", [[3]]),
              ("ij,jk,kl->il", [[2, 3], [3, 4], [4, 2]]), ("i,i,i->i", [[3], [3], [3]]), ("i,j,k->kji", [[2], [3], [2]]), ("i,i,i->", [[3], [3], [4]]),
              ("...i,ij,j...->...", [[2, 3], [3, 4], [4, 2]]), ("a,b,c,d->abcd", [[1], [2], [1], [2]])]
    for dtype in [tf.float32, tf.int32]:
        for equation, of in equations:
            case("einsum", lambda *tensors: tf.einsum(equation, *tensors), [drawn(shape, dtype, -4, 5) for shape in of], [text(equation)])
    for dtype in [tf.float32, tf.int32]:
        for equation, of in others:
            case("einsum", lambda *tensors: tf.einsum(equation, *tensors), [drawn(shape, dtype, -4, 5) for shape in of], [text(equation)])


functions()
reductions()
along()
matrices()
write("numbers.json")
