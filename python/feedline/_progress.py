"""How far a long call is, on standard error: by tqdm where that is installed."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any

UPDATE_S = 0.2


def counted(elements: Iterable[Any], total: int | None, label: str, is_shown: bool) -> Iterator[Any]:
    """The elements, with a bar that says how many have come, if it is to be shown."""
    if not is_shown:
        return iter(elements)
    try:
        from tqdm.auto import tqdm  # type: ignore[import-not-found, import-untyped, unused-ignore]
    except ImportError:
        return _with_line(elements, total, label)
    return iter(tqdm(elements, total=total, desc=label, unit=" elements"))


@contextlib.contextmanager
def bar(total: int | None, label: str, is_shown: bool, unit: str = "elements") -> Iterator[Callable[[int], None] | None]:
    """What to call with the number of elements, or of what ``unit`` says, that have come, if it is to be shown."""
    if not is_shown:
        yield None
        return
    try:
        from tqdm.auto import tqdm  # type: ignore[import-not-found, import-untyped, unused-ignore]
    except ImportError:
        line = _Line(total, label)
        try:
            yield line.update
        finally:
            line.show("\n")
        return
    with tqdm(total=total, desc=label, unit=f" {unit}") as shown:
        yield lambda count: shown.update(count - shown.n) and None


def _with_line(elements: Iterable[Any], total: int | None, label: str) -> Iterator[Any]:
    """The elements, with a line that is written anew a few times a second."""
    line = _Line(total, label)
    try:
        for count, element in enumerate(elements, 1):
            yield element
            line.update(count)
    finally:
        line.show("\n")


class _Line:
    """A line that says how many elements have come."""

    def __init__(self, total: int | None, label: str) -> None:
        self._total = total
        self._label = label
        self._count = 0
        self._began = self._shown = time.monotonic()

    def update(self, count: int) -> None:
        """Writes the line anew, unless it just was."""
        self._count = count
        if time.monotonic() - self._shown >= UPDATE_S:
            self.show("")
            self._shown = time.monotonic()

    def show(self, end: str) -> None:
        """Writes the line."""
        seconds = max(time.monotonic() - self._began, 1e-9)
        share = f" of {self._total} ({100 * self._count // max(self._total, 1)} %)" if self._total is not None else ""
        text = f"\r{self._label}: {self._count}{share}, {self._count / seconds:.0f} a second"
        print(text, end=end, file=sys.stderr, flush=True)
