"""Cases of strings and parsing, for the scripts beside this one: asks TensorFlow and writes what it answers."""

import json
from pathlib import Path

import numpy as np
import tensorflow as tf

HERE = Path(__file__).resolve().parent
REFUSALS = (tf.errors.OpError, ValueError, TypeError)


def as_json(tensor):
    values = np.asarray(tensor.numpy(), dtype=object if tensor.dtype == tf.string else None).reshape(-1)
    if tensor.dtype == tf.string:
        flat = [value.hex() for value in values]
    elif tensor.dtype.is_floating:
        # As text: readers of JSON round numbers as they like.
        flat = [repr(float(v)) for v in values.astype(np.float64)]
    else:
        flat = values.tolist()
    return {"dtype": tensor.dtype.name, "shape": list(tensor.shape), "values": flat}


def parts(value):
    """The plain tensors a value is made of, in the order feedline keeps them in."""
    if isinstance(value, tf.RaggedTensor):
        return [value.flat_values, *value.nested_row_splits]
    if isinstance(value, tf.sparse.SparseTensor):
        return [value.indices, value.values, value.dense_shape]
    if isinstance(value, (list, tuple)):
        return [part for item in value for part in parts(item)]
    return [value]


class Cases:
    """Cases of operations with one output, as `operations.json` has them."""

    def __init__(self):
        self.rows = []

    def add(self, operation, function, inputs, attributes=()):
        inputs = [tf.convert_to_tensor(value) for value in inputs]
        try:
            output = as_json(function(*inputs))
        except REFUSALS:
            output = None
        self.rows.append({
            "operation": operation, "inputs": [as_json(tensor) for tensor in inputs], "attributes": list(attributes),
            "output": output, "ulps": 0,
        })

    def write(self, name):
        write(name, self.rows, "output")


class Lists:
    """Cases of operations with several outputs: ragged and sparse tensors, columns."""

    def __init__(self):
        self.rows = []

    def add(self, operation, function, inputs, attributes=()):
        inputs = [tf.convert_to_tensor(value) for value in inputs]
        try:
            outputs = [as_json(part) for part in parts(function(*inputs))]
        except REFUSALS:
            outputs = None
        self.rows.append({
            "operation": operation, "inputs": [as_json(tensor) for tensor in inputs], "attributes": list(attributes),
            "outputs": outputs,
        })

    def write(self, name):
        write(name, self.rows, "outputs")


def write(name, rows, key):
    text = "[\n" + ",\n".join(json.dumps(row, separators=(",", ":")) for row in rows) + "\n]\n"
    (HERE / name).write_text(text, encoding="utf-8")
    refused = sum(row[key] is None for row in rows)
    print(f"{name}: {len(rows)} cases, {refused} of them refused, {len(text)} bytes")
