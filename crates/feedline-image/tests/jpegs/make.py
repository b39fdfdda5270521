"""Makes the JPEGs of this folder and says what libjpeg-turbo decodes it to, in `golden.txt`: shape and CRC-32 of the bytes.

Needs Pillow (13.0.0 was used, with libjpeg-turbo 3.2.0) and numpy: python make.py
"""

import io
import pathlib
import zlib

import numpy as np
from PIL import Image
from scans import in_scans

here = pathlib.Path(__file__).parent
random = np.random.default_rng(5)


def picture(width, height):
    """Smooth colours, a sharp edge, and noise in a corner: blocks of every density."""
    y, x = np.mgrid[0:height, 0:width].astype(np.float64)
    channels = [
        127 + 120 * np.sin(x / 9 + y / 23),
        127 + 120 * np.cos(x / 17 - y / 7),
        (x * 5 + y * 3) % 256,
    ]
    image = np.stack(channels, axis=-1)
    image[: height // 3, : width // 3] = random.integers(0, 256, (height // 3, width // 3, 3))
    image[height // 2 :, width // 2 :] = [250, 20, 128]
    return Image.fromarray(image.clip(0, 255).astype(np.uint8))


def save(name, image, **options):
    file = io.BytesIO()
    image.save(file, "JPEG", **options)
    return name, file.getvalue()


def with_component_ids(data, ids):
    """The same file without its JFIF marker and with other component ids, which decide what the colours mean."""
    data = bytearray(data[:2] + data[20:])
    frame = data.index(b"\xff\xc0")
    scan = data.index(b"\xff\xda")
    for index, value in enumerate(ids):
        data[frame + 10 + 3 * index] = value
        data[scan + 5 + 2 * index] = value
    return bytes(data)


def with_adobe_transform(data, transform):
    """The same four components, meant as CMYK (0) or as the colours of other JPEGs beside black (2)."""
    data = bytearray(data)
    data[data.index(b"Adobe") + 11] = transform
    return bytes(data)


def cases():
    picture_of = {size: picture(*size) for size in [(67, 45), (64, 48), (1, 1), (2, 3), (3, 2), (17, 33), (130, 70)]}
    for sampling, name in [("4:4:4", "444"), ("4:2:2", "422"), ("4:2:0", "420")]:
        for (width, height), image in picture_of.items():
            yield save(f"{name}-{width}x{height}", image, quality=90, subsampling=sampling)
        yield save(f"{name}-restart-row", picture_of[67, 45], quality=85, subsampling=sampling, restart_marker_rows=1)
        yield save(f"{name}-restart-3", picture_of[67, 45], quality=85, subsampling=sampling, restart_marker_blocks=3)
        yield save(f"{name}-optimized", picture_of[67, 45], quality=97, subsampling=sampling, optimize=True)
        yield save(f"{name}-coarse", picture_of[67, 45], quality=8, subsampling=sampling)
        yield save(f"{name}-progressive", picture_of[67, 45], quality=85, subsampling=sampling, progressive=True)
    yield save("gray", picture_of[67, 45].convert("L"), quality=88)
    yield save("gray-restart", picture_of[67, 45].convert("L"), quality=88, restart_marker_blocks=5)
    yield save("gray-progressive", picture_of[67, 45].convert("L"), quality=88, progressive=True)
    yield save("cmyk", picture_of[67, 45].convert("CMYK"), quality=88)
    for sampling, name in [("4:2:2", "422"), ("4:2:0", "420")]:
        _, data = save("", picture_of[67, 45].convert("CMYK"), quality=88, subsampling=sampling)
        yield f"cmyk-{name}", data
        yield f"ycck-{name}", with_adobe_transform(data, 2)
    _, data = save("", picture_of[3, 2].convert("CMYK"), quality=88, subsampling="4:2:0")
    yield "ycck-420-3x2", with_adobe_transform(data, 2)
    yield save("quality-100", picture_of[17, 33], quality=100, subsampling="4:4:4")
    yield save("rgb", picture_of[67, 45], quality=90, keep_rgb=True)
    for sampling, name in [("4:4:4", "444"), ("4:2:0", "420")]:
        _, data = save("", picture_of[67, 45], quality=85, subsampling=sampling)
        yield f"{name}-scans", in_scans(data, [[0], [1], [2]])
        yield f"{name}-scans-mixed", in_scans(data, [[0], [1, 2]])
    name, data = save("", picture_of[17, 33], quality=90, subsampling="4:4:4")
    yield "ids-rgb", with_component_ids(data, b"RGB")
    yield "ids-other", with_component_ids(data, [7, 8, 9])
    for sampling, name in [("4:2:2", "422"), ("4:2:0", "420")]:
        _, data = save("", picture_of[67, 45].convert("CMYK"), quality=88, subsampling=sampling, progressive=True)
        yield f"cmyk-{name}-progressive", data
        yield f"ycck-{name}-progressive", with_adobe_transform(data, 2)
    options = {"quality": 95, "subsampling": "4:2:0", "progressive": True, "restart_marker_blocks": 2}
    yield save("cmyk-420-progressive-restart", picture_of[17, 33].convert("CMYK"), **options)


def cmyk_to_rgb(cmyk):
    """TensorFlow's conversion; Pillow has already undone the complement that Adobe's marker announces."""
    inks = 255 - np.asarray(cmyk).astype(int)
    return (inks[..., :3] * inks[..., 3:] // 255).astype(np.uint8)


def pixels(data, channels):
    image = Image.open(io.BytesIO(data))
    if image.mode == "CMYK":
        return None if channels == 1 else cmyk_to_rgb(image)
    if channels == 1 and image.mode != "L":
        # draft() asks libjpeg itself for the luma; convert() would compute another.
        image.draft("L", image.size)
        if image.mode != "L":
            return None
    if channels == 3 and image.mode == "L":
        image = image.convert("RGB")
    return np.asarray(image)


def main():
    lines = ["# name, channels asked for, height, width, channels, CRC-32 of the pixels"]
    for name, data in cases():
        (here / f"{name}.jpg").write_bytes(data)
        for channels in (0, 1, 3):
            array = pixels(data, channels)
            if array is not None:
                height, width = array.shape[:2]
                depth = array.size // (height * width)
                lines.append(f"{name} {channels} {height} {width} {depth} {zlib.crc32(array.tobytes()):08x}")
    (here / "golden.txt").write_text("\n".join(lines) + "\n")


main()
