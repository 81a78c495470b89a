"""penstock's entry points: made ahead of time, or missing as in a first epoch.

They lie in `.penstock` beside the data, and belong to the names of files. Links under new names, in
a folder of their own, are therefore data that penstock has not seen.
"""

import json
import math
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from environments import Unavailable, own_command, run


def make_entry_points(data: Path, source: str) -> None:
    """Make the index of one layout of the data, and the entry points of its JPEGs."""
    what = data / source if source == "folder" else data / source / f"*.{source}"
    printed = run([str(own_command()), "index", str(what), "--entry-points", "--json"])
    if json.loads(printed)["entry_points"]["images"] == 0:
        raise Unavailable(f"penstock index --entry-points made none for {what}")


def files_of(layout: Path) -> list[Path]:
    """List the images or the shards of one layout, in order."""
    if layout.name == "folder":
        return sorted(layout.glob("[!.]*/*"))
    return sorted(layout.glob(f"*.{layout.name}"))


@contextmanager
def links_for_one_epoch(data: Path, source: str, num_samples: int) -> Iterator[Path]:
    """Make data that has an epoch of at least so many samples and no entry points.

    The links lie beside the data, since they cannot lead to another file system, and are removed
    again with what was learnt.
    """
    files = files_of(data / source)
    times = math.ceil(num_samples / len(files_of(data / "folder")))
    with tempfile.TemporaryDirectory(dir=data.parent, prefix=f"{data.name}-first-") as name:
        for path in files:
            target = Path(name) / path.relative_to(data)
            target.parent.mkdir(parents=True, exist_ok=True)
            for number in range(times):
                target.with_stem(f"{path.stem}-{number:04d}").hardlink_to(path)
        yield Path(name)
