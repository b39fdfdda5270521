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

import dataclasses
import os
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, Union

import numpy as np

from . import _native, _ops, _string_ops
from ._arguments import naming
from ._checking import checks
from ._columns import column_defaults
from ._convert import as_array
from ._dtypes import DTypeLike, as_dtype, dtype_name
from ._errors import ArgumentError, ArgumentTypeError, SchemaError
from ._ops import (
    TensorLike,
    decode_base64,
    decode_compressed,
    encode_base64,
    parse_tensor,
    read_file,
    serialize_tensor,
)
from ._pieces import PIECE, copied, pieces_of
from ._tracing import note_check
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
    """The same number of values in every record; ``default_value`` is for records that lack it.

    >>> import feedline as fl
    >>> features = {"label": fl.io.FixedLenFeature([], fl.int64, default_value=-1)}
    >>> records = fl.Dataset.from_tensors([fl.io.example({"label": 3}), fl.io.example({})])
    >>> records.map(lambda x: fl.io.parse_example(x, features)).get_single_element()
    {'label': array([ 3, -1])}
    """

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
    """Any number of values, also none: a tensor of one dimension, in a batch or a list of steps a :class:`feedline.RaggedTensor`. They are read
    from ``value_key`` of a record, where it has another name there. There are no ``partitions``, and row splits are int64 and checked.

    >>> import feedline as fl
    >>> records = fl.Dataset.from_tensors([fl.io.example({"ids": [1, 2]}), fl.io.example({"ids": []})])
    >>> features = {"tokens": fl.io.RaggedFeature(fl.int64, value_key="ids")}
    >>> next(iter(records.map(lambda x: fl.io.parse_example(x, features))))
    {'tokens': <fl.RaggedTensor [[1, 2], []]>}
    """

    dtype: DTypeLike
    value_key: str | None = None
    partitions: Sequence[Any] = ()
    row_splits_dtype: DTypeLike = "int32"
    validate: bool = False


@dataclass(frozen=True)
class FixedLenSequenceFeature:
    """Any number of entries of one shape, also none; ``default_value`` fills up shorter ones in a batch.

    >>> import feedline as fl
    >>> features = {"ids": fl.io.FixedLenSequenceFeature([], fl.int64, allow_missing=True, default_value=-1)}
    >>> records = fl.Dataset.from_tensors([fl.io.example({"ids": [1, 2]}), fl.io.example({"ids": 3})])
    >>> records.map(lambda x: fl.io.parse_example(x, features)).get_single_element()
    {'ids': array([[ 1,  2],
           [ 3, -1]])}
    """

    shape: Sequence[int]
    dtype: DTypeLike
    allow_missing: bool = False
    default_value: Any = None


Feature: TypeAlias = Union[FixedLenFeature, VarLenFeature, RaggedFeature, FixedLenSequenceFeature]


@checks
def parse_single_example(
    serialized: TensorLike, features: Mapping[str, Feature], example_names: Any = None, name: str | None = None
) -> dict[str, Any]:
    """The features of one ``tf.train.Example``, as a dict of tensors, sparse for a ``VarLenFeature``. A record that lacks one without a
    default, or has another type or number of values, is an error of its element.

    >>> import feedline as fl
    >>> record = fl.io.example({"label": 3, "name": "cat"})
    >>> features = {"label": fl.io.FixedLenFeature([], fl.int64), "name": fl.io.FixedLenFeature([], fl.string)}
    >>> fl.Dataset.from_tensors(record).map(lambda x: fl.io.parse_single_example(x, features)).get_single_element()
    {'label': np.int64(3), 'name': b'cat'}
    """
    native, names = _native_features("parse_single_example", features)
    return _named(_ops.parse_single_example(serialized, native), names)


@checks
def parse_example(
    serialized: TensorLike, features: Mapping[str, Feature], example_names: Any = None, name: str | None = None
) -> dict[str, Any]:
    """As :func:`parse_single_example` for a batch of records: each tensor has the batch as its first dimension. A
    ``VarLenFeature`` is sparse, a ``RaggedFeature`` ragged.

    >>> import feedline as fl
    >>> records = [fl.io.example({"label": 3}), fl.io.example({"label": 5})]
    >>> features = {"label": fl.io.FixedLenFeature([], fl.int64)}
    >>> fl.Dataset.from_tensors(records).map(lambda x: fl.io.parse_example(x, features)).get_single_element()
    {'label': array([3, 5])}
    """
    native, names = _native_features("parse_example", features)
    return _named(_ops.parse_example(serialized, native), names)


@checks
def parse_single_sequence_example(
    serialized: TensorLike,
    context_features: Mapping[str, Feature] | None = None,
    sequence_features: Mapping[str, Feature] | None = None,
    example_name: Any = None,
    name: str | None = None,
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The features of one ``tf.train.SequenceExample``: those of its context, and its lists of steps. A list is a
    ``FixedLenSequenceFeature``, a tensor whose first dimension is the steps, or has steps of any length, and is a
    :class:`feedline.SparseTensor` (``VarLenFeature``) or a :class:`feedline.RaggedTensor` (``RaggedFeature``) with the steps as its rows.

    >>> import feedline as fl
    >>> record = b"\\x12\\x1b\\n\\x19\\n\\x05words\\x12\\x10\\n\\x07\\n\\x05\\n\\x03the\\n\\x05\\n\\x03\\n\\x01a"
    >>> words = {"words": fl.io.FixedLenSequenceFeature([], fl.string)}
    >>> ds = fl.Dataset.from_tensors(record).map(lambda x: fl.io.parse_single_sequence_example(x, sequence_features=words))
    >>> ds.get_single_element()
    ({}, {'words': array([b'the', b'a'], dtype=object)})
    """
    (context, names), (lists, names_of_lists) = _sequence_features("parse_single_sequence_example", context_features, sequence_features)
    parsed = _ops.parse_single_sequence_example(serialized, context, lists)
    return _named(parsed[0], names), _named(parsed[1], names_of_lists)


@checks
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
    (context, names), (lists, names_of_lists) = _sequence_features("parse_sequence_example", context_features, sequence_features)
    parsed = _ops.parse_sequence_example(serialized, context, lists)
    return _named(parsed[0], names), _named(parsed[1], names_of_lists), parsed[2]


#: Features by what they are called in a record, and what that is for each by its own name.
NativeFeatures: TypeAlias = tuple[dict[str, Any], dict[str, str]]


def _sequence_features(
    what: str, context: Mapping[str, Feature] | None, lists: Mapping[str, Feature] | None
) -> tuple[NativeFeatures, NativeFeatures]:
    if not context and not lists:
        raise ArgumentError(f"{what}: no features to read")
    return _by_key(what, context or {}, _native_feature), _by_key(what, lists or {}, _native_list)


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


@checks
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


_FILLING = 1 << 20
"""How many zeros :func:`decode_raw` has at a time."""


@checks
def decode_raw(
    input_bytes: TensorLike,
    out_type: DTypeLike,
    little_endian: bool = True,
    fixed_length: int | None = None,
    name: str | None = None,
) -> _native.Tensor:
    """The numbers of which each string is the bytes, in a new last dimension. With ``fixed_length`` each string has so many bytes: it is cut, or filled up
    with zeros. As ``tf.io.decode_raw``.

    >>> import feedline as fl
    >>> ds = fl.Dataset.from_tensors(["ab", "cdefg"]).map(lambda x: fl.io.decode_raw(x, fl.uint8, fixed_length=4))
    >>> next(iter(ds))
    array([[ 97,  98,   0,   0],
           [ 99, 100, 101, 102]], dtype=uint8)
    """
    if fixed_length is None:
        return _ops.decode_raw(input_bytes, out_type, little_endian)
    size = np.dtype(as_dtype(out_type).as_numpy_dtype).itemsize if as_dtype(out_type) != "string" else 1
    if fixed_length <= 0 or fixed_length % size:
        raise ArgumentError(f"decode_raw: fixed_length is {fixed_length}, and not a multiple of the {size} bytes of {as_dtype(out_type)!r}")
    if fixed_length >= 2**31:
        raise ArgumentError(f"decode_raw: fixed_length is {fixed_length}, and strings have fewer than 2**31 bytes, as in TensorFlow")
    # In pieces that are one and the same: while tracing no memory of that size is taken.
    pieces, rest = divmod(fixed_length, _FILLING)
    filled = _string_ops.join([input_bytes, *[b"\0" * _FILLING] * pieces, b"\0" * rest])
    numbers = _ops.decode_raw(_string_ops.substr(filled, 0, fixed_length, "BYTE"), out_type, little_endian)
    if numbers.shape is not None:
        numbers = _ops.ensure_shape(numbers, [*numbers.shape[:-1], fixed_length // size])
    return numbers


@checks
def write_file(filename: TensorLike, contents: TensorLike, name: str | None = None) -> _native.Tensor:
    """Writes a file, which appears under its name when it is complete, in folders that are made where they are missing, and gives its name. In a traced
    function it is written whether or not that is used. One that cannot be written is an error of its element; an element that is computed again
    writes its file again. As ``tf.io.write_file``.

    >>> import feedline as fl, pathlib, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> def keep(x):
    ...     fl.io.write_file(fl.strings.join([folder, "/", fl.strings.as_string(x)]), "kept")
    ...     return x
    >>> _ = list(fl.Dataset.range(3).map(keep))
    >>> sorted(path.name for path in pathlib.Path(folder).iterdir())
    ['0', '1', '2']
    """
    return note_check(_ops.write_file(filename, contents))


@checks
def decode_json(input: TensorLike, features: Mapping[str, Feature], name: str | None = None) -> dict[str, Any]:
    """The values of a JSON object, as a dict of tensors by their paths: ``a.b`` is ``b`` of the object ``a``, and ``a.0`` the first entry of the list ``a``. Features
    say what each is, as in :func:`parse_single_example`, and for a batch of texts as in :func:`parse_example`; int64 takes whole numbers and true and
    false, bool these, where 0 is false, float32 any number, string texts. Lists of lists are tensors of that shape. What is not asked for is read over.

    >>> import feedline as fl
    >>> features = {"user.id": fl.io.FixedLenFeature([], fl.int64), "boxes.0.tags": fl.io.RaggedFeature(fl.string)}
    >>> lines = fl.Dataset.from_tensors('{"user": {"id": 7}, "boxes": [{"tags": ["a", "b"]}, {}], "more": [[{}]]}')
    >>> next(iter(lines.map(lambda line: fl.io.decode_json(line, features))))
    {'boxes.0.tags': array([b'a', b'b'], dtype=object), 'user.id': np.int64(7)}
    """
    bools = {key for key, feature in features.items() if _is_bool(feature)}
    read = {key: dataclasses.replace(feature, dtype="int64") if key in bools else feature for key, feature in features.items()}
    native, names = _native_features("decode_json", read)
    found = _named(_ops.decode_json(input, native), names)
    return {key: _ops.cast(value, "bool") if key in bools else value for key, value in found.items()}


def _is_bool(feature: Any) -> bool:
    return dataclasses.is_dataclass(feature) and as_dtype(getattr(feature, "dtype", "string")) == "bool"


def _native_features(what: str, features: Mapping[str, Feature]) -> NativeFeatures:
    if not features:
        raise ArgumentError(f"{what}: no features to read")
    return _by_key(what, features, _native_feature)


def _by_key(what: str, features: Mapping[str, Feature], parts_of: Callable[[str, str, Feature], Any]) -> NativeFeatures:
    native: dict[str, Any] = {}
    names: dict[str, str] = {}
    for key, feature in features.items():
        names[key] = getattr(feature, "value_key", None) or key
        parts = parts_of(what, key, feature)
        if native.setdefault(names[key], parts) != parts:
            raise ArgumentError(f"{what}: the feature {key!r} reads {names[key]!r}, which another feature reads as something else")
    return native, names


def _named(parsed: Any, names: dict[str, str]) -> dict[str, Any]:
    """What was parsed, under the names that the features have."""
    return {key: parsed[own] for key, own in sorted(names.items())}


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
        if feature.partitions:
            raise ArgumentError(
                f"{what}: the feature {key!r}: a RaggedFeature has no partitions here\n"
                "hint: read the values and the partitions as features, and put them together with fl.RaggedTensor.from_row_splits"
            )
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


@checks
def example(features: Mapping[str, Any]) -> bytes:
    """The bytes of a ``tf.train.Example``: floats become a float list, integers and bools an int64 list, strings and bytes (also
    ``bytearray`` and ``memoryview``) a bytes list. An empty list has no type and is left out, which a ``VarLenFeature`` reads as no values.

    >>> import feedline as fl
    >>> len(fl.io.example({"label": 3, "box": [0.5, 0.5, 1.0, 1.0], "name": "cat"}))
    64
    """
    if not isinstance(features, Mapping):
        raise ArgumentTypeError(f"example: features is a dict of them, not {features!r}")
    given = {key: value for key, value in features.items() if not (isinstance(value, list) and not value)}
    return _native.example_bytes({_name(key): _values(key, value) for key, value in given.items()})


def _name(key: Any) -> str:
    if not isinstance(key, str):
        raise SchemaError(f"example: the name of a feature is a string, not {key!r}\nhint: {{{str(key)!r}: …}}")
    return key


def _values(key: str, value: Any) -> tuple[str, list[Any] | np.ndarray[Any, Any]]:
    """The type and the values of a feature; much of numbers as an array."""
    if isinstance(value, Mapping):
        name = f"{key}/{next(iter(value), 'name')}"
        raise SchemaError(
            f"example: the feature {key!r} is a dict, and a record has no features inside of features\n"
            f"hint: give each a name of its own, such as {name!r}"
        )
    if value is None:
        raise SchemaError(f"example: the feature {key!r} is None\nhint: leave it out; a VarLenFeature, or one with a default, reads that")
    if isinstance(value, (bytearray, memoryview)):
        value = bytes(value)
    elif isinstance(value, (list, tuple)):
        value = [bytes(item) if isinstance(item, (bytearray, memoryview)) else item for item in value]
    with naming("example", f"the feature {key!r}"):
        array = as_array(value)
    kind = array.dtype.kind
    if kind == "O" and isinstance(value, int):
        kind = "i"  # too large for numpy
    if kind in "biuf" and array.size > PIECE:
        with np.errstate(over="ignore"):  # what is too large for a float of 32 bits is infinite
            return ("float", copied(array, np.float32)) if kind == "f" else ("int64", _integers(key, array))
    items = array.reshape(-1).tolist()
    if kind in "biu":
        for item in items:
            _check_bits(key, item)
        return "int64", [int(item) for item in items]
    if kind == "f":
        return "float", items
    if kind in "SUO":
        for item in items:
            if not isinstance(item, (str, bytes)):
                message = f"example: the feature {key!r} has {item!r} ({type(item).__name__}) among strings\nhint: a feature has values of one type"
                raise SchemaError(message)
        return "bytes", [_plain(item, "string") for item in items]
    raise SchemaError(f"example: the feature {key!r} is {array.dtype}: a record holds floats, integers and strings")


def _integers(key: str, array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    if array.dtype == np.uint64:
        for row in array.reshape(-1, array.shape[-1]):
            for piece in pieces_of(len(row)):
                _check_bits(key, int(row[piece].max()))
    return copied(array, np.int64)


def _check_bits(key: str, number: int) -> None:
    if not -(2**63) <= number < 2**63:
        raise SchemaError(f"example: the feature {key!r} has {number}, which is no number of 64 bits\nhint: write it as a string or a float")


@dataclass(frozen=True)
class TFRecordOptions:
    """How a record file is written: ``compression_type`` is ``GZIP``, ``ZLIB`` or nothing. Buffers are as large as serves, and files are
    compressed one way.

    >>> import feedline as fl, tempfile
    >>> path = f"{tempfile.mkdtemp()}/words.tfrecord"
    >>> with fl.io.TFRecordWriter(path, fl.io.TFRecordOptions(compression_type="GZIP")) as writer:
    ...     writer.write(b"cat")
    >>> list(fl.TFRecordDataset(path))
    [b'cat']
    """

    compression_type: str | None = None
    flush_mode: None = None
    input_buffer_size: int | None = None
    output_buffer_size: int | None = None
    window_bits: None = None
    compression_level: None = None
    compression_method: None = None
    mem_level: None = None
    compression_strategy: None = None

    def __post_init__(self) -> None:
        for argument in ("flush_mode", "window_bits", "compression_level", "compression_method", "mem_level", "compression_strategy"):
            if getattr(self, argument) is not None:
                raise ArgumentError(f"TFRecordOptions: there is no {argument}: files are compressed one way")


class TFRecordWriter:
    """Writes records to a file, which appears under its name only when the writer is closed. Left by an exception, a
    ``with`` block leaves no file. A writer that is dropped is closed, with a ``ResourceWarning``, as files of Python's are.

    >>> import feedline as fl, tempfile
    >>> path = f"{tempfile.mkdtemp()}/words.tfrecord"
    >>> with fl.io.TFRecordWriter(path) as writer:
    ...     for word in (b"cat", b"dog"):
    ...         writer.write(word)
    >>> list(fl.TFRecordDataset(path))
    [b'cat', b'dog']
    """

    def __init__(
        self, path: str | os.PathLike[str], options: TFRecordOptions | str | None = None
    ) -> None:
        compression = (options.compression_type if isinstance(options, TFRecordOptions) else options) or ""
        if compression not in ("", "GZIP", "ZLIB"):
            raise ArgumentError(f"TFRecordWriter: the compression is '', 'GZIP' or 'ZLIB', not {compression!r}")
        self._path = os.fspath(path)
        self._process = os.getpid()
        self._writer = _native.RecordWriter(self._path, compression)
        self._is_open = True

    def write(self, record: bytes | bytearray | memoryview) -> None:
        """Adds a record.

        >>> import feedline as fl, tempfile
        >>> path = f"{tempfile.mkdtemp()}/one.tfrecord"
        >>> with fl.io.TFRecordWriter(path) as writer:
        ...     writer.write(fl.io.example({"label": 7}))
        >>> len(list(fl.TFRecordDataset(path)))
        1
        """
        if not isinstance(record, bytes):
            record = _bytes_of(record)
        self._writer.write(record)

    def flush(self) -> None:
        """Hands what was written so far to the operating system. The file appears when the writer is closed all the same.

        >>> import feedline as fl, tempfile
        >>> with fl.io.TFRecordWriter(f"{tempfile.mkdtemp()}/one.tfrecord") as writer:
        ...     writer.write(b"cat")
        ...     writer.flush()
        """
        self._writer.flush()

    def close(self) -> None:
        """Completes the file.

        >>> import feedline as fl, os, tempfile
        >>> path = f"{tempfile.mkdtemp()}/one.tfrecord"
        >>> writer = fl.io.TFRecordWriter(path)
        >>> writer.write(b"cat")
        >>> os.path.exists(path)
        False
        >>> writer.close()
        >>> os.path.exists(path)
        True
        """
        self._is_open = False
        self._writer.finish()

    def __enter__(self) -> TFRecordWriter:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is None:
            self.close()
        else:
            self._is_open = False
            self._writer.abandon()

    def __del__(self) -> None:
        # Of a process that forked the file is its parent's.
        if getattr(self, "_is_open", False) and self._process == os.getpid():
            warnings.warn(f"TFRecordWriter: {self._path} was not closed", ResourceWarning, stacklevel=2, source=self)
            self.close()


def _bytes_of(record: object) -> bytes:
    if isinstance(record, (bytearray, memoryview)):
        return bytes(record)
    remedies = {
        dict: "writer.write(fl.io.example(record)) writes a dict of values as an Example",
        str: "writer.write(record.encode()) writes a text",
    }
    hint = next((hint for kind, hint in remedies.items() if isinstance(record, kind)), "fl.io.example({…}) makes a record of values")
    raise ArgumentTypeError(f"write: a record is bytes, not {type(record).__name__}\nhint: {hint}")
