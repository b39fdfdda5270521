#!/usr/bin/env python3
"""Makes a Python environment with pip in it: `make_environment.py FOLDER`.

`python3 -m venv` alone does not do everywhere: Debian keeps `ensurepip`, which puts pip into the environment, in a package of
its own (python3-venv) that many machines lack. So there are several ways, tried in turn; what is there already in FOLDER is
replaced.
"""

from __future__ import annotations

import hashlib
import html.parser
import importlib.util
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import urllib.parse
import urllib.request
from collections.abc import Callable

PIP_INDEX = os.environ.get("PIP_INDEX_URL", "https://pypi.org/simple").rstrip("/")
INDEX_LIMIT_S = 60


class CannotMake(Exception):
    """A way that is not open on this machine, and why."""


def run(*command: str | os.PathLike[str]) -> None:
    done = subprocess.run([os.fspath(part) for part in command], capture_output=True, text=True)
    if done.returncode != 0:
        lines = (done.stdout + done.stderr).strip().splitlines()
        raise CannotMake(lines[-1] if lines else f"exit code {done.returncode}")


def has_module(name: str) -> bool:
    return importlib.util.find_spec(name) is not None


def python_of(folder: pathlib.Path) -> pathlib.Path:
    return folder / "bin" / "python"


def by_venv(folder: pathlib.Path) -> None:
    if not has_module("ensurepip"):
        raise CannotMake("this Python has no ensurepip")
    run(sys.executable, "-m", "venv", "--clear", folder)


def by_uv(folder: pathlib.Path) -> None:
    uv = shutil.which("uv")
    if uv is None:
        raise CannotMake("uv is not installed")
    run(uv, "venv", "--quiet", "--seed", "--clear", "--python", sys.executable, folder)


def by_virtualenv(folder: pathlib.Path) -> None:
    if not has_module("virtualenv"):
        raise CannotMake("virtualenv is not installed")
    run(sys.executable, "-m", "virtualenv", "--quiet", "--clear", folder)


def by_own_pip(folder: pathlib.Path) -> None:
    """The pip of the system installs one into the environment."""
    if not has_module("pip"):
        raise CannotMake("this Python has no pip")
    run(sys.executable, "-m", "venv", "--clear", "--without-pip", folder)
    run(sys.executable, "-m", "pip", "--quiet", "--python", python_of(folder), "install", "pip")


def by_index(folder: pathlib.Path) -> None:
    """A wheel of pip from the package index runs as it is, and installs itself."""
    run(sys.executable, "-m", "venv", "--clear", "--without-pip", folder)
    with tempfile.TemporaryDirectory() as downloads:
        wheel = fetch_pip(pathlib.Path(downloads))
        run(python_of(folder), wheel / "pip", "--quiet", "install", "pip")


def fetch_pip(folder: pathlib.Path) -> pathlib.Path:
    """The newest wheel of pip, checked against the index."""
    page = f"{PIP_INDEX}/pip/"
    try:
        with urllib.request.urlopen(page, timeout=INDEX_LIMIT_S) as answer:
            links = Links(answer.read().decode())
        # An index lists releases from the oldest.
        url, _, checksum = urllib.parse.urljoin(page, links.releases[-1]).partition("#sha256=")
        with urllib.request.urlopen(url, timeout=INDEX_LIMIT_S) as answer:
            content = answer.read()
    except (OSError, ValueError, IndexError) as error:
        raise CannotMake(f"{page}: {error}") from error
    if hashlib.sha256(content).hexdigest() != checksum:
        raise CannotMake(f"{url} is damaged, or has no checksum")
    wheel = folder / url.rsplit("/", 1)[-1]
    wheel.write_bytes(content)
    return wheel


class Links(html.parser.HTMLParser):
    """The releases of pip that an index's page links to."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.releases: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        link = dict(attrs).get("href")
        if tag == "a" and link and "data-yanked" not in dict(attrs) and is_release(link):
            self.releases.append(link)


def is_release(link: str) -> bool:
    name = link.partition("#")[0].rsplit("/", 1)[-1]
    # Versions made of plain numbers are releases.
    return name.endswith("-py3-none-any.whl") and name.split("-")[1].replace(".", "").isdigit()


WAYS: list[tuple[str, Callable[[pathlib.Path], None]]] = [
    ("python3 -m venv", by_venv),
    ("uv venv", by_uv),
    ("virtualenv", by_virtualenv),
    ("python3 -m venv --without-pip, and the system's pip", by_own_pip),
    ("python3 -m venv --without-pip, and pip from the package index", by_index),
]


def make(folder: pathlib.Path) -> str:
    """Makes the environment and says in which way; raises with all reasons if there is none."""
    refused = []
    for name, way in WAYS:
        try:
            way(folder)
            run(folder / "bin" / "pip", "--version")
            return name
        except (CannotMake, OSError) as error:
            refused.append(f"  {name}: {error}")
    raise CannotMake(
        f"no Python environment could be made in {folder} with {sys.executable}:\n"
        + "\n".join(refused)
        + "\nhint: install what python3 -m venv needs (Debian, Ubuntu: apt install python3-venv), or virtualenv, or uv; or name"
        "\nanother Python: make PYTHON=/path/to/python3 …"
    )


def main() -> int:
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    try:
        make(pathlib.Path(sys.argv[1]))
    except CannotMake as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
