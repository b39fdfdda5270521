"""Parts of images that boxes say, of :mod:`feedline.image`."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from . import _image_ops
from ._checking import checks
from ._augment import seed_of
from ._errors import ArgumentTypeError
from ._native import Tensor
from ._ops import TensorLike


@checks
def crop_and_resize(
    image: TensorLike,
    boxes: TensorLike,
    box_indices: TensorLike,
    crop_size: Sequence[int | Tensor] | Tensor,
    method: str = "bilinear",
    extrapolation_value: float = 0.0,
    name: str | None = None,
) -> Tensor:
    """Parts of a batch of images, each scaled to ``crop_size``, as float32. ``boxes`` has a row of ``y1, x1, y2, x2`` for each, where 0 is
    the first row or column and 1 the last; ``box_indices`` says of which image. As ``tf.image.crop_and_resize``.

    >>> import feedline as fl, numpy as np
    >>> ds = fl.Dataset.from_tensors(np.arange(9, dtype=np.uint8).reshape(1, 3, 3, 1))
    >>> ds = ds.map(lambda images: fl.image.crop_and_resize(images, [[0, 0, 1, 1], [0, 0, 0.5, 0.5]], [0, 0], (2, 2)))
    >>> print(next(iter(ds))[..., 0])
    [[[0. 2.]
      [6. 8.]]
    <BLANKLINE>
     [[0. 1.]
      [3. 4.]]]
    """
    return _image_ops.crop_and_resize(
        image,
        _float32("crop_and_resize", "boxes", boxes),
        box_indices,
        crop_size,
        method=method,
        extrapolation_value=extrapolation_value,
    )


@checks
def sample_distorted_bounding_box(
    image_size: TensorLike,
    bounding_boxes: TensorLike,
    seed: int | None = 0,
    min_object_covered: float = 0.1,
    aspect_ratio_range: Sequence[float] | None = None,
    area_range: Sequence[float] | None = None,
    max_attempts: int | None = None,
    use_image_if_no_bounding_boxes: bool | None = None,
    name: str | None = None,
) -> tuple[Tensor, Tensor, Tensor]:
    """A random part of an image of ``image_size`` that shows enough of one of the objects in ``bounding_boxes`` (one × number ×
    ``y1, x1, y2, x2``, from 0 to 1): where it begins, its size, and the box itself. As ``tf.image.sample_distorted_bounding_box``.

    >>> import feedline as fl, numpy as np
    >>> ds = fl.Dataset.from_tensors(np.zeros((100, 80, 3), np.uint8))
    >>> def crop(image):
    ...     box = [[[0.2, 0.2, 0.8, 0.8]]]
    ...     begin, size, _ = fl.image.sample_distorted_bounding_box(fl.shape(image), box, seed=1)
    ...     return fl.image.crop_to_bounding_box(image, begin[0], begin[1], size[0], size[1])
    >>> next(iter(ds.map(crop))).ndim
    3
    """
    return _image_ops.sample_distorted_bounding_box(
        image_size,
        _float32("sample_distorted_bounding_box", "bounding_boxes", bounding_boxes),
        seed_of(seed or None),  # 0 is none, as in TensorFlow
        min_object_covered,
        aspect_ratio_range=[0.75, 1.33] if aspect_ratio_range is None else [float(v) for v in aspect_ratio_range],
        area_range=[0.05, 1.0] if area_range is None else [float(v) for v in area_range],
        max_attempts=100 if max_attempts is None else max_attempts,
        use_image_if_no_bounding_boxes=bool(use_image_if_no_bounding_boxes),
    )


def _float32(what: str, argument: str, values: TensorLike) -> TensorLike:
    """Boxes as written, where 0 and 1 look like integers."""
    try:
        return values if isinstance(values, Tensor) else np.asarray(values, np.float32)
    except (TypeError, ValueError):
        raise ArgumentTypeError(f"{what}: {argument} are rows of four numbers, not {values!r}") from None
