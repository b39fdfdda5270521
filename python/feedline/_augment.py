"""Augmentations of :mod:`feedline.image`: what training does to images besides cropping them, under torchvision's names.

>>> import feedline as fl, numpy as np
>>> ds = fl.Dataset.from_tensors(np.full((8, 8, 3), 200, np.uint8)).repeat(3)
>>> ds = ds.map(lambda image: fl.image.random_erasing(fl.image.rand_augment(image, seed=1), p=1.0, seed=2))
>>> [image.shape for image in ds]
[(8, 8, 3), (8, 8, 3), (8, 8, 3)]
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from . import _image_ops, _native, _ops, debugging
from ._errors import ArgumentError
from ._native import Tensor
from ._ops import TensorLike

Numbers: TypeAlias = float | Sequence[float]
"""One number, or several."""


def seed_of(seed: int | None) -> int:
    """The seed given, or the next one of :func:`feedline.set_seed`."""
    return _native.drawn_seed() if seed is None else seed


def _list(values: Numbers) -> list[float]:
    return [float(values)] if isinstance(values, (int, float)) else [float(value) for value in values]


def _either_way(values: Numbers) -> list[float]:
    """From and to; one number stands for both directions."""
    return [-abs(float(values)), abs(float(values))] if isinstance(values, (int, float)) else _list(values)


def _maybe(values: Sequence[float] | None) -> list[float] | None:
    return None if values is None else _list(values)


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
    sizes = [kernel_size, kernel_size] if isinstance(kernel_size, int) else list(kernel_size)
    sigmas = [0.3 * ((size - 1) * 0.5 - 1) + 0.8 for size in sizes] if sigma is None else _list(sigma)
    return _image_ops.gaussian_blur(image, sizes, sigmas)


def random_gaussian_blur(
    image: TensorLike,
    kernel_size: int | Sequence[int],
    sigma: Sequence[float] = (0.1, 2.0),
    *,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """:func:`gaussian_blur` with a deviation from ``sigma[0]`` to ``sigma[1]``, as torchvision's ``GaussianBlur``."""
    return _image_ops.random_gaussian_blur(image, kernel_size, _list(sigma), seed_of(seed))


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
    return _image_ops.affine(
        image,
        angle,
        translate=_list(translate),
        scale=scale,
        shear=_list(shear),
        interpolation=interpolation,
        fill=_list(fill),
        center=_maybe(center),
    )


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
    return _image_ops.rotate(image, angle, interpolation, expand, _maybe(center), fill=_list(fill))


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
        _either_way(degrees),
        _maybe(translate),
        _maybe(scale),
        None if shear is None else _either_way(shear),
        interpolation=interpolation,
        fill=_list(fill),
        center=_maybe(center),
        seed=seed_of(seed),
    )


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
    """:func:`rotate` with an angle within ``degrees``: from and to, or one number for both directions."""
    return _image_ops.random_rotation(
        image, _either_way(degrees), interpolation, expand, _maybe(center), fill=_list(fill), seed=seed_of(seed)
    )


def random_rot90(image: TensorLike, seed: int | None = None, name: str | None = None) -> Tensor:
    """The image turned by no, one, two or three quarters, each for a quarter of the elements."""
    return _image_ops.random_rot90(image, seed_of(seed))


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
    values = None if isinstance(value, str) else _list(value)
    return _image_ops.random_erasing(image, p, scale=_list(scale), ratio=_list(ratio), value=values, seed=seed_of(seed))


def random_cutout(
    image: TensorLike,
    mask_size: int | Sequence[int],
    value: Numbers = 0,
    *,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """A part of the image of the size ``mask_size`` (height and width, or one for both) gets ``value``. Its middle is anywhere in the
    image, so that a part of it may lie outside."""
    return _image_ops.random_cutout(image, mask_size, _list(value), seed_of(seed))


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
        fill=_list(fill),
        seed=seed_of(seed),
    )


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
    torchvision's ``TrivialAugmentWide``."""
    return _image_ops.trivial_augment_wide(
        image, num_magnitude_bins, interpolation=interpolation, fill=_list(fill), seed=seed_of(seed)
    )


def auto_augment(
    image: TensorLike,
    interpolation: str = "nearest",
    fill: Numbers = 0,
    *,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """One of the 25 pairs of changes that AutoAugment found on ImageNet, of an image of uint8. As torchvision's ``AutoAugment``."""
    return _image_ops.auto_augment(image, interpolation, _list(fill), seed_of(seed))


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
    Labels as in :func:`mixup`. ``layout`` is ``"NCHW"`` where channels come first. As torchvision's ``CutMix``."""
    return _image_ops.cutmix(images, _mixable(labels, num_classes), alpha, seed=seed_of(seed), layout=layout)


def _mixable(labels: TensorLike, num_classes: int | None) -> TensorLike:
    if num_classes is None:
        return labels
    # Without the checks their rows would be zeros.
    debugging.assert_non_negative(labels, message=f"labels are from 0 to {num_classes - 1}: num_classes is {num_classes}")
    debugging.assert_less(labels, num_classes, message=f"labels are from 0 to {num_classes - 1}: num_classes is {num_classes}")
    return _ops.one_hot(labels, num_classes)
