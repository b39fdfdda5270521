"""Records what torchvision makes of an image of Pillow's for every change its recipes choose from: writes changes.txt.

Run by hand in an environment with torch, torchvision and Pillow; made with torchvision 0.29.2 and Pillow 13.0.0. A line is a space, a
kind, a magnitude, the number of magnitudes, + or -, the interpolation, and the pixels in hex; `policies.txt` has AutoAugment's.
"""

from pathlib import Path

import numpy as np
from PIL import Image
from torchvision.transforms import InterpolationMode
from torchvision.transforms import autoaugment as recipes

HERE = Path(__file__).resolve().parent
HEIGHT, WIDTH = 9, 10
FILL = [40, 90, 250]
MODES = {"nearest": InterpolationMode.NEAREST, "bilinear": InterpolationMode.BILINEAR}


def image():
    """As the test makes it."""
    index = np.arange(HEIGHT * WIDTH * 3)
    return (20 + index * 7 % 101 + index % 3 * 40).astype(np.uint8).reshape(HEIGHT, WIDTH, 3)


def changes():
    picture = Image.fromarray(image())
    spaces = {
        "usual": lambda bins: {**recipes.RandAugment()._augmentation_space(bins, (HEIGHT, WIDTH)),
                               **recipes.AutoAugment()._augmentation_space(bins, (HEIGHT, WIDTH))},
        "wide": lambda bins: recipes.TrivialAugmentWide()._augmentation_space(bins),
    }
    for space, kinds in spaces.items():
        for bins, steps in [(31, [4, 9, 30]), (10, [8])]:
            for kind, (magnitudes, signed) in kinds(bins).items():
                for step in steps if magnitudes.ndim else steps[:1]:
                    for sign in "+-" if signed else "+":
                        moves = kind.startswith(("Shear", "Translate", "Rotate"))
                        for mode in MODES if moves else ["nearest"]:
                            strength = float(magnitudes[step]) if magnitudes.ndim else 0.0
                            strength = -strength if sign == "-" else strength
                            made = recipes._apply_op(picture, kind, strength, MODES[mode], FILL)
                            yield f"{space} {kind} {step} {bins} {sign} {mode} {np.asarray(made).tobytes().hex()}"


def policies():
    for pair in recipes.AutoAugment().policies:
        yield " ".join(f"{kind} {probability} {magnitude or 0}" for kind, probability, magnitude in pair)


if __name__ == "__main__":
    for name, lines in [("changes.txt", list(changes())), ("policies.txt", list(policies()))]:
        (HERE / name).write_text("\n".join(lines) + "\n")
        print(name, len(lines))
