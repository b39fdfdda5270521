"""What a process for a Python function does: takes elements, calls the function, answers, until there is nothing to do.

The other side is ``crates/feedline-python/src/processes``, whose README.md has the protocol.
"""

from __future__ import annotations

import io
import mmap
import os
import pickle
import select
import socket
import struct
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from . import _native
from ._arguments import of_element
from ._composite import of_parts
from ._convert import result_parts
from ._dtypes import scalar_type
from ._processes import Numbered, dumped_exception, numbered

SETUP, CALL, RESULT, RAISED, LEFT = range(5)
MESSAGE = struct.Struct("=5Q")
MAX_FILES = 2
ALIGNMENT = 64

NAMES: list[str] = _native.dtype_names()
STRING = NAMES.index("string")
# bfloat16, which numpy lacks, is asked for when it comes.
TYPES: dict[int, Any] = {code: np.dtype(name) for code, name in enumerate(NAMES) if name not in ("string", "bfloat16")}
CODES: dict[Any, int] = {dtype: code for code, dtype in TYPES.items()}


class Memory:
    """Shared memory: the part of a file that is mapped."""

    def __init__(self, file: int, is_written: bool) -> None:
        self.file = file
        self.access = mmap.ACCESS_WRITE if is_written else mmap.ACCESS_READ
        self.map: Any = b""

    def see(self, size: int) -> Any:
        """The memory, of at least so many bytes."""
        if len(self.map) < size:
            # Arrays over the old mapping, if there are any, keep it.
            self.map = mmap.mmap(self.file, size, access=self.access)
        return self.map

    def see_all(self) -> Any:
        """The memory, all of the file."""
        return self.see(os.fstat(self.file).st_size)

    def grow(self, size: int) -> Any:
        """The memory, made larger if need be."""
        if len(self.map) < size:
            size = max(1 << 12, 1 << (size - 1).bit_length())
            if os.fstat(self.file).st_size < size:
                os.ftruncate(self.file, size)
        return self.see(size)

    def close(self) -> None:
        """Gives up the file; what is mapped goes with the last array over it."""
        os.close(self.file)


class Channel:
    """Messages, with files and bytes that go along."""

    def __init__(self, connection: socket.socket) -> None:
        self.connection = connection
        self.space = socket.CMSG_SPACE(MAX_FILES * struct.calcsize("i"))

    def receive(self) -> tuple[tuple[int, ...], list[int]]:
        """The next message and its files; ends the process if there is nobody to send one."""
        message, control, _, _ = self.connection.recvmsg(MESSAGE.size, self.space, socket.MSG_CMSG_CLOEXEC)
        while 0 < len(message) < MESSAGE.size:
            message += self.take(MESSAGE.size - len(message))
        if not message:
            os._exit(0)
        files: list[int] = []
        for _, _, data in control:
            files.extend(struct.unpack(f"={len(data) // 4}i", data))
        return MESSAGE.unpack(message), files

    def take(self, size: int) -> bytes:
        parts = bytearray()
        while len(parts) < size:
            part = self.connection.recv(min(size - len(parts), 1 << 20))
            if not part:
                os._exit(0)
            parts += part
        return bytes(parts)

    def send(self, kind: int, is_kept: bool = False, end: int = 0, count: int = 0, extra: bytes = b"") -> None:
        try:
            self.connection.sendall(MESSAGE.pack(kind, is_kept, end, count, len(extra)) + extra)
        except OSError:
            os._exit(0)


class Worker:
    """The function, and the memory it is asked and answers in."""

    def __init__(self, channel: Channel, setup: tuple[Any, ...]) -> None:
        _, self.inputs, self.outputs, self.dtypes, self.dumped = setup
        self.channel = channel
        self.input = Memory(-1, False)
        self.output: list[Memory] = []
        self.function: Callable[[Any], Any] | None = None

    def call(self, message: tuple[int, ...], files: list[int]) -> None:
        """Answers one request."""
        _, place, is_input_new, is_output_new, _ = message
        if is_input_new:
            if self.input.file >= 0:
                self.input.close()
            self.input = Memory(files.pop(0), False)
        if is_output_new:
            self.output.append(Memory(files.pop(0), True))
        try:
            leaves, arrays = read(self.input.see_all(), leaf_count(self.inputs))
            before = list(map(sys.getrefcount, arrays))
            end, count, structure = self.computed(leaves, self.output[place])
        except BaseException as error:  # whatever it is, it is the caller's to see
            # Its traceback may be kept, and with it the arrays.
            self.channel.send(RAISED, True, extra=dumped_exception(error))
            return
        is_kept = list(map(sys.getrefcount, arrays)) != before
        self.channel.send(RESULT, is_kept, end, count, structure)

    def computed(self, leaves: list[Any], output: Memory) -> tuple[int, int, bytes]:
        """Calls the function and writes what it returned; where that is put together in another way than was said, the
        last of what is returned says how."""
        if self.function is None:
            self.function = of_element(pickle.loads(self.dumped), None)
            self.dumped = None
        result = self.function(put_together(self.inputs, leaves))
        results: list[Any] = []
        structure = numbered(result, results.append)
        if structure == self.outputs:
            return write(output, results, self.dtypes), len(results), b""
        dtypes = [None] * len(results)
        return write(output, results, dtypes), len(results), pickle.dumps(structure)


def leaf_count(structure: Any) -> int:
    if isinstance(structure, Numbered):
        return len(structure.numbers)
    if isinstance(structure, (tuple, dict)):
        return sum(map(leaf_count, structure.values() if isinstance(structure, dict) else structure))
    return 1


def put_together(structure: Any, leaves: list[Any]) -> Any:
    if isinstance(structure, tuple):
        return tuple([put_together(part, leaves) for part in structure])
    if isinstance(structure, dict):
        return {key: put_together(part, leaves) for key, part in structure.items()}
    if isinstance(structure, Numbered):
        return of_parts(structure.kind, [leaves[number] for number in structure.numbers])
    return leaves[structure]


def read(memory: Any, count: int) -> tuple[list[Any], list[Any]]:
    """The tensors in the memory as numpy has them, and those of them that are arrays over it."""
    leaves: list[Any] = []
    arrays: list[Any] = []
    at = 0
    for _ in range(count):
        code, dims = struct.unpack_from("=2Q", memory, at)
        *shape, start, size = struct.unpack_from(f"={dims + 2}Q", memory, at + 16)
        at += 8 * (dims + 4)
        if code == STRING:
            leaves.append(strings(memory, tuple(shape), start))
        else:
            array: Any = np.ndarray(shape, TYPES.get(code) or scalar_type(NAMES[code]), memory, start)
            leaves.append(array if dims else array[()])
            if dims:
                arrays.append(array)
    return leaves, arrays


def strings(memory: Any, shape: tuple[int, ...], start: int) -> Any:
    count = 1
    for dim in shape:
        count *= dim
    lengths = struct.unpack_from(f"={count}Q", memory, start)
    at = start + 8 * count
    values = []
    for length in lengths:
        values.append(bytes(memory[at : at + length]))
        at += length
    if not shape:
        return values[0]
    array = np.empty(count, object)
    array[:] = values
    return array.reshape(shape)


def write(output: Memory, results: list[Any], dtypes: list[Any]) -> int:
    """Writes tensors to the memory; returns where they end."""
    header: list[int] = []
    parts: list[Any] = []
    end = 0
    for value, dtype in zip(results, dtypes, strict=True):
        code, shape, part, size = tensor(value, dtype)
        header += [code, len(shape), *shape, 0, size]
        parts.append(part)
    end = 8 * len(header)
    at = 0
    for _ in parts:
        dims, size = header[at + 1], header[at + 3 + header[at + 1]]
        end += -end % ALIGNMENT
        header[at + 2 + dims] = end
        end += size
        at += 4 + dims
    memory = output.grow(end)
    struct.pack_into(f"={len(header)}Q", memory, 0, *header)
    at = 0
    for part in parts:
        dims = header[at + 1]
        start, size = header[at + 2 + dims], header[at + 3 + dims]
        at += 4 + dims
        if isinstance(part, bytes):
            memory[start : start + size] = part
        elif size:
            place: Any = np.ndarray(part.shape, part.dtype, memory, start)
            place[...] = part
    return end


def tensor(value: Any, dtype: Any) -> tuple[int, tuple[int, ...], Any, int]:
    """A result as its type, shape, what is to be written, and how many bytes that is."""
    if isinstance(value, (np.ndarray, np.generic)):
        code = CODES.get(value.dtype)
        if code is not None and dtype in (None, NAMES[code]):
            return code, value.shape, value, value.nbytes
    values, other = result_parts(value, dtype)
    if isinstance(other, str):
        return NAMES.index(other), values.shape, values, values.nbytes
    lengths = struct.pack(f"={len(values)}Q", *map(len, values))
    joined = b"".join([lengths, *values])
    return STRING, tuple(other), joined, len(joined)


def end_with(parent: int) -> None:
    """Ends this process when its parent does, whatever it is doing."""
    try:
        watch = os.pidfd_open(parent)
    except OSError:
        while os.getppid() == parent:
            time.sleep(0.5)
    else:
        # The number may be another's by now.
        if os.getppid() == parent:
            poll = select.poll()
            poll.register(watch, select.POLLIN)
            poll.poll()
    os._exit(0)


def main() -> None:
    """Serves the socket that is standard input."""
    threading.Thread(target=end_with, args=(os.getppid(),), daemon=True).start()
    # What the function prints is seen at once, also if the process is killed.
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(line_buffering=True)
    channel = Channel(socket.socket(fileno=os.dup(0)))
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    (_, size, *_), _ = channel.receive()
    setup = pickle.loads(channel.take(size))
    idle_limit_s = setup[0]
    worker = Worker(channel, setup)
    poll = select.poll()
    poll.register(channel.connection, select.POLLIN)
    while poll.poll(idle_limit_s * 1000):
        worker.call(*channel.receive())
    channel.send(LEFT)
