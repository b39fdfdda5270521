"""Arguments as users give them."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, TypeAlias, Union

import numpy as np

from ._composite import Composite
from ._convert import as_array
from ._errors import ArgumentError, ArgumentTypeError, FeedlineError, SchemaError
from ._form import called, plain
from ._native import Tensor, known_value
from ._spec import TensorSpec

AUTOTUNE: Final = -1
"""For ``prefetch`` and ``num_parallel_calls``: as much as serves."""

Values: TypeAlias = Any
"""Tensors of which one is given for each part of an element: small ones, which may be looked at twice."""

PathLike: TypeAlias = Union[str, bytes, "os.PathLike[str]"]


def paths_of(what: str, argument: str, paths: Any) -> list[str]:
    """One path or several, as a list."""
    if isinstance(paths, (str, bytes, os.PathLike)):
        return [os.fsdecode(paths)]
    try:
        several = paths if isinstance(paths, Sequence) else as_array(paths).reshape(-1).tolist()
        return [os.fsdecode(path) for path in several]
    except (TypeError, FeedlineError):
        raise ArgumentTypeError(f"{what}: {argument} is a path or several, not {paths!r}") from None


@contextlib.contextmanager
def naming(what: str, argument: str) -> Iterator[None]:
    """Has what is wrong with the value of an argument told with its name."""
    try:
        yield
    except SchemaError as error:
        if str(error).startswith(f"{what}: "):
            raise
        raise SchemaError(f"{what}: {argument}: {error}") from error


def of_element(function: Callable[..., Any], form: Any) -> Callable[[Any], Any]:
    """``function`` of one element, which has the form ``form``."""
    return lambda element: plain(called(form, function, element))


def spec_of_result(result: Any) -> Any:
    """The spec of what a function returned, as far as it tells what the function returns next."""
    if isinstance(result, tuple):
        specs: list[Any] = [None if part is None else spec_of_result(part) for part in result]
        return type(result)(*specs) if hasattr(result, "_fields") else tuple(specs)
    if isinstance(result, dict):
        return {key: None if part is None else spec_of_result(part) for key, part in result.items()}
    if isinstance(result, Composite):
        return _spec_of_composite(result)
    array = as_array(result)
    # The next result may have other sizes; the number of dimensions is what one can count on.
    return TensorSpec([None] * array.ndim, array.dtype)


def _spec_of_composite(tensor: Any) -> Any:
    from ._ragged import RaggedTensorSpec
    from ._sparse import SparseTensorSpec

    dims: list[int | None] = [None] * len(tensor.shape)
    if tensor.kind == "sparse":
        return SparseTensorSpec(dims, tensor.dtype)
    return RaggedTensorSpec(dims, tensor.dtype, len(tensor.parts()) - 1)


def parallel_calls(what: str, num_parallel_calls: int | None) -> int | None:
    """How many at a time; ``None``: as many as serve."""
    if num_parallel_calls in (None, AUTOTUNE):
        return None
    return positive(what, "num_parallel_calls", num_parallel_calls)


def positive(what: str, argument: str, value: Any) -> int:
    """A number from 1."""
    number = whole(what, argument, value)
    if number < 1:
        raise ArgumentError(f"{what}: {argument} must be greater than zero, not {number}")
    return number


def whole(what: str, argument: str, value: Any, least: int | None = None) -> int:
    """A whole number, from ``least`` on."""
    try:
        if isinstance(value, (bool, np.bool_)):
            raise AttributeError  # which counts nothing
        number = int(value.__index__())
    except (AttributeError, TypeError):
        raise ArgumentTypeError(f"{what}: {argument} is a whole number, not {value!r}") from None
    if least is not None and number < least:
        raise ArgumentError(f"{what}: {argument} is a number from {least} on, not {number}")
    if not -(2**63) <= number < 2**63:
        raise ArgumentError(f"{what}: {argument} is {number}, which is no number of 64 bits")
    return number


def path_of(what: str, argument: str, value: Any) -> str:
    """A path."""
    if not isinstance(value, (str, bytes, os.PathLike)):
        raise ArgumentTypeError(f"{what}: {argument} is a path, not {value!r}")
    return os.fsdecode(value)


def count_of(what: str, value: Any) -> Any:
    """How many: a number, −1 for all, or a symbolic value."""
    if isinstance(value, Tensor):
        known = known_value(value)
        if known is None:
            return value
        value = known
    return whole(what, "count", value.item() if isinstance(value, np.ndarray) and value.size == 1 else value)
