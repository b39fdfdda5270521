"""Work on much data of Python's and numpy's in pieces.

One call of numpy's, or of a list's own, is done before Python looks for Ctrl-C, or lets another thread go on; a piece takes some milliseconds.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

__all__ = ["array_of_list", "as_lists", "copied", "joined", "objects_of_list", "pieces_of", "taken"]

#: Values of Python's, each an object to be looked at: 5 ms.
PIECE = 1 << 17
#: Bytes to be copied: 5 ms.
PIECE_BYTES = 16 << 20


def pieces_of(count: int, size: int = PIECE) -> Iterator[slice]:
    """Slices of ``size``, one behind the other, of what has ``count`` entries."""
    for start in range(0, count, size):
        yield slice(start, min(start + size, count))


def array_of_list(values: list[Any]) -> np.ndarray[Any, Any]:
    """``np.asarray(values)``."""
    size = len(values)
    first = values[0] if values else None
    a_row = np.size(first) if isinstance(first, (list, tuple)) else 1
    if size * a_row <= PIECE:
        return np.asarray(values)
    whole: np.ndarray[Any, Any] | None = None
    for piece in pieces_of(size, max(1, PIECE // max(a_row, 1))):
        part = np.asarray(values[piece])
        if whole is None:
            whole = np.empty((size, *part.shape[1:]), part.dtype)
        if part.dtype != whole.dtype or part.shape[1:] != whole.shape[1:] or part.dtype.kind not in "biuf":
            # What they are together only numpy knows: of texts as long as the longest, of integers and floats whatever holds both.
            return np.asarray(values)
        whole[piece] = part
    assert whole is not None
    return whole


def objects_of_list(values: list[Any]) -> np.ndarray[Any, Any]:
    """A list of strings as an array of objects."""
    array = np.empty(len(values), dtype=object)
    for piece in pieces_of(len(values)):
        array[piece] = values[piece]
    return array


def as_lists(array: np.ndarray[Any, Any]) -> Iterator[list[Any]]:
    """The values of an array of one dimension as Python has them, in lists one behind the other."""
    for piece in pieces_of(len(array)):
        yield array[piece].tolist()


def joined(arrays: list[np.ndarray[Any, Any]]) -> np.ndarray[Any, Any]:
    """``np.concatenate(arrays)``, of arrays of one type."""
    whole = np.empty((sum(map(len, arrays)), *arrays[0].shape[1:]), arrays[0].dtype)
    end = 0
    for array in arrays:
        start, end = end, end + len(array)
        _copy(whole[start:end], array)
    return whole


def taken(array: np.ndarray[Any, Any], places: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """``array[places]``."""
    whole = np.empty((len(places), *array.shape[1:]), array.dtype)
    for piece in pieces_of(len(places)):
        whole[piece] = array[places[piece]]
    return whole


def copied(array: np.ndarray[Any, Any], dtype: Any) -> np.ndarray[Any, Any]:
    """The array in C order, as ``dtype``."""
    whole = np.empty(array.shape, dtype)
    _copy(whole, array)
    return whole


def _copy(whole: np.ndarray[Any, Any], array: np.ndarray[Any, Any]) -> None:
    if whole.nbytes <= PIECE_BYTES or whole.ndim == 0:
        whole[...] = array
        return
    # Halves of the longest dimension: pieces of a transposed array are then blocks, whose lines of the cache are used whole.
    axis = int(np.argmax(whole.shape))
    half = whole.shape[axis] // 2
    for part in (slice(None, half), slice(half, None)):
        place = (slice(None),) * axis + (part,)
        _copy(whole[place], array[place])
