#!/usr/bin/env python3
"""Runs every Rust test in a process of its own, and ends one that takes too long: a hang fails by its name.

For machines without cargo-nextest, which does the same and more. `cargo test` has no limit of its own, and one around the
whole run says nothing of which test hung. Needs Python and cargo, nothing else.

    tools/run_tests.py [--limit SECONDS] [--jobs N] [ARGUMENTS OF `cargo test`]
"""

import argparse
import concurrent.futures
import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass


@dataclass(frozen=True)
class Program:
    """A test program that cargo built."""

    name: str
    path: str
    folder: str  # of its package: where tests run, as with cargo


@dataclass(frozen=True)
class Outcome:
    program: Program
    test: str
    problem: str  # empty if it passed
    seconds: float
    output: str


def build(cargo_arguments):
    """The test programs, built."""
    command = [os.environ.get("CARGO", "cargo"), "test", "--no-run"]
    command += ["--message-format=json-render-diagnostics", *cargo_arguments]
    built = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    if built.returncode != 0:
        sys.exit(built.returncode)
    programs = []
    for line in built.stdout.splitlines():
        message = json.loads(line)
        if message.get("reason") == "compiler-artifact" and message["profile"]["test"] and message["executable"]:
            folder = os.path.dirname(message["manifest_path"])
            name = f"{os.path.basename(folder)}::{message['target']['name']}"
            programs.append(Program(name, message["executable"], folder))
    return programs


def tests_of(program, limit):
    """The names of a program's tests, without those marked `#[ignore]`."""

    def listed(*more):
        command = [program.path, "--list", "--format", "terse", *more]
        found = subprocess.run(
            command, cwd=program.folder, capture_output=True, text=True, check=True, timeout=limit
        )
        return [line.removesuffix(": test") for line in found.stdout.splitlines() if line.endswith(": test")]

    ignored = set(listed("--ignored"))
    return [test for test in listed() if test not in ignored]


def run(program, test, limit):
    """One test, alone; ended with all that it started when its time is up."""
    environment = {**os.environ, "CARGO_MANIFEST_DIR": program.folder}
    start = time.monotonic()
    process = subprocess.Popen(
        [program.path, "--exact", test],
        cwd=program.folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,  # a group of its own, so that its children end with it
    )
    try:
        output, _ = process.communicate(timeout=limit)
        problem = "" if process.returncode == 0 else f"FAILED (exit code {process.returncode})"
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        output, _ = process.communicate()
        problem = f"HUNG (ended after {limit:g} s)"
    return Outcome(program, test, problem, time.monotonic() - start, output.decode(errors="replace"))


def run_all(programs, limit, jobs, report=print):
    """Every test of the programs; the number of those that did not pass."""
    tests = [(program, test) for program in programs for test in tests_of(program, limit)]
    num_failed = 0
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        running = [pool.submit(run, program, test, limit) for program, test in tests]
        for done in concurrent.futures.as_completed(running):
            outcome = done.result()
            verdict = outcome.problem or "ok"
            report(f"{outcome.seconds:7.2f} s  {outcome.program.name} {outcome.test}: {verdict}")
            if outcome.problem:
                num_failed += 1
                report(outcome.output)
    report(f"{len(tests) - num_failed} of {len(tests)} tests passed")
    return num_failed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--limit", type=float, default=60, help="seconds a test may take (default 60)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="tests at a time (default: all cores)")
    arguments, cargo_arguments = parser.parse_known_args()
    num_failed = run_all(build(cargo_arguments), arguments.limit, arguments.jobs)
    sys.exit(1 if num_failed else 0)


if __name__ == "__main__":
    main()
