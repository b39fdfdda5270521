"""Names, order and defaults of arguments are TensorFlow's, as `signatures/record.py` recorded them; our own are given by name."""

from __future__ import annotations

import inspect
import json
import pathlib

import pytest

import feedline as fl

RECORDED = json.loads((pathlib.Path(__file__).with_name("signatures") / "tensorflow.json").read_text())
MODULES = "bitwise debugging image io linalg lookup math nn ragged random sparse strings".split()
CLASSES = "Dataset RaggedTensor RaggedTensorSpec SparseTensor SparseTensorSpec TensorSpec".split()

# Where TensorFlow says None for a default, and means this.
MEANT = {
    ("argmax", "axis"): 0,
    ("argmin", "axis"): 0,
    ("shape", "out_type"): "int32",
    ("size", "out_type"): "int32",
    ("categorical", "dtype"): "int64",
    ("norm", "keepdims"): False,
}
# None is no function, and no structure: they must be given.
REQUIRED = {("cond", "true_fn"), ("cond", "false_fn")} | {
    (name, argument) for name in ("numpy_function", "py_function") for argument in ("func", "inp", "Tout")
}
# What is made in another way, or is feedline's own: datasets and ragged tensors have sources and `from_…`.
OTHER = {"Dataset", "Options", "RaggedTensor"}
# Says where a tensor lies among several machines.
NOT_HERE = {"layout"}


def public_names():
    names = [name for name in fl.__all__ if name not in ("Tensor", "DType")]
    for module in MODULES:
        names += [f"{module}.{name}" for name in getattr(fl, module).__all__]
    for cls in CLASSES:
        names += [f"{cls}.{name}" for name, _ in inspect.getmembers(getattr(fl, cls), callable) if not name.startswith("_")]
    return sorted(names)


def found(name):
    value = fl
    for part in name.split("."):
        value = getattr(value, part)
    return value


def shown(default):
    return repr(default.name) if isinstance(default, fl.DType) else repr(default)


def parameters_of(name):
    value = found(name)
    return [p for p in inspect.signature(value).parameters.values() if p.name != "self"]


def test_every_public_name_is_recorded():
    methods = tuple(f"{cls}." for cls in CLASSES)
    missing = [name for name in public_names() if name not in RECORDED and not name.startswith(methods)]
    assert missing == [], "python/tests/signatures/record.py records them"


SHARED = [name for name in public_names() if RECORDED.get(name) is not None and callable(found(name)) and name not in OTHER]


@pytest.mark.parametrize("name", SHARED)
def test_arguments_are_tensorflows(name):
    ours = parameters_of(name)
    positional = [p for p in ours if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD, p.VAR_POSITIONAL)]
    by_name = {p.name: p for p in ours}
    theirs = [pair for pair in RECORDED[name] if pair[0] not in NOT_HERE]
    if any(p.kind == p.VAR_POSITIONAL for p in ours):
        theirs = [pair for pair in theirs if pair[0] not in by_name or by_name[pair[0]].kind != inspect.Parameter.KEYWORD_ONLY]
    names, expected = [p.name for p in positional], [argument for argument, _ in theirs]
    if "name" not in expected and names[-1:] == ["name"]:
        del names[-1]  # one more at the end, which nothing is said by
    assert names == expected
    for argument, default in theirs:
        if argument == "name" or argument not in by_name:
            continue  # steps and operations are named here by what they do
        own = by_name[argument].default
        if default is None or (name, argument) in REQUIRED:
            assert own is inspect.Parameter.empty, f"{argument} has the default {own!r}, and none in TensorFlow"
        elif default == "None" and (name.rpartition(".")[2], argument) in MEANT:
            assert own == MEANT[name.rpartition(".")[2], argument]
        else:
            assert shown(own) == default, argument
