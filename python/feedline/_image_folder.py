"""A folder of images, a folder inside for each class."""

from __future__ import annotations

import os
import pathlib
from collections.abc import Sequence

import numpy as np

from . import _ops
from ._arguments import PathLike
from ._dataset import Dataset
from ._errors import ArgumentError

# What `feedline convert` takes as images.
EXTENSIONS = frozenset(".jpg .jpeg .jpe .jfif .png .gif .bmp .webp .dib".split())


class ImageFolder(Dataset):
    """Images as ``(bytes, label)``; ``class_names[label]`` is the class, and ``file_paths`` are all files in order."""

    class_names: list[str]
    file_paths: list[str]

    def __init__(self, path: PathLike, class_names: Sequence[str] | None = None) -> None:
        folder = pathlib.Path(os.fsdecode(path))
        if not folder.is_dir():
            raise FileNotFoundError(f"image_folder: there is no folder {str(folder)!r}")
        found = sorted(entry.name for entry in folder.iterdir() if entry.is_dir() and not entry.name.startswith("."))
        names = found if class_names is None else list(class_names)
        missing = sorted(set(names) - set(found))
        if missing:
            raise ArgumentError(f"image_folder: {folder} has no folder for the class {missing[0]!r}; it has {found}")
        files = [(str(file), label) for label, name in enumerate(names) for file in _images(folder / name)]
        if not files:
            raise FileNotFoundError(
                f"image_folder: no images in {folder}\nhint: each class has a folder of its own in it, such as "
                f"{folder / 'cats' / '1.jpg'}"
            )
        self.class_names, self.file_paths = names, [file for file, _ in files]
        labels = np.array([label for _, label in files], np.int64)
        listed = Dataset.from_tensor_slices((self.file_paths, labels))
        super().__init__(listed.map(lambda file, label: (_ops.read_file(file), label))._inner)


def _images(folder: pathlib.Path) -> list[pathlib.Path]:
    files = (file for file in folder.rglob("*") if file.suffix.lower() in EXTENSIONS and file.is_file())
    return sorted(files)
