"""Whether a function that is called once, to be traced, draws random numbers: every element would get the same ones."""

from __future__ import annotations

import functools
import os
import random
import sys
import types
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ._held import globals_of

#: Functions and objects that functions hold are looked into, so deep, and so many of them: a function may hold anything.
_MAX_DEPTH = 4
_MAX_PARTS = 1000

#: Of the flags of a class: it was made by Python code.
_IS_HEAP_TYPE = 1 << 9


def _makers() -> tuple[Any, ...]:
    """What makes a generator, whose numbers nobody sees drawn: it is gone when the function returns."""
    # Looked up here: numpy imports its random module when it is first used, and that takes longer than all of feedline.
    made = [np.random.default_rng, np.random.RandomState, random.Random, random.SystemRandom, np.random.SeedSequence]
    # `np.random.Generator` names one of these; by itself it may stand in an `isinstance`.
    made += [np.random.PCG64, np.random.PCG64DXSM, np.random.MT19937, np.random.Philox, np.random.SFC64]
    # And what has no state to compare: it asks the machine.
    asked = [os.urandom, *(vars(sys.modules["secrets"]).values() if "secrets" in sys.modules else ())]
    if "uuid" in sys.modules:
        asked.append(sys.modules["uuid"].uuid4)
    if "torch" in sys.modules:
        asked.append(getattr(sys.modules["torch"], "Generator", None))
    return *made, *filter(callable, asked)


class Chance:
    """The state of every generator that ``function`` can reach, before it is called."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._generators: list[Any] = []
        self._function = function
        #: Whether torch, if it is there at all, comes with what is imported while the function runs.
        self._is_before_torch = "torch" not in sys.modules
        self._look_into(function, 0, set())
        self._before = self._states()

    def was_used(self) -> bool:
        """Whether a random number was drawn since."""
        # Looked at afterwards: it may have imported what it makes one with.
        return self._states() != self._before or _makes_one(self._function, _makers(), set())

    def _states(self) -> list[Any]:
        legacy: Any = np.random.get_state(legacy=True)
        of_generators = (_state(generator) for generator in self._generators)
        return [random.getstate(), bytes(legacy[1]), legacy[2], self._state_of_torch(), *of_generators]

    def _state_of_torch(self) -> bytes | None:
        """That of torch's own generator; ``None`` where nobody has imported torch, or drawn from what was imported since."""
        torch = sys.modules.get("torch")
        if not hasattr(torch, "default_generator"):  # not there, or being imported
            return None
        assert torch is not None
        state = _state(torch.default_generator)
        # Its seed is another in each process.
        undrawn = torch.Generator().manual_seed(torch.default_generator.initial_seed())
        return None if self._is_before_torch and state == _state(undrawn) else state

    def _look_into(self, value: Any, depth: int, seen: set[int]) -> None:
        if depth > _MAX_DEPTH or id(value) in seen or len(seen) == _MAX_PARTS:
            return
        seen.add(id(value))
        if isinstance(value, (random.Random, np.random.Generator, np.random.RandomState, np.random.BitGenerator)):
            if not isinstance(value, random.SystemRandom):  # has no state to compare
                self._generators.append(value)
            return
        if "torch" in sys.modules and isinstance(value, getattr(sys.modules["torch"], "Generator", ())):
            self._generators.append(value)
            return
        for part in _parts(value):
            self._look_into(part, depth + 1, seen)


def _state(generator: Any) -> Any:
    if isinstance(generator, random.Random):
        return generator.getstate()
    if hasattr(generator, "get_state") and type(generator).__module__.partition(".")[0] == "torch":
        return bytes(generator.get_state().numpy())
    if isinstance(generator, np.random.RandomState):
        legacy: Any = generator.get_state(legacy=True)
        return bytes(legacy[1]) if isinstance(legacy[1], np.ndarray) else repr(legacy), legacy[2]
    return repr(generator.state if isinstance(generator, np.random.BitGenerator) else generator.bit_generator.state)


def _parts(value: Any) -> Iterator[Any]:
    """What a function holds, and what the objects it holds do."""
    if isinstance(value, functools.partial):
        yield from (value.func, *value.args, *value.keywords.values())
    elif isinstance(value, types.MethodType):
        yield from (value.__func__, value.__self__)
    elif isinstance(value, types.FunctionType):
        yield from value.__defaults__ or ()
        yield from (value.__kwdefaults__ or {}).values()
        yield from _held_by(value)
        yield from (held for _, held in globals_of(value))
    elif isinstance(value, (tuple, list)):
        yield from value[:8]
    elif isinstance(value, dict):
        yield from list(value.values())[:8]
    elif not isinstance(value, (type, types.ModuleType)):
        yield from list(getattr(value, "__dict__", {}).values())
        yield from _of_class(type(value))


def _of_class(kind: type) -> Iterator[Any]:
    """What the instances of a class have in common; of its methods the one that is called."""
    for base in kind.__mro__:
        if not base.__flags__ & _IS_HEAP_TYPE or _is_of_feedline(base):
            continue
        for name, held in list(vars(base).items()):
            if name == "__call__" or not (name.startswith("__") or callable(held) or isinstance(held, (property, classmethod, staticmethod))):
                yield held


def _makes_one(function: Callable[..., Any], makers: tuple[Any, ...], seen: set[int]) -> bool:
    """Whether the code of a function names what makes a generator, or that of functions it names does. Not where it names one that runs Python for
    every element: the others may be for that."""
    code = getattr(function, "__code__", None)
    if len(seen) == _MAX_PARTS or id(function) in seen or not isinstance(code, types.CodeType):
        return False
    seen.add(id(function))
    named = list(_callables_in(function, code))
    if any(_is_one_of(value, makers) for value in named):
        return True
    if not {"numpy_function", "py_function"}.isdisjoint(code.co_names):
        return False
    helpers = [value for value in (*named, *_held_by(function)) if isinstance(value, types.FunctionType) and not _is_of_feedline(value)]
    return any(_makes_one(helper, makers, seen) for helper in helpers)


def _held_by(function: Any) -> Iterator[Any]:
    for cell in function.__closure__ or ():
        try:
            yield cell.cell_contents
        except ValueError:  # not yet filled
            continue


def _is_of_feedline(function: types.FunctionType | type) -> bool:
    return str(function.__module__).partition(".")[0] == __package__


def _callables_in(function: Callable[..., Any], code: types.CodeType) -> Iterator[Any]:
    """Functions and classes that its code names: by themselves, or as attributes of modules (``np.random.default_rng``)."""
    known, names = getattr(function, "__globals__", {}), code.co_names
    sources = (np, np.random, random, os, *map(sys.modules.get, ("secrets", "uuid", "torch")))
    reached = (*map(known.get, names), *_held_by(function))
    modules = [value for value in reached if value is not None and _is_one_of(value, sources)]
    # What it imports itself, by a statement or by `__import__`, it knows by their names.
    is_by_call = not {"__import__", "import_module"}.isdisjoint(names)
    imported = {*names, *(value for value in code.co_consts if is_by_call and isinstance(value, str))}
    modules += [module for module in sources if module is not None and module.__name__ in imported]
    for name in names:
        yield known.get(name)
        yield from (getattr(np.random if module is np else module, name, None) for module in modules)


def _is_one_of(value: Any, others: tuple[Any, ...]) -> bool:
    """Not by `==`, which arrays have an answer of their own to."""
    return any(value is other for other in others)
