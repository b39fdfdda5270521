"""Question: how fast does tf.data run the engine's pipelines, at its best?

Run:   python engine_tfdata.py [--repeat 3] [tabular-*.tfrecord]
With:  TensorFlow 2.21.0 (tensorflow-cpu).

The same work as `feedline-bench engine`: numbers mapped, shuffled and batched; images in memory shuffled, made float32 and
batched; with files, 40-feature Examples shuffled, batched and parsed. Element by element as the guide has it, and vectorized
(batch before map) as its performance page advises. The first pass of each is untimed.
"""

import argparse

import numpy as np
import tensorflow as tf

from peer_report import Report, elements, feature_spec, quiet_tensorflow

AUTOTUNE = tf.data.AUTOTUNE
COUNT = 1_000_000  # a fifth of feedline's: it takes long enough
IMAGES, SHAPE, BATCH = 50_000, (32, 32, 3), 128


def scalars(repeat, best_known):
    report = Report("engine scalars", {"sum": COUNT * (COUNT + 1) // 2}, COUNT, COUNT * 8, repeat, peer="tf.data")
    plain = tf.data.Dataset.range(COUNT).map(lambda x: x + 1, num_parallel_calls=AUTOTUNE)
    plain = plain.shuffle(10_000, seed=1).batch(256).prefetch(AUTOTUNE)
    vectorized = tf.data.Dataset.range(COUNT).shuffle(10_000, seed=1).batch(256).map(lambda x: x + 1).prefetch(AUTOTUNE)
    for name, dataset in [("element by element", plain), ("vectorized", vectorized)][best_known:]:
        report.measure(name, lambda dataset=dataset: {"sum": sum(int(batch.sum()) for batch in elements(dataset.as_numpy_iterator()))})


def images(repeat, best_known):
    size = int(np.prod(SHAPE))
    pixels = (np.arange(IMAGES * size, dtype=np.int64) % 251).astype(np.uint8).reshape(IMAGES, *SHAPE)
    expected = int(pixels[:, 0, 0, 0].astype(np.int64).sum())
    report = Report("engine images", {"sum": expected}, IMAGES, IMAGES * size, repeat, peer="tf.data")
    source = tf.data.Dataset.from_tensor_slices(pixels).shuffle(IMAGES, seed=1)

    def normalize(image):
        return tf.cast(image, tf.float32) / 255.0

    plain = source.map(normalize, num_parallel_calls=AUTOTUNE).batch(BATCH).prefetch(AUTOTUNE)
    vectorized = source.batch(BATCH).map(normalize, num_parallel_calls=AUTOTUNE).prefetch(AUTOTUNE)

    def first_pixels(dataset):
        return {"sum": sum(int(np.rint(batch[:, 0, 0, 0] * 255).sum()) for batch in elements(dataset.as_numpy_iterator()))}

    for name, dataset in [("element by element", plain), ("vectorized", vectorized)][best_known:]:
        report.measure(name, lambda dataset=dataset: first_pixels(dataset))


def tabular(files, repeat, best_known):
    count = sum(len(batch) for batch in tf.data.TFRecordDataset(files).batch(1024).as_numpy_iterator())
    spec = feature_spec()
    plain = tf.data.TFRecordDataset(files)
    parallel = tf.data.TFRecordDataset(files, num_parallel_reads=AUTOTUNE)
    interleaved = tf.data.Dataset.from_tensor_slices(files).interleave(
        tf.data.TFRecordDataset, cycle_length=4, block_length=16, num_parallel_calls=AUTOTUNE, deterministic=False
    )

    def fast(read, calls):
        batches = read.shuffle(10_000, seed=1).batch(1024, num_parallel_calls=None)
        return batches.map(lambda records: tf.io.parse_example(records, spec), num_parallel_calls=calls).prefetch(AUTOTUNE)

    def labels(dataset):
        return {"sum": sum(int(batch["label"].sum()) for batch in elements(dataset.as_numpy_iterator()))}

    num_bytes = sum(tf.io.gfile.stat(file).length for file in files)
    report = Report("engine tabular", labels(fast(plain, None)), count, num_bytes, repeat, peer="tf.data")
    reads = [("one file at a time", plain), ("num_parallel_reads=AUTOTUNE", parallel), ("interleave of 4", interleaved)]
    for name, read in reads[:1] if best_known else reads:
        for calls in [None, AUTOTUNE] if best_known else [None, 2, AUTOTUNE]:
            dataset = fast(read, calls)
            report.measure(f"{name}, parse_example of batches, {calls} calls", lambda dataset=dataset: labels(dataset))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--best-known", action="store_true", help="only the settings that were best before")
    arguments = parser.parse_args()
    quiet_tensorflow()
    if arguments.files:
        tabular(arguments.files, arguments.repeat, arguments.best_known)
    else:
        scalars(arguments.repeat, arguments.best_known)
        images(arguments.repeat, arguments.best_known)


if __name__ == "__main__":
    main()
