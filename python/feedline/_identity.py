"""What a function that runs as Python is called in a plan: its name, and a digest of its code.

A plan holds such a function by name alone. With the digest, a cache, a snapshot or a state of one function is not taken for that of
another of the same name, or of the same one after an edit: of itself, of a function it calls, of a number or a table that it
uses. Libraries that are installed count by the names used of them, not by their code: another version of one is no other pipeline.
"""

from __future__ import annotations

import functools
import types
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ._held import globals_of, names_set_in

#: Functions that functions hold are looked into, so far.
_MAX_DEPTH = 4
#: Larger arrays are data, and known by their shape.
_MAX_ARRAY_BYTES = 1 << 20
_PLAIN = (bool, int, float, complex, str, bytes, type(None), type(...))
#: Globals of these kinds are looked at: others may be filled as a pipeline runs.
_FIXED = (*_PLAIN, tuple, frozenset, np.ndarray, np.generic, types.FunctionType, functools.partial)


def function_name(function: Callable[..., Any]) -> str:
    """How a function is called."""
    return str(getattr(function, "__qualname__", None) or type(function).__qualname__).split(".<locals>.")[-1]


def function_label(function: Callable[..., Any], arguments: tuple[Any, ...] = ()) -> str:
    """Its name and its code, with the arguments it is called with, as ``name#digest``; the name alone where there is no code to look at."""
    walk = _Walk()
    parts = [*walk.function(function, 0), *(walk.value(arguments, 0) if arguments else ())]
    if not parts:
        return function_name(function)
    import hashlib  # takes longer than all of feedline, and few need it

    digest = hashlib.blake2b(digest_size=4)
    for part in parts:
        digest.update(len(part).to_bytes(8, "little") + part)
    return f"{function_name(function)}#{digest.hexdigest()}"


@functools.cache
def _libraries() -> tuple[str, ...]:
    """Where installed libraries are."""
    import sysconfig  # as hashlib

    return tuple({path for name in ("stdlib", "platstdlib", "purelib", "platlib") if (path := sysconfig.get_path(name))})


class _Walk:
    """Bytes that differ where functions do, the same in every process."""

    def __init__(self) -> None:
        #: Functions that were looked into: once is enough, however many call them.
        self._seen: set[types.CodeType] = set()

    def function(self, value: Any, depth: int) -> Iterator[bytes]:
        """What a function is made of, and what it uses."""
        if depth > _MAX_DEPTH:
            return
        if isinstance(value, functools.partial):
            yield from self.function(value.func, depth + 1)
            yield from self.value((value.args, sorted(value.keywords.items())), depth + 1)
            return
        if isinstance(value, types.MethodType):
            value = value.__func__
        if not isinstance(value, types.FunctionType):
            # Of an object that can be called, also what it was made with; not lists and dicts, which it may fill as it goes.
            for name, part in sorted(getattr(value, "__dict__", {}).items()):
                if isinstance(part, (*_PLAIN, tuple)):
                    yield name.encode()
                    yield from self.value(part, depth + 1)
            value = getattr(type(value), "__call__", None)
        if isinstance(value, types.FunctionType):
            yield from self.value((value.__defaults__, sorted((value.__kwdefaults__ or {}).items())), depth)
            for cell in value.__closure__ or ():
                try:
                    yield from self.value(cell.cell_contents, depth + 1)
                except ValueError:  # not yet filled
                    yield b"empty"
            if value.__code__ in self._seen:
                return
            self._seen.add(value.__code__)
            yield from self._code(value.__code__, depth)
            if not value.__code__.co_filename.startswith(_libraries()):
                yield from self._globals(value, depth)

    def _globals(self, function: types.FunctionType, depth: int) -> Iterator[bytes]:
        changing = names_set_in(function.__code__)
        for name, held in globals_of(function):
            if isinstance(held, _FIXED) and name not in changing:
                yield name.encode()
                yield from self.value(held, depth + 1)

    def _code(self, code: types.CodeType, depth: int) -> Iterator[bytes]:
        yield code.co_code
        yield " ".join(code.co_names).encode()
        for constant in code.co_consts:
            yield from self.value(constant, depth)

    def value(self, value: Any, depth: int) -> Iterator[bytes]:
        """What a function holds."""
        if isinstance(value, types.CodeType):
            yield from self._code(value, depth)
        elif isinstance(value, _PLAIN):
            yield repr(value).encode()
        elif isinstance(value, (np.ndarray, np.generic)) and value.dtype != object and value.nbytes <= _MAX_ARRAY_BYTES:
            yield f"array {value.dtype} {value.shape}".encode()
            yield value.tobytes()
        elif isinstance(value, (tuple, list)):
            yield f"{type(value).__name__} of {len(value)}".encode()
            for part in value:
                yield from self.value(part, depth)
        elif isinstance(value, (set, frozenset)):
            yield from sorted(b" ".join(self.value(part, depth)) for part in value)
        else:
            # Of other things, and of larger arrays, only the kind: their contents may be anything, and may change.
            yield f"{type(value).__module__}.{type(value).__qualname__}".encode()
            if callable(value):
                yield from self.function(value, depth + 1)
