"""Saved datasets: what Python has of them that the engine has not. The engine writes and reads the folders; here are functions that are traced, the order
of keys, and datasets of datasets as tf.data's functions get them.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _native, _ops
from ._arguments import PathLike, positive
from ._constants import convert_to_tensor
from ._errors import ArgumentError, SchemaError
from ._form import form_with, plain
from ._progress import bar
from ._structure import has_none

if TYPE_CHECKING:
    from ._dataset import Dataset

#: A chunk ends behind the element with which it has so many bytes: a kill loses no more, and files are large enough to be read in long runs.
CHUNK_BYTES = 64 << 20
#: The numbers of so many shards are sorted before the first is read.
MAX_SHARDS = 1 << 20


def save(
    dataset: Dataset,
    path: PathLike,
    shards: int,
    compression: str,
    progress: bool,
    shard_func: Callable[..., Any] | None = None,
) -> None:
    """Writes all elements to the folder ``path``, or those that a save that was stopped has left."""
    positive("save", "shards", shards)
    if not os.fsdecode(path):
        raise ArgumentError("save: path is empty, and must be the name of a folder")
    if has_none(dataset.element_spec):
        raise SchemaError("save: None in an element cannot be saved\nhint: leave it out before: .map(lambda x, none: x)")
    if shard_func is not None and shards != 1:
        raise ArgumentError("save: shard_func says which shard an element is of, and shards= how many take turns; give one of them")
    if compression not in ("", "GZIP", "ZLIB"):
        raise ArgumentError(f"save: compression is None, 'GZIP' or 'ZLIB', not {compression!r}")
    written = dataset if shard_func is None else _with_shard(dataset, shard_func, "save")
    turns = shards if shard_func is None else None
    total = dataset.cardinality()
    with bar(total if total >= 0 else None, "save", progress) as show:
        _native.save(written._inner, os.fsdecode(path), turns, compression, plain(dataset.element_spec), CHUNK_BYTES, show)


def _with_shard(dataset: Dataset, shard_func: Callable[..., Any], what: str) -> Dataset:
    """Elements with the number of their shard."""
    is_tuple = type(dataset.element_spec) is tuple  # named ones come as one argument

    def pair(*element: Any) -> Any:
        shard = convert_to_tensor(shard_func(*element))
        if shard.shape != () or not shard.dtype.is_integer:
            raise SchemaError(f"{what}: shard_func gives one integer, not {shard.dtype!r} of shape {shard.shape}")
        return _ops.cast(shard, "int64"), element if is_tuple else element[0]

    return dataset.map(pair)


def load(path: PathLike, reader_func: Callable[[Dataset], Dataset] | None = None, wait: bool = False) -> Dataset:
    """The dataset that was saved to the folder ``path``, its shards put together by ``reader_func``."""
    from ._dataset import Dataset

    saved = _native.SavedDataset(os.fsdecode(path), wait)
    form = form_with(saved.form())
    if reader_func is None:
        return Dataset(saved.elements())._formed(form)

    def elements_of(shard: Any) -> Dataset:
        return Dataset(saved.elements_of(shard))._formed(form)

    return read_by(reader_func, Dataset(saved.shards()), elements_of, "load")


def read_by(
    reader_func: Callable[[Dataset], Dataset], keys: Dataset, elements_of: Callable[[Any], Dataset], what: str
) -> Dataset:
    """What ``reader_func`` makes of a dataset of datasets: of the elements of each key."""
    from ._dataset import Dataset

    class Shards(Dataset):
        """Keys, which are datasets in functions that make datasets of them. Steps that give the same elements give one of these."""

        def _with(self, native: _native.Dataset) -> Dataset:
            is_same = native.element_spec() == self._inner.element_spec()
            return Shards(native) if is_same else Dataset(native)

        def flat_map(self, map_func: Callable[..., Any], name: str | None = None) -> Dataset:
            return Dataset(self._inner).flat_map(lambda key: map_func(elements_of(key)))

        def interleave(self, map_func: Callable[..., Any], *arguments: Any, **options: Any) -> Dataset:
            return Dataset(self._inner).interleave(lambda key: map_func(elements_of(key)), *arguments, **options)

    read = reader_func(Shards(keys._inner))
    if not isinstance(read, Dataset) or isinstance(read, Shards):
        raise SchemaError(f"{what}: reader_func returns a dataset of elements, not {read!r}\nhint: flat_map or interleave makes one")
    return read


def in_shards(
    dataset: Dataset, reader_func: Callable[[Dataset], Dataset] | None, shard_func: Callable[..., Any] | None
) -> Dataset:
    """The elements as ``reader_func`` puts those of each shard together. All elements are gone through to know the shards, and then once for each
    shard, which is for datasets that are kept somewhere."""
    of_shard = shard_func if shard_func is not None else lambda *_: np.int64(0)
    pairs = _with_shard(dataset, of_shard, "snapshot")
    shards = pairs.map(lambda shard, _: shard).unique().batch(MAX_SHARDS).map(lambda shards: _ops.sort(shards, direction="ASCENDING")).unbatch()

    def elements_of(wanted: Any) -> Dataset:
        return pairs.filter(lambda shard, _: shard == wanted).map(lambda _, element: element)

    return read_by(reader_func or _in_turn, shards, elements_of, "snapshot")


def _in_turn(shards: Dataset) -> Dataset:
    return shards.interleave(lambda shard: shard)
