"""Question: how fast does tf.data make batches of ImageNet training and evaluation of photos, and does feedline give the same?

Run:   python imagenet_tfdata.py [--repeat 5] FILE [FOLDER]
With:  TensorFlow 2.21.0 (tensorflow-cpu).

The same work as `feedline-bench imagenet` on the file it packed: decode, random resized crop to 224 (by decode_and_crop_jpeg, so
that only the crop is decoded), flip, normalize, batch of 64; shorter side to 256 and the middle 224; and the windows that the records
carry. With FOLDER, where feedline-bench left its first batches, all three are compared before any time is taken: of training, the windows
that feedline drew for its batch, and its flips, are given to tf.data's own decoding, cropping and scaling. While time is taken it
draws its own. The first pass of each is untimed.
"""

import argparse
import json
import pathlib

import numpy as np
import tensorflow as tf

from peer_report import Report, elements, quiet_tensorflow

AUTOTUNE = tf.data.AUTOTUNE
BATCH, SIDE = 64, 224
MEAN, STD = [123.675, 116.28, 103.53], [58.395, 57.12, 57.375]
TOLERANCE = 2e-4
"""Of values of about -2 to 3: a few roundings in single precision."""


def parsed(record):
    return tf.io.parse_single_example(record, {
        "image": tf.io.FixedLenFeature([], tf.string),
        "label": tf.io.FixedLenFeature([], tf.int64),
        "window": tf.io.FixedLenFeature([4], tf.int64),
    })


def normalized(image):
    return (image - tf.constant(MEAN)) / tf.constant(STD)


def train(record):
    example = parsed(record)
    shape = tf.io.extract_jpeg_shape(example["image"])
    begin, size, _ = tf.image.sample_distorted_bounding_box(
        shape, tf.zeros([1, 0, 4]), min_object_covered=0.0, aspect_ratio_range=(3 / 4, 4 / 3), area_range=(0.08, 1.0),
        max_attempts=10, use_image_if_no_bounding_boxes=True)
    window = tf.stack([begin[0], begin[1], size[0], size[1]])
    image = tf.io.decode_and_crop_jpeg(example["image"], window, channels=3)
    image = tf.image.random_flip_left_right(tf.image.resize(image, (SIDE, SIDE)))
    return normalized(image), example["label"]


def evaluation(record, dct_method=""):
    example = parsed(record)
    image = tf.io.decode_jpeg(example["image"], channels=3, dct_method=dct_method)
    shape = tf.shape(image)
    shorter = tf.minimum(shape[0], shape[1])
    image = tf.image.resize(image, [256 * shape[0] // shorter, 256 * shape[1] // shorter])
    image = tf.image.resize_with_crop_or_pad(image, SIDE, SIDE)
    return normalized(image), example["label"]


def crops(record, dct_method=""):
    example = parsed(record)
    window = tf.cast(example["window"], tf.int32)
    image = tf.io.decode_and_crop_jpeg(example["image"], window, channels=3, dct_method=dct_method)
    return normalized(tf.image.resize(image, (SIDE, SIDE))), example["label"]


def whole_crops(record, dct_method):
    """The windows of whole images: what decode_and_crop_jpeg gives differs from it where colours at half size are smoothed
    across the edge of the window, by a few levels of 255."""
    example = parsed(record)
    image = tf.io.decode_jpeg(example["image"], channels=3, dct_method=dct_method)
    y, x, height, width = tf.unstack(tf.cast(example["window"], tf.int32))
    return normalized(tf.image.resize(image[y:y + height, x:x + width], (SIDE, SIDE))), example["label"]


def given_windows(record, window, dct_method):
    """What `train` makes of a window that was drawn elsewhere."""
    example = parsed(record)
    image = tf.io.decode_jpeg(example["image"], channels=3, dct_method=dct_method)
    y, x, height, width, is_mirrored = tf.unstack(window)
    image = tf.image.resize(image[y:y + height, x:x + width], (SIDE, SIDE))
    return normalized(tf.where(is_mirrored == 1, tf.image.flip_left_right(image), image)), example["label"]


def compare(file, folder):
    windows = tf.data.Dataset.from_tensor_slices(json.loads((folder / "train-windows.json").read_text()))
    records = tf.data.TFRecordDataset(file)
    for name, function, source in [
        ("train", given_windows, tf.data.Dataset.zip(records, windows)), ("eval", evaluation, records), ("crops", whole_crops, records)]:
        accurate = lambda *element, function=function: function(*element, "INTEGER_ACCURATE")
        batch = next(source.map(accurate).batch(BATCH).as_numpy_iterator())[0]
        own = np.fromfile(folder / f"{name}.f32", "<f4").reshape(batch.shape)
        distance = float(np.abs(own - batch).max())
        mean = float(np.abs(own - batch).mean())
        print(json.dumps({"peer": "tf.data", "group": f"imagenet {name}", "distance": distance, "mean_distance": mean,
                          "tolerance": f"{TOLERANCE:g} at most", "compared": len(batch)}))
        assert distance <= TOLERANCE, f"{name}: feedline's batch is {distance} away"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file")
    parser.add_argument("folder", nargs="?", type=pathlib.Path)
    parser.add_argument("--repeat", type=int, default=5)
    arguments = parser.parse_args()
    quiet_tensorflow()
    if arguments.folder:
        compare(arguments.file, arguments.folder)
    count = sum(1 for _ in tf.data.TFRecordDataset(arguments.file))
    num_bytes = tf.io.gfile.stat(arguments.file).length
    for name, function in [("train", train), ("eval", evaluation), ("crops", crops)]:
        dataset = tf.data.TFRecordDataset(arguments.file).map(function, num_parallel_calls=AUTOTUNE)
        dataset = dataset.batch(BATCH).prefetch(AUTOTUNE)
        expected = {"sum": count * (count - 1) // 2}
        report = Report(f"imagenet {name}", expected, count, num_bytes, arguments.repeat)
        run = lambda dataset=dataset: {"sum": sum(int(labels.sum()) for _, labels in elements(dataset.as_numpy_iterator()))}
        report.measure("map, batch, prefetch, all AUTOTUNE", run)


if __name__ == "__main__":
    main()
