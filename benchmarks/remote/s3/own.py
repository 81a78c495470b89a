"""penstock."""

from collections.abc import Iterator

import penstock as ps


def batches(urls: list[str]) -> Iterator[list[int]]:
    """Bytes of the samples, in the order of the shards."""
    for batch in ps.tar(urls).bytes("jpg").epochs(None).batch(64).numpy():
        yield [len(image) for image in batch["jpg"]]
