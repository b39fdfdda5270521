#!/usr/bin/env python3
"""The table of bench/imagenet.sh: images a second, the best median of all rounds, and what each part of the work takes."""

import json
import pathlib
import sys
from collections import defaultdict


def main():
    run = pathlib.Path(sys.argv[1])
    rates, distances = defaultdict(list), {}
    for line in (run / "imagenet.jsonl").read_text().splitlines():
        entry = json.loads(line)
        if "distance" in entry:
            distances[entry["group"]] = entry["distance"]
        elif "records_per_s" in entry or "median_seconds" in entry:
            name = entry.get("question") if entry.get("group") == "all" else entry["group"]
            rates[(entry["peer"], name)].append(entry["records"] / entry["median_seconds"])
    best = {key: max(values) for key, values in rates.items()}
    print("# ImageNet pipelines\n")
    print((run / "machine.txt").read_text())
    peers = list(dict.fromkeys(peer for peer, _ in best if peer != "feedline"))
    print("| pipeline | feedline, images/s |" + "".join(f" {peer} | ratio |" for peer in peers))
    print("| --- | --- |" + " --- | --- |" * len(peers))
    for (peer, name), rate in best.items():
        if peer == "feedline" and not name.startswith("part"):
            theirs = [best.get((peer, name.split(",")[0])) for peer in peers]
            others = "".join(f" {their:.0f} | {rate / their:.2f} |" if their else " | |" for their in theirs)
            print(f"| {name} | {rate:.0f} |{others}")
    print("\n| part, all cores, photos in memory | images/s | adds, ms of a core |\n| --- | --- | --- |")
    before = 0.0
    cores = next((int(line.split()[1]) for line in (run / "machine.txt").read_text().splitlines() if line.startswith("cores")), 1)
    for (peer, name), rate in best.items():
        if name.startswith("part"):
            cost = 1000 * cores / rate
            added = cost - before if "windows decoded," in name else cost
            before = 0.0 if "whole" in name else cost
            print(f"| {name[6:]} | {rate:.0f} | {added:.3f} |")
    for name, distance in distances.items():
        print(f"\n{name} from tf.data's: {distance:g} at most.")


main()
