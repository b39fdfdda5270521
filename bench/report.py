"""Turns the lines of a run into a table of ratios: python3 bench/report.py bench/runs/NAME"""

import json
import pathlib
import statistics
import sys


def load(path):
    return [json.loads(line) for line in path.read_text().splitlines() if line.startswith("{")] if path.exists() else []


def rate(line):
    return line["records"] / statistics.median(line["seconds"])


def spread(line):
    """How far apart the repeats are, as a share of the median."""
    return (max(line["seconds"]) - min(line["seconds"])) / statistics.median(line["seconds"])


def ours(lines, group):
    return next(line for line in lines if line["peer"] == "feedline" and line["group"] == group)


def best_peer(lines, *groups):
    peers = [line for line in lines if line["peer"] != "feedline" and (not groups or line["group"] in groups)]
    return max(peers, key=rate, default=None)


def row(name, line, other, target, other_name):
    if line is None or other is None:
        return None
    ratio = rate(line) / rate(other)
    return (f"| {name} | {rate(line):,.0f} (±{spread(line) / 2:.0%}) | {rate(other):,.0f} (±{spread(other) / 2:.0%}) {other_name} "
            f"| **{ratio:.2f}×** | {target} |")


def about_peers(big, small, parse, write):
    """What was measured of the peers, and how: their best is the best of these settings, no more."""
    yield "What was measured: feedline, its ceilings and tf.data read the same files, one after the other in one run, so that the machine's mood"
    yield "between them is in the ratios. feedline opens each file on a thread, verifies every checksum and adds up lengths (records) or every value"
    yield "(parsing); writing is one thread that makes the numbers, builds the Examples in place and ends with the file on disk (fsync). tf.data"
    yield "verifies checksums (`peers/tfdata_records.py` proves it of each way to consume) and adds up lengths, or three of the columns it parsed, in"
    yield "its graph; `tf.io.TFRecordWriter` gets numbers made before (`build, serialize, write`), or bytes (`write serialized bytes`), and does not sync."
    yield "Its best is the best of the settings tried, which are in the `.jsonl` files; `peer flags` below say how many that could be: without"
    yield "flags the scripts search in stages, `--best-known` tries only what came out on top of such searches.\n"
    yield "| tf.data | settings tried | repeats of each |\n| --- | ---: | ---: |"
    for name, lines in (("raw records, ~110 KB", big), ("raw records, ~200 B", small), ("parse", parse), ("write", write)):
        tried = {}
        for line in (line for line in lines if line["peer"] != "feedline" and not line.get("best")):
            tried.setdefault(line["group"], []).append(len(line["seconds"]))
        for group, repeats in tried.items():
            label = name if group == "all" else f"{name}, {group}"
            yield f"| {label} | {len(repeats)} | {min(repeats)} |"


def main():
    run = pathlib.Path(sys.argv[1])
    big, small = load(run / "records-110k.jsonl"), load(run / "records-200.jsonl")
    parse, write = load(run / "parse.jsonl"), load(run / "write.jsonl")
    records, ceiling = "records", "ceiling: crc pass in memory"
    three, walk = "parse 3 of 40 from memory", "floor: bare walk over 40 fields"

    def setting(peer):
        """tf.data's setting in a few words."""
        if not peer:
            return ""
        words = peer["setting"]
        if isinstance(words, dict):
            words = ", ".join(f"{key}={value}" for key, value in words.items())
        return f"{peer['peer']} ({words})"

    rows = []
    for name, lines, target in (("raw records, ~110 KB", big, "≥ 7×"), ("raw records, ~200 B", small, "≥ 30×")):
        peer = best_peer(lines)
        rows.append(row(name, ours(lines, records), peer, target, setting(peer)))
    for name, lines in (("raw records, ~110 KB", big), ("raw records, ~200 B", small)):
        for group, what, target in (
            (ceiling, "plain CRC of the same bytes in memory", "≥ 0.5×" if lines is big else ""),
            ("ceiling: plain read", "plain `pread` of the files, nothing done", ""),
            ("ceiling: plain read and crc", "plain `pread` and CRC of every byte: the ceiling of a reader that copies", ""),
        ):
            rows.append(row(name, ours(lines, records), ours(lines, group), target, what))
    for name, group, peer_group, target in (
        ("parse 40 features, from files", "parse 40 from files", "files/40", "≥ 12×"),
        ("parse 40 features, from memory", "parse 40 from memory", "memory/40", ""),
        ("parse 3 of 40, from memory", three, "memory/3", ""),
    ):
        peer = best_peer(parse, peer_group)
        rows.append(row(name, ours(parse, group), peer, target, setting(peer)))
    rows.append(row("parse 3 of 40, from memory", ours(parse, three), ours(parse, walk), "≥ 0.5×", "bare walk over the fields"))
    for peer in (line for line in write if line["peer"] != "feedline" and line.get("best")):
        target = "≥ 5×" if peer["group"] == "build_and_write" else ""
        rows.append(row("write Examples of 40 features", ours(write, "write"), peer, target, setting(peer)))

    print(f"# {run.name}\n")
    print("Made by `bench/run.sh`: records a second, median of the repeats, all cores, page cache warm; outputs checked before timing.\n")
    print("| work | feedline | against | ratio | wanted |\n| --- | --- | --- | --- | --- |")
    print("\n".join(line for line in rows if line))
    print("\n" + "\n".join(about_peers(big, small, parse, write)))
    print("\n```\n" + (run / "machine.txt").read_text() + "```")


main()
