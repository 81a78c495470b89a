"""One take: the training transform on images of a url, as JSON on the last line.

train.py KIND URL SAMPLES [--epochs N]   with KIND tar or folder
"""

import argparse
import json
import resource
import time

import penstock as ps


def cpu_seconds() -> float:
    """Of this process, all threads."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def main() -> None:
    """Warm up with the first batches, then measure the others."""
    parser = argparse.ArgumentParser()
    parser.add_argument("kind", choices=["tar", "folder"])
    parser.add_argument("url")
    parser.add_argument("--warmup", type=int, default=10, help="batches")
    parser.add_argument("--batches", type=int, default=100)
    options = parser.parse_args()
    source, image = (
        (ps.tar(options.url), "jpg") if options.kind == "tar" else (ps.folder(options.url), "image")
    )
    loader = (
        source.shuffle(seed=1)
        .image(image, ps.RandomResizedCrop(224), ps.RandomFlip(), ps.Normalize())
        .epochs(None)
        .batch(64)
        .numpy(entry_points="off")
    )
    num_images = 0
    began = cpu_before = 0.0
    for number, batch in enumerate(loader):
        if number == options.warmup:
            began, cpu_before, num_images = time.perf_counter(), cpu_seconds(), 0
        num_images += len(batch.ids)
        if number == options.warmup + options.batches:
            break
    elapsed = time.perf_counter() - began
    print(
        json.dumps(
            {
                "images_per_s": num_images / elapsed,
                "cpu_us_per_image": (cpu_seconds() - cpu_before) / num_images * 1e6,
            }
        )
    )


if __name__ == "__main__":
    main()
