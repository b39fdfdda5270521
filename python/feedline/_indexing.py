"""`x[…]` where a bound is symbolic: by TensorFlow's rules, which are Python's."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _ops
from ._errors import ArgumentError
from ._native import Tensor

_LIMIT = "x[i], x[a:b:c], `...` and None are indices, of which numbers may be symbolic"


def item(tensor: Tensor, index: Any) -> Tensor:
    """``tensor[index]``, of which something is no number of Python's."""
    if _is_mask(index):
        return _ops.boolean_mask(tensor, index)
    if isinstance(index, Tensor) and index.shape != ():
        return _ops.gather(tensor, index)
    entries = list(index) if isinstance(index, tuple) else [index]
    for entry in entries:
        _check(entry)
    dims = _dimensions(tensor, entries)
    tensor = _cut_at_once(tensor, dims, entries)
    # From the last on, so that one that goes does not move those still to come.
    for place in reversed(range(len(entries))):
        entry = entries[place]
        if isinstance(entry, Tensor):
            tensor = _ops.gather(tensor, _from_start(entry, _size(tensor, dims[place])), dims[place])
            del entries[place]
        elif _is_symbolic_range(entry):
            tensor = _cut(tensor, dims[place], entry)
            entries[place] = slice(None)
    return tensor[tuple(entries)] if entries else tensor


def _is_mask(index: Any) -> bool:
    return isinstance(index, (Tensor, np.ndarray)) and index.dtype == np.bool_ and index.shape != ()


def _check(entry: Any) -> None:
    for part in (entry.start, entry.stop, entry.step) if isinstance(entry, slice) else (entry,):
        if isinstance(part, Tensor):
            if not part.dtype.is_integer or part.shape not in ((), None):
                raise ArgumentError(f"{part!r} is no index: it must be one integer\nhint: {_LIMIT}; fl.gather takes several entries")
        elif part is not None and part is not Ellipsis and not _is_number(part):
            raise ArgumentError(f"{part!r} is no index\nhint: {_LIMIT}; fl.gather(x, {part!r}) takes several entries")


def _is_number(part: Any) -> bool:
    """Arrays have ``__index__``, too, which only those of one integer answer."""
    if isinstance(part, np.ndarray) and part.shape != ():
        return False
    return hasattr(part, "__index__")


def _is_symbolic_range(entry: Any) -> bool:
    return isinstance(entry, slice) and any(isinstance(part, Tensor) for part in (entry.start, entry.stop, entry.step))


def _dimensions(tensor: Tensor, entries: list[Any]) -> list[int]:
    """Which dimension each entry is of; those behind an ellipsis are counted from the end."""
    taking = [entry is not None and entry is not Ellipsis for entry in entries]
    dims = [sum(taking[:place]) for place in range(len(entries))]
    ellipsis = next((place for place, entry in enumerate(entries) if entry is Ellipsis), len(entries))
    if all(_is_plain(entry) for entry in entries[ellipsis:]):
        return dims
    if tensor.shape is None:
        raise ArgumentError(
            "a symbolic index behind `...` of a tensor whose number of dimensions is not known\n"
            "hint: say it with fl.ensure_shape(x, shape), or x.set_shape(shape)"
        )
    for place in range(ellipsis, len(entries)):
        dims[place] += len(tensor.shape) - sum(taking)
    return dims


def _is_plain(entry: Any) -> bool:
    return not isinstance(entry, Tensor) and not _is_symbolic_range(entry)


def _size(tensor: Tensor, dim: int) -> Any:
    known = None if tensor.shape is None or dim >= len(tensor.shape) else tensor.shape[dim]
    return _ops.shape(tensor, "int64")[dim] if known is None else np.int64(known)


def _from_start(place: Any, size: Any) -> Any:
    """A place counted from the start, where a negative one is counted from the end."""
    if not isinstance(place, Tensor):
        return place if place >= 0 else size + place
    place = _ops.cast(place, "int64")
    return _ops.where(place < 0, place + size, place)


def _cut_at_once(tensor: Tensor, dims: list[int], entries: list[Any]) -> Tensor:
    """All ranges with symbolic bounds and without a step, which then take all of what is left.

    In one operation, of the sizes of `tensor` itself: so an image that is decoded right before is decoded as far as that needs."""
    places = [place for place, entry in enumerate(entries) if _is_symbolic_range(entry) and _is_single_step(entry.step)]
    if tensor.shape is None or not places:
        return tensor
    begin: list[Any] = [np.int64(0)] * len(tensor.shape)
    count: list[Any] = [np.int64(-1)] * len(tensor.shape)
    for place in places:
        dim, entry = dims[place], entries[place]
        if dim >= len(tensor.shape):
            raise ArgumentError(f"index {place} is of a dimension that shape {tensor.shape} has not\nhint: {_LIMIT}")
        begin[dim], stop = _bounds(entry, _size(tensor, dim), is_backwards=False)
        count[dim] = _ops.maximum(stop - begin[dim], 0)
        entries[place] = slice(None)
    return _ops.slice(tensor, _ops.stack(begin), _ops.stack(count))


def _is_single_step(step: Any) -> bool:
    return step is None or not isinstance(step, Tensor) and bool(step == 1)


def _bounds(entry: slice, size: Any, is_backwards: Any) -> tuple[Any, Any]:
    """Where a range begins and ends, cut to what there is."""
    # Backwards, the place not reached lies one before the first.
    low, high = _choice(is_backwards, np.int64(-1), np.int64(0)), _choice(is_backwards, size - 1, size)
    first, last = _choice(is_backwards, high, low), _choice(is_backwards, low, high)
    start = first if entry.start is None else _within(_from_start(entry.start, size), low, high)
    stop = last if entry.stop is None else _within(_from_start(entry.stop, size), low, high)
    return start, stop


def _cut(tensor: Tensor, dim: int, entry: slice) -> Tensor:
    """The part of one dimension that a range with symbolic bounds takes, with a step, or of a tensor with any number of dimensions."""
    step = 1 if entry.step is None else entry.step
    is_backwards = step < 0
    start, stop = _bounds(entry, _size(tensor, dim), is_backwards)
    # A range that goes the wrong way is empty here, and an error of fl.range.
    stop = _choice(is_backwards, _ops.minimum(stop, start), _ops.maximum(stop, start))
    return _ops.gather(tensor, _ops.range(start, stop, _ops.cast(step, "int64")), dim)


def _within(place: Any, low: Any, high: Any) -> Any:
    return _ops.minimum(_ops.maximum(_ops.cast(place, "int64"), low), high)


def _choice(condition: Any, yes: Any, no: Any) -> Any:
    if isinstance(condition, Tensor):
        return _ops.where(condition, yes, no)
    return yes if condition else no
