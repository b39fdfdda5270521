"""Turns the lines of a run of bench/engine.sh into a table of ratios: python3 bench/engine_report.py bench/runs/NAME

A rate is the median over all rounds; the range is that of the rounds.
"""

import json
import math
import pathlib
import statistics
import sys


def load(path):
    lines = path.read_text().splitlines() if path.exists() else []
    return [json.loads(line) for line in lines if line.startswith("{")]


class Rate:
    """Elements a second of one piece of work, over all rounds."""

    def __init__(self, name, lines):
        self.name = name
        self.rounds = [line["records"] / statistics.median(line["seconds"]) for line in lines]
        seconds = [second for line in lines for second in line["seconds"]]
        self.median = lines[0]["records"] / statistics.median(seconds)

    def __str__(self):
        return f"{self.median:,.0f} ({min(self.rounds):,.0f} to {max(self.rounds):,.0f})"


def rates(lines, is_ours, of):
    """The rates of `of(line)`, for each name it gives."""
    names = {}
    for line in lines:
        if (line["peer"] == "feedline") == is_ours and "seconds" in line:
            names.setdefault(of(line), []).append(line)
    return {name: Rate(name, found) for name, found in names.items()}


def fastest_peer(lines, question):
    chosen = [line for line in lines if line.get("question") == question]
    peers = rates(chosen, False, lambda line: f"{line['peer']}, {line['setting']}")
    return max(peers.values(), key=lambda rate: rate.median, default=None)


def row(name, ours, other, wanted):
    return f"| {name} | {ours} | {other.name}: {other} | **{ours.median / other.median:.2f}×** | {wanted} |"


def main():
    run = pathlib.Path(sys.argv[1])
    memory, tabular = load(run / "memory.jsonl"), load(run / "tabular.jsonl")
    ours = rates(memory, True, lambda line: line["group"])
    rows = []
    for group, question, wanted in [("engine scalars", "engine scalars", "15×"), ("engine images", "engine images", "3×")]:
        if peer := fastest_peer(memory, question):
            rows.append(row(group, ours[group], peer, wanted))
    ceiling = ours["engine images, ceiling: gather and convert to memory"]
    rows.append(row("engine images", ours["engine images"], ceiling, "the memory's limit"))
    tables = rates(tabular, True, lambda line: line["group"])
    if peer := fastest_peer(tabular, "engine tabular"):
        rows.append(row("tabular 40, shuffled", tables["tabular 40, shuffled"], peer, "10×"))
    for name in ("records-110k", "records-200"):
        found = rates(load(run / f"{name}.jsonl"), True, lambda line: line["group"])
        bare = found.pop("engine records, ceiling: the bare reader")
        by_hand = found.pop("engine records, ceiling: one by one to be kept, by hand", None)
        kept = "engine records, one by one to be kept"
        for group, rate in found.items():
            # Of small records sharing each costs more than reading it: the bare reader, which lets none be kept, is no ceiling of that.
            wanted = "(it lets none be kept)" if group == kept and by_hand else "0.8×"
            rows.append(row(f"{name}, {group}", rate, bare, wanted))
        if by_hand:
            rows.append(row(f"{name}, {kept}", found[kept], by_hand, "what handing out leaves"))
    peaks = [line for name in ("memory", "tabular", "records-110k", "records-200") for line in load(run / f"{name}.jsonl") if "peak_bytes" in line]
    print(f"# {run.name}\n")
    print("Made by `bench/engine.sh`: elements a second on all cores, median over all rounds and the range of the rounds; outputs checked before timing.\n")
    print("| work | feedline | against | ratio | wanted |\n| --- | --- | --- | --- | --- |")
    print("\n".join(rows))
    overlapping(load(run / "overlap.jsonl"))
    if peaks:
        most = max(peaks, key=lambda line: line["peak_bytes"] / line["budget_bytes"])
        print(f"\nMemory held by the engine at a time: at most {most['peak_bytes'] / 2**20:.1f} MiB of a budget of {most['budget_bytes'] / 2**20:.0f}, in `{most['group']}`.")


def overlapping(lines):
    """What `feedline-bench overlap` says: medians, and the ranges."""

    def of(group, value):
        found = [value(line) for line in lines if line["group"].startswith(group)]
        return f"**{statistics.median(found):.2f}** ({min(found):.2f} to {max(found):.2f})" if found else "not measured"

    if not lines:
        return
    rows = [
        ("parallel map of a CPU-bound function, 2 threads against 1", of("parallel", lambda line: line["ratio"]), "1.9"),
        ("the same work on bare threads, in turns with it", of("parallel", lambda line: line.get("ceiling_ratio", math.nan)), "the ceiling"),
        ("a consumer that sleeps as long as the producer works: time over the larger", of("overlap", lambda line: line["over_the_larger"]), "1.05"),
        ("longest wait behind the first epoch, ms, shuffle and repeat fused", of("epochs", lambda line: line["longest_ms"][0]), "no stall"),
        ("the same, not fused", of("epochs", lambda line: line["longest_ms"][1]), ""),
    ]
    print("\n| overlap | median (range) | wanted |\n| --- | --- | --- |")
    print("\n".join(f"| {name} | {found} | {wanted} |" for name, found, wanted in rows))


if __name__ == "__main__":
    main()
