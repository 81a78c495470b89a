"""Decodes JPEGs, held in memory, by one library and in N threads, and counts.

    decoders.py LIBRARY whole|crop THREADS WARMUP_SECONDS SECONDS LIST

Runs in the library's own environment; needs nothing but NumPy. The list is that of
decode_compare.cpp. Prints one JSON object.
"""

import itertools
import json
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy import ndarray

DALI_BATCH = 32


@dataclass(frozen=True)
class JpegWithCrop:
    """One line of the list."""

    jpeg: ndarray
    x: int
    y: int
    width: int
    height: int


Decode = Callable[[JpegWithCrop], Any]


def read_list(path: Path) -> list[JpegWithCrop]:
    """Read the files of a list."""
    images = []
    for line in path.read_text().splitlines():
        *box, name = line.split(" ", 4)
        images.append(JpegWithCrop(np.fromfile(name, np.uint8), *map(int, box)))
    return images


def pillow() -> Decode:
    """Pillow."""
    import io

    from PIL import Image

    return lambda image: Image.open(io.BytesIO(image.jpeg)).convert("RGB").load()


def torchvision() -> Decode:
    """torchvision.io."""
    import torch
    from torchvision.io import ImageReadMode, decode_jpeg

    torch.set_num_threads(1)
    return lambda image: decode_jpeg(torch.from_numpy(image.jpeg), ImageReadMode.RGB)


def opencv() -> Decode:
    """OpenCV."""
    import cv2

    cv2.setNumThreads(0)
    flags = cv2.IMREAD_COLOR_RGB | cv2.IMREAD_IGNORE_ORIENTATION
    return lambda image: cv2.imdecode(image.jpeg, flags)


def spdl() -> Decode:
    """SPDL, which is FFmpeg."""
    import spdl.io

    def decode(image: JpegWithCrop) -> Any:
        packets = spdl.io.demux_image(image.jpeg.tobytes())
        frames = spdl.io.decode_packets(packets, filter_desc="format=pix_fmts=rgb24")
        return spdl.io.convert_frames(frames)

    return decode


def ffcv() -> Decode:
    """The function that all of FFCV's decoders call, which always decodes whole images."""
    from ffcv.libffcv import imdecode

    from beton import jpeg_size

    def decode(image: JpegWithCrop) -> Any:
        height, width = jpeg_size(image.jpeg)
        pixels = np.empty((height, width, 3), np.uint8)
        imdecode(image.jpeg, pixels, height, width, height, width)
        return pixels

    return decode


def dali_batches(images: list[JpegWithCrop], what: str, num_threads: int) -> Iterator[int]:
    """Decode with DALI, batch by batch; tell how many images each has."""
    from nvidia.dali import fn, pipeline_def, types

    endless = itertools.cycle(images)

    def feed() -> tuple[list[ndarray], list[ndarray], list[ndarray]]:
        batch = list(itertools.islice(endless, DALI_BATCH))
        starts = [np.array([image.y, image.x], np.int32) for image in batch]
        shapes = [np.array([image.height, image.width], np.int32) for image in batch]
        return [image.jpeg for image in batch], starts, shapes

    @pipeline_def(batch_size=DALI_BATCH, num_threads=num_threads, device_id=None)
    def pipeline() -> Any:
        jpegs, starts, shapes = fn.external_source(feed, num_outputs=3)
        if what == "crop":
            return fn.decoders.image_slice(
                jpegs, start=starts, shape=shapes, axes=[0, 1], output_type=types.RGB
            )
        return fn.decoders.image(jpegs, output_type=types.RGB)

    pipe = pipeline()
    pipe.build()
    while True:
        pipe.run()
        yield DALI_BATCH


def count_batches(batches: Iterator[int], warmup_s: float, seconds: float) -> float:
    """Images a second of a library with threads of its own."""
    start = time.perf_counter()
    while time.perf_counter() - start < warmup_s:
        next(batches)
    start = time.perf_counter()
    decoded, elapsed = 0, 0.0
    while elapsed < seconds:
        decoded += next(batches)
        elapsed = time.perf_counter() - start
    return decoded / elapsed


def count_in_threads(
    decode: Decode, images: list[JpegWithCrop], num_threads: int, times: tuple[float, float]
) -> float:
    """Images a second of a function called from several threads."""
    numbers = itertools.count()
    counts = [0] * num_threads
    stops = threading.Event()

    def work(thread: int) -> None:
        while not stops.is_set():
            decode(images[next(numbers) % len(images)])
            counts[thread] += 1

    threads = [threading.Thread(target=work, args=(i,)) for i in range(num_threads)]
    for thread in threads:
        thread.start()
    time.sleep(times[0])
    before, start = sum(counts), time.perf_counter()
    time.sleep(times[1])
    decoded, elapsed = sum(counts) - before, time.perf_counter() - start
    stops.set()
    for thread in threads:
        thread.join()
    return decoded / elapsed


LIBRARIES: dict[str, Callable[[], Decode]] = {
    "pillow": pillow,
    "torchvision": torchvision,
    "opencv": opencv,
    "spdl": spdl,
    "ffcv": ffcv,
}


def main() -> None:
    """Measure, print."""
    library, what, num_threads = sys.argv[1], sys.argv[2], int(sys.argv[3])
    times = float(sys.argv[4]), float(sys.argv[5])
    images = read_list(Path(sys.argv[6]))
    if library == "dali":
        rate = count_batches(dali_batches(images, what, num_threads), *times)
    else:
        decode = LIBRARIES[library]()
        decode(images[0])
        rate = count_in_threads(decode, images, num_threads, times)
    print(json.dumps({"images_per_s": rate, "failed": 0}))


if __name__ == "__main__":
    main()
