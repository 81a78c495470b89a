"""One take of one loader: every sample's bytes of tar shards in a bucket, undecoded, as JSON.

    take.py LOADER BATCHES URL...

LOADER is the name of a file here, whose `batches(urls)` yields lists of byte counts without end.
"""

from __future__ import annotations

import importlib
import json
import sys
import time

WARMUP_BATCHES = 10


def main() -> None:
    """Warm up, then measure."""
    loader, num_batches, *urls = sys.argv[1:]
    total_bytes = 0
    began = 0.0
    for number, sizes in enumerate(importlib.import_module(loader).batches(urls)):
        if number == WARMUP_BATCHES:
            began, total_bytes = time.perf_counter(), 0
        total_bytes += sum(sizes)
        if number == WARMUP_BATCHES + int(num_batches):
            break
    elapsed = time.perf_counter() - began
    print(json.dumps({"mb_per_s": total_bytes / elapsed / 1e6}), flush=True)


if __name__ == "__main__":
    main()
