"""Environments are made by the first way that is open, and where none is, all reasons are told."""

from __future__ import annotations

import pathlib
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

sys.path.insert(0, str(pathlib.Path(__file__).parent))

import make_environment


def closed(reason: str):
    def way(folder):
        raise make_environment.CannotMake(reason)

    return way


class MakeEnvironment(unittest.TestCase):
    def test_without_ensurepip_there_are_other_ways(self):
        def missing(name):
            return name not in ("ensurepip", "virtualenv", "pip")

        with mock.patch.object(make_environment, "has_module", missing):
            for way in (make_environment.by_venv, make_environment.by_virtualenv, make_environment.by_own_pip):
                with self.assertRaises(make_environment.CannotMake):
                    way(pathlib.Path("nowhere"))

    def test_the_first_open_way_is_taken(self):
        def bare(folder):
            subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)

        def whole(folder):
            bare(folder)
            pip = folder / "bin" / "pip"
            pip.write_text("#!/bin/sh\n")
            pip.chmod(0o755)

        ways = [("first", closed("no")), ("without pip", bare), ("whole", whole), ("last", closed("never tried"))]
        with tempfile.TemporaryDirectory() as folder, mock.patch.object(make_environment, "WAYS", ways):
            self.assertEqual(make_environment.make(pathlib.Path(folder) / "made"), "whole")

    def test_all_reasons_and_the_remedy_are_told(self):
        ways = [("first", closed("no ensurepip")), ("second", closed("no uv"))]
        with mock.patch.object(make_environment, "WAYS", ways), self.assertRaises(make_environment.CannotMake) as told:
            make_environment.make(pathlib.Path("nowhere"))
        text = str(told.exception)
        for part in ("first: no ensurepip", "second: no uv", "hint: ", "apt install python3-venv", "PYTHON="):
            self.assertIn(part, text)

    def test_only_releases_of_pip_count(self):
        page = """
            <a href="../../pip-24.3-py3-none-any.whl#sha256=1">old</a>
            <a href="../../pip-25.0-py3-none-any.whl#sha256=2">new</a>
            <a href="../../pip-25.1-py3-none-any.whl#sha256=3" data-yanked="broken">withdrawn</a>
            <a href="../../pip-25.1b1-py3-none-any.whl#sha256=4">early</a>
            <a href="../../pip-25.1.tar.gz#sha256=5">sources</a>"""
        releases = make_environment.Links(page).releases
        self.assertEqual([link[-1] for link in releases], ["1", "2"])


if __name__ == "__main__":
    unittest.main()
