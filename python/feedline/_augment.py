"""Augmentations of :mod:`feedline.image`: what training does to images besides cropping them, under torchvision's names.

>>> import feedline as fl, numpy as np
>>> ds = fl.Dataset.from_tensors(np.full((8, 8, 3), 200, np.uint8)).repeat(3)
>>> ds = ds.map(lambda image: fl.image.random_erasing(fl.image.rand_augment(image, seed=1), p=1.0, seed=2))
>>> [image.shape for image in ds]
[(8, 8, 3), (8, 8, 3), (8, 8, 3)]
"""

from __future__ import annotations

import numbers
from collections.abc import Sequence
from typing import TypeAlias, TypeGuard

import numpy as np

from . import _image_ops, _native, _ops, debugging
from ._checking import checks
from ._errors import ArgumentError
from ._native import Tensor
from ._ops import TensorLike

Numbers: TypeAlias = float | Sequence[float]
"""One number, or several."""


def seed_of(seed: int | None) -> int:
    """The seed given, or the next one of :func:`feedline.set_seed`."""
    return _native.drawn_seed() if seed is None else seed


def is_one(values: object) -> TypeGuard[float]:
    """Whether it is one number: Python's, numpy's, or an array of no dimensions."""
    return isinstance(values, numbers.Real) or (isinstance(values, np.ndarray) and values.ndim == 0)


def floats_of(argument: str, values: Numbers) -> list[float]:
    """One number or several, of Python's or numpy's, as a list; an error names the argument of the function."""
    try:
        if is_one(values):
            return [float(values)]
        if not isinstance(values, (str, bytes, Tensor)) and all(is_one(value) for value in values):  # type: ignore[union-attr]
            return [float(value) for value in values]  # type: ignore[union-attr]
    except TypeError:
        pass
    raise ArgumentError(f"{argument} is {values!r}, it must be a number or several")


def ints_of(argument: str, values: int | Sequence[int]) -> list[int]:
    """As :func:`floats_of`, of whole numbers."""
    floats = floats_of(argument, values)
    if not all(value.is_integer() for value in floats):
        raise ArgumentError(f"{argument} is {values!r}, it must be a whole number or several")
    return [int(value) for value in floats]


def _either_way(argument: str, values: Numbers) -> list[float]:
    """From and to; one number stands for both directions."""
    return [-abs(float(values)), abs(float(values))] if is_one(values) else floats_of(argument, values)


def _maybe(argument: str, values: Sequence[float] | None) -> list[float] | None:
    return None if values is None else floats_of(argument, values)


@checks
def gaussian_blur(
    image: TensorLike,
    kernel_size: int | Sequence[int],
    sigma: Numbers | None = None,
    name: str | None = None,
) -> Tensor:
    """The image blurred by a Gaussian of ``kernel_size`` pixels (width and height, or one for both; odd) and the deviation
    ``sigma`` (one for both, or for x and y; ``None``: by the size), mirrored at the edges. As torchvision's ``gaussian_blur``.

    >>> import feedline as fl, numpy as np
    >>> dot = np.zeros((3, 3, 1), np.uint8)
    >>> dot[1, 1] = 100
    >>> ds = fl.Dataset.from_tensors(dot).map(lambda image: fl.image.gaussian_blur(image, 3, 1.0))
    >>> print(next(iter(ds))[..., 0])
    [[30 25 30]
     [25 20 25]
     [30 25 30]]
    """
    sizes = ints_of("gaussian_blur: kernel_size", kernel_size)
    sizes = sizes * 2 if len(sizes) == 1 else sizes
    sigmas = [0.3 * ((size - 1) * 0.5 - 1) + 0.8 for size in sizes] if sigma is None else floats_of("gaussian_blur: sigma", sigma)
    return _image_ops.gaussian_blur(image, sizes, sigmas)


@checks
def random_gaussian_blur(
    image: TensorLike,
    kernel_size: int | Sequence[int],
    sigma: Sequence[float] = (0.1, 2.0),
    *,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """:func:`gaussian_blur` with a deviation from ``sigma[0]`` to ``sigma[1]``, as torchvision's ``GaussianBlur``.

    >>> import feedline as fl, numpy as np
    >>> ds = fl.Dataset.from_tensors(np.array([[0, 0, 0], [0, 100, 0], [0, 0, 0]], np.uint8)[..., None]).repeat(100)
    >>> blurred = [int(x[1, 1, 0]) for x in ds.map(lambda x: fl.image.random_gaussian_blur(x, 3, (0.5, 1.0), seed=1))]
    >>> min(blurred) < 30 and max(blurred) < 70
    True
    """
    sizes = ints_of("random_gaussian_blur: kernel_size", kernel_size)
    return _image_ops.random_gaussian_blur(image, sizes, floats_of("random_gaussian_blur: sigma", sigma), seed_of(seed))


@checks
def affine(
    image: TensorLike,
    angle: float = 0.0,
    translate: Sequence[float] = (0, 0),
    scale: float = 1.0,
    shear: Numbers = (0.0, 0.0),
    interpolation: str = "nearest",
    fill: Numbers = 0,
    center: Sequence[float] | None = None,
    name: str | None = None,
) -> Tensor:
    """The image turned by ``angle`` degrees with the clock, scaled, sheared by ``shear`` degrees (along x, or along x and y), and
    moved by ``translate`` pixels (x and y), about ``center`` (x and y from the upper left corner; ``None``: the middle).
    ``interpolation`` is ``"nearest"`` or ``"bilinear"``; ``fill`` is what lies outside, one number or one for each channel. Results
    are those of torchvision's ``affine`` for images of Pillow's, of uint8 to the byte.

    >>> import feedline as fl, numpy as np
    >>> ds = fl.Dataset.from_tensors(np.arange(6, dtype=np.uint8).reshape(2, 3, 1))
    >>> print(next(iter(ds.map(lambda image: fl.image.affine(image, translate=(1, 0), fill=9))))[..., 0])
    [[9 0 1]
     [9 3 4]]
    """
    shears = floats_of("affine: shear", shear)
    if len(shears) == 1 and not is_one(shear):
        shears = shears * 2  # as torchvision: a number is along x, a list of one is along both
    return _image_ops.affine(
        image,
        angle,
        translate=floats_of("affine: translate", translate),
        scale=scale,
        shear=shears,
        interpolation=interpolation,
        fill=floats_of("affine: fill", fill),
        center=_maybe("affine: center", center),
    )


@checks
def rotate(
    image: TensorLike,
    angle: float,
    interpolation: str = "nearest",
    expand: bool = False,
    center: Sequence[float] | None = None,
    fill: Numbers = 0,
    name: str | None = None,
) -> Tensor:
    """The image turned by ``angle`` degrees against the clock. With ``expand`` it is as large as it takes to hold all of it.
    Otherwise as :func:`affine`.

    >>> import feedline as fl, numpy as np
    >>> ds = fl.Dataset.from_tensors(np.arange(6, dtype=np.uint8).reshape(2, 3, 1))
    >>> print(next(iter(ds.map(lambda image: fl.image.rotate(image, 90, expand=True))))[..., 0])
    [[2 5]
     [1 4]
     [0 3]]
    """
    return _image_ops.rotate(
        image, angle, interpolation, expand, _maybe("rotate: center", center), fill=floats_of("rotate: fill", fill)
    )


@checks
def random_affine(
    image: TensorLike,
    degrees: Numbers,
    translate: Sequence[float] | None = None,
    scale: Sequence[float] | None = None,
    shear: Numbers | None = None,
    interpolation: str = "nearest",
    fill: Numbers = 0,
    center: Sequence[float] | None = None,
    *,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """:func:`affine` with an angle within ``degrees`` (from and to, or one number for both directions), moved by up to the parts
    ``translate`` of width and height, scaled within ``scale``, sheared within ``shear`` (one number, from and to along x, or from
    and to along x and y). As torchvision's ``RandomAffine``.

    >>> import feedline as fl, numpy as np
    >>> ds = fl.Dataset.from_tensors(np.ones((8, 8, 3), np.uint8))
    >>> next(iter(ds.map(lambda image: fl.image.random_affine(image, 10, (0.1, 0.1), seed=1)))).shape
    (8, 8, 3)
    """
    return _image_ops.random_affine(
        image,
        _either_way("random_affine: degrees", degrees),
        _maybe("random_affine: translate", translate),
        _maybe("random_affine: scale", scale),
        None if shear is None else _either_way("random_affine: shear", shear),
        interpolation=interpolation,
        fill=floats_of("random_affine: fill", fill),
        center=_maybe("random_affine: center", center),
        seed=seed_of(seed),
    )


@checks
def random_rotation(
    image: TensorLike,
    degrees: Numbers,
    interpolation: str = "nearest",
    expand: bool = False,
    center: Sequence[float] | None = None,
    fill: Numbers = 0,
    *,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """:func:`rotate` with an angle within ``degrees``: from and to, or one number for both directions.

    >>> import feedline as fl, numpy as np
    >>> ds = fl.Dataset.from_tensors(np.array([[[10], [20]], [[30], [40]]], np.uint8))
    >>> ds.map(lambda x: fl.image.random_rotation(x, (90, 90), seed=1)).get_single_element()[..., 0]
    array([[20, 40],
           [10, 30]], dtype=uint8)
    """
    return _image_ops.random_rotation(
        image,
        _either_way("random_rotation: degrees", degrees),
        interpolation,
        expand,
        _maybe("random_rotation: center", center),
        fill=floats_of("random_rotation: fill", fill),
        seed=seed_of(seed),
    )


@checks
def random_rot90(image: TensorLike, seed: int | None = None, name: str | None = None) -> Tensor:
    """The image turned by no, one, two or three quarters, each for a quarter of the elements.

    >>> import feedline as fl, numpy as np
    >>> ds = fl.Dataset.from_tensors(np.array([[[10], [20]], [[30], [40]]], np.uint8)).repeat(100)
    >>> sorted({int(x[0, 0, 0]) for x in ds.map(lambda x: fl.image.random_rot90(x, seed=1))})
    [10, 20, 30, 40]
    """
    return _image_ops.random_rot90(image, seed_of(seed))


@checks
def random_erasing(
    image: TensorLike,
    p: float = 0.5,
    scale: Sequence[float] = (0.02, 0.33),
    ratio: Sequence[float] = (0.3, 3.3),
    value: Numbers | str = 0,
    *,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """With probability ``p`` a random part of the image gets ``value``: one number, one for each channel, or ``"random"`` for noise (a
    normal distribution, for images that are normalized). As torchvision's ``RandomErasing``.

    >>> import feedline as fl, numpy as np
    >>> ds = fl.Dataset.from_tensors(np.ones((8, 8, 1), np.uint8))
    >>> quarter = {"scale": (0.25, 0.25), "ratio": (1, 1)}
    >>> int(next(iter(ds.map(lambda image: fl.image.random_erasing(image, p=1.0, **quarter, seed=1)))).sum())
    48
    """
    if isinstance(value, str) and value != "random":
        raise ArgumentError(f"random_erasing: value is {value!r}, it must be a number, one for each channel, or 'random'")
    values = None if isinstance(value, str) else floats_of("random_erasing: value", value)
    return _image_ops.random_erasing(
        image,
        p,
        scale=floats_of("random_erasing: scale", scale),
        ratio=floats_of("random_erasing: ratio", ratio),
        value=values,
        seed=seed_of(seed),
    )


@checks
def random_invert(image: TensorLike, p: float = 0.5, *, seed: int | None = None, name: str | None = None) -> Tensor:
    """:func:`invert` with probability ``p``, as torchvision's ``RandomInvert``.

    >>> import feedline as fl, numpy as np
    >>> ds = fl.Dataset.from_tensors(np.array([[[10], [20]], [[30], [40]]], np.uint8)).repeat(100)
    >>> changed = ds.map(lambda x: fl.image.random_invert(x, seed=1))
    >>> sorted({int(x[0, 0, 0]) for x in changed})
    [10, 245]
    """
    return _image_ops.random_invert(image, p, seed=seed_of(seed))


@checks
def random_solarize(
    image: TensorLike, threshold: float, p: float = 0.5, *, seed: int | None = None, name: str | None = None
) -> Tensor:
    """:func:`solarize` with probability ``p``, as torchvision's ``RandomSolarize``.

    >>> import feedline as fl, numpy as np
    >>> ds = fl.Dataset.from_tensors(np.full((1, 1, 1), 200, np.uint8)).repeat(6)
    >>> [int(image.item()) for image in ds.map(lambda image: fl.image.random_solarize(image, 128, seed=1))]
    [55, 200, 55, 200, 200, 55]
    """
    return _image_ops.random_solarize(image, threshold, p, seed=seed_of(seed))


@checks
def random_posterize(
    image: TensorLike, bits: int, p: float = 0.5, *, seed: int | None = None, name: str | None = None
) -> Tensor:
    """:func:`posterize` with probability ``p``, as torchvision's ``RandomPosterize``.

    >>> import feedline as fl, numpy as np
    >>> ds = fl.Dataset.from_tensors(np.array([[[10], [20]], [[30], [40]]], np.uint8)).repeat(100)
    >>> changed = ds.map(lambda x: fl.image.random_posterize(x, 2, seed=1))
    >>> sorted({int(x[1, 1, 0]) for x in changed})
    [0, 40]
    """
    return _image_ops.random_posterize(image, bits, p, seed=seed_of(seed))


@checks
def random_equalize(image: TensorLike, p: float = 0.5, *, seed: int | None = None, name: str | None = None) -> Tensor:
    """:func:`equalize` with probability ``p``, as torchvision's ``RandomEqualize``.

    >>> import feedline as fl, numpy as np
    >>> ds = fl.Dataset.from_tensors(np.repeat(np.arange(4, dtype=np.uint8), 256).reshape(32, 32, 1)).repeat(100)
    >>> changed = ds.map(lambda x: fl.image.random_equalize(x, seed=1))
    >>> sorted({int(x[31, 31, 0]) for x in changed})
    [3, 255]
    """
    return _image_ops.random_equalize(image, p, seed=seed_of(seed))


@checks
def random_autocontrast(image: TensorLike, p: float = 0.5, *, seed: int | None = None, name: str | None = None) -> Tensor:
    """:func:`autocontrast` with probability ``p``, as torchvision's ``RandomAutocontrast``.

    >>> import feedline as fl, numpy as np
    >>> ds = fl.Dataset.from_tensors(np.array([[[10], [20]], [[30], [40]]], np.uint8)).repeat(100)
    >>> changed = ds.map(lambda x: fl.image.random_autocontrast(x, seed=1))
    >>> sorted({int(x[0, 1, 0]) for x in changed})
    [20, 85]
    """
    return _image_ops.random_autocontrast(image, p, seed=seed_of(seed))


@checks
def random_adjust_sharpness(
    image: TensorLike, sharpness_factor: float, p: float = 0.5, *, seed: int | None = None, name: str | None = None
) -> Tensor:
    """:func:`adjust_sharpness` with probability ``p``, as torchvision's ``RandomAdjustSharpness``.

    >>> import feedline as fl, numpy as np
    >>> ds = fl.Dataset.from_tensors(np.array([[0, 0, 0], [0, 130, 0], [0, 0, 0]], np.uint8)[..., None]).repeat(100)
    >>> changed = ds.map(lambda x: fl.image.random_adjust_sharpness(x, 0.0, seed=1))
    >>> sorted({int(x[1, 1, 0]) for x in changed})
    [50, 130]
    """
    return _image_ops.random_adjust_sharpness(image, sharpness_factor, p, seed=seed_of(seed))


@checks
def random_cutout(
    image: TensorLike,
    mask_size: int | Sequence[int],
    value: Numbers = 0,
    *,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """A part of the image of the size ``mask_size`` (height and width, or one for both) gets ``value``. Its middle is anywhere in the
    image, so that a part of it may lie outside.

    >>> import feedline as fl, numpy as np
    >>> ds = fl.Dataset.from_tensors(np.ones([8, 8, 1], np.uint8)).repeat(100)
    >>> left = [int(x.sum()) for x in ds.map(lambda x: fl.image.random_cutout(x, 4, seed=1))]
    >>> min(left)  # of 64 pixels, where all of the mask is in the image
    48
    """
    sizes = ints_of("random_cutout: mask_size", mask_size)
    return _image_ops.random_cutout(image, sizes, floats_of("random_cutout: value", value), seed_of(seed))


@checks
def rand_augment(
    image: TensorLike,
    num_ops: int = 2,
    magnitude: int = 9,
    num_magnitude_bins: int = 31,
    interpolation: str = "nearest",
    fill: Numbers = 0,
    *,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """``num_ops`` changes of an image of uint8, drawn from fourteen for each element, at the strength ``magnitude`` of
    ``num_magnitude_bins``, in either direction. Only the changes that are drawn are computed. As torchvision's ``RandAugment`` of images
    of Pillow's; after :func:`random_resized_crop`, which gives floats, ``fl.cast(fl.round(image), fl.uint8)`` comes first.

    >>> import feedline as fl, numpy as np
    >>> ds = fl.Dataset.from_tensors(np.ones((8, 8, 3), np.uint8))
    >>> next(iter(ds.map(lambda image: fl.image.rand_augment(image, magnitude=5, seed=1)))).dtype
    dtype('uint8')
    """
    return _image_ops.rand_augment(
        image,
        num_ops,
        magnitude,
        num_magnitude_bins,
        interpolation=interpolation,
        fill=floats_of("rand_augment: fill", fill),
        seed=seed_of(seed),
    )


@checks
def trivial_augment_wide(
    image: TensorLike,
    num_magnitude_bins: int = 31,
    interpolation: str = "nearest",
    fill: Numbers = 0,
    *,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """One change of an image of uint8, drawn as :func:`rand_augment` does it, at a strength that is drawn too, from a wider range. As
    torchvision's ``TrivialAugmentWide``.

    >>> import feedline as fl, numpy as np
    >>> ds = fl.Dataset.from_tensors(np.zeros([32, 32, 3], np.uint8))
    >>> ds.map(lambda x: fl.image.trivial_augment_wide(x, seed=1)).element_spec
    TensorSpec(shape=(32, 32, 3), dtype=fl.uint8)
    """
    return _image_ops.trivial_augment_wide(
        image, num_magnitude_bins, interpolation=interpolation, fill=floats_of("trivial_augment_wide: fill", fill), seed=seed_of(seed)
    )


@checks
def auto_augment(
    image: TensorLike,
    interpolation: str = "nearest",
    fill: Numbers = 0,
    *,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """One of the 25 pairs of changes that AutoAugment found on ImageNet, of an image of uint8. As torchvision's ``AutoAugment``.

    >>> import feedline as fl, numpy as np
    >>> ds = fl.Dataset.from_tensors(np.zeros([32, 32, 3], np.uint8))
    >>> ds.map(lambda x: fl.image.auto_augment(x, seed=1)).element_spec
    TensorSpec(shape=(32, 32, 3), dtype=fl.uint8)
    """
    return _image_ops.auto_augment(image, interpolation, floats_of("auto_augment: fill", fill), seed_of(seed))


@checks
def mixup(
    images: TensorLike,
    labels: TensorLike,
    *,
    alpha: float = 1.0,
    num_classes: int | None = None,
    seed: int | None = None,
) -> tuple[Tensor, Tensor]:
    """A batch of images and of labels, each mixed with the one before it, by a share drawn once for the batch from a Beta
    distribution of ``alpha`` and ``alpha``. Labels are rows of floats, or class numbers where ``num_classes`` says how many there
    are. Channels may come first or last. As torchvision's ``MixUp``.

    >>> import feedline as fl, numpy as np
    >>> ds = fl.Dataset.from_tensor_slices((np.ones((4, 8, 8, 3), np.float32), np.arange(4))).batch(4)
    >>> images, labels = next(iter(ds.map(lambda x, y: fl.image.mixup(x, y, alpha=0.2, num_classes=10, seed=1))))
    >>> images.shape, labels.shape, labels.sum(axis=1)
    ((4, 8, 8, 3), (4, 10), array([1., 1., 1., 1.], dtype=float32))
    """
    return _image_ops.mixup(images, _mixable(labels, num_classes), alpha, seed=seed_of(seed))


@checks
def cutmix(
    images: TensorLike,
    labels: TensorLike,
    *,
    alpha: float = 1.0,
    num_classes: int | None = None,
    seed: int | None = None,
    layout: str = "NHWC",
) -> tuple[Tensor, Tensor]:
    """A batch of images and of labels, where a box of each image is that of the one before it, and labels are mixed by its area.
    Labels as in :func:`mixup`. ``layout`` is ``"NCHW"`` where channels come first. As torchvision's ``CutMix``.

    >>> import feedline as fl, numpy as np
    >>> images = np.array([0, 1], np.float32).reshape(2, 1, 1, 1) * np.ones([2, 8, 8, 1], np.float32)
    >>> ds = fl.Dataset.from_tensors((images, np.eye(2, dtype=np.float32)))
    >>> mixed, labels = ds.map(lambda x, y: fl.image.cutmix(x, y, seed=1)).get_single_element()
    >>> np.allclose(mixed.mean((1, 2, 3)), labels[:, 1])  # labels say how much of which image there is
    True
    """
    return _image_ops.cutmix(images, _mixable(labels, num_classes), alpha, seed=seed_of(seed), layout=layout)


def _mixable(labels: TensorLike, num_classes: int | None) -> TensorLike:
    if num_classes is None:
        return labels
    # Without the checks their rows would be zeros.
    debugging.assert_non_negative(labels, message=f"labels are from 0 to {num_classes - 1}: num_classes is {num_classes}")
    debugging.assert_less(labels, num_classes, message=f"labels are from 0 to {num_classes - 1}: num_classes is {num_classes}")
    return _ops.one_hot(labels, num_classes)
