"""Images: a training pipeline from files to batches, what is drawn, and what is wrong at the user's line."""

from __future__ import annotations

import pathlib

import numpy as np
import pytest

import feedline as fl

JPEGS = pathlib.Path(__file__).parents[2] / "crates" / "feedline-image" / "tests" / "jpegs"
NAMES = ["444-67x45", "420-130x70", "gray", "420-progressive"]


def files() -> fl.Dataset:
    return fl.Dataset.from_tensor_slices([str(JPEGS / f"{name}.jpg") for name in NAMES])


def train(name):
    image = fl.image.decode_jpeg(fl.io.read_file(name), channels=3)
    image = fl.image.random_resized_crop(image, (32, 24), seed=1)
    return fl.image.normalize(fl.image.random_flip_left_right(image, seed=2))


def test_a_training_pipeline():
    batches = list(files().repeat(3).map(train).batch(8))
    assert [batch.shape for batch in batches] == [(8, 32, 24, 3), (4, 32, 24, 3)]
    assert batches[0].dtype == np.float32 and -3 < batches[0].min() < batches[0].max() < 3
    again = list(files().repeat(3).map(train).batch(8))
    np.testing.assert_array_equal(np.concatenate(batches), np.concatenate(again))
    plain = files().repeat(3).map(train).batch(8).with_options(fl.Options(optimizer=False))
    np.testing.assert_array_equal(np.concatenate(batches), np.concatenate(list(plain)))
    assert not np.array_equal(batches[0][0], batches[0][4]), "another crop in the next epoch"


def test_evaluation_with_channels_first():
    def evaluate(name):
        image = fl.image.decode_jpeg(fl.io.read_file(name), channels=3)
        image = fl.image.resize_with_crop_or_pad(fl.image.resize(image, 32, antialias=True), 28, 28)
        return fl.image.normalize(image, layout="NCHW")

    (batch,) = files().map(evaluate).batch(4)
    assert batch.shape == (4, 3, 28, 28)


def test_encoded_and_decoded_again():
    image = np.arange(4 * 5 * 3, dtype=np.uint8).reshape(4, 5, 3)
    ds = fl.Dataset.from_tensors(image).map(lambda x: fl.image.decode_png(fl.image.encode_png(x)))
    np.testing.assert_array_equal(next(iter(ds)), image)
    jpeg = fl.Dataset.from_tensors(image).map(lambda x: fl.image.encode_jpeg(x, quality=90))
    assert bool(next(iter(jpeg.map(fl.image.is_jpeg))))
    assert list(next(iter(jpeg.map(fl.image.extract_jpeg_shape)))) == [4, 5, 3]


def test_wrong_images_are_errors_of_their_elements():
    ds = fl.Dataset.from_tensor_slices([b"<html>404</html>", b""]).map(fl.image.decode_jpeg)
    with pytest.raises(fl.CorruptDataError, match="web page"):
        next(iter(ds))


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda x: fl.image.resize(x, (2, 2), "cubic"), "method is 'cubic', it must be one of nearest, bilinear"),
        (lambda x: fl.image.decode_jpeg(x), "takes the bytes of an image, a string, not uint8"),
        (lambda x: fl.image.normalize(x, (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)), "values from 0 to 1"),
        (lambda x: fl.image.normalize(x, layout="CHW"), "layout is 'CHW'"),
        (lambda x: fl.image.random_crop(x, (9, 9, 3), seed=1), "cannot be cut from shape"),
        (lambda x: fl.image.central_crop(x, 1.5), "central_fraction is 1.5"),
        (lambda x: fl.image.rgb_to_hsv(x), "takes float32 from 0 to 1, not uint8"),
        (lambda x: fl.image.crop_to_bounding_box(x, 0, 0, 5, 5), "the box ends at height 5, the image at 4"),
    ],
)
def test_wrong_use_fails_where_it_is_written(function, message):
    with pytest.raises(fl.FeedlineError, match=message):
        fl.Dataset.from_tensors(np.zeros((4, 5, 3), np.uint8)).map(function)
