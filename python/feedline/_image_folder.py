"""A folder of images, a folder inside for each class."""

from __future__ import annotations

import os
from collections.abc import Sequence

from . import _native
from ._arguments import PathLike
from ._dataset import Dataset
from ._progress import bar


class ImageFolder(Dataset):
    """Images as ``(bytes, label)``; ``class_names[label]`` is the class, and ``file_paths`` are all files in order."""

    class_names: list[str]
    file_paths: list[str]

    def __init__(self, path: PathLike, class_names: Sequence[str] | None = None, progress: bool = False) -> None:
        names = None if class_names is None else list(class_names)
        with bar(None, "image_folder", progress, "files") as show:
            native, self.class_names, self.file_paths = _native.Dataset.image_folder(os.fsdecode(path), names, show)
        super().__init__(native)
