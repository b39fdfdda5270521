"""Functions for processes of their own: how one is started, and functions and exceptions as bytes.

Data never goes this way: it lies in memory that the processes share. ``_worker.py`` is what runs there.
"""

from __future__ import annotations

import importlib
import io
import itertools
import marshal
import os
import pickle
import subprocess
import sys
import types
from collections.abc import Callable, Iterator
from typing import Any

from ._composite import Composite
from ._errors import ArgumentError, UserCodeError
from ._held import names_in
from ._spec import DatasetSpec

IDLE_LIMIT_S = 60.0
"""A process that has had nothing to do for so long ends; the next call starts another."""


def command() -> list[str]:
    """The program a process runs: this interpreter, with this one's flags and paths, and without its main module."""
    if not sys.executable:
        raise ArgumentError('workers="process": this interpreter does not know its own program (sys.executable)')
    flags: list[str] = subprocess._args_from_interpreter_flags()  # type: ignore[attr-defined]
    paths = [os.path.abspath(path) for path in sys.path]
    program = f"import sys; sys.path[:] = {paths!r}; from feedline._worker import main; main()"
    return [sys.executable, *flags, "-c", program]


def setup(function: Callable[..., Any], inputs: Any, outputs: Any) -> bytes:
    """What a process is told first. ``inputs`` and ``outputs`` are the specs of what the function gets and returns."""
    for spec in (inputs, outputs):
        _refuse_datasets(spec)
    dtypes: list[str] = []
    structure = numbered(outputs, lambda leaf: dtypes.append(leaf.dtype.name))
    return pickle.dumps((IDLE_LIMIT_S, numbered(inputs), structure, dtypes, dumped_function(function)))


def numbered(structure: Any, visit: Callable[[Any], object] = lambda leaf: None) -> Any:
    """The structure with the numbers of its leaves in place of them; keys of dicts are in order, as the engine has them."""
    return _numbered(structure, itertools.count(), visit)


def _numbered(part: Any, counter: Iterator[int], visit: Callable[[Any], object]) -> Any:
    # Not a function inside ``numbered`` that calls itself: that is a circle, which would hold what ``visit`` collects, the results of a call, until the
    # collector comes by. That was a hundred of them in each process.
    if isinstance(part, tuple):
        return tuple([_numbered(item, counter, visit) for item in part])
    if isinstance(part, dict):
        return {key: _numbered(part[key], counter, visit) for key in sorted(part)}
    if isinstance(part, Composite):
        return Numbered(part.kind, [_numbered(item, counter, visit) for item in part.parts()])
    visit(part)
    return next(counter)


class Numbered(Composite):
    """In a structure of numbers: a ragged or sparse tensor, with the numbers of its parts."""

    kind: str  # type: ignore[misc]

    def __init__(self, kind: str, numbers: list[int]) -> None:
        self.kind = kind
        self.numbers = numbers

    def parts(self) -> list[Any]:
        """The numbers of its parts."""
        return self.numbers

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Numbered) and (self.kind, self.numbers) == (other.kind, other.numbers)

    __hash__ = None  # type: ignore[assignment]


def _refuse_datasets(spec: Any) -> None:
    """Datasets inside elements stay in this process: their rows are read by its engine."""
    if isinstance(spec, (tuple, dict)):
        for part in spec.values() if isinstance(spec, dict) else spec:
            _refuse_datasets(part)
    elif isinstance(spec, DatasetSpec):
        raise ArgumentError(
            f'map: workers="process": {spec} is a dataset, which does not go to another process\n'
            "hint: batch it first: flat_map(lambda window: window.batch(n)); or without workers=, where the function gets the dataset"
        )


def dumped_function(function: Callable[..., Any]) -> bytes:
    """The function as bytes: by cloudpickle if that is installed; else by its name, or, where another process could not
    import it (functions of ``__main__``, of notebooks, inside functions, lambdas), by its code."""
    try:
        import cloudpickle  # type: ignore[import-not-found, import-untyped, unused-ignore]
    except ImportError:
        cloudpickle = None
    try:
        if cloudpickle is not None:
            return bytes(cloudpickle.dumps(function))
        buffer = io.BytesIO()
        _ByValue(buffer).dump(function)
        return buffer.getvalue()
    except Exception as error:  # what cannot be pickled raises anything
        advice = "what it uses must be picklable; open files, locks and the like are made inside the function"
        if cloudpickle is None:
            advice += "; cloudpickle (pip install cloudpickle), if installed, also takes classes of the main program"
        name = getattr(function, "__qualname__", repr(function))
        raise ArgumentError(f"map: {name} cannot go to another process: {error}\nhint: {advice}") from error


def dumped_exception(error: BaseException) -> bytes:
    """An exception as bytes that :func:`loaded_exception` can read; one that no pickle holds becomes one that says so."""
    import traceback

    text = "".join(traceback.format_exception(error)).rstrip()
    error.add_note(f"feedline: in a process of its own:\n{text}")
    for whole in (error, _Rebuilt(error)):
        try:
            try:
                import cloudpickle  # type: ignore[import-not-found, import-untyped, unused-ignore]

                dumped = bytes(cloudpickle.dumps(whole))
            except ImportError:
                dumped = pickle.dumps(whole)
            if type(pickle.loads(dumped)) is type(error):
                return dumped
        except Exception:  # what cannot be pickled raises anything
            continue
    told = UserCodeError(f"{type(error).__qualname__}: {error}")
    told.add_note(f"feedline: in a process of its own:\n{text}")
    return pickle.dumps(told)


class _Rebuilt:
    """Pickled, an exception without a call of its class, whose ``__init__`` may take other arguments than those that are kept."""

    def __init__(self, error: BaseException) -> None:
        self._error = error

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuilt, (type(self._error), self._error.args, self._error.__dict__)


def _rebuilt(kind: type[BaseException], arguments: tuple[Any, ...], attributes: dict[str, Any]) -> BaseException:
    error = kind.__new__(kind, *arguments)
    error.args = arguments
    error.__dict__.update(attributes)
    return error


def loaded_exception(dumped: bytes) -> BaseException:
    """The exception, as it was raised in the other process."""
    try:
        error = pickle.loads(dumped)
    except Exception as failure:  # a class that only the other process has
        return UserCodeError(f"the function raised an exception that cannot be read here: {failure}")
    return error if isinstance(error, BaseException) else UserCodeError(f"the function raised {error!r}")


class _ByValue(pickle.Pickler):
    """Pickles functions by their code where they cannot be found by name. Both processes run the same Python."""

    def reducer_override(self, value: Any) -> Any:
        if isinstance(value, types.ModuleType):
            return importlib.import_module, (value.__name__,)
        if isinstance(value, type) and value.__module__ == "__main__":
            raise pickle.PicklingError(f"the class {value.__qualname__} is of the main program")
        if not isinstance(value, types.FunctionType) or _is_importable(value):
            return NotImplemented
        code = value.__code__
        names = {name: value.__globals__[name] for name in names_in(code) if name in value.__globals__}
        state = (names, value.__defaults__, value.__kwdefaults__, _contents(value.__closure__))
        # In two steps: a function may use itself.
        make = (marshal.dumps(code), value.__module__, value.__qualname__, len(value.__closure__ or ()))
        return _empty_function, make, state, None, None, _fill_function


def _is_importable(function: types.FunctionType) -> bool:
    if function.__module__ in (None, "__main__") or "<" in function.__qualname__:
        return False
    found: Any = sys.modules.get(function.__module__)
    for name in function.__qualname__.split("."):
        found = getattr(found, name, None)
    return found is function



def _contents(closure: tuple[types.CellType, ...] | None) -> list[tuple[Any, ...]]:
    contents: list[tuple[Any, ...]] = []
    for cell in closure or ():
        try:
            contents.append((cell.cell_contents,))
        except ValueError:  # assigned later, or never
            contents.append(())
    return contents


def _empty_function(code: bytes, module: str, name: str, cells: int) -> types.FunctionType:
    closure = tuple(types.CellType() for _ in range(cells))
    function = types.FunctionType(marshal.loads(code), {"__builtins__": __builtins__}, name, None, closure)
    function.__module__, function.__qualname__ = module, name
    return function


def _fill_function(function: types.FunctionType, state: tuple[Any, ...]) -> None:
    names, function.__defaults__, function.__kwdefaults__, contents = state
    function.__globals__.update(names)
    for cell, content in zip(function.__closure__ or (), contents, strict=True):
        if content:
            (cell.cell_contents,) = content
