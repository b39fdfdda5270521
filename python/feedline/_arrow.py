"""Tables and columns of any library that speaks Arrow's C interface, as arrays: over the library's own memory where that will do.

The interface is two functions, `__arrow_c_stream__` and `__arrow_c_array__`, which give capsules of C structures
(https://arrow.apache.org/docs/format/CDataInterface.html). What is read from them:

- numbers lie as numpy has them, and are not copied, but for columns in several chunks, which are joined: a tensor is one piece of memory;
- strings are looked at where they lie, in however many chunks: 12 bytes are made for each, which say where that is;
- bools are bits there and bytes here, and dictionaries are looked up: both are made anew (of strings, again where each lies);
- lists of a fixed size are one dimension more, other lists a ragged tensor; structs are dicts.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np

from ._convert import check_names
from ._errors import SchemaError
from ._pieces import copied, joined, taken
from ._ragged import RaggedTensor
from ._string_column import StringColumn

__all__ = ["columns_of"]

_NUMBERS = {"c": "i1", "C": "u1", "s": "i2", "S": "u2", "i": "i4", "I": "u4", "l": "i8", "L": "u8", "e": "f2", "f": "f4", "g": "f8"}


class _Schema(ctypes.Structure):
    pass


class _Array(ctypes.Structure):
    pass


class _Stream(ctypes.Structure):
    pass


_Schema._fields_ = [
    ("format", ctypes.c_char_p),
    ("name", ctypes.c_char_p),
    ("metadata", ctypes.c_void_p),
    ("flags", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("children", ctypes.POINTER(ctypes.POINTER(_Schema))),
    ("dictionary", ctypes.POINTER(_Schema)),
    ("release", ctypes.CFUNCTYPE(None, ctypes.POINTER(_Schema))),
    ("private_data", ctypes.c_void_p),
]
_Array._fields_ = [
    ("length", ctypes.c_int64),
    ("null_count", ctypes.c_int64),
    ("offset", ctypes.c_int64),
    ("n_buffers", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("buffers", ctypes.POINTER(ctypes.c_void_p)),
    ("children", ctypes.POINTER(ctypes.POINTER(_Array))),
    ("dictionary", ctypes.POINTER(_Array)),
    ("release", ctypes.CFUNCTYPE(None, ctypes.POINTER(_Array))),
    ("private_data", ctypes.c_void_p),
]
_Stream._fields_ = [
    ("get_schema", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(_Stream), ctypes.POINTER(_Schema))),
    ("get_next", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(_Stream), ctypes.POINTER(_Array))),
    ("get_last_error", ctypes.CFUNCTYPE(ctypes.c_char_p, ctypes.POINTER(_Stream))),
    ("release", ctypes.CFUNCTYPE(None, ctypes.POINTER(_Stream))),
    ("private_data", ctypes.c_void_p),
]


class _Owned:
    """A structure that is released when nothing looks at its memory any more."""

    def __init__(self, structure: Any) -> None:
        self.structure = structure

    def __del__(self) -> None:
        if self.structure.release:
            self.structure.release(ctypes.byref(self.structure))


def columns_of(value: Any) -> Any:
    """A table as a dict of its columns, and a column as an array, or, of strings, as a :class:`StringColumn`."""
    if hasattr(value, "__arrow_c_stream__"):
        schema, batches = _read_stream(_pointer(value.__arrow_c_stream__(), b"arrow_array_stream", _Stream))
    else:
        schema_capsule, array_capsule = value.__arrow_c_array__()
        schema = _moved(_pointer(schema_capsule, b"arrow_schema", _Schema), _Schema())
        batches = [_moved(_pointer(array_capsule, b"arrow_array", _Array), _Array())]
    chunks = [_Chunk(batch.structure, batch) for batch in batches]
    return _column("", schema.structure, chunks)


def _pointer(capsule: Any, name: bytes, kind: type[Any]) -> Any:
    address = ctypes.pythonapi.PyCapsule_GetPointer
    address.restype, address.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    found: Any = ctypes.cast(address(capsule, name), ctypes.POINTER(kind))
    # The capsule owns the structure: as long as this is there, so must the capsule be.
    found.capsule = capsule
    return found


def _moved(source: Any, target: Any) -> _Owned:
    """What a capsule holds, taken out of it: from now on it is not the capsule that releases it."""
    ctypes.memmove(ctypes.byref(target), source, ctypes.sizeof(target))
    source.contents.release = type(source.contents.release)()
    return _Owned(target)


def _read_stream(stream: Any) -> tuple[_Owned, list[_Owned]]:
    def ask(function: Callable[..., int], structure: Any) -> _Owned:
        if function(stream, ctypes.byref(structure)) != 0:
            reason = stream.contents.get_last_error(stream)
            raise SchemaError(f"a table could not be read: {(reason or b'no reason was given').decode(errors='replace')}")
        return _Owned(structure)

    schema = ask(stream.contents.get_schema, _Schema())
    batches: list[_Owned] = []
    while True:
        batch = ask(stream.contents.get_next, _Array())
        if not batch.structure.release:  # the end
            return schema, batches
        batches.append(batch)


class _Chunk:
    """A run of a column's values: an array of Arrow's, of which the entries from ``start`` on are meant."""

    def __init__(self, array: Any, owner: _Owned, start: int = 0, length: int | None = None) -> None:
        self.array, self.owner = array, owner
        self.start = array.offset + start
        self.length = array.length - start if length is None else length

    def child(self, number: int, start: int = 0, length: int | None = None) -> _Chunk:
        return _Chunk(self.array.children[number].contents, self.owner, start, length)

    def buffer(self, number: int, dtype: str, count: int, start: int = 0) -> np.ndarray[Any, Any]:
        """Values of a buffer, over its memory, which stays as long as the array."""
        kind = np.dtype(dtype)
        address = self.array.buffers[number]
        if count == 0 or address is None:
            return np.zeros(count, kind)
        memory = (ctypes.c_char * (count * kind.itemsize)).from_address(address + start * kind.itemsize)
        memory.owner = self.owner  # type: ignore[attr-defined]
        array: np.ndarray[Any, Any] = np.frombuffer(memory, kind)  # type: ignore[call-overload]
        array.flags.writeable = False
        return array

    def bits(self, number: int) -> np.ndarray[Any, Any]:
        first = self.start // 8
        packed = self.buffer(number, "u1", (self.start + self.length + 7) // 8 - first, first)
        unpacked = np.unpackbits(packed, bitorder="little")[self.start % 8 :]
        return unpacked[: self.length].astype(bool)

    def num_missing(self) -> int:
        if self.array.null_count == 0 or self.array.n_buffers == 0 or self.array.buffers[0] is None:
            return 0
        return int(self.length - np.count_nonzero(self.bits(0)))


def _column(name: str, schema: Any, chunks: list[_Chunk]) -> Any:
    form = schema.format.decode()
    missing = sum(chunk.num_missing() for chunk in chunks)
    if missing or form == "n":
        count = missing if missing else sum(chunk.length for chunk in chunks)
        raise SchemaError(f"{_of(name)} has {count} missing values\nhint: fill them first, for example with fill_null")
    if schema.dictionary:
        return _looked_up(name, schema, chunks, form)
    if form == "+s":
        children = [schema.children[index].contents for index in range(schema.n_children)]
        names = [child.name.decode() for child in children]
        check_names(names)
        return {
            name: _column(name, child, [_part(chunk, number) for chunk in chunks])
            for number, (name, child) in enumerate(zip(names, children, strict=True))
        }
    if form in ("+l", "+L"):
        return _lists(name, schema, chunks, "i4" if form == "+l" else "i8")
    if form.startswith("+w:"):
        size = int(form[3:])
        inner = [chunk.child(0, chunk.start * size, chunk.length * size) for chunk in chunks]
        values = _column(name, schema.children[0].contents, inner)
        if not isinstance(values, (np.ndarray, StringColumn)):
            raise SchemaError(f"{_of(name)} holds lists of what are no tensors")
        return values.reshape(-1, size, *values.shape[1:])
    return _joined([_plain(name, form, chunk) for chunk in chunks], form)


def _of(name: str) -> str:
    return f"the column {name!r}" if name else "the column"


def _part(chunk: _Chunk, number: int) -> _Chunk:
    return chunk.child(number, chunk.start, chunk.length)


def _plain(name: str, form: str, chunk: _Chunk) -> Any:
    if form in _NUMBERS:
        return chunk.buffer(1, _NUMBERS[form], chunk.length, chunk.start)
    if form == "b":
        return chunk.bits(1)
    if form in ("u", "z", "U", "Z"):
        offsets = chunk.buffer(1, "i4" if form in "uz" else "i8", chunk.length + 1, chunk.start)
        begin, end = int(offsets[0]), int(offsets[-1])
        return StringColumn.of_offsets(chunk.buffer(2, "u1", max(end - begin, 0), begin), offsets)
    if form in ("vu", "vz"):
        # The lengths of the buffers that long strings lie in are in the last one.
        num_data = chunk.array.n_buffers - 3
        lengths = chunk.buffer(chunk.array.n_buffers - 1, "i8", num_data).tolist()
        long = [chunk.buffer(2 + number, "u1", length) for number, length in enumerate(lengths)]
        return StringColumn.of_views(chunk.buffer(1, "u1", chunk.length * 16, chunk.start * 16), long)
    if form.startswith("w:"):
        width = int(form[2:])
        data = chunk.buffer(1, "u1", chunk.length * width, chunk.start * width)
        return StringColumn.of_width(data, width, chunk.length)
    raise SchemaError(f"{_of(name)} is of Arrow's type {form!r}, which has no dtype in feedline\nhint: cast it to numbers or strings first")


def _joined(parts: list[Any], form: str) -> Any:
    """The chunks as one: numbers in one array, which is the chunk itself where it is one; strings where they lie."""
    filled = [part for part in parts if len(part)] or parts[:1]
    if not filled:
        return np.zeros(0, _NUMBERS.get(form, "?" if form == "b" else object))
    if isinstance(filled[0], StringColumn):
        return StringColumn.joined(filled)
    return filled[0] if len(filled) == 1 else joined(filled)


def _lists(name: str, schema: Any, chunks: list[_Chunk], width: str) -> RaggedTensor:
    inner, splits, before = [], [np.zeros(1, np.int64)], 0
    for chunk in chunks:
        offsets = copied(chunk.buffer(1, width, chunk.length + 1, chunk.start), np.int64)
        first, last = (int(offsets[0]), int(offsets[-1])) if chunk.length else (0, 0)
        inner.append(chunk.child(0, first, last - first))
        splits.append(offsets[1:] - first + before)
        before += last - first
    values = _column(name, schema.children[0].contents, inner)
    if isinstance(values, RaggedTensor):
        return RaggedTensor(values.flat_values, [joined(splits), *values.nested_row_splits])
    if not isinstance(values, (np.ndarray, StringColumn)):
        raise SchemaError(f"{_of(name)} holds lists of what are no tensors")
    return RaggedTensor(values, [joined(splits)])


def _looked_up(name: str, schema: Any, chunks: list[_Chunk], form: str) -> Any:
    def values(chunk: _Chunk) -> Any:
        known = _column(name, schema.dictionary.contents, [_Chunk(chunk.array.dictionary.contents, chunk.owner)])
        places = _plain(name, form, chunk)
        return taken(known, places) if isinstance(known, np.ndarray) else known[places]

    return _joined([values(chunk) for chunk in chunks], schema.dictionary.contents.format.decode())
