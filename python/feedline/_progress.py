"""How far a long call is, on standard error: by tqdm where that is installed."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator
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


def _with_line(elements: Iterable[Any], total: int | None, label: str) -> Iterator[Any]:
    """The elements, with a line that is written anew a few times a second."""
    began = shown = time.monotonic()
    count = 0

    def show(end: str) -> None:
        seconds = max(time.monotonic() - began, 1e-9)
        share = f" of {total} ({100 * count // max(total, 1)} %)" if total is not None else ""
        print(f"\r{label}: {count}{share}, {count / seconds:.0f} a second", end=end, file=sys.stderr, flush=True)

    try:
        for element in elements:
            yield element
            count += 1
            if time.monotonic() - shown >= UPDATE_S:
                show("")
                shown = time.monotonic()
    finally:
        show("\n")
