"""Who else splits: wrappers of torch's loaders that iterate a whole dataset and give each process a part of it themselves."""

from __future__ import annotations

import sys
from types import FrameType

__all__ = ["is_split_by_caller"]

#: By name, since none of them is imported here: accelerate's two, and that of transformers, which is accelerate's first under the same name.
_READS_ON_ONE_PROCESS = "DataLoaderDispatcher"
_READS_ON_EACH_PROCESS = "IterableDatasetShard"


def is_split_by_caller() -> bool:
    """Whether what calls, directly or through others, is the method of such a wrapper."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        *_, owner, _ = ("", *frame.f_code.co_qualname.rsplit(".", 2))
        if owner == _READS_ON_EACH_PROCESS:
            _complete(frame.f_locals.get("self"))
        if owner in (_READS_ON_ONE_PROCESS, _READS_ON_EACH_PROCESS):
            return True
        frame = frame.f_back
    return False


def _complete(wrapper: object) -> None:
    """Has the wrapper deal out one element at a time if it was told no number.

    accelerate tells it the ``batch_size`` of the loader, which is ``None`` where elements are batches already, and which it multiplies.
    """
    if getattr(wrapper, "batch_size", 1) is None:
        wrapper.batch_size = 1  # type: ignore[attr-defined]
