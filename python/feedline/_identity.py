"""What a function that runs as Python is called in a plan: its name, and a digest of its code.

A plan holds such a function by name alone. With the digest, a cache, a snapshot or a state of one function is not taken for that of
another of the same name, or of the same one after an edit.
"""

from __future__ import annotations

import functools
import hashlib
import types
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

#: Functions that functions hold are looked into, so far.
_MAX_DEPTH = 4
#: Larger arrays are data, and known by their shape.
_MAX_ARRAY_BYTES = 1 << 20
_PLAIN = (bool, int, float, complex, str, bytes, type(None), type(...))


def function_name(function: Callable[..., Any]) -> str:
    """How a function is called."""
    return str(getattr(function, "__qualname__", None) or type(function).__qualname__).split(".<locals>.")[-1]


def function_label(function: Callable[..., Any], arguments: tuple[Any, ...] = ()) -> str:
    """Its name and its code, with the arguments it is called with, as ``name#digest``; the name alone where there is no code to look at."""
    parts = [*_parts(function, 0), *(_constant(arguments, 0) if arguments else ())]
    if not parts:
        return function_name(function)
    digest = hashlib.blake2b(digest_size=4)
    for part in parts:
        digest.update(len(part).to_bytes(8, "little") + part)
    return f"{function_name(function)}#{digest.hexdigest()}"


def _parts(value: Any, depth: int) -> Iterator[bytes]:
    """Bytes that differ where functions do, the same in every process."""
    if depth > _MAX_DEPTH:
        return
    if isinstance(value, functools.partial):
        yield from _parts(value.func, depth + 1)
        yield from _constant((value.args, sorted(value.keywords.items())), depth + 1)
        return
    if isinstance(value, types.MethodType):
        value = value.__func__
    if not isinstance(value, types.FunctionType):
        # Of an object that can be called, also what it was made with; not lists and dicts, which it may fill as it goes.
        for name, part in sorted(getattr(value, "__dict__", {}).items()):
            if isinstance(part, (*_PLAIN, tuple)):
                yield name.encode()
                yield from _constant(part, depth + 1)
        value = getattr(type(value), "__call__", None)
    if isinstance(value, types.FunctionType):
        yield from _code(value.__code__, depth)
        yield from _constant((value.__defaults__, sorted((value.__kwdefaults__ or {}).items())), depth)
        for cell in value.__closure__ or ():
            try:
                yield from _constant(cell.cell_contents, depth + 1)
            except ValueError:  # not yet filled
                yield b"empty"


def _code(code: types.CodeType, depth: int) -> Iterator[bytes]:
    yield code.co_code
    yield " ".join(code.co_names).encode()
    for constant in code.co_consts:
        yield from _constant(constant, depth)


def _constant(value: Any, depth: int) -> Iterator[bytes]:
    if isinstance(value, types.CodeType):
        yield from _code(value, depth)
    elif isinstance(value, _PLAIN):
        yield repr(value).encode()
    elif isinstance(value, np.ndarray) and value.dtype != object and value.nbytes <= _MAX_ARRAY_BYTES:
        yield f"array {value.dtype} {value.shape}".encode()
        yield value.tobytes()
    elif isinstance(value, (tuple, list)):
        yield f"{type(value).__name__} of {len(value)}".encode()
        for part in value:
            yield from _constant(part, depth)
    elif isinstance(value, (set, frozenset)):
        yield from sorted(b" ".join(_constant(part, depth)) for part in value)
    else:
        # Of other things, and of larger arrays, only the kind: their contents may be anything, and may change.
        yield f"{type(value).__module__}.{type(value).__qualname__}".encode()
        if callable(value):
            yield from _parts(value, depth + 1)
