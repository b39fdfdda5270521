#!/usr/bin/env python3
"""How fast are operations of strings and formats in a map over batches, against the same operations of tf.data?

    python bench/strings.py            # in an environment with feedline (a release build) and TensorFlow
    python bench/strings.py --processor-time

Both get the same strings in memory, once in batches already, so that the operation is nearly all there is to do, and once one by one, to be
batched first, as files give them. Operations of TensorFlow's that take one string alone are mapped over strings, one by one, and those it has none
of have no number of its own. One operation is mapped over the batches; what comes out is compared before anything is measured. Both use all cores (`num_parallel_calls=AUTOTUNE`). A number is the best of `RUNS` passes, as strings a second, and the ratio. On a machine that others use, too,
`--processor-time` counts the seconds of all threads on a core instead of those on the wall: strings a second of one core."""

from __future__ import annotations

import base64
import gzip
import os
import sys
import time

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import numpy as np
import tensorflow as tf

import feedline as fl

COUNT = 400_000
BATCH = 1000
RUNS = 5
CLOCK = time.process_time if "--processor-time" in sys.argv[1:] else time.perf_counter


def texts() -> dict[str, list[bytes] | np.ndarray]:
    random = np.random.default_rng(7)
    words = [b"word%d" % number for number in range(5000)]
    picked = random.integers(0, len(words), size=(COUNT, 8))
    numbers = random.random(COUNT)
    return {
        "line": [b" " + b" ".join(words[index] for index in row) + b" " for row in picked],
        "word": [words[index] for index in picked[:, 0]],
        "integers": picked[:, 0],
        "floats": numbers.astype(np.float32),
        "number": [b"%.6f" % number for number in numbers],
        "base64": [base64.urlsafe_b64encode(words[index]).rstrip(b"=") for index in picked[:, 0]],
        "json": [b'{"id": %d, "at": {"x": %.6f}, "word": "%s"}' % (row[0], number, words[row[1]]) for row, number in zip(picked, numbers)],
        "tensor": [tf.io.serialize_tensor(row.astype(np.float32)).numpy() for row in picked[:1000]] * (COUNT // 1000),
        "gzip": [gzip.compress(b" ".join(words[index] for index in row), mtime=0) for row in picked[:20_000]] * (COUNT // 20_000),
        "sequence": [_sequence_example(number) for number in range(1000)] * (COUNT // 1000),
        "csv": [b'%d,%.6f,"%s",%s' % (row[0], number, words[row[1]], words[row[2]]) for row, number in zip(picked, numbers)],
    }


def _sequence_example(number: int) -> bytes:
    """A number, and a list of eight."""
    integers = lambda *values: tf.train.Feature(int64_list=tf.train.Int64List(value=values))
    lists = {"t": tf.train.FeatureList(feature=[integers(number + step) for step in range(8)])}
    context = tf.train.Features(feature={"id": integers(number)})
    return tf.train.SequenceExample(context=context, feature_lists=tf.train.FeatureLists(feature_list=lists)).SerializeToString()


def _parsed_sequences(m, x):
    context = {"id": m.io.FixedLenFeature([], m.int64)}
    lists = {"t": m.io.FixedLenSequenceFeature([], m.int64)}
    return m.io.parse_sequence_example(x, context, lists)[1]["t"]


def operations(keys: list[bytes]):
    table_of = {
        fl: fl.lookup.StaticHashTable(fl.lookup.KeyValueTensorInitializer(keys, np.arange(len(keys))), -1),
        tf: tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(tf.constant(keys), tf.range(len(keys), dtype=tf.int64)), -1),
    }
    return [
        ("lower", "line", lambda m, x: m.strings.lower(x)),
        ("upper", "line", lambda m, x: m.strings.upper(x)),
        ("lower, utf-8", "line", lambda m, x: m.strings.lower(x, encoding="utf-8")),
        ("strip", "line", lambda m, x: m.strings.strip(x)),
        ("length", "line", lambda m, x: m.strings.length(x)),
        ("length, utf-8", "line", lambda m, x: m.strings.length(x, unit="UTF8_CHAR")),
        ("bytes_split", "word", lambda m, x: m.strings.bytes_split(x).flat_values),
        ("unicode_decode", "word", lambda m, x: m.strings.unicode_decode(x, "UTF-8").flat_values),
        ("substr", "line", lambda m, x: m.strings.substr(x, 1, 8)),
        ("split", "line", lambda m, x: m.strings.split(x).flat_values),
        ("join", "word", lambda m, x: m.strings.join([x, x], "-")),
        ("regex_replace", "line", lambda m, x: m.strings.regex_replace(x, r"\d+", "#")),
        ("regex_replace, groups", "line", lambda m, x: m.strings.regex_replace(x, r"(w)(ord)", r"\2\1")),
        ("regex_full_match .*", "line", lambda m, x: m.strings.regex_full_match(x, r".*9 ")),
        ("regex_full_match", "word", lambda m, x: m.strings.regex_full_match(x, r"word1\d*")),
        ("to_number", "number", lambda m, x: m.strings.to_number(x)),
        ("as_string, integers", "integers", lambda m, x: m.strings.as_string(x)),
        ("as_string, floats", "floats", lambda m, x: m.strings.as_string(x)),
        ("to_hash_bucket_fast", "word", lambda m, x: m.strings.to_hash_bucket_fast(x, 1 << 20)),
        ("lookup", "word", lambda m, x: table_of[m].lookup(x)),
        ("decode_csv", "csv", lambda m, x: tuple(m.io.decode_csv(x, [[0], [0.0], [""], [""]]))),
        ("decode_compressed", "gzip", lambda m, x: m.io.decode_compressed(x, "GZIP")),
        ("parse_sequence_example", "sequence", _parsed_sequences),
        ("encode_base64", "line", lambda m, x: m.io.encode_base64(x)),
        ("decode_base64", "base64", lambda m, x: m.io.decode_base64(x)),
        ("serialize_tensor", "floats", lambda m, x: m.io.serialize_tensor(x)),
        ("parse_tensor", "tensor", lambda m, x: m.ensure_shape(m.io.parse_tensor(x, m.float32), [8])),
        ("decode_json", "json", lambda m, x: tuple(m.io.decode_json(x, JSON).values())),
    ]


JSON = {
    "id": fl.io.FixedLenFeature([], fl.int64),
    "at.x": fl.io.FixedLenFeature([], fl.float32),
    "word": fl.io.FixedLenFeature([], fl.string),
}
ONE_BY_ONE = {"parse_tensor", "decode_json"}
"""Operations that take one string."""
OURS_ALONE = {"decode_json"}
"""Operations that TensorFlow has not."""


def same(one, two) -> bool:
    if isinstance(one, tuple):
        return len(one) == len(two) and all(same(a, b) for a, b in zip(one, two))
    return np.array_equal(one, two)


def best(dataset) -> float:
    times = []
    for _ in range(RUNS):
        start = CLOCK()
        for _ in dataset:
            pass
        times.append(CLOCK() - start)
    return min(times)


def main() -> None:
    data = texts()
    keys = sorted(set(data["word"]))[::2]
    print(f"{COUNT:,} strings in batches of {BATCH}, best of {RUNS}, {os.cpu_count()} cores, TensorFlow {tf.__version__}")
    columns = f"{'feedline':>12}{'tf.data':>12}{'ratio':>8}"
    print(f"{'millions a second':<26}{'in batches':>32}{'one by one':>32}")
    print(f"{'operation':<26}{columns}{columns}")
    for name, source, operation in operations(keys):
        strings = data[source] if isinstance(data[source], np.ndarray) else np.array(data[source], dtype=object)
        cells = []
        for is_batched in (True, False):
            if is_batched and name in ONE_BY_ONE:
                cells.append(" " * 32)
                continue
            given = strings.reshape(-1, BATCH) if is_batched else strings
            ours = fl.Dataset.from_tensor_slices(given)
            theirs = tf.data.Dataset.from_tensor_slices(tf.constant(given))
            if not is_batched and name not in ONE_BY_ONE:
                ours, theirs = ours.batch(BATCH), theirs.batch(BATCH)
            ours = ours.map(lambda x, f=operation: f(fl, x))
            if name in ONE_BY_ONE:
                ours = ours.batch(BATCH)
            if name in OURS_ALONE:
                cells.append(f"{COUNT / best(ours.map(lambda *x: fl.size(x[0]))) / 1e6:>12.1f}")
                continue
            theirs = theirs.map(lambda x, f=operation: f(tf, x), num_parallel_calls=tf.data.AUTOTUNE)
            if name in ONE_BY_ONE:
                theirs = theirs.batch(BATCH)
            pairs = zip(ours.take(3), theirs.take(3).as_numpy_iterator())
            assert all(same(one, two) for one, two in pairs), f"{name} differs"
            # What is handed over as Python objects costs the same on both sides; a number for each batch leaves it out.
            ours = ours.map(lambda *x: fl.size(x[0]))
            theirs = theirs.map(lambda *x: tf.size(x[0]))
            mine, other = COUNT / best(ours) / 1e6, COUNT / best(theirs) / 1e6
            cells.append(f"{mine:>12.1f}{other:>12.1f}{mine / other:>8.1f}")
        print(f"{name:<26}{''.join(cells)}")


if __name__ == "__main__":
    main()
