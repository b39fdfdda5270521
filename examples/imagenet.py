"""Trains on ImageNet-like record files, and goes on exactly where it was stopped.

    feedline convert photos/ out/train --shards 64 --jpeg-restarts      # one folder of photos a class
    python examples/imagenet.py 'out/train-*.tfrecord' --checkpoint run.ckpt

Photos are decoded only where the crop is, scaled, mirrored and normalized on every core, straight into their place in the batch; the next batches
are made while this one is trained on. With torch installed a small network is trained; without it the batches are counted. Stop it with Ctrl-C at
any time and start it again: the checkpoint holds the step, the network, its optimizer, and the state of the input, which is a few hundred bytes of it.
"""

import argparse
import io
import os
import pickle
import signal
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


class Counting:
    """What is trained where there is no torch: nothing."""

    def step(self, images, labels):
        return float("nan")

    def state(self):
        return None

    def restore(self, state):
        pass


class Network:
    """A small network and its optimizer."""

    def __init__(self, torch):
        self.torch = torch
        self.device = "cuda" if torch.cuda.is_available() else "cpu"
        torch.manual_seed(0)
        self.network = torch.nn.Sequential(
            torch.nn.Conv2d(3, 32, 7, stride=4), torch.nn.ReLU(), torch.nn.Conv2d(32, 64, 3, stride=4), torch.nn.ReLU(),
            torch.nn.AdaptiveAvgPool2d(1), torch.nn.Flatten(), torch.nn.Linear(64, 1000),
        ).to(self.device)
        self.optimizer = torch.optim.SGD(self.network.parameters(), lr=0.1, momentum=0.9)

    def step(self, images, labels):
        torch = self.torch
        # Arrays are views of the engine's memory; the copy is the one to the device, or into torch's own memory.
        inputs = torch.tensor(images, device=self.device).permute(0, 3, 1, 2)
        loss = torch.nn.functional.cross_entropy(self.network(inputs), torch.tensor(labels, device=self.device))
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return float(loss)

    def state(self):
        out = io.BytesIO()
        self.torch.save([self.network.state_dict(), self.optimizer.state_dict()], out)
        return out.getvalue()

    def restore(self, state):
        weights, moments = self.torch.load(io.BytesIO(state), map_location=self.device)
        self.network.load_state_dict(weights)
        self.optimizer.load_state_dict(moments)


def make_model():
    try:
        import torch
    except ImportError:
        return Counting()
    return Network(torch)


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
    model = make_model()
    if arguments.checkpoint and os.path.exists(arguments.checkpoint):
        with open(arguments.checkpoint, "rb") as file:
            done, state, trained = pickle.load(file)
        model.restore(trained)
        print(f"going on after step {done}")
    iterator = batches(arguments).iterator(state=state)
    began, first = time.perf_counter(), done

    def save():
        if arguments.checkpoint:
            with open(arguments.checkpoint + ".new", "wb") as file:
                pickle.dump((done, iterator.state(), model.state()), file)
            os.replace(arguments.checkpoint + ".new", arguments.checkpoint)  # whole, or the one before

    stops = []
    signal.signal(signal.SIGINT, lambda *_: stops.append(True))  # behind a step, so that none is done by half
    for images, labels in iterator:
        loss = model.step(images, labels)
        done += 1
        if done % 100 == 0:
            save()
            rate = (done - first) * arguments.batch / (time.perf_counter() - began)
            print(f"step {done}, loss {loss:.3f}, {rate:,.0f} images/s")
        if stops or done - first == arguments.steps:
            break
    save()
    print(f"{done} steps of {arguments.batch} images")
    print(iterator.metrics()["text"])


if __name__ == "__main__":
    main()
