#!/usr/bin/env python3
"""Writes python/feedline/_ops.py and the files like it, the operations as Python functions, from the catalogue of the
installed feedline.

`python tools/generate_python_ops.py` writes the files; a test compares them with what would be written.
"""

from __future__ import annotations

import importlib
import importlib.util
import keyword
import pathlib
import sys
import textwrap
import types


def native() -> types.ModuleType:
    """The native module, also where the package cannot be imported because a file that is made here is missing."""
    if "feedline" not in sys.modules:
        found = importlib.util.find_spec("feedline")
        assert found is not None, "feedline is not installed"
        package = types.ModuleType("feedline")
        package.__path__ = list(found.submodule_search_locations or [])
        sys.modules["feedline"] = package
    return importlib.import_module("feedline._native")


FOLDER = pathlib.Path(__file__).parent.parent / "python" / "feedline"
PREFIXES = {
    "_ops.py": "",
    "_bitwise_ops.py": "bitwise.",
    "_image_ops.py": "image.",
    "_string_ops.py": "strings.",
    "_ragged_ops.py": "ragged.",
    "_sparse_ops.py": "sparse.",
    "_lookup_ops.py": "lookup.",
}
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
from ._several import several
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
    "IntOrTensor": "int | Tensor",
    "FloatOrTensor": "float | Tensor",
    "AxisOrTensor": "int | Sequence[int | Tensor] | Tensor",
}
RETURNS = {
    "split": "Any",
    "top_k": "tuple[Tensor, Tensor]",
    "unique": "tuple[Tensor, Tensor]",
    "unique_with_counts": "tuple[Tensor, Tensor, Tensor]",
    "unstack": "Any",
    "image.sample_distorted_bounding_box": "tuple[Tensor, Tensor, Tensor]",
    "image.mixup": "tuple[Tensor, Tensor]",
    "image.cutmix": "tuple[Tensor, Tensor]",
    **dict.fromkeys(("decode_csv", "decode_csv_record"), "Any"),
    **dict.fromkeys(("parse_single_example", "parse_example", "decode_json"), "Any"),
    "parse_single_sequence_example": "Any",
    "parse_sequence_example": "Any",
    **dict.fromkeys(("strings.split", "strings.bytes_split", "strings.unicode_decode", "strings.unicode_split"), "Any"),
    **dict.fromkeys(("ragged.from_nested_row_splits", "ragged.from_row_lengths", "ragged.range", "ragged.to_sparse", "sparse.from_dense"), "Any"),
}
"""What those return that return several."""
TENSORS = {"Tensor", "Condition", "Indices", "Tensors"}
DEFAULTS = {"none": "None", "true": "True", "false": "False"}


def prose_and_example(doc: str) -> tuple[str, str]:
    """A doc comment's text as one line, and the example below it, which a block of Python holds; empty where there is none."""
    prose, _, rest = textwrap.dedent(doc).partition("```python\n")
    return " ".join(prose.split()), rest.partition("```")[0].rstrip()


def function(name: str, tensorflow: str, doc: str, arguments: list[tuple[str, str, str | None]]) -> str:
    parameters, tensors, others = [], [], []
    own_name = name.rpartition(".")[2]
    for argument, kind, default in arguments:
        text = ""
        if default is not None:
            text = f" = {default!r}" if kind == "DType" else f" = {DEFAULTS.get(default, default)}"
        if not text and any("=" in parameter for parameter in parameters) and "*" not in parameters:
            # Python wants those that must be given before those that need not; from here on they are given by name.
            parameters.append("*")
        parameters.append(f"{argument}: {TYPES[kind]}{text}")
        if kind == "Tensors":
            tensors.append(f"*several({own_name!r}, {argument!r}, {argument})")
        elif kind in TENSORS:
            tensors.append(argument)
        else:
            others.append(argument)
    has_features = any(kind == "Features" for _, kind, _ in arguments)
    returns = RETURNS.get(name, "dict[str, Tensor]" if has_features else "Tensor")
    name_in_python = f"{own_name}_" if keyword.iskeyword(own_name) else own_name
    prose, example = prose_and_example(doc)
    origin = f"As ``{tensorflow}``." if tensorflow else "TensorFlow has none."
    text = textwrap.fill(f"{prose} {origin}", 112, break_long_words=False, break_on_hyphens=False)
    if example and not example.startswith(">>> import"):
        example = f">>> import feedline as fl\n{example}"
    if example:
        text += f"\n\n{example}\n"
    text = textwrap.indent(text.replace("\\", "\\\\"), "    ").removeprefix("    ")
    text = f"{text}    " if example else text
    quote = '"""'
    ignored = "" if returns == "Any" else "  # type: ignore[no-any-return]"
    return (
        f"def {name_in_python}({', '.join(parameters)}, name: str | None = None) -> {returns}:\n"
        f"    {quote}{text}{quote}\n"
        f"    return call({name!r}, [{', '.join(tensors)}], [{', '.join(others)}]){ignored}\n"
    )


def texts() -> dict[str, str]:
    """What each file should be."""
    made = {}
    for file, prefix in PREFIXES.items():
        own = [entry for entry in native().catalogue() if entry[0].rpartition(".")[0] == prefix.rstrip(".")]
        # Slices are written with brackets, and functions of functions have their own way in.
        is_plain = lambda entry: all(kind not in ("Slices", "Functions") for _, kind, _ in entry[3])  # noqa: E731
        functions = [function(*entry) for entry in own if is_plain(entry)]
        made[file] = "\n\n".join([HEAD, *functions])
    return made


if __name__ == "__main__":
    for file, text in texts().items():
        (FOLDER / file).write_text(text)
