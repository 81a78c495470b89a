"""One take: the training transform on images of a url, as JSON on the last line."""

import argparse
import json
import os
import resource
import time
from pathlib import Path

import penstock as ps


def own_cpu_seconds() -> float:
    """Of this process, all threads."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def cpu_seconds(process: int) -> float:
    """Of another process."""
    words = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")


def make_loader(options: argparse.Namespace) -> ps.Loader:
    """Shuffled crops, without end."""
    source, image = (
        (ps.tar(options.url), "jpg") if options.kind == "tar" else (ps.folder(options.url), "image")
    )
    if options.cache:
        source = source.cache(options.cache, "10GiB")
    return (
        source.shuffle(seed=1)
        .image(image, ps.RandomResizedCrop(224), ps.RandomFlip(), ps.Normalize())
        .epochs(None)
        .batch(64)
        .numpy(entry_points="off")
    )


def main() -> None:
    """Warm up with the first batches, then measure the others."""
    parser = argparse.ArgumentParser()
    parser.add_argument("kind", choices=["tar", "folder"])
    parser.add_argument("url")
    parser.add_argument("--servers", type=int, nargs="*", default=[], help="their processes")
    parser.add_argument("--cache", default="", help="a folder to keep bytes in")
    parser.add_argument("--warmup", type=int, default=40, help="batches")
    parser.add_argument("--batches", type=int, default=200)
    options = parser.parse_args()

    def now() -> tuple[float, float, float]:
        return time.perf_counter(), own_cpu_seconds(), sum(map(cpu_seconds, options.servers))

    num_images = 0
    before = now()
    for number, batch in enumerate(make_loader(options)):
        if number == options.warmup:
            before, num_images = now(), 0
        num_images += len(batch.ids)
        if number == options.warmup + options.batches:
            break
    elapsed, own, servers = (b - a for a, b in zip(before, now(), strict=True))
    share_left = 1 - servers / elapsed / len(os.sched_getaffinity(0))
    print(
        json.dumps(
            {
                "images_per_s": num_images / elapsed,
                "images_per_s_left": num_images / elapsed / share_left,
                "cpu_us_per_image": own / num_images * 1e6,
            }
        )
    )


if __name__ == "__main__":
    main()
