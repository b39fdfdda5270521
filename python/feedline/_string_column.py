"""Strings where a library has them that speaks Arrow: which bytes of which of its buffers each is. The bytes themselves are not copied."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._errors import SchemaError

__all__ = ["StringColumn"]

# Places are numbers of 32 bits; a larger buffer is several.
MAX_BYTES = (1 << 32) - 1
VIEW_BYTES = 16
#: Strings up to this length lie in their view, behind its first word.
MAX_IN_VIEW = 12


class StringColumn:
    """Strings in buffers of somebody else's.

    ``sources`` are arrays of bytes; ``places`` has a row of three numbers for each string: which of them it is in, where it begins there, and
    how long it is.
    """

    def __init__(self, sources: list[np.ndarray[Any, Any]], places: np.ndarray[Any, Any], shape: tuple[int, ...] | None = None) -> None:
        self.sources = sources
        self.places = places
        self.shape = (len(places),) if shape is None else shape

    @staticmethod
    def of_offsets(data: np.ndarray[Any, Any], offsets: np.ndarray[Any, Any]) -> StringColumn:
        """Strings one behind the other: each from one of ``offsets``, of which the first is where ``data`` begins, to the next."""
        count = len(offsets) - 1
        sources: list[np.ndarray[Any, Any]] = []
        places, first = np.zeros((count, 3), np.uint32), 0
        while first < count:
            start, behind = int(offsets[first]), count
            if int(offsets[-1]) - start > MAX_BYTES:
                behind = int(np.searchsorted(offsets, start + MAX_BYTES, side="right")) - 1
            if behind <= first:
                raise SchemaError(f"string {first} of a column has more than {MAX_BYTES} bytes\nhint: a string has less than 4 GiB")
            part = places[first:behind]
            part[:, 0] = len(sources)
            part[:, 1] = offsets[first:behind] - start
            part[:, 2] = np.diff(offsets[first : behind + 1])
            sources.append(data[start - int(offsets[0]) : int(offsets[behind]) - int(offsets[0])])
            first = behind
        return StringColumn(sources, places)

    @staticmethod
    def of_width(data: np.ndarray[Any, Any], width: int, count: int) -> StringColumn:
        """``count`` strings of ``width`` bytes, one behind the other."""
        each = max(1, MAX_BYTES // max(width, 1))
        rows = np.arange(count)
        places = np.empty((count, 3), np.uint32)
        places[:, 0], places[:, 1], places[:, 2] = rows // each, rows % each * width, width
        return StringColumn(_cut(data, each * width, -(-count // each)), places)

    @staticmethod
    def of_views(views: np.ndarray[Any, Any], data: list[np.ndarray[Any, Any]]) -> StringColumn:
        """Strings by Arrow's views, of four words each: the length, the first bytes, which of ``data``, and where in it. Short ones lie in their view."""
        words = views.view(np.uint32).reshape(-1, VIEW_BYTES // 4)
        each = MAX_BYTES // VIEW_BYTES
        rows = np.arange(len(words))
        of_views = _cut(views, each * VIEW_BYTES, -(-len(words) // each))
        is_short = words[:, 0] <= MAX_IN_VIEW
        places = np.empty((len(words), 3), np.uint32)
        places[:, 0] = np.where(is_short, rows // each, words[:, 2].astype(np.int64) + len(of_views))
        places[:, 1] = np.where(is_short, rows % each * VIEW_BYTES + 4, words[:, 3])
        places[:, 2] = words[:, 0]
        return StringColumn([*of_views, *data], places)

    @staticmethod
    def joined(columns: list[StringColumn]) -> StringColumn:
        """The strings of all columns, where each has them."""
        if len(columns) == 1:
            return columns[0]
        sources: list[np.ndarray[Any, Any]] = []
        places = [np.zeros((0, 3), np.uint32)]
        for column in columns:
            places.append(column.places + np.array([len(sources), 0, 0], np.uint32))
            sources += column.sources
        return StringColumn(sources, np.concatenate(places))

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, rows: np.ndarray[Any, Any]) -> StringColumn:
        return StringColumn(self.sources, self.places[rows])

    def reshape(self, *shape: int) -> StringColumn:
        """The same strings as a tensor of another shape."""
        return StringColumn(self.sources, self.places, self.places.reshape(*shape, 3).shape[:-1])

    def parts(self) -> tuple[Any, tuple[int, ...]]:
        """What the bindings take."""
        return (self.sources, np.ascontiguousarray(self.places)), self.shape

    def copied(self) -> np.ndarray[Any, Any]:
        """The strings as objects of Python's, which are copies."""
        strings = np.empty(len(self.places), dtype=object)
        strings[:] = [
            self.sources[source][start : start + length].tobytes() for source, start, length in self.places.tolist()
        ]
        return strings.reshape(self.shape)


def _cut(data: np.ndarray[Any, Any], num_bytes: int, count: int) -> list[np.ndarray[Any, Any]]:
    return [data[part * num_bytes : (part + 1) * num_bytes] for part in range(count)]
