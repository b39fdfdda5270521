"""Question: how many raw records a second does tf.data read from TFRecord files, at its best?

Run:   python tfdata_records.py train-*.tfrecord [--repeat 5] [--compression GZIP] [--quick]
With:  TensorFlow 2.21.0 (tensorflow-cpu). Files should be in the page cache: the first pass, untimed, puts them there.

Settings are tried in stages, each starting from the best of the one before: how records are consumed, how files are read in
parallel, the batch, the read buffer's size, the options. Consuming is kept as cheap as tf.data allows, so that Python is not what is measured:

  lengths   batch(1024), then lengths summed in the graph, one number a batch comes to Python
  batches   batch(1024).prefetch, Python counts batches and never looks inside
  reduce    Dataset.reduce, one graph function call a record
  skip      prefetch, then skip: tf.data's own loop pulls every record and drops it, no Python, no batch
  per_file  batch(1024) inside the interleave, lengths summed in the graph: parallel from file to number (order: by batch)

A plain skip right after TFRecordDataset is not honest: it jumps over payloads without checking them. Each consumer used here is
first given a small file with one damaged payload and must fail on it, which proves that it reads and checks every record.
"""

import argparse
import os
import tempfile

import numpy as np
import tensorflow as tf

from peer_report import Report, elements, quiet_tensorflow

AUTOTUNE = tf.data.AUTOTUNE
BATCH = 1024


def read(files, compression, reader, buffer_size, per_file=None):
    """`reader`: (how, number, block). `per_file` is applied to each file's dataset, inside the interleave."""
    how, number, block = reader

    def one(file):
        dataset = tf.data.TFRecordDataset(file, compression_type=compression, buffer_size=buffer_size)
        return per_file(dataset) if per_file else dataset

    if how == "reads":
        dataset = tf.data.TFRecordDataset(files, compression_type=compression, buffer_size=buffer_size, num_parallel_reads=number)
        return per_file(dataset) if per_file else dataset  # only for the proof: there is one file
    names = tf.data.Dataset.from_tensor_slices(files)
    return names.interleave(one, cycle_length=number, block_length=block, num_parallel_calls=AUTOTUNE, deterministic=False)


def sum_lengths(batch):
    return tf.stack([tf.size(batch, tf.int64), tf.reduce_sum(tf.cast(tf.strings.length(batch), tf.int64))])


def with_options(dataset, options):
    settings = tf.data.Options()
    if "deterministic" in options:
        settings.deterministic = options["deterministic"]
    if "threads" in options:
        settings.threading.private_threadpool_size = options["threads"]
    if "autotune" in options:
        settings.autotune.enabled = options["autotune"]
    return dataset.with_options(settings)


def make_run(files, compression, consumer, reader, buffer_size, options, num_records, batch=BATCH):
    """A function that reads everything once and returns what it can tell: the count, and where possible the bytes."""
    if consumer == "per_file":
        dataset = read(files, compression, reader, buffer_size, lambda d: d.batch(batch).map(sum_lengths))
    else:
        dataset = read(files, compression, reader, buffer_size)
    if consumer == "lengths":
        dataset = dataset.batch(batch).map(sum_lengths).prefetch(AUTOTUNE)
    elif consumer == "batches":
        dataset = dataset.batch(batch).prefetch(AUTOTUNE)
    elif consumer == "skip":
        # All but the last record; that one coming out, and nothing after it, is the proof of the count.
        dataset = dataset.prefetch(AUTOTUNE).skip(num_records - 1)
    dataset = with_options(dataset, options)

    def run():
        if consumer in ("lengths", "per_file"):
            count = num_bytes = 0
            for pair in elements(dataset):
                pair = pair.numpy()
                count, num_bytes = count + int(pair[0]), num_bytes + int(pair[1])
            return {"records": count, "bytes": num_bytes}
        if consumer == "batches":
            return {"records": sum(batch.shape[0] for batch in elements(dataset))}
        if consumer == "reduce":
            totals = dataset.reduce(np.zeros(2, np.int64), lambda t, r: t + tf.stack([1, tf.cast(tf.strings.length(r), tf.int64)]))
            return {"records": int(totals[0]), "bytes": int(totals[1])}
        return {"records": num_records - 1 + sum(1 for _ in elements(dataset))}

    return run


def prove_consumer_reads(consumer):
    """Fails unless the consumer notices a damaged payload in the middle of a file."""
    folder = tempfile.mkdtemp()
    path = os.path.join(folder, "damaged.tfrecord")
    try:
        with tf.io.TFRecordWriter(path) as writer:
            for _ in range(100):
                writer.write(b"p" * 100)
        with open(path, "r+b") as file:
            file.seek(116 * 50 + 12 + 40)
            file.write(b"!")
        try:
            make_run([path], "", consumer, ("reads", None, 1), None, {}, 100)()
        except tf.errors.DataLossError:
            return
        raise SystemExit(f"consumer {consumer} does not check every record: its times would not be honest")
    finally:
        os.remove(path)
        os.rmdir(folder)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("files", nargs="+")
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--compression", default="", choices=["", "GZIP", "ZLIB"])
    parser.add_argument("--quick", action="store_true", help="fewer settings")
    parser.add_argument("--best-known", action="store_true", help="only the settings that were among the best in longer runs")
    arguments = parser.parse_args()
    quiet_tensorflow()
    files, compression = arguments.files, arguments.compression

    expected = make_run(files, compression, "lengths", ("reads", None, 1), None, {}, 0)()
    report = Report("raw records", expected, expected["records"], expected["bytes"], arguments.repeat,
                    files=len(files), file_bytes=sum(os.path.getsize(f) for f in files), compression=compression)
    tried = {}

    def attempt(consumer, reader, buffer_size=None, options=None, batch=BATCH):
        choice = (consumer, reader, buffer_size, tuple(sorted((options or {}).items())), batch)
        if choice not in tried:
            how, number, block = reader
            number = "AUTOTUNE" if number == AUTOTUNE else number
            setting = {"consumer": consumer, "num_parallel_reads": number} if how == "reads" else {
                "consumer": consumer, "interleave_cycle": number, "interleave_block": block}
            setting |= {"batch": batch, "buffer_size": buffer_size, "options": options or {}}
            run = make_run(files, compression, consumer, reader, buffer_size, options or {}, expected["records"], batch)
            tried[choice] = report.measure(setting, run)
        return tried[choice]

    def best():
        consumer, reader, buffer_size, _, _ = min(tried, key=tried.get)
        return consumer, reader, buffer_size

    if arguments.best_known:
        for consumer, reader in (("lengths", ("reads", None, 1)), ("batches", ("reads", None, 1)), ("per_file", ("interleave", AUTOTUNE, 1)),
                                 ("per_file", ("interleave", 4, 1))):
            prove_consumer_reads(consumer)
            attempt(consumer, reader)
        attempt("per_file", ("interleave", AUTOTUNE, 1), 8 << 20)
        report.finish()
        return

    for consumer in ("lengths", "batches", "skip", "per_file") + (() if arguments.quick else ("reduce",)):
        prove_consumer_reads(consumer)
        if consumer != "per_file":
            attempt(consumer, ("reads", None, 1))
        attempt(consumer, ("interleave", AUTOTUNE, 1))
    readers = [("reads", 2, 1), ("reads", 4, 1), ("reads", AUTOTUNE, 1), ("interleave", 2, 1), ("interleave", 4, 1), ("interleave", 4, 64),
               ("interleave", 16, 16)]
    quickest = sorted({choice[0] for choice in tried}, key=lambda c: min(s for choice, s in tried.items() if choice[0] == c))[:2]
    for consumer in quickest[:1] if arguments.quick else quickest:
        for reader in readers[:3] + readers[4:5] if arguments.quick else readers:
            if consumer != "per_file" or reader[0] == "interleave":
                attempt(consumer, reader)
    consumer, reader, _ = best()
    for batch in (128, 8192):
        attempt(consumer, reader, batch=batch)
    for mebibytes in (1, 8) if arguments.quick else (1, 8, 64):
        attempt(consumer, reader, mebibytes << 20)
    consumer, reader, buffer_size = best()
    cores = os.cpu_count() or 1
    for options in ({"deterministic": False}, {"deterministic": False, "threads": cores}, {"deterministic": False, "threads": 2 * cores},
                    {"autotune": False}):
        attempt(consumer, reader, buffer_size, options)
    report.finish()


if __name__ == "__main__":
    main()
