"""Records what TensorFlow answers for the operations of images. README.md says how to run it and what it writes."""

import io
import json
from pathlib import Path

import numpy as np
import tensorflow as tf
from PIL import Image, ImageOps

from attributes import flag, given, integer, ints, number, text

HERE = Path(__file__).resolve().parent
ACCURATE = "INTEGER_ACCURATE"
RANDOM = np.random.default_rng(20270202)
rows = []


def case(name, function, inputs, attributes=(), tolerance=0.0):
    try:
        output = as_json(function(*inputs))
    except (tf.errors.OpError, ValueError, TypeError):
        output = None
    rows.append({
        "operation": f"image.{name}", "inputs": [as_json(tensor) for tensor in inputs], "attributes": list(attributes),
        "output": output, "ulps": 0, "tolerance": tolerance,
    })


def as_json(tensor):
    values = np.asarray(tensor.numpy(), dtype=object if tensor.dtype == tf.string else None).reshape(-1)
    if tensor.dtype == tf.string:
        flat = [value.hex() for value in values]
    else:
        flat = [as_number(float(value)) for value in values] if tensor.dtype.is_floating else values.tolist()
    return {"dtype": tensor.dtype.name, "shape": list(tensor.shape), "values": flat}


def as_number(value):
    return value if np.isfinite(value) else str(value)


def dtype_of(value):
    return {"d_type": value.name}


def image(height, width, channels=3, dtype=np.uint8):
    if np.issubdtype(dtype, np.floating):
        return tf.constant(RANDOM.random((height, width, channels)).astype(dtype))
    limits = np.iinfo(dtype)
    return tf.constant(RANDOM.integers(max(limits.min, -1000), min(limits.max, 60000), (height, width, channels)).astype(dtype))


def saved(pixels, format, **options):
    out = io.BytesIO()
    Image.fromarray(pixels).save(out, format, **options)
    return out.getvalue()


def photo(height, width, channels=3):
    """Something smooth, so that encoders have something to do."""
    y, x, c = np.meshgrid(np.arange(height), np.arange(width), np.arange(channels), indexing="ij")
    return (127 + 90 * np.sin(y / 4 + c) * np.cos(x / 5 - c) + RANDOM.integers(-20, 20, y.shape)).clip(0, 255).astype(np.uint8)


def resizes():
    methods = ["nearest", "bilinear", "bicubic", "area", "lanczos3", "lanczos5", "gaussian", "mitchellcubic"]
    for method in methods:
        for antialias in [False, True]:
            for shape, size in [((7, 5), (3, 4)), ((5, 7), (11, 16)), ((20, 31), (8, 5)), ((1, 1), (3, 2)), ((6, 9), (1, 1))]:
                # Sums in another order; the scale of bytes is 255.
                tolerance = 0.0 if method in ("nearest", "bilinear") and not antialias else 2e-4
                for dtype in [np.uint8, np.float32]:
                    value = image(*shape, dtype=dtype)
                    case("resize", lambda x: tf.image.resize(x, size, method, antialias=antialias), [value],
                         [ints(size), text(method), flag(False), flag(antialias), flag(False)], tolerance)
    for channels, dtype in [(1, np.uint8), (4, np.uint8), (3, np.uint16), (2, np.int16)]:
        case("resize", lambda x: tf.image.resize(x, (4, 9)), [image(6, 6, channels, dtype)],
             [ints((4, 9)), text("bilinear"), flag(False), flag(False), flag(False)])
        case("resize", lambda x: tf.image.resize(x, (4, 9), "nearest"), [image(6, 6, channels, dtype)],
             [ints((4, 9)), text("nearest"), flag(False), flag(False), flag(False)])
    for shape in [(10, 20), (20, 10), (7, 9)]:
        case("resize", lambda x: tf.image.resize(x, (6, 8), preserve_aspect_ratio=True), [image(*shape)],
             [ints((6, 8)), text("bilinear"), flag(True), flag(False), flag(False)])
        case("resize_with_pad", lambda x: tf.image.resize_with_pad(x, 6, 8), [image(*shape)],
             [integer(6), integer(8), text("bilinear"), flag(False)])
    batch = tf.stack([image(5, 7), image(5, 7)])
    case("resize", lambda x: tf.image.resize(x, (3, 4)), [batch], [ints((3, 4)), text("bilinear"), flag(False), flag(False), flag(False)])


def moves():
    value = image(6, 7)
    batch = tf.stack([image(5, 4), image(5, 4)])
    for x in [value, batch, image(4, 5, 1, np.float32)]:
        case("flip_left_right", tf.image.flip_left_right, [x])
        case("flip_up_down", tf.image.flip_up_down, [x])
        for k in range(-1, 5):
            case("rot90", lambda x: tf.image.rot90(x, k), [x], [integer(k)])
        for fraction in [0.1, 0.5, 0.75, 0.875, 1.0]:
            case("central_crop", lambda x: tf.image.central_crop(x, fraction), [x], [number(fraction)])
        for height, width in [(3, 3), (9, 9), (2, 9), (9, 2), (6, 7)]:
            case("resize_with_crop_or_pad", lambda x: tf.image.resize_with_crop_or_pad(x, height, width), [x],
                 [integer(height), integer(width)])
    for box in [(0, 0, 6, 7), (1, 2, 3, 4), (5, 6, 1, 1), (1, 0, 6, 7), (0, -1, 2, 2), (0, 0, 0, 3)]:
        case("crop_to_bounding_box", lambda x, *box: tf.image.crop_to_bounding_box(x, *[int(b) for b in box]),
             [value, *[tf.constant(b, tf.int32) for b in box]])
    for box in [(0, 0, 6, 7), (1, 2, 8, 9), (2, 2, 8, 10), (3, 2, 8, 9), (-1, 0, 8, 9)]:
        case("pad_to_bounding_box", lambda x: tf.image.pad_to_bounding_box(x, *box), [value], [integer(b) for b in box])


def colours():
    types = [np.uint8, np.uint16, np.int8, np.int16, np.int32, np.float16, np.float32, np.float64]
    for dtype in types:
        for to in types:
            if dtype == np.float16 and np.issubdtype(to, np.integer):
                continue  # it multiplies in half precision, which is too narrow
            for saturate in [False, True]:
                case("convert_image_dtype", lambda x: tf.image.convert_image_dtype(x, to, saturate), [image(3, 4, 3, dtype)],
                     [dtype_of(tf.as_dtype(to)), flag(saturate)], {np.float16: 1e-3, np.float64: 1e-15}.get(to, 0.0))
    for dtype, near in [(np.uint8, 1.0), (np.float32, 2e-6)]:
        x = image(6, 5, 3, dtype)
        case("per_image_standardization", tf.image.per_image_standardization, [x], [], 2e-6)
        case("rgb_to_grayscale", tf.image.rgb_to_grayscale, [x], [], near)
        case("grayscale_to_rgb", tf.image.grayscale_to_rgb, [image(4, 4, 1, dtype)])
        for delta in [-0.3, 0.1]:
            case("adjust_brightness", lambda x: tf.image.adjust_brightness(x, delta), [x], [number(delta)], 1e-6)
            case("adjust_hue", lambda x: tf.image.adjust_hue(x, delta), [x], [number(delta)], near)
        for factor in [0.0, 0.5, 1.7]:
            case("adjust_contrast", lambda x: tf.image.adjust_contrast(x, factor), [x], [number(factor)], near)
            case("adjust_saturation", lambda x: tf.image.adjust_saturation(x, factor), [x], [number(factor)], near)
            case("adjust_gamma", lambda x: tf.image.adjust_gamma(x, factor, 0.9), [x], [number(factor), number(0.9)], near)
    case("per_image_standardization", tf.image.per_image_standardization, [tf.zeros((3, 3, 1), tf.uint8)], [], 2e-6)
    x = image(6, 5, 3, np.float32)
    case("rgb_to_hsv", tf.image.rgb_to_hsv, [x], [], 1e-6)
    case("hsv_to_rgb", tf.image.hsv_to_rgb, [x], [], 1e-6)
    case("rgb_to_hsv", tf.image.rgb_to_hsv, [tf.zeros((2, 2, 3))])
    for quality in [10, 75, 95]:
        smooth = tf.constant(photo(17, 20))
        case("adjust_jpeg_quality", lambda x: tf.image.adjust_jpeg_quality(x, quality), [smooth],
             [integer(quality), text("")], 8.0)  # the fast transform


def files():
    rgb, gray = photo(13, 18), photo(9, 11, 1)[:, :, 0]
    rgba = np.concatenate([rgb, photo(13, 18, 1)], axis=2)
    gray_alpha = np.stack([gray, 255 - gray], axis=2)
    wide = (gray.astype(np.uint16) << 8) + 77
    palette = io.BytesIO()
    Image.fromarray(rgb).quantize(17).save(palette, "PNG")
    bits = io.BytesIO()
    Image.fromarray(gray > 120).save(bits, "PNG")
    pngs = [saved(rgb, "PNG"), saved(gray, "PNG"), saved(rgba, "PNG"), saved(gray_alpha, "PNG"), saved(wide, "PNG"),
            palette.getvalue(), bits.getvalue(),
            tf.io.encode_png(tf.constant(photo(5, 6).astype(np.uint16) * 200 + 3)).numpy()]
    for png in pngs:
        value = tf.constant(png)
        for channels in [0, 1, 3, 4]:
            if channels == 4 and png is pngs[6]:
                continue  # of one bit a pixel it makes an alpha of 1, not of 255
            for dtype in [tf.uint8, tf.uint16]:
                case("decode_png", lambda x: tf.io.decode_png(x, channels, dtype), [value], [integer(channels), dtype_of(dtype)])
        for dtype in [tf.uint8, tf.float32]:
            case("decode_image", lambda x: tf.io.decode_image(x, 0, dtype), [value], [integer(0), dtype_of(dtype), flag(True)], 1e-6)
    jpegs = [saved(rgb, "JPEG", quality=90), saved(gray, "JPEG"), saved(rgb, "JPEG", progressive=True), saved(rgb, "JPEG", subsampling=0)]
    for jpeg in jpegs:
        value = tf.constant(jpeg)
        for channels in [0, 1, 3]:
            for ratio in [1, 2, 4, 8]:
                case("decode_jpeg", lambda x: tf.io.decode_jpeg(x, channels, ratio, dct_method=ACCURATE), [value],
                     [integer(channels), integer(ratio), text(ACCURATE)])
            case("decode_image", lambda x: tf.io.decode_image(x, channels), [value],
                 [integer(channels), dtype_of(tf.uint8), flag(True)], 8.0)  # it has the fast transform
            window = tf.constant([2, 3, 5, 6])
            case("decode_and_crop_jpeg", lambda x, w: tf.io.decode_and_crop_jpeg(x, w, channels, dct_method=ACCURATE), [value, window],
                 [integer(channels), integer(1), text(ACCURATE)])
        outside = tf.constant([2, 3, 50, 6])
        case("decode_and_crop_jpeg", lambda x, w: tf.io.decode_and_crop_jpeg(x, w), [value, outside],
             [integer(0), integer(1), text("")])
        case("extract_jpeg_shape", tf.io.extract_jpeg_shape, [value], [dtype_of(tf.int32)])
        case("is_jpeg", tf.io.is_jpeg, [value])
        cut = tf.constant(jpeg[: len(jpeg) // 2])
        case("decode_jpeg", tf.io.decode_jpeg, [cut], [integer(0), integer(1), text("")])
    frames = [Image.fromarray(photo(8, 9)) for _ in range(3)]
    gif = io.BytesIO()
    frames[0].save(gif, "GIF", save_all=True, append_images=frames[1:])
    value = tf.constant(gif.getvalue())
    case("decode_gif", tf.io.decode_gif, [value])
    case("decode_image", tf.io.decode_image, [value], [integer(0), dtype_of(tf.uint8), flag(True)])
    case("decode_image", lambda x: tf.io.decode_image(x, expand_animations=False), [value],
         [integer(0), dtype_of(tf.uint8), flag(False)])
    for dtype in [tf.uint16, tf.float32]:
        for value in [jpegs[0], pngs[0], gif.getvalue()]:
            # Of a JPEG it has the fast transform.
            case("decode_image", lambda x: tf.io.decode_image(x, 0, dtype), [tf.constant(value)], [integer(0), dtype_of(dtype), flag(True)],
                 0 if value is not jpegs[0] else 2048.0 if dtype == tf.uint16 else 0.032)
    for pixels in [rgb, rgba, gray]:
        value = tf.constant(saved(pixels, "BMP"))
        for channels in [0, 3, 4]:
            case("decode_bmp", lambda x: tf.io.decode_bmp(x, channels), [value], [integer(channels)])
            for dtype in [tf.uint8, tf.uint16, tf.float32]:
                case("decode_image", lambda x: tf.io.decode_image(x, channels, dtype), [value],
                     [integer(channels), dtype_of(dtype), flag(True)])
    for webp in [saved(rgb, "WEBP", lossless=True), saved(rgba, "WEBP", lossless=True, exact=True)]:
        value = tf.constant(webp)
        case("decode_webp", tf.io.decode_webp, [value], [integer(0)])
        for expands in [True, False]:
            case("decode_image", lambda x: tf.io.decode_image(x, expand_animations=expands), [value],
                 [integer(0), dtype_of(tf.uint8), flag(expands)])
    for junk in [b"", b"no image at all", pngs[0][:50]]:
        value = tf.constant(junk)
        case("decode_image", tf.io.decode_image, [value], [integer(0), dtype_of(tf.uint8), flag(True)])
        case("is_jpeg", tf.io.is_jpeg, [value])
    for x in [tf.constant(rgb), tf.constant(gray[:, :, None])]:
        for quality in [0, 50, 95, 100]:
            for down in [True, False]:
                encoded(x, quality=quality, chroma_downsampling=down)
        encoded(x, progressive=True)
        encoded(x, optimize_size=True)
        encoded(x, density_unit="cm", x_density=72, y_density=65535)
        encoded(x, xmp_metadata="<x:xmpmeta/>")
        encoded(x, format="rgb")
        encoded(x, format="grayscale")


def encoded(x, format="", quality=95, progressive=False, optimize_size=False, chroma_downsampling=True, density_unit="in",
            x_density=300, y_density=300, xmp_metadata=""):
    arguments = [format, quality, progressive, optimize_size, chroma_downsampling, density_unit, x_density, y_density, xmp_metadata]
    kinds = {str: text, bool: flag, int: integer}
    case("encode_jpeg", lambda x: tf.io.encode_jpeg(x, *arguments), [x], [kinds[type(argument)](argument) for argument in arguments])


def boxes():
    images = tf.stack([image(7, 9), image(7, 9)])
    rows = tf.constant([[0, 0, 1, 1], [0.1, 0.2, 0.8, 0.7], [0.9, 0.8, 0.1, 0.2], [-0.3, 0.1, 0.5, 1.4], [0.5, 0.5, 0.5, 0.5]], tf.float32)
    which = tf.constant([0, 1, 1, 0, 1])
    for method in ["bilinear", "nearest"]:
        for size in [(4, 5), (1, 1), (12, 3)]:
            for batch in [images, tf.image.convert_image_dtype(images, tf.float32)]:
                case("crop_and_resize", lambda x, b, i: tf.image.crop_and_resize(x, b, i, size, method, 7.0), [batch, rows, which],
                     [ints(size), text(method), number(7.0)], 1e-4)
    for which in [[0, 1, 2, 0, 0], [0, -1, 0, 0, 0]]:
        case("crop_and_resize", lambda x, b, i: tf.image.crop_and_resize(x, b, i, (2, 2)), [images, rows, tf.constant(which)],
             [ints((2, 2)), text("bilinear"), number(0.0)])


def orientations():
    """Answers of Pillow's: TensorFlow has no such operation."""
    def of_pillow(contents):
        return tf.constant(Image.open(io.BytesIO(contents.numpy())).getexif().get(0x0112, 1))

    for pixels in [photo(4, 6), photo(5, 5, 1)[:, :, 0]]:
        for orientation in range(1, 9):
            picture = Image.fromarray(pixels)
            picture.getexif()[0x0112] = orientation
            upright = np.asarray(ImageOps.exif_transpose(picture))
            pair = [np.atleast_3d(pixels), np.atleast_3d(upright)]
            case("apply_orientation", lambda x, o: tf.constant(pair[1]), [tf.constant(pair[0]), tf.constant(orientation)])
            exif = Image.Exif()
            exif[0x0112] = orientation
            case("exif_orientation", of_pillow, [tf.constant(saved(pixels, "JPEG", exif=exif))])
    for format in ["JPEG", "PNG"]:
        case("exif_orientation", of_pillow, [tf.constant(saved(photo(4, 6), format))])


def brain_floats():
    for dtype in [tf.uint8, tf.uint16, tf.float32]:
        x = tf.cast(image(3, 4, 3, dtype.as_numpy_dtype), dtype)
        case("convert_image_dtype", lambda x: tf.image.convert_image_dtype(x, tf.bfloat16), [x], [dtype_of(tf.bfloat16), flag(False)], 4e-3)
    x = tf.cast(image(3, 4, 3, np.float32), tf.bfloat16)
    for dtype in [tf.float16, tf.float32, tf.float64]:
        case("convert_image_dtype", lambda x: tf.image.convert_image_dtype(x, dtype), [x], [dtype_of(dtype), flag(False)])


def formats_of_others():
    """What an operation for one format makes of the others."""
    rgb, gray = photo(6, 9), photo(5, 7, 1)[:, :, 0]
    moving = io.BytesIO()
    Image.fromarray(rgb).save(moving, "GIF", save_all=True, append_images=[Image.fromarray(photo(6, 9))])
    jpegs = [saved(rgb, "JPEG"), saved(gray, "JPEG")]
    pngs = [saved(rgb, "PNG"), saved(gray, "PNG"), saved(np.dstack([rgb, rgb[:, :, :1]]), "PNG"), saved((gray.astype(np.uint16) << 8) + 77, "PNG")]
    for contents in [*jpegs, *pngs, saved(rgb, "GIF"), moving.getvalue(), saved(rgb, "BMP")]:
        value = tf.constant(contents)
        fast = contents in jpegs  # the fast transform
        for channels in [0, 1, 3]:
            case("decode_jpeg", lambda x: tf.io.decode_jpeg(x, channels, 2, dct_method=ACCURATE), [value],
                 [integer(channels), integer(2), text(ACCURATE)])
        for channels in [0, 1, 3, 4]:
            for dtype in [tf.uint8, tf.uint16]:
                case("decode_png", lambda x: tf.io.decode_png(x, channels, dtype), [value], [integer(channels), dtype_of(dtype)],
                     0.0 if not fast else 8.0 if dtype == tf.uint8 else 2048.0)
        case("decode_gif", tf.io.decode_gif, [value], [], 8.0 if fast else 0.0)
        if contents not in jpegs:
            case("decode_and_crop_jpeg", lambda x, w: tf.io.decode_and_crop_jpeg(x, w, dct_method=ACCURATE), [value, tf.constant([1, 2, 3, 4])],
                 [integer(0), integer(1), text(ACCURATE)])
            case("decode_bmp", tf.io.decode_bmp, [value], [integer(0)])
    case("decode_gif", tf.io.decode_gif, [tf.constant(saved(rgb, "WEBP", lossless=True))])
    value = tf.constant(saved(photo(33, 41), "JPEG", subsampling=0))
    for ratio in [2, 4, 8]:
        for window in [[0, 0, 2, 3], [1, 2, 4, 4], [2, 0, 3, 6]]:
            case("decode_and_crop_jpeg", lambda x, w: tf.io.decode_and_crop_jpeg(x, w, ratio=ratio, dct_method=ACCURATE),
                 [value, tf.constant(window)], [integer(0), integer(ratio), text(ACCURATE)])


def given_tensors():
    """Sizes and factors that are tensors, computed for each element: of a graph, in which they are not known."""
    def traced(function, inputs):
        signature = [tf.TensorSpec([None] * len(x.shape), x.dtype) for x in inputs]
        return lambda *values: tf.function(function, input_signature=signature)(*values)

    def asked(name, function, inputs, attributes, tolerance=0.0):
        case(name, traced(function, inputs), inputs, attributes, tolerance)

    x, batch = image(7, 10), tf.stack([image(5, 4), image(5, 4)])
    rest = [text("bilinear"), flag(False), flag(False), flag(False)]
    for size in [(3, 5), (9, 20), (1, 1), (0, 4), (-1, 3)]:
        for value in [x, batch]:
            asked("resize", lambda x, s: tf.image.resize(x, s), [value, tf.constant(size)], [given(1), *rest])
        asked("resize", lambda x, s: tf.image.resize(x, s, "nearest"), [x, tf.constant(size)],
              [given(1), text("nearest"), *rest[1:]])
        if size == (1, 1):
            continue  # it refuses what would be less than a pixel high, which is one here
        asked("resize_with_pad", lambda x, h, w: tf.image.resize_with_pad(x, h, w), [x, *map(tf.constant, size)],
              [given(1), given(2), text("bilinear"), flag(False)])
        asked("resize_with_pad", lambda x, w: tf.image.resize_with_pad(x, 4, w), [x, tf.constant(size[1])],
              [integer(4), given(1), text("bilinear"), flag(False)])
        asked("resize_with_crop_or_pad", lambda x, h, w: tf.image.resize_with_crop_or_pad(x, h, w), [x, *map(tf.constant, size)],
              [given(1), given(2)])
    for size in [(6, 8), (3, 20)]:
        asked("resize", lambda x, s: tf.image.resize(x, s, preserve_aspect_ratio=True), [x, tf.constant(size)],
              [given(1), text("bilinear"), flag(True), flag(False), flag(False)])
    for fraction in [0.1, 0.5, 0.75, 0.875, 1.0]:
        for dtype in [tf.float32, tf.float64]:
            asked("central_crop", lambda x, f: tf.image.central_crop(x, f), [x, tf.constant(fraction, dtype)], [given(1)])
    for box in [(0, 0, 7, 10), (1, 2, 9, 13), (2, 1, 8, 11), (-1, 0, 8, 11), (3, 0, 9, 10)]:
        asked("pad_to_bounding_box", lambda x, *box: tf.image.pad_to_bounding_box(x, *box), [x, *map(tf.constant, box)],
              [given(index) for index in range(1, 5)])
    for k in range(-1, 5):
        asked("rot90", lambda x, k: tf.image.rot90(x, k), [x, tf.constant(k)], [given(1)])
    boxes, which = tf.constant([[0.1, 0.2, 0.8, 0.7]], tf.float32), tf.constant([1])
    for size in [(4, 5), (1, 1), (0, 2)]:
        asked("crop_and_resize", lambda x, b, i, s: tf.image.crop_and_resize(x, b, i, s), [batch, boxes, which, tf.constant(size)],
              [given(3), text("bilinear"), number(0.0)], 1e-4)
    for dtype, near in [(np.uint8, 1.0), (np.float32, 2e-6)]:
        x = image(6, 5, 3, dtype)
        for delta in [-0.3, 0.1]:
            asked("adjust_brightness", lambda x, d: tf.image.adjust_brightness(x, d), [x, tf.constant(delta)], [given(1)], 1e-6)
            asked("adjust_hue", lambda x, d: tf.image.adjust_hue(x, d), [x, tf.constant(delta)], [given(1)], near)
        for factor in [0.0, 0.5, 1.7]:
            value = tf.constant(factor)
            asked("adjust_contrast", lambda x, f: tf.image.adjust_contrast(x, f), [x, value], [given(1)], near)
            asked("adjust_saturation", lambda x, f: tf.image.adjust_saturation(x, f), [x, value], [given(1)], near)
            asked("adjust_gamma", lambda x, f: tf.image.adjust_gamma(x, f, 0.9), [x, value], [given(1), number(0.9)], near)
            asked("adjust_gamma", lambda x, g, f: tf.image.adjust_gamma(x, g, f), [x, value, tf.constant(0.9)],
                  [given(1), given(2)], near)
    asked("adjust_gamma", lambda x, f: tf.image.adjust_gamma(x, f), [x, tf.constant(-1.0)], [given(1), number(1.0)])
    smooth = tf.constant(photo(17, 20))
    for quality in [10, 75, -1, 101]:
        asked("adjust_jpeg_quality", lambda x, q: tf.image.adjust_jpeg_quality(x, q), [smooth, tf.constant(quality)],
              [given(1), text("")], 8.0)  # the fast transform


def other_types():
    """Integers of 32 and 64 bits, and floats of other widths."""
    wide = [tf.uint32, tf.uint64, tf.int64]
    types = [tf.uint8, tf.uint16, tf.int8, tf.int16, tf.int32, *wide, tf.float32, tf.float64]
    for dtype in types:
        for to in types:
            if dtype not in wide and to not in wide:
                continue
            if dtype.is_floating:
                # At 1 and beyond, what it gives is what the processor gives for what does not fit.
                x = tf.constant([[[0.0, 0.25, 0.3], [0.5, 0.999, 0.7]]], dtype)
            else:
                x = tf.constant([[[0, 1, 100], [dtype.max, dtype.max // 3, dtype.min]]], dtype)
            case("convert_image_dtype", lambda x: tf.image.convert_image_dtype(x, to), [x], [dtype_of(to), flag(False)],
                 1e-15 if to == tf.float64 else 0.0)
    for dtype, near in [(tf.float16, 2e-3), (tf.bfloat16, 2e-2), (tf.float64, 1e-14)]:
        x = tf.cast(image(6, 5, 3, np.float32), dtype)
        case("rgb_to_hsv", tf.image.rgb_to_hsv, [x], [], near)
        case("hsv_to_rgb", tf.image.hsv_to_rgb, [x], [], near)
    case("rgb_to_hsv", tf.image.rgb_to_hsv, [tf.zeros((2, 2, 3), tf.int32)])
    case("is_jpeg", tf.io.is_jpeg, [tf.constant([[b"\xff\xd8\xff\xe0", b"\xff\xd8"], [b"", b"\xff\xd8\xff"]])])


def normalized():
    """Images around 0, as they are behind `normalize`: colours whose largest channel is not above 0."""
    x = image(5, 7, 3, np.float32) * 4.0 - 3.0
    few = tf.constant([[[-1.0, -0.5, -0.2], [-0.1, -0.3, -0.2], [0.0, -0.5, -0.2], [-0.4, -0.4, -0.4], [0.0, 0.0, 0.0]]])
    for pixels in [x, few]:
        for delta in [-1.0, -0.3, 0.0, 0.1, 0.5, 1.0]:
            case("adjust_hue", lambda x: tf.image.adjust_hue(x, delta), [pixels], [number(delta)], 4e-6)
        for factor in [0.0, 0.5, 1.0, 1.7]:
            case("adjust_saturation", lambda x: tf.image.adjust_saturation(x, factor), [pixels], [number(factor)], 4e-6)


def roundings():
    """Where single precision decides: how far an image reaches into a padded one, and areas of images that grow."""
    for shape, size in [((1, 1), 7), ((1, 4), 7), ((5, 25), 11), ((8, 25), 11), ((27, 36), 7)]:
        case("resize_with_pad", lambda x: tf.image.resize_with_pad(x, size, size), [image(*shape)],
             [integer(size), integer(size), text("bilinear"), flag(False)])
    rest = [text("area"), flag(False), flag(False), flag(False)]
    for shape, size in [((10, 10), (71, 83)), ((31, 20), (47, 53)), ((41, 37), (13, 60)), ((3, 3), (190, 7))]:
        # The last pixel's part that roundings put behind the image is added to its weight, not to the sum.
        case("resize", lambda x: tf.image.resize(x, size, "area"), [image(*shape, 1)], [ints(size), *rest], 1e-4)
    for dtype in [tf.float16, tf.bfloat16]:
        # It multiplies in half precision.
        x = tf.cast(image(5, 6, 3, np.float32), dtype)
        case("convert_image_dtype", lambda x: tf.image.convert_image_dtype(x, tf.uint8), [x], [dtype_of(tf.uint8), flag(False)], 1.0)
    batch = tf.stack([image(5, 6, 1), image(5, 6, 1)])
    case("resize", lambda x: tf.image.resize(x, (7, 40), "area"), [batch], [ints((7, 40)), *rest], 1e-4)


def smaller():
    """Boxes that are no numbers, masks of bools, all of what is no image."""
    images = tf.stack([image(4, 5, 1)])
    for wrong in [np.nan, np.inf, -np.inf]:
        case("crop_and_resize", lambda x, b, i: tf.image.crop_and_resize(x, b, i, (2, 2)),
             [images, tf.constant([[0.0, 0.0, wrong, 1.0]]), tf.constant([0])], [ints((2, 2)), text("bilinear"), number(0.0)])
    mask = image(3, 4, 1) > 120
    case("flip_left_right", tf.image.flip_left_right, [mask])
    case("flip_up_down", tf.image.flip_up_down, [mask])
    case("central_crop", lambda x: tf.image.central_crop(x, 0.5), [mask], [number(0.5)])
    case("resize_with_crop_or_pad", lambda x: tf.image.resize_with_crop_or_pad(x, 5, 2), [mask], [integer(5), integer(2)])
    case("pad_to_bounding_box", lambda x: tf.image.pad_to_bounding_box(x, 1, 1, 5, 6), [mask], [integer(b) for b in (1, 1, 5, 6)])
    for k in range(4):
        case("rot90", lambda x: tf.image.rot90(x, k), [mask], [integer(k)])
    for shape in [(4, 5), (3,), (0, 3, 1), (2, 3, 0, 4, 1)]:
        case("central_crop", lambda x: tf.image.central_crop(x, 1.0), [tf.constant(RANDOM.integers(0, 256, shape).astype(np.uint8))], [number(1.0)])
    case("central_crop", lambda x: tf.image.central_crop(x, 0.5), [tf.zeros((4, 5), tf.uint8)], [number(0.5)])


def narrow():
    """Where the float, or the integer, has too few digits: half floats of integers, integers of 32 bits, palettes."""
    for dtype in [tf.uint8, tf.int8, tf.uint16, tf.int16]:
        top = min(dtype.max, 65504)  # above it float16 has no numbers, and TensorFlow gives inf
        x = tf.constant([[[0, 1, 100], [top, top // 3, dtype.min]]], dtype)
        for to in [tf.float16, tf.bfloat16]:
            case("convert_image_dtype", lambda x: tf.image.convert_image_dtype(x, to), [x], [dtype_of(to), flag(False)])
    for dtype in [tf.int32, tf.uint32, tf.int64]:
        x = tf.constant([[[0, 1, 100], [dtype.max, dtype.max // 3, dtype.min]]], dtype)
        case("convert_image_dtype", lambda x: tf.image.convert_image_dtype(x, tf.bfloat16), [x], [dtype_of(tf.bfloat16), flag(False)])
    x = tf.constant([[[-2.0, -0.5, 0.0], [0.3, 0.99999994, 1.0], [1.5, 1e9, 0.75]]])
    for dtype in [tf.uint8, tf.int8, tf.uint16, tf.int16, tf.int32, tf.uint32]:
        case("convert_image_dtype", lambda x: tf.image.convert_image_dtype(x, dtype, True), [x], [dtype_of(dtype), flag(True)])
    x = tf.constant([[[2**31 - 1, 2**31 - 200, 2**30], [-(2**31), 1 - 2**31, 12345], [2**31 - 1, 0, -(2**31)]]], tf.int32)
    for delta in [-0.25, 0.0, 0.5]:
        case("adjust_brightness", lambda x: tf.image.adjust_brightness(x, delta), [x], [number(delta)])
    for factor in [0.5, 2.0]:
        case("adjust_contrast", lambda x: tf.image.adjust_contrast(x, factor), [x], [number(factor)], 512.0)
    positive = tf.abs(tf.maximum(x, 1 - 2**31))
    for gamma in [1.0, 0.5]:
        case("adjust_gamma", lambda x: tf.image.adjust_gamma(x, gamma), [positive], [number(gamma), number(1.0)], 512.0)
    numbers = Image.fromarray(photo(5, 6, 1)[:, :, 0], "L").convert("P")
    numbers.putpalette([value * 7 % 256 for value in range(768)])
    palette = io.BytesIO()
    numbers.save(palette, "BMP")
    for channels in [0, 1, 3, 4]:
        case("decode_bmp", lambda x: tf.io.decode_bmp(x, channels), [tf.constant(palette.getvalue())], [integer(channels)])
        case("decode_image", lambda x: tf.io.decode_image(x, channels), [tf.constant(palette.getvalue())],
             [integer(channels), dtype_of(tf.uint8), flag(True)])


if __name__ == "__main__":
    resizes()
    moves()
    colours()
    files()
    boxes()
    orientations()
    brain_floats()
    formats_of_others()
    given_tensors()
    other_types()
    normalized()
    roundings()
    smaller()
    narrow()
    lines = ",\n".join(json.dumps(row, separators=(",", ":")) for row in rows)
    (HERE / "images.json").write_text(f"[\n{lines}\n]\n")
    print(len(rows), "cases")
