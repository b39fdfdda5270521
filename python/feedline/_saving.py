"""Saved datasets: folders of record files that are read back as the same dataset.

A saved dataset is a folder of record files, one element a record, and ``dataset.json``, written last, which says what the elements
are and which files make up each shard. Records are Examples, so that other programs read them too: for each part of an element its
bytes, and its shape where that is not the same for all.

Files are written a chunk at a time, one for each shard, and ``save.json`` behind each chunk says how far it is (:mod:`._journal`): so a save that
was killed goes on behind the last chunk when it is called again.
"""

from __future__ import annotations

import contextlib
import json
import os
import pathlib
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _native, _ops, io
from ._arguments import PathLike, positive
from ._composite import Composite
from ._composite import of_parts as composite_of_parts
from ._dtypes import scalar_type
from ._errors import ArgumentError, CorruptDataError, SchemaError
from ._interop import mapped
from ._journal import Journal
from ._progress import counted
from ._ragged import RaggedTensor, RaggedTensorSpec
from ._sparse import SparseTensorSpec
from ._spec import TensorSpec

if TYPE_CHECKING:
    from ._dataset import Dataset

DESCRIPTION = "dataset.json"
VERSION = 2
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
    specs = _parts_of_spec(dataset.element_spec)
    total = dataset.cardinality()
    if total == -1:
        raise ArgumentError("save: the dataset is infinite\nhint: take(n) gives the first n elements")
    if shard_func is not None and shards != 1:
        raise ArgumentError("save: shard_func says which shard an element is of, and shards= how many take turns; give one of them")
    folder = pathlib.Path(os.fsdecode(path))
    if (folder / DESCRIPTION).exists():
        raise FileExistsError(f"save: {folder} has a dataset already\nhint: remove the folder, or save to another one")
    written = dataset if shard_func is None else _with_shard(dataset, shard_func, "save")
    arguments = {"shards": shards, "compression": compression, "fingerprint": written.fingerprint()}
    with Journal(folder, arguments) as journal:
        iterator = written.iterator(state=journal.state) if journal.state is not None else written.iterator(epoch=0)
        with iterator:
            elements = counted(iterator, total - journal.count if total >= 0 else None, "save", progress)
            records = _numbered(elements, specs, shards if shard_func is None else None)
            _write_chunks(records, iterator, journal, shards if shard_func is None else None, compression)
        description = {
            "feedline_dataset": VERSION,
            "elements": journal.count,
            "shards": [journal.files[shard] for shard in sorted(journal.files)],
            "element_spec": _spec_to_json(dataset.element_spec),
        }
        unfinished = folder / f"{DESCRIPTION}.unfinished"
        unfinished.write_text(json.dumps(description, indent=1) + "\n")
        unfinished.rename(folder / DESCRIPTION)


def _with_shard(dataset: Dataset, shard_func: Callable[..., Any], what: str) -> Dataset:
    """Elements with the number of their shard."""
    is_tuple = isinstance(dataset.element_spec, tuple)

    def pair(*element: Any) -> Any:
        shard = _ops.cast(shard_func(*element), "int64")
        if shard.shape != ():
            raise SchemaError(f"{what}: shard_func gives one integer, not a tensor of shape {shard.shape}")
        return shard, element if is_tuple else element[0]

    return dataset.map(pair)


def _numbered(elements: Iterator[Any], specs: list[TensorSpec], shards: int | None) -> Iterator[tuple[int, bytes]]:
    """Records with their shard, which takes turns if there are ``shards``, else comes with the element."""
    for number, element in enumerate(elements):
        shard, element = (number % shards, element) if shards is not None else (int(element[0]), element[1])
        yield shard, io.example(_features(element, specs))


def _write_chunks(
    records: Iterator[tuple[int, bytes]], iterator: Any, journal: Journal, turns: int | None, compression: str
) -> None:
    """Writes the records, a chunk at a time. Where ``turns`` shards take turns every chunk has files of all, and begins with the first."""
    options = io.TFRecordOptions(compression)
    is_more = True
    while is_more:
        num_bytes = count = 0
        names: dict[int, str] = {}
        writers: dict[int, io.TFRecordWriter] = {}
        with contextlib.ExitStack() as files:
            for shard in range(turns or 0):
                writers[shard] = _opened(files, journal, shard, names, options)
            is_more = False
            for shard, record in records:
                if shard not in writers:
                    writers[shard] = _opened(files, journal, shard, names, options)
                writers[shard].write(record)
                count += 1
                num_bytes += len(record)
                if num_bytes >= CHUNK_BYTES and count % (turns or 1) == 0:
                    is_more = True
                    break
        journal.add(names, count, iterator.state())


def _opened(
    files: contextlib.ExitStack, journal: Journal, shard: int, names: dict[int, str], options: io.TFRecordOptions
) -> io.TFRecordWriter:
    names[shard] = f"elements-{shard:05}-{journal.num_chunks:06}.tfrecord"
    return files.enter_context(io.TFRecordWriter(journal.folder / names[shard], options))


def load(path: PathLike, reader_func: Callable[[Dataset], Dataset] | None = None) -> Dataset:
    """The dataset that was saved to the folder ``path``, its shards put together by ``reader_func``."""
    from ._dataset import Dataset

    folder = pathlib.Path(os.fsdecode(path))
    try:
        description = json.loads((folder / DESCRIPTION).read_text())
        version = description["feedline_dataset"]
        # Version 1 had one file a shard.
        shards = [[file] for file in description["files"]] if version == 1 else description["shards"]
        structure = _spec_from_json(description["element_spec"])
    except FileNotFoundError:
        raise FileNotFoundError(f"load: {folder} {Journal.how_far(folder) or f'has no {DESCRIPTION}: no dataset was saved there'}") from None
    except (ValueError, KeyError, TypeError) as error:
        raise CorruptDataError(f"load: {folder / DESCRIPTION} is damaged: {error}") from error
    if version not in (1, VERSION):
        raise CorruptDataError(f"load: {folder} is of format {version}; this feedline reads 1 and {VERSION}")
    specs = _parts_of_spec(structure)
    paths = [os.fsencode(folder / file) for files in shards for file in files]
    rows = RaggedTensor.from_row_lengths(np.array(paths, object), np.array([len(files) for files in shards], np.int64))
    features = _features_to_parse(specs)

    def records_of(files: Any) -> Dataset:
        return Dataset(_native.Dataset.files_of(files, "tf_record"))

    def parse(record: Any) -> tuple[Any, ...]:
        parsed = io.parse_single_example(record, features)
        return tuple(_part(parsed, number, spec) for number, spec in enumerate(specs))

    is_free = any(map(_has_free_shape, specs))
    if reader_func is not None:
        if is_free:
            raise ArgumentError(
                "load: reader_func needs elements that have at most one dimension of unknown size\n"
                f"hint: these are {structure}; load them without it, and shuffle"
            )

        def elements_of(files: Any) -> Dataset:
            return records_of(files).map(parse).map(lambda *leaves: _put_together(structure, list(leaves)))

        return read_by(reader_func, Dataset.from_tensor_slices(rows), elements_of, "load")
    # Elements were written to the shards in turn, and come back so.
    parts = Dataset.from_tensor_slices(rows).interleave(records_of, cycle_length=max(len(shards), 1)).map(parse)
    if is_free:
        # Shapes that vary in several dimensions: no operation has them as values.
        parts = parts.map(_shaper(specs), python=True, output_spec=tuple(specs))
    return parts.map(lambda *leaves: _put_together(structure, list(leaves)))


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


def _has_free_shape(spec: TensorSpec) -> bool:
    return spec.shape is None or sum(dim is None for dim in spec.shape) > 1


def _features(element: Any, specs: list[TensorSpec]) -> dict[str, Any]:
    features: dict[str, Any] = {}
    for number, (value, spec) in enumerate(zip(_parts(element), specs, strict=True)):
        if spec.dtype.name == "string":
            array = np.asarray(value, object)
            features[f"{number}"] = array.reshape(-1).tolist()
        else:
            array = np.asarray(value)
            features[f"{number}"] = array.tobytes()
        if _has_free_shape(spec):
            features[f"{number}.shape"] = np.array(array.shape, np.int64)
    return features


def _features_to_parse(specs: list[TensorSpec]) -> dict[str, io.Feature]:
    features: dict[str, io.Feature] = {}
    for number, spec in enumerate(specs):
        is_text = spec.dtype.name == "string"
        features[f"{number}"] = io.RaggedFeature("string") if is_text else io.FixedLenFeature([], "string")
        if _has_free_shape(spec):
            features[f"{number}.shape"] = io.RaggedFeature("int64")
    return features


def _part(parsed: dict[str, Any], number: int, spec: TensorSpec) -> Any:
    """A part of an element; one of free shape as a pair of its bytes, or strings, and its shape."""
    values = parsed[f"{number}"]
    if _has_free_shape(spec):
        return values, parsed[f"{number}.shape"]
    if spec.dtype.name == "bool":
        values = _ops.decode_raw(values, "uint8") != 0
    elif spec.dtype.name != "string":
        values = _ops.decode_raw(values, spec.dtype)
    return _ops.reshape(values, spec.shape)


def _shaper(specs: list[TensorSpec]) -> Callable[..., tuple[Any, ...]]:
    def shape(*parts: Any) -> tuple[Any, ...]:
        return tuple(_shaped(part, spec) if _has_free_shape(spec) else part for part, spec in zip(parts, specs, strict=True))

    return shape


def _shaped(part: tuple[Any, Any], spec: TensorSpec) -> Any:
    values, shape = part
    if spec.dtype.name == "string":
        return values.reshape(shape)
    return np.frombuffer(values, scalar_type(spec.dtype.name)).reshape(shape)


def _parts(element: Any) -> list[Any]:
    """The tensors of an element, those of ragged and sparse ones by their parts."""
    parts: list[Any] = []
    mapped(lambda leaf: parts.extend(leaf.parts() if isinstance(leaf, Composite) else [leaf]), element)
    return parts


def _parts_of_spec(structure: Any) -> list[TensorSpec]:
    specs = _parts(structure)
    for spec in specs:
        if not isinstance(spec, TensorSpec):
            raise ArgumentError(f"save: {spec} is no tensor\nhint: flat_map makes elements of datasets")
    return specs


def _put_together(structure: Any, leaves: list[Any]) -> Any:
    left = iter(leaves)

    def leaf(spec: Any) -> Any:
        if not isinstance(spec, Composite):
            return next(left)
        return composite_of_parts(spec.kind, [next(left) for _ in spec.parts()])

    return mapped(leaf, structure)


def _spec_to_json(spec: Any) -> Any:
    if isinstance(spec, tuple):
        return {"tuple": [_spec_to_json(part) for part in spec]}
    if isinstance(spec, dict):
        return {"dict": {key: _spec_to_json(part) for key, part in spec.items()}}
    tensor = {"dtype": spec.dtype.name, "shape": None if spec.shape is None else list(spec.shape)}
    if isinstance(spec, RaggedTensorSpec):
        return {**tensor, "ragged_rank": spec.ragged_rank}
    return {**tensor, "sparse": True} if isinstance(spec, SparseTensorSpec) else tensor


def _spec_from_json(spec: Any) -> Any:
    if "tuple" in spec:
        return tuple(_spec_from_json(part) for part in spec["tuple"])
    if "dict" in spec:
        return {key: _spec_from_json(part) for key, part in spec["dict"].items()}
    if "ragged_rank" in spec:
        return RaggedTensorSpec(spec["shape"], spec["dtype"], spec["ragged_rank"])
    return (SparseTensorSpec if "sparse" in spec else TensorSpec)(spec["shape"], spec["dtype"])
