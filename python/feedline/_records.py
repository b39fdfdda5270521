"""Record files of datasets: strings as they are, dicts as Examples."""

from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING, Any

from . import io
from ._arguments import PathLike, positive
from ._errors import ArgumentError, SchemaError
from ._progress import counted

if TYPE_CHECKING:
    from ._dataset import Dataset


def write_tfrecords(dataset: Dataset, path: PathLike, shards: int, compression: str, progress: bool) -> list[str]:
    """Writes strings as they are and dicts as Examples, element after element to the files in turn."""
    positive("write_tfrecords", "shards", shards)
    total = dataset.cardinality()
    if total == -1:
        raise ArgumentError("write_tfrecords: the dataset is infinite\nhint: take(n) gives the first n elements")
    paths = [f"{os.fsdecode(path)}-{shard:05}-of-{shards:05}.tfrecord" for shard in range(shards)]
    with contextlib.ExitStack() as files:
        options = io.TFRecordOptions(compression)
        writers = [files.enter_context(io.TFRecordWriter(path, options)) for path in paths]
        elements = counted(dataset, total if total >= 0 else None, "write_tfrecords", progress)
        for number, element in enumerate(elements):
            writers[number % shards].write(_record(element))
    return paths


def _record(element: Any) -> bytes:
    if isinstance(element, dict):
        return io.example(element)
    if isinstance(element, bytes):
        return element
    raise SchemaError(
        f"write_tfrecords: an element is {type(element).__name__}, which is no record\n"
        "hint: map it to a dict of its parts, or to a string; save keeps any element"
    )
