"""Trains on ImageNet-like record files, and goes on exactly where it was stopped.

    feedline convert photos/ out/train --shards 64 --jpeg-restarts      # one folder of photos a class
    python examples/imagenet.py 'out/train-*.tfrecord' --checkpoint run.ckpt

Photos are decoded only where the crop is, scaled, mirrored and normalized on every core, straight into their place in the batch; the next batches
are made while this one is trained on. With torch installed a small network is trained; without it the batches are counted. Stop it with Ctrl-C at
any time and start it again: the checkpoint holds the step and the state of the input, a few hundred bytes.
"""

import argparse
import os
import pickle
import time

import feedline as fl

MEAN, STD = [123.675, 116.28, 103.53], [58.395, 57.12, 57.375]


def prepare(record, image, label):
    features = {image: fl.io.FixedLenFeature([], fl.string), label: fl.io.FixedLenFeature([], fl.int64)}
    example = fl.io.parse_single_example(record, features)
    pixels = fl.image.decode_jpeg(example[image], channels=3)
    pixels = fl.image.random_resized_crop(pixels, (224, 224), seed=1)
    pixels = fl.image.random_flip_left_right(pixels, seed=2)
    return fl.image.normalize(pixels, MEAN, STD), example[label]


def batches(arguments):
    files = fl.Dataset.list_files(arguments.files, shuffle=True, seed=0)
    records = files.interleave(fl.TFRecordDataset, cycle_length=16).shuffle(10_000, seed=0)
    images = records.map(lambda record: prepare(record, arguments.image, arguments.label))
    return images.batch(arguments.batch, drop_remainder=True).repeat(arguments.epochs).prefetch(fl.AUTOTUNE)


def make_train_step():
    """A step of training: with torch that of a small network, else none."""
    try:
        import torch
    except ImportError:
        return lambda images, labels: float("nan")
    device = "cuda" if torch.cuda.is_available() else "cpu"
    network = torch.nn.Sequential(
        torch.nn.Conv2d(3, 32, 7, stride=4), torch.nn.ReLU(), torch.nn.Conv2d(32, 64, 3, stride=4), torch.nn.ReLU(),
        torch.nn.AdaptiveAvgPool2d(1), torch.nn.Flatten(), torch.nn.Linear(64, 1000),
    ).to(device)
    optimizer = torch.optim.SGD(network.parameters(), lr=0.1, momentum=0.9)

    def step(images, labels):
        # Arrays are views of the engine's memory; the copy is the one to the device, or into torch's own memory.
        inputs = torch.tensor(images, device=device).permute(0, 3, 1, 2)
        loss = torch.nn.functional.cross_entropy(network(inputs), torch.tensor(labels, device=device))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return float(loss)

    return step


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", help="a pattern of record files, in quotes")
    parser.add_argument("--image", default="image", help="the feature that holds the JPEG")
    parser.add_argument("--label", default="label", help="the feature that holds the class, from 0 to 999")
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--epochs", type=int, default=1)
    parser.add_argument("--steps", type=int, help="stop after so many")
    parser.add_argument("--checkpoint", help="a file: read if it is there, written every 100 steps and in the end")
    arguments = parser.parse_args()

    done, state = 0, None
    if arguments.checkpoint and os.path.exists(arguments.checkpoint):
        with open(arguments.checkpoint, "rb") as file:
            done, state = pickle.load(file)
        print(f"going on after step {done}")
    iterator = batches(arguments).iterator(state=state)
    train_step = make_train_step()
    began, first = time.perf_counter(), done

    def save():
        if arguments.checkpoint:
            with open(arguments.checkpoint, "wb") as file:
                pickle.dump((done, iterator.state()), file)

    try:
        for images, labels in iterator:
            loss = train_step(images, labels)
            done += 1
            if done % 100 == 0:
                save()
                rate = (done - first) * arguments.batch / (time.perf_counter() - began)
                print(f"step {done}, loss {loss:.3f}, {rate:,.0f} images/s")
            if done - first == arguments.steps:
                break
    except KeyboardInterrupt:
        print("stopped")
    save()
    print(f"{done} steps of {arguments.batch} images")
    print(iterator.metrics()["text"])


if __name__ == "__main__":
    main()
