"""Question: how fast do torch's DataLoader and Grain run the engine's pipelines, at their best?

Run:   python engine_others.py [--repeat 3]
With:  torch and grain, whichever is installed.

The same work as `feedline-bench engine` in memory: numbers mapped, shuffled and batched; images shuffled, made float32 and
batched. torch: a Dataset with `__getitems__`, so that a batch is one vectorized gather, with 0 and 2 workers that stay. Grain: MapDataset,
shuffled globally, with and without worker threads. The first pass of each is untimed.
"""

import argparse
import json
import statistics
import time

import numpy as np

TORCH_COUNT, COUNT = 1_000_000, 200_000  # less than feedline's five million: they take long enough
IMAGES, SHAPE, BATCH = 50_000, (32, 32, 3), 128


def measure(question, peer, setting, repeat, elements, expected, run):
    seconds = []
    for turn in range(repeat + 1):
        start = time.perf_counter()
        found = run()
        if found != expected:
            raise SystemExit(f"{question}, {peer}, {setting}: checksum {found} instead of {expected}")
        if turn:
            seconds.append(time.perf_counter() - start)
    median = statistics.median(seconds)
    line = {"question": question, "peer": peer, "setting": setting, "records": elements, "seconds": seconds,
            "median_seconds": median, "records_per_second": elements / median}
    print(json.dumps(line), flush=True)


def pixels():
    size = int(np.prod(SHAPE))
    images = (np.arange(IMAGES * size, dtype=np.int64) % 251).astype(np.uint8).reshape(IMAGES, *SHAPE)
    return images, int(images[:, 0, 0, 0].astype(np.int64).sum())


def first_pixels(batch):
    return int(np.rint(np.asarray(batch)[:, 0, 0, 0] * 255).astype(np.int64).sum())


def with_torch(repeat):
    import torch
    from torch.utils.data import DataLoader, Dataset

    class Numbers(Dataset):
        def __len__(self):
            return TORCH_COUNT

        def __getitem__(self, index):
            return index + 1

        def __getitems__(self, indices):
            return torch.tensor(indices) + 1

    class Images(Dataset):
        def __init__(self, images):
            self.images = torch.from_numpy(images)

        def __len__(self):
            return len(self.images)

        def __getitem__(self, index):
            return self.images[index].float() / 255.0

        def __getitems__(self, indices):
            return self.images[torch.tensor(indices)].float() / 255.0

    images, expected = pixels()
    for workers in (0, 2):
        common = {"shuffle": True, "num_workers": workers, "collate_fn": lambda batch: batch, "persistent_workers": workers > 0}
        numbers = DataLoader(Numbers(), batch_size=256, **common)
        setting = f"vectorized, {workers} workers"
        measure("engine scalars", "torch", setting, repeat, TORCH_COUNT, TORCH_COUNT * (TORCH_COUNT + 1) // 2, lambda: sum(int(b.sum()) for b in numbers))
        loader = DataLoader(Images(images), batch_size=BATCH, **common)
        measure("engine images", "torch", setting, repeat, IMAGES, expected, lambda: sum(first_pixels(b) for b in loader))


def with_grain(repeat):
    import grain.python as grain

    numbers = grain.MapDataset.range(COUNT).map(lambda x: x + 1).shuffle(seed=1).batch(256)
    images, expected = pixels()
    shuffled = grain.MapDataset.source(images).shuffle(seed=1).map(lambda image: image.astype(np.float32) / 255.0).batch(BATCH)
    for threads in (0, 2):
        options = grain.ReadOptions(num_threads=threads, prefetch_buffer_size=threads * 16)
        setting = f"{threads} threads"
        measure("engine scalars", "grain", setting, repeat, COUNT, COUNT * (COUNT + 1) // 2, lambda: sum(int(b.sum()) for b in numbers.to_iter_dataset(options)))
        measure("engine images", "grain", setting, repeat, IMAGES, expected, lambda: sum(first_pixels(b) for b in shuffled.to_iter_dataset(options)))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeat", type=int, default=3)
    repeat = parser.parse_args().repeat
    for peer in (with_torch, with_grain):
        try:
            peer(repeat)
        except ImportError as missing:
            print(f"left out: {missing}")


if __name__ == "__main__":
    main()
