"""Question: how fast does one library run the pipelines of bench/from_python.py, from Python?

Run:   python python_contender.py feedline|tf.data|torch|grain --data FOLDER [--repeat 3] [--only QUESTION]
With:  the library, and numpy.

Prints a JSON line for each question and setting: seconds of each pass, and the memory of the process and its children (PSS: pages that several share
count once): in all when it is done, how much of that the process had not before the pipeline was made, with its data made and the library imported, and the
most of it in a last pass, untimed, in which it is looked at all the time. A first pass is untimed, too. The checksum is compared with what the formulas of the data say; that
of scalars in the untimed pass alone, since adding up 256 numbers takes numpy about half as long as making them takes us. Of large batches the
time is that of taking one that was made meanwhile.
"""

import argparse
import dataclasses
import gc
import glob
import json
import os
import statistics
import threading
import time
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

SCALARS, SCALARS_OF_TF, SCALARS_OF_SLOW = 5_000_000, 2_000_000, 200_000  # a rate is compared: seconds of each, so that no start counts
IMAGES, SHAPE, BATCH = 50_000, (32, 32, 3), 128
PHOTOS, PHOTO_SHAPE, PHOTO_BATCH = 512, (224, 224, 3), 32
HANDED, PAUSE_S = 50, 0.05  # while it pauses, the next batch is made
CALLS = 50_000
LOOKS_EVERY_S = 0.02
TABULAR_ROWS, TABULAR_FILES = 25_000, 4
FLOATS = [f"f{k:02}" for k in range(13)]
INTS = [f"i{k:02}" for k in range(26)]
MEAN, STD = np.float32([0.485, 0.456, 0.406]), np.float32([0.229, 0.224, 0.225])


def row_values(row):
    """As peer_report.row_values."""
    values = {key: ((row * 31 + k * 17) % 1000) / 8.0 for k, key in enumerate(FLOATS)}
    values |= {key: (row * 2654435761 + k * 40503) % (10 ** (1 + k % 7)) for k, key in enumerate(INTS)}
    return values | {"label": row % 10}


def small_images():
    size = int(np.prod(SHAPE))
    return (np.arange(IMAGES * size, dtype=np.int64) % 251).astype(np.uint8).reshape(IMAGES, *SHAPE)


def photos():
    return np.random.default_rng(1).integers(0, 255, (PHOTOS, *PHOTO_SHAPE), np.uint8)


def prepare_photo(photo):
    """What many a training script does with numpy."""
    return ((photo[:, ::-1].astype(np.float32) / np.float32(255.0)) - MEAN) / STD


def first_pixels(batch):
    return int(np.rint(np.asarray(batch)[:, 0, 0, 0] * 255).astype(np.int64).sum())


def photo_sum(batch):
    return int(np.rint((np.asarray(batch)[:, 0, 0, 0] * STD[0] + MEAN[0]) * 255).astype(np.int64).sum())


EXPECTED = {
    "images in memory": lambda: int(small_images()[:, 0, 0, 0].astype(np.int64).sum()),
    "tabular records": lambda: sum(row % 10 for row in range(TABULAR_ROWS * TABULAR_FILES)),
    "numpy function, 2 processes": lambda: int(photos()[:, 0, -1, 0].astype(np.int64).sum()),
    "38 MB batch": lambda: HANDED,
    "traced function": lambda: CALLS * 3,
    "Python function": lambda: CALLS * 3,
}
ELEMENTS = {
    "images in memory": IMAGES,
    "tabular records": TABULAR_ROWS * TABULAR_FILES,
    "numpy function, 2 processes": PHOTOS,
    "38 MB batch": HANDED,
    "traced function": CALLS,
    "Python function": CALLS,
}


@dataclasses.dataclass
class Scalars:
    """A pass over batches of the numbers from 1 to ``count``."""

    count: int
    batches: Callable[[], Iterable[Any]]

    def __call__(self):
        return sum(len(batch) for batch in self.batches())

    def check(self):
        if sum(int(batch.sum()) for batch in self.batches()) != self.count * (self.count + 1) // 2:
            raise SystemExit(f"scalars: other numbers than 1 to {self.count}")


@dataclasses.dataclass
class Handing:
    """Batches that are there already: what counts is the time to take one and look at its first value. The median: work on
    the first begins when it is asked for, and one that was late says nothing about taking it."""

    batches: Callable[[], Iterable[Any]]
    taken_s: float = 0.0

    def __call__(self):
        taken, found, batches = [], 0, iter(self.batches())
        for _ in range(HANDED):
            time.sleep(PAUSE_S)
            start = time.perf_counter()
            batch = next(batches)
            found += int(batch[0, 0, 0, 0])
            taken.append(time.perf_counter() - start)
        self.taken_s = statistics.median(taken) * HANDED
        return found


class Memory:
    """What the pipelines of a question take beside what was there before them."""

    start_mib = 0

    @classmethod
    def starts_here(cls, data=None):
        """Data is made and the library imported; the pipelines are not."""
        gc.collect()
        cls.start_mib = memory_mib()
        return data

    @classmethod
    def most_mib(cls, run):
        """The most that `run` takes at a time, and what it gives."""
        most, is_over = [memory_mib()], threading.Event()

        def look():
            while not is_over.wait(LOOKS_EVERY_S):
                most.append(memory_mib())

        looking = threading.Thread(target=look)
        looking.start()
        try:
            found = run()
        finally:
            is_over.set()
            looking.join()
        return max(most) - cls.start_mib, found


# Each contender: what it does for each question, as settings and what to run. Only what is asked for is made, data first.


def feedline(data):
    import feedline as fl

    def scalars():
        dataset = fl.Dataset.range(SCALARS).map(lambda x: x + 1).shuffle(10_000, seed=1).batch(256).prefetch(fl.AUTOTUNE)
        yield "as written", Scalars(SCALARS, lambda: dataset)

    def images():
        dataset = fl.Dataset.from_tensor_slices(Memory.starts_here(small_images())).shuffle(IMAGES, seed=1)
        dataset = dataset.map(lambda x: fl.cast(x, fl.float32) / 255.0).batch(BATCH).prefetch(fl.AUTOTUNE)
        yield "as written", lambda: sum(map(first_pixels, dataset))

    def tabular():
        spec = {key: fl.io.FixedLenFeature([], fl.float32) for key in FLOATS}
        spec |= {key: fl.io.FixedLenFeature([], fl.int64) for key in [*INTS, "label"]}
        records = fl.TFRecordDataset(tabular_files(data)).shuffle(10_000, seed=1)
        dataset = records.map(lambda r: fl.io.parse_single_example(r, spec)).batch(1024).prefetch(fl.AUTOTUNE)
        yield "as written", lambda: sum(int(b["label"].sum()) for b in dataset)

    def processes():
        output = fl.TensorSpec(PHOTO_SHAPE, fl.float32)
        dataset = fl.Dataset.from_tensor_slices(Memory.starts_here(photos()))
        dataset = dataset.map(prepare_photo, 2, python=True, output_spec=output, workers="process").batch(PHOTO_BATCH)
        yield 'workers="process"', lambda: sum(map(photo_sum, dataset))

    def handing():
        dataset = fl.Dataset.from_tensor_slices(Memory.starts_here(np.zeros((64, *PHOTO_SHAPE), np.uint8))).repeat()
        dataset = dataset.map(lambda x: fl.cast(x, fl.float32) + 1.0).batch(64).prefetch(2)
        yield "numpy", Handing(lambda: dataset)
        try:
            import torch  # noqa: F401
        except ImportError:
            return
        yield "to_torch", Handing(dataset.to_torch)

    def rows():
        return fl.Dataset.from_tensor_slices(np.ones((CALLS, 10), np.float32))

    def traced():
        dataset = rows().map(lambda x: x * 2 + 1).batch(1000)
        yield "traced", lambda: sum(int(b[:, 0].sum()) for b in dataset)

    def called():
        spec = fl.TensorSpec([10], fl.float32)
        dataset = rows().map(lambda x: x * 2 + 1, python=True, output_spec=spec).batch(1000)
        yield "python=True", lambda: sum(int(b[:, 0].sum()) for b in dataset)

    return dict(zip(["scalars", *EXPECTED], (scalars, images, tabular, processes, handing, traced, called), strict=True))


def tf_data(data):
    import tensorflow as tf

    auto = tf.data.AUTOTUNE

    # Batch before map, as its performance page advises: faster here than element by element.
    def scalars():
        dataset = tf.data.Dataset.range(SCALARS_OF_TF).shuffle(10_000, seed=1).batch(256)
        dataset = dataset.map(lambda x: x + 1).prefetch(auto)
        yield "vectorized", Scalars(SCALARS_OF_TF, dataset.as_numpy_iterator)

    def images():
        dataset = tf.data.Dataset.from_tensor_slices(Memory.starts_here(small_images())).shuffle(IMAGES, seed=1).batch(BATCH)
        dataset = dataset.map(lambda x: tf.cast(x, tf.float32) / 255.0, num_parallel_calls=auto).prefetch(auto)
        yield "vectorized", lambda: sum(map(first_pixels, dataset.as_numpy_iterator()))

    def tabular():
        spec = {key: tf.io.FixedLenFeature([], tf.float32) for key in FLOATS}
        spec |= {key: tf.io.FixedLenFeature([], tf.int64) for key in [*INTS, "label"]}
        dataset = tf.data.TFRecordDataset(tabular_files(data)).shuffle(10_000, seed=1).batch(1024)
        dataset = dataset.map(lambda r: tf.io.parse_example(r, spec), num_parallel_calls=auto).prefetch(auto)
        yield "vectorized", lambda: sum(int(b["label"].sum()) for b in dataset.as_numpy_iterator())

    def handing():
        dataset = tf.data.Dataset.from_tensor_slices(Memory.starts_here(np.zeros((64, *PHOTO_SHAPE), np.uint8))).repeat()
        dataset = dataset.batch(64).map(lambda x: tf.cast(x, tf.float32) + 1.0, num_parallel_calls=auto).prefetch(2)
        yield "as_numpy_iterator", Handing(dataset.as_numpy_iterator)

    return {"scalars": scalars, "images in memory": images, "tabular records": tabular, "38 MB batch": handing}


def torch_loader(data):
    import torch
    from torch.utils.data import DataLoader, Dataset

    class Vectorized(Dataset):
        def __init__(self, count, make):
            self.count, self.make = count, make

        def __len__(self):
            return self.count

        def __getitems__(self, indices):
            return self.make(torch.tensor(indices))

    class Photos(Dataset):
        def __init__(self):
            self.photos = Memory.starts_here(photos())

        def __len__(self):
            return PHOTOS

        def __getitem__(self, index):
            return prepare_photo(self.photos[index])

    def loaders(count, make, batch_size, all_workers=(0, 2)):
        for workers in all_workers:
            common = {"shuffle": True, "num_workers": workers, "collate_fn": lambda batch: batch}
            yield f"vectorized, {workers} workers", DataLoader(Vectorized(count, make), batch_size=batch_size, **common)

    def scalars():
        for count, workers in ((SCALARS, 0), (SCALARS_OF_SLOW, 2)):
            for setting, loader in loaders(count, lambda i: i + 1, 256, [workers]):
                yield setting, Scalars(count, lambda loader=loader: loader)

    def images():
        pixels = Memory.starts_here(torch.from_numpy(small_images()))
        for setting, loader in loaders(IMAGES, lambda i: pixels[i].float() / 255.0, BATCH):
            yield setting, lambda loader=loader: sum(map(first_pixels, loader))

    def processes():
        # Workers that stay, as feedline's do: starting them is no part of a pass.
        loader = DataLoader(Photos(), batch_size=PHOTO_BATCH, num_workers=2, persistent_workers=True)
        yield "DataLoader, 2 workers", lambda: sum(map(photo_sum, loader))

    return {"scalars": scalars, "images in memory": images, "numpy function, 2 processes": processes}


def grain(data):
    import grain.python as grain

    options = grain.ReadOptions(num_threads=0, prefetch_buffer_size=0)  # faster here than with threads

    def scalars():
        dataset = grain.MapDataset.range(SCALARS_OF_SLOW).map(lambda x: x + 1).shuffle(seed=1).batch(256)
        yield "0 threads", Scalars(SCALARS_OF_SLOW, lambda: dataset.to_iter_dataset(options))

    def images():
        dataset = grain.MapDataset.source(Memory.starts_here(small_images())).shuffle(seed=1)
        dataset = dataset.map(lambda x: x.astype(np.float32) / 255.0).batch(BATCH)
        yield "0 threads", lambda: sum(map(first_pixels, dataset.to_iter_dataset(options)))

    return {"scalars": scalars, "images in memory": images}


CONTENDERS = {"feedline": feedline, "tf.data": tf_data, "torch": torch_loader, "grain": grain}


def tabular_files(data):
    return sorted(glob.glob(f"{data}/python-tabular-*.tfrecord"))


def write_data(folder):
    import feedline as fl

    os.makedirs(folder, exist_ok=True)
    for file in range(TABULAR_FILES):
        path = f"{folder}/python-tabular-{file}.tfrecord"
        if not os.path.exists(path):
            with fl.io.TFRecordWriter(path) as writer:
                for row in range(file * TABULAR_ROWS, (file + 1) * TABULAR_ROWS):
                    writer.write(fl.io.example(row_values(row)))


def memory_mib():
    """Of this process and all its children."""
    parents = {}
    for path in glob.glob("/proc/[0-9]*/stat"):
        try:
            with open(path) as stat:
                parents[int(path.split("/")[2])] = int(stat.read().rpartition(")")[2].split()[1])
        except OSError:
            pass
    family = {os.getpid()}
    while more := {process for process, parent in parents.items() if parent in family} - family:
        family |= more
    total = 0
    for process in family:
        try:
            with open(f"/proc/{process}/smaps_rollup") as rollup:
                total += sum(int(line.split()[1]) for line in rollup if line.startswith("Pss:"))
        except OSError:
            pass
    return total // 1024


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("contender", choices=CONTENDERS)
    parser.add_argument("--data", required=True)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--only", default="")
    arguments = parser.parse_args()
    if arguments.contender == "feedline":
        write_data(arguments.data)
    questions = CONTENDERS[arguments.contender](arguments.data)
    for question in (question for question in questions if arguments.only in question):
        Memory.starts_here()
        for setting, run in questions[question]():
            measure(arguments, question, setting, run)


def measure(arguments, question, setting, run):
    seconds = []
    if isinstance(run, Scalars):
        expected = elements = run.count
        run.check()
    else:
        expected, elements = EXPECTED[question](), ELEMENTS[question]
    for turn in range(arguments.repeat + 1):
        start = time.perf_counter()
        found = run()
        taken = time.perf_counter() - start
        if found != expected:
            raise SystemExit(f"{arguments.contender}, {question}, {setting}: {found} instead of {expected}")
        if turn:
            seconds.append(run.taken_s if isinstance(run, Handing) else taken)
    memory = memory_mib()
    most, found = Memory.most_mib(run)
    if found != expected:
        raise SystemExit(f"{arguments.contender}, {question}, {setting}: {found} instead of {expected} in the pass whose memory was looked at")
    line = {
        "contender": arguments.contender, "question": question, "setting": setting, "elements": elements,
        "seconds": seconds, "median_seconds": statistics.median(seconds), "memory_mib": memory,
        "memory_added_mib": memory - Memory.start_mib, "memory_most_added_mib": most,
    }
    print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main()
