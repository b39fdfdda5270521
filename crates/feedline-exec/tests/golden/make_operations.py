"""Records what TensorFlow answers for the operations of the catalogue's first list. README.md says how to run it and what it writes."""

import itertools

import tensorflow as tf
from attributes import flag, integer
from cases import FLOATS, NAN, NUMBERS, RANDOM, SIGNED, UNSIGNED, axes, case, counted, drawn, dtype_of, extremes, pairs, write


def slice_of(entry):
    if entry is Ellipsis:
        return "ellipsis"
    if entry is None:
        return "new_axis"
    if isinstance(entry, slice):
        return {"range": {"begin": entry.start, "end": entry.stop, "step": 1 if entry.step is None else entry.step}}
    return {"at": entry}


def main():
    # Numbers, one and two at a time.
    for dtype in NUMBERS:
        left, right = pairs(dtype)
        for name, function in [("add", tf.add), ("subtract", tf.subtract), ("multiply", tf.multiply), ("minimum", tf.minimum),
                               ("maximum", tf.maximum), ("less", tf.less), ("less_equal", tf.less_equal), ("greater", tf.greater),
                               ("greater_equal", tf.greater_equal), ("equal", tf.equal), ("not_equal", tf.not_equal)]:
            case(name, function, [left, right])
        nonzero = right if dtype.is_floating else tf.where(right == 0, tf.ones_like(right), right)
        case("truediv", tf.truediv, [left, nonzero], ulps=1)
        if not dtype.is_floating:
            fits = nonzero if dtype in UNSIGNED else tf.where(nonzero == -1, tf.ones_like(right), nonzero)
            case("floordiv", tf.math.floordiv, [left, fits])
            case("floormod", tf.math.floormod, [left, fits])
        case("add", tf.add, [drawn([2, 1, 3], dtype), drawn([4, 1], dtype)])
        case("subtract", tf.subtract, [drawn([3], dtype), drawn([2, 2, 1], dtype)])
        case("square", tf.square, [extremes(dtype)])
        case("round", tf.round, [extremes(dtype)])
    for dtype in SIGNED + FLOATS:
        for name, function in [("negative", tf.negative), ("abs", tf.abs), ("sign", tf.sign)]:
            case(name, function, [extremes(dtype)])
    for dtype in UNSIGNED:
        case("abs", tf.abs, [extremes(dtype)])
        case("sign", tf.sign, [extremes(dtype)])
        case("pow", tf.pow, [extremes(dtype), extremes(dtype)])
    for dtype in FLOATS:
        values = tf.concat([extremes(dtype), drawn([20], dtype) / tf.constant(4, dtype)], 0)
        for name, function in [("floor", tf.floor), ("ceil", tf.math.ceil), ("sqrt", tf.sqrt), ("is_nan", tf.math.is_nan),
                               ("is_inf", tf.math.is_inf), ("is_finite", tf.math.is_finite)]:
            case(name, function, [values])
        for name, function in [("exp", tf.exp), ("log", tf.math.log), ("log1p", tf.math.log1p), ("rsqrt", tf.math.rsqrt)]:
            case(name, function, [values], ulps=2)
        base, power = drawn([40], dtype, 0, 5), drawn([40], dtype, -3, 4)
        case("pow", tf.pow, [base, power], ulps=2)
    for name, function in [("floor", tf.floor), ("sqrt", tf.sqrt), ("exp", tf.exp), ("is_nan", tf.math.is_nan)]:
        case(name, function, [tf.constant([1, 2])])
    for dtype in SIGNED:
        case("pow", tf.pow, [drawn([30], dtype), drawn([30], dtype, 0, 40)])
        case("pow", tf.pow, [tf.constant([2, 3], dtype), tf.constant([1, -1], dtype)])
    case("add", tf.add, [tf.constant([1, 2]), tf.constant([1, 2, 3])])
    case("add", tf.add, [tf.constant([1, 2]), tf.constant([1, 2], tf.int64)])
    for source, target in itertools.product(NUMBERS + [tf.bool], NUMBERS + [tf.bool]):
        if source.is_floating and not target.is_floating:
            values = tf.cast(tf.constant([0.0, 0.5, 1.0, 1.99, 100.5]), source)
        else:
            values = counted([4], source) if source == tf.bool else extremes(source)
        case("cast", lambda x, target=target: tf.cast(x, target), [values], [dtype_of(target)])

    # Choices.
    for dtype in NUMBERS + [tf.bool, tf.string]:
        condition = counted([2, 3], tf.bool)
        case("where", tf.where, [condition, counted([2, 3], dtype), counted([2, 3], dtype, 50)])
        case("where", tf.where, [condition, counted([3], dtype), counted([], dtype, 50)])
        case("where", tf.where, [counted([2, 1], tf.bool), counted([1, 3], dtype), counted([4, 1, 1], dtype, 50)])
        case("where", tf.where, [counted([], tf.bool), counted([0, 3], dtype), counted([], dtype, 50)])
    case("where", tf.where, [counted([2], tf.bool), counted([3]), counted([3])])
    case("where", tf.where, [counted([2], tf.bool), counted([2]), counted([2], tf.int64)])
    case("where", tf.where, [counted([2]), counted([2]), counted([2])])
    for dtype in NUMBERS:
        values = extremes(dtype)
        case("clip_by_value", tf.clip_by_value, [values, tf.constant(1, dtype), tf.constant(5, dtype)])
        case("clip_by_value", tf.clip_by_value, [values, tf.constant(5, dtype), tf.constant(1, dtype)])
        case("clip_by_value", tf.clip_by_value, [drawn([2, 3], dtype), drawn([3], dtype), drawn([2, 1], dtype)])
    case("clip_by_value", tf.clip_by_value, [tf.constant([5.0, 0.0]), tf.constant(NAN), tf.constant(2.0)])
    case("clip_by_value", tf.clip_by_value, [tf.constant(1.0), tf.constant([0.0, 3.0]), tf.constant(2.0)])
    for dtype in [tf.uint8, tf.int8, tf.int32, tf.int64, tf.int16, tf.float32]:
        indices = tf.cast(tf.constant([[0, 2, 5], [1, 1, 3]]), dtype)
        for axis in [-1, 0, 1, 2, 3, -2]:
            case("one_hot", lambda x, axis=axis: tf.one_hot(x, 4, axis=axis), [indices],
                 [integer(4), integer(1), integer(0), integer(axis), dtype_of(tf.float32)])
    for dtype in NUMBERS:
        case("one_hot", lambda x, dtype=dtype: tf.one_hot(x, 3, on_value=7, off_value=2, dtype=dtype), [tf.constant([1, -1, 2])],
             [integer(3), integer(7), integer(2), integer(-1), dtype_of(dtype)])
    case("one_hot", lambda x: tf.one_hot(x, 3, on_value=True, off_value=False, dtype=tf.bool), [tf.constant(1)],
         [integer(3), flag(True), flag(False), integer(-1), dtype_of(tf.bool)])
    case("one_hot", lambda x: tf.one_hot(x, 3, on_value=0.75, off_value=0.25), [tf.constant([], tf.int64)],
         [integer(3), {"float": 0.75}, {"float": 0.25}, integer(-1), dtype_of(tf.float32)])
    case("one_hot", lambda x: tf.one_hot(x, 3, on_value=1.5, off_value=0.0, dtype=tf.int32), [tf.constant([1])],
         [integer(3), {"float": 1.5}, {"float": 0.0}, integer(-1), dtype_of(tf.int32)])
    for depth in [0, -1]:
        case("one_hot", lambda x, depth=depth: tf.one_hot(x, depth), [tf.constant([1])],
             [integer(depth), integer(1), integer(0), integer(-1), dtype_of(tf.float32)])

    # Slices.
    def sliced(tensor, *entries):
        key = tuple(tf.newaxis if entry is None else entry for entry in entries)
        case("strided_slice", lambda x: x[key], [tensor], [{"slices": [slice_of(entry) for entry in entries]}])

    for dtype in NUMBERS + [tf.bool, tf.string]:
        sliced(counted([3, 4], dtype), slice(1, None), slice(None, None, -2))
        sliced(counted([3, 4], dtype), 1)
        sliced(counted([3, 4], dtype), Ellipsis, -1, None)
    cube = counted([2, 3, 4])
    for entries in [(), (Ellipsis,), (0,), (-1,), (2,), (-3,), (0, 0, 0), (0, 0, 0, 0), (None,), (Ellipsis, None), (None, Ellipsis, 0),
                    (Ellipsis, 0, Ellipsis), (slice(5, 9),), (slice(-100, 100, 3),), (slice(None, None, 0),), (0, Ellipsis, 1),
                    (slice(0, 0),), (slice(1, 2), slice(2, 0, -1)), (Ellipsis, slice(None, None, 2), None, slice(3, 0, -2))]:
        sliced(cube, *entries)
    sliced(counted([]), Ellipsis)
    sliced(counted([]), 0)
    sliced(counted([0, 3]), slice(None, None, -1))
    sliced(counted([0, 3]), 0)
    for _ in range(120):
        bound = lambda: None if RANDOM.random() < 0.3 else int(RANDOM.integers(-6, 7))
        entries = []
        for _ in range(int(RANDOM.integers(1, 4))):
            kind = RANDOM.random()
            if kind < 0.25:
                entries.append(int(RANDOM.integers(-4, 4)))
            elif kind < 0.35:
                entries.append(None)
            elif kind < 0.45 and Ellipsis not in entries:
                entries.append(Ellipsis)
            else:
                entries.append(slice(bound(), bound(), int(RANDOM.choice([-3, -2, -1, 1, 2, 3]))))
        sliced(cube, *entries)

    # Entries by index.
    def gathered(params, indices, axis=0, batch_dims=0):
        function = lambda p, i: tf.gather(p, i, axis=axis, batch_dims=batch_dims)
        if batch_dims == 0:
            case("gather", function, [params, indices], [integer(axis)])
        else:
            case("batch_gather", function, [params, indices], [integer(axis), integer(batch_dims)])

    for dtype in NUMBERS + [tf.bool, tf.string]:
        gathered(counted([3, 2], dtype), tf.constant([2, 0, 2]))
        gathered(counted([3, 2], dtype), tf.constant([[1], [0]], tf.int64), 1)
    for dtype in [tf.int16, tf.int32, tf.int64, tf.int8, tf.uint8, tf.float32]:
        gathered(counted([3, 2]), tf.cast(tf.constant(1), dtype))
    for axis in [0, 1, 2, -1, -3, 3, -4]:
        gathered(cube, tf.constant([[0, 1], [1, 0]]), axis)
    gathered(cube, tf.constant([0, 2]))
    gathered(cube, tf.constant([0, -1]))
    gathered(cube, tf.constant([], tf.int32))
    gathered(counted([0, 2]), tf.constant([0]))
    gathered(counted([]), tf.constant(0))
    for axis, batch_dims in [(1, 1), (2, 1), (-1, 1), (2, -1), (1, 0), (1, 2), (2, 2), (0, 1), (1, 3), (1, -3)]:
        gathered(counted([2, 3, 4]), tf.constant([[0, 2], [1, 1]]), axis, batch_dims)
    gathered(counted([2, 3, 4]), tf.constant([0, 2]), 1, 1)
    gathered(counted([2, 2, 4], tf.string), tf.constant([[0, 3], [1, 1]]), 2, 2)
    gathered(counted([2, 3]), tf.constant([[0], [3]]), 1, 1)
    gathered(counted([2, 3]), tf.constant([[0], [1], [2]]), 1, 1)
    gathered(counted([0, 3]), tf.zeros([0, 2], tf.int32), 1, 1)

    # Tensors put together.
    def stacked(values, axis=0):
        case("stack", lambda *v: tf.stack(v, axis=axis), values, [integer(axis)])

    def joined(values, axis):
        case("concat", lambda *v: tf.concat(v, axis), values, [integer(axis)])

    for dtype in NUMBERS + [tf.bool, tf.string]:
        stacked([counted([2], dtype), counted([2], dtype, 10), counted([2], dtype, 20)], 1)
        joined([counted([2, 1], dtype), counted([2, 3], dtype, 10)], -1)
    for axis in [0, 1, 2, -1, -3, 3, -4]:
        stacked([counted([2, 3]), counted([2, 3], start=10)], axis)
    for axis in [0, 1, 2, -1, -3, 3, -4]:
        joined([cube, counted([2, 3, 4], start=100), cube], axis)
    stacked([counted([]), counted([], start=5)])
    stacked([counted([0]), counted([0])])
    stacked([counted([2]), counted([3])])
    stacked([counted([2]), counted([2], tf.int64)])
    stacked([counted([2])])
    joined([counted([2]), counted([0]), counted([1])], 0)
    joined([counted([2, 2]), counted([3, 3])], 0)
    joined([counted([2]), counted([2, 2])], 0)
    joined([counted([]), counted([])], 0)
    joined([counted([2, 2])], 1)

    # Dimensions.
    for axis in [0, 1, 2, 3, -1, -2, -4, 4, -5]:
        case("expand_dims", lambda x, axis=axis: tf.expand_dims(x, axis), [cube], [integer(axis)])
    for axis in [None, 0, 2, -1, 1, (0, 2), (0, 0), (), 3]:
        case("squeeze", lambda x, axis=axis: tf.squeeze(x, axis), [counted([1, 3, 1])], [axes(axis)])
    case("squeeze", tf.squeeze, [counted([1, 0, 1], tf.string)], ["none"])
    for perm in [None, (0, 1, 2), (2, 0, 1), (1, -1, 0), (1, 0), (0, 0, 1), (0, 1, 3)]:
        case("transpose", lambda x, perm=perm: tf.transpose(x, perm), [cube], [axes(perm)])
    for dtype in NUMBERS + [tf.bool, tf.string]:
        case("transpose", tf.transpose, [counted([3, 2], dtype)], ["none"])
    case("transpose", tf.transpose, [counted([])], ["none"])
    for tensor in [cube, counted([]), counted([0, 2], tf.string)]:
        for dtype in [tf.int32, tf.int64]:
            case("shape", lambda x, dtype=dtype: tf.shape(x, dtype), [tensor], [dtype_of(dtype)])
            case("size", lambda x, dtype=dtype: tf.size(x, dtype), [tensor], [dtype_of(dtype)])
        case("rank", tf.rank, [tensor])

    # Reductions.
    numbers = [("reduce_sum", tf.reduce_sum), ("reduce_mean", tf.reduce_mean), ("reduce_max", tf.reduce_max),
               ("reduce_min", tf.reduce_min), ("reduce_prod", tf.reduce_prod)]

    def reduced(name, function, tensor, axis, keepdims=False, ulps=0):
        case(name, lambda x: function(x, axis, keepdims), [tensor], [axes(axis), flag(keepdims)], ulps)

    for name, function in numbers:
        for dtype in NUMBERS:
            # Of half-precision floats, what float32 and TensorFlow's ways agree on: few, small, exact.
            low, high = (1, 3) if name == "reduce_prod" or dtype in FLOATS[:2] else (-9, 10)
            for axis, keepdims in [(None, False), (0, False), (1, True), ((0, 2), False), ((-1,), True)]:
                reduced(name, function, drawn([2, 3, 2], dtype, low, high), axis, keepdims)
            for shape, axis in [([0], None), ([0, 2], 0), ([2, 0], 1), ([0, 2], 1), ([], None)]:
                reduced(name, function, tf.zeros(shape, dtype), axis)
            if not dtype.is_floating:
                reduced(name, function, extremes(dtype), None)
        for axis in [2, -3, (0, 0), (0, -2), ()]:
            reduced(name, function, counted([2, 3]), axis)
        reduced(name, function, counted([]), 0)
        reduced(name, function, counted([2], tf.bool), None)
        for at in [0, 2, 20]:
            values = [float(i % 7) for i in range(21)]
            values[at] = NAN
            reduced(name, function, tf.constant(values), None)
    for shape in [[1000], [129, 3]]:
        for name, function in numbers[:2]:
            for dtype in FLOATS[2:]:
                reduced(name, function, tf.constant(RANDOM.random(shape), dtype), 0, ulps=8)
    for name, function in [("reduce_any", tf.reduce_any), ("reduce_all", tf.reduce_all)]:
        for axis, keepdims in [(None, False), (0, False), (1, True), ((0, 1), True), (2, False)]:
            reduced(name, function, tf.constant([[True, True], [False, True], [False, True]]), axis, keepdims)
        reduced(name, function, tf.constant([], tf.bool), None)
        reduced(name, function, counted([2]), None)

    # Bytes.
    for dtype in [tf.bool] + SIGNED + UNSIGNED[:2] + FLOATS:
        for little in [True, False]:
            raw = tf.constant([bytes(range(8)), b"\x3f\x80\x00\x00\x40\x49\x0f\xdb"])
            case("decode_raw", lambda x, dtype=dtype, little=little: tf.io.decode_raw(x, dtype, little_endian=little), [raw],
                 [dtype_of(dtype), flag(little)])
    for strings in [[b"abc", b"abd"], [b"abcd", b"ab"], [b"", b""], [b"", b"ab"], []]:
        case("decode_raw", lambda x: tf.io.decode_raw(x, tf.int16), [tf.constant(strings, tf.string)], [dtype_of(tf.int16), flag(True)])
    case("decode_raw", lambda x: tf.io.decode_raw(x, tf.uint8), [tf.constant(b"xyz")], [dtype_of(tf.uint8), flag(True)])

    write("operations.json")


main()
