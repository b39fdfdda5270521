#!/usr/bin/env python3
"""Records TensorFlow's signatures of everything that feedline has under its names, in `tensorflow.json`.

    TF_CPP_MIN_LOG_LEVEL=3 python record.py      # in an environment with TensorFlow 2.21; feedline need not be there

A signature is a list of `[name, default]`, the default as text, or `null` where there is none. Names that TensorFlow has not are recorded
as `null`: they are feedline's own."""

from __future__ import annotations

import ast
import inspect
import json
import pathlib

import tensorflow as tf

HERE = pathlib.Path(__file__).parent
PACKAGE = HERE.parents[1] / "feedline"
MODULES = "bitwise debugging image io linalg lookup math nn ragged random sparse strings".split()
CLASSES = {
    "Dataset": tf.data.Dataset,
    "RaggedTensor": tf.RaggedTensor,
    "RaggedTensorSpec": tf.RaggedTensorSpec,
    "SparseTensor": tf.SparseTensor,
    "SparseTensorSpec": tf.SparseTensorSpec,
    "TensorSpec": tf.TensorSpec,
}
ELSEWHERE = {
    "Options": tf.data.Options,
    "TFRecordDataset": tf.data.TFRecordDataset,
    "TextLineDataset": tf.data.TextLineDataset,
    "FixedLengthRecordDataset": tf.data.FixedLengthRecordDataset,
    "CsvDataset": tf.data.experimental.CsvDataset,
}
"""What feedline has at the top, and TensorFlow in another place."""
SKIPPED = {"Tensor", "DType"}
"""What nobody makes by calling it."""


def public(path: pathlib.Path) -> list[str]:
    """The names in `__all__` of a module."""
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "__all__":
            return [name for name in ast.literal_eval(node.value) if name not in SKIPPED]
    return []


def found(name: str) -> object:
    value: object = ELSEWHERE.get(name, CLASSES.get(name))
    if value is None:
        value = tf
        for part in name.split("."):
            value = getattr(value, part, None)
    return value if callable(value) else None


def signature(function: object) -> list[list[str | None]] | None:
    # Tables are made by a metaclass that takes anything, named tuples by `__new__`.
    has_init = inspect.isclass(function) and function.__init__ is not object.__init__
    target = function.__init__ if has_init else function
    target = getattr(target, "__wrapped__", target)
    try:
        parameters = inspect.signature(target).parameters.values()
    except (TypeError, ValueError):
        return None
    return [[p.name, None if p.default is p.empty else shown(p.default)] for p in parameters if p.name not in ("self", "cls", "kwargs")]


def shown(default: object) -> str:
    return repr(default.name) if isinstance(default, tf.DType) else repr(default)


def main() -> None:
    names = public(PACKAGE / "__init__.py")
    for module in MODULES:
        names += [f"{module}.{name}" for name in public(PACKAGE / f"{module}.py")]
    values = {name: found(name) for name in names}
    for name, cls in CLASSES.items():
        values |= {f"{name}.{method}": value for method, value in inspect.getmembers(cls, callable) if not method.startswith("_")}
    recorded = {name: None if value is None else signature(value) for name, value in sorted(values.items())}
    path = HERE / "tensorflow.json"
    lines = [f"{json.dumps(name)}: {json.dumps(own)}" for name, own in recorded.items()]
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n")
    print(f"{len(lines)} names, {sum(own is not None for own in recorded.values())} of them TensorFlow's ({tf.__version__})")


if __name__ == "__main__":
    main()
