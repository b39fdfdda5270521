"""The operations, as functions of symbolic tensors, under TensorFlow's names.

Made from the catalogue in crates/feedline-plan/src/expr by tools/generate_python_ops.py: do not edit.
"""

# ruff: noqa
from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

from ._dtypes import DTypeLike
from ._native import Tensor, call
from ._several import several
from ._spec import ShapeLike

TensorLike: TypeAlias = Any
"""A symbolic tensor, a number, a string, a list of them, or a numpy array."""


def decode_jpeg(contents: TensorLike, channels: int = 0, ratio: int = 1, *, dct_method: str, name: str | None = None) -> Tensor:
    """The pixels of a JPEG, those of libjpeg-turbo's default settings byte for byte. `channels` is 0 (as stored), 1
    (gray) or 3; `ratio` 1, 2, 4 or 8 decodes at that part of the size. `dct_method` is a hint that changes nothing:
    the transform is always the accurate one. A PNG, or a GIF of one frame, is decoded too; other formats are an
    error of their element. So is an image that ends before its last pixel without an end mark (with one, the rest
    is gray, and without one all may be there), announces restart markers and has others, or is damaged and
    progressive; not if all that uses it is a crop or a resize right behind it, in the same function, of a size that
    is no tensor, and needs only rows above the damage. Other damage gives odd pixels, those of libjpeg-turbo. As
    ``tf.io.decode_jpeg``.

    >>> import feedline as fl, numpy as np
    >>> ds = fl.Dataset.from_tensors(np.full([8, 8, 3], 128, np.uint8))
    >>> ds.map(lambda x: fl.image.decode_jpeg(fl.image.encode_jpeg(x))).get_single_element().shape
    (8, 8, 3)
    """
    return call('image.decode_jpeg', [contents], [channels, ratio, dct_method])  # type: ignore[no-any-return]


def decode_and_crop_jpeg(contents: TensorLike, crop_window: TensorLike, channels: int = 0, ratio: int = 1, *, dct_method: str, name: str | None = None) -> Tensor:
    """A part of a JPEG: `crop_window` is its first row, first column, height and width. Decodes no more than that;
    what is below it is not looked at. The pixels are those of the whole image (TensorFlow's differ by a few levels
    at the edges, where colours are stored at half size). With a `ratio` of 2, 4 or 8 it is a part of the image at
    that part of its size. A window that is not within the image is an error of its element, and so is what is no
    JPEG. As ``tf.io.decode_and_crop_jpeg``.

    >>> import feedline as fl, numpy as np
    >>> ds = fl.Dataset.from_tensors(np.full([8, 8, 3], 128, np.uint8))
    >>> ds.map(lambda x: fl.image.decode_and_crop_jpeg(fl.image.encode_jpeg(x), [2, 0, 4, 8])).get_single_element().shape
    (4, 8, 3)
    """
    return call('image.decode_and_crop_jpeg', [contents, crop_window], [channels, ratio, dct_method])  # type: ignore[no-any-return]


def decode_png(contents: TensorLike, channels: int = 0, dtype: DTypeLike = 'uint8', name: str | None = None) -> Tensor:
    """The pixels of a PNG; or of a JPEG, or of a GIF of one frame. `channels` is 0 (as stored), 1 (gray), 3 or 4;
    `dtype` is uint8 or uint16, and samples of another width are scaled to it. As ``tf.io.decode_png``.

    >>> import feedline as fl, numpy as np
    >>> ds = fl.Dataset.from_tensors(np.array([[[10], [20]], [[30], [40]]], np.uint8))
    >>> ds.map(lambda x: fl.image.decode_png(fl.image.encode_png(x))).get_single_element()[..., 0]
    array([[10, 20],
           [30, 40]], dtype=uint8)
    """
    return call('image.decode_png', [contents], [channels, dtype])  # type: ignore[no-any-return]


def decode_gif(contents: TensorLike, name: str | None = None) -> Tensor:
    """All frames of a GIF, as it is shown: frames × height × width × 3. Frames that cover a part of the picture change
    that part of the one before. A JPEG, PNG or `WebP` is taken, too. As ``tf.io.decode_gif``.

    >>> import feedline as fl
    >>> gif = b"GIF89a\\x01\\0\\x01\\0\\x80\\0\\0\\xff\\0\\0\\0\\0\\0,\\0\\0\\0\\0\\x01\\0\\x01\\0\\0\\x02\\x02D\\x01\\0;"
    >>> fl.Dataset.from_tensors(gif).map(lambda x: fl.image.decode_gif(x)).get_single_element()
    array([[[[255,   0,   0]]]], dtype=uint8)
    """
    return call('image.decode_gif', [contents], [])  # type: ignore[no-any-return]


def decode_bmp(contents: TensorLike, channels: int = 0, name: str | None = None) -> Tensor:
    """The pixels of a BMP that is not compressed, of 8 (gray), 24 or 32 bits a pixel. `channels` is 0 (as stored), 3
    or 4, or 1 of a gray one. As ``tf.io.decode_bmp``.

    >>> import feedline as fl
    >>> head = b"BM\\x3a\\0\\0\\0\\0\\0\\0\\0\\x36\\0\\0\\0\\x28\\0\\0\\0\\x01\\0\\0\\0\\x01\\0\\0\\0\\x01\\0\\x18\\0" + bytes(24)
    >>> pixel = bytes([50, 100, 200, 0])  # blue, green, red, and one to fill up the row
    >>> fl.Dataset.from_tensors(head + pixel).map(lambda x: fl.image.decode_bmp(x)).get_single_element()
    array([[[200, 100,  50]]], dtype=uint8)
    """
    return call('image.decode_bmp', [contents], [channels])  # type: ignore[no-any-return]


def decode_webp(contents: TensorLike, channels: int = 0, name: str | None = None) -> Tensor:
    """All frames of a `WebP`, lossy or lossless: frames × height × width × channels, also of one that does not move.
    Frames behind the first may be a level off. `channels` is 0 (as stored), 3 or 4. As ``tf.io.decode_webp``.

    >>> import feedline as fl
    >>> webp = b"RIFF\\x1a\\0\\0\\0WEBPVP8L\\x0d\\0\\0\\0\\x2f\\0\\0\\0\\x10\\x07\\x10\\x11\\x11\\x88\\x88\\xfe\\x07\\0"
    >>> fl.Dataset.from_tensors(webp).map(lambda x: fl.image.decode_webp(x)).get_single_element().shape
    (1, 1, 1, 4)
    """
    return call('image.decode_webp', [contents], [channels])  # type: ignore[no-any-return]


def decode_image(contents: TensorLike, channels: int = 0, dtype: DTypeLike = 'uint8', expand_animations: bool = True, name: str | None = None) -> Tensor:
    """The pixels of a JPEG, PNG, GIF, BMP or `WebP`, which it is by its first bytes. `dtype` is uint8, uint16 (PNG
    keeps its bits, of others 255 is 65280) or float32, from 0 to 1. A GIF or `WebP` has all its frames, so that the
    number of dimensions is not known before it is read; without `expand_animations` it is the first frame, as of
    the other formats. As ``tf.io.decode_image``.

    >>> import feedline as fl, numpy as np
    >>> ds = fl.Dataset.from_tensors(np.array([[[10], [20]], [[30], [40]]], np.uint8))
    >>> ds.map(lambda x: fl.image.decode_image(fl.image.encode_png(x), expand_animations=False)).get_single_element()[..., 0]
    array([[10, 20],
           [30, 40]], dtype=uint8)
    """
    return call('image.decode_image', [contents], [channels, dtype, expand_animations])  # type: ignore[no-any-return]


def extract_jpeg_shape(contents: TensorLike, output_type: DTypeLike = 'int32', name: str | None = None) -> Tensor:
    """Height, width and channels of a JPEG, from its header alone. As ``tf.io.extract_jpeg_shape``.

    >>> import feedline as fl, numpy as np
    >>> ds = fl.Dataset.from_tensors(np.zeros([48, 64, 3], np.uint8))
    >>> ds.map(lambda x: fl.image.extract_jpeg_shape(fl.image.encode_jpeg(x))).get_single_element()
    array([48, 64,  3], dtype=int32)
    """
    return call('image.extract_jpeg_shape', [contents], [output_type])  # type: ignore[no-any-return]


def exif_orientation(contents: TensorLike, name: str | None = None) -> Tensor:
    """How the camera was held, as a JPEG's Exif data has it: a number from 1 to 8, for `apply_orientation`. 1, which
    is upright, where there is none, also for what is no JPEG. As ``PIL.Image.Exif``.

    >>> import feedline as fl, numpy as np
    >>> ds = fl.Dataset.from_tensors(np.zeros([8, 8, 3], np.uint8))
    >>> ds.map(lambda x: fl.image.exif_orientation(fl.image.encode_jpeg(x))).get_single_element()
    np.int32(1)
    """
    return call('image.exif_orientation', [contents], [])  # type: ignore[no-any-return]


def is_jpeg(contents: TensorLike, name: str | None = None) -> Tensor:
    """Whether bytes begin as those of a JPEG do, of a tensor of any shape. As ``tf.io.is_jpeg``.

    >>> import feedline as fl, numpy as np
    >>> ds = fl.Dataset.from_tensors(np.zeros([8, 8, 3], np.uint8))
    >>> ds.map(lambda x: fl.image.is_jpeg([fl.image.encode_jpeg(x), fl.image.encode_png(x)])).get_single_element()
    array([ True, False])
    """
    return call('image.is_jpeg', [contents], [])  # type: ignore[no-any-return]


def encode_jpeg(image: TensorLike, format: str, quality: int = 95, progressive: bool = False, optimize_size: bool = False, chroma_downsampling: bool = True, *, density_unit: str, x_density: int = 300, y_density: int = 300, xmp_metadata: str, name: str | None = None) -> Tensor:
    """The image as a JPEG, the bytes libjpeg-turbo writes: 1 channel as gray, 3 as colour with chroma at half size
    (4:2:0) or, without `chroma_downsampling`, at full size. `format` is empty, or `grayscale` or `rgb`, which the
    image must then be. `density_unit` is `in` or `cm`; `xmp_metadata` is a text that readers of images find beside
    the pixels. As ``tf.io.encode_jpeg``.

    >>> import feedline as fl, numpy as np
    >>> ds = fl.Dataset.from_tensors(np.zeros([8, 8, 3], np.uint8))
    >>> ds.map(lambda x: fl.image.encode_jpeg(x)).get_single_element()[:4]
    b'\\xff\\xd8\\xff\\xe0'
    """
    return call('image.encode_jpeg', [image], [format, quality, progressive, optimize_size, chroma_downsampling, density_unit, x_density, y_density, xmp_metadata])  # type: ignore[no-any-return]


def encode_png(image: TensorLike, compression: int = -1, name: str | None = None) -> Tensor:
    """The image as a PNG, or each of a batch of images: uint8 or uint16, 1 to 4 channels. `compression` is from 0 to
    9, −1 for the usual. As ``tf.io.encode_png``.

    >>> import feedline as fl, numpy as np
    >>> ds = fl.Dataset.from_tensors(np.zeros([8, 8, 3], np.uint8))
    >>> ds.map(lambda x: fl.image.encode_png(x)).get_single_element()[:4]
    b'\\x89PNG'
    """
    return call('image.encode_png', [image], [compression])  # type: ignore[no-any-return]


def resize(images: TensorLike, size: int | Sequence[int | Tensor] | Tensor, method: str, preserve_aspect_ratio: bool = False, antialias: bool = False, fast_scale: bool = False, name: str | None = None) -> Tensor:
    """The image at another size, as float32 (by `nearest` in its own type). `size` is height and width, or one number
    for the shorter side. Methods are `nearest`, `bilinear`, `bicubic`, `area`, `lanczos3`, `lanczos5`, `gaussian`
    and `mitchellcubic`, all with TensorFlow's half-pixel centres; `antialias` widens the filter where the image
    shrinks. With `preserve_aspect_ratio` `size` is the most there may be. With `fast_scale` a JPEG that
    `decode_jpeg` decodes right before, and that becomes less than half as high and wide, is decoded at a half, a
    quarter or an eighth of its size, never below the size it gets: faster, and other pixels than those of the whole
    image scaled. As ``tf.image.resize``.

    >>> import feedline as fl, numpy as np
    >>> ds = fl.Dataset.from_tensors(np.array([[[10], [20]], [[30], [40]]], np.uint8))
    >>> ds.map(lambda x: fl.image.resize(x, [1, 2])).get_single_element()[..., 0]
    array([[20., 30.]], dtype=float32)
    """
    return call('image.resize', [images], [size, method, preserve_aspect_ratio, antialias, fast_scale])  # type: ignore[no-any-return]


def resize_with_pad(image: TensorLike, target_height: int | Tensor, target_width: int | Tensor, method: str, antialias: bool = False, name: str | None = None) -> Tensor:
    """The image scaled to fit into height and width, in the middle of zeros. As ``tf.image.resize_with_pad``.

    >>> import feedline as fl, numpy as np
    >>> ds = fl.Dataset.from_tensors(np.array([[[10], [20]], [[30], [40]]], np.uint8))
    >>> ds.map(lambda x: fl.image.resize_with_pad(x, 2, 4)).get_single_element()[..., 0]
    array([[ 0., 10., 20.,  0.],
           [ 0., 30., 40.,  0.]], dtype=float32)
    """
    return call('image.resize_with_pad', [image], [target_height, target_width, method, antialias])  # type: ignore[no-any-return]


def resize_with_crop_or_pad(image: TensorLike, target_height: int | Tensor, target_width: int | Tensor, name: str | None = None) -> Tensor:
    """The middle of the image, or the image in the middle of zeros, in each dimension as needed. As
    ``tf.image.resize_with_crop_or_pad``.

    >>> import feedline as fl, numpy as np
    >>> ds = fl.Dataset.from_tensors(np.array([[[10], [20]], [[30], [40]]], np.uint8))
    >>> ds.map(lambda x: fl.image.resize_with_crop_or_pad(x, 1, 4)).get_single_element()[..., 0]
    array([[ 0, 10, 20,  0]], dtype=uint8)
    """
    return call('image.resize_with_crop_or_pad', [image], [target_height, target_width])  # type: ignore[no-any-return]


def central_crop(image: TensorLike, central_fraction: float | Tensor, name: str | None = None) -> Tensor:
    """The middle part of the image, `central_fraction` of its height and width. As ``tf.image.central_crop``.

    >>> import feedline as fl, numpy as np
    >>> ds = fl.Dataset.from_tensors(np.arange(16, dtype=np.uint8).reshape(4, 4, 1))
    >>> ds.map(lambda x: fl.image.central_crop(x, 0.5)).get_single_element()[..., 0]
    array([[ 5,  6],
           [ 9, 10]], dtype=uint8)
    """
    return call('image.central_crop', [image], [central_fraction])  # type: ignore[no-any-return]


def crop_to_bounding_box(image: TensorLike, offset_height: TensorLike, offset_width: TensorLike, target_height: TensorLike, target_width: TensorLike, name: str | None = None) -> Tensor:
    """A part of the image. One that is not within it is an error of its element. As ``tf.image.crop_to_bounding_box``.

    >>> import feedline as fl, numpy as np
    >>> ds = fl.Dataset.from_tensors(np.array([[[10], [20]], [[30], [40]]], np.uint8))
    >>> ds.map(lambda x: fl.image.crop_to_bounding_box(x, 1, 0, 1, 2)).get_single_element()[..., 0]
    array([[30, 40]], dtype=uint8)
    """
    return call('image.crop_to_bounding_box', [image, offset_height, offset_width, target_height, target_width], [])  # type: ignore[no-any-return]


def pad_to_bounding_box(image: TensorLike, offset_height: int | Tensor, offset_width: int | Tensor, target_height: int | Tensor, target_width: int | Tensor, name: str | None = None) -> Tensor:
    """The image in a larger one of zeros. One that does not fit is an error of its element. As
    ``tf.image.pad_to_bounding_box``.

    >>> import feedline as fl, numpy as np
    >>> ds = fl.Dataset.from_tensors(np.array([[[10], [20]], [[30], [40]]], np.uint8))
    >>> ds.map(lambda x: fl.image.pad_to_bounding_box(x, 1, 0, 3, 3)).get_single_element()[..., 0]
    array([[ 0,  0,  0],
           [10, 20,  0],
           [30, 40,  0]], dtype=uint8)
    """
    return call('image.pad_to_bounding_box', [image], [offset_height, offset_width, target_height, target_width])  # type: ignore[no-any-return]


def flip_left_right(image: TensorLike, name: str | None = None) -> Tensor:
    """The image with left and right exchanged. As ``tf.image.flip_left_right``.

    >>> import feedline as fl, numpy as np
    >>> ds = fl.Dataset.from_tensors(np.array([[[10], [20]], [[30], [40]]], np.uint8))
    >>> ds.map(lambda x: fl.image.flip_left_right(x)).get_single_element()[..., 0]
    array([[20, 10],
           [40, 30]], dtype=uint8)
    """
    return call('image.flip_left_right', [image], [])  # type: ignore[no-any-return]


def flip_up_down(image: TensorLike, name: str | None = None) -> Tensor:
    """The image with top and bottom exchanged. As ``tf.image.flip_up_down``.

    >>> import feedline as fl, numpy as np
    >>> ds = fl.Dataset.from_tensors(np.array([[[10], [20]], [[30], [40]]], np.uint8))
    >>> ds.map(lambda x: fl.image.flip_up_down(x)).get_single_element()[..., 0]
    array([[30, 40],
           [10, 20]], dtype=uint8)
    """
    return call('image.flip_up_down', [image], [])  # type: ignore[no-any-return]


def rot90(image: TensorLike, k: int | Tensor = 1, name: str | None = None) -> Tensor:
    """The image turned by 90 degrees against the clock, `k` times. As ``tf.image.rot90``.

    >>> import feedline as fl, numpy as np
    >>> ds = fl.Dataset.from_tensors(np.array([[[10], [20]], [[30], [40]]], np.uint8))
    >>> ds.map(lambda x: fl.image.rot90(x)).get_single_element()[..., 0]
    array([[20, 40],
           [10, 30]], dtype=uint8)
    """
    return call('image.rot90', [image], [k])  # type: ignore[no-any-return]


def apply_orientation(image: TensorLike, orientation: TensorLike, name: str | None = None) -> Tensor:
    """The image turned and mirrored upright, by the orientation that `exif_orientation` found. A number that is not
    from 1 to 8 is an error of its element. As ``PIL.ImageOps.exif_transpose``.

    >>> import feedline as fl, numpy as np
    >>> ds = fl.Dataset.from_tensors(np.array([[[10], [20]], [[30], [40]]], np.uint8))
    >>> ds.map(lambda x: fl.image.apply_orientation(x, 6)).get_single_element()[..., 0]
    array([[30, 10],
           [40, 20]], dtype=uint8)
    """
    return call('image.apply_orientation', [image, orientation], [])  # type: ignore[no-any-return]


def crop_and_resize(image: TensorLike, boxes: TensorLike, box_indices: TensorLike, crop_size: int | Sequence[int | Tensor] | Tensor, method: str, extrapolation_value: float = 0, name: str | None = None) -> Tensor:
    """Parts of a batch of images, each scaled to `crop_size`, as float32. `boxes` has a row of `y1, x1, y2, x2` for
    each, where 0 is the first row or column and 1 the last (from above to below 0 to 1 is allowed, and mirrors
    where the first is the larger); `box_indices` says of which image. `method` is `bilinear` or `nearest`;
    `extrapolation_value` is what lies outside of an image. An index that no image has is an error of its element.
    As ``tf.image.crop_and_resize``.

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
    return call('image.crop_and_resize', [image, boxes, box_indices], [crop_size, method, extrapolation_value])  # type: ignore[no-any-return]


def sample_distorted_bounding_box(image_size: TensorLike, bounding_boxes: TensorLike, seed: int, min_object_covered: float = 0.1, *, aspect_ratio_range: Sequence[float], area_range: Sequence[float], max_attempts: int = 100, use_image_if_no_bounding_boxes: bool = False, name: str | None = None) -> tuple[Tensor, Tensor, Tensor]:
    """A random part of an image of `image_size` (height, width, channels) that shows enough of what is in it: where it
    begins, its size (of all channels: −1) and the box itself. `bounding_boxes` has the objects, one × number × `y1,
    x1, y2, x2`, from 0 to 1. The part covers at least `min_object_covered` of one of them, its width by height is
    within `aspect_ratio_range`, its area within `area_range` of the image; after `max_attempts` tries it is the
    whole image. Without objects that is an error of its element, or with `use_image_if_no_bounding_boxes` the whole
    image is the object. As ``tf.image.sample_distorted_bounding_box (other values)``.

    >>> import feedline as fl, numpy as np
    >>> ds = fl.Dataset.from_tensors(np.zeros((100, 80, 3), np.uint8))
    >>> def crop(image):
    ...     box = [[[0.2, 0.2, 0.8, 0.8]]]
    ...     begin, size, _ = fl.image.sample_distorted_bounding_box(fl.shape(image), box, seed=1)
    ...     return fl.image.crop_to_bounding_box(image, begin[0], begin[1], size[0], size[1])
    >>> next(iter(ds.map(crop))).ndim
    3
    """
    return call('image.sample_distorted_bounding_box', [image_size, bounding_boxes], [seed, min_object_covered, aspect_ratio_range, area_range, max_attempts, use_image_if_no_bounding_boxes])  # type: ignore[no-any-return]


def random_crop(value: TensorLike, size: int | Sequence[int | Tensor] | Tensor, seed: int, name: str | None = None) -> Tensor:
    """A part of a tensor of any number of dimensions, of the size given, at a random place of each element. One that
    is too small is an error of its element. As ``tf.image.random_crop (other values)``.

    >>> import feedline as fl, numpy as np
    >>> ds = fl.Dataset.from_tensors(np.zeros([8, 8, 1]))
    >>> ds.map(lambda x: fl.image.random_crop(x, [2, 2, 1], seed=1)).get_single_element().shape
    (2, 2, 1)
    """
    return call('image.random_crop', [value], [size, seed])  # type: ignore[no-any-return]


def random_resized_crop(image: TensorLike, size: int | Sequence[int] | None, scale: Sequence[float], ratio: Sequence[float], method: str, antialias: bool = False, fast_scale: bool = False, *, seed: int, name: str | None = None) -> Tensor:
    """A random part of the image, scaled to a size: the crop of image training, drawn as torchvision draws it. Its
    area is from `scale[0]` to `scale[1]` of the image, its width by height from `ratio[0]` to `ratio[1]`, uniform
    in the logarithm; after ten tries that do not fit it is the middle. Scaled as `resize` does it, to float32, also
    with its `fast_scale`. As ``torchvision.transforms.RandomResizedCrop (other values)``.

    >>> import feedline as fl, numpy as np
    >>> ds = fl.Dataset.from_tensors(np.zeros((100, 80, 3), np.uint8))
    >>> ds = ds.map(lambda image: fl.image.random_resized_crop(image, (32, 32), seed=1))
    >>> next(iter(ds)).shape
    (32, 32, 3)
    """
    return call('image.random_resized_crop', [image], [size, scale, ratio, method, antialias, fast_scale, seed])  # type: ignore[no-any-return]


def random_flip_left_right(image: TensorLike, seed: int, name: str | None = None) -> Tensor:
    """The image, or with left and right exchanged, each for half of the elements. As ``tf.image.random_flip_left_right
    (other values)``.

    >>> import feedline as fl, numpy as np
    >>> ds = fl.Dataset.from_tensors(np.array([[[10], [20]], [[30], [40]]], np.uint8)).repeat(1000)
    >>> flipped = sum(int(x[0, 0, 0]) != 10 for x in ds.map(lambda x: fl.image.random_flip_left_right(x, seed=1)))
    >>> 400 < flipped < 600
    True
    """
    return call('image.random_flip_left_right', [image], [seed])  # type: ignore[no-any-return]


def random_flip_up_down(image: TensorLike, seed: int, name: str | None = None) -> Tensor:
    """The image, or with top and bottom exchanged, each for half of the elements. As ``tf.image.random_flip_up_down
    (other values)``.

    >>> import feedline as fl, numpy as np
    >>> ds = fl.Dataset.from_tensors(np.array([[[10], [20]], [[30], [40]]], np.uint8)).repeat(1000)
    >>> flipped = sum(int(x[0, 0, 0]) != 10 for x in ds.map(lambda x: fl.image.random_flip_up_down(x, seed=1)))
    >>> 400 < flipped < 600
    True
    """
    return call('image.random_flip_up_down', [image], [seed])  # type: ignore[no-any-return]


def random_rot90(image: TensorLike, seed: int, name: str | None = None) -> Tensor:
    """The image turned by no, one, two or three quarters, each for a quarter of the elements. As ``tf.image.rot90 (at
    random)``.

    >>> import feedline as fl, numpy as np
    >>> ds = fl.Dataset.from_tensors(np.array([[[10], [20]], [[30], [40]]], np.uint8)).repeat(100)
    >>> sorted({int(x[0, 0, 0]) for x in ds.map(lambda x: fl.image.random_rot90(x, seed=1))})
    [10, 20, 30, 40]
    """
    return call('image.random_rot90', [image], [seed])  # type: ignore[no-any-return]


def convert_image_dtype(image: TensorLike, dtype: DTypeLike, saturate: bool = False, name: str | None = None) -> Tensor:
    """The image in another type, scaled: the largest integer of a type is 1.0 as a float. With `saturate` what does
    not fit stops at the limits, and a float as an integer does so always. As ``tf.image.convert_image_dtype``.

    >>> import feedline as fl, numpy as np
    >>> ds = fl.Dataset.from_tensors(np.array([[[0], [51], [255]]], np.uint8))
    >>> ds.map(lambda x: fl.image.convert_image_dtype(x, fl.float32)).get_single_element()[..., 0].round(3)
    array([[0. , 0.2, 1. ]], dtype=float32)
    """
    return call('image.convert_image_dtype', [image], [dtype, saturate])  # type: ignore[no-any-return]


def normalize(image: TensorLike, mean: Sequence[float], std: Sequence[float], name: str | None = None) -> Tensor:
    """`(image − mean) · (1 / std)` as float32, with a mean and a standard deviation for each channel, or one for all,
    in the units of the image: from 0 to 255 where it was decoded or resized. As
    ``torchvision.transforms.Normalize``.

    >>> import feedline as fl, numpy as np
    >>> ds = fl.Dataset.from_tensors(np.full((2, 2, 3), 123, np.uint8))
    >>> next(iter(ds.map(lambda image: fl.image.normalize(image, layout="NCHW")))).shape
    (3, 2, 2)
    """
    return call('image.normalize', [image], [mean, std])  # type: ignore[no-any-return]


def per_image_standardization(image: TensorLike, name: str | None = None) -> Tensor:
    """The image as float32 with a mean of 0 and a variance of 1, of the whole image; the deviation is at least 1 /
    √(number of values). As ``tf.image.per_image_standardization``.

    >>> import feedline as fl, numpy as np
    >>> ds = fl.Dataset.from_tensors(np.array([[[10], [20]], [[30], [40]]], np.uint8))
    >>> ds.map(lambda x: fl.image.per_image_standardization(x)).get_single_element()[..., 0].round(3)
    array([[-1.342, -0.447],
           [ 0.447,  1.342]], dtype=float32)
    """
    return call('image.per_image_standardization', [image], [])  # type: ignore[no-any-return]


def rgb_to_grayscale(images: TensorLike, name: str | None = None) -> Tensor:
    """One channel from three: 0.2989 of red, 0.587 of green, 0.114 of blue. As ``tf.image.rgb_to_grayscale``.

    >>> import feedline as fl, numpy as np
    >>> ds = fl.Dataset.from_tensors(np.array([[[200, 100, 50]]], np.uint8))
    >>> ds.map(lambda x: fl.image.rgb_to_grayscale(x)).get_single_element()
    array([[[124]]], dtype=uint8)
    """
    return call('image.rgb_to_grayscale', [images], [])  # type: ignore[no-any-return]


def grayscale_to_rgb(images: TensorLike, name: str | None = None) -> Tensor:
    """Three channels of one. As ``tf.image.grayscale_to_rgb``.

    >>> import feedline as fl, numpy as np
    >>> ds = fl.Dataset.from_tensors(np.array([[[7]]], np.uint8))
    >>> ds.map(lambda x: fl.image.grayscale_to_rgb(x)).get_single_element()
    array([[[7, 7, 7]]], dtype=uint8)
    """
    return call('image.grayscale_to_rgb', [images], [])  # type: ignore[no-any-return]


def rgb_to_hsv(images: TensorLike, name: str | None = None) -> Tensor:
    """Hue, saturation and value of red, green and blue: floats from 0 to 1. Half precision is computed in single. As
    ``tf.image.rgb_to_hsv``.

    >>> import feedline as fl, numpy as np
    >>> ds = fl.Dataset.from_tensors(np.array([[[0.5, 0.25, 0.25]]], np.float32))
    >>> ds.map(lambda x: fl.image.rgb_to_hsv(x)).get_single_element()
    array([[[0. , 0.5, 0.5]]], dtype=float32)
    """
    return call('image.rgb_to_hsv', [images], [])  # type: ignore[no-any-return]


def hsv_to_rgb(images: TensorLike, name: str | None = None) -> Tensor:
    """Red, green and blue of hue, saturation and value: floats from 0 to 1. Half precision is computed in single. As
    ``tf.image.hsv_to_rgb``.

    >>> import feedline as fl, numpy as np
    >>> ds = fl.Dataset.from_tensors(np.array([[[0.0, 0.5, 0.5]]], np.float32))
    >>> ds.map(lambda x: fl.image.hsv_to_rgb(x)).get_single_element()
    array([[[0.5 , 0.25, 0.25]]], dtype=float32)
    """
    return call('image.hsv_to_rgb', [images], [])  # type: ignore[no-any-return]


def adjust_brightness(image: TensorLike, delta: float | Tensor, name: str | None = None) -> Tensor:
    """The image with `delta`, in the units of floats from 0 to 1, added. As ``tf.image.adjust_brightness``.

    >>> import feedline as fl, numpy as np
    >>> ds = fl.Dataset.from_tensors(np.array([[[200, 100, 50]]], np.uint8))
    >>> ds.map(lambda x: fl.image.adjust_brightness(x, 0.1)).get_single_element()
    array([[[225, 125,  75]]], dtype=uint8)
    """
    return call('image.adjust_brightness', [image], [delta])  # type: ignore[no-any-return]


def adjust_contrast(images: TensorLike, contrast_factor: float | Tensor, name: str | None = None) -> Tensor:
    """The distance of every value from the mean of its channel times a factor. As ``tf.image.adjust_contrast``.

    >>> import feedline as fl, numpy as np
    >>> ds = fl.Dataset.from_tensors(np.array([[[10], [20]], [[30], [40]]], np.uint8))
    >>> ds.map(lambda x: fl.image.adjust_contrast(x, 2.0)).get_single_element()[..., 0]
    array([[ 0, 15],
           [35, 55]], dtype=uint8)
    """
    return call('image.adjust_contrast', [images], [contrast_factor])  # type: ignore[no-any-return]


def adjust_saturation(image: TensorLike, saturation_factor: float | Tensor, name: str | None = None) -> Tensor:
    """The image with its saturation times a factor. As ``tf.image.adjust_saturation``.

    >>> import feedline as fl, numpy as np
    >>> ds = fl.Dataset.from_tensors(np.array([[[200, 100, 50]]], np.uint8))
    >>> ds.map(lambda x: fl.image.adjust_saturation(x, 0.5)).get_single_element()
    array([[[200, 150, 125]]], dtype=uint8)
    """
    return call('image.adjust_saturation', [image], [saturation_factor])  # type: ignore[no-any-return]


def adjust_hue(image: TensorLike, delta: float | Tensor, name: str | None = None) -> Tensor:
    """The image with its hue turned by `delta`, from −1 to 1 for once around. As ``tf.image.adjust_hue``.

    >>> import feedline as fl, numpy as np
    >>> ds = fl.Dataset.from_tensors(np.array([[[200, 100, 50]]], np.uint8))
    >>> ds.map(lambda x: fl.image.adjust_hue(x, 0.5)).get_single_element()
    array([[[ 50, 150, 200]]], dtype=uint8)
    """
    return call('image.adjust_hue', [image], [delta])  # type: ignore[no-any-return]


def adjust_gamma(image: TensorLike, gamma: float | Tensor = 1, gain: float | Tensor = 1, name: str | None = None) -> Tensor:
    """`gain · image ^ gamma`, of values from 0 to 1. As ``tf.image.adjust_gamma``.

    >>> import feedline as fl, numpy as np
    >>> ds = fl.Dataset.from_tensors(np.array([[[0.5], [1.0]]], np.float32))
    >>> ds.map(lambda x: fl.image.adjust_gamma(x, 2.0)).get_single_element()[..., 0]
    array([[0.25, 1.  ]], dtype=float32)
    """
    return call('image.adjust_gamma', [image], [gamma, gain])  # type: ignore[no-any-return]


def adjust_jpeg_quality(image: TensorLike, jpeg_quality: int | Tensor, dct_method: str, name: str | None = None) -> Tensor:
    """The image encoded as a JPEG and decoded again. `dct_method` is a hint that changes nothing: the transform is
    always the accurate one. As ``tf.image.adjust_jpeg_quality``.

    >>> import feedline as fl, numpy as np
    >>> ds = fl.Dataset.from_tensors(np.full([8, 8, 3], 100, np.uint8))
    >>> ds.map(lambda x: fl.image.adjust_jpeg_quality(x, 50)).get_single_element().shape
    (8, 8, 3)
    """
    return call('image.adjust_jpeg_quality', [image], [jpeg_quality, dct_method])  # type: ignore[no-any-return]


def random_brightness(image: TensorLike, max_delta: float, seed: int, name: str | None = None) -> Tensor:
    """`adjust_brightness` with a delta from −`max_delta` to `max_delta`. As ``tf.image.random_brightness (other
    values)``.

    >>> import feedline as fl, numpy as np
    >>> ds = fl.Dataset.from_tensors(np.array([[[0.5]]], np.float32)).repeat(100)
    >>> values = [x[0, 0].tolist() for x in ds.map(lambda x: fl.image.random_brightness(x, 0.1, seed=1))]
    >>> all(0.4 <= value <= 0.6 for value, in values)
    True
    """
    return call('image.random_brightness', [image], [max_delta, seed])  # type: ignore[no-any-return]


def random_contrast(image: TensorLike, lower: float, upper: float, seed: int, name: str | None = None) -> Tensor:
    """`adjust_contrast` with a factor from `lower` to `upper`. As ``tf.image.random_contrast (other values)``.

    >>> import feedline as fl, numpy as np
    >>> ds = fl.Dataset.from_tensors(np.array([[[1.0], [3.0]]], np.float32)).repeat(100)
    >>> values = [x[0, 0].tolist() for x in ds.map(lambda x: fl.image.random_contrast(x, 0.5, 1.5, seed=1))]
    >>> all(0.5 <= value <= 1.5 for value, in values)
    True
    """
    return call('image.random_contrast', [image], [lower, upper, seed])  # type: ignore[no-any-return]


def random_saturation(image: TensorLike, lower: float, upper: float, seed: int, name: str | None = None) -> Tensor:
    """`adjust_saturation` with a factor from `lower` to `upper`. As ``tf.image.random_saturation (other values)``.

    >>> import feedline as fl, numpy as np
    >>> ds = fl.Dataset.from_tensors(np.array([[[1.0, 0.5, 0.0]]], np.float32)).repeat(100)
    >>> values = [x[0, 0].tolist() for x in ds.map(lambda x: fl.image.random_saturation(x, 0.5, 1.0, seed=1))]
    >>> all(red == 1 and 0 <= blue <= 0.5 for red, green, blue in values)
    True
    """
    return call('image.random_saturation', [image], [lower, upper, seed])  # type: ignore[no-any-return]


def random_hue(image: TensorLike, max_delta: float, seed: int, name: str | None = None) -> Tensor:
    """`adjust_hue` with a delta from −`max_delta` to `max_delta`. As ``tf.image.random_hue (other values)``.

    >>> import feedline as fl, numpy as np
    >>> ds = fl.Dataset.from_tensors(np.array([[[1.0, 0.0, 0.0]]], np.float32)).repeat(100)
    >>> values = [x[0, 0].tolist() for x in ds.map(lambda x: fl.image.random_hue(x, 0.5, seed=1))]
    >>> all(round(max(value), 3) == 1 for value in values)  # as bright as before
    True
    """
    return call('image.random_hue', [image], [max_delta, seed])  # type: ignore[no-any-return]


def random_gamma(image: TensorLike, lower: float, upper: float, gain: float = 1, *, seed: int, name: str | None = None) -> Tensor:
    """`adjust_gamma` with a gamma from `lower` to `upper`. As ``tf.image.adjust_gamma (at random)``.

    >>> import feedline as fl, numpy as np
    >>> ds = fl.Dataset.from_tensors(np.array([[[0.5]]], np.float32)).repeat(100)
    >>> values = [x[0, 0].tolist() for x in ds.map(lambda x: fl.image.random_gamma(x, 1.0, 2.0, seed=1))]
    >>> all(0.25 <= value <= 0.5 for value, in values)
    True
    """
    return call('image.random_gamma', [image], [lower, upper, gain, seed])  # type: ignore[no-any-return]


def random_jpeg_quality(image: TensorLike, min_jpeg_quality: int, max_jpeg_quality: int, seed: int, name: str | None = None) -> Tensor:
    """`adjust_jpeg_quality` with a quality from `min_jpeg_quality` to below `max_jpeg_quality`, or that one where both
    are the same. As ``tf.image.random_jpeg_quality (other values)``.

    >>> import feedline as fl, numpy as np
    >>> ds = fl.Dataset.from_tensors(np.full([8, 8, 3], 128, np.uint8)).repeat(10)
    >>> values = [x[0, 0].tolist() for x in ds.map(lambda x: fl.image.random_jpeg_quality(x, 50, 90, seed=1))]
    >>> {x[0] for x in values}
    {128}
    """
    return call('image.random_jpeg_quality', [image], [min_jpeg_quality, max_jpeg_quality, seed])  # type: ignore[no-any-return]


def invert(image: TensorLike, name: str | None = None) -> Tensor:
    """White becomes black: `255 − value`, of uint8. As ``torchvision.transforms.functional.invert``.

    >>> import feedline as fl, numpy as np
    >>> ds = fl.Dataset.from_tensors(np.array([[[10], [20]], [[30], [40]]], np.uint8))
    >>> ds.map(lambda x: fl.image.invert(x)).get_single_element()[..., 0]
    array([[245, 235],
           [225, 215]], dtype=uint8)
    """
    return call('image.invert', [image], [])  # type: ignore[no-any-return]


def solarize(image: TensorLike, threshold: float = 128, name: str | None = None) -> Tensor:
    """Values that are not below `threshold` inverted, of uint8. As ``torchvision.transforms.functional.solarize``.

    >>> import feedline as fl, numpy as np
    >>> ds = fl.Dataset.from_tensors(np.array([[[10], [20]], [[30], [40]]], np.uint8))
    >>> ds.map(lambda x: fl.image.solarize(x, 25.0)).get_single_element()[..., 0]
    array([[ 10,  20],
           [225, 215]], dtype=uint8)
    """
    return call('image.solarize', [image], [threshold])  # type: ignore[no-any-return]


def posterize(image: TensorLike, bits: int, name: str | None = None) -> Tensor:
    """The highest `bits` bits of each value, 0 to 8, of uint8. As ``torchvision.transforms.functional.posterize``.

    >>> import feedline as fl, numpy as np
    >>> ds = fl.Dataset.from_tensors(np.array([[[10], [20]], [[30], [40]]], np.uint8))
    >>> ds.map(lambda x: fl.image.posterize(x, 4)).get_single_element()[..., 0]
    array([[ 0, 16],
           [16, 32]], dtype=uint8)
    """
    return call('image.posterize', [image], [bits])  # type: ignore[no-any-return]


def equalize(image: TensorLike, name: str | None = None) -> Tensor:
    """Each channel's histogram made as flat as can be, of uint8. As ``torchvision.transforms.functional.equalize``.

    >>> import feedline as fl, numpy as np
    >>> ds = fl.Dataset.from_tensors(np.repeat(np.arange(4, dtype=np.uint8), 256).reshape(32, 32, 1))
    >>> np.unique(ds.map(lambda x: fl.image.equalize(x)).get_single_element())
    array([  0,  85, 171, 255], dtype=uint8)
    """
    return call('image.equalize', [image], [])  # type: ignore[no-any-return]


def autocontrast(image: TensorLike, name: str | None = None) -> Tensor:
    """Each channel stretched so that its darkest value becomes 0 and its brightest 255, of uint8. As
    ``torchvision.transforms.functional.autocontrast``.

    >>> import feedline as fl, numpy as np
    >>> ds = fl.Dataset.from_tensors(np.array([[[10], [20]], [[30], [40]]], np.uint8))
    >>> ds.map(lambda x: fl.image.autocontrast(x)).get_single_element()[..., 0]
    array([[  0,  85],
           [170, 255]], dtype=uint8)
    """
    return call('image.autocontrast', [image], [])  # type: ignore[no-any-return]


def adjust_sharpness(image: TensorLike, sharpness_factor: float, name: str | None = None) -> Tensor:
    """Between the image smoothed over nine pixels (a factor of 0) and the image (1), or beyond (2 is sharper), of
    uint8. Pixels at the edge stay. Pillow's results, to the byte. As
    ``torchvision.transforms.functional.adjust_sharpness``.

    >>> import feedline as fl, numpy as np
    >>> ds = fl.Dataset.from_tensors(np.array([[0, 0, 0], [0, 130, 0], [0, 0, 0]], np.uint8)[..., None])
    >>> ds.map(lambda x: fl.image.adjust_sharpness(x, 0.0)).get_single_element()[..., 0]
    array([[ 0,  0,  0],
           [ 0, 50,  0],
           [ 0,  0,  0]], dtype=uint8)
    """
    return call('image.adjust_sharpness', [image], [sharpness_factor])  # type: ignore[no-any-return]


def random_invert(image: TensorLike, p: float = 0.5, *, seed: int, name: str | None = None) -> Tensor:
    """`invert` with probability `p`. As ``torchvision.transforms.RandomInvert (other values)``.

    >>> import feedline as fl, numpy as np
    >>> ds = fl.Dataset.from_tensors(np.array([[[10], [20]], [[30], [40]]], np.uint8)).repeat(100)
    >>> changed = ds.map(lambda x: fl.image.random_invert(x, seed=1))
    >>> sorted({int(x[0, 0, 0]) for x in changed})
    [10, 245]
    """
    return call('image.random_invert', [image], [p, seed])  # type: ignore[no-any-return]


def random_solarize(image: TensorLike, threshold: float, p: float = 0.5, *, seed: int, name: str | None = None) -> Tensor:
    """`solarize` with probability `p`. As ``torchvision.transforms.RandomSolarize (other values)``.

    >>> import feedline as fl, numpy as np
    >>> ds = fl.Dataset.from_tensors(np.full((1, 1, 1), 200, np.uint8)).repeat(6)
    >>> [int(image.item()) for image in ds.map(lambda image: fl.image.random_solarize(image, 128, seed=1))]
    [55, 200, 55, 200, 200, 55]
    """
    return call('image.random_solarize', [image], [threshold, p, seed])  # type: ignore[no-any-return]


def random_posterize(image: TensorLike, bits: int, p: float = 0.5, *, seed: int, name: str | None = None) -> Tensor:
    """`posterize` with probability `p`. As ``torchvision.transforms.RandomPosterize (other values)``.

    >>> import feedline as fl, numpy as np
    >>> ds = fl.Dataset.from_tensors(np.array([[[10], [20]], [[30], [40]]], np.uint8)).repeat(100)
    >>> changed = ds.map(lambda x: fl.image.random_posterize(x, 2, seed=1))
    >>> sorted({int(x[1, 1, 0]) for x in changed})
    [0, 40]
    """
    return call('image.random_posterize', [image], [bits, p, seed])  # type: ignore[no-any-return]


def random_equalize(image: TensorLike, p: float = 0.5, *, seed: int, name: str | None = None) -> Tensor:
    """`equalize` with probability `p`. As ``torchvision.transforms.RandomEqualize (other values)``.

    >>> import feedline as fl, numpy as np
    >>> ds = fl.Dataset.from_tensors(np.repeat(np.arange(4, dtype=np.uint8), 256).reshape(32, 32, 1)).repeat(100)
    >>> changed = ds.map(lambda x: fl.image.random_equalize(x, seed=1))
    >>> sorted({int(x[31, 31, 0]) for x in changed})
    [3, 255]
    """
    return call('image.random_equalize', [image], [p, seed])  # type: ignore[no-any-return]


def random_autocontrast(image: TensorLike, p: float = 0.5, *, seed: int, name: str | None = None) -> Tensor:
    """`autocontrast` with probability `p`. As ``torchvision.transforms.RandomAutocontrast (other values)``.

    >>> import feedline as fl, numpy as np
    >>> ds = fl.Dataset.from_tensors(np.array([[[10], [20]], [[30], [40]]], np.uint8)).repeat(100)
    >>> changed = ds.map(lambda x: fl.image.random_autocontrast(x, seed=1))
    >>> sorted({int(x[0, 1, 0]) for x in changed})
    [20, 85]
    """
    return call('image.random_autocontrast', [image], [p, seed])  # type: ignore[no-any-return]


def random_adjust_sharpness(image: TensorLike, sharpness_factor: float, p: float = 0.5, *, seed: int, name: str | None = None) -> Tensor:
    """`adjust_sharpness` with probability `p`. As ``torchvision.transforms.RandomAdjustSharpness (other values)``.

    >>> import feedline as fl, numpy as np
    >>> ds = fl.Dataset.from_tensors(np.array([[0, 0, 0], [0, 130, 0], [0, 0, 0]], np.uint8)[..., None]).repeat(100)
    >>> changed = ds.map(lambda x: fl.image.random_adjust_sharpness(x, 0.0, seed=1))
    >>> sorted({int(x[1, 1, 0]) for x in changed})
    [50, 130]
    """
    return call('image.random_adjust_sharpness', [image], [sharpness_factor, p, seed])  # type: ignore[no-any-return]


def gaussian_blur(image: TensorLike, kernel_size: int | Sequence[int] | None, sigma: Sequence[float], name: str | None = None) -> Tensor:
    """The image blurred by a Gaussian of `kernel_size` pixels (width and height, or one for both; odd) and the
    deviation `sigma` (one for both, or for x and y), mirrored at the edges. An image that is too small to be
    mirrored is an error of its element. As ``torchvision.transforms.functional.gaussian_blur``.

    >>> import feedline as fl, numpy as np
    >>> dot = np.zeros((3, 3, 1), np.uint8)
    >>> dot[1, 1] = 100
    >>> ds = fl.Dataset.from_tensors(dot).map(lambda image: fl.image.gaussian_blur(image, 3, 1.0))
    >>> print(next(iter(ds))[..., 0])
    [[30 25 30]
     [25 20 25]
     [30 25 30]]
    """
    return call('image.gaussian_blur', [image], [kernel_size, sigma])  # type: ignore[no-any-return]


def random_gaussian_blur(image: TensorLike, kernel_size: int | Sequence[int] | None, sigma: Sequence[float], seed: int, name: str | None = None) -> Tensor:
    """`gaussian_blur` with a deviation from `sigma[0]` to `sigma[1]`. As ``torchvision.transforms.GaussianBlur (other
    values)``.

    >>> import feedline as fl, numpy as np
    >>> ds = fl.Dataset.from_tensors(np.array([[0, 0, 0], [0, 100, 0], [0, 0, 0]], np.uint8)[..., None]).repeat(100)
    >>> blurred = [int(x[1, 1, 0]) for x in ds.map(lambda x: fl.image.random_gaussian_blur(x, 3, (0.5, 1.0), seed=1))]
    >>> min(blurred) < 30 and max(blurred) < 70
    True
    """
    return call('image.random_gaussian_blur', [image], [kernel_size, sigma, seed])  # type: ignore[no-any-return]


def affine(image: TensorLike, angle: float = 0, *, translate: Sequence[float], scale: float = 1, shear: Sequence[float], interpolation: str, fill: Sequence[float], center: Sequence[float] | None = None, name: str | None = None) -> Tensor:
    """The image turned by `angle` degrees with the clock, scaled, sheared by `shear` degrees (along x, or along x and
    y), and moved by `translate` pixels (x and y), about `center` (x and y from the upper left corner; `none`: the
    middle). `interpolation` is `nearest` or `bilinear`; `fill` is what lies outside, one number or one for each
    channel. Pillow's results, for uint8 to the byte. As ``torchvision.transforms.functional.affine``.

    >>> import feedline as fl, numpy as np
    >>> ds = fl.Dataset.from_tensors(np.arange(6, dtype=np.uint8).reshape(2, 3, 1))
    >>> print(next(iter(ds.map(lambda image: fl.image.affine(image, translate=(1, 0), fill=9))))[..., 0])
    [[9 0 1]
     [9 3 4]]
    """
    return call('image.affine', [image], [angle, translate, scale, shear, interpolation, fill, center])  # type: ignore[no-any-return]


def rotate(image: TensorLike, angle: float, interpolation: str, expand: bool = False, center: Sequence[float] | None = None, *, fill: Sequence[float], name: str | None = None) -> Tensor:
    """The image turned by `angle` degrees against the clock, about `center` (x and y from the upper left corner;
    `none`: the middle). With `expand` the result is as large as it takes to hold all of it. Otherwise as `affine`.
    As ``torchvision.transforms.functional.rotate``.

    >>> import feedline as fl, numpy as np
    >>> ds = fl.Dataset.from_tensors(np.arange(6, dtype=np.uint8).reshape(2, 3, 1))
    >>> print(next(iter(ds.map(lambda image: fl.image.rotate(image, 90, expand=True))))[..., 0])
    [[2 5]
     [1 4]
     [0 3]]
    """
    return call('image.rotate', [image], [angle, interpolation, expand, center, fill])  # type: ignore[no-any-return]


def random_affine(image: TensorLike, degrees: Sequence[float], translate: Sequence[float] | None = None, scale: Sequence[float] | None = None, shear: Sequence[float] | None = None, *, interpolation: str, fill: Sequence[float], center: Sequence[float] | None = None, seed: int, name: str | None = None) -> Tensor:
    """`affine` with an angle within `degrees`, moved by up to the parts `translate` of width and height (`none`: not
    at all), scaled within `scale` (`none`: not at all), sheared within `shear` (two numbers for x, or four for x
    and y; `none`: not at all). As ``torchvision.transforms.RandomAffine (other values)``.

    >>> import feedline as fl, numpy as np
    >>> ds = fl.Dataset.from_tensors(np.ones((8, 8, 3), np.uint8))
    >>> next(iter(ds.map(lambda image: fl.image.random_affine(image, 10, (0.1, 0.1), seed=1)))).shape
    (8, 8, 3)
    """
    return call('image.random_affine', [image], [degrees, translate, scale, shear, interpolation, fill, center, seed])  # type: ignore[no-any-return]


def random_rotation(image: TensorLike, degrees: Sequence[float], interpolation: str, expand: bool = False, center: Sequence[float] | None = None, *, fill: Sequence[float], seed: int, name: str | None = None) -> Tensor:
    """`rotate` with an angle within `degrees`. As ``torchvision.transforms.RandomRotation (other values)``.

    >>> import feedline as fl, numpy as np
    >>> ds = fl.Dataset.from_tensors(np.array([[[10], [20]], [[30], [40]]], np.uint8))
    >>> ds.map(lambda x: fl.image.random_rotation(x, (90, 90), seed=1)).get_single_element()[..., 0]
    array([[20, 40],
           [10, 30]], dtype=uint8)
    """
    return call('image.random_rotation', [image], [degrees, interpolation, expand, center, fill, seed])  # type: ignore[no-any-return]


def random_erasing(image: TensorLike, p: float = 0.5, *, scale: Sequence[float], ratio: Sequence[float], value: Sequence[float] | None, seed: int, name: str | None = None) -> Tensor:
    """With probability `p` a random part of the image gets `value`: one number, one for each channel, or `none` for
    noise (a normal distribution, of floats). Its area is from `scale[0]` to `scale[1]` of the image, its height by
    width from `ratio[0]` to `ratio[1]`; after ten tries that do not fit the image stays as it is. As
    ``torchvision.transforms.RandomErasing (other values)``.

    >>> import feedline as fl, numpy as np
    >>> ds = fl.Dataset.from_tensors(np.ones((8, 8, 1), np.uint8))
    >>> quarter = {"scale": (0.25, 0.25), "ratio": (1, 1)}
    >>> int(next(iter(ds.map(lambda image: fl.image.random_erasing(image, p=1.0, **quarter, seed=1)))).sum())
    48
    """
    return call('image.random_erasing', [image], [p, scale, ratio, value, seed])  # type: ignore[no-any-return]


def random_cutout(image: TensorLike, mask_size: int | Sequence[int] | None, value: Sequence[float], seed: int, name: str | None = None) -> Tensor:
    """A part of the image of the size `mask_size` (height and width, or one for both) gets `value`, one number or one
    for each channel. Its middle is anywhere in the image, so that a part of it may lie outside. As
    ``tfa.image.random_cutout (other values)``.

    >>> import feedline as fl, numpy as np
    >>> ds = fl.Dataset.from_tensors(np.ones([8, 8, 1], np.uint8)).repeat(100)
    >>> left = [int(x.sum()) for x in ds.map(lambda x: fl.image.random_cutout(x, 4, seed=1))]
    >>> min(left)  # of 64 pixels, where all of the mask is in the image
    48
    """
    return call('image.random_cutout', [image], [mask_size, value, seed])  # type: ignore[no-any-return]


def rand_augment(image: TensorLike, num_ops: int = 2, magnitude: int = 9, num_magnitude_bins: int = 31, *, interpolation: str, fill: Sequence[float], seed: int, name: str | None = None) -> Tensor:
    """`num_ops` changes of an image of uint8, each drawn from fourteen (shear, move, turn, brightness, colour,
    contrast, sharpness, posterize, solarize, autocontrast, equalize, none), at the strength `magnitude` of
    `num_magnitude_bins`, in either direction. `interpolation` and `fill` as `affine`. Changes are Pillow's. As
    ``torchvision.transforms.RandAugment (other values)``.

    >>> import feedline as fl, numpy as np
    >>> ds = fl.Dataset.from_tensors(np.zeros([32, 32, 3], np.uint8))
    >>> ds.map(lambda x: fl.image.rand_augment(x, seed=1)).element_spec
    TensorSpec(shape=(32, 32, 3), dtype=fl.uint8)
    """
    return call('image.rand_augment', [image], [num_ops, magnitude, num_magnitude_bins, interpolation, fill, seed])  # type: ignore[no-any-return]


def trivial_augment_wide(image: TensorLike, num_magnitude_bins: int = 31, *, interpolation: str, fill: Sequence[float], seed: int, name: str | None = None) -> Tensor:
    """One change of an image of uint8, drawn as `rand_augment` does it, at a strength that is drawn too, from a wider
    range. As ``torchvision.transforms.TrivialAugmentWide (other values)``.

    >>> import feedline as fl, numpy as np
    >>> ds = fl.Dataset.from_tensors(np.zeros([32, 32, 3], np.uint8))
    >>> ds.map(lambda x: fl.image.trivial_augment_wide(x, seed=1)).element_spec
    TensorSpec(shape=(32, 32, 3), dtype=fl.uint8)
    """
    return call('image.trivial_augment_wide', [image], [num_magnitude_bins, interpolation, fill, seed])  # type: ignore[no-any-return]


def auto_augment(image: TensorLike, interpolation: str, fill: Sequence[float], seed: int, name: str | None = None) -> Tensor:
    """One of the 25 pairs of changes that `AutoAugment` found on `ImageNet`, of an image of uint8; each of the two is
    made with its own probability, at its own strength, in either direction. As ``torchvision.transforms.AutoAugment
    (other values)``.

    >>> import feedline as fl, numpy as np
    >>> ds = fl.Dataset.from_tensors(np.zeros([32, 32, 3], np.uint8))
    >>> ds.map(lambda x: fl.image.auto_augment(x, seed=1)).element_spec
    TensorSpec(shape=(32, 32, 3), dtype=fl.uint8)
    """
    return call('image.auto_augment', [image], [interpolation, fill, seed])  # type: ignore[no-any-return]


def mixup(images: TensorLike, labels: TensorLike, alpha: float = 1, *, seed: int, name: str | None = None) -> tuple[Tensor, Tensor]:
    """A batch of images and of labels (one-hot, or already mixed: a row of floats each), each mixed with the one
    before it: `λ` of its own and `1 − λ` of the other, `λ` drawn once for the batch from a Beta distribution of
    `alpha` and `alpha`. Gives both. Channels may stand anywhere. As ``torchvision.transforms.v2.MixUp (other
    values)``.

    >>> import feedline as fl, numpy as np
    >>> ds = fl.Dataset.from_tensor_slices((np.ones((4, 8, 8, 3), np.float32), np.arange(4))).batch(4)
    >>> images, labels = next(iter(ds.map(lambda x, y: fl.image.mixup(x, y, alpha=0.2, num_classes=10, seed=1))))
    >>> images.shape, labels.shape, labels.sum(axis=1)
    ((4, 8, 8, 3), (4, 10), array([1., 1., 1., 1.], dtype=float32))
    """
    return call('image.mixup', [images, labels], [alpha, seed])  # type: ignore[no-any-return]


def cutmix(images: TensorLike, labels: TensorLike, alpha: float = 1, *, seed: int, layout: str, name: str | None = None) -> tuple[Tensor, Tensor]:
    """A batch of images and of labels (one-hot, or already mixed: a row of floats each), where a box of each image is
    that of the one before it, and labels are mixed by its area. The box, drawn once for the batch, has `1 − λ` of
    the image, `λ` from a Beta distribution of `alpha` and `alpha`, and its middle anywhere. Gives both. `layout` is
    `NHWC` or, where channels come first, `NCHW`. As ``torchvision.transforms.v2.CutMix (other values)``.

    >>> import feedline as fl, numpy as np
    >>> images = np.array([0, 1], np.float32).reshape(2, 1, 1, 1) * np.ones([2, 8, 8, 1], np.float32)
    >>> ds = fl.Dataset.from_tensors((images, np.eye(2, dtype=np.float32)))
    >>> mixed, labels = ds.map(lambda x, y: fl.image.cutmix(x, y, seed=1)).get_single_element()
    >>> np.allclose(mixed.mean((1, 2, 3)), labels[:, 1])  # labels say how much of which image there is
    True
    """
    return call('image.cutmix', [images, labels], [alpha, seed, layout])  # type: ignore[no-any-return]
