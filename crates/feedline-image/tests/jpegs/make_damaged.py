"""Writes damaged.txt: what TensorFlow (libjpeg-turbo) makes of the JPEGs here after some of their bytes were replaced.

Run in an environment with tensorflow-cpu, after make.py: python make_damaged.py
"""

import pathlib
import random
import zlib

import tensorflow as tf

here = pathlib.Path(__file__).parent
names = ["444-67x45", "420-130x70", "422-restart-3", "420-restart-row", "gray", "420-scans", "rgb", "420-coarse", "420-progressive", "gray-progressive"]
random.seed(7)


def damages(scan, end):
    """Where, how many bytes are taken away, and what takes their place; between the bytes `scan` and `end`."""
    for _ in range(24):
        yield random.randrange(scan, end), 1, bytes([random.randrange(255)])
    for code in [0x01, 0x37, 0xC0, 0xC4, *range(0xD0, 0xDE), 0xE0, 0xFE]:
        yield random.randrange(scan, end), 2, bytes([255, code])
    for part in range(1, 8):
        yield scan + (end - scan) * part // 8, 40, bytes(40)
        yield scan + (end - scan) * part // 8, 40, b""
        yield scan + (end - scan) * part // 8, 8, b"\xff" * 8
        yield scan + (end - scan) * part // 8, 1 << 30, b"\xff\xd9"
        yield scan + (end - scan) * part // 8, 1 << 30, b""
        yield scan + (end - scan) * part // 8, 0, b"\xff\xfe\x00\x04ab"


lines = ["# name, where, bytes taken away, what takes their place (hex, - for nothing), CRC-32 of the pixels (- for an error)"]
for name in names:
    data = (here / f"{name}.jpg").read_bytes()
    for place, length, instead in damages(data.index(b"\xff\xda") + 14, len(data) - 2):
        damaged = data[:place] + instead + data[place + length :]
        try:
            pixels = tf.io.decode_jpeg(damaged, dct_method="INTEGER_ACCURATE").numpy()
            crc = f"{zlib.crc32(pixels.tobytes()):08x}"
        except tf.errors.InvalidArgumentError:
            crc = "-"
        lines.append(f"{name} {place} {min(length, len(data))} {instead.hex() or '-'} {crc}")
(here / "damaged.txt").write_text("\n".join(lines) + "\n")
