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
from ._columns import column_defaults
from ._convert import as_array
from ._dtypes import DTypeLike, dtype_name
from ._errors import ArgumentError, SchemaError
from ._ops import (
    TensorLike,
    decode_base64,
    decode_compressed,
    decode_raw,
    encode_base64,
    parse_tensor,
    read_file,
    serialize_tensor,
    write_file,
)
from .image import (
    decode_and_crop_jpeg,
    decode_bmp,
    decode_gif,
    decode_image,
    decode_jpeg,
    decode_png,
    encode_jpeg,
    encode_png,
    extract_jpeg_shape,
    is_jpeg,
)

__all__ = [
    "FixedLenFeature",
    "FixedLenSequenceFeature",
    "RaggedFeature",
    "TFRecordOptions",
    "TFRecordWriter",
    "VarLenFeature",
    "decode_and_crop_jpeg",
    "decode_base64",
    "decode_bmp",
    "decode_compressed",
    "decode_csv",
    "decode_gif",
    "decode_image",
    "decode_jpeg",
    "decode_json",
    "decode_png",
    "decode_raw",
    "encode_base64",
    "encode_jpeg",
    "encode_png",
    "example",
    "extract_jpeg_shape",
    "is_jpeg",
    "parse_example",
    "parse_sequence_example",
    "parse_single_example",
    "parse_single_sequence_example",
    "parse_tensor",
    "read_file",
    "serialize_tensor",
    "write_file",
]


@dataclass(frozen=True)
class FixedLenFeature:
    """The same number of values in every record; ``default_value`` is for records that lack it."""

    shape: Sequence[int]
    dtype: DTypeLike
    default_value: Any = None


@dataclass(frozen=True)
class VarLenFeature:
    """Any number of values, also none: a :class:`feedline.SparseTensor`. :class:`RaggedFeature` reads the same as plain and ragged tensors.

    >>> import feedline as fl
    >>> records = [fl.io.example({"tags": ["a", "b"]}), fl.io.example({"tags": []})]
    >>> features = {"tags": fl.io.VarLenFeature(fl.string)}
    >>> ds = fl.Dataset.from_tensor_slices(records).map(lambda record: fl.io.parse_single_example(record, features)).batch(2)
    >>> tags = next(iter(ds))["tags"]
    >>> tags
    SparseTensor(indices=[[0, 0], [0, 1]], values=[b'a', b'b'], dense_shape=[2, 2])
    >>> fl.sparse.to_dense(tags)
    array([[b'a', b'b'],
           [b'', b'']], dtype=object)
    """

    dtype: DTypeLike


@dataclass(frozen=True)
class RaggedFeature:
    """Any number of values, also none: a tensor of one dimension, in a batch or a list of steps a :class:`feedline.RaggedTensor`."""

    dtype: DTypeLike


@dataclass(frozen=True)
class FixedLenSequenceFeature:
    """Any number of entries of one shape, also none; ``default_value`` fills up shorter ones in a batch."""

    shape: Sequence[int]
    dtype: DTypeLike
    allow_missing: bool = False
    default_value: Any = None


Feature: TypeAlias = Union[FixedLenFeature, VarLenFeature, RaggedFeature, FixedLenSequenceFeature]


def parse_single_example(
    serialized: TensorLike, features: Mapping[str, Feature], example_names: Any = None, name: str | None = None
) -> dict[str, Any]:
    """The features of one ``tf.train.Example``, as a dict of tensors, sparse for a ``VarLenFeature``. A record that lacks one without a
    default, or has another type or number of values, is an error of its element."""
    parsed: dict[str, Any] = _ops.parse_single_example(serialized, _native_features("parse_single_example", features))
    return parsed


def parse_example(
    serialized: TensorLike, features: Mapping[str, Feature], example_names: Any = None, name: str | None = None
) -> dict[str, Any]:
    """As :func:`parse_single_example` for a batch of records: each tensor has the batch as its first dimension. A
    ``VarLenFeature`` is sparse, a ``RaggedFeature`` ragged."""
    parsed: dict[str, Any] = _ops.parse_example(serialized, _native_features("parse_example", features))
    return parsed


def parse_single_sequence_example(
    serialized: TensorLike,
    context_features: Mapping[str, Feature] | None = None,
    sequence_features: Mapping[str, Feature] | None = None,
    example_name: Any = None,
    name: str | None = None,
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The features of one ``tf.train.SequenceExample``: those of its context, and its lists of steps. A list is a
    ``FixedLenSequenceFeature``, a tensor whose first dimension is the steps, or has steps of any length, and is a
    :class:`feedline.SparseTensor` (``VarLenFeature``) or a :class:`feedline.RaggedTensor` (``RaggedFeature``) with the steps as its rows."""
    context, lists = _sequence_features("parse_single_sequence_example", context_features, sequence_features)
    parsed: tuple[dict[str, Any], dict[str, Any]] = _ops.parse_single_sequence_example(serialized, context, lists)
    return parsed


def parse_sequence_example(
    serialized: TensorLike,
    context_features: Mapping[str, Feature] | None = None,
    sequence_features: Mapping[str, Feature] | None = None,
    example_names: Any = None,
    name: str | None = None,
) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    """As :func:`parse_single_sequence_example` for a batch of records: each tensor has the batch as its first dimension. A
    ``FixedLenSequenceFeature`` is filled up with zeros or empty strings to the longest list of the batch, and the third dict has how many steps
    each record has of it. Lists of steps of any length are sparse in three dimensions, or ragged in both. As ``tf.io.parse_sequence_example``.

    >>> import feedline as fl
    >>> record = b"\\x12\\x1b\\n\\x19\\n\\x05words\\x12\\x10\\n\\x07\\n\\x05\\n\\x03the\\n\\x05\\n\\x03\\n\\x01a"
    >>> words = {"words": fl.io.FixedLenSequenceFeature([], fl.string, allow_missing=True)}
    >>> ds = fl.Dataset.from_tensors([record, b""]).map(lambda x: fl.io.parse_sequence_example(x, sequence_features=words))
    >>> _, lists, lengths = next(iter(ds))
    >>> print(lists["words"], lengths["words"])
    [[b'the' b'a']
     [b'' b'']] [2 0]
    """
    context, lists = _sequence_features("parse_sequence_example", context_features, sequence_features)
    parsed: tuple[dict[str, Any], dict[str, Any], dict[str, Any]] = _ops.parse_sequence_example(serialized, context, lists)
    return parsed


def _sequence_features(
    what: str, context: Mapping[str, Feature] | None, lists: Mapping[str, Feature] | None
) -> tuple[dict[str, Any], dict[str, Any]]:
    if not context and not lists:
        raise ArgumentError(f"{what}: no features to read")
    return (
        {key: _native_feature(what, key, feature) for key, feature in (context or {}).items()},
        {key: _native_list(what, key, feature) for key, feature in (lists or {}).items()},
    )


def _native_list(what: str, key: str, feature: Feature) -> tuple[str, list[int], str, Any]:
    if isinstance(feature, FixedLenSequenceFeature):
        if feature.default_value is not None:
            raise ArgumentError(
                f"{what}: the list {key!r} has a default_value\nhint: lists of steps are filled up with zeros or empty strings"
            )
        # A default is how a list says that a record may lack it.
        empty = (b"" if dtype_name(feature.dtype) == "string" else 0) if feature.allow_missing else None
        feature = FixedLenSequenceFeature(feature.shape, feature.dtype, True, empty)
    return _native_feature(what, key, feature)


def decode_csv(
    records: TensorLike,
    record_defaults: Sequence[Any],
    field_delim: str = ",",
    use_quote_delim: bool = True,
    na_value: str = "",
    select_cols: Sequence[int] | None = None,
    name: str | None = None,
) -> list[_native.Tensor]:
    """The fields of records of CSV, a tensor for each column, of the type of its default: a value, or a dtype where there must
    be one. An empty field, or one that is ``na_value``, is the default. A record with another number of fields, or a field that
    is no number, is an error of its element.

    >>> import feedline as fl
    >>> lines = fl.Dataset.from_tensor_slices(["1,cat", '2,"a ""big"" dog"', ",cow"])
    >>> for row in lines.map(lambda line: tuple(fl.io.decode_csv(line, [0, fl.string]))):
    ...     print(row)
    (np.int32(1), b'cat')
    (np.int32(2), b'a "big" dog')
    (np.int32(0), b'cow')
    """
    defaults = column_defaults("decode_csv", record_defaults)
    columns = _ops.decode_csv(
        records, defaults, field_delim, use_quote_delim, na_value, None if select_cols is None else list(select_cols)
    )
    return list(columns) if isinstance(columns, tuple) else [columns]


def decode_json(input: TensorLike, features: Mapping[str, Feature], name: str | None = None) -> dict[str, Any]:
    """The values of a JSON object, as a dict of tensors by their paths: ``a.b`` is ``b`` of the object ``a``. Features say what
    each is, as in :func:`parse_single_example`; int64 takes whole numbers and true and false, float32 any number, string texts.

    >>> import feedline as fl
    >>> features = {"user.id": fl.io.FixedLenFeature([], fl.int64), "tags": fl.io.RaggedFeature(fl.string)}
    >>> lines = fl.Dataset.from_tensors('{"user": {"id": 7}, "tags": ["a", "b"]}')
    >>> next(iter(lines.map(lambda line: fl.io.decode_json(line, features))))
    {'tags': array([b'a', b'b'], dtype=object), 'user.id': np.int64(7)}
    """
    parsed: dict[str, Any] = _ops.decode_json(input, _native_features("decode_json", features))
    return parsed


def _native_features(what: str, features: Mapping[str, Feature]) -> dict[str, Any]:
    if not features:
        raise ArgumentError(f"{what}: no features to read")
    return {key: _native_feature(what, key, feature) for key, feature in features.items()}


def _native_feature(what: str, key: str, feature: Feature) -> tuple[str, list[int], str, Any]:
    if not isinstance(feature, (FixedLenFeature, VarLenFeature, RaggedFeature, FixedLenSequenceFeature)):
        kinds = "fl.io.FixedLenFeature, VarLenFeature, RaggedFeature or FixedLenSequenceFeature"
        raise ArgumentError(f"{what}: the feature {key!r} is {feature!r}\nhint: features are {kinds}")
    dtype = dtype_name(feature.dtype)
    if dtype not in ("float32", "int64", "string"):
        raise SchemaError(
            f"{what}: the feature {key!r} cannot be {dtype}: a record holds float32, int64 and string\n"
            f"hint: read it as one of these and fl.cast it"
        )
    if isinstance(feature, VarLenFeature):
        return "var_len", [], dtype, None
    if isinstance(feature, RaggedFeature):
        return "ragged", [], dtype, None
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

    def flush(self) -> None:
        """Hands what was written so far to the operating system. The file appears when the writer is closed all the same."""
        self._writer.flush()

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
