"""Records which gray TensorFlow makes of PNGs in colours that say how their values stand to light.

Made with TensorFlow 2.21.0 (libpng 1.6.43): `python make.py`. A line of `gray.txt`: a name, the PNG, the bits of a sample, and the gray
samples as `decode_png(channels=1)` has them, the high byte first, all but the name and the bits as hex.
"""

import struct
import zlib
from pathlib import Path

import numpy as np
import tensorflow as tf

HERE = Path(__file__).resolve().parent
RANDOM = np.random.default_rng(20270305)


def chunk(name, data):
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def gamma(value):
    return b"gAMA", struct.pack(">I", value)


def png(colour, bits, before):
    samples = {2: 3, 3: 1, 6: 4}[colour]
    pixels = RANDOM.integers(0, 1 << bits, (7, 9, samples))
    if colour != 3:
        pixels[:2, :, :3] = pixels[:2, :, :1]  # gray already
        pixels[2, :, :3] += RANDOM.integers(0, 3, (9, 3))  # nearly
        pixels[3, :3, :3] = [[0, 0, 1], [(1 << bits) - 1] * 3, [0, 0, 0]]
        pixels = pixels.clip(0, (1 << bits) - 1)
    rows = b"".join(b"\0" + row.astype(">u2" if bits == 16 else np.uint8).tobytes() for row in pixels)
    palette = [(b"PLTE", RANDOM.integers(0, 256, 768).astype(np.uint8).tobytes())] if colour == 3 else []
    chunks = [(b"IHDR", struct.pack(">IIBBBBB", 9, 7, bits, colour, 0, 0, 0)), *before, *palette, (b"IDAT", zlib.compress(rows)), (b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunk(*pair) for pair in chunks)


SRGB = (b"sRGB", b"\0")
CHUNKS = {
    "none": [], "srgb": [SRGB], "gamma": [gamma(45455)], "both": [gamma(45455), SRGB], "linear": [gamma(100000)],
    "nearly-linear": [gamma(95200)], "bright": [gamma(220000)], "steep": [gamma(1000)], "small": [gamma(16)], "large": [gamma(625000000)],
    "other-first": [gamma(55000), SRGB], "other-last": [SRGB, gamma(55000)], "zero": [gamma(0)], "zero-then-srgb": [gamma(0), SRGB],
    "twice": [gamma(45455), gamma(60000)], "srgb-twice": [SRGB, SRGB], "intent": [(b"sRGB", b"\4")], "long": [(b"gAMA", b"\0" * 5), SRGB],
    "bits": [gamma(45455), (b"sBIT", b"\5\6\5")], "bits-alpha": [gamma(45455), (b"sBIT", b"\5\6\5\5")], "bits-wrong": [gamma(45455), (b"sBIT", b"\0\6\5")],
    "bits-most": [gamma(60000), (b"sBIT", b"\7\7\x08")],
}

if __name__ == "__main__":
    lines = []
    for name, chunks in CHUNKS.items():
        for colour, bits in [(2, 8), (3, 8), (6, 8), (2, 16), (6, 16)]:
            contents = png(colour, bits, chunks)
            for dtype in [tf.uint8, tf.uint16]:
                gray = tf.io.decode_png(contents, 1, dtype).numpy()
                hexed = gray.astype(f">u{dtype.size}").tobytes().hex()
                lines.append(f"{name}-{colour}-{bits} {contents.hex()} {8 * dtype.size} {hexed}")
    (HERE / "gray.txt").write_text("\n".join(lines) + "\n")
    print(len(lines), "cases")

# Palettes, of which libpng takes the first two: `pixels.rs` says so of ours.
for name, size in {"2-colours": 6, "256-colours": 768, "a-third-colour": 4, "257-colours": 771}.items():
    chunks = [
        (b"IHDR", struct.pack(">IIBBBBB", 2, 2, 8, 3, 0, 0, 0)), (b"PLTE", bytes(place % 256 for place in range(size))),
        (b"IDAT", zlib.compress(b"\0\0\1" * 2)), (b"IEND", b"")]
    (HERE / f"palette-of-{name}.png").write_bytes(b"\x89PNG\r\n\x1a\n" + b"".join(chunk(*pair) for pair in chunks))
