"""The operations, as functions of symbolic tensors, under TensorFlow's names.

Made from the catalogue in crates/feedline-plan/src/expr by tools/generate_python_ops.py: do not edit.
"""

# ruff: noqa
from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

from ._dtypes import DTypeLike
from ._native import Tensor, call
from ._spec import ShapeLike

TensorLike: TypeAlias = Any
"""A symbolic tensor, a number, a string, a list of them, or a numpy array."""


def decode_jpeg(contents: TensorLike, channels: int = 0, ratio: int = 1, *, dct_method: str, name: str | None = None) -> Tensor:
    """The pixels of a JPEG, those of libjpeg-turbo's default settings byte for byte. `channels` is 0 (as stored), 1
    (gray) or 3; `ratio` 1, 2, 4 or 8 decodes at that part of the size. `dct_method` is a hint that changes nothing:
    the transform is always the accurate one. A PNG, or a GIF of one frame, is decoded too; other formats are an
    error of their element. So is an image that ends before its last pixel without an end mark (with one, the rest
    is gray, and without one all may be there), announces restart markers and has others, or is damaged and
    progressive; not if crops and resizes right behind it, in the same function, need only rows above the damage.
    Other damage gives odd pixels, those of libjpeg-turbo. As ``tf.io.decode_jpeg``."""
    return call('image.decode_jpeg', [contents], [channels, ratio, dct_method])  # type: ignore[no-any-return]


def decode_and_crop_jpeg(contents: TensorLike, crop_window: TensorLike, channels: int = 0, ratio: int = 1, *, dct_method: str, name: str | None = None) -> Tensor:
    """A part of a JPEG: `crop_window` is its first row, first column, height and width. Decodes no more than that;
    what is below it is not looked at. The pixels are those of the whole image (TensorFlow's differ by a few levels
    at the edges, where colours are stored at half size). With a `ratio` of 2, 4 or 8 it is a part of the image at
    that part of its size. A window that is not within the image is an error of its element, and so is what is no
    JPEG. As ``tf.io.decode_and_crop_jpeg``."""
    return call('image.decode_and_crop_jpeg', [contents, crop_window], [channels, ratio, dct_method])  # type: ignore[no-any-return]


def decode_png(contents: TensorLike, channels: int = 0, dtype: DTypeLike = 'uint8', name: str | None = None) -> Tensor:
    """The pixels of a PNG; or of a JPEG, or of a GIF of one frame. `channels` is 0 (as stored), 1 (gray), 3 or 4;
    `dtype` is uint8 or uint16, and samples of another width are scaled to it. As ``tf.io.decode_png``."""
    return call('image.decode_png', [contents], [channels, dtype])  # type: ignore[no-any-return]


def decode_gif(contents: TensorLike, name: str | None = None) -> Tensor:
    """All frames of a GIF, as it is shown: frames × height × width × 3. Frames that cover a part of the picture change
    that part of the one before. A JPEG, PNG or `WebP` is taken, too. As ``tf.io.decode_gif``."""
    return call('image.decode_gif', [contents], [])  # type: ignore[no-any-return]


def decode_bmp(contents: TensorLike, channels: int = 0, name: str | None = None) -> Tensor:
    """The pixels of a BMP that is not compressed, of 8 (gray), 24 or 32 bits a pixel. `channels` is 0 (as stored), 3
    or 4, or 1 of a gray one. As ``tf.io.decode_bmp``."""
    return call('image.decode_bmp', [contents], [channels])  # type: ignore[no-any-return]


def decode_webp(contents: TensorLike, channels: int = 0, name: str | None = None) -> Tensor:
    """All frames of a `WebP`, lossy or lossless: frames × height × width × channels, also of one that does not move.
    Frames behind the first may be a level off. `channels` is 0 (as stored), 3 or 4. As ``tf.io.decode_webp``."""
    return call('image.decode_webp', [contents], [channels])  # type: ignore[no-any-return]


def decode_image(contents: TensorLike, channels: int = 0, dtype: DTypeLike = 'uint8', expand_animations: bool = True, name: str | None = None) -> Tensor:
    """The pixels of a JPEG, PNG, GIF, BMP or `WebP`, which it is by its first bytes. `dtype` is uint8, uint16 (PNG
    keeps its bits, of others 255 is 65280) or float32, from 0 to 1. A GIF or `WebP` has all its frames, so that the
    number of dimensions is not known before it is read; without `expand_animations` it is the first frame, as of
    the other formats. As ``tf.io.decode_image``."""
    return call('image.decode_image', [contents], [channels, dtype, expand_animations])  # type: ignore[no-any-return]


def extract_jpeg_shape(contents: TensorLike, output_type: DTypeLike = 'int32', name: str | None = None) -> Tensor:
    """Height, width and channels of a JPEG, from its header alone. As ``tf.io.extract_jpeg_shape``."""
    return call('image.extract_jpeg_shape', [contents], [output_type])  # type: ignore[no-any-return]


def exif_orientation(contents: TensorLike, name: str | None = None) -> Tensor:
    """How the camera was held, as a JPEG's Exif data has it: a number from 1 to 8, for `apply_orientation`. 1, which
    is upright, where there is none, also for what is no JPEG. As ``PIL.Image.Exif``."""
    return call('image.exif_orientation', [contents], [])  # type: ignore[no-any-return]


def is_jpeg(contents: TensorLike, name: str | None = None) -> Tensor:
    """Whether the bytes begin as those of a JPEG do. As ``tf.io.is_jpeg``."""
    return call('image.is_jpeg', [contents], [])  # type: ignore[no-any-return]


def encode_jpeg(image: TensorLike, format: str, quality: int = 95, progressive: bool = False, optimize_size: bool = False, chroma_downsampling: bool = True, *, density_unit: str, x_density: int = 300, y_density: int = 300, xmp_metadata: str, name: str | None = None) -> Tensor:
    """The image as a JPEG, the bytes libjpeg-turbo writes: 1 channel as gray, 3 as colour with chroma at half size
    (4:2:0) or, without `chroma_downsampling`, at full size. `format` is empty, or `grayscale` or `rgb`, which the
    image must then be. `density_unit` is `in` or `cm`; `xmp_metadata` is a text that readers of images find beside
    the pixels. As ``tf.io.encode_jpeg``."""
    return call('image.encode_jpeg', [image], [format, quality, progressive, optimize_size, chroma_downsampling, density_unit, x_density, y_density, xmp_metadata])  # type: ignore[no-any-return]


def encode_png(image: TensorLike, compression: int = -1, name: str | None = None) -> Tensor:
    """The image as a PNG: uint8 or uint16, 1 to 4 channels. `compression` is from 0 to 9, −1 for the usual. As
    ``tf.io.encode_png``."""
    return call('image.encode_png', [image], [compression])  # type: ignore[no-any-return]


def resize(images: TensorLike, size: int | Sequence[int] | None, method: str, preserve_aspect_ratio: bool = False, antialias: bool = False, fast_scale: bool = False, name: str | None = None) -> Tensor:
    """The image at another size, as float32 (by `nearest` in its own type). `size` is height and width, or one number
    for the shorter side. Methods are `nearest`, `bilinear`, `bicubic`, `area`, `lanczos3`, `lanczos5`, `gaussian`
    and `mitchellcubic`, all with TensorFlow's half-pixel centres; `antialias` widens the filter where the image
    shrinks. With `preserve_aspect_ratio` `size` is the most there may be. With `fast_scale` a JPEG that
    `decode_jpeg` decodes right before, and that becomes less than half as high and wide, is decoded at a half, a
    quarter or an eighth of its size, never below the size it gets: faster, and other pixels than those of the whole
    image scaled. As ``tf.image.resize``."""
    return call('image.resize', [images], [size, method, preserve_aspect_ratio, antialias, fast_scale])  # type: ignore[no-any-return]


def resize_with_pad(image: TensorLike, target_height: int, target_width: int, method: str, antialias: bool = False, name: str | None = None) -> Tensor:
    """The image scaled to fit into height and width, in the middle of zeros. As ``tf.image.resize_with_pad``."""
    return call('image.resize_with_pad', [image], [target_height, target_width, method, antialias])  # type: ignore[no-any-return]


def resize_with_crop_or_pad(image: TensorLike, target_height: int, target_width: int, name: str | None = None) -> Tensor:
    """The middle of the image, or the image in the middle of zeros, in each dimension as needed. As
    ``tf.image.resize_with_crop_or_pad``."""
    return call('image.resize_with_crop_or_pad', [image], [target_height, target_width])  # type: ignore[no-any-return]


def central_crop(image: TensorLike, central_fraction: float, name: str | None = None) -> Tensor:
    """The middle part of the image, `central_fraction` of its height and width. As ``tf.image.central_crop``."""
    return call('image.central_crop', [image], [central_fraction])  # type: ignore[no-any-return]


def crop_to_bounding_box(image: TensorLike, offset_height: TensorLike, offset_width: TensorLike, target_height: TensorLike, target_width: TensorLike, name: str | None = None) -> Tensor:
    """A part of the image. One that is not within it is an error of its element. As ``tf.image.crop_to_bounding_box``."""
    return call('image.crop_to_bounding_box', [image, offset_height, offset_width, target_height, target_width], [])  # type: ignore[no-any-return]


def pad_to_bounding_box(image: TensorLike, offset_height: int, offset_width: int, target_height: int, target_width: int, name: str | None = None) -> Tensor:
    """The image in a larger one of zeros. One that does not fit is an error of its element. As
    ``tf.image.pad_to_bounding_box``."""
    return call('image.pad_to_bounding_box', [image], [offset_height, offset_width, target_height, target_width])  # type: ignore[no-any-return]


def flip_left_right(image: TensorLike, name: str | None = None) -> Tensor:
    """The image with left and right exchanged. As ``tf.image.flip_left_right``."""
    return call('image.flip_left_right', [image], [])  # type: ignore[no-any-return]


def flip_up_down(image: TensorLike, name: str | None = None) -> Tensor:
    """The image with top and bottom exchanged. As ``tf.image.flip_up_down``."""
    return call('image.flip_up_down', [image], [])  # type: ignore[no-any-return]


def rot90(image: TensorLike, k: int = 1, name: str | None = None) -> Tensor:
    """The image turned by 90 degrees against the clock, `k` times. As ``tf.image.rot90``."""
    return call('image.rot90', [image], [k])  # type: ignore[no-any-return]


def apply_orientation(image: TensorLike, orientation: TensorLike, name: str | None = None) -> Tensor:
    """The image turned and mirrored upright, by the orientation that `exif_orientation` found. A number that is not
    from 1 to 8 is an error of its element. As ``PIL.ImageOps.exif_transpose``."""
    return call('image.apply_orientation', [image, orientation], [])  # type: ignore[no-any-return]


def crop_and_resize(image: TensorLike, boxes: TensorLike, box_indices: TensorLike, crop_size: int | Sequence[int] | None, method: str, extrapolation_value: float = 0, name: str | None = None) -> Tensor:
    """Parts of a batch of images, each scaled to `crop_size`, as float32. `boxes` has a row of `y1, x1, y2, x2` for
    each, where 0 is the first row or column and 1 the last (from above to below 0 to 1 is allowed, and mirrors
    where the first is the larger); `box_indices` says of which image. `method` is `bilinear` or `nearest`;
    `extrapolation_value` is what lies outside of an image. An index that no image has is an error of its element.
    As ``tf.image.crop_and_resize``."""
    return call('image.crop_and_resize', [image, boxes, box_indices], [crop_size, method, extrapolation_value])  # type: ignore[no-any-return]


def sample_distorted_bounding_box(image_size: TensorLike, bounding_boxes: TensorLike, seed: int, min_object_covered: float = 0.1, *, aspect_ratio_range: Sequence[float], area_range: Sequence[float], max_attempts: int = 100, use_image_if_no_bounding_boxes: bool = False, name: str | None = None) -> tuple[Tensor, Tensor, Tensor]:
    """A random part of an image of `image_size` (height, width, channels) that shows enough of what is in it: where it
    begins, its size (of all channels: −1) and the box itself. `bounding_boxes` has the objects, one × number × `y1,
    x1, y2, x2`, from 0 to 1. The part covers at least `min_object_covered` of one of them, its width by height is
    within `aspect_ratio_range`, its area within `area_range` of the image; after `max_attempts` tries it is the
    whole image. Without objects that is an error of its element, or with `use_image_if_no_bounding_boxes` the whole
    image is the object. As ``tf.image.sample_distorted_bounding_box (other values)``."""
    return call('image.sample_distorted_bounding_box', [image_size, bounding_boxes], [seed, min_object_covered, aspect_ratio_range, area_range, max_attempts, use_image_if_no_bounding_boxes])  # type: ignore[no-any-return]


def random_crop(value: TensorLike, size: int | Sequence[int] | None, seed: int, name: str | None = None) -> Tensor:
    """A part of a tensor of any number of dimensions, of the size given, at a random place of each element. One that
    is too small is an error of its element. As ``tf.image.random_crop (other values)``."""
    return call('image.random_crop', [value], [size, seed])  # type: ignore[no-any-return]


def random_resized_crop(image: TensorLike, size: int | Sequence[int] | None, scale: Sequence[float], ratio: Sequence[float], method: str, antialias: bool = False, fast_scale: bool = False, *, seed: int, name: str | None = None) -> Tensor:
    """A random part of the image, scaled to a size: the crop of image training, drawn as torchvision draws it. Its
    area is from `scale[0]` to `scale[1]` of the image, its width by height from `ratio[0]` to `ratio[1]`, uniform
    in the logarithm; after ten tries that do not fit it is the middle. Scaled as `resize` does it, to float32, also
    with its `fast_scale`. As ``torchvision.transforms.RandomResizedCrop (other values)``."""
    return call('image.random_resized_crop', [image], [size, scale, ratio, method, antialias, fast_scale, seed])  # type: ignore[no-any-return]


def random_flip_left_right(image: TensorLike, seed: int, name: str | None = None) -> Tensor:
    """The image, or with left and right exchanged, each for half of the elements. As ``tf.image.random_flip_left_right
    (other values)``."""
    return call('image.random_flip_left_right', [image], [seed])  # type: ignore[no-any-return]


def random_flip_up_down(image: TensorLike, seed: int, name: str | None = None) -> Tensor:
    """The image, or with top and bottom exchanged, each for half of the elements. As ``tf.image.random_flip_up_down
    (other values)``."""
    return call('image.random_flip_up_down', [image], [seed])  # type: ignore[no-any-return]


def random_rot90(image: TensorLike, seed: int, name: str | None = None) -> Tensor:
    """The image turned by no, one, two or three quarters, each for a quarter of the elements. As ``tf.image.rot90 (at
    random)``."""
    return call('image.random_rot90', [image], [seed])  # type: ignore[no-any-return]


def convert_image_dtype(image: TensorLike, dtype: DTypeLike, saturate: bool = False, name: str | None = None) -> Tensor:
    """The image in another type, scaled: the largest integer of a type is 1.0 as a float. With `saturate` what does
    not fit stops at the limits. As ``tf.image.convert_image_dtype``."""
    return call('image.convert_image_dtype', [image], [dtype, saturate])  # type: ignore[no-any-return]


def normalize(image: TensorLike, mean: Sequence[float], std: Sequence[float], name: str | None = None) -> Tensor:
    """`(image − mean) · (1 / std)` as float32, with a mean and a standard deviation for each channel, or one for all,
    in the units of the image: from 0 to 255 where it was decoded or resized. As
    ``torchvision.transforms.Normalize``."""
    return call('image.normalize', [image], [mean, std])  # type: ignore[no-any-return]


def per_image_standardization(image: TensorLike, name: str | None = None) -> Tensor:
    """The image as float32 with a mean of 0 and a variance of 1, of the whole image; the deviation is at least 1 /
    √(number of values). As ``tf.image.per_image_standardization``."""
    return call('image.per_image_standardization', [image], [])  # type: ignore[no-any-return]


def rgb_to_grayscale(images: TensorLike, name: str | None = None) -> Tensor:
    """One channel from three: 0.2989 of red, 0.587 of green, 0.114 of blue. As ``tf.image.rgb_to_grayscale``."""
    return call('image.rgb_to_grayscale', [images], [])  # type: ignore[no-any-return]


def grayscale_to_rgb(images: TensorLike, name: str | None = None) -> Tensor:
    """Three channels of one. As ``tf.image.grayscale_to_rgb``."""
    return call('image.grayscale_to_rgb', [images], [])  # type: ignore[no-any-return]


def rgb_to_hsv(images: TensorLike, name: str | None = None) -> Tensor:
    """Hue, saturation and value of red, green and blue: floats from 0 to 1. As ``tf.image.rgb_to_hsv``."""
    return call('image.rgb_to_hsv', [images], [])  # type: ignore[no-any-return]


def hsv_to_rgb(images: TensorLike, name: str | None = None) -> Tensor:
    """Red, green and blue of hue, saturation and value: floats from 0 to 1. As ``tf.image.hsv_to_rgb``."""
    return call('image.hsv_to_rgb', [images], [])  # type: ignore[no-any-return]


def adjust_brightness(image: TensorLike, delta: float, name: str | None = None) -> Tensor:
    """The image with `delta`, in the units of floats from 0 to 1, added. As ``tf.image.adjust_brightness``."""
    return call('image.adjust_brightness', [image], [delta])  # type: ignore[no-any-return]


def adjust_contrast(images: TensorLike, contrast_factor: float, name: str | None = None) -> Tensor:
    """The distance of every value from the mean of its channel times a factor. As ``tf.image.adjust_contrast``."""
    return call('image.adjust_contrast', [images], [contrast_factor])  # type: ignore[no-any-return]


def adjust_saturation(image: TensorLike, saturation_factor: float, name: str | None = None) -> Tensor:
    """The image with its saturation times a factor. As ``tf.image.adjust_saturation``."""
    return call('image.adjust_saturation', [image], [saturation_factor])  # type: ignore[no-any-return]


def adjust_hue(image: TensorLike, delta: float, name: str | None = None) -> Tensor:
    """The image with its hue turned by `delta`, from −1 to 1 for once around. As ``tf.image.adjust_hue``."""
    return call('image.adjust_hue', [image], [delta])  # type: ignore[no-any-return]


def adjust_gamma(image: TensorLike, gamma: float = 1, gain: float = 1, name: str | None = None) -> Tensor:
    """`gain · image ^ gamma`, of values from 0 to 1. As ``tf.image.adjust_gamma``."""
    return call('image.adjust_gamma', [image], [gamma, gain])  # type: ignore[no-any-return]


def adjust_jpeg_quality(image: TensorLike, jpeg_quality: int, dct_method: str, name: str | None = None) -> Tensor:
    """The image encoded as a JPEG and decoded again. `dct_method` is a hint that changes nothing: the transform is
    always the accurate one. As ``tf.image.adjust_jpeg_quality``."""
    return call('image.adjust_jpeg_quality', [image], [jpeg_quality, dct_method])  # type: ignore[no-any-return]


def random_brightness(image: TensorLike, max_delta: float, seed: int, name: str | None = None) -> Tensor:
    """`adjust_brightness` with a delta from −`max_delta` to `max_delta`. As ``tf.image.random_brightness (other
    values)``."""
    return call('image.random_brightness', [image], [max_delta, seed])  # type: ignore[no-any-return]


def random_contrast(image: TensorLike, lower: float, upper: float, seed: int, name: str | None = None) -> Tensor:
    """`adjust_contrast` with a factor from `lower` to `upper`. As ``tf.image.random_contrast (other values)``."""
    return call('image.random_contrast', [image], [lower, upper, seed])  # type: ignore[no-any-return]


def random_saturation(image: TensorLike, lower: float, upper: float, seed: int, name: str | None = None) -> Tensor:
    """`adjust_saturation` with a factor from `lower` to `upper`. As ``tf.image.random_saturation (other values)``."""
    return call('image.random_saturation', [image], [lower, upper, seed])  # type: ignore[no-any-return]


def random_hue(image: TensorLike, max_delta: float, seed: int, name: str | None = None) -> Tensor:
    """`adjust_hue` with a delta from −`max_delta` to `max_delta`. As ``tf.image.random_hue (other values)``."""
    return call('image.random_hue', [image], [max_delta, seed])  # type: ignore[no-any-return]


def random_gamma(image: TensorLike, lower: float, upper: float, gain: float = 1, *, seed: int, name: str | None = None) -> Tensor:
    """`adjust_gamma` with a gamma from `lower` to `upper`. As ``tf.image.adjust_gamma (at random)``."""
    return call('image.random_gamma', [image], [lower, upper, gain, seed])  # type: ignore[no-any-return]


def random_jpeg_quality(image: TensorLike, min_jpeg_quality: int, max_jpeg_quality: int, seed: int, name: str | None = None) -> Tensor:
    """`adjust_jpeg_quality` with a quality from `min_jpeg_quality` to below `max_jpeg_quality`, or that one where both
    are the same. As ``tf.image.random_jpeg_quality (other values)``."""
    return call('image.random_jpeg_quality', [image], [min_jpeg_quality, max_jpeg_quality, seed])  # type: ignore[no-any-return]


def invert(image: TensorLike, name: str | None = None) -> Tensor:
    """White becomes black: `255 − value`, of uint8. As ``torchvision.transforms.functional.invert``."""
    return call('image.invert', [image], [])  # type: ignore[no-any-return]


def solarize(image: TensorLike, threshold: float = 128, name: str | None = None) -> Tensor:
    """Values that are not below `threshold` inverted, of uint8. As ``torchvision.transforms.functional.solarize``."""
    return call('image.solarize', [image], [threshold])  # type: ignore[no-any-return]


def posterize(image: TensorLike, bits: int, name: str | None = None) -> Tensor:
    """The highest `bits` bits of each value, 0 to 8, of uint8. As ``torchvision.transforms.functional.posterize``."""
    return call('image.posterize', [image], [bits])  # type: ignore[no-any-return]


def equalize(image: TensorLike, name: str | None = None) -> Tensor:
    """Each channel's histogram made as flat as can be, of uint8. As ``torchvision.transforms.functional.equalize``."""
    return call('image.equalize', [image], [])  # type: ignore[no-any-return]


def autocontrast(image: TensorLike, name: str | None = None) -> Tensor:
    """Each channel stretched so that its darkest value becomes 0 and its brightest 255, of uint8. As
    ``torchvision.transforms.functional.autocontrast``."""
    return call('image.autocontrast', [image], [])  # type: ignore[no-any-return]


def adjust_sharpness(image: TensorLike, sharpness_factor: float, name: str | None = None) -> Tensor:
    """Between the image smoothed over nine pixels (a factor of 0) and the image (1), or beyond (2 is sharper), of
    uint8. Pixels at the edge stay. Pillow's results, to the byte. As
    ``torchvision.transforms.functional.adjust_sharpness``."""
    return call('image.adjust_sharpness', [image], [sharpness_factor])  # type: ignore[no-any-return]


def gaussian_blur(image: TensorLike, kernel_size: int | Sequence[int] | None, sigma: Sequence[float], name: str | None = None) -> Tensor:
    """The image blurred by a Gaussian of `kernel_size` pixels (width and height, or one for both; odd) and the
    deviation `sigma` (one for both, or for x and y), mirrored at the edges. An image that is too small to be
    mirrored is an error of its element. As ``torchvision.transforms.functional.gaussian_blur``."""
    return call('image.gaussian_blur', [image], [kernel_size, sigma])  # type: ignore[no-any-return]


def random_gaussian_blur(image: TensorLike, kernel_size: int | Sequence[int] | None, sigma: Sequence[float], seed: int, name: str | None = None) -> Tensor:
    """`gaussian_blur` with a deviation from `sigma[0]` to `sigma[1]`. As ``torchvision.transforms.GaussianBlur (other
    values)``."""
    return call('image.random_gaussian_blur', [image], [kernel_size, sigma, seed])  # type: ignore[no-any-return]


def affine(image: TensorLike, angle: float = 0, *, translate: Sequence[float], scale: float = 1, shear: Sequence[float], interpolation: str, fill: Sequence[float], center: Sequence[float] | None = None, name: str | None = None) -> Tensor:
    """The image turned by `angle` degrees with the clock, scaled, sheared by `shear` degrees (along x, or along x and
    y), and moved by `translate` pixels (x and y), about `center` (x and y from the upper left corner; `none`: the
    middle). `interpolation` is `nearest` or `bilinear`; `fill` is what lies outside, one number or one for each
    channel. Pillow's results, for uint8 to the byte. As ``torchvision.transforms.functional.affine``."""
    return call('image.affine', [image], [angle, translate, scale, shear, interpolation, fill, center])  # type: ignore[no-any-return]


def rotate(image: TensorLike, angle: float, interpolation: str, expand: bool = False, center: Sequence[float] | None = None, *, fill: Sequence[float], name: str | None = None) -> Tensor:
    """The image turned by `angle` degrees against the clock, about `center` (x and y from the upper left corner;
    `none`: the middle). With `expand` the result is as large as it takes to hold all of it. Otherwise as `affine`.
    As ``torchvision.transforms.functional.rotate``."""
    return call('image.rotate', [image], [angle, interpolation, expand, center, fill])  # type: ignore[no-any-return]


def random_affine(image: TensorLike, degrees: Sequence[float], translate: Sequence[float] | None = None, scale: Sequence[float] | None = None, shear: Sequence[float] | None = None, *, interpolation: str, fill: Sequence[float], center: Sequence[float] | None = None, seed: int, name: str | None = None) -> Tensor:
    """`affine` with an angle within `degrees`, moved by up to the parts `translate` of width and height (`none`: not
    at all), scaled within `scale` (`none`: not at all), sheared within `shear` (two numbers for x, or four for x
    and y; `none`: not at all). As ``torchvision.transforms.RandomAffine (other values)``."""
    return call('image.random_affine', [image], [degrees, translate, scale, shear, interpolation, fill, center, seed])  # type: ignore[no-any-return]


def random_rotation(image: TensorLike, degrees: Sequence[float], interpolation: str, expand: bool = False, center: Sequence[float] | None = None, *, fill: Sequence[float], seed: int, name: str | None = None) -> Tensor:
    """`rotate` with an angle within `degrees`. As ``torchvision.transforms.RandomRotation (other values)``."""
    return call('image.random_rotation', [image], [degrees, interpolation, expand, center, fill, seed])  # type: ignore[no-any-return]


def random_erasing(image: TensorLike, p: float = 0.5, *, scale: Sequence[float], ratio: Sequence[float], value: Sequence[float] | None, seed: int, name: str | None = None) -> Tensor:
    """With probability `p` a random part of the image gets `value`: one number, one for each channel, or `none` for
    noise (a normal distribution, of floats). Its area is from `scale[0]` to `scale[1]` of the image, its height by
    width from `ratio[0]` to `ratio[1]`; after ten tries that do not fit the image stays as it is. As
    ``torchvision.transforms.RandomErasing (other values)``."""
    return call('image.random_erasing', [image], [p, scale, ratio, value, seed])  # type: ignore[no-any-return]


def random_cutout(image: TensorLike, mask_size: int | Sequence[int] | None, value: Sequence[float], seed: int, name: str | None = None) -> Tensor:
    """A part of the image of the size `mask_size` (height and width, or one for both) gets `value`, one number or one
    for each channel. Its middle is anywhere in the image, so that a part of it may lie outside. As
    ``tfa.image.random_cutout (other values)``."""
    return call('image.random_cutout', [image], [mask_size, value, seed])  # type: ignore[no-any-return]


def rand_augment(image: TensorLike, num_ops: int = 2, magnitude: int = 9, num_magnitude_bins: int = 31, *, interpolation: str, fill: Sequence[float], seed: int, name: str | None = None) -> Tensor:
    """`num_ops` changes of an image of uint8, each drawn from fourteen (shear, move, turn, brightness, colour,
    contrast, sharpness, posterize, solarize, autocontrast, equalize, none), at the strength `magnitude` of
    `num_magnitude_bins`, in either direction. `interpolation` and `fill` as `affine`. Changes are Pillow's. As
    ``torchvision.transforms.RandAugment (other values)``."""
    return call('image.rand_augment', [image], [num_ops, magnitude, num_magnitude_bins, interpolation, fill, seed])  # type: ignore[no-any-return]


def trivial_augment_wide(image: TensorLike, num_magnitude_bins: int = 31, *, interpolation: str, fill: Sequence[float], seed: int, name: str | None = None) -> Tensor:
    """One change of an image of uint8, drawn as `rand_augment` does it, at a strength that is drawn too, from a wider
    range. As ``torchvision.transforms.TrivialAugmentWide (other values)``."""
    return call('image.trivial_augment_wide', [image], [num_magnitude_bins, interpolation, fill, seed])  # type: ignore[no-any-return]


def auto_augment(image: TensorLike, interpolation: str, fill: Sequence[float], seed: int, name: str | None = None) -> Tensor:
    """One of the 25 pairs of changes that `AutoAugment` found on `ImageNet`, of an image of uint8; each of the two is
    made with its own probability, at its own strength, in either direction. As ``torchvision.transforms.AutoAugment
    (other values)``."""
    return call('image.auto_augment', [image], [interpolation, fill, seed])  # type: ignore[no-any-return]


def mixup(images: TensorLike, labels: TensorLike, alpha: float = 1, *, seed: int, name: str | None = None) -> tuple[Tensor, Tensor]:
    """A batch of images and of labels (one-hot, or already mixed: a row of floats each), each mixed with the one
    before it: `λ` of its own and `1 − λ` of the other, `λ` drawn once for the batch from a Beta distribution of
    `alpha` and `alpha`. Gives both. Channels may stand anywhere. As ``torchvision.transforms.v2.MixUp (other
    values)``."""
    return call('image.mixup', [images, labels], [alpha, seed])  # type: ignore[no-any-return]


def cutmix(images: TensorLike, labels: TensorLike, alpha: float = 1, *, seed: int, layout: str, name: str | None = None) -> tuple[Tensor, Tensor]:
    """A batch of images and of labels (one-hot, or already mixed: a row of floats each), where a box of each image is
    that of the one before it, and labels are mixed by its area. The box, drawn once for the batch, has `1 − λ` of
    the image, `λ` from a Beta distribution of `alpha` and `alpha`, and its middle anywhere. Gives both. `layout` is
    `NHWC` or, where channels come first, `NCHW`. As ``torchvision.transforms.v2.CutMix (other values)``."""
    return call('image.cutmix', [images, labels], [alpha, seed, layout])  # type: ignore[no-any-return]
