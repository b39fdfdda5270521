"""How a dataset runs. Nothing of it changes what comes out, but for the order if that is given up."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

from . import _native
from ._arguments import path_of, whole
from ._errors import ArgumentError

#: More seconds than anybody waits; what is told after them may as well be told never.
_FOR_EVER_S = 1e9

#: What a ``tf.data.Options`` has and this has not, and what does it here.
_OF_TENSORFLOW = {
    "threading": "fl.Options(threads=n) is private_threadpool_size, and num_parallel_calls of a step limits its calls",
    "autotune": "what is not given is tuned; fl.Options(threads=n, memory_budget=bytes) are its limits",
    "experimental_optimization": "fl.Options(optimizer=False) and fl.Options(without_rules=[…]) say what the optimizer may do",
    "experimental_deterministic": "fl.Options(deterministic=…)",
    "experimental_distribute": "to_torch, or dataset.shard(num_shards, index), gives each process its part",
    "experimental_external_state_policy": "states of functions are saved with the rest; there is nothing to choose",
    "experimental_slack": "batches are made ahead anyway: .prefetch(fl.AUTOTUNE)",
}


@dataclass(kw_only=True)
class Options:
    """Threads, memory, and what the optimizer may do; ``None``, the default of all, fits the machine.

    Parameters
    ----------
    threads
        Worker threads. 0 computes an element when it is asked for, step after step, and calls Python functions on the thread that asks. Default: one for each core.
    memory_budget
        Bytes for everything in flight of an iterator, within what all iterators of the process share: ``FEEDLINE_MEMORY_BUDGET``, as it is
        when the first of them is made, or a quarter of the memory this process may use. More than that is taken at its word: such an
        iterator has a budget of its own. Default: what the process has.
    spill_dir
        A folder for what a shuffle cannot keep in memory.
    optimizer
        Whether plans are optimized. Default: they are.
    without_rules
        Rules of the optimizer to leave out, by the names ``explain`` calls them.
    stall_after_s
        Seconds without movement after which it is told who waits for whom; 0: never.
    deterministic
        Whether ``map`` and ``interleave`` keep the order where they do not say themselves: their own ``deterministic`` wins. If
        not, every element still comes exactly once, also after a resume. Default: they do.

    >>> import feedline as fl
    >>> options = fl.Options(threads=1)
    >>> options.memory_budget = 1 << 30
    >>> ds = fl.Dataset.range(3).with_options(options)
    >>> ds.options().memory_budget
    1073741824
    """

    threads: int | None = None
    memory_budget: int | None = None
    spill_dir: str | os.PathLike[str] | None = None
    optimizer: bool | None = None
    without_rules: Sequence[str] | None = None
    stall_after_s: float | None = None
    deterministic: bool | None = None

    def __setattr__(self, name: str, value: Any) -> None:
        known = [field.name for field in fields(self)]
        if name not in known:
            raise AttributeError(f"Options has no {name!r}\nhint: there are {', '.join(known)}")
        if vars(self).get("_is_of_dataset"):
            raise ArgumentError(
                f"Options: {name} of the options of a dataset cannot be set: it would change nothing\n"
                f"hint: dataset.with_options(fl.Options({name}={value!r})) gives a dataset with it"
            )
        object.__setattr__(self, name, value)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        hint = _OF_TENSORFLOW.get(name, "there are " + ", ".join(field.name for field in fields(self)))
        raise AttributeError(f"Options has no {name!r}\nhint: {hint}")

    def merge(self, options: Options) -> Options:
        """These options, with those that are set in ``options`` instead.

        >>> import feedline as fl
        >>> merged = fl.Options(threads=2, optimizer=False).merge(fl.Options(threads=4))
        >>> merged.threads, merged.optimizer
        (4, False)
        """
        given = {field.name: getattr(options, field.name) for field in fields(options)}
        own = {field.name: getattr(self, field.name) for field in fields(self)}
        return Options(**{name: own[name] if value is None else value for name, value in given.items()})

    def _of_dataset(self) -> Options:
        """A copy that says so when somebody sets what has no effect any more."""
        copy = self.merge(Options())
        vars(copy)["_is_of_dataset"] = True
        return copy

    def _to_native(self) -> _native.Options:
        def number(name: str) -> int | None:
            value = getattr(self, name)
            return None if value is None else whole("Options", name, value, 0)

        seconds = self.stall_after_s
        if seconds is not None and not (isinstance(seconds, (int, float)) and 0 <= seconds < _FOR_EVER_S):
            raise ArgumentError(f"Options: stall_after_s is {seconds!r}, it must be a number of seconds, or 0 for never")
        folder = None if self.spill_dir is None else path_of("Options", "spill_dir", self.spill_dir)
        if self.deterministic not in (None, True, False):
            raise ArgumentError(f"Options: deterministic is True, False or None, not {self.deterministic!r}")
        rules = self.without_rules
        if rules is not None and (isinstance(rules, str) or not all(isinstance(rule, str) for rule in rules)):
            raise ArgumentError(f"Options: without_rules is a list of names, not {rules!r}")
        return _native.Options(
            number("threads"),
            number("memory_budget"),
            folder,
            self.optimizer is not False,
            list(rules or ()),
            seconds,
            self.deterministic,
        )
