"""README's pipeline runs."""

from __future__ import annotations

import pathlib

README = pathlib.Path(__file__).parents[2] / "README.md"


def test_the_readmes_pipeline_runs(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (code,) = [part.split("```")[0] for part in README.read_text().split("```python\n")[1:]]
    exec(compile(code, str(README), "exec"), {"__name__": "readme"})
    assert "plan as it runs" in capsys.readouterr().out
