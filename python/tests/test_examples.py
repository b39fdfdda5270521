"""The programs of examples/, as a newcomer runs them."""

import pathlib
import subprocess
import sys

import numpy as np

import feedline as fl

EXAMPLES = pathlib.Path(__file__).parents[2] / "examples"


def write_photos(folder):
    pixels = np.arange(48 * 64 * 3, dtype=np.uint8).reshape(48, 64, 3)
    photo = next(iter(fl.Dataset.from_tensors(pixels).map(fl.image.encode_jpeg)))
    for shard in range(2):
        with fl.io.TFRecordWriter(f"{folder}/train-{shard}.tfrecord") as writer:
            for label in range(10):
                writer.write(fl.io.example({"image": photo, "label": label}))


def run(folder, *arguments):
    command = [sys.executable, str(EXAMPLES / "imagenet.py"), f"{folder}/train-*.tfrecord", "--batch", "4", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_imagenet_trains_stops_and_goes_on(tmp_path):
    write_photos(tmp_path)
    checkpoint = str(tmp_path / "run.ckpt")
    assert "2 steps of 4 images" in run(tmp_path, "--checkpoint", checkpoint, "--steps", "2")
    rest = run(tmp_path, "--checkpoint", checkpoint, "--epochs", "1")
    assert "going on after step 2" in rest and "5 steps of 4 images" in rest
    assert "shuffle(10000" in rest, "metrics name the steps"
