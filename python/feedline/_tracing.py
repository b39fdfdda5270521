"""Tracing: a function is called once with symbolic values, and what cannot be traced is told with its remedy."""

from __future__ import annotations

import inspect
import linecache
import os
import random
import sys
import warnings
from collections.abc import Callable
from types import FrameType
from typing import Any

import numpy as np

from ._errors import TraceError

_HERE = os.path.dirname(os.path.abspath(__file__))
_PYTHON = "or run the function as Python: .map(fn, python=True)"

# What cannot be done with a value that is not there yet, and what to write instead.
_REFUSALS = {
    "bool": (
        "`if`, `while`, `and`, `or` and `not` need the value of a symbolic tensor, which has none yet",
        "write fl.where(condition, a, b) for `a if condition else b`, and `&`, `|`, `~` for `and`, `or`, `not`; "
        "Dataset.filter drops elements",
    ),
    "iter": (
        "a symbolic tensor cannot be iterated over: how many values it has is not known yet",
        "write the loop as one operation on the whole tensor (fl.reduce_sum(x), fl.where(…), x * 2)",
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
    "bitwise_and": "logical_and",
    "bitwise_or": "logical_or",
    "invert": "logical_not",
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
    operation = _operation(function.__name__, _UFUNCS)
    if method == "__call__" and not options and operation is not None:
        return operation(*inputs)
    return _refuse_numpy(function, operation)


def numpy_function(function: Any) -> Any:
    """A function of numpy's on a symbolic tensor: an error with the operation to use."""
    return _refuse_numpy(function, _operation(function.__name__, _FUNCTIONS))


def element_function(function: Callable[..., Any], what: str) -> Callable[[Any], Any]:
    """``function`` of one element: tuples come as several arguments, and chance that would be frozen is told."""
    if not callable(function):
        raise TraceError(f"{what} takes a function, not {function!r}")

    def call(element: Any) -> Any:
        before = _random_state()
        result = function(*element) if isinstance(element, tuple) else function(element)
        if _random_state() != before:
            warnings.warn(
                f"{what}: the function drew random numbers from Python or numpy. It is called once, so every element "
                "would get the same ones; use fl.random.uniform, or .map(fn, python=True)",
                stacklevel=_level_of_user(),
            )
        return result

    return call


def function_name(function: Callable[..., Any]) -> str:
    """How errors and ``explain`` call a function that runs as Python."""
    return str(getattr(function, "__qualname__", None) or type(function).__qualname__).split(".<locals>.")[-1]


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
