"""Records what torchvision and Pillow answer for augmentations. README.md says how to run it and what it writes."""

import json
from pathlib import Path

import numpy as np
import torch
import torchvision.transforms.functional as F
from PIL import Image
from torchvision.transforms import InterpolationMode

from attributes import flag, integer, ints, number, text

HERE = Path(__file__).resolve().parent
RANDOM = np.random.default_rng(20270303)
MODES = {"nearest": InterpolationMode.NEAREST, "bilinear": InterpolationMode.BILINEAR}
rows = []


def case(name, function, pixels, attributes=(), tolerance=0.0):
    output = function(pixels)
    rows.append({
        "operation": f"image.{name}", "inputs": [as_json(pixels)], "attributes": list(attributes),
        "output": as_json(output), "ulps": 0, "tolerance": tolerance,
    })


def as_json(pixels):
    flat = pixels.reshape(-1)
    values = [float(value) for value in flat] if pixels.dtype == np.float32 else flat.tolist()
    return {"dtype": pixels.dtype.name, "shape": list(pixels.shape), "values": values}


def floats(values):
    return {"floats": [float(value) for value in values]}


def by_pillow(function):
    """A function of Pillow's images as one of arrays."""
    def of_array(pixels):
        gray = pixels.shape[2] == 1
        result = np.asarray(function(Image.fromarray(pixels[:, :, 0] if gray else pixels)))
        return result[:, :, None] if gray else result
    return of_array


def by_torch(function):
    """A function of tensors, channels first, as one of arrays."""
    def of_array(pixels):
        return function(torch.from_numpy(pixels).permute(2, 0, 1)).permute(1, 2, 0).contiguous().numpy()
    return of_array


def noise(height, width, channels=3):
    return RANDOM.integers(0, 256, (height, width, channels)).astype(np.uint8)


def photo(height, width, channels=3):
    """Something smooth that does not use the whole scale."""
    y, x, c = np.meshgrid(np.arange(height), np.arange(width), np.arange(channels), indexing="ij")
    return (110 + 70 * np.sin(y / 3 + c) * np.cos(x / 4 - c) + RANDOM.integers(-9, 9, y.shape)).clip(0, 255).astype(np.uint8)


def values():
    images = [noise(9, 11), photo(20, 25), photo(24, 30, 1), np.full((5, 6, 3), 90, np.uint8), noise(2, 7), noise(1, 1)]
    for pixels in images:
        case("invert", by_pillow(F.invert), pixels)
        case("equalize", by_pillow(F.equalize), pixels)
        case("autocontrast", by_pillow(F.autocontrast), pixels)
        # In single precision, and cut: one level away where it lands on a whole number.
        case("autocontrast", by_torch(F.autocontrast), pixels, tolerance=1.0)
        for threshold in [0.0, 64.0, 127.5, 128.0, 255.0]:
            case("solarize", by_pillow(lambda x: F.solarize(x, threshold)), pixels, [number(threshold)])
        case("posterize", by_torch(lambda x: F.posterize(x, 0)), pixels, [integer(0)])  # Pillow begins with 1
        for bits in [1, 4, 8]:
            case("posterize", by_pillow(lambda x: F.posterize(x, bits)), pixels, [integer(bits)])
        for factor in [0.0, 0.3, 1.0, 1.9, 4.0]:
            case("adjust_sharpness", by_pillow(lambda x: F.adjust_sharpness(x, factor)), pixels, [number(factor)])
            case("adjust_sharpness", by_torch(lambda x: F.adjust_sharpness(x, factor)), pixels, [number(factor)], 1.0)


def blurs():
    for size, sigma in [([3, 3], [0.8]), ([5, 3], [0.5, 2.0]), ([9, 9], [1.7]), ([1, 7], [1.0, 1.0])]:
        own = [ints(size), floats(sigma)]
        of_tensor = by_torch(lambda x: F.gaussian_blur(x, size, sigma * (3 - len(sigma))))
        case("gaussian_blur", of_tensor, photo(14, 12), own, 1.0)
        case("gaussian_blur", of_tensor, (photo(9, 10, 2) / 255).astype(np.float32), own, 1e-6)


def warps():
    for name, mode in MODES.items():
        for pixels in [noise(9, 12), photo(12, 9), photo(10, 10, 1)]:
            channels = pixels.shape[2]
            for angle, translate, scale, shear, center in [
                (0, [0, 0], 1.0, [0.0, 0.0], None), (30, [0, 0], 1.0, [0.0, 0.0], None), (-90, [0, 0], 1.0, [0.0, 0.0], None),
                (0, [3, -2], 1.0, [0.0, 0.0], None), (0, [0, 0], 1.7, [0.0, 0.0], None), (0, [1, 0], 0.6, [0.0, 0.0], None),
                (0, [0, 0], 1.0, [20.0, 0.0], [0, 0]), (0, [0, 0], 1.0, [0.0, -15.0], [0, 0]), (77, [2, 1], 0.8, [10.0, 5.0], [3, 4]),
            ]:
                fill = [9, 80, 200][:channels]
                case("affine", by_pillow(lambda x: F.affine(x, angle, translate, scale, shear, mode, fill if channels > 1 else fill[0], center)), pixels,
                     [number(float(angle)), floats(translate), number(scale), floats(shear), text(name), floats(fill), floats(center) if center else "none"])
            for angle, expand, center in [(0, False, None), (25, False, None), (25, True, None), (90, False, None), (90, True, None),
                                          (180, True, None), (-130, True, None), (400, False, [2, 3])]:
                case("rotate", by_pillow(lambda x: F.rotate(x, angle, mode, expand, center, 17)), pixels,
                     [number(float(angle)), text(name), flag(expand), floats(center) if center else "none", floats([17])])


def turns():
    """Sizes and angles where the last digit of a sine decides which level a value is cut off to."""
    for height, width, angle in [(49, 43, -302.1168312822166), (35, 39, -121.0), (7, 59, -220.0), (24, 31, 77.0), (40, 17, -163.0)]:
        for expand in [False, True]:
            case("rotate", by_pillow(lambda x: F.rotate(x, angle, InterpolationMode.BILINEAR, expand, None, 17)), noise(height, width),
                 [number(angle), text("bilinear"), flag(expand), "none", floats([17])])


def wide_blurs():
    for size, sigma in [([23, 23], [4.0]), ([23, 1], [9.0])]:
        own = [ints(size), floats(sigma)]
        of_tensor = by_torch(lambda x: F.gaussian_blur(x, size, sigma * 2))
        case("gaussian_blur", of_tensor, (noise(30, 29) / 255).astype(np.float32), own, 2e-6)


def sizes():
    """Antialiased, as torchvision resizes tensors and Pillow its images; a size that keeps the shorter side in proportion, too."""
    def pillow(size, method):
        return by_pillow(lambda x: x.resize(size[::-1], method))

    def as_floats(function):
        return lambda pixels: function(pixels).astype(np.float32)

    for shape, size in [((31, 40), (12, 17)), ((20, 17), (33, 50)), ((40, 25), (9, 60)), ((24, 24), (8, 8))]:
        for name, mode in [("bilinear", InterpolationMode.BILINEAR), ("bicubic", InterpolationMode.BICUBIC)]:
            own = [ints(size), text(name), flag(False), flag(True), flag(False)]
            # Weights in other precisions, of values up to 255.
            case("resize", by_torch(lambda x: F.resize(x, size, mode, antialias=True)), noise(*shape).astype(np.float32), own, 0.01)
        for name, method in [("bilinear", Image.BILINEAR), ("bicubic", Image.BICUBIC), ("lanczos3", Image.LANCZOS)]:
            own = [ints(size), text(name), flag(False), flag(True), flag(False)]
            # Pillow rounds to whole levels behind both passes, and weighs the first roundings in the second. Of these no value leaves
            # 0 to 255, where it cuts.
            case("resize", as_floats(pillow(size, method)), photo(*shape), own, 1.0 if name == "bilinear" else 1.5)
    own = [ints((8, 8)), text("area"), flag(False), flag(False), flag(False)]
    case("resize", as_floats(pillow((8, 8), Image.BOX)), noise(24, 32), own, 1.0)
    for shape in [(31, 40), (40, 25)]:
        own = [{"int": 16}, text("bilinear"), flag(False), flag(True), flag(False)]
        case("resize", by_torch(lambda x: F.resize(x, [16], InterpolationMode.BILINEAR, antialias=True)), noise(*shape).astype(np.float32), own, 0.01)


if __name__ == "__main__":
    values()
    blurs()
    warps()
    wide_blurs()
    sizes()
    turns()
    lines = ",\n".join(json.dumps(row, separators=(",", ":")) for row in rows)
    (HERE / "augmentations.json").write_text(f"[\n{lines}\n]\n")
    print(len(rows), "cases")
