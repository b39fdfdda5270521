"""Records: what to read of them, and writing them.

>>> import feedline as fl, tempfile, os
>>> path = os.path.join(tempfile.mkdtemp(), "numbers.tfrecord")
>>> with fl.io.TFRecordWriter(path) as writer:
...     for n in range(3):
...         writer.write(fl.io.example({"n": n, "name": f"number {n}"}))
>>> features = {"n": fl.io.FixedLenFeature([], fl.int64), "name": fl.io.FixedLenFeature([], fl.string)}
>>> for element in fl.TFRecordDataset(path).map(lambda record: fl.io.parse_single_example(record, features)):
...     print(element)
{'n': np.int64(0), 'name': b'number 0'}
{'n': np.int64(1), 'name': b'number 1'}
{'n': np.int64(2), 'name': b'number 2'}
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, Union

from . import _native, _ops
from ._convert import as_array
from ._dtypes import DTypeLike, dtype_name
from ._errors import ArgumentError, SchemaError
from ._ops import TensorLike, decode_raw, read_file

__all__ = [
    "FixedLenFeature",
    "FixedLenSequenceFeature",
    "TFRecordOptions",
    "TFRecordWriter",
    "VarLenFeature",
    "decode_raw",
    "example",
    "parse_example",
    "parse_single_example",
    "read_file",
]


@dataclass(frozen=True)
class FixedLenFeature:
    """The same number of values in every record; ``default_value`` is for records that lack it."""

    shape: Sequence[int]
    dtype: DTypeLike
    default_value: Any = None


@dataclass(frozen=True)
class VarLenFeature:
    """Any number of values, also none: a tensor of one dimension (where TensorFlow makes a sparse one)."""

    dtype: DTypeLike


@dataclass(frozen=True)
class FixedLenSequenceFeature:
    """Any number of entries of one shape, also none; ``default_value`` fills up shorter ones in a batch."""

    shape: Sequence[int]
    dtype: DTypeLike
    allow_missing: bool = False
    default_value: Any = None


Feature: TypeAlias = Union[FixedLenFeature, VarLenFeature, FixedLenSequenceFeature]


def parse_single_example(
    serialized: TensorLike, features: Mapping[str, Feature], example_names: Any = None, name: str | None = None
) -> dict[str, _native.Tensor]:
    """The features of one ``tf.train.Example``, as a dict of tensors. A record that lacks one without a default, or has
    another type or number of values, is an error of its element."""
    return _ops.parse_single_example(serialized, _native_features("parse_single_example", features))


def parse_example(
    serialized: TensorLike, features: Mapping[str, Feature], example_names: Any = None, name: str | None = None
) -> dict[str, _native.Tensor]:
    """As :func:`parse_single_example` for a batch of records: each tensor has the batch as its first dimension."""
    return _ops.parse_example(serialized, _native_features("parse_example", features))


def _native_features(what: str, features: Mapping[str, Feature]) -> dict[str, Any]:
    if not features:
        raise ArgumentError(f"{what}: no features to read")
    return {key: _native_feature(what, key, feature) for key, feature in features.items()}


def _native_feature(what: str, key: str, feature: Feature) -> tuple[str, list[int], str, Any]:
    if not isinstance(feature, (FixedLenFeature, VarLenFeature, FixedLenSequenceFeature)):
        kinds = "fl.io.FixedLenFeature, VarLenFeature or FixedLenSequenceFeature"
        raise ArgumentError(f"{what}: the feature {key!r} is {feature!r}\nhint: features are {kinds}")
    dtype = dtype_name(feature.dtype)
    if dtype not in ("float32", "int64", "string"):
        raise SchemaError(
            f"{what}: the feature {key!r} cannot be {dtype}: a record holds float32, int64 and string\n"
            f"hint: read it as one of these and fl.cast it"
        )
    if isinstance(feature, VarLenFeature):
        return "var_len", [], dtype, None
    shape = [int(dim) for dim in feature.shape]
    if isinstance(feature, FixedLenSequenceFeature):
        if not feature.allow_missing:
            raise ArgumentError(f"{what}: the feature {key!r}: a FixedLenSequenceFeature needs allow_missing=True")
        return "fixed_len_sequence", shape, dtype, _default(feature.default_value, dtype, 1)
    size = 1
    for dim in shape:
        size *= dim
    return "fixed_len", shape, dtype, _default(feature.default_value, dtype, size)


def _default(value: Any, dtype: str, size: int) -> list[Any] | None:
    if value is None:
        return None
    values = [_plain(item, dtype) for item in as_array(value).reshape(-1).tolist()]
    return values * size if len(values) == 1 else values


def _plain(item: Any, dtype: str) -> Any:
    if dtype == "string":
        return item.encode() if isinstance(item, str) else item
    return float(item) if dtype == "float32" else int(item)


def example(features: Mapping[str, Any]) -> bytes:
    """The bytes of a ``tf.train.Example``: floats become a float list, integers and bools an int64 list, strings and bytes
    a bytes list. An empty list has no type and is left out, which a ``VarLenFeature`` reads as no values.

    >>> import feedline as fl
    >>> len(fl.io.example({"label": 3, "box": [0.5, 0.5, 1.0, 1.0], "name": "cat"}))
    64
    """
    given = {key: value for key, value in features.items() if not (isinstance(value, list) and not value)}
    return _native.example_bytes({key: _values(key, value) for key, value in given.items()})


def _values(key: str, value: Any) -> tuple[str, list[Any]]:
    array = as_array(value)
    kind = array.dtype.kind
    if kind in "biu":
        return "int64", [int(item) for item in array.reshape(-1).tolist()]
    if kind == "f":
        return "float", array.reshape(-1).tolist()
    if kind in "SUO":
        return "bytes", [_plain(item, "string") for item in array.reshape(-1).tolist()]
    raise SchemaError(f"example: the feature {key!r} is {array.dtype}: a record holds floats, integers and strings")


@dataclass(frozen=True)
class TFRecordOptions:
    """How a record file is written."""

    compression_type: str = ""


class TFRecordWriter:
    """Writes records to a file, which appears under its name only when the writer is closed. Left by an exception, a
    ``with`` block leaves no file."""

    def __init__(
        self, path: str | os.PathLike[str], options: TFRecordOptions | str | None = None
    ) -> None:
        compression = options.compression_type if isinstance(options, TFRecordOptions) else options or ""
        if compression not in ("", "GZIP", "ZLIB"):
            raise ArgumentError(f"TFRecordWriter: the compression is '', 'GZIP' or 'ZLIB', not {compression!r}")
        self._writer = _native.RecordWriter(os.fspath(path), compression)

    def write(self, record: bytes) -> None:
        """Adds a record."""
        self._writer.write(record)

    def close(self) -> None:
        """Completes the file."""
        self._writer.finish()

    def __enter__(self) -> TFRecordWriter:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is None:
            self.close()
        else:
            self._writer.abandon()
