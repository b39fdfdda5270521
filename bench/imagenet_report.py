#!/usr/bin/env python3
"""The tables of bench/imagenet.sh: images a second, the best median of all rounds; the ceiling; what each stage takes; who gives the same."""

import json
import pathlib
import sys
from collections import defaultdict

CEILING = "whole images decoded"
STAGES = ["entropy", "transform", "colour", "resize", "normalize and store"]


def main():
    run = pathlib.Path(sys.argv[1])
    rates, distances, equal = defaultdict(list), {}, {}
    for line in (run / "imagenet.jsonl").read_text().splitlines():
        entry = json.loads(line)
        if "distance" in entry:
            distances[(entry["peer"], entry["group"])] = entry
        elif "equal_photos" in entry:
            equal[entry["group"]] = entry["equal_photos"]
        elif "records_per_s" in entry or "median_seconds" in entry:
            name = entry.get("question") if entry.get("group") == "all" else entry["group"]
            rates[(entry["peer"], name)].append(entry["records"] / entry["median_seconds"])
    best = {key: max(values) for key, values in rates.items()}
    machine = (run / "machine.txt").read_text()
    cores = next((int(line.split()[1]) for line in machine.splitlines() if line.startswith("cores")), 1)
    print("# ImageNet pipelines\n")
    print(machine)
    pipelines(best)
    ceiling(best)
    stages(best, cores)
    if equal:
        names = "; ".join(f"{name} ({photos} photos)" for name, photos in equal.items())
        print(f"\nEvery batch equal to that of the plain JPEGs, bit for bit, before time was taken: {names}.")
    for (peer, name), entry in distances.items():
        print(f"\n{name} of {peer}, {entry['compared']} photos: {entry['distance']:.3g} at most from feedline's, {entry['mean_distance']:.3g} in the "
              f"mean (allowed: {entry['tolerance']}).")


def pipelines(best):
    peers = list(dict.fromkeys(peer for peer, name in best if peer != "feedline" and name.startswith("imagenet")))
    print("| pipeline | feedline, images/s |" + "".join(f" {peer} | ratio |" for peer in peers))
    print("| --- | --- |" + " --- | --- |" * len(peers))
    for (peer, name), rate in best.items():
        if peer == "feedline" and name.startswith("imagenet"):
            theirs = [best.get((peer, name.split(",")[0])) for peer in peers]
            others = "".join(f" {their:.0f} | {rate / their:.2f} |" if their else " | |" for their in theirs)
            print(f"| {name} | {rate:.0f} |{others}")


def ceiling(best):
    """What decodes whole images cannot be faster than this; what decodes only a crop can."""
    bare, own = best.get(("libjpeg-turbo", CEILING)), best.get(("feedline", CEILING))
    if bare:
        print(f"\nCeiling: bare libjpeg-turbo decodes {bare:.0f} whole images/s on all cores, photos in memory; feedline's decoder {own:.0f}.")
        for name in ("imagenet train", "imagenet eval"):
            print(f"{name} is {best[('feedline', name)] / bare:.2f} of it.")


def stages(best, cores):
    print("\n| stage of the train windows, all cores, photos in memory | ms of a core a photo |\n| --- | --- |")
    read = best.get(("feedline", "imagenet read and parse"))
    if read:
        print(f"| read | {1000 * cores / read:.3f} |")
    before = 0.0
    for stage in STAGES:
        cost = 1000 * cores / best[("feedline", f"stage: {stage}")]
        print(f"| {stage} | {cost - before:.3f} |")
        before = cost


main()
