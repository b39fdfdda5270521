"""Structures of values: tuples, dicts, and the tensors that are kept as several."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ._composite import Composite, of_parts
from ._errors import SchemaError
from ._form import plain

__all__ = ["filled", "has_none", "leaves_of"]


def leaves_of(structure: Any) -> list[Any]:
    """What tuples and dicts hold."""
    structure = plain(structure)
    if isinstance(structure, (tuple, dict)):
        parts = structure.values() if isinstance(structure, dict) else structure
        return [leaf for part in parts for leaf in leaves_of(part)]
    return [structure]


def has_none(structure: Any) -> bool:
    """Whether ``None`` is among the parts of tuples and dicts."""
    if isinstance(structure, (tuple, dict)):
        return any(has_none(part) for part in (structure.values() if isinstance(structure, dict) else structure))
    return structure is None


def filled(structure: Any, leaves: Iterator[Any]) -> Any:
    """``structure`` with these leaves in place of its own, in the order that the engine has them in: dicts by key."""
    if isinstance(structure, tuple):
        return tuple(filled(part, leaves) for part in structure)
    if isinstance(structure, dict):
        return {key: filled(structure[key], leaves) for key in sorted(structure)}
    if isinstance(structure, Composite):
        return of_parts(structure.kind, [next(leaves) for _ in structure.parts()])
    if hasattr(structure, "element_spec"):
        raise SchemaError("a dataset inside an element is no argument of a Python function\nhint: batch it first: flat_map(lambda d: d.batch(n))")
    return next(leaves)
