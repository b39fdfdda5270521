"""Writes scaled.txt: what TensorFlow (libjpeg-turbo) makes of the JPEGs here at a half, a quarter and an eighth of their size.

Run in an environment with tensorflow-cpu, after make.py: python make_scaled.py
"""

import pathlib
import zlib

import tensorflow as tf

here = pathlib.Path(__file__).parent
lines = ["# name, ratio, height, width, channels, CRC-32 of the pixels"]
for path in sorted(here.glob("*.jpg")):
    for ratio in (2, 4, 8):
        pixels = tf.io.decode_jpeg(path.read_bytes(), channels=0, ratio=ratio, dct_method="INTEGER_ACCURATE").numpy()
        if pixels.shape[2] == 4:  # CMYK as it is stored
            continue
        sizes = " ".join(map(str, pixels.shape))
        lines.append(f"{path.stem} {ratio} {sizes} {zlib.crc32(pixels.tobytes()):08x}")
(here / "scaled.txt").write_text("\n".join(lines) + "\n")
