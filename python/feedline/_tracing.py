"""Tracing: a function is called once with symbolic values, and what cannot be traced is told with its remedy."""

from __future__ import annotations

import inspect
import linecache
import os
import random
import sys
import threading
import warnings
from collections.abc import Callable
from types import FrameType
from typing import Any

import numpy as np

from . import _native
from ._errors import TraceError
from ._native import Tensor

_HERE = os.path.dirname(os.path.abspath(__file__))
_PYTHON = "or run the function as Python: .map(fn, python=True)"

# What cannot be done with a value that is not there yet, and what to write instead.
_REFUSALS = {
    "bool": (
        "`if`, `while`, `and`, `or` and `not` need the value of a symbolic tensor, which has none yet",
        "write fl.where(condition, a, b) or fl.cond(condition, lambda: a, lambda: b) for `a if condition else b`, "
        "fl.while_loop for `while`, and `&`, `|`, `~` for `and`, `or`, `not`; Dataset.filter drops elements",
    ),
    "iter": (
        "a symbolic tensor cannot be iterated over: how many values it has is not known yet",
        "write the loop as one operation on the whole tensor (fl.reduce_sum(x), fl.where(…), x * 2), or as "
        "fl.map_fn(function, x)",
    ),
    "len": ("the length of a symbolic tensor is not known yet", "fl.shape(x)[0] is the length as a tensor"),
    "int": ("int() needs the value of a symbolic tensor, which has none yet", "fl.cast(x, fl.int64) is a tensor"),
    "float": ("float() needs the value of a symbolic tensor, which has none yet", "fl.cast(x, fl.float32) is a tensor"),
    "index": (
        "a symbolic tensor is no Python index, since it has no value yet",
        "fl.gather(values, x) takes the entries at x; x[i] takes the entries at a symbolic i",
    ),
    "array": ("numpy needs the values of a symbolic tensor, which has none yet", "use the function of that name in fl"),
}

# numpy's functions that have an operation under another name.
_UFUNCS = {
    "true_divide": "truediv",
    "divide": "truediv",
    "floor_divide": "floordiv",
    "remainder": "floormod",
    "mod": "floormod",
    "power": "pow",
    "float_power": "pow",
    "absolute": "abs",
    "fabs": "abs",
    "isnan": "is_nan",
    "isfinite": "is_finite",
    "isinf": "is_inf",
    "rint": "round",
    "arcsin": "asin",
    "arccos": "acos",
    "arctan": "atan",
    "arctan2": "atan2",
    "arcsinh": "asinh",
    "arccosh": "acosh",
    "arctanh": "atanh",
}

# numpy's functions that an operator of Python's does, by the type of what it gets: the names of its methods.
_OPERATORS = {
    "bitwise_and": "and",
    "bitwise_or": "or",
    "bitwise_xor": "xor",
    "invert": "invert",
    "left_shift": "lshift",
    "right_shift": "rshift",
    "matmul": "matmul",
}

_FUNCTIONS = {
    "sum": "reduce_sum",
    "mean": "reduce_mean",
    "max": "reduce_max",
    "amax": "reduce_max",
    "min": "reduce_min",
    "amin": "reduce_min",
    "prod": "reduce_prod",
    "any": "reduce_any",
    "all": "reduce_all",
    "clip": "clip_by_value",
    "concatenate": "concat",
    "take": "gather",
}


def refusal(what: str) -> TraceError:
    """The error for something only Python could do with a value."""
    problem, remedy = _REFUSALS[what]
    return _error(problem, remedy)


def numpy_ufunc(function: Any, method: str, inputs: tuple[Any, ...], options: dict[str, Any] | None) -> Any:
    """numpy's function of a symbolic tensor: the operation that does the same, or an error that says so."""
    name = function.__name__
    operation = _operator(_OPERATORS[name]) if name in _OPERATORS else _operation(name, _UFUNCS)
    if method == "__call__" and not options and operation is not None:
        return operation(*inputs)
    return _refuse_numpy(function, operation)


def _operator(name: str) -> Callable[..., Any]:
    def call(first: Any, *rest: Any) -> Any:
        if isinstance(first, Tensor):
            return getattr(first, f"__{name}__")(*rest)
        return getattr(rest[0], f"__r{name}__")(first)

    call.__name__ = name
    return call


def numpy_function(function: Any) -> Any:
    """A function of numpy's on a symbolic tensor: an error with the operation to use."""
    return _refuse_numpy(function, _operation(function.__name__, _FUNCTIONS))


def element_function(function: Callable[..., Any], what: str) -> Callable[[Any], Any]:
    """``function`` of one element: tuples come as several arguments, and chance that would be frozen is told."""
    if not callable(function):
        raise TraceError(f"{what} takes a function, not {function!r}")

    with_checks = checked(function)

    def call(element: Any) -> Any:
        before = _random_state()
        result = with_checks(*element) if isinstance(element, tuple) else with_checks(element)
        if _random_state() != before:
            warnings.warn(
                f"{what}: the function drew random numbers from Python or numpy. It is called once, so every element "
                "would get the same ones; use fl.random.uniform, or .map(fn, python=True)",
                stacklevel=_level_of_user(),
            )
        return result

    return call


class _Checks(threading.local):
    """Checks made in the functions that are being traced, each inside the one before it."""

    def __init__(self) -> None:
        self.open: list[list[Tensor]] = []


_checks = _Checks()


def note_check(tensor: Tensor) -> Tensor:
    """Has the function that is being traced fail where ``tensor`` does, whether or not it is used."""
    if _checks.open:
        _checks.open[-1].append(tensor)
    return tensor


def checked(function: Callable[..., Any]) -> Callable[..., Any]:
    """``function`` whose results come after the checks made in it."""

    def call(*arguments: Any) -> Any:
        _checks.open.append([])
        try:
            result = function(*arguments)
        finally:
            checks = _checks.open.pop()
        if not checks:
            return result
        if hasattr(result, "element_spec"):
            raise _error("a check in a function that gives a dataset has nothing to fail", "check in a map before it")
        return _native.after(result, checks)

    return call


def _operation(name: str, others: dict[str, str]) -> Callable[..., Any] | None:
    from . import _ops

    found = getattr(_ops, others.get(name, name), None)
    return found if inspect.isfunction(found) and not found.__name__.startswith("_") else None


def _refuse_numpy(function: Any, operation: Callable[..., Any] | None) -> Any:
    name = f"numpy.{function.__name__}"
    remedy = f"fl.{operation.__name__} does it" if operation is not None else "there is no fl function for it yet"
    raise _error(f"{name} needs the values of a symbolic tensor, which has none yet", remedy)


def _error(problem: str, remedy: str) -> TraceError:
    frame = _frame_of_user()
    place = ""
    if frame is not None:
        path, line = frame.f_code.co_filename, frame.f_lineno
        code = linecache.getline(path, line).strip()
        place = f"{path}:{line}: " + (f"`{code}`: " if code else "")
    return TraceError(f"{place}{problem}\nhint: {remedy}; {_PYTHON}")


def _frame_of_user() -> FrameType | None:
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and os.path.dirname(os.path.abspath(frame.f_code.co_filename)) in (_HERE, _NUMPY):
        frame = frame.f_back
    return frame


def _level_of_user() -> int:
    """How many frames up the line is that called a method of a dataset."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and os.path.dirname(os.path.abspath(frame.f_code.co_filename)) == _HERE:
        level, frame = level + 1, frame.f_back
    return level


def _random_state() -> tuple[Any, ...]:
    legacy: Any = np.random.get_state(legacy=True)
    return random.getstate(), bytes(legacy[1]), legacy[2]


_NUMPY = os.path.dirname(os.path.abspath(np.__file__))
