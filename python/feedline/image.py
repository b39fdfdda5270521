"""Images, under the names of ``tf.image``: decoded, cropped, scaled, mirrored, coloured.

An image is a tensor of height, width and channels. Random functions draw for each element on its own, a function of the seed
and the element alone: the same whatever the number of threads, also after a resume. Without a seed they follow from
:func:`feedline.set_seed`, or from how many were traced before: the same in every run of a program.

>>> import feedline as fl, numpy as np
>>> image = np.arange(48, dtype=np.uint8).reshape(4, 4, 3)
>>> ds = fl.Dataset.from_tensors(image).map(lambda x: fl.image.encode_png(x))
>>> ds = ds.map(lambda png: fl.image.resize(fl.image.decode_png(png, channels=3), (2, 2)))
>>> print(next(iter(ds))[..., 0])
[[ 7.5 13.5]
 [31.5 37.5]]
"""

from __future__ import annotations

from collections.abc import Sequence

from . import _image_ops, _native
from ._checking import checks
from ._augment import (
    affine,
    auto_augment,
    cutmix,
    gaussian_blur,
    mixup,
    rand_augment,
    random_adjust_sharpness,
    random_affine,
    random_autocontrast,
    random_cutout,
    random_equalize,
    random_erasing,
    random_gaussian_blur,
    random_invert,
    random_posterize,
    random_rot90,
    random_rotation,
    random_solarize,
    rotate,
    trivial_augment_wide,
)
from ._augment import floats_of as _floats
from ._augment import seed_of as _seed
from ._boxes import crop_and_resize, sample_distorted_bounding_box
from ._dtypes import DTypeLike, as_dtype
from ._errors import ArgumentError
from ._image_ops import (
    adjust_brightness,
    adjust_contrast,
    adjust_gamma,
    adjust_hue,
    adjust_saturation,
    adjust_sharpness,
    apply_orientation,
    autocontrast,
    central_crop,
    convert_image_dtype,
    crop_to_bounding_box,
    decode_bmp,
    decode_gif,
    decode_png,
    encode_png,
    equalize,
    exif_orientation,
    extract_jpeg_shape,
    flip_left_right,
    flip_up_down,
    grayscale_to_rgb,
    hsv_to_rgb,
    invert,
    is_jpeg,
    pad_to_bounding_box,
    per_image_standardization,
    posterize,
    resize_with_crop_or_pad,
    rgb_to_grayscale,
    rgb_to_hsv,
    rot90,
    solarize,
)
from ._native import Tensor
from ._ops import TensorLike

__all__ = [
    "IMAGENET_MEAN",
    "IMAGENET_STD",
    "ResizeMethod",
    "adjust_brightness",
    "adjust_contrast",
    "adjust_gamma",
    "adjust_hue",
    "adjust_jpeg_quality",
    "adjust_saturation",
    "adjust_sharpness",
    "affine",
    "apply_orientation",
    "auto_augment",
    "autocontrast",
    "central_crop",
    "convert_image_dtype",
    "crop_and_resize",
    "crop_to_bounding_box",
    "cutmix",
    "decode_and_crop_jpeg",
    "decode_bmp",
    "decode_gif",
    "decode_image",
    "decode_jpeg",
    "decode_png",
    "decode_webp",
    "encode_jpeg",
    "encode_png",
    "equalize",
    "exif_orientation",
    "extract_jpeg_shape",
    "flip_left_right",
    "flip_up_down",
    "gaussian_blur",
    "grayscale_to_rgb",
    "hsv_to_rgb",
    "invert",
    "is_jpeg",
    "mixup",
    "normalize",
    "pad_to_bounding_box",
    "per_image_standardization",
    "posterize",
    "rand_augment",
    "random_adjust_sharpness",
    "random_affine",
    "random_autocontrast",
    "random_brightness",
    "random_contrast",
    "random_crop",
    "random_cutout",
    "random_equalize",
    "random_erasing",
    "random_flip_left_right",
    "random_flip_up_down",
    "random_gamma",
    "random_gaussian_blur",
    "random_hue",
    "random_invert",
    "random_jpeg_quality",
    "random_posterize",
    "random_resized_crop",
    "random_rot90",
    "random_rotation",
    "random_saturation",
    "random_solarize",
    "resize",
    "resize_with_crop_or_pad",
    "resize_with_pad",
    "rgb_to_grayscale",
    "rgb_to_hsv",
    "rot90",
    "rotate",
    "sample_distorted_bounding_box",
    "solarize",
    "trivial_augment_wide",
]

class ResizeMethod:
    """The methods of :func:`resize`, by name. As ``tf.image.ResizeMethod``.

    >>> import feedline as fl, numpy as np
    >>> ds = fl.Dataset.from_tensors(np.array([[[10], [20]]], np.uint8))
    >>> ds.map(lambda x: fl.image.resize(x, [1, 4], fl.image.ResizeMethod.NEAREST_NEIGHBOR)).get_single_element()[..., 0]
    array([[10, 10, 20, 20]], dtype=uint8)
    """

    AREA = "area"
    BICUBIC = "bicubic"
    BILINEAR = "bilinear"
    GAUSSIAN = "gaussian"
    LANCZOS3 = "lanczos3"
    LANCZOS5 = "lanczos5"
    MITCHELLCUBIC = "mitchellcubic"
    NEAREST_NEIGHBOR = "nearest"


IMAGENET_MEAN = (123.675, 116.28, 103.53)
"""The mean of ImageNet's red, green and blue, from 0 to 255."""

IMAGENET_STD = (58.395, 57.12, 57.375)
"""The standard deviation of ImageNet's red, green and blue, from 0 to 255."""


def _refuse(function: str, **arguments: tuple[object, object]) -> None:
    for name, (value, only) in arguments.items():
        if value != only:
            raise ArgumentError(f"{function}: {name} is {value!r}, it can only be {only!r}")


@checks
def decode_jpeg(
    contents: TensorLike,
    channels: int = 0,
    ratio: int = 1,
    fancy_upscaling: bool = True,
    try_recover_truncated: bool = False,
    acceptable_fraction: float = 1,
    dct_method: str = "",
    name: str | None = None,
    *,
    exif_transpose: bool = False,
) -> Tensor:
    """The pixels of a JPEG, those of libjpeg-turbo's default settings byte for byte. ``channels`` is 0 (as stored), 1 (gray) or
    3; ``ratio`` 1, 2, 4 or 8 decodes at that part of the size. A PNG, or a GIF of one frame, is decoded too; other formats are an
    error of their element. So is an image that ends before its last pixel without an end mark (with one, the rest is gray, and
    without one all may be there), announces restart markers and has others, or is damaged and progressive; not if all that
    uses it is a crop or a resize right behind it, in the same function, of a size that is no tensor, and needs only rows
    above the damage. Other damage gives odd pixels, those of libjpeg-turbo. ``dct_method`` is a hint that changes nothing: the transform is always the accurate one. With
    ``exif_transpose`` a photo is turned upright, by what the camera wrote into it (:func:`exif_orientation` and
    :func:`apply_orientation`); such an image is decoded as a whole, also where a crop follows. As ``tf.io.decode_jpeg``.

    >>> import feedline as fl, numpy as np
    >>> ds = fl.Dataset.from_tensors(np.full([8, 8, 3], 128, np.uint8))
    >>> ds.map(lambda x: fl.image.decode_jpeg(fl.image.encode_jpeg(x))).get_single_element().shape
    (8, 8, 3)
    """
    _refuse(
        "decode_jpeg",
        fancy_upscaling=(fancy_upscaling, True),
        try_recover_truncated=(try_recover_truncated, False),
        acceptable_fraction=(acceptable_fraction, 1),
    )
    image = _image_ops.decode_jpeg(contents, channels, ratio, dct_method=dct_method)
    return _image_ops.apply_orientation(image, _image_ops.exif_orientation(contents)) if exif_transpose else image


@checks
def decode_and_crop_jpeg(
    contents: TensorLike,
    crop_window: TensorLike,
    channels: int = 0,
    ratio: int = 1,
    fancy_upscaling: bool = True,
    try_recover_truncated: bool = False,
    acceptable_fraction: float = 1,
    dct_method: str = "",
    name: str | None = None,
) -> Tensor:
    """A part of a JPEG: ``crop_window`` is its first row, first column, height and width; with a ``ratio`` of 2, 4 or 8 of the
    image at that part of its size. Decodes no more than that. As ``tf.io.decode_and_crop_jpeg``. (``decode_jpeg`` and a crop behind it are joined by the optimizer to the same.)

    >>> import feedline as fl, numpy as np
    >>> ds = fl.Dataset.from_tensors(np.full([8, 8, 3], 128, np.uint8))
    >>> ds.map(lambda x: fl.image.decode_and_crop_jpeg(fl.image.encode_jpeg(x), [2, 0, 4, 8])).get_single_element().shape
    (4, 8, 3)
    """
    _refuse(
        "decode_and_crop_jpeg",
        fancy_upscaling=(fancy_upscaling, True),
        try_recover_truncated=(try_recover_truncated, False),
        acceptable_fraction=(acceptable_fraction, 1),
    )
    return _image_ops.decode_and_crop_jpeg(contents, crop_window, channels, ratio, dct_method=dct_method)


@checks
def decode_image(
    contents: TensorLike,
    channels: int | None = None,
    dtype: DTypeLike = "uint8",
    name: str | None = None,
    expand_animations: bool = True,
) -> Tensor:
    """The pixels of a JPEG, PNG, GIF, BMP or WebP, which it is by its first bytes. ``dtype`` is uint8, uint16 (PNG keeps its bits,
    of others 255 is 65280) or float32, from 0 to 1. A GIF or WebP has all its frames, so that the number of dimensions is not
    known before it is read; without ``expand_animations`` it is the first frame, as of the other formats. As
    ``tf.io.decode_image``.

    >>> import feedline as fl, numpy as np
    >>> ds = fl.Dataset.from_tensors(np.array([[[10], [20]], [[30], [40]]], np.uint8))
    >>> ds.map(lambda x: fl.image.decode_image(fl.image.encode_png(x), expand_animations=False)).get_single_element()[..., 0]
    array([[10, 20],
           [30, 40]], dtype=uint8)
    """
    return _image_ops.decode_image(contents, channels or 0, dtype, expand_animations)


@checks
def decode_webp(
    contents: TensorLike, channels: int = 0, dtype: DTypeLike = "uint8", name: str | None = None
) -> Tensor:
    """All frames of a WebP: frames × height × width × channels, also of one that does not move. ``channels`` is 0 (as stored), 3 or 4; ``dtype``
    is uint8. As ``tf.io.decode_webp``.

    >>> import feedline as fl
    >>> webp = b"RIFF\\x1a\\0\\0\\0WEBPVP8L\\x0d\\0\\0\\0\\x2f\\0\\0\\0\\x10\\x07\\x10\\x11\\x11\\x88\\x88\\xfe\\x07\\0"
    >>> fl.Dataset.from_tensors(webp).map(lambda x: fl.image.decode_webp(x)).get_single_element().shape
    (1, 1, 1, 4)
    """
    if as_dtype(dtype) != "uint8":
        raise ArgumentError(f"decode_webp: dtype is uint8, not {dtype!r}\nhint: decode_image takes others")
    return _image_ops.decode_webp(contents, channels)


@checks
def adjust_jpeg_quality(
    image: TensorLike, jpeg_quality: int | Tensor, dct_method: str = "", name: str | None = None
) -> Tensor:
    """The image encoded as a JPEG and decoded again. ``dct_method`` is a hint that changes nothing: the transform is always the
    accurate one. As ``tf.image.adjust_jpeg_quality``.

    >>> import feedline as fl, numpy as np
    >>> ds = fl.Dataset.from_tensors(np.full([8, 8, 3], 100, np.uint8))
    >>> ds.map(lambda x: fl.image.adjust_jpeg_quality(x, 50)).get_single_element().shape
    (8, 8, 3)
    """
    return _image_ops.adjust_jpeg_quality(image, jpeg_quality, dct_method)


@checks
def encode_jpeg(
    image: TensorLike,
    format: str = "",
    quality: int = 95,
    progressive: bool = False,
    optimize_size: bool = False,
    chroma_downsampling: bool = True,
    density_unit: str = "in",
    x_density: int = 300,
    y_density: int = 300,
    xmp_metadata: str = "",
    name: str | None = None,
) -> Tensor:
    """The image as a JPEG, the bytes libjpeg-turbo writes: 1 channel as gray, 3 as colour. As ``tf.io.encode_jpeg``.

    >>> import feedline as fl, numpy as np
    >>> ds = fl.Dataset.from_tensors(np.zeros([8, 8, 3], np.uint8))
    >>> ds.map(lambda x: fl.image.encode_jpeg(x)).get_single_element()[:4]
    b'\\xff\\xd8\\xff\\xe0'
    """
    return _image_ops.encode_jpeg(
        image,
        format,
        quality,
        progressive,
        optimize_size,
        chroma_downsampling,
        density_unit=density_unit,
        x_density=x_density,
        y_density=y_density,
        xmp_metadata=xmp_metadata,
    )


@checks
def resize(
    images: TensorLike,
    size: int | Sequence[int | Tensor] | Tensor,
    method: str = "bilinear",
    preserve_aspect_ratio: bool = False,
    antialias: bool = False,
    name: str | None = None,
    *,
    fast_scale: bool = False,
) -> Tensor:
    """The image at another size, as float32 (by ``nearest`` in its own type). ``size`` is height and width, or one number for
    the shorter side, also as a tensor (``fl.shape(image)[:2] // 2``). Methods are ``nearest``, ``bilinear``, ``bicubic``, ``area``, ``lanczos3``, ``lanczos5``, ``gaussian``
    and ``mitchellcubic``; ``antialias`` widens the filter where the image shrinks. With ``preserve_aspect_ratio`` ``size`` is the most
    there may be. As ``tf.image.resize``.

    With ``fast_scale`` an image that :func:`decode_jpeg` decodes right before, in the same function, and that becomes less than half as
    high and wide, is decoded at a half, a quarter or an eighth of its size, never below the size it gets: faster for large
    photos, and other pixels than those of the whole image scaled. It is a part of what the function computes, so
    nothing but this argument switches it on.

    >>> import feedline as fl, numpy as np
    >>> ds = fl.Dataset.from_tensors(np.array([[[10], [20]], [[30], [40]]], np.uint8))
    >>> ds.map(lambda x: fl.image.resize(x, [1, 2])).get_single_element()[..., 0]
    array([[20., 30.]], dtype=float32)
    """
    return _image_ops.resize(
        images,
        size,
        method=method,
        preserve_aspect_ratio=preserve_aspect_ratio,
        antialias=antialias,
        fast_scale=fast_scale,
    )


@checks
def resize_with_pad(
    image: TensorLike,
    target_height: int | Tensor,
    target_width: int | Tensor,
    method: str = "bilinear",
    antialias: bool = False,
    name: str | None = None,
) -> Tensor:
    """The image scaled to fit into height and width, in the middle of zeros. As ``tf.image.resize_with_pad``.

    >>> import feedline as fl, numpy as np
    >>> ds = fl.Dataset.from_tensors(np.array([[[10], [20]], [[30], [40]]], np.uint8))
    >>> ds.map(lambda x: fl.image.resize_with_pad(x, 2, 4)).get_single_element()[..., 0]
    array([[ 0., 10., 20.,  0.],
           [ 0., 30., 40.,  0.]], dtype=float32)
    """
    return _image_ops.resize_with_pad(image, target_height, target_width, method, antialias)


@checks
def random_crop(
    value: TensorLike, size: Sequence[int | Tensor] | Tensor, seed: int | None = None, name: str | None = None
) -> Tensor:
    """A part of a tensor of the size given, one number a dimension, at a random place. As ``tf.image.random_crop``.

    >>> import feedline as fl, numpy as np
    >>> ds = fl.Dataset.from_tensors(np.zeros([8, 8, 1]))
    >>> ds.map(lambda x: fl.image.random_crop(x, [2, 2, 1], seed=1)).get_single_element().shape
    (2, 2, 1)
    """
    return _image_ops.random_crop(value, size, _seed(seed))


@checks
def random_resized_crop(
    image: TensorLike,
    size: int | Sequence[int],
    scale: Sequence[float] = (0.08, 1.0),
    ratio: Sequence[float] = (3 / 4, 4 / 3),
    method: str = "bilinear",
    *,
    antialias: bool = False,
    fast_scale: bool = False,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """A random part of the image, scaled to a size (one number is both sides), as float32: the crop of ImageNet training, drawn as
    torchvision's ``RandomResizedCrop`` draws it and scaled as :func:`resize` does (torchvision's has ``antialias=True``; ``fast_scale`` is that of
    :func:`resize`). Behind :func:`decode_jpeg` only that part is decoded.

    >>> import feedline as fl, numpy as np
    >>> ds = fl.Dataset.from_tensors(np.zeros((100, 80, 3), np.uint8))
    >>> ds = ds.map(lambda image: fl.image.random_resized_crop(image, (32, 32), seed=1))
    >>> next(iter(ds)).shape
    (32, 32, 3)
    """
    return _image_ops.random_resized_crop(
        image,
        size,
        _floats("random_resized_crop: scale", scale),
        _floats("random_resized_crop: ratio", ratio),
        method=method,
        antialias=antialias,
        fast_scale=fast_scale,
        seed=_seed(seed),
    )


@checks
def random_flip_left_right(image: TensorLike, seed: int | None = None, name: str | None = None) -> Tensor:
    """The image, or with left and right exchanged, each for half of the elements.

    >>> import feedline as fl, numpy as np
    >>> ds = fl.Dataset.from_tensors(np.array([[[10], [20]], [[30], [40]]], np.uint8)).repeat(1000)
    >>> flipped = sum(int(x[0, 0, 0]) != 10 for x in ds.map(lambda x: fl.image.random_flip_left_right(x, seed=1)))
    >>> 400 < flipped < 600
    True
    """
    return _image_ops.random_flip_left_right(image, _seed(seed))


@checks
def random_flip_up_down(image: TensorLike, seed: int | None = None, name: str | None = None) -> Tensor:
    """The image, or with top and bottom exchanged, each for half of the elements.

    >>> import feedline as fl, numpy as np
    >>> ds = fl.Dataset.from_tensors(np.array([[[10], [20]], [[30], [40]]], np.uint8)).repeat(1000)
    >>> flipped = sum(int(x[0, 0, 0]) != 10 for x in ds.map(lambda x: fl.image.random_flip_up_down(x, seed=1)))
    >>> 400 < flipped < 600
    True
    """
    return _image_ops.random_flip_up_down(image, _seed(seed))


@checks
def normalize(
    image: TensorLike,
    mean: float | Sequence[float] = IMAGENET_MEAN,
    std: float | Sequence[float] = IMAGENET_STD,
    *,
    layout: str = "NHWC",
    dtype: DTypeLike = "float32",
    name: str | None = None,
) -> Tensor:
    """``(image - mean) / std``, with a mean and a standard deviation for each channel, or one for all, in the units of the
    image: from 0 to 255 where it was decoded or resized. ``layout`` ``"NCHW"`` puts the channels first, as torch wants them.

    >>> import feedline as fl, numpy as np
    >>> ds = fl.Dataset.from_tensors(np.full((2, 2, 3), 123, np.uint8))
    >>> next(iter(ds.map(lambda image: fl.image.normalize(image, layout="NCHW")))).shape
    (3, 2, 2)
    """
    if layout not in ("NHWC", "NCHW"):
        raise ArgumentError(f"normalize: layout is {layout!r}, it must be 'NHWC' or 'NCHW'")
    means, stds = _floats("normalize: mean", mean), _floats("normalize: std", std)
    # One for all, beside one for each.
    means, stds = (means * len(stds) if len(means) == 1 else means), (stds * len(means) if len(stds) == 1 else stds)
    result = _image_ops.normalize(image, means, stds)
    # The cast first: what follows a change of layout is no part of the one pass from pixels to the batch.
    if as_dtype(dtype) != "float32":
        result = _native.call("cast", [result], [as_dtype(dtype).name])
    if layout == "NCHW":
        num_outer = len(result.shape or (0, 0, 0)) - 3
        order = [*range(num_outer), *(num_outer + axis for axis in (2, 0, 1))]
        result = _native.call("transpose", [result], [order])
    return result


@checks
def random_brightness(image: TensorLike, max_delta: float, seed: int | None = None) -> Tensor:
    """:func:`adjust_brightness` with a delta from ``-max_delta`` to ``max_delta``.

    >>> import feedline as fl, numpy as np
    >>> ds = fl.Dataset.from_tensors(np.array([[[0.5]]], np.float32)).repeat(100)
    >>> values = [x[0, 0].tolist() for x in ds.map(lambda x: fl.image.random_brightness(x, 0.1, seed=1))]
    >>> all(0.4 <= value <= 0.6 for value, in values)
    True
    """
    return _image_ops.random_brightness(image, max_delta, _seed(seed))


@checks
def random_contrast(image: TensorLike, lower: float, upper: float, seed: int | None = None) -> Tensor:
    """:func:`adjust_contrast` with a factor from ``lower`` to ``upper``.

    >>> import feedline as fl, numpy as np
    >>> ds = fl.Dataset.from_tensors(np.array([[[1.0], [3.0]]], np.float32)).repeat(100)
    >>> values = [x[0, 0].tolist() for x in ds.map(lambda x: fl.image.random_contrast(x, 0.5, 1.5, seed=1))]
    >>> all(0.5 <= value <= 1.5 for value, in values)
    True
    """
    return _image_ops.random_contrast(image, lower, upper, _seed(seed))


@checks
def random_saturation(image: TensorLike, lower: float, upper: float, seed: int | None = None) -> Tensor:
    """:func:`adjust_saturation` with a factor from ``lower`` to ``upper``.

    >>> import feedline as fl, numpy as np
    >>> ds = fl.Dataset.from_tensors(np.array([[[1.0, 0.5, 0.0]]], np.float32)).repeat(100)
    >>> values = [x[0, 0].tolist() for x in ds.map(lambda x: fl.image.random_saturation(x, 0.5, 1.0, seed=1))]
    >>> all(red == 1 and 0 <= blue <= 0.5 for red, green, blue in values)
    True
    """
    return _image_ops.random_saturation(image, lower, upper, _seed(seed))


@checks
def random_hue(image: TensorLike, max_delta: float, seed: int | None = None) -> Tensor:
    """:func:`adjust_hue` with a delta from ``-max_delta`` to ``max_delta``.

    >>> import feedline as fl, numpy as np
    >>> ds = fl.Dataset.from_tensors(np.array([[[1.0, 0.0, 0.0]]], np.float32)).repeat(100)
    >>> values = [x[0, 0].tolist() for x in ds.map(lambda x: fl.image.random_hue(x, 0.5, seed=1))]
    >>> all(round(max(value), 3) == 1 for value in values)  # as bright as before
    True
    """
    return _image_ops.random_hue(image, max_delta, _seed(seed))


@checks
def random_gamma(image: TensorLike, lower: float, upper: float, gain: float = 1.0, seed: int | None = None) -> Tensor:
    """:func:`adjust_gamma` with a gamma from ``lower`` to ``upper``.

    >>> import feedline as fl, numpy as np
    >>> ds = fl.Dataset.from_tensors(np.array([[[0.5]]], np.float32)).repeat(100)
    >>> values = [x[0, 0].tolist() for x in ds.map(lambda x: fl.image.random_gamma(x, 1.0, 2.0, seed=1))]
    >>> all(0.25 <= value <= 0.5 for value, in values)
    True
    """
    return _image_ops.random_gamma(image, lower, upper, gain, seed=_seed(seed))


@checks
def random_jpeg_quality(
    image: TensorLike, min_jpeg_quality: int, max_jpeg_quality: int, seed: int | None = None
) -> Tensor:
    """:func:`adjust_jpeg_quality` with a quality from ``min_jpeg_quality`` to below ``max_jpeg_quality``.

    >>> import feedline as fl, numpy as np
    >>> ds = fl.Dataset.from_tensors(np.full([8, 8, 3], 128, np.uint8)).repeat(10)
    >>> values = [x[0, 0].tolist() for x in ds.map(lambda x: fl.image.random_jpeg_quality(x, 50, 90, seed=1))]
    >>> {x[0] for x in values}
    {128}
    """
    return _image_ops.random_jpeg_quality(image, min_jpeg_quality, max_jpeg_quality, _seed(seed))
