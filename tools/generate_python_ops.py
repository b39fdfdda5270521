#!/usr/bin/env python3
"""Writes python/feedline/_ops.py, the operations as Python functions, from the catalogue of the installed feedline.

`python tools/generate_python_ops.py` writes the file; a test compares it with what would be written.
"""

from __future__ import annotations

import keyword
import pathlib
import textwrap

from feedline import _native

PATH = pathlib.Path(__file__).parent.parent / "python" / "feedline" / "_ops.py"

HEAD = '''"""The operations, as functions of symbolic tensors, under TensorFlow's names.

Made from the catalogue in crates/feedline-plan/src/expr/catalogue.rs by tools/generate_python_ops.py: do not edit.
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
    "Slices": "Any",
    "Features": "Any",
}
TENSORS = {"Tensor", "Condition", "Indices", "Tensors"}
DEFAULTS = {"none": "None", "true": "True", "false": "False"}


def function(name: str, tensorflow: str, doc: str, arguments: list[tuple[str, str, str | None]]) -> str:
    parameters, tensors, others = [], [], []
    for argument, kind, default in arguments:
        text = ""
        if default is not None:
            text = f" = {default!r}" if kind == "DType" else f" = {DEFAULTS.get(default, default)}"
        parameters.append(f"{argument}: {TYPES[kind]}{text}")
        if kind == "Tensors":
            tensors.append(f"*{argument}")
        elif kind in TENSORS:
            tensors.append(argument)
        else:
            others.append(argument)
    returns = "dict[str, Tensor]" if any(kind == "Features" for _, kind, _ in arguments) else "Tensor"
    name_in_python = f"{name}_" if keyword.iskeyword(name) else name
    lines = " ".join(line.strip() for line in doc.strip().splitlines())
    text = textwrap.fill(f"{lines} As ``{tensorflow}``.", 112, break_long_words=False, break_on_hyphens=False)
    text = textwrap.indent(text, "    ").strip()
    quote = '"""'
    return (
        f"def {name_in_python}({', '.join(parameters)}, name: str | None = None) -> {returns}:\n"
        f"    {quote}{text}{quote}\n"
        f"    return call({name!r}, [{', '.join(tensors)}], [{', '.join(others)}])  # type: ignore[no-any-return]\n"
    )


def text() -> str:
    entries = [entry for entry in _native.catalogue() if entry[0] != "strided_slice"]
    return "\n\n".join([HEAD, *(function(*entry) for entry in entries)])


if __name__ == "__main__":
    PATH.write_text(text())
