"""Makes `moving.webp`, three pictures without loss, and puts into `golden.txt` what Pillow decodes it to: shape and bytes.

Needs Pillow (13.0.0 was used) and numpy: python make.py
"""

import pathlib

import numpy as np
from PIL import Image, ImageSequence

here = pathlib.Path(__file__).parent
random = np.random.default_rng(7)
pictures = [Image.fromarray(random.integers(0, 256, (5, 6, 3)).astype(np.uint8)) for _ in range(3)]
pictures[0].save(here / "moving.webp", save_all=True, append_images=pictures[1:], lossless=True)
frames = [np.asarray(frame.convert("RGB")) for frame in ImageSequence.Iterator(Image.open(here / "moving.webp"))]
array = np.stack(frames)
shape = " ".join(map(str, array.shape))
(here / "golden.txt").write_text(f"# frames, height, width, channels, the pixels\n{shape} {array.tobytes().hex()}\n")
