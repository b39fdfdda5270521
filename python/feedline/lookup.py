"""Tables that are looked up in, under the names of ``tf.lookup``. A table is a part of the plan: it is saved with it, and needs no file
where it runs.

>>> import feedline as fl
>>> words = fl.lookup.KeyValueTensorInitializer(["cat", "dog"], [10, 20])
>>> table = fl.lookup.StaticHashTable(words, default_value=-1)
>>> ds = fl.Dataset.from_tensors(["dog", "cow"]).map(lambda x: table.lookup(x))
>>> next(iter(ds))
array([20, -1], dtype=int32)
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import numpy as np

from . import _lookup_ops, _native
from ._arguments import PathLike, path_of, whole
from ._checking import checks, checks_arguments, known_argument
from ._constants import of_type
from ._convert import plain_array
from ._dtypes import DType, DTypeLike, as_dtype, dtype_name
from ._errors import ArgumentError, ArgumentTypeError, CorruptDataError, SchemaError
from ._ops import TensorLike
from ._pieces import objects_of_list, pieces_of
from ._ragged import RaggedTensor
from ._sparse import SparseTensor

__all__ = [
    "KeyValueTensorInitializer",
    "StaticHashTable",
    "StaticVocabularyTable",
    "TextFileIndex",
    "TextFileInitializer",
    "index_table_from_file",
]


@checks_arguments
class KeyValueTensorInitializer:
    """A table of keys and the value of each.

    >>> import feedline as fl
    >>> words = fl.lookup.KeyValueTensorInitializer(["cat", "dog"], [10, 20])
    >>> fl.lookup.StaticHashTable(words, default_value=-1).size()
    2
    """

    def __init__(
        self,
        keys: Any,
        values: Any,
        key_dtype: DTypeLike | None = None,
        value_dtype: DTypeLike | None = None,
        name: str | None = None,
    ) -> None:
        self.keys = _list("KeyValueTensorInitializer", "keys", keys, key_dtype)
        self.values = _list("KeyValueTensorInitializer", "values", values, value_dtype)
        if self.keys.ndim != 1 or self.keys.shape != self.values.shape:
            raise ArgumentError(
                f"KeyValueTensorInitializer: keys and values are lists of one length, not {self.keys.shape} and {self.values.shape}"
            )


class TextFileIndex:
    """Which part of a line is a key or a value: one of these, or the number of a column.

    >>> import feedline as fl, pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "words.txt")
    >>> _ = path.write_text("cat\\ndog\\n")
    >>> index = fl.lookup.TextFileIndex
    >>> lines = fl.lookup.TextFileInitializer(path, fl.string, index.WHOLE_LINE, fl.int64, index.LINE_NUMBER)
    >>> lines.values.tolist()
    [0, 1]
    """

    WHOLE_LINE = -2
    LINE_NUMBER = -1


@checks_arguments
class TextFileInitializer:
    """A table from a file of lines: keys and values are the whole line, its number, or a column of it.

    >>> import feedline as fl, os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "words.txt")
    >>> with open(path, "w") as file:
    ...     print("cat", "dog", sep="\\n", file=file)
    >>> words = fl.lookup.TextFileInitializer(
    ...     path, fl.string, fl.lookup.TextFileIndex.WHOLE_LINE, fl.int64, fl.lookup.TextFileIndex.LINE_NUMBER
    ... )
    >>> table = fl.lookup.StaticVocabularyTable(words, num_oov_buckets=1)
    >>> next(iter(fl.Dataset.from_tensors(["dog", "cow"]).map(lambda x: table.lookup(x))))
    array([1, 2])
    """

    def __init__(
        self,
        filename: PathLike,
        key_dtype: DTypeLike,
        key_index: int,
        value_dtype: DTypeLike,
        value_index: int,
        vocab_size: int | None = None,
        delimiter: str = "\t",
        name: str | None = None,
        value_index_offset: int = 0,
    ) -> None:
        what = "TextFileInitializer"
        filename = path_of(what, "filename", filename)
        key_index, value_index = whole(what, "key_index", key_index), whole(what, "value_index", value_index)
        value_index_offset = whole(what, "value_index_offset", value_index_offset)
        if not isinstance(delimiter, str) or not delimiter:
            raise ArgumentError(f"{what}: delimiter is what stands between two columns, such as a tab, not {delimiter!r}")
        lines = _lines(filename)
        if vocab_size is not None:
            vocab_size = whole(what, "vocab_size", vocab_size, 1)
            if vocab_size > len(lines):
                raise ArgumentError(f"TextFileInitializer: {filename} has {len(lines)} lines, vocab_size is {vocab_size}")
            lines = lines[:vocab_size]
        where = os.fspath(filename)
        self.keys = _column(where, lines, key_index, delimiter, dtype_name(key_dtype), 0)
        self.values = _column(where, lines, value_index, delimiter, dtype_name(value_dtype), value_index_offset)


def _lines(filename: str) -> list[bytes]:
    lines: list[bytes] = []
    rest = b""
    with open(filename, "rb") as file:
        while read := file.read(_READ_BYTES):
            *whole_lines, rest = (rest + read).split(b"\n")
            lines += [line.removesuffix(b"\r") for line in whole_lines]  # as TensorFlow: one, at the end
    return [*lines, rest.removesuffix(b"\r")] if rest else lines


#: Read and split at a time: between two Python looks for Ctrl-C.
_READ_BYTES = 1 << 20


def _column(where: str, lines: list[bytes], index: int, delimiter: str, dtype: str, offset: int) -> np.ndarray[Any, Any]:
    if index == TextFileIndex.LINE_NUMBER:
        if dtype != "int64":
            raise ArgumentError(f"TextFileInitializer: the number of a line is int64, not {dtype}")
        return np.arange(offset, offset + len(lines), dtype=np.int64)
    texts = lines
    if index != TextFileIndex.WHOLE_LINE:
        if index < 0:
            raise ArgumentError(f"TextFileInitializer: {index} is no column: they count from 0")
        texts = []
        for number, line in enumerate(lines):
            fields = line.split(delimiter.encode())
            if index >= len(fields):
                raise CorruptDataError(f"{where}: line {number} has {len(fields)} columns, column {index} is to be read")
            texts.append(fields[index])
    if dtype == "string":
        return objects_of_list(texts)
    of_text: Callable[[bytes], float] = float if dtype.startswith("float") else int
    numbers = np.empty(len(texts), dtype)
    try:
        for piece in pieces_of(len(texts)):
            numbers[piece] = np.array([of_text(text) for text in texts[piece]], dtype)
        return numbers
    except ValueError as error:
        raise CorruptDataError(f"{where}: {error}; the column is to be {dtype}") from error


class StaticHashTable:
    """A table from keys to values, with a default for all other keys.

    >>> import feedline as fl
    >>> words = fl.lookup.KeyValueTensorInitializer(["cat", "dog"], [10, 20])
    >>> table = fl.lookup.StaticHashTable(words, default_value=-1)
    >>> fl.Dataset.from_tensors(["dog", "cow"]).map(lambda x: table.lookup(x)).get_single_element()
    array([20, -1], dtype=int32)
    """

    def __init__(
        self,
        initializer: KeyValueTensorInitializer | TextFileInitializer,
        default_value: Any,
        name: str | None = None,
        experimental_is_anonymous: bool = False,
    ) -> None:
        _check_initializer("StaticHashTable", initializer)
        self._keys, self._values = initializer.keys, initializer.values
        default = _list("StaticHashTable", "default_value", default_value, _name_of(self._values))
        if default.size != 1 or (default.dtype == object) != (self._values.dtype == object):
            raise ArgumentError(f"StaticHashTable: default_value is one {_name_of(self._values)}, as the values are, not {default_value!r}")
        self._default = default.reshape(())
        self._num_keys = _num_keys("StaticHashTable", self._keys, self._values)

    @property
    def key_dtype(self) -> DType:
        """The type of the keys.

        >>> import feedline as fl
        >>> words = fl.lookup.KeyValueTensorInitializer(["cat", "dog"], [10, 20])
        >>> table = fl.lookup.StaticHashTable(words, default_value=-1)
        >>> table.key_dtype
        fl.string
        """
        return as_dtype(_name_of(self._keys))

    @property
    def value_dtype(self) -> DType:
        """The type of the values.

        >>> import feedline as fl
        >>> words = fl.lookup.KeyValueTensorInitializer(["cat", "dog"], [10, 20])
        >>> table = fl.lookup.StaticHashTable(words, default_value=-1)
        >>> table.value_dtype
        fl.int32
        """
        return as_dtype(_name_of(self._values))

    def size(self) -> int:
        """The number of keys.

        >>> import feedline as fl
        >>> words = fl.lookup.KeyValueTensorInitializer(["cat", "dog"], [10, 20])
        >>> table = fl.lookup.StaticHashTable(words, default_value=-1)
        >>> table.size()
        2
        """
        return self._num_keys

    def lookup(self, keys: TensorLike | RaggedTensor | SparseTensor, name: str | None = None) -> Any:
        """The value of each key, or the default; of a ragged or sparse tensor in one as it is.

        >>> import feedline as fl
        >>> words = fl.lookup.KeyValueTensorInitializer(["cat", "dog"], [10, 20])
        >>> table = fl.lookup.StaticHashTable(words, default_value=-1)
        >>> fl.Dataset.from_tensors("dog").map(lambda x: table.lookup(x)).get_single_element()
        np.int32(20)
        """
        if isinstance(keys, RaggedTensor):
            return keys.with_flat_values(self.lookup(keys.flat_values))
        if isinstance(keys, SparseTensor):
            return SparseTensor(keys.indices, self.lookup(keys.values), keys.dense_shape)
        return _lookup_ops.find(keys, self._keys, self._values, self._default)

    def __getitem__(self, keys: TensorLike) -> Any:
        return self.lookup(keys)


class StaticVocabularyTable:
    """A table from keys to their numbers; other keys get one of ``num_oov_buckets`` numbers behind these, by a hash. Without a table all
    keys do. What is looked up is of the type of the keys, or of ``lookup_key_dtype``: another type of integers for a table of integers.

    >>> import feedline as fl
    >>> words = fl.lookup.KeyValueTensorInitializer(["cat", "dog"], [0, 1], value_dtype=fl.int64)
    >>> table = fl.lookup.StaticVocabularyTable(words, num_oov_buckets=1)
    >>> fl.Dataset.from_tensors(["dog", "cow"]).map(lambda x: table.lookup(x)).get_single_element()
    array([1, 2])
    """

    def __init__(
        self,
        initializer: KeyValueTensorInitializer | TextFileInitializer | None,
        num_oov_buckets: int,
        lookup_key_dtype: DTypeLike | None = None,
        name: str | None = None,
        experimental_is_anonymous: bool = False,
    ) -> None:
        num_oov_buckets = whole("StaticVocabularyTable", "num_oov_buckets", num_oov_buckets, 1)
        if initializer is None:
            dtype = _key_type(lookup_key_dtype if lookup_key_dtype is not None else "string")
            self._keys: Any = np.array([], dtype=object if dtype == "string" else dtype)
            self._values: Any = np.array([], dtype=np.int64)
        else:
            _check_initializer("StaticVocabularyTable", initializer)
            self._keys, self._values = initializer.keys, initializer.values
            if lookup_key_dtype is not None:
                # Keys are hashed as they are written, so it does not matter which of the two is converted.
                self._keys = _list("StaticVocabularyTable", "lookup_key_dtype: the keys", self._keys, _key_type(lookup_key_dtype))
        if _name_of(self._values) != "int64":
            raise ArgumentError(
                f"StaticVocabularyTable: the values are the numbers of the keys, int64, not {_name_of(self._values)}\n"
                "hint: KeyValueTensorInitializer(…, value_dtype=fl.int64)"
            )
        self._num_keys = _num_keys("StaticVocabularyTable", self._keys, self._values)
        self._num_oov_buckets = num_oov_buckets

    def size(self) -> int:
        """The number of keys, and of the numbers for others.

        >>> import feedline as fl
        >>> words = fl.lookup.KeyValueTensorInitializer(["cat", "dog"], [0, 1], value_dtype=fl.int64)
        >>> table = fl.lookup.StaticVocabularyTable(words, num_oov_buckets=3)
        >>> table.size()
        5
        """
        return self._num_keys + self._num_oov_buckets

    def lookup(self, keys: TensorLike | RaggedTensor | SparseTensor, name: str | None = None) -> Any:
        """The number of each key; of a ragged or sparse tensor in one as it is.

        >>> import feedline as fl
        >>> words = fl.lookup.KeyValueTensorInitializer(["cat", "dog"], [0, 1], value_dtype=fl.int64)
        >>> table = fl.lookup.StaticVocabularyTable(words, num_oov_buckets=3)
        >>> fl.Dataset.from_tensors("dog").map(lambda x: table.lookup(x)).get_single_element()
        np.int64(1)
        """
        if isinstance(keys, RaggedTensor):
            return keys.with_flat_values(self.lookup(keys.flat_values))
        if isinstance(keys, SparseTensor):
            return SparseTensor(keys.indices, self.lookup(keys.values), keys.dense_shape)
        return _lookup_ops.find_or_hash(keys, self._keys, self._values, self._num_oov_buckets)

    def __getitem__(self, keys: TensorLike) -> Any:
        return self.lookup(keys)


@checks
def index_table_from_file(
    vocabulary_file: PathLike, num_oov_buckets: int = 0, vocab_size: int | None = None, default_value: int = -1
) -> StaticHashTable | StaticVocabularyTable:
    """The number of each line of a file. Other keys are ``default_value``, or one of ``num_oov_buckets`` numbers behind the lines.

    >>> import feedline as fl, pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "words.txt")
    >>> _ = path.write_text("cat\\ndog\\n")
    >>> table = fl.lookup.index_table_from_file(path)
    >>> fl.Dataset.from_tensors(["dog", "cow"]).map(lambda x: table.lookup(x)).get_single_element()
    array([ 1, -1])
    """
    index = TextFileIndex
    lines = TextFileInitializer(vocabulary_file, "string", index.WHOLE_LINE, "int64", index.LINE_NUMBER, vocab_size)
    return StaticVocabularyTable(lines, num_oov_buckets) if num_oov_buckets else StaticHashTable(lines, default_value)


def _list(what: str, argument: str, values: Any, dtype: DTypeLike | None) -> np.ndarray[Any, Any]:
    try:
        array = plain_array(known_argument(what, argument, values))
    except SchemaError as error:
        raise ArgumentTypeError(f"{what}: {argument}: {error}") from None
    if dtype is None:
        return array
    try:
        return of_type(array, values, dtype_name(dtype))
    except SchemaError:
        raise ArgumentError(f"{what}: {argument}: {values!r} is no {dtype_name(dtype)}") from None


def _key_type(dtype: DTypeLike) -> str:
    name = dtype_name(dtype)
    if name not in ("string", "int32", "int64"):
        raise ArgumentError(f"StaticVocabularyTable: lookup_key_dtype is string, int32 or int64, not {name}")
    return name


def _check_initializer(what: str, initializer: Any) -> None:
    if not isinstance(initializer, (KeyValueTensorInitializer, TextFileInitializer)):
        raise ArgumentTypeError(
            f"{what}: initializer is a KeyValueTensorInitializer or a TextFileInitializer, not {initializer!r}\n"
            "hint: fl.lookup.KeyValueTensorInitializer(keys, values)"
        )


def _name_of(array: np.ndarray[Any, Any]) -> str:
    return "string" if array.dtype == object else dtype_name(array.dtype)


def _num_keys(what: str, keys: np.ndarray[Any, Any], values: np.ndarray[Any, Any]) -> int:
    """How many different keys there are. Two values for one key are a mistake that is best told where it is made."""
    count, clash = _native.keys_of_table(keys, values)
    if clash is not None:
        (key, _), (one, other) = (array[list(clash)].tolist() for array in (keys, values))
        raise ArgumentError(f"{what}: the key {key!r} is in the table twice, with {one!r} and {other!r}")
    return count
