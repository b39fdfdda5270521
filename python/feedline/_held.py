"""What a function holds beside its code: the globals it names."""

from __future__ import annotations

import types
from collections.abc import Iterator
from typing import Any


def names_in(code: types.CodeType) -> list[str]:
    """Names that the code, and code inside it, uses."""
    return [*code.co_names, *(name for inside in _codes_in(code) for name in names_in(inside))]


def globals_of(function: types.FunctionType) -> Iterator[tuple[str, Any]]:
    """The globals that a function names, in the order of its code. Modules are none: what of them is used, nobody can tell."""
    for name in dict.fromkeys(names_in(function.__code__)):
        value = function.__globals__.get(name, _MISSING)
        if value is not _MISSING and not isinstance(value, types.ModuleType):
            yield name, value


def names_set_in(code: types.CodeType) -> set[str]:
    """Globals that the code itself gives values: they change as it runs."""
    import dis  # takes as long as much of feedline, and few need it

    own = {str(step.argval) for step in dis.get_instructions(code) if step.opname in ("STORE_GLOBAL", "DELETE_GLOBAL")}
    return own.union(*(names_set_in(inside) for inside in _codes_in(code)))


def _codes_in(code: types.CodeType) -> list[types.CodeType]:
    return [constant for constant in code.co_consts if isinstance(constant, types.CodeType)]


_MISSING = object()
