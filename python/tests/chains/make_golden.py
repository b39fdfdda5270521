#!/usr/bin/env python3
"""Records what tf.data gives for the chains of `texts.py`, written and drawn, in `golden.jsonl`.

    TF_CPP_MIN_LOG_LEVEL=3 python make_golden.py      # in an environment with TensorFlow 2.21 and numpy

Two runs give the same bytes. Chains whose elements differ on purpose are not recorded; COMPARE.md says what they are and why."""

from __future__ import annotations

import json
import pathlib
import random
import tempfile

import tensorflow as tf
from texts import CHAINS, RECORDS, names, outcome, random_chain, write_texts

NUM_DRAWN = 300


def example(values: dict[str, list[int] | list[float]]) -> bytes:
    def feature(numbers: list[int] | list[float]) -> tf.train.Feature:
        if isinstance(numbers[0], int):
            return tf.train.Feature(int64_list=tf.train.Int64List(value=numbers))
        return tf.train.Feature(float_list=tf.train.FloatList(value=numbers))

    features = {key: feature(numbers) for key, numbers in values.items() if numbers}
    return tf.train.Example(features=tf.train.Features(feature=features)).SerializeToString(deterministic=True)


def main() -> None:
    draw = random.Random(21)
    chains = CHAINS + [random_chain(draw) for _ in range(NUM_DRAWN)]
    with tempfile.TemporaryDirectory() as folder:
        write_texts(folder)
        with tf.io.TFRecordWriter(f"{folder}/a.tfrecord") as writer:
            for record in RECORDS:
                writer.write(example(record))
        known = names(tf, tf.data, folder, "tf")
        lines = []
        for chain in dict.fromkeys(chains):
            gives = outcome(chain, dict(known))
            # That there is an error is what counts; its words are TensorFlow's.
            lines.append(json.dumps({"chain": chain, "gives": "error" if isinstance(gives, str) else gives}))
            if isinstance(gives, str):
                print(f"{chain}\n    {gives}")
    path = pathlib.Path(__file__).with_name("golden.jsonl")
    path.write_text("\n".join(lines) + "\n")
    print(f"{len(lines)} chains, {path.stat().st_size} bytes (TensorFlow {tf.__version__})")


if __name__ == "__main__":
    main()
