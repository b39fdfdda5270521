"""Question: how fast does bare libjpeg-turbo decode whole photos on all cores? The ceiling of every pipeline that decodes whole images with it.

Run:   python imagenet_ceiling.py [--repeat 5] FOLDER
With:  simplejpeg (1.9 was used), which has libjpeg-turbo inside and releases the interpreter's lock while it decodes.

Photos are in memory, a thread for each core decodes each of them to RGB with the accurate transform and smooth upsampling, the
settings feedline's pixels are equal to. What is counted in the end are the pixels. The first pass is untimed.
"""

import argparse
import os
import pathlib
from concurrent.futures import ThreadPoolExecutor

import simplejpeg

from peer_report import Report


def decode(photo):
    pixels = simplejpeg.decode_jpeg(photo, "RGB", fastdct=False, fastupsample=False)
    return pixels.shape[0] * pixels.shape[1]


def num_pixels(photo):
    height, width, _, _ = simplejpeg.decode_jpeg_header(photo)
    return height * width


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--repeat", type=int, default=5)
    arguments = parser.parse_args()
    photos = [path.read_bytes() for path in sorted(arguments.folder.glob("*.jpg"))]
    cores = len(os.sched_getaffinity(0))
    expected = {"pixels": sum(map(num_pixels, photos))}
    report = Report("whole images decoded", expected, len(photos), sum(map(len, photos)), arguments.repeat, "libjpeg-turbo", "simplejpeg")
    with ThreadPoolExecutor(cores) as threads:
        report.measure(f"simplejpeg, {cores} threads", lambda: {"pixels": sum(threads.map(decode, photos))})


if __name__ == "__main__":
    main()
