#!/usr/bin/env python3
"""The same chains on tf.data and on feedline, compared element by element.

    python bench/against_tf_data.py [--random 300] [--seed 0]

Needs an environment with tensorflow-cpu and feedline. Chains are those of python/tests/chains/texts.py, evaluated once with
TensorFlow and once with feedline; what TensorFlow gave once is kept there, too, for tests without it. Prints each difference and exits with 1 if there is one.
"""

from __future__ import annotations

import argparse
import os
import pathlib
import random
import sys
import tempfile

import feedline as fl

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import tensorflow as tf  # noqa: E402

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "python/tests/chains"))
from texts import CHAINS, RECORDS, names, outcome, random_chain, write_texts  # noqa: E402

def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--random", type=int, default=300, help="chains drawn at random")
    arguments.add_argument("--seed", type=int, default=0, help="of the draw")
    given = arguments.parse_args()
    draw = random.Random(given.seed)
    chains = CHAINS + [random_chain(draw) for _ in range(given.random)]
    different = 0
    with tempfile.TemporaryDirectory() as folder:
        write_texts(folder)
        with fl.io.TFRecordWriter(f"{folder}/a.tfrecord") as writer:
            for record in RECORDS:
                writer.write(fl.io.example(record))
        for text in chains:
            expected = outcome(text, names(tf, tf.data, folder, "tf"))
            found = outcome(text, names(fl, fl, folder, "fl"))
            if expected != found and not (isinstance(expected, str) and isinstance(found, str)):
                different += 1
                print(f"DIFFERENT {text}\n  tf.data:  {str(expected)[:300]}\n  feedline: {str(found)[:300]}")
    print(f"{len(chains)} chains, {different} different (TensorFlow {tf.__version__})")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
