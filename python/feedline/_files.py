"""Files as sources."""

from __future__ import annotations

import os
from typing import Any

from . import _native
from ._arguments import AUTOTUNE, paths_of
from ._dataset import Dataset
from ._errors import ArgumentError

__all__ = ["TFRecordDataset", "TextLineDataset"]


class TFRecordDataset(Dataset):
    """The records of TFRecord files, file after file, as strings; ``num_parallel_reads`` files at a time taking turns,
    if given. Compression is told from the files.

    ``filenames`` is a path, several, a dataset of them, or, inside ``interleave`` and ``flat_map``, a symbolic value.
    """

    def __init__(
        self,
        filenames: Any,
        compression_type: str | None = None,
        buffer_size: int | None = None,
        num_parallel_reads: int | None = None,
        name: str | None = None,
    ) -> None:
        super().__init__(_rows_of_files("TFRecordDataset", filenames, compression_type, num_parallel_reads, False))


class TextLineDataset(Dataset):
    """The lines of text files, file after file, as strings without their ends; otherwise as :class:`TFRecordDataset`."""

    def __init__(
        self,
        filenames: Any,
        compression_type: str | None = None,
        buffer_size: int | None = None,
        num_parallel_reads: int | None = None,
        name: str | None = None,
    ) -> None:
        super().__init__(_rows_of_files("TextLineDataset", filenames, compression_type, num_parallel_reads, True))


def _rows_of_files(
    what: str, filenames: Any, compression_type: str | None, num_parallel_reads: int | None, is_text: bool
) -> _native.Dataset:
    if compression_type not in (None, "", "GZIP", "ZLIB"):
        raise ArgumentError(f"{what}: compression_type is 'GZIP', 'ZLIB' or None, not {compression_type!r}")
    if isinstance(filenames, _native.Tensor):
        return _native.Dataset.files_of(filenames, is_text)
    if isinstance(filenames, Dataset):

        def rows(path: Any) -> Dataset:
            return Dataset(_native.Dataset.files_of(path, is_text))

        if num_parallel_reads is None:
            return filenames.flat_map(rows)._inner
        cycle = None if num_parallel_reads == AUTOTUNE else num_parallel_reads
        return filenames.interleave(rows, cycle_length=cycle)._inner
    paths = paths_of(filenames)
    for path in paths:
        if not os.path.exists(path):
            hint = "Dataset.list_files(pattern).interleave(fl.TFRecordDataset) reads files by a pattern"
            extra = f"\nhint: {hint}" if any(sign in path for sign in "*?[") else ""
            raise FileNotFoundError(f"{what}: there is no file {path!r}{extra}")
    rows_of = _native.Dataset.files(paths, is_text)
    if num_parallel_reads is None:
        return rows_of
    return rows_of.num_parallel_reads(None if num_parallel_reads == AUTOTUNE else num_parallel_reads)
