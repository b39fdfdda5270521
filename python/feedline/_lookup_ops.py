"""The operations, as functions of symbolic tensors, under TensorFlow's names.

Made from the catalogue in crates/feedline-plan/src/expr by tools/generate_python_ops.py: do not edit.
"""

# ruff: noqa
from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

from ._dtypes import DTypeLike
from ._native import Tensor, call
from ._several import several
from ._spec import ShapeLike

TensorLike: TypeAlias = Any
"""A symbolic tensor, a number, a string, a list of them, or a numpy array."""


def find(keys: TensorLike, table_keys: TensorLike, table_values: TensorLike, default_value: TensorLike, name: str | None = None) -> Tensor:
    """The value of each key, or `default_value`, from a table of constants: `table_values[i]` belongs to
    `table_keys[i]`. Keys are strings, int32 or int64. A key that is in the table twice, with different values, is
    refused. As ``tf.lookup.StaticHashTable``.

    >>> import feedline as fl
    >>> words = fl.lookup.KeyValueTensorInitializer(["cat", "dog"], [10, 20])
    >>> table = fl.lookup.StaticHashTable(words, default_value=-1)
    >>> fl.Dataset.from_tensors(["dog", "cow"]).map(lambda x: table.lookup(x)).get_single_element()
    array([20, -1], dtype=int32)
    """
    return call('lookup.find', [keys, table_keys, table_values, default_value], [])  # type: ignore[no-any-return]


def find_or_hash(keys: TensorLike, table_keys: TensorLike, table_values: TensorLike, num_oov_buckets: int, name: str | None = None) -> Tensor:
    """The number of each key in a table of constants, or for others one of `num_oov_buckets` numbers behind those of
    the table, by the hash of `strings.to_hash_bucket_fast`. Keys are strings, int32 or int64 (which are hashed as
    they are written), numbers int64. As ``tf.lookup.StaticVocabularyTable``.

    >>> import feedline as fl
    >>> words = fl.lookup.KeyValueTensorInitializer(["cat", "dog"], [0, 1], value_dtype=fl.int64)
    >>> table = fl.lookup.StaticVocabularyTable(words, num_oov_buckets=1)
    >>> fl.Dataset.from_tensors(["dog", "cow"]).map(lambda x: table.lookup(x)).get_single_element()
    array([1, 2])
    """
    return call('lookup.find_or_hash', [keys, table_keys, table_values], [num_oov_buckets])  # type: ignore[no-any-return]
