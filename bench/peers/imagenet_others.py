"""Question: how fast do torch's DataLoader with Pillow, WebDataset, DALI on the CPU, and FFCV make batches of ImageNet training and evaluation of photos?

Run:   python imagenet_others.py {torch,webdataset,dali,ffcv} [--repeat 5] FOLDER [RESULTS]
With:  torch and torchvision (for WebDataset also webdataset), or nvidia-dali, or ffcv (needs OpenCV's and libjpeg-turbo's headers, and numpy 1).

The same photos and the same work as `feedline-bench imagenet`: decode, random resized crop to 224, flip, normalize to float32, batch of
64; and shorter side to 256, the middle 224, normalize. Windows are drawn by each one's own generator, of the same distribution. The
first pass of each is untimed, and workers stay from one pass to the next.

With RESULTS, where feedline-bench left its first batches, the first batch of each is compared with feedline's before any time is taken.
Of evaluation: of photos whose scaled size and middle are the same however halves are rounded. Of training: the windows that feedline drew, and
its flips, are given to each one's own decoding, cropping and scaling, outside of the pipeline that is timed, which draws its own (FFCV's
cannot be given any). torch's has Pillow's filter, which is feedline's with antialias, rounded to bytes twice. DALI's is feedline's own, but
differs at sharp edges by more than roundings (why was not looked into), and FFCV scales by OpenCV's areas, in evaluation the middle of
the photo, which is another picture at every edge: of these two the mean is held against a limit. WebDataset's pipelines are torch's
functions, which are compared with torch's.
"""

import argparse
import importlib.metadata
import json
import math
import pathlib

from peer_report import Report

BATCH, SIDE, CORES = 64, 224, 2
MEAN, STD = [123.675, 116.28, 103.53], [58.395, 57.12, 57.375]


TOLERANCES = {"torch": ("-antialias", "distance", 0.05), "dali": ("", "mean_distance", 0.03), "ffcv": ("", "mean_distance", 0.1)}
"""With which of feedline's batches each is compared, by what, and how far it may be: a level of 255 is 0.0175 here."""


def size_of(path):
    """Height and width of a JPEG, from its frame header."""
    data = pathlib.Path(path).read_bytes()
    at = 2
    while data[at + 1] not in (0xC0, 0xC1, 0xC2):
        at += 2 + int.from_bytes(data[at + 2:at + 4], "big")
    return int.from_bytes(data[at + 5:at + 7], "big"), int.from_bytes(data[at + 7:at + 9], "big")


def compare(peer, name, images, results, same):
    """A first batch, height x width x channels, against feedline's; `same` are the photos of which it must be equal."""
    import numpy as np

    kind, measure, limit = TOLERANCES[peer]
    own = np.fromfile(results / f"{name}{kind}.f32", "<f4").reshape(-1, SIDE, SIDE, 3)
    apart = np.abs(np.asarray(images)[same] - own[same])
    found = {"distance": float(apart.max()), "mean_distance": float(apart.mean())}
    words = f"{limit:g} {'at most' if measure == 'distance' else 'in the mean'}"
    print(json.dumps({"peer": peer, "group": f"imagenet {name}", **found, "tolerance": words, "compared": len(same)}), flush=True)
    assert same and found[measure] <= limit, f"{peer}: feedline's batch of {name} is {found} away"


def compared_of_evaluation(paths):
    """The photos of the first batch that are as large whether their size is cut or rounded, with as much left on both sides."""
    same = []
    for index, path in enumerate(paths[:BATCH]):
        shorter, longer = sorted(size_of(path))
        scaled = 256 * longer / shorter
        if round(scaled) == int(scaled) and (int(scaled) - SIDE) % 2 == 0:
            same.append(index)
    return same


def torch_windows(paths, windows):
    """The windows of photos, as torchvision's training makes them of those it draws."""
    import torch
    from PIL import Image
    from torchvision.transforms import functional

    images = []
    for path, (y, x, height, width, is_mirrored) in zip(paths, windows):
        image = functional.resized_crop(Image.open(path).convert("RGB"), y, x, height, width, [SIDE, SIDE])
        image = functional.to_tensor(functional.hflip(image) if is_mirrored else image)
        images.append(functional.normalize(image, [m / 255 for m in MEAN], [s / 255 for s in STD]))
    return torch.stack(images).permute(0, 2, 3, 1).numpy()


def dali_windows(paths, windows):
    """The same of DALI's operations, the decoder being the one that is given a window instead of drawing it."""
    import numpy as np
    from nvidia.dali import fn, pipeline_def, types

    numbers = [np.array(column, np.int32) for column in zip(*windows)]
    anchors, shapes = np.stack(numbers[:2], 1), np.stack(numbers[2:4], 1)

    @pipeline_def(batch_size=len(windows), num_threads=CORES, device_id=None)
    def windowed():
        files, _ = fn.readers.file(files=paths[:len(windows)], labels=list(range(len(windows))))
        given = [fn.external_source(source=[list(values)], cycle=True) for values in (anchors, shapes, numbers[4])]
        images = fn.decoders.image_slice(files, device="cpu", start=given[0], shape=given[1], axes=[0, 1])
        images = fn.resize(images, size=[SIDE, SIDE], antialias=False)
        return fn.crop_mirror_normalize(
            images, crop=(SIDE, SIDE), mirror=given[2], mean=MEAN, std=STD, dtype=types.FLOAT, output_layout="HWC")

    pipeline = windowed(prefetch_queue_depth=1)
    pipeline.build()
    return pipeline.run()[0].as_array()


def ffcv_windows(paths, windows):
    """The same of FFCV's functions: its decoders call these two with the windows they draw."""
    import numpy as np
    from ffcv.libffcv import imdecode, resize_crop

    images = np.empty((len(windows), SIDE, SIDE, 3), np.uint8)
    for image, path, (y, x, height, width, is_mirrored) in zip(images, paths, windows):
        rows, columns = size_of(path)
        photo = np.empty((rows, columns, 3), np.uint8)
        imdecode(np.fromfile(path, np.uint8), photo, rows, columns, rows, columns, 0, 0, 1, 1, False, False)
        resize_crop(photo, y, y + height, x, x + width, image)
        if is_mirrored:
            image[:] = image[:, ::-1].copy()
    return (images.astype(np.float32) - np.array(MEAN, np.float32)) / np.array(STD, np.float32)


WINDOWED = {"torch": torch_windows, "dali": dali_windows, "ffcv": ffcv_windows}


def torchvision_works():
    """What is done to an image of Pillow's, by the name of the pipeline."""
    from torchvision import transforms

    normalized = [transforms.ToTensor(), transforms.Normalize([m / 255 for m in MEAN], [s / 255 for s in STD])]
    return {
        "train": transforms.Compose([transforms.RandomResizedCrop(SIDE), transforms.RandomHorizontalFlip(), *normalized]),
        "eval": transforms.Compose([transforms.Resize(256), transforms.CenterCrop(SIDE), *normalized]),
    }


def torch_loaders(paths):
    import torch
    from PIL import Image
    from torch.utils.data import DataLoader, Dataset

    class Photos(Dataset):
        def __init__(self, work):
            self.work = work

        def __len__(self):
            return len(paths)

        def __getitem__(self, index):
            return self.work(Image.open(paths[index]).convert("RGB")), index

    torch.set_num_threads(1)  # the workers are processes, one for each core
    for name, work in torchvision_works().items():
        loader = DataLoader(Photos(work), batch_size=BATCH, num_workers=CORES, persistent_workers=True)
        first = lambda loader=loader: next(iter(loader))[0].permute(0, 2, 3, 1).numpy()
        yield name, f"DataLoader, {CORES} workers, Pillow", lambda loader=loader: sum(int(labels.sum()) for _, labels in loader), first


def webdataset_loaders(paths):
    """Its own tar files, one for each worker, decoded by Pillow and batched in the workers as its documentation advises."""
    import tempfile

    import torch
    import webdataset as wds

    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as folder:
        shards = [f"{folder}/{shard}.tar" for shard in range(CORES)]
        for shard, name in enumerate(shards):
            with wds.TarWriter(name) as writer:
                for index in range(shard, len(paths), CORES):
                    writer.write({"__key__": f"{index:06}", "jpg": pathlib.Path(paths[index]).read_bytes(), "cls": index})
        for name, work in torchvision_works().items():
            dataset = wds.WebDataset(shards, shardshuffle=False).decode("pil").to_tuple("jpg", "cls")
            dataset = dataset.map_tuple(work, lambda label: label).batched(BATCH, partial=True)
            loader = wds.WebLoader(dataset, batch_size=None, num_workers=CORES, persistent_workers=True)
            yield name, f"WebLoader, {CORES} workers, Pillow", lambda loader=loader: sum(int(labels.sum()) for _, labels in loader), None


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

        # The batches of a pass are all photos, the same number of times each, wherever it begins.
        yield name, f"CPU, {CORES} threads", run, lambda pipeline=pipeline: pipeline.run()[0].as_array()


def ffcv_loaders(paths):
    """Its own file, with the photos' bytes as they are: its writer would encode them anew."""
    import tempfile

    import ffcv.transforms as transforms
    import numpy as np
    from ffcv.fields import IntField, RGBImageField
    from ffcv.fields.basics import IntDecoder
    from ffcv.fields.rgb_image import IMAGE_MODES, CenterCropRGBImageDecoder, RandomResizedCropRGBImageDecoder
    from ffcv.loader import Loader, OrderOption
    from ffcv.writer import DatasetWriter
    from PIL import Image

    def encode(field, destination, path, malloc):
        data = np.fromfile(path, dtype=np.uint8)
        destination["mode"] = IMAGE_MODES["jpg"]
        destination["width"], destination["height"] = Image.open(path).size
        destination["data_ptr"], storage = malloc(data.nbytes)
        storage[:] = data

    class Photos:
        def __len__(self):
            return len(paths)

        def __getitem__(self, index):
            return paths[index], index

    RGBImageField.encode = encode
    works = {
        "train": [RandomResizedCropRGBImageDecoder((SIDE, SIDE)), transforms.RandomHorizontalFlip()],
        "eval": [CenterCropRGBImageDecoder((SIDE, SIDE), ratio=SIDE / 256)],
    }
    with tempfile.NamedTemporaryFile(suffix=".beton") as file:
        DatasetWriter(file.name, {"image": RGBImageField(), "label": IntField()}, num_workers=1).from_indexed_dataset(Photos())
        for name, work in works.items():
            normalized = transforms.NormalizeImage(np.array(MEAN), np.array(STD), np.float32)
            loader = Loader(
                file.name, batch_size=BATCH, num_workers=CORES, order=OrderOption.SEQUENTIAL, os_cache=True, drop_last=False,
                pipelines={"image": [*work, normalized, transforms.ToTensor()], "label": [IntDecoder(), transforms.ToTensor()]})
            first = lambda loader=loader: next(iter(loader))[0].numpy()
            yield name, f"Loader, {CORES} workers, JPEGs as they are", lambda loader=loader: sum(int(labels.sum()) for _, labels in loader), first


def epochs(paths):
    """Its batches go over the end of an epoch: so many epochs are whole batches again."""
    return math.lcm(len(paths), BATCH) // len(paths)


def installed(beginning):
    """The package that begins so: DALI has one for each version of CUDA."""
    names = (distribution.metadata["Name"] for distribution in importlib.metadata.distributions())
    return next((name for name in names if name.startswith(beginning)), beginning)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("peer", choices=["torch", "webdataset", "dali", "ffcv"])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("results", nargs="?", type=pathlib.Path)
    parser.add_argument("--repeat", type=int, default=5)
    arguments = parser.parse_args()
    paths = sorted(str(path) for path in arguments.folder.glob("*.jpg"))
    count, num_bytes = len(paths), sum(pathlib.Path(path).stat().st_size for path in paths)
    ways, times, package = {
        "torch": (torch_loaders, 1, "torchvision"), "dali": (dali_pipelines, epochs(paths), installed("nvidia-dali-cuda")),
        "webdataset": (webdataset_loaders, 1, "webdataset"), "ffcv": (ffcv_loaders, 1, "ffcv"),
    }[arguments.peer]
    expected = {"sum": times * count * (count - 1) // 2}
    if arguments.results and arguments.peer in WINDOWED:
        windows = json.loads((arguments.results / "train-windows.json").read_text())
        images = WINDOWED[arguments.peer](paths, windows)
        compare(arguments.peer, "train", images, arguments.results, list(range(len(windows))))
    for name, setting, run, first in ways(paths):
        if name == "eval" and first and arguments.results:
            compare(arguments.peer, name, first(), arguments.results, compared_of_evaluation(paths))
        report = Report(f"imagenet {name}", expected, times * count, times * num_bytes, arguments.repeat, arguments.peer, package)
        report.measure(setting, lambda run=run: {"sum": run()})


if __name__ == "__main__":
    main()
