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


def test_a_wrong_image_is_named_by_its_file_and_record(tmp_path):
    good = (JPEGS / "gray.jpg").read_bytes()
    path = str(tmp_path / "images.tfrecord")
    with fl.io.TFRecordWriter(path) as writer:
        for record in [good, b"no image", good]:
            writer.write(record)
    records = fl.TFRecordDataset(path)
    listed = fl.Dataset.from_tensor_slices([path]).interleave(fl.TFRecordDataset)
    for ds in [records, records.shuffle(3, seed=1).repeat(2), listed]:
        with pytest.raises(fl.CorruptDataError, match=f"{path}: record 1: image.decode_jpeg: "):
            list(ds.map(fl.image.decode_jpeg))
    # An exception of user code is itself; what it is about is a note.
    bad = records.map(lambda x: {b"no image": 0}[x] / 0, python=True, output_spec=fl.TensorSpec([], fl.float64))
    iterator = iter(bad)
    for kind, record in [(KeyError, 0), (ZeroDivisionError, 1)]:
        with pytest.raises(kind) as caught:
            next(iterator)
        (note,) = caught.value.__notes__
        assert note.startswith(f"feedline: {path}: record {record}, raised in "), note


def test_a_wrong_image_of_a_folder_is_named_by_its_path(tmp_path):
    (tmp_path / "cats").mkdir()
    bad = tmp_path / "cats" / "1.jpg"
    bad.write_bytes(b"no image")
    decoded = fl.Dataset.image_folder(tmp_path).map(lambda x, label: fl.image.decode_image(x))
    with pytest.raises(fl.CorruptDataError, match=f"element 0 .{bad}.: image.decode_image: "):
        next(iter(decoded))


def test_what_a_filter_of_headers_drops_is_not_decoded():
    good, bad = (JPEGS / "420-67x45.jpg").read_bytes(), (JPEGS / "gray.jpg").read_bytes()[:-400]
    ds = fl.Dataset.from_tensor_slices([good, bad]).map(lambda x: (fl.image.decode_jpeg(x), x))
    with pytest.raises(fl.CorruptDataError):
        list(ds)
    (only,) = ds.filter(lambda image, x: fl.image.extract_jpeg_shape(x)[2] == 3)
    assert only[0].shape == (45, 67, 3)


def test_jpegs_as_tensorflow_writes_them():
    image = np.full((16, 16, 3), 200, np.uint8)

    def written(**arguments):
        (jpeg,) = fl.Dataset.from_tensors(image).map(lambda x: fl.io.encode_jpeg(x, **arguments))
        return bytes(jpeg)

    assert written(progressive=True) != written()
    assert len(written(optimize_size=True)) < len(written())
    assert written(format="rgb", quality=95) == written()
    assert b"<xmp/>" in written(xmp_metadata="<xmp/>")
    assert written(density_unit="cm", x_density=7, y_density=9)[13:18] == b"\x02\x00\x07\x00\x09"
    with pytest.raises(fl.ArgumentError, match="density_unit is 'mm'"):
        written(density_unit="mm")


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda x: fl.image.resize(x, (2, 2), "cubic"), "method is 'cubic', it must be one of nearest, bilinear"),
        (lambda x: fl.image.decode_jpeg(x), "takes the bytes of an image, a string, not uint8"),
        (lambda x: fl.image.normalize(x, (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)), "values from 0 to 1"),
        (lambda x: fl.image.normalize(x, layout="CHW"), "layout is 'CHW'"),
        (lambda x: fl.image.random_crop(x, (9, 9, 3), seed=1), "cannot be cut from shape"),
        (lambda x: fl.image.central_crop(x, 1.5), "central_fraction is 1.5"),
        (lambda x: fl.image.rgb_to_hsv(x), "takes floats from 0 to 1, not uint8"),
        (lambda x: fl.image.crop_to_bounding_box(x, 0, 0, 5, 5), "the box ends at height 5, the image at 4"),
        (lambda x: fl.image.posterize(x, 9), "bits is 9, it must be from 0 to 8"),
        (lambda x: fl.image.rotate(x, 5, "cubic"), "interpolation is 'cubic'"),
        (lambda x: fl.image.affine(x, fill=(1, 2)), "takes 2 channels"),
        (lambda x: fl.image.gaussian_blur(x, 4), "kernel_size is .4, 4., it must be odd"),
        (lambda x: fl.image.random_erasing(x, value="noise"), "value is 'noise'"),
        (lambda x: fl.image.random_erasing(x, value="random"), "value is noise, which only floats can hold"),
        (lambda x: fl.image.rand_augment(x, magnitude=31), "magnitude is 31"),
        (lambda x: fl.image.auto_augment(fl.cast(x, fl.float32)), "takes uint8, not float32"),
        (lambda x: fl.image.mixup(x, x), "takes images of floats"),
    ],
)
def test_wrong_use_fails_where_it_is_written(function, message):
    with pytest.raises(fl.FeedlineError, match=message):
        fl.Dataset.from_tensors(np.zeros((4, 5, 3), np.uint8)).map(function)


def test_orientations_are_applied_on_request():
    pixels = np.arange(4 * 5 * 3, dtype=np.uint8).reshape(4, 5, 3)
    exif = bytes.fromhex("ffe1001e 457869660000 4d4d002a00000008 0001 0112 0003 00000001 00060000".replace(" ", ""))
    (jpeg,) = fl.Dataset.from_tensors(pixels).map(lambda x: fl.image.encode_jpeg(x, quality=100, chroma_downsampling=False))
    held = jpeg[:2] + exif + jpeg[2:]
    ds = fl.Dataset.from_tensors(held)
    (plain,) = ds.map(fl.image.decode_jpeg)
    (upright,) = ds.map(lambda x: fl.image.decode_jpeg(x, exif_transpose=True))
    np.testing.assert_array_equal(upright, np.rot90(plain, -1))


def test_channels_first_of_batches():
    ds = fl.Dataset.from_tensors(np.zeros((2, 4, 5, 3), np.uint8)).map(lambda x: fl.image.normalize(x, layout="NCHW"))
    assert next(iter(ds)).shape == (2, 3, 4, 5)


def test_outputs_of_half_precision():
    pixels = np.arange(48, dtype=np.uint8).reshape(4, 4, 3)
    for dtype in ["float16", "bfloat16"]:
        ds = fl.Dataset.from_tensors(pixels)
        (image,) = ds.map(lambda x: fl.cast(fl.image.convert_image_dtype(x, dtype), fl.float32))
        np.testing.assert_allclose(image, pixels / 255, atol=1e-3)
        (image,) = ds.map(lambda x: fl.cast(fl.image.normalize(x, dtype=dtype), fl.float32))
        np.testing.assert_allclose(image, (pixels - np.float32(fl.image.IMAGENET_MEAN)) / fl.image.IMAGENET_STD, atol=1e-2)


def augment(image):
    image = fl.image.rand_augment(image, seed=1)
    image = fl.image.trivial_augment_wide(fl.image.auto_augment(image, seed=2), seed=3)
    image = fl.image.random_affine(image, 10, (0.1, 0.1), (0.9, 1.1), 5, seed=4)
    image = fl.image.random_cutout(fl.image.random_rotation(image, 20, seed=5), 3, seed=6)
    image = fl.image.random_gaussian_blur(fl.image.random_rot90(image, seed=7), 3, seed=8)
    return fl.image.random_erasing(fl.image.normalize(image), value="random", seed=9)


def test_augmentations_are_drawn_by_element():
    images = np.random.default_rng(1).integers(0, 256, (6, 12, 12, 3)).astype(np.uint8)
    ds = fl.Dataset.from_tensor_slices(images).map(augment)
    drawn = np.stack(list(ds.iterator(epoch=0)))
    one = np.stack(list(ds.with_options(fl.Options(threads=1, optimizer=False)).iterator(epoch=0)))
    np.testing.assert_array_equal(drawn, one)
    np.testing.assert_array_equal(drawn[3:], np.stack(list(ds.skip(3).iterator(epoch=0))))
    assert not np.array_equal(drawn, np.stack(list(ds.iterator(epoch=1)))), "drawn anew in the next epoch"


def test_batches_are_mixed():
    images, labels = np.random.default_rng(1).random((8, 6, 6, 3), np.float32), np.arange(8)
    ds = fl.Dataset.from_tensor_slices((images, labels)).batch(8)
    (mixed, shares), = ds.map(lambda x, y: fl.image.mixup(x, y, num_classes=8, seed=3))
    own = shares[0, 0]
    np.testing.assert_allclose(mixed, own * images + (1 - own) * np.roll(images, 1, axis=0), rtol=1e-5)
    (cut, shares), = ds.map(lambda x, y: fl.image.cutmix(x, y, num_classes=8, seed=4))
    np.testing.assert_allclose((cut == images).all(axis=-1).mean(axis=(1, 2)), shares.diagonal(), atol=1e-6)
    (first, same_shares), = ds.map(lambda x, y: fl.image.cutmix(fl.transpose(x, [0, 3, 1, 2]), y, num_classes=8, seed=4, layout="NCHW"))
    np.testing.assert_array_equal(first.transpose(0, 2, 3, 1), cut)
    np.testing.assert_array_equal(same_shares, shares)


def test_sizes_and_factors_may_be_tensors():
    image = np.arange(8 * 6 * 3, dtype=np.uint8).reshape(8, 6, 3)
    ds = fl.Dataset.from_tensors(image)
    half = ds.map(lambda x: fl.image.resize(x, fl.shape(x)[:2] // 2))
    # Half of a size that is known is known, too.
    assert half.element_spec.shape == (4, 3, 3)
    unknown = ds.map(lambda x: x, python=True, output_spec=fl.TensorSpec([None, None, 3], fl.uint8))
    halves = unknown.map(lambda x: fl.image.resize(x, fl.shape(x)[:2] // 2))
    assert halves.element_spec.shape == (None, None, 3)
    np.testing.assert_array_equal(next(iter(halves)), next(iter(half)))
    np.testing.assert_array_equal(next(iter(half)), next(iter(ds.map(lambda x: fl.image.resize(x, (4, 3))))))
    height = ds.map(lambda x: fl.image.resize(x, (fl.shape(x)[0] // 2, 3)))
    assert next(iter(height)).shape == (4, 3, 3)
    # A constant is the number it is: the same plan, with a shape that is known.
    assert ds.map(lambda x: fl.image.resize(x, fl.constant([4, 3]))).element_spec.shape == (4, 3, 3)
    drawn = ds.repeat(2).map(lambda x: fl.image.adjust_brightness(x, fl.random.uniform([], 0.1, 0.5, seed=3)))
    one, two = drawn
    assert (one > image).all() and not np.array_equal(one, two)
    for function, shape in [
        (lambda x, n: fl.image.resize_with_pad(x, n, 5), (4, 5, 3)),
        (lambda x, n: fl.image.resize_with_crop_or_pad(x, 5, n), (5, 4, 3)),
        (lambda x, n: fl.image.pad_to_bounding_box(x, n, 0, 12, n + 2), (12, 6, 3)),
        (lambda x, n: fl.image.crop_to_bounding_box(x, n, 0, n, 2), (4, 2, 3)),
        (lambda x, n: fl.image.central_crop(x, n / 8), (4, 4, 3)),
        (lambda x, n: fl.image.rot90(x, n + 1), (6, 8, 3)),
        (lambda x, n: fl.image.adjust_jpeg_quality(x, n * 20), (8, 6, 3)),
        (lambda x, n: fl.image.random_crop(x, [n, 2, 3], seed=1), (4, 2, 3)),
    ]:
        sized = fl.Dataset.from_tensors((image, np.int32(4))).map(function)
        assert next(iter(sized)).shape == shape


def test_a_size_that_no_memory_holds_is_an_error():
    ds = fl.Dataset.from_tensors((np.zeros((2, 2, 3), np.uint8), np.int32(1 << 24)))
    for function in [
        lambda x, n: fl.image.resize(x, (n, n)),
        lambda x, n: fl.image.resize_with_crop_or_pad(x, n, n),
        lambda x, n: fl.image.pad_to_bounding_box(x, 0, 0, n, n),
    ]:
        with pytest.raises(fl.InvalidValueError, match="has more than 4294967296 values"):
            list(ds.map(function))


def test_batches_of_pngs_and_shapes_of_headers():
    images = np.arange(2 * 3 * 4 * 3, dtype=np.uint8).reshape(2, 3, 4, 3)
    pngs = fl.Dataset.from_tensors(images).map(fl.image.encode_png)
    assert pngs.element_spec.shape == (2,)
    back = pngs.unbatch().map(fl.image.decode_png).batch(2)
    np.testing.assert_array_equal(next(iter(back)), images)
    jpeg = (JPEGS / "420-67x45.jpg").read_bytes()
    ds = fl.Dataset.from_tensor_slices([jpeg, jpeg[:-400]])
    assert next(iter(ds.batch(2).map(fl.image.is_jpeg))).tolist() == [True, True]
    large = ds.filter(lambda x: fl.shape(fl.image.decode_jpeg(x))[0] > 40)
    assert "read_shape_from_header" in str(large.explain())
    for options in [fl.Options(), fl.Options(optimizer=False)]:
        assert len(list(large.with_options(options))) == 2
    with pytest.raises(fl.CorruptDataError):
        list(ds.map(fl.image.decode_jpeg))


def test_a_wrong_size_names_its_record_and_the_argument(tmp_path):
    path = str(tmp_path / "sizes.tfrecord")
    with fl.io.TFRecordWriter(path) as writer:
        for size in (b"4", b"0"):
            writer.write(size)
    image = np.zeros((8, 6, 3), np.uint8)
    ds = fl.TFRecordDataset(path).map(
        lambda text: fl.image.resize(image, fl.stack([fl.strings.to_number(text, fl.int32)] * 2))
    )
    with pytest.raises(fl.InvalidValueError, match=f"{path}: record 1: image.resize: size has 0, it must be from 1"):
        list(ds)


def test_labels_that_are_no_class_are_errors():
    images = np.zeros((2, 4, 4, 3), np.float32)
    for mix in [fl.image.mixup, fl.image.cutmix]:
        for labels in [[0, 8], [-1, 3]]:
            ds = fl.Dataset.from_tensor_slices((images, np.array(labels))).batch(2)
            with pytest.raises(fl.FeedlineError, match="labels are from 0 to 7: num_classes is 8"):
                next(iter(ds.map(lambda x, y: mix(x, y, num_classes=8, seed=1))))


def test_checks_leave_random_operations_one():
    images, labels = np.random.default_rng(1).random((8, 6, 6, 3), np.float32), np.eye(8, dtype=np.float32)

    def mixed(x, y):
        fl.debugging.assert_less(fl.reduce_max(y), 2.0)
        return fl.image.mixup(x, y, seed=3)

    (found, shares), = fl.Dataset.from_tensor_slices((images, labels)).batch(8).map(mixed)
    own = shares[0, 0]
    np.testing.assert_allclose(found, own * images + (1 - own) * np.roll(images, 1, axis=0), rtol=1e-5)


def test_arguments_are_tensorflows():
    jpeg = (JPEGS / "444-67x45.jpg").read_bytes()
    ds = fl.Dataset.from_tensors(jpeg)

    def pixels(function, dataset=ds):
        return next(iter(dataset.map(function)))

    half = pixels(lambda x: fl.image.decode_jpeg(x, 3, 2))
    part = pixels(lambda x: fl.image.decode_and_crop_jpeg(x, [4, 6, 10, 12], 3, 2, dct_method="INTEGER_ACCURATE"))
    np.testing.assert_array_equal(part, half[4:14, 6:18])
    whole = pixels(lambda x: fl.image.decode_jpeg(x))
    np.testing.assert_array_equal(pixels(lambda x: fl.image.decode_image(x, None, fl.uint8, None, False)), whole)
    np.testing.assert_array_equal(
        pixels(lambda x: fl.image.resize(fl.image.decode_jpeg(x), (5, 6), fl.image.ResizeMethod.NEAREST_NEIGHBOR)),
        pixels(lambda x: fl.image.resize(fl.image.decode_jpeg(x), (5, 6), "nearest")),
    )
    again = pixels(lambda x: fl.image.adjust_jpeg_quality(fl.image.decode_jpeg(x), 50, "INTEGER_ACCURATE"))
    np.testing.assert_array_equal(again, pixels(lambda x: fl.image.adjust_jpeg_quality(fl.image.decode_jpeg(x), 50)))
    for wrong in [
        lambda x: fl.image.decode_and_crop_jpeg(x, [0, 0, 1, 1], dct_method="FAST"),
        lambda x: fl.image.decode_and_crop_jpeg(x, [0, 0, 1, 1], ratio=3),
        lambda x: fl.image.adjust_jpeg_quality(fl.image.decode_jpeg(x), 50, "FAST"),
        lambda x: fl.image.decode_jpeg(x, fancy_upscaling=False),
    ]:
        with pytest.raises(fl.ArgumentError, match="dct_method|ratio|fancy_upscaling"):
            ds.map(wrong)


def test_operations_of_one_format_take_others():
    png = next(iter(fl.Dataset.from_tensors(np.arange(60, dtype=np.uint8).reshape(4, 5, 3)).map(fl.image.encode_png)))
    ds = fl.Dataset.from_tensors(png)
    plain = next(iter(ds.map(fl.image.decode_png)))
    cropped = ds.map(lambda x: fl.image.crop_to_bounding_box(fl.image.decode_jpeg(x), 1, 1, 2, 3))
    np.testing.assert_array_equal(next(iter(cropped)), plain[1:3, 1:4])
    np.testing.assert_array_equal(next(iter(ds.map(fl.image.decode_gif))), plain[None])


def test_numbers_of_numpy_are_numbers():
    image = np.arange(16 * 16 * 3, dtype=np.uint8).reshape(16, 16, 3)

    def made(function):
        return next(iter(fl.Dataset.from_tensors(image).map(function)))

    pairs = [
        (lambda x: fl.image.normalize(x, std=np.float32(3)), lambda x: fl.image.normalize(x, std=[3, 3, 3])),
        (lambda x: fl.image.normalize(x, mean=3), lambda x: fl.image.normalize(x, mean=[3, 3, 3])),
        (lambda x: fl.image.rotate(x, 30, fill=np.uint8(3)), lambda x: fl.image.rotate(x, 30, fill=3)),
        (lambda x: fl.image.random_rotation(x, np.int64(30), seed=1), lambda x: fl.image.random_rotation(x, 30, seed=1)),
        (lambda x: fl.image.gaussian_blur(x, np.int64(3)), lambda x: fl.image.gaussian_blur(x, (3, 3))),
        (lambda x: fl.image.random_gaussian_blur(x, np.int64(3), np.array([0.1, 2]), seed=1), lambda x: fl.image.random_gaussian_blur(x, 3, seed=1)),
        (lambda x: fl.image.random_erasing(x, 1.0, value=np.float32(1), seed=1), lambda x: fl.image.random_erasing(x, 1.0, value=1, seed=1)),
        (lambda x: fl.image.random_cutout(x, np.int32(4), np.array(7), seed=1), lambda x: fl.image.random_cutout(x, 4, 7, seed=1)),
        # A list of one is along both, as in torchvision.
        (lambda x: fl.image.affine(x, shear=(np.float32(20),)), lambda x: fl.image.affine(x, shear=(20, 20))),
        (lambda x: fl.image.affine(x, shear=np.float64(20)), lambda x: fl.image.affine(x, shear=(20, 0))),
    ]
    for index, (of_numpy, of_python) in enumerate(pairs):
        np.testing.assert_array_equal(made(of_numpy), made(of_python), err_msg=f"pair {index}")
    for function, message in [
        (lambda x: fl.image.normalize(x, "a"), "normalize: mean is .* not 'a'"),
        (lambda x: fl.image.random_erasing(x, value=[None]), r"random_erasing: value is .*\[None\]"),
        (lambda x: fl.image.random_resized_crop(x, (8, 8), scale=0.5), "scale is a list of numbers, not 0.5"),
        (lambda x: fl.image.gaussian_blur(x, 2.5), "gaussian_blur: kernel_size is .*2.5"),
        (lambda x: fl.image.gaussian_blur(x, 2**31 + 1), "kernel_size is .* it must be odd and from 1 to 65535"),
        (lambda x: fl.image.random_solarize(x, 128, 2.0), "p is 2, it must be from 0 to 1"),
    ]:
        with pytest.raises((fl.ArgumentError, TypeError), match=message):
            made(function)


def test_changes_with_a_probability():
    image = np.random.default_rng(1).integers(100, 250, (40, 40, 3)).astype(np.uint8)
    ds = fl.Dataset.from_tensors(image).repeat(40)
    for function in [
        lambda x: fl.image.random_invert(x, seed=1),
        lambda x: fl.image.random_solarize(x, 128, seed=1),
        lambda x: fl.image.random_posterize(x, 2, seed=1),
        lambda x: fl.image.random_equalize(x, seed=1),
        lambda x: fl.image.random_autocontrast(x, seed=1),
        lambda x: fl.image.random_adjust_sharpness(x, 5.0, p=0.5, seed=1),
    ]:
        kinds, counts = np.unique([image.tobytes() for image in ds.map(function)], return_counts=True)
        assert len(kinds) == 2 and counts.min() > 8


def test_hues_of_normalized_images_are_kept():
    image = np.array([[[-1.0, -0.5, -0.2], [-0.1, -0.3, -0.2], [0.0, -0.5, -0.2]]], np.float32)
    same = next(iter(fl.Dataset.from_tensors(image).map(lambda x: fl.image.adjust_hue(x, 0.0))))
    np.testing.assert_allclose(same, image, atol=1e-6)


def test_what_torchvision_and_tensorflow_take_is_taken():
    image = np.arange(20 * 20 * 3, dtype=np.uint8).reshape(20, 20, 3)
    one = fl.Dataset.from_tensors(image)
    assert one.map(lambda x: fl.image.random_resized_crop(x, 5, scale=(0, 1), seed=1)).get_single_element().shape == (5, 5, 3)
    assert one.map(lambda x: fl.image.random_erasing(x, p=1, scale=(0.0, 0.3), value=0, seed=1)).get_single_element().shape == image.shape
    mask = image[..., :1] > 90
    turned = fl.Dataset.from_tensors(mask).map(lambda x: fl.image.rot90(x)).get_single_element()
    assert turned.dtype == bool and (turned == np.rot90(mask)).all()
    flat = fl.Dataset.from_tensors(image[..., 0]).map(lambda x: fl.image.central_crop(x, 1.0)).get_single_element()
    assert (flat == image[..., 0]).all()
    doubles = np.full([2, 4, 4, 1], 0.1)
    mixed, _ = fl.Dataset.from_tensors((doubles, np.eye(2))).map(lambda x, y: fl.image.cutmix(x, y, seed=1)).get_single_element()
    assert (mixed == doubles).all()


def test_slices_with_computed_bounds_decode_what_they_take():
    name = str(JPEGS / "420-130x70.jpg")
    with open(name, "rb") as file:
        contents = file.read()

    def middle(contents):
        image = fl.image.decode_jpeg(contents, channels=3)
        height, width = fl.shape(image)[0], fl.shape(image)[1]
        return image[height // 8 : height // 4, width // 4 : -(width // 4)]

    whole = fl.Dataset.from_tensors(contents).map(lambda x: fl.image.decode_jpeg(x, channels=3)).get_single_element()
    taken = fl.Dataset.from_tensors(contents).map(middle)
    np.testing.assert_array_equal(taken.get_single_element(), whole[8:17, 32:98])
    # What lies below is not needed, so it need not be there.
    cut = fl.Dataset.from_tensors(contents[: len(contents) * 7 // 10]).map(middle)
    for optimizer in (True, False):
        part = cut.with_options(fl.Options(optimizer=optimizer)).get_single_element()
        np.testing.assert_array_equal(part, whole[8:17, 32:98])


def test_slices_with_computed_bounds_are_those_of_python():
    x = np.arange(4 * 5 * 6).reshape(4, 5, 6)
    cases = [(a, b) for a in (-9, -2, 0, 1, 4, 9) for b in (-9, -1, 0, 3, 9)]
    ds = fl.Dataset.from_tensor_slices(np.array(cases))
    for index, part in enumerate(ds.map(lambda ab: fl.constant(x)[ab[0] : ab[1], :, ab[1] : ab[0]])):
        a, b = cases[index]
        np.testing.assert_array_equal(part, x[a:b, :, b:a])
    for index, part in enumerate(ds.map(lambda ab: fl.constant(x)[ab[0] :, ..., None, : ab[1], 2])):
        a, b = cases[index]
        np.testing.assert_array_equal(part, x[a:, ..., None, :b, 2])
    for index, part in enumerate(ds.map(lambda ab: fl.constant(x)[ab[0] : ab[1] : 2, ab[0] : ab[1] : 1])):
        a, b = cases[index]
        np.testing.assert_array_equal(part, x[a:b:2, a:b:1])
    with pytest.raises(fl.ArgumentError, match="a dimension that shape"):
        ds.map(lambda ab: ab[ab[0] : ab[1], ab[0] : ab[1]])
