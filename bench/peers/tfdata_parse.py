"""Question: how many Examples a second does tf.data parse into batches of tensors, from files and from memory, at its best?

Run:   python tf_write.py data.tfrecord      (makes the input: f00..f12 float, i00..i25 int64, label int64, one value each)
       python tfdata_parse.py data.tfrecord [more files] [--repeat 5] [--quick]
With:  TensorFlow 2.21.0 (tensorflow-cpu). Files should be in the page cache: the first pass, untimed, puts them there.

Batches of 1024 go through one tf.io.parse_example each (the vectorized way TensorFlow's guide advises). Groups, each with its best:

  files/40     files to 40 tensors a batch        memory/40    the same from serialized batches held in memory by cache()
  files/3      files to f00, i07, label           memory/3     likewise: parsing alone

Consumers: `sums` adds up f00, i07 and label in the graph, so that three numbers a batch come to Python; `iterate` hands every
tensor of every batch to Python, as a training loop would see them, and looks at none. The checksum is the three sums.
"""

import argparse
import os

import numpy as np
import tensorflow as tf

from peer_report import Report, elements, feature_spec, quiet_tensorflow

AUTOTUNE = tf.data.AUTOTUNE
BATCH = 1024
CHECKED = ("f00", "i07", "label")


def sums(features):
    return tf.stack([tf.cast(tf.size(features["label"]), tf.float64)]
                    + [tf.reduce_sum(tf.cast(features[key], tf.float64)) for key in CHECKED])


def read(files, reads, deterministic):
    if reads in (None, "sequential"):
        return tf.data.TFRecordDataset(files)
    if reads == "interleave":
        return tf.data.Dataset.from_tensor_slices(files).interleave(
            tf.data.TFRecordDataset, cycle_length=AUTOTUNE, block_length=64, num_parallel_calls=AUTOTUNE, deterministic=deterministic)
    return tf.data.TFRecordDataset(files, num_parallel_reads=reads)


def make_run(batches, spec, consumer, calls, deterministic):
    """`batches`: a dataset of batches of serialized Examples."""
    def parse(serialized):
        features = tf.io.parse_example(serialized, spec)
        return sums(features) if consumer == "sums" else features

    return consume(batches.map(parse, num_parallel_calls=calls, deterministic=deterministic if calls else None).prefetch(AUTOTUNE), consumer)


def make_run_per_file(files, spec, consumer, cycle):
    """Reading, batching and parsing all inside the interleave: parallel from file to tensors. Each file ends in a short batch."""
    def parse(serialized):
        features = tf.io.parse_example(serialized, spec)
        return sums(features) if consumer == "sums" else features

    dataset = tf.data.Dataset.from_tensor_slices(files).interleave(
        lambda file: tf.data.TFRecordDataset(file).batch(BATCH).map(parse), cycle_length=cycle, num_parallel_calls=AUTOTUNE, deterministic=False)
    return consume(dataset.prefetch(AUTOTUNE), consumer)


def consume(dataset, consumer):
    def run():
        if consumer == "sums":
            total = np.zeros(1 + len(CHECKED))
            for batch in elements(dataset):
                total += batch.numpy()
            return {"records": int(total[0]), **{key: float(v) for key, v in zip(CHECKED, total[1:])}}
        return {"records": sum(batch["label"].shape[0] for batch in elements(dataset))}

    return run


def run_in_loop(tensors, spec):
    """The parser called from Python on tensors in memory, without tf.data around it."""
    parse = tf.function(lambda serialized: sums(tf.io.parse_example(serialized, spec)))

    def run():
        total = np.zeros(1 + len(CHECKED))
        for tensor in tensors:
            total += parse(tensor).numpy()
        return {"records": int(total[0]), **{key: float(v) for key, v in zip(CHECKED, total[1:])}}

    return run


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("files", nargs="+")
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--quick", action="store_true", help="fewer settings")
    parser.add_argument("--best-known", action="store_true", help="only the settings that were among the best in longer runs")
    arguments = parser.parse_args()
    quiet_tensorflow()
    files = arguments.files

    serialized = tf.data.TFRecordDataset(files).batch(BATCH)
    num_bytes = sum(int(tf.reduce_sum(tf.strings.length(batch))) for batch in serialized)
    expected = make_run(serialized, feature_spec(), "sums", None, True)()
    report = Report("parse Examples", expected, expected["records"], num_bytes, arguments.repeat,
                    batch=BATCH, files=len(files), file_bytes=sum(os.path.getsize(f) for f in files))

    for columns, spec in ((40, feature_spec()), (3, feature_spec(CHECKED))):
        def name(value):
            return "AUTOTUNE" if value == AUTOTUNE else value

        if arguments.best_known:
            for calls in (None, AUTOTUNE):
                setting = {"consumer": "sums", "map_calls": name(calls), "reads": None, "deterministic": True}
                report.measure(setting, make_run(read(files, None, True).batch(BATCH), spec, "sums", calls, True), f"files/{columns}")
            for cycle in (2, 4):
                setting = {"consumer": "sums", "per_file": True, "interleave_cycle": cycle, "deterministic": False}
                report.measure(setting, make_run_per_file(files, spec, "sums", cycle), f"files/{columns}")
            cached = serialized.cache()
            for calls in (None, AUTOTUNE):
                setting = {"consumer": "sums", "map_calls": name(calls), "cache": True, "deterministic": True}
                report.measure(setting, make_run(cached, spec, "sums", calls, True), f"memory/{columns}")
            continue
        # From files: parallel parsing first, then parallel reading and looser order with the best of those.
        seconds = {}
        for calls in (None, 2, AUTOTUNE):
            for consumer in ("sums", "iterate"):
                if arguments.quick and consumer == "iterate" and calls is None:
                    continue
                setting = {"consumer": consumer, "map_calls": name(calls), "reads": None, "deterministic": True}
                seconds[consumer, calls] = report.measure(setting, make_run(read(files, None, True).batch(BATCH), spec, consumer, calls, True),
                                                          f"files/{columns}")
        consumer, calls = min(seconds, key=seconds.get)
        for reads in (2, AUTOTUNE, "interleave") if not arguments.quick else (AUTOTUNE,):
            for deterministic in (True, False):
                batches = read(files, reads, deterministic).batch(BATCH)
                setting = {"consumer": consumer, "map_calls": name(calls), "reads": name(reads), "deterministic": deterministic}
                report.measure(setting, make_run(batches, spec, consumer, calls, deterministic), f"files/{columns}")
        # Batching in parallel as well.
        batches = read(files, AUTOTUNE, False).batch(BATCH, num_parallel_calls=AUTOTUNE, deterministic=False)
        setting = {"consumer": consumer, "map_calls": name(calls), "reads": "AUTOTUNE", "deterministic": False, "parallel_batch": True}
        report.measure(setting, make_run(batches, spec, consumer, calls, False), f"files/{columns}")
        for cycle in (2, 4):
            setting = {"consumer": consumer, "per_file": True, "interleave_cycle": cycle, "deterministic": False}
            report.measure(setting, make_run_per_file(files, spec, consumer, cycle), f"files/{columns}")

        # From memory: parsing alone.
        cached = serialized.cache()
        for calls in (None, 2, AUTOTUNE):
            for consumer in ("sums", "iterate"):
                for deterministic in (True, False) if calls and not arguments.quick else (True,):
                    setting = {"consumer": consumer, "map_calls": name(calls), "cache": True, "deterministic": deterministic}
                    report.measure(setting, make_run(cached, spec, consumer, calls, deterministic), f"memory/{columns}")
        tensors = list(serialized)
        report.measure({"consumer": "sums", "tf_function_loop": True}, run_in_loop(tensors, spec), f"memory/{columns}")
        del tensors
    report.finish()


if __name__ == "__main__":
    main()
