"""Files as sources."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from . import _native, _ops
from ._arguments import AUTOTUNE, paths_of, positive
from ._checking import checks_arguments
from ._columns import column_defaults
from ._dataset import Dataset
from ._errors import ArgumentError

__all__ = ["CsvDataset", "FixedLengthRecordDataset", "TFRecordDataset", "TextLineDataset"]


@checks_arguments
class TFRecordDataset(Dataset):
    """The records of TFRecord files, file after file, as strings; ``num_parallel_reads`` files at a time taking turns,
    if given. Compression is told from the files.

    ``filenames`` is a path, several, a dataset of them, or, inside ``interleave`` and ``flat_map``, a symbolic value.

    >>> import feedline as fl, tempfile
    >>> path = f"{tempfile.mkdtemp()}/words.tfrecord"
    >>> with fl.io.TFRecordWriter(path) as writer:
    ...     for word in (b"cat", b"dog"):
    ...         writer.write(word)
    >>> list(fl.TFRecordDataset(path))
    [b'cat', b'dog']
    """

    def __init__(
        self,
        filenames: Any,
        compression_type: str | None = None,
        buffer_size: int | None = None,
        num_parallel_reads: int | None = None,
        name: str | None = None,
    ) -> None:
        super().__init__(_rows_of_files("TFRecordDataset", filenames, compression_type, num_parallel_reads, "tf_record"))


@checks_arguments
class TextLineDataset(Dataset):
    """The lines of text files, file after file, as strings without their ends; otherwise as :class:`TFRecordDataset`.

    >>> import feedline as fl, pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "words.txt")
    >>> _ = path.write_text("cat\\ndog\\n")
    >>> list(fl.TextLineDataset(path))
    [b'cat', b'dog']
    """

    def __init__(
        self,
        filenames: Any,
        compression_type: str | None = None,
        buffer_size: int | None = None,
        num_parallel_reads: int | None = None,
        name: str | None = None,
    ) -> None:
        super().__init__(_rows_of_files("TextLineDataset", filenames, compression_type, num_parallel_reads, "text_line"))


@checks_arguments
class FixedLengthRecordDataset(Dataset):
    """The records of files whose records all have ``record_bytes``, file after file, as strings. The first ``header_bytes`` and the last
    ``footer_bytes`` of a file are no records. A file of which the rest is no whole number of records gives an error, and the next one
    goes on. Records may be any bytes, so ``compression_type`` says how files are compressed; otherwise as :class:`TFRecordDataset`.

    >>> import feedline as fl, os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "digits")
    >>> with open(path, "wb") as file:
    ...     _ = file.write(b"head" + bytes(range(6)))
    >>> digits = fl.FixedLengthRecordDataset(path, 3, header_bytes=4)
    >>> for row in digits.map(lambda record: fl.io.decode_raw(record, fl.uint8)):
    ...     print(row)
    [0 1 2]
    [3 4 5]
    """

    def __init__(
        self,
        filenames: Any,
        record_bytes: int,
        header_bytes: int | None = None,
        footer_bytes: int | None = None,
        buffer_size: int | None = None,
        compression_type: str | None = None,
        num_parallel_reads: int | None = None,
        name: str | None = None,
    ) -> None:
        what = "FixedLengthRecordDataset"
        size = positive(what, "record_bytes", record_bytes)
        header = _bytes_around(what, "header_bytes", header_bytes)
        footer = _bytes_around(what, "footer_bytes", footer_bytes)
        kind = (size, header, footer, compression_type or "")
        super().__init__(_rows_of_files(what, filenames, compression_type, num_parallel_reads, kind))


@checks_arguments
class CsvDataset(Dataset):
    """The rows of CSV files, file after file: a tuple with a scalar for each column. A quoted field may have line ends in it.

    ``record_defaults`` has the type of each column that is read: a value, which an empty field stands for, or a dtype where a field must
    not be empty. ``header`` leaves out the first row of each file; ``na_value`` is a text that means an empty field. ``select_cols`` are
    the columns that are read, or ``exclude_cols`` those that are not. Compression is told from the files. A row with another number of fields,
    with a quote out of place, or with something that is no number where one should be, is an error in its place; ``ignore_errors`` leaves it out.

    >>> import feedline as fl, os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "animals.csv")
    >>> with open(path, "w") as file:
    ...     _ = file.write('name,legs,sound\\ncat,4,meow\\n"dog, big",4,wow\\nsnake,,hiss\\n')
    >>> for row in fl.CsvDataset(path, [fl.string, 0], header=True, select_cols=[0, 1]):
    ...     print(row)
    (b'cat', np.int32(4))
    (b'dog, big', np.int32(4))
    (b'snake', np.int32(0))
    """

    def __init__(
        self,
        filenames: Any,
        record_defaults: Sequence[Any],
        compression_type: str | None = None,
        buffer_size: int | None = None,
        header: bool = False,
        field_delim: str = ",",
        use_quote_delim: bool = True,
        na_value: str = "",
        select_cols: Sequence[int] | None = None,
        exclude_cols: Sequence[int] | None = None,
    ) -> None:
        what = "CsvDataset"
        defaults = column_defaults(what, record_defaults)
        selected = None if select_cols is None else [int(column) for column in select_cols]
        excluded = None if exclude_cols is None else [int(column) for column in exclude_cols]

        def columns(record: Any) -> tuple[Any, ...]:
            row = _ops.decode_csv_record(record, defaults, field_delim, use_quote_delim, na_value, selected, excluded)
            return row if isinstance(row, tuple) else (row,)

        kind = (field_delim, bool(use_quote_delim), bool(header))
        records = Dataset(_rows_of_files(what, filenames, compression_type, None, kind))
        super().__init__(records.map(columns)._inner)


def _bytes_around(what: str, argument: str, value: int | None) -> int:
    if value is not None and value < 0:
        raise ArgumentError(f"{what}: {argument} cannot be less than zero, it is {value}")
    return int(value or 0)


def _rows_of_files(
    what: str, filenames: Any, compression_type: str | None, num_parallel_reads: int | None, kind: Any
) -> _native.Dataset:
    if compression_type not in (None, "", "GZIP", "ZLIB"):
        raise ArgumentError(f"{what}: compression_type is 'GZIP', 'ZLIB' or None, not {compression_type!r}")
    if num_parallel_reads not in (None, AUTOTUNE):
        positive(what, "num_parallel_reads", num_parallel_reads)
    if isinstance(filenames, _native.Tensor):
        return _native.Dataset.files_of(filenames, kind)
    if isinstance(filenames, Dataset):

        def rows(path: Any) -> Dataset:
            return Dataset(_native.Dataset.files_of(path, kind))

        if num_parallel_reads is None:
            return filenames.flat_map(rows)._inner
        cycle = None if num_parallel_reads == AUTOTUNE else num_parallel_reads
        return filenames.interleave(rows, cycle_length=cycle)._inner
    paths = paths_of(what, "filenames", filenames)
    for path in paths:
        if not os.path.exists(path):
            hint = "Dataset.list_files(pattern).interleave(fl.TFRecordDataset) reads files by a pattern"
            extra = f"\nhint: {hint}" if any(sign in path for sign in "*?[") else ""
            raise FileNotFoundError(f"{what}: there is no file {path!r}{extra}")
    rows_of = _native.Dataset.files(paths, kind)
    if num_parallel_reads is None:
        return rows_of
    return rows_of.num_parallel_reads(None if num_parallel_reads == AUTOTUNE else num_parallel_reads)
