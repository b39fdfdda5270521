"""How far a save is: ``save.json`` in its folder, written anew behind every chunk.

It is there from the beginning, so that a folder without it and without ``dataset.json`` holds nothing that was saved. What it names is
complete: a file appears under its name when all of it is written, and is named here after that. Files it does not name are what a killed save
left, and go when the next one begins. The lock of a save goes with its process, however that ends.
"""

from __future__ import annotations

import base64
import contextlib
import fcntl
import json
import os
import pathlib
from typing import Any

from ._errors import CheckpointError, CorruptDataError

JOURNAL = "save.json"
LOCK = "save.lock"
VERSION = 1


class Journal:
    """The chunks of a dataset that are written, and where the next begins."""

    def __init__(self, folder: pathlib.Path, arguments: dict[str, Any]) -> None:
        self.folder = folder
        self.count = 0
        self.num_chunks = 0
        self.files: dict[int, list[str]] = {}
        self.state: bytes | None = None
        self._arguments = arguments
        self._lock = -1

    def __enter__(self) -> Journal:
        self.folder.mkdir(parents=True, exist_ok=True)
        self._lock = os.open(self.folder / LOCK, os.O_RDWR | os.O_CREAT, 0o644)
        try:
            self._begin()
        except BaseException:
            os.close(self._lock)
            raise
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is None:
            (self.folder / JOURNAL).unlink()
        os.close(self._lock)

    def add(self, names: dict[int, str], count: int, state: bytes) -> None:
        """Files of a chunk that are complete: ``count`` elements, behind which the iterator has this state."""
        for shard, name in names.items():
            self.files.setdefault(shard, []).append(name)
        self.count += count
        self.num_chunks += 1
        self.state = state
        self._write()

    @staticmethod
    def how_far(folder: pathlib.Path) -> str | None:
        """What to say about a folder whose save has not ended; ``None`` if none has begun there."""
        try:
            count = json.loads((folder / JOURNAL).read_text())["elements"]
        except (OSError, ValueError, KeyError, TypeError):
            return None
        return f"is not saved to the end: {count} elements are there\nhint: call save again with the same dataset, and it goes on"

    def _begin(self) -> None:
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise FileExistsError(f"save: another process saves to {self.folder}\nhint: wait for it, or save to another folder") from None
        try:
            found = json.loads((self.folder / JOURNAL).read_text())
        except FileNotFoundError:
            self._write()
            return
        except ValueError as error:
            raise CorruptDataError(f"save: {self.folder / JOURNAL} is damaged: {error}\nhint: remove the folder") from error
        self._read(found)
        self._remove_others()

    def _read(self, found: dict[str, Any]) -> None:
        remedy = f"remove the folder {self.folder}, or save to another one"
        if found.get("feedline_save") != VERSION:
            raise CheckpointError(f"save: {self.folder / JOURNAL} is of version {found.get('feedline_save')}, not {VERSION}\nhint: {remedy}")
        for name, value in self._arguments.items():
            if found["arguments"][name] != value:
                what = "of another dataset" if name == "fingerprint" else f"with {name}={found['arguments'][name]!r}, not {value!r}"
                raise CheckpointError(f"save: {self.folder} holds part of a save {what}\nhint: {remedy}")
        self.count, self.num_chunks = found["elements"], found["chunks"]
        self.files = {int(shard): files for shard, files in found["files"].items()}
        self.state = None if found["state"] is None else base64.b64decode(found["state"])

    def _remove_others(self) -> None:
        kept = {name for files in self.files.values() for name in files}
        for path in self.folder.iterdir():
            if "elements-" in path.name and path.name not in kept:
                with contextlib.suppress(FileNotFoundError):
                    path.unlink()

    def _write(self) -> None:
        text = json.dumps(
            {
                "feedline_save": VERSION,
                "arguments": self._arguments,
                "elements": self.count,
                "chunks": self.num_chunks,
                "files": self.files,
                "state": None if self.state is None else base64.b64encode(self.state).decode(),
            }
        )
        unfinished = self.folder / f"{JOURNAL}.unfinished"
        with open(unfinished, "w") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        unfinished.rename(self.folder / JOURNAL)
