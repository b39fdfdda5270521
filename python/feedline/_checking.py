"""Arguments checked by what their annotations say, so that one of a wrong type is told by its name, at the line it is written on. Where one must be
known when the plan is built, and a tensor stands for it whose value is known, it becomes that."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Mapping
from types import FunctionType
from typing import Any, TypeVar

import numpy as np

from ._convert import as_array, stacked
from ._dtypes import dtype_name
from ._errors import ArgumentError, ArgumentTypeError, FeedlineError
from ._native import Tensor, begin_function, composed_functions, end_function, known_value
from ._structure import leaves_of

Class = TypeVar("Class", bound=type)
Function = TypeVar("Function", bound=Callable[..., Any])

#: Whether a value is what an annotation says, and how that is called.
Kind = tuple[Callable[[Any], bool], str]

_COMPOSED = frozenset(composed_functions())


def checks_arguments(cls: Class) -> Class:
    """The class, whose public methods check their arguments. ``Any`` is anything, and so is every annotation that is not known here."""
    for name, member in list(vars(cls).items()):
        function = member.__func__ if isinstance(member, staticmethod) else member
        if isinstance(function, FunctionType) and (not name.startswith("_") or name == "__init__"):
            call = _checked(function, cls.__name__ if name == "__init__" else name)
            setattr(cls, name, staticmethod(call) if isinstance(member, staticmethod) else call)
    return cls


def checks(function: Function) -> Function:
    """The function, which checks its arguments as methods do. In errors it has the name of its module, where that is one for users. Errors of the
    operations that it is made of name it, too."""
    assert isinstance(function, FunctionType)
    module = function.__module__.rpartition(".")[2]
    is_named = module in ("debugging", "ragged", "random", "sparse", "strings")
    name, full_name = function.__name__, f"{module}.{function.__name__}"
    checked = _checked(function, full_name if is_named else name)
    composed = next((known for known in (full_name, name) if known in _COMPOSED), None)
    return checked if composed is None else _composing(checked, composed)  # type: ignore[return-value]


def _composing(function: Callable[..., Any], name: str) -> Callable[..., Any]:
    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        is_outermost = begin_function(name)
        try:
            return function(*args, **kwargs)
        finally:
            if is_outermost:
                end_function()

    return call


def known_argument(what: str, argument: str, value: Any) -> Any:
    """The value of an argument that must be known when the plan is built: an array where a tensor stands for it."""
    known = _as_known(value)
    if _is_symbolic(known):
        raise ArgumentError(
            f"{what}: {argument} must be known when the plan is built, and {value!r} is computed for each element\n"
            "hint: give numbers, fl.constant(…), or sizes of tensors whose shape is known: x.set_shape(shape) says it"
        )
    return known


def known_values(values: Any) -> Any:
    """Tensors in tuples and dicts, with values in place of those whose value is known."""
    if isinstance(values, dict):
        return {key: known_values(part) for key, part in values.items()}
    if isinstance(values, tuple):
        parts = [known_values(part) for part in values]
        return type(values)(*parts) if hasattr(values, "_fields") else tuple(parts)
    return _as_known(values) if isinstance(values, Tensor) else values


def _checked(function: FunctionType, what: str) -> Callable[..., Any]:
    names = function.__code__.co_varnames[: function.__code__.co_argcount]

    @functools.cache
    def kind_of(argument: str) -> Kind | None:
        return _kind_of(function.__annotations__.get(argument, "Any"))

    def fitting(argument: str, value: Any) -> Any:
        kind = kind_of(argument)
        if kind is None or kind[0](value):
            return value
        if isinstance(value, bytes) and "str" in _alternatives(function.__annotations__[argument]):
            return _text(what, argument, value)
        if _is_symbolic(value) and _is_for_numbers(function.__annotations__[argument]):
            value = known_argument(what, argument, value)
            value = value.decode() if isinstance(value, bytes) else np.asarray(value).tolist()
        if not kind[0](value):
            _refuse(what, argument, value, kind[1])
        return value

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        given = [fitting(argument, value) for argument, value in zip(names, args, strict=False)]
        named = {argument: fitting(argument, value) for argument, value in kwargs.items()}
        return function(*given, *args[len(given) :], **named)

    return call


def _is_symbolic(value: Any) -> bool:
    return isinstance(value, Tensor) or (isinstance(value, (list, tuple)) and any(_is_symbolic(part) for part in value))


def _as_known(value: Any) -> Any:
    """With values in place of the tensors whose value is known."""
    if isinstance(value, Tensor):
        known = known_value(value)
        return value if known is None else known
    return [_as_known(part) for part in value] if isinstance(value, (list, tuple)) and _is_symbolic(value) else value


def _text(what: str, argument: str, value: bytes) -> str:
    """Bytes where a text is expected, as in TensorFlow, whose strings are bytes."""
    try:
        return value.decode()
    except UnicodeDecodeError:
        raise ArgumentError(f"{what}: {argument} is {value!r}, which is no UTF-8") from None


def _refuse(what: str, argument: str, value: Any, expected: str) -> None:
    if _is_number_too_large(value):
        raise ArgumentError(f"{what}: {argument} is {value}, which is no number of 64 bits")
    raise ArgumentTypeError(f"{what}: {argument} is {expected}, not {value!r}")


def _kind_of(annotation: str) -> Kind | None:
    annotation = annotation.replace("builtins.", "")  # as modules have to write it that have a function of the name
    if annotation == "None":  # an argument of tf.data's that there is nothing for: its method says so
        return None
    kinds = [_kind_of_one(part) for part in _alternatives(annotation)]
    known = [kind for kind in kinds if kind is not None]
    if len(known) < len(kinds):
        return None
    names = [name for _, name in known]
    return lambda value: any(fits(value) for fits, _ in known), _listed(names)


def _is_for_numbers(annotation: str) -> bool:
    """Whether a tensor could stand for it: for numbers, lists of them, and texts."""
    numbers = {"int", "float", "bool", "str", "Sequence[int]", "Sequence[float]"}
    return not numbers.isdisjoint(_alternatives(annotation.replace("builtins.", "")))


def _listed(names: list[str]) -> str:
    return f"{', '.join(names[:-1])} or {names[-1]}" if names[1:] else names[0]


def _kind_of_one(annotation: str) -> Kind | None:
    outer, _, inner = annotation.partition("[")
    if outer == "Callable":
        return callable, "a function"
    if outer == "Mapping":
        return lambda value: isinstance(value, Mapping), "a dict"
    if outer == "Sequence":
        item = _KINDS.get(inner.removesuffix("]"))
        if item is None:
            return _is_list, "a list"
        fits, name = item
        return lambda value: _is_list(value) and all(fits(part) for part in value), f"a list of {name.partition(' ')[2]}s"
    return _KINDS.get(annotation)


def _alternatives(annotation: str) -> list[str]:
    """``A | B[C | D]`` as ``A`` and ``B[C | D]``."""
    parts, depth = [""], 0
    for letter in annotation.replace(" | ", "|"):
        depth += (letter == "[") - (letter == "]")
        if letter == "|" and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return parts


def _is_whole(value: Any) -> bool:
    if isinstance(value, (bool, np.bool_)):
        return False
    try:
        return bool(-(2**63) <= value.__index__() < 2**63)
    except (AttributeError, TypeError):
        return False


def _is_number_too_large(value: Any) -> bool:
    return isinstance(value, int) and not -(2**63) <= value < 2**63


def _is_number(value: Any) -> bool:
    if isinstance(value, np.ndarray) and value.ndim == 0:
        return value.dtype.kind in "iuf"
    return isinstance(value, (int, float, np.number)) and not isinstance(value, bool)


def _is_list(value: Any) -> bool:
    is_one = isinstance(value, (str, bytes, dict, Tensor)) or (isinstance(value, np.ndarray) and value.ndim == 0)
    return not is_one and hasattr(value, "__len__") and hasattr(value, "__iter__")


def _is_dtype(value: Any) -> bool:
    try:
        return bool(dtype_name(value))
    except ArgumentError:
        return False


def _is_spec(value: Any) -> bool:
    from ._composite import Composite
    from ._spec import DatasetSpec, TensorSpec

    return all(isinstance(leaf, (TensorSpec, DatasetSpec, Composite)) for leaf in leaves_of(value))


def _are_values(value: Any) -> bool:
    from ._composite import Composite

    def is_one(leaf: Any) -> bool:
        if leaf is None or isinstance(leaf, (Tensor, Composite)) or stacked(leaf) is not None:
            return True
        try:
            return as_array(leaf) is not None
        except FeedlineError:
            return False

    return all(is_one(leaf) for leaf in leaves_of(value))


def _is_dataset(value: Any) -> bool:
    from ._dataset import Dataset

    return isinstance(value, Dataset)


def _is_sparse(value: Any) -> bool:
    from ._sparse import SparseTensor

    return isinstance(value, SparseTensor)


def _is_options(value: Any) -> bool:
    from ._options import Options

    return isinstance(value, Options)


_KINDS: dict[str, Kind] = {
    "None": (lambda value: value is None, "None"),
    "int": (_is_whole, "a whole number"),
    "float": (_is_number, "a number"),
    "bool": (lambda value: isinstance(value, (bool, np.bool_)), "True or False"),
    "str": (lambda value: isinstance(value, str), "a string"),
    "Numbers": (lambda value: _is_number(value) or (_is_list(value) and all(_is_number(part) for part in value)), "a number or a list of numbers"),
    "bytes": (lambda value: isinstance(value, bytes), "bytes"),
    "PathLike": (lambda value: isinstance(value, (str, bytes, os.PathLike)), "a path"),
    "DTypeLike": (_is_dtype, "a dtype"),
    "DTypes": (lambda value: all(_is_dtype(leaf) for leaf in leaves_of(value)), "a dtype, or a tuple or dict of them"),
    "SpecLike": (_is_spec, "a spec such as fl.TensorSpec(shape, dtype), or a tuple or dict of them"),
    "Values": (_are_values, "a tensor, or a tuple or dict of them"),
    "Dataset": (_is_dataset, "a dataset"),
    "Branch": (callable, "a function without arguments"),
    "SparseTensor": (_is_sparse, "a fl.SparseTensor"),
    "Options": (_is_options, "fl.Options"),
}
