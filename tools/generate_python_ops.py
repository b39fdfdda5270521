#!/usr/bin/env python3
"""Writes python/feedline/_ops.py and _image_ops.py, the operations as Python functions, from the catalogue of the
installed feedline.

`python tools/generate_python_ops.py` writes the files; a test compares them with what would be written.
"""

from __future__ import annotations

import keyword
import pathlib
import textwrap

from feedline import _native

FOLDER = pathlib.Path(__file__).parent.parent / "python" / "feedline"
PREFIXES = {"_ops.py": "", "_image_ops.py": "image."}
"""What the names in each file begin with."""

HEAD = '''"""The operations, as functions of symbolic tensors, under TensorFlow's names.

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
'''

TYPES = {
    "Tensor": "TensorLike",
    "Condition": "TensorLike",
    "Indices": "TensorLike",
    "Tensors": "Sequence[TensorLike]",
    "Int": "int",
    "Float": "float",
    "Bool": "bool",
    "Text": "str",
    "DType": "DTypeLike",
    "Shape": "ShapeLike",
    "Axis": "int | Sequence[int] | None",
    "Number": "float",
    "Floats": "Sequence[float]",
    "OptionalFloats": "Sequence[float] | None",
    "Slices": "Any",
    "Features": "Any",
}
RETURNS = {
    "image.sample_distorted_bounding_box": "tuple[Tensor, Tensor, Tensor]",
    "image.mixup": "tuple[Tensor, Tensor]",
    "image.cutmix": "tuple[Tensor, Tensor]",
}
"""What those return that return several."""
TENSORS = {"Tensor", "Condition", "Indices", "Tensors"}
DEFAULTS = {"none": "None", "true": "True", "false": "False"}


def function(name: str, tensorflow: str, doc: str, arguments: list[tuple[str, str, str | None]]) -> str:
    parameters, tensors, others = [], [], []
    for argument, kind, default in arguments:
        text = ""
        if default is not None:
            text = f" = {default!r}" if kind == "DType" else f" = {DEFAULTS.get(default, default)}"
        if not text and any("=" in parameter for parameter in parameters) and "*" not in parameters:
            # Python wants those that must be given before those that need not; from here on they are given by name.
            parameters.append("*")
        parameters.append(f"{argument}: {TYPES[kind]}{text}")
        if kind == "Tensors":
            tensors.append(f"*{argument}")
        elif kind in TENSORS:
            tensors.append(argument)
        else:
            others.append(argument)
    has_features = any(kind == "Features" for _, kind, _ in arguments)
    returns = "dict[str, Tensor]" if has_features else RETURNS.get(name, "Tensor")
    own_name = name.rpartition(".")[2]
    name_in_python = f"{own_name}_" if keyword.iskeyword(own_name) else own_name
    lines = " ".join(line.strip() for line in doc.strip().splitlines())
    text = textwrap.fill(f"{lines} As ``{tensorflow}``.", 112, break_long_words=False, break_on_hyphens=False)
    text = textwrap.indent(text, "    ").strip()
    quote = '"""'
    return (
        f"def {name_in_python}({', '.join(parameters)}, name: str | None = None) -> {returns}:\n"
        f"    {quote}{text}{quote}\n"
        f"    return call({name!r}, [{', '.join(tensors)}], [{', '.join(others)}])  # type: ignore[no-any-return]\n"
    )


def texts() -> dict[str, str]:
    """What each file should be."""
    made = {}
    for file, prefix in PREFIXES.items():
        own = [entry for entry in _native.catalogue() if entry[0].rpartition(".")[0] == prefix.rstrip(".")]
        functions = [function(*entry) for entry in own if entry[0] != "strided_slice"]
        made[file] = "\n\n".join([HEAD, *functions])
    return made


if __name__ == "__main__":
    for file, text in texts().items():
        (FOLDER / file).write_text(text)
