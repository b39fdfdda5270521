"""Arguments as users give them."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any, Final, TypeAlias, Union

from ._convert import as_array
from ._errors import ArgumentError
from ._spec import TensorSpec

AUTOTUNE: Final = -1
"""For ``prefetch`` and ``num_parallel_calls``: as much as serves."""

PathLike: TypeAlias = Union[str, bytes, "os.PathLike[str]"]


def paths_of(paths: Any) -> list[str]:
    """One path or several, as a list."""
    if isinstance(paths, (str, bytes, os.PathLike)):
        return [os.fsdecode(paths)]
    if isinstance(paths, Sequence):
        return [os.fsdecode(path) for path in paths]
    return [os.fsdecode(path) for path in as_array(paths).reshape(-1).tolist()]


def of_element(function: Callable[..., Any]) -> Callable[[Any], Any]:
    """``function`` of one element: tuples come as several arguments."""

    def call(element: Any) -> Any:
        return function(*element) if isinstance(element, tuple) else function(element)

    return call


def spec_of_result(result: Any) -> Any:
    """The spec of what a function returned, as far as it tells what the function returns next."""
    if isinstance(result, tuple):
        return tuple(spec_of_result(part) for part in result)
    if isinstance(result, dict):
        return {key: spec_of_result(part) for key, part in result.items()}
    array = as_array(result)
    # The next result may have other sizes; the number of dimensions is what one can count on.
    return TensorSpec([None] * array.ndim, array.dtype)


def parallel_calls(what: str, num_parallel_calls: int | None) -> int | None:
    """How many at a time; ``None``: as many as serve."""
    if num_parallel_calls in (None, AUTOTUNE):
        return None
    return positive(what, "num_parallel_calls", num_parallel_calls)


def positive(what: str, argument: str, value: Any) -> int:
    """A number from 1."""
    try:
        number = value.__index__()
    except AttributeError:
        raise ArgumentError(f"{what}: {argument} is a number, not {value!r}") from None
    if number < 1:
        raise ArgumentError(f"{what}: {argument} must be greater than zero, not {number}")
    return int(number)
