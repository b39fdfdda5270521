"""Tracing: a function is called once with symbolic values, and what cannot be traced is told with its remedy."""

from __future__ import annotations

import inspect
import linecache
import os
import sys
import threading
import warnings
from collections.abc import Callable
from types import FrameType
from typing import Any, TypeVar

import numpy as np

from . import _form, _native, _remedies
from ._chance import Chance
from ._errors import FeedlineError, TensorAttributeError, TraceError
from ._identity import function_name
from ._native import Tensor

Error = TypeVar("Error", bound=TraceError)

_HERE = os.path.dirname(os.path.abspath(__file__))

# How code that needs values runs, by the step its function is of. Only map and filter run Python themselves.
_AS_PYTHON = {
    "map": "or run the function as Python: .map(fn, python=True)",
    "filter": "or run the function as Python: .filter(fn, python=True)",
}
_BEFORE = "or compute what needs Python in a step before this one: .map(fn, python=True)"


def refusal(what: str) -> TraceError:
    """The error for something only Python could do with a value."""
    frame = _frame_of_user()
    told = _remedies.of_call(frame, what) if frame is not None else None
    if told is None and what == "index" and frame is not None:
        # C code asks so for a number, too: `time.sleep(x)`.
        told = _remedies.of_other_call(frame)
    problem, remedy = told or _remedies.REFUSALS[what]
    return _error(problem, remedy)


def dataset_refusal(what: str) -> TraceError:
    """The error for something only Python could do with a dataset that a function gets."""
    return _error(*_remedies.REFUSALS[what])


def attribute_refusal(name: str) -> AttributeError:
    """The error for ``x.name``, which a symbolic tensor has not."""
    remedy = _remedies.of_attribute(name)
    if remedy is None:
        return AttributeError(f"a symbolic tensor has no attribute {name!r}")
    return _error(f"a symbolic tensor has no {name!r}", f"write {remedy}", TensorAttributeError)


def as_text(tensor: Tensor) -> str:
    """``str(tensor)``: for ``print`` what is known of it; else an error, since a text would have that in it instead of the value."""
    frame = _frame_of_user()
    if frame is not None and _remedies.expression_of(frame).startswith("print("):
        return repr(tensor)
    raise refusal("str")


def numpy_ufunc(function: Any, method: str, inputs: tuple[Any, ...], options: dict[str, Any] | None) -> Any:
    """numpy's function of a symbolic tensor: the operation that does the same, or an error that says so."""
    name = function.__name__
    if name in _remedies.OPERATORS:
        operation: Callable[..., Any] | None = _operator(_remedies.OPERATORS[name])
    else:
        operation = _operation(name, _remedies.UFUNCS)
    if method == "__call__" and not options and operation is not None:
        return operation(*inputs)
    return _refuse_numpy(function, _remedies.UFUNCS)


def _operator(name: str) -> Callable[..., Any]:
    def call(first: Any, *rest: Any) -> Any:
        if isinstance(first, Tensor):
            return getattr(first, f"__{name}__")(*rest)
        return getattr(rest[0], f"__r{name}__")(first)

    call.__name__ = name
    return call


def numpy_function(function: Any) -> Any:
    """A function of numpy's on a symbolic tensor: an error with the operation to use."""
    return _refuse_numpy(function, _remedies.FUNCTIONS)


def element_function(function: Callable[..., Any], what: str, form: Any = None) -> Any:
    """``function`` of one element, which has the form ``form``: tuples come as several arguments, and chance that would be frozen is told. Called, it
    has the form of its result as ``result_form``."""
    call = traced_function(function, what)

    def of_element(element: Any) -> Any:
        result = _form.called(form, call, element)
        if isinstance(result, list):
            # As in tf.data: it is more likely several results than one to be stacked.
            result = tuple(result)
        of_element.result_form = getattr(result, "_form", _form.form_of(result))  # type: ignore[attr-defined]
        return _form.plain(result)

    of_element.result_form = None  # type: ignore[attr-defined]
    return label_as(of_element, call)


def label_as(function: Any, other: Any) -> Any:
    """``function``, which calls ``other``, under the name that ``other`` has in errors."""
    function.feedline_label = other.feedline_label
    return function


def traced_function(function: Callable[..., Any], what: str) -> Any:
    """``function`` as the step ``what`` traces it: its checks count, chance that would be frozen is told, and what it raises is told where.
    Its ``feedline_label`` is what it is called in errors."""
    if not callable(function):
        raise TraceError(f"{what} takes a function, not {function!r}")

    with_checks = checked(function)

    def call(*arguments: Any) -> Any:
        chance = Chance(function)
        _tracing.steps.append(what)
        try:
            result = with_checks(*arguments)
        except FeedlineError as error:
            _tell_place(error)
            raise
        except Exception as error:
            _add_note(error, what)
            raise
        finally:
            _tracing.steps.pop()
        if chance.was_used():
            warnings.warn(
                f"{what}: the function drew random numbers from Python, numpy or torch. It is called once, so every element "
                f"would get the same ones; use fl.random.uniform, {_AS_PYTHON.get(what, _BEFORE)}",
                stacklevel=_level_of_user(),
            )
        return result

    call.feedline_label = f"the function of {what} ({_place_of(function)})"  # type: ignore[attr-defined]
    return call


def _tell_place(error: FeedlineError) -> None:
    """Puts the user's line before what an error says, once; where Python could do what failed, also the edit that has it do so."""
    failed = _Failed.of(error)
    if failed is None or hasattr(error, _TOLD):
        return
    remedy = _remedies.of_failed_operation(failed.frame, failed.instruction, str(error))
    edit = None if _remedies.is_of_feedline(failed.frame, failed.instruction) else _as_python()
    _retell(error, failed.place, [told for told in (remedy, edit) if told is not None])


def tell_result(error: Exception, function: Any) -> None:
    """As ``_tell_place``, of what a function returned, which no line of it did."""
    if isinstance(error, FeedlineError) and not hasattr(error, _TOLD) and hasattr(function, "feedline_label"):
        _retell(error, f"what {function.feedline_label} returned", [])


def _retell(error: FeedlineError, place: str, remedies: list[str]) -> None:
    told = f"{place}: {error}"
    if remedies:
        more = "; ".join(remedies)
        told += f"; {more}" if _HINT in told else f"{_HINT}{more.removeprefix('or ')}"
    error.args = (told, *error.args[1:])
    setattr(error, _TOLD, True)


_HINT = "\nhint: "
#: What an error has that says where it was made.
_TOLD = "_feedline_told"


class _Failed:
    """The user's line that an exception came from."""

    def __init__(self, frame: FrameType, line: int, instruction: int) -> None:
        self.frame = frame
        self.instruction = instruction
        self.place = _line_of(frame, line)

    @classmethod
    def of(cls, error: BaseException) -> _Failed | None:
        """``None`` if there is none: the function is a library's."""
        found, place = None, error.__traceback__
        while place is not None:
            if not _is_of_library(place.tb_frame):
                found = cls(place.tb_frame, place.tb_lineno, place.tb_lasti)
            place = place.tb_next
        return found


def _line_of(frame: FrameType, line: int) -> str:
    path = frame.f_code.co_filename
    code = linecache.getline(path, line).strip()
    return f"{path}:{line}" + (f": `{code}`" if code else "")


def _add_note(error: Exception, what: str) -> None:
    """Tells of an exception that the function got symbolic tensors, and where, once: other functions may be around this one."""
    if any(other.startswith("feedline: ") for other in getattr(error, "__notes__", ())):
        return
    failed = _Failed.of(error)
    remedy = failed and _remedies.of_failed_call(failed.frame, failed.instruction, str(error))
    place = f", at {failed.place}" if failed else ""
    as_python = f"{remedy}; {_as_python()}" if remedy else _as_python().removeprefix("or ")
    error.add_note(
        f"feedline: raised while {what} traced the function, which gets symbolic tensors{place}; if it needs their values: {as_python}"
    )


def _place_of(function: Callable[..., Any]) -> str:
    code = getattr(function, "__code__", None)
    name = function_name(function)
    return name if code is None else f"{name}, {code.co_filename}:{code.co_firstlineno}"


class _Tracing(threading.local):
    """What is being traced by this thread."""

    def __init__(self) -> None:
        #: The steps whose functions are being called, each inside the one before it.
        self.steps: list[str] = []
        #: Checks made in these functions.
        self.checks: list[list[Tensor]] = []


_tracing = _Tracing()


class CallsPython(Exception):
    """The function of a filter calls Python, which only the function of a map can."""


def check_calls_of_python() -> None:
    """Before ``py_function``: stops the function of a filter, which is then called as that of a map."""
    if _tracing.steps and _tracing.steps[-1] == "filter":
        raise CallsPython


def _as_python() -> str:
    """How the function that is being traced runs as Python."""
    return _AS_PYTHON.get(_tracing.steps[-1] if _tracing.steps else "map", _BEFORE)


def note_check(tensor: Tensor) -> Tensor:
    """Has the function that is being traced fail where ``tensor`` does, whether or not it is used."""
    if _tracing.checks:
        _tracing.checks[-1].append(tensor)
    return tensor


def checked(function: Callable[..., Any]) -> Callable[..., Any]:
    """``function`` whose results come after the checks made in it."""

    def call(*arguments: Any) -> Any:
        _tracing.checks.append([])
        try:
            result = function(*arguments)
        finally:
            checks = _tracing.checks.pop()
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


def _refuse_numpy(function: Any, others: dict[str, str]) -> Any:
    found = _remedies.public_name(others.get(function.__name__, function.__name__))
    remedy = f"{found} does it" if found is not None else "there is no fl function for it yet"
    raise _error(f"numpy.{function.__name__} needs the values of a symbolic tensor, which has none yet", remedy)


def _error(problem: str, remedy: str, kind: type[Error] = TraceError) -> Error:  # type: ignore[assignment]
    frame = _frame_of_user()
    place = f"{_line_of(frame, frame.f_lineno)}: " if frame is not None else ""
    error = kind(f"{place}{problem}{_HINT}{remedy}; {_as_python()}")
    setattr(error, _TOLD, True)
    return error


def _frame_of_user() -> FrameType | None:
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and _is_of_library(frame):
        frame = frame.f_back
    return frame


def _is_of_library(frame: FrameType) -> bool:
    """Whether a frame is of this package, numpy, Python's own modules or another library: `os.path.join` asks for a path on a line of its own."""
    path = os.path.abspath(frame.f_code.co_filename)
    if frame.f_code.co_filename.startswith("<frozen ") or path.startswith(_NOT_OF_USER):
        return True
    if not {"site-packages", "dist-packages"}.isdisjoint(path.split(os.sep)):
        # The function that is being traced may be of a package that is installed, too: it is what the user knows.
        caller = frame.f_back
        return caller is None or os.path.dirname(os.path.abspath(caller.f_code.co_filename)) != _HERE
    return path.startswith(_PYTHON)


def _level_of_user() -> int:
    """How many frames up the line is that called a method of a dataset."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and os.path.dirname(os.path.abspath(frame.f_code.co_filename)) == _HERE:
        level, frame = level + 1, frame.f_back
    return level


_NOT_OF_USER = tuple(f"{folder}{os.sep}" for folder in (_HERE, os.path.dirname(os.path.abspath(np.__file__))))
_PYTHON = f"{os.path.dirname(os.path.abspath(os.__file__))}{os.sep}"
