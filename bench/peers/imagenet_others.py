"""Question: how fast do torch's DataLoader with Pillow, and DALI on the CPU, make batches of ImageNet training and evaluation of photos?

Run:   python imagenet_others.py {torch,dali} [--repeat 5] FOLDER
With:  torch and torchvision, or nvidia-dali.

The same photos and the same work as `feedline-bench imagenet`: decode, random resized crop to 224, flip, normalize to float32, batch of
64; and shorter side to 256, the middle 224, normalize. Windows are drawn by each one's own generator, of the same distribution. The
first pass of each is untimed, and workers stay from one pass to the next.
"""

import argparse
import math
import pathlib

from peer_report import Report

BATCH, SIDE, CORES = 64, 224, 2
MEAN, STD = [123.675, 116.28, 103.53], [58.395, 57.12, 57.375]


def torch_loaders(paths):
    import torch
    from PIL import Image
    from torch.utils.data import DataLoader, Dataset
    from torchvision import transforms

    normalized = [transforms.ToTensor(), transforms.Normalize([m / 255 for m in MEAN], [s / 255 for s in STD])]
    works = {
        "train": [transforms.RandomResizedCrop(SIDE), transforms.RandomHorizontalFlip()],
        "eval": [transforms.Resize(256), transforms.CenterCrop(SIDE)],
    }

    class Photos(Dataset):
        def __init__(self, work):
            self.work = transforms.Compose(work + normalized)

        def __len__(self):
            return len(paths)

        def __getitem__(self, index):
            return self.work(Image.open(paths[index]).convert("RGB")), index

    torch.set_num_threads(1)  # the workers are processes, one for each core
    for name, work in works.items():
        loader = DataLoader(Photos(work), batch_size=BATCH, num_workers=CORES, persistent_workers=True)
        yield name, f"DataLoader, {CORES} workers, Pillow", lambda loader=loader: sum(int(labels.sum()) for _, labels in loader)


def dali_pipelines(paths):
    from nvidia.dali import fn, pipeline_def, types

    def finished(images, mirror):
        return fn.crop_mirror_normalize(
            images, crop=(SIDE, SIDE), mirror=mirror, mean=MEAN, std=STD, dtype=types.FLOAT, output_layout="HWC")

    @pipeline_def(batch_size=BATCH, num_threads=CORES, device_id=None)
    def train():
        files, labels = fn.readers.file(files=paths, labels=list(range(len(paths))), name="photos")
        images = fn.decoders.image_random_crop(files, device="cpu", random_area=[0.08, 1.0], random_aspect_ratio=[3 / 4, 4 / 3])
        images = fn.resize(images, size=[SIDE, SIDE], antialias=False)
        return finished(images, fn.random.coin_flip()), labels

    @pipeline_def(batch_size=BATCH, num_threads=CORES, device_id=None)
    def evaluation():
        files, labels = fn.readers.file(files=paths, labels=list(range(len(paths))), name="photos")
        images = fn.resize(fn.decoders.image(files, device="cpu"), resize_shorter=256, antialias=False)
        return finished(images, 0), labels

    for name, make in [("train", train), ("eval", evaluation)]:
        pipeline = make(prefetch_queue_depth=2)
        pipeline.build()

        def run(pipeline=pipeline):
            batches = (pipeline.run()[1].as_array() for _ in range(epochs(paths) * len(paths) // BATCH))
            return sum(int(labels.sum()) for labels in batches)

        yield name, f"CPU, {CORES} threads", run


def epochs(paths):
    """Its batches go over the end of an epoch: so many epochs are whole batches again."""
    return math.lcm(len(paths), BATCH) // len(paths)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("peer", choices=["torch", "dali"])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--repeat", type=int, default=5)
    arguments = parser.parse_args()
    paths = sorted(str(path) for path in arguments.folder.glob("*.jpg"))
    count, num_bytes = len(paths), sum(pathlib.Path(path).stat().st_size for path in paths)
    ways, times, package = {
        "torch": (torch_loaders, 1, "torchvision"), "dali": (dali_pipelines, epochs(paths), "nvidia-dali-cuda120"),
    }[arguments.peer]
    expected = {"sum": times * count * (count - 1) // 2}
    for name, setting, run in ways(paths):
        report = Report(f"imagenet {name}", expected, times * count, times * num_bytes, arguments.repeat, arguments.peer, package)
        report.measure(setting, lambda run=run: {"sum": run()})


if __name__ == "__main__":
    main()
