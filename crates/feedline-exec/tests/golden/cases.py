"""What the scripts that ask TensorFlow share: cases, and the tensors they are made of."""

import json
from pathlib import Path

import attributes
import numpy as np
import tensorflow as tf

HERE = Path(__file__).resolve().parent
RANDOM = np.random.default_rng(20270101)
SIGNED = [tf.int8, tf.int16, tf.int32, tf.int64]
UNSIGNED = [tf.uint8, tf.uint16, tf.uint32, tf.uint64]
FLOATS = [tf.float16, tf.bfloat16, tf.float32, tf.float64]
NUMBERS = SIGNED + UNSIGNED + FLOATS
INF, NAN = float("inf"), float("nan")
rows = []


def as_json(tensor):
    values = np.asarray(tensor.numpy(), dtype=object if tensor.dtype == tf.string else None).reshape(-1)
    if tensor.dtype == tf.string:
        flat = [value.hex() for value in values]
    elif tensor.dtype.is_floating:
        wide = values.astype(np.float64)
        flat = [float(v) if np.isfinite(v) else {NAN: "nan"}.get(v, "nan" if v != v else "inf" if v > 0 else "-inf") for v in wide]
    else:
        flat = values.tolist()
    return {"dtype": tensor.dtype.name, "shape": list(tensor.shape), "values": flat}


def case(operation, function, inputs, attributes=(), ulps=0):
    try:
        outputs = function(*inputs)
        # What has several outputs answers a list of them, or a named tuple.
        outputs = list(outputs) if isinstance(outputs, (list, tuple)) else [outputs]
        output, *more = [as_json(tensor) for tensor in outputs]
    except (tf.errors.NotFoundError, tf.errors.UnimplementedError):
        return  # it has no kernel for the type on a CPU, which says nothing about the result
    except (tf.errors.OpError, ValueError, TypeError):
        output, more = None, []
    rows.append({
        "operation": operation, "inputs": [as_json(tensor) for tensor in inputs], "attributes": list(attributes),
        "output": output, **({"more": more} if more else {}), "ulps": ulps,
    })


# Attributes as a saved plan has them, besides those of attributes.py.
def dtype_of(value):
    return {"d_type": value.name}


def axes(value):
    return "none" if value is None else attributes.integer(value) if isinstance(value, int) else {"ints": list(value)}


# Tensors.
def counted(shape, dtype=tf.int32, start=0):
    count = int(np.prod(shape))
    if dtype == tf.string:
        return tf.reshape(tf.constant([b"v%d" % (start + i) for i in range(count)], tf.string), shape)
    if dtype == tf.bool:
        return tf.reshape(tf.constant([(start + i) % 3 == 0 for i in range(count)], tf.bool), shape)
    return tf.reshape(tf.cast(tf.range(start, start + count), dtype), shape)


def drawn(shape, dtype, low=-9, high=10):
    """Small whole numbers: exact in every type, whatever is done first."""
    if dtype in UNSIGNED:
        low = 0
    return tf.cast(tf.constant(RANDOM.integers(low, high, size=shape)), dtype)


def extremes(dtype):
    if dtype.is_floating:
        return tf.cast(tf.constant([0.0, -0.0, 1.0, -1.0, 0.5, 1.5, 2.5, -0.5, -2.5, 7.25, 100.0, INF, -INF, NAN], tf.float64), dtype)
    return tf.constant([dtype.min, dtype.min + 1, 0, 1, 2, 3, 100, dtype.max - 1, dtype.max], dtype)


def pairs(dtype):
    values = extremes(dtype).numpy()
    if dtype.is_floating:
        values = values[[0, 2, 3, 4, 8, 9, 10, 11, 12, 13]]  # one zero: which of two comes out depends on the type
    return tf.constant(np.repeat(values, len(values))), tf.constant(np.tile(values, len(values)))


def write(name):
    """Writes the cases so far to the file of that name, and says how many they are."""
    text = "[\n" + ",\n".join(json.dumps(row, separators=(",", ":")) for row in rows) + "\n]\n"
    (HERE / name).write_text(text, encoding="utf-8")
    refused = sum(row["output"] is None for row in rows)
    print(f"{name}: {len(rows)} cases, {refused} of them refused, {len(text)} bytes")
