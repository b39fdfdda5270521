#!/usr/bin/env python3
"""Is any everyday pipeline slower here than the same lines are in tf.data?

    python bench/everyday.py [--only TEXT] [--runs 3]      # in an environment with feedline (a release build) and TensorFlow

Each pipeline is a function of a library (`fl` or `tf`), written as tf.data's guide has it, so that both run the same text. What comes out is compared, element by
element, before anything is measured (of random ones shapes and types alone). A number is the best of the passes, as elements a second before batching, and the ratio. The two take turns.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from collections.abc import Callable, Iterator
from typing import Any

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")

import numpy as np
import tensorflow as tf

import feedline as fl

AUTOTUNE = -1
PIPELINES: dict[str, tuple[Callable[[Any], Any], int, float | None]] = {}
TEXT_LINES, RECORDS = 300_000, 100_000
RANDOM = np.random.default_rng(7)
IMAGES = RANDOM.integers(0, 256, (4000, 64, 64, 3)).astype(np.uint8)
LABELS = np.arange(len(IMAGES)) % 10
PHOTOS = RANDOM.integers(0, 256, (512, 224, 224, 3)).astype(np.uint8)
TABLE = {f"column{index}": RANDOM.random(100_000).astype(np.float32) for index in range(20)}
SERIES = RANDOM.random(50_000).astype(np.float32)
WEIGHTS = RANDOM.random((192, 64)).astype(np.float32)
FOLDER = tempfile.TemporaryDirectory()
LINES, SEQUENCES, COMPRESSED = (os.path.join(FOLDER.name, name) for name in ("lines.csv", "sequences", "compressed"))


def pipeline(elements: int, tolerance: float | None = 0.0) -> Callable[[Any], Any]:
    """Of so many elements; results may differ by ``tolerance``, or in everything but shapes where that is None."""

    def note(function: Any) -> Any:
        PIPELINES[function.__name__] = function, elements, tolerance
        return function

    return note


def dataset(lib: Any) -> Any:
    return (lib.data if lib is tf else lib).Dataset


def record_file(lib: Any, *arguments: Any, **options: Any) -> Any:
    return (lib.data if lib is tf else lib).TFRecordDataset(*arguments, **options)


def text_file(lib: Any, path: str) -> Any:
    return (lib.data if lib is tf else lib).TextLineDataset(path)


def ready(steps: Any) -> Any:
    return steps.prefetch(AUTOTUNE)


def write_files() -> None:
    with open(LINES, "w") as file:
        file.writelines(f"{row},{row * 0.5},word{row % 100},{row % 7}\n" for row in range(TEXT_LINES))
    with fl.io.TFRecordWriter(SEQUENCES) as writer:
        for row in range(RECORDS):
            writer.write(np.arange(row % 60 + 1, dtype=np.int32).tobytes())
    with fl.io.TFRecordWriter(COMPRESSED, options="GZIP") as writer:
        for _ in range(RECORDS):
            writer.write(RANDOM.integers(0, 50, 200).astype(np.uint8).tobytes())


# Images in memory: functions behind the batch, as tf.data's guide advises, and before it.


@pipeline(20_000, 1e-6)
def batch_scale_one_hot(lib):
    def scaled(image, label):
        return lib.cast(image, lib.float32) / 127.5 - 1.0, lib.one_hot(label, 10)

    return ready(dataset(lib).from_tensor_slices((IMAGES, LABELS)).repeat(5).batch(64).map(scaled, num_parallel_calls=AUTOTUNE))


@pipeline(512)
def batch_photos_as_floats(lib):
    steps = dataset(lib).from_tensor_slices(PHOTOS).batch(64)
    return ready(steps.map(lambda x: lib.cast(x, lib.float32) / 255.0, num_parallel_calls=AUTOTUNE))


@pipeline(512)
def batch_to_nchw(lib):
    steps = dataset(lib).from_tensor_slices(PHOTOS).batch(32)
    return ready(steps.map(lambda x: lib.transpose(lib.cast(x, lib.float32), [0, 3, 1, 2]), num_parallel_calls=AUTOTUNE))


@pipeline(4000, 1e-3)
def batch_resize_down(lib):
    steps = dataset(lib).from_tensor_slices(IMAGES).batch(64)
    return ready(steps.map(lambda x: lib.image.resize(x, (32, 32)), num_parallel_calls=AUTOTUNE))


@pipeline(4000, 1e-3)
def batch_resize_up(lib):
    steps = dataset(lib).from_tensor_slices(IMAGES).batch(64)
    return ready(steps.map(lambda x: lib.image.resize(x, (96, 96)), num_parallel_calls=AUTOTUNE))


@pipeline(16_000)
def batch_flip(lib):
    steps = dataset(lib).from_tensor_slices(IMAGES).repeat(4).batch(64)
    return ready(steps.map(lambda x: lib.image.flip_left_right(x), num_parallel_calls=AUTOTUNE))


@pipeline(16_000, 1e-4)
def batch_standardize(lib):
    steps = dataset(lib).from_tensor_slices(IMAGES).repeat(4).batch(64)
    return ready(steps.map(lambda x: lib.image.per_image_standardization(x), num_parallel_calls=AUTOTUNE))


@pipeline(16_000, 1e-3)
def batch_mean(lib):
    steps = dataset(lib).from_tensor_slices(IMAGES).repeat(4).batch(64)
    return ready(steps.map(lambda x: lib.reduce_mean(lib.cast(x, lib.float32), axis=[1, 2]), num_parallel_calls=AUTOTUNE))


@pipeline(8000, None)
def map_augment(lib):
    def changed(image):
        image = lib.image.random_flip_left_right(lib.image.random_crop(image, [56, 56, 3]))
        return lib.image.random_brightness(image, 0.2)

    return ready(dataset(lib).from_tensor_slices(IMAGES).repeat(2).map(changed, num_parallel_calls=AUTOTUNE).batch(64))


@pipeline(4000, 1e-4)
def map_adjust_colours(lib):
    def changed(image):
        image = lib.image.adjust_contrast(lib.cast(image, lib.float32) / 255.0, 1.2)
        return lib.image.adjust_saturation(image, 0.8)

    return ready(dataset(lib).from_tensor_slices(IMAGES).map(changed, num_parallel_calls=AUTOTUNE).batch(64))


@pipeline(20_000, 1e-6)
def cache_then_epochs(lib):
    steps = dataset(lib).from_tensor_slices((IMAGES, LABELS))
    steps = steps.map(lambda x, y: (lib.cast(x, lib.float32) / 255.0, y), num_parallel_calls=AUTOTUNE).cache()
    return ready(steps.shuffle(4000, seed=1).repeat(5).batch(64))


@pipeline(1536)
def shuffle_photos(lib):
    return ready(dataset(lib).from_tensor_slices(PHOTOS).shuffle(512, seed=1).repeat(3).batch(32))


@pipeline(4000, 1e-6)
def map_shuffle_images(lib):
    steps = dataset(lib).from_tensor_slices(IMAGES).map(lambda x: lib.cast(x, lib.float32) / 255.0, num_parallel_calls=AUTOTUNE)
    return ready(steps.shuffle(2000, seed=1).batch(64))


@pipeline(4000)
def unbatch_shuffle(lib):
    return ready(dataset(lib).from_tensor_slices(IMAGES).batch(128).unbatch().shuffle(500, seed=1).batch(32))


# Text, records, sequences.


@pipeline(TEXT_LINES)
def lines_split(lib):
    steps = text_file(lib, LINES).map(lambda line: lib.strings.split(line, ",")[2], num_parallel_calls=AUTOTUNE)
    return ready(steps.batch(256))


@pipeline(TEXT_LINES)
def lines_decode_csv(lib):
    steps = text_file(lib, LINES).batch(256)
    return ready(steps.map(lambda line: tuple(lib.io.decode_csv(line, [0, 0.0, "", 0])), num_parallel_calls=AUTOTUNE))


@pipeline(RECORDS)
def padded_batches(lib):
    steps = record_file(lib, SEQUENCES).map(lambda record: lib.io.decode_raw(record, lib.int32), num_parallel_calls=AUTOTUNE)
    return ready(steps.padded_batch(64, padded_shapes=[None]))


@pipeline(RECORDS)
def buckets_by_length(lib):
    steps = record_file(lib, SEQUENCES).map(lambda record: lib.io.decode_raw(record, lib.int32), num_parallel_calls=AUTOTUNE)
    return ready(steps.bucket_by_sequence_length(lambda x: lib.shape(x)[0], [10, 20, 30, 40, 50], [64] * 6))


@pipeline(RECORDS)
def compressed_records(lib):
    return ready(record_file(lib, COMPRESSED, compression_type="GZIP").batch(256))


@pipeline(8 * RECORDS)
def interleave_files(lib):
    files = dataset(lib).from_tensor_slices([SEQUENCES] * 8)
    steps = files.interleave(lambda file: record_file(lib, file), cycle_length=4, num_parallel_calls=AUTOTUNE)
    return ready(steps.batch(256))


# Numbers.


@pipeline(100_000)
def table_shuffle(lib):
    return ready(dataset(lib).from_tensor_slices((TABLE, np.arange(100_000) % 2)).shuffle(10_000, seed=1).batch(256))


@pipeline(49_971)
def windows_of_a_series(lib):
    windows = dataset(lib).from_tensor_slices(SERIES).window(30, shift=1, drop_remainder=True)
    steps = windows.flat_map(lambda window: window.batch(30)).shuffle(1000, seed=1)
    return ready(steps.map(lambda window: (window[:-1], window[-1:])).batch(32))


@pipeline(166_667)
def filter_numbers(lib):
    return ready(dataset(lib).range(500_000).filter(lambda x: x % 3 == 0).map(lambda x: x * 2).batch(256))


@pipeline(300_000)
def zip_shuffle(lib):
    pairs = dataset(lib).zip((dataset(lib).range(300_000), dataset(lib).range(300_000).map(lambda x: x * 2)))
    return ready(pairs.shuffle(1000, seed=1).batch(256))


@pipeline(200_000)
def sample_two(lib):
    two = [dataset(lib).range(200_000).repeat(), dataset(lib).range(200_000).repeat()]
    return ready(dataset(lib).sample_from_datasets(two, [0.3, 0.7], seed=1).take(200_000).batch(256))


@pipeline(200_000)
def repeat_few(lib):
    return ready(dataset(lib).range(10).repeat(20_000).batch(64))


@pipeline(320_000)
def interleave_numbers(lib):
    def numbers(offset):
        return dataset(lib).range(20_000).map(lambda x: x + offset)

    return ready(dataset(lib).range(16).interleave(numbers, cycle_length=4, num_parallel_calls=AUTOTUNE).batch(256))


@pipeline(200_000)
def group_numbers(lib):
    def batched(_key, window):
        return window.batch(64)

    return ready(dataset(lib).range(200_000).group_by_window(key_func=lambda x: x % 10, reduce_func=batched, window_size=64))


@pipeline(200_000)
def scan_numbers(lib):
    return ready(dataset(lib).range(200_000).scan(np.int64(0), lambda state, x: (state + x, state + x)).batch(256))


@pipeline(200_000)
def one_by_one(lib):
    return dataset(lib).range(200_000).map(lambda x: x + 1, num_parallel_calls=AUTOTUNE)


@pipeline(100_000, 1e-2)
def batch_matmul(lib):
    rows = PHOTOS.reshape(-1, 192)[:100_000].astype(np.float32)
    return ready(dataset(lib).from_tensor_slices(rows).batch(256).map(lambda x: lib.matmul(x, WEIGHTS), num_parallel_calls=AUTOTUNE))


# Code of the user's.


@pipeline(30_000)
def generator_of_numbers(lib):
    def numbers():
        for number in range(30_000):
            yield number, np.float32(number)

    signature = (lib.TensorSpec((), lib.int64), lib.TensorSpec((), lib.float32))
    return ready(dataset(lib).from_generator(numbers, output_signature=signature).batch(128))


@pipeline(5000)
def generator_of_arrays(lib):
    array = np.zeros((64, 64, 3), np.float32)

    def arrays():
        for _ in range(5000):
            yield array

    return ready(dataset(lib).from_generator(arrays, output_signature=lib.TensorSpec((64, 64, 3), lib.float32)).batch(64))


@pipeline(20_000)
def numpy_function(lib):
    return ready(dataset(lib).range(20_000).map(lambda x: lib.numpy_function(lambda value: value + 1, [x], lib.int64)).batch(64))


def leaves(element: Any) -> Iterator[np.ndarray]:
    if isinstance(element, dict):
        element = [element[key] for key in sorted(element)]
    if isinstance(element, (tuple, list)):
        for part in element:
            yield from leaves(part)
    else:
        yield np.asarray(element)


def check(name: str, make: Callable[[Any], Any], tolerance: float | None) -> None:
    pairs = zip(make(fl).as_numpy_iterator(), make(tf).as_numpy_iterator(), strict=True)
    for index, (ours, theirs) in enumerate(pairs):
        for one, other in zip(leaves(ours), leaves(theirs), strict=True):
            is_same = one.shape == other.shape and one.dtype.kind == other.dtype.kind
            if is_same and tolerance == 0.0:
                is_same = bool((one == other).all())
            elif is_same and tolerance is not None:
                is_same = np.allclose(one, other, rtol=tolerance, atol=tolerance)
            if not is_same:
                raise SystemExit(f"{name}: element {index} differs from tf.data's")


def rate(steps: Any, elements: int) -> float:
    start = time.perf_counter()
    for _ in steps.as_numpy_iterator():
        pass
    return elements / (time.perf_counter() - start)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="pipelines with this in their name")
    parser.add_argument("--runs", type=int, default=3)
    arguments = parser.parse_args()
    write_files()
    print(f"elements a second, best of {arguments.runs}, {os.cpu_count()} cores, TensorFlow {tf.__version__}")
    print(f"{'pipeline':26}{'feedline':>14}{'tf.data':>14}{'ratio':>10}")
    ratios = {}
    for name, (make, elements, tolerance) in PIPELINES.items():
        if arguments.only not in name:
            continue
        check(name, make, tolerance)
        ours, theirs = make(fl), make(tf)
        passes = [(rate(ours, elements), rate(theirs, elements)) for _ in range(arguments.runs)]
        best, best_theirs = (max(side) for side in zip(*passes, strict=True))
        ratios[name] = best / best_theirs
        print(f"{name:26}{best:>14,.0f}{best_theirs:>14,.0f}{ratios[name]:>10.2f}", flush=True)
    slower = [name for name, ratio in ratios.items() if ratio < 1.0]
    print(f"{len(ratios)} pipelines, slower than tf.data: {', '.join(slower) or 'none'}")


if __name__ == "__main__":
    with FOLDER:
        main()
