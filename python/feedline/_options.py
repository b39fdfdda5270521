"""How a dataset runs. Nothing of it changes what comes out."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass

from . import _native
from ._errors import ArgumentError

#: More seconds than anybody waits; what is told after them may as well be told never.
_FOR_EVER_S = 1e9


@dataclass(frozen=True, kw_only=True)
class Options:
    """Threads, memory, and what the optimizer may do; the defaults fit the machine.

    Parameters
    ----------
    threads
        Worker threads. 0 runs everything on the thread that asks, step after step. Default: one for each core.
    memory_budget
        Bytes for everything in flight. Default: a quarter of the memory this process may use.
    spill_dir
        A folder for what a shuffle cannot keep in memory.
    optimizer
        Whether plans are optimized.
    without_rules
        Rules of the optimizer to leave out, by the names ``explain`` calls them.
    stall_after_s
        Seconds without movement after which it is told who waits for whom; 0: never.

    >>> import feedline as fl
    >>> fl.Dataset.range(3).with_options(fl.Options(threads=1)).cardinality()
    3
    """

    threads: int | None = None
    memory_budget: int | None = None
    spill_dir: str | os.PathLike[str] | None = None
    optimizer: bool = True
    without_rules: Sequence[str] = ()
    stall_after_s: float | None = None

    def _to_native(self) -> _native.Options:
        if self.threads is not None and self.threads < 0:
            raise ArgumentError(f"Options: threads is {self.threads}, it must be 0 or more")
        if self.stall_after_s is not None and not 0 <= self.stall_after_s < _FOR_EVER_S:
            raise ArgumentError(f"Options: stall_after_s is {self.stall_after_s}, it must be a number of seconds, or 0 for never")
        return _native.Options(
            self.threads,
            self.memory_budget,
            self.spill_dir,
            self.optimizer,
            list(self.without_rules),
            self.stall_after_s,
        )
