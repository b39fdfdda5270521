"""Question: do the engine's ratios hold from Python, and what do Python functions and handing over cost?

Run:   python bench/from_python.py [--rounds 3] [--only QUESTION] [--run NAME]
With:  FEEDLINE_PYTHON, TF_PYTHON, TORCH_PYTHON: interpreters with feedline (and torch, for its row), tensorflow-cpu, torch and grain; those that are
       not set are left out, but for feedline's, which is this one.

The contenders of peers/python_contender.py take turns, each in a process of its own, on the same bytes and with the same results, which are
checked. Prints one table, and keeps the lines and the versions in bench/runs/NAME. Run it on an otherwise idle machine.
"""

import argparse
import json
import os
import pathlib
import platform
import statistics
import subprocess
import sys

HERE = pathlib.Path(__file__).parent
INTERPRETERS = {"feedline": "FEEDLINE_PYTHON", "tf.data": "TF_PYTHON", "torch": "TORCH_PYTHON", "grain": "TORCH_PYTHON"}
PACKAGES = {"feedline": "feedline", "tf.data": "tensorflow-cpu", "torch": "torch", "grain": "grain"}


def interpreters():
    found = {name: os.environ.get(variable) for name, variable in INTERPRETERS.items()}
    found["feedline"] = found["feedline"] or sys.executable
    return {name: path for name, path in found.items() if path}


def version(python, package):
    program = f"import importlib.metadata as m; print(m.version({package!r}))"
    done = subprocess.run([python, "-c", program], capture_output=True, text=True)
    return done.stdout.strip() or "?"


def measured(contender, python, question):
    """A process for each question: its memory is that of the work alone."""
    command = [python, HERE / "peers" / "python_contender.py", contender, "--data", HERE / "data", "--only", question]
    environment = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": ""}
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    if done.returncode != 0:
        sys.exit(f"{contender}, {question}: {done.stderr.strip()[-2000:]}")
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


def table(lines):
    """For each question the contenders' best settings, the fastest first, and how much faster feedline is."""
    rates, memory, added, most = {}, {}, {}, {}
    for line in lines:
        key = line["question"], line["contender"], line["setting"]
        rates.setdefault(key, []).append(line["elements"] / line["median_seconds"])
        for found, name in ((memory, "memory_mib"), (added, "memory_added_mib"), (most, "memory_most_added_mib")):
            found.setdefault(key, []).append(line[name])
    rows = [
        "| work | contender | a second | (range) | memory added, MiB | at most | in all | feedline is |",
        "| --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for question in dict.fromkeys(key[0] for key in rates):
        found = sorted(((statistics.median(rates[key]), key) for key in rates if key[0] == question), reverse=True)
        ours = max((rate for rate, key in found if key[1] == "feedline"), default=None)
        for rate, key in found:
            ratio = f"{ours / rate:.2f}×" if ours and key[1] != "feedline" else ""
            spread = f"{min(rates[key]):,.0f} to {max(rates[key]):,.0f}"
            mib = " | ".join(f"{statistics.median(values[key]):.0f}" for values in (added, most, memory))
            rows.append(f"| {question} | {key[1]}, {key[2]} | {rate:,.0f} | {spread} | {mib} | {ratio} |")
    rows.append(
        "\nMemory is that of the process and its children, pages that they share counted once. Added: what they have behind the passes beyond what the process "
        "had before the pipeline was made, with its data made and the library imported. At most: the same at any time of a pass. In all: the whole of it behind the "
        "passes, with the interpreter, the library and the data."
    )
    called, traced = (rates.get((name, "feedline", setting)) for name, setting in CALLS)
    if called and traced:
        rows.append(f"\nA traced function is {statistics.median(traced) / statistics.median(called):.0f} times as fast as the same one as Python.")
    return "\n".join(rows)


QUESTIONS = [
    "scalars", "images in memory", "tabular records", "numpy function, 2 processes", "38 MB batch", "traced function", "Python function",
]
CALLS = [("Python function", "python=True"), ("traced function", "traced")]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", default="", help="questions whose name has this in it")
    parser.add_argument("--run", help="a name in bench/runs to keep the run under")
    arguments = parser.parse_args()
    lines = []
    for turn in range(arguments.rounds):
        for question in (question for question in QUESTIONS if arguments.only in question):
            print(f"round {turn + 1} of {arguments.rounds}: {question}", file=sys.stderr)
            for contender, python in interpreters().items():
                lines += measured(contender, python, question)
    versions = ", ".join(f"{name} {version(python, PACKAGES[name])}" for name, python in interpreters().items())
    text = f"Made by `bench/from_python.py`, Python {platform.python_version()}, {os.cpu_count()} cores: {versions}.\n\n{table(lines)}"
    print(text)
    if arguments.run:
        folder = HERE / "runs" / arguments.run
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "lines.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
        (folder / "README.md").write_text(f"# {arguments.run}\n\n{text}\n")


if __name__ == "__main__":
    main()
