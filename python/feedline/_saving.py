"""Datasets in files: record files of any elements, and folders that are read back as the same dataset.

A saved dataset is a folder of record files, one element a record, and ``dataset.json``, written last, which says what the elements
are. Records are Examples, so that other programs read them too: for each part of an element its bytes, and its shape where
that is not the same for all.
"""

from __future__ import annotations

import contextlib
import json
import os
import pathlib
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _native, _ops, io
from ._arguments import PathLike, positive
from ._dtypes import scalar_type
from ._errors import ArgumentError, CorruptDataError, SchemaError
from ._interop import mapped
from ._progress import counted
from ._spec import TensorSpec

if TYPE_CHECKING:
    from ._dataset import Dataset

DESCRIPTION = "dataset.json"
VERSION = 1


def write_tfrecords(
    dataset: Dataset, path: PathLike, shards: int, compression: str, progress: bool, what: str = "write_tfrecords"
) -> list[str]:
    """Writes strings as they are and dicts as Examples, element after element to the files in turn."""
    total = dataset.cardinality()
    if total == -1:
        raise ArgumentError(f"{what}: the dataset is infinite\nhint: take(n) gives the first n elements")
    elements = counted(dataset, total if total >= 0 else None, what, progress)
    return _write(map(_record, elements), os.fsdecode(path), shards, compression, what)[0]


def _record(element: Any) -> bytes:
    if isinstance(element, dict):
        return io.example(element)
    if isinstance(element, bytes):
        return element
    raise SchemaError(
        f"write_tfrecords: an element is {type(element).__name__}, which is no record\n"
        "hint: map it to a dict of its parts, or to a string; save keeps any element"
    )


def _write(records: Iterable[bytes], prefix: str, shards: int, compression: str, what: str) -> tuple[list[str], int]:
    positive(what, "shards", shards)
    paths = [f"{prefix}-{shard:05}-of-{shards:05}.tfrecord" for shard in range(shards)]
    count = 0
    with contextlib.ExitStack() as files:
        options = io.TFRecordOptions(compression)
        writers = [files.enter_context(io.TFRecordWriter(path, options)) for path in paths]
        for record in records:
            writers[count % shards].write(record)
            count += 1
    return paths, count


def save(dataset: Dataset, path: PathLike, shards: int, compression: str, progress: bool) -> None:
    """Writes all elements to the folder ``path``."""
    specs = _leaves(dataset.element_spec)
    for spec in specs:
        if not isinstance(spec, TensorSpec):
            raise ArgumentError(f"save: {spec} is no plain tensor\nhint: to_tensor and sparse.to_dense make one")
    total = dataset.cardinality()
    if total == -1:
        raise ArgumentError("save: the dataset is infinite\nhint: take(n) gives the first n elements")
    folder = pathlib.Path(os.fsdecode(path))
    if (folder / DESCRIPTION).exists():
        raise FileExistsError(f"save: {folder} has a dataset already\nhint: remove the folder, or save to another one")
    folder.mkdir(parents=True, exist_ok=True)
    elements = counted(dataset, total if total >= 0 else None, "save", progress)
    records = (io.example(_features(element, specs)) for element in elements)
    paths, count = _write(records, str(folder / "elements"), shards, compression, "save")
    description = {
        "feedline_dataset": VERSION,
        "elements": count,
        "files": [os.path.basename(path) for path in paths],
        "element_spec": _spec_to_json(dataset.element_spec),
    }
    unfinished = folder / f"{DESCRIPTION}.unfinished"
    unfinished.write_text(json.dumps(description, indent=1) + "\n")
    unfinished.rename(folder / DESCRIPTION)


def load(path: PathLike, reader_func: Callable[[Dataset], Dataset] | None = None) -> Dataset:
    """The dataset that was saved to the folder ``path``, its files put together by ``reader_func``."""
    from ._dataset import Dataset

    folder = pathlib.Path(os.fsdecode(path))
    try:
        description = json.loads((folder / DESCRIPTION).read_text())
        version, files = description["feedline_dataset"], description["files"]
        structure = _spec_from_json(description["element_spec"])
    except FileNotFoundError:
        raise FileNotFoundError(f"load: {folder} has no {DESCRIPTION}: no dataset was saved there, or not to the end") from None
    except (ValueError, KeyError, TypeError) as error:
        raise CorruptDataError(f"load: {folder / DESCRIPTION} is damaged: {error}") from error
    if version != VERSION:
        raise CorruptDataError(f"load: {folder} is of format {version}; this feedline reads {VERSION}")
    specs = _leaves(structure)
    # Elements were written to the files in turn, and come back so.
    paths = [str(folder / file) for file in files]
    features = _features_to_parse(specs)

    def records_of(path: Any) -> Dataset:
        return Dataset(_native.Dataset.files_of(path, "tf_record"))

    def parse(record: Any) -> tuple[Any, ...]:
        parsed = io.parse_single_example(record, features)
        parts = [_part(parsed, number, spec) for number, spec in enumerate(specs)]
        return tuple(parts)

    is_free = any(map(_has_free_shape, specs))
    if reader_func is not None:
        if is_free:
            raise ArgumentError(
                "load: reader_func needs elements that have at most one dimension of unknown size\n"
                f"hint: these are {structure}; load them without it, and shuffle"
            )

        def elements_of(path: Any) -> Dataset:
            return records_of(path).map(parse).map(lambda *leaves: _put_together(structure, list(leaves)))

        read = reader_func(saved_files(paths, elements_of))
        if not isinstance(read, Dataset):
            raise SchemaError(f"load: reader_func returns a dataset, not {read!r}")
        return read
    parts = Dataset.from_tensor_slices(paths).interleave(records_of, cycle_length=len(paths)).map(parse)
    if is_free:
        # Shapes that vary in several dimensions: no operation has them as values.
        shaped = tuple(specs)
        parts = parts.map(_shaper(specs), python=True, output_spec=shaped)
        return parts.map(lambda *leaves: _put_together(structure, list(leaves)))
    return parts.map(lambda *leaves: _put_together(structure, list(leaves)))


def saved_files(paths: list[str], elements_of: Callable[[Any], Dataset]) -> Dataset:
    """A dataset of datasets: of the elements of each file."""
    from ._dataset import Dataset

    class SavedFiles(Dataset):
        """Paths, which are datasets in functions that make datasets of them. Steps that give the same elements give one of these."""

        def _with(self, native: _native.Dataset) -> Dataset:
            is_same = native.element_spec() == self._inner.element_spec()
            return SavedFiles(native) if is_same else Dataset(native)

        def flat_map(self, map_func: Callable[..., Any], name: str | None = None) -> Dataset:
            return Dataset(self._inner).flat_map(lambda path: map_func(elements_of(path)))

        def interleave(self, map_func: Callable[..., Any], *arguments: Any, **options: Any) -> Dataset:
            return Dataset(self._inner).interleave(lambda path: map_func(elements_of(path)), *arguments, **options)

    return SavedFiles(Dataset.from_tensor_slices(paths)._inner)


def _has_free_shape(spec: TensorSpec) -> bool:
    return spec.shape is None or sum(dim is None for dim in spec.shape) > 1


def _features(element: Any, specs: list[TensorSpec]) -> dict[str, Any]:
    features: dict[str, Any] = {}
    for number, (value, spec) in enumerate(zip(_leaves(element), specs, strict=True)):
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
        features[f"{number}"] = io.VarLenFeature("string") if is_text else io.FixedLenFeature([], "string")
        if _has_free_shape(spec):
            features[f"{number}.shape"] = io.VarLenFeature("int64")
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


def _leaves(structure: Any) -> list[Any]:
    leaves: list[Any] = []
    mapped(leaves.append, structure)
    return leaves


def _put_together(structure: Any, leaves: list[Any]) -> Any:
    left = iter(leaves)
    return mapped(lambda spec: next(left), structure)


def _spec_to_json(spec: Any) -> Any:
    if isinstance(spec, tuple):
        return {"tuple": [_spec_to_json(part) for part in spec]}
    if isinstance(spec, dict):
        return {"dict": {key: _spec_to_json(part) for key, part in spec.items()}}
    return {"dtype": spec.dtype.name, "shape": None if spec.shape is None else list(spec.shape)}


def _spec_from_json(spec: Any) -> Any:
    if "tuple" in spec:
        return tuple(_spec_from_json(part) for part in spec["tuple"])
    if "dict" in spec:
        return {key: _spec_from_json(part) for key, part in spec["dict"].items()}
    return TensorSpec(spec["shape"], spec["dtype"])
