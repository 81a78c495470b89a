"""How close penstock's pixels are to torchvision's (antialias=True), image by image, in decibels.

    python torchvision_psnr.py [FOLDER]

Compares 8-bit pixels of the evaluation transform (shorter side 256, centre 224) and of
RandomResizedCrop(224): the window is drawn here as penstock draws it, from the same keyed numbers.
Fails if an image is below 40 dB. Runs in the comparison's torch environment, where it starts
itself again, with penstock from this tree.
"""

import argparse
import importlib.util
import math
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

REPOSITORY = Path(__file__).resolve().parents[2]
SEED = 1
SIDE = 224
LEAST_DB = 40.0
EXACT_DB = 99.0  # stands for equal pixels, whose ratio is infinite

Window = tuple[int, int, int, int]  # top, left, height, width


class Rng:
    """Philox4x32-10 keyed as in src/penstock/base/rng.h."""

    def __init__(self, seed: int, sample: int, op: int) -> None:
        """Start the numbers of one op for one sample of epoch 0."""
        self.key = (seed & 0xFFFFFFFF, seed >> 32)
        self.counter = [sample & 0xFFFFFFFF, sample >> 32, 0, op << 16]
        self.block: list[int] = []

    def next_u32(self) -> int:
        """The next 32 bits."""
        if not self.block:
            self.block = list(reversed(philox(self.counter, self.key)))
            self.counter[3] += 1
        return self.block.pop()

    def uniform(self, low: float, high: float) -> float:
        """A number in [low, high)."""
        return low + (high - low) * (self.next_u32() * 2.0**-32)

    def below(self, bound: int) -> int:
        """A whole number in [0, bound)."""
        return (self.next_u32() * bound) >> 32


def philox(counter: list[int], key: tuple[int, int]) -> tuple[int, ...]:
    """One block of Philox4x32-10."""
    c0, c1, c2, c3 = counter
    k0, k1 = key
    for _ in range(10):
        a, b = 0xD2511F53 * c0, 0xCD9E8D57 * c2
        c0, c1, c2, c3 = (
            (b >> 32) ^ c1 ^ k0,
            b & 0xFFFFFFFF,
            (a >> 32) ^ c3 ^ k1,
            a & 0xFFFFFFFF,
        )
        k0, k1 = (k0 + 0x9E3779B9) & 0xFFFFFFFF, (k1 + 0xBB67AE85) & 0xFFFFFFFF
    return c0, c1, c2, c3


def drawn_window(height: int, width: int, sample: int) -> Window:
    """The window that random_resized_crop, as the first op, draws for a sample."""
    rng = Rng(SEED, sample, op=0)
    for _ in range(10):
        area = height * width * rng.uniform(0.08, 1.0)
        aspect = math.exp(rng.uniform(math.log(0.75), math.log(1.3333333333333333)))
        w, h = round(math.sqrt(area * aspect)), round(math.sqrt(area / aspect))
        if 1 <= w <= width and 1 <= h <= height:
            top = rng.below(height - h + 1)
            return top, rng.below(width - w + 1), h, w
    h = min(height, round(width / 0.75))
    w = min(width, round(height * 1.3333333333333333))
    return (height - h) // 2, (width - w) // 2, h, w


@dataclass
class Result:
    """What became of one image."""

    name: str
    db: float


def psnr(ours: Any, theirs: Any) -> float:
    """Peak signal-to-noise ratio of 8-bit pixels."""
    error = float(((ours.astype("float64") - theirs.astype("float64")) ** 2).mean())
    return min(EXACT_DB, 10 * math.log10(255**2 / error)) if error > 0 else EXACT_DB


def compare(folder: Path, ops: list[Any], reference: Callable[[Any, int], Any]) -> Iterator[Result]:
    """Run penstock over a folder and compare each image with the reference."""
    from torchvision.io import ImageReadMode, decode_image

    import penstock as ps

    loader = (
        ps.folder(folder, labels="none", index_cache=False)
        .seed(SEED)
        .image("image", *ops, dtype="u8", layout="CHW", orientation=False)
        .batch(1)
        .numpy()
    )
    for batch in loader:
        sample = int(batch.ids[0])
        name = loader.sample_name(sample)
        decoded = decode_image(str(folder / name), ImageReadMode.RGB)
        yield Result(name, psnr(batch["image"][0], reference(decoded, sample).numpy()))


def eval_reference(image: Any, _sample: int) -> Any:
    """The evaluation transform by torchvision."""
    from torchvision.transforms.v2 import functional as tv

    return tv.center_crop(tv.resize(image, [256], antialias=True), [SIDE, SIDE])


def crop_reference(image: Any, sample: int) -> Any:
    """The training crop by torchvision, of the window that penstock draws."""
    from torchvision.transforms.v2 import functional as tv

    window = drawn_window(image.shape[1], image.shape[2], sample)
    return tv.resized_crop(image, *window, size=[SIDE, SIDE], antialias=True)


def report(title: str, results: list[Result]) -> bool:
    """Print one line, and the worst images if they are too far off; tell if all are close."""
    ranked = sorted(results, key=lambda result: result.db)
    figures = f"min {ranked[0].db:.1f} dB, median {median(r.db for r in ranked):.1f} dB"
    print(f"{title:<28} {len(ranked)} images: {figures}")
    far = [result for result in ranked if result.db < LEAST_DB]
    for result in far[:5]:
        print(f"  {result.db:.1f} dB  {result.name}")
    if far:
        print(f"  {len(far)} of {len(ranked)} are below {LEAST_DB:.0f} dB")
    return not far


def run_in_torch_environment() -> int:
    """Start this script again where torchvision is installed."""
    sys.path.insert(0, str(REPOSITORY / "benchmarks" / "end_to_end"))
    from environments import make_environment

    python = make_environment("torch", REPOSITORY / ".compare" / "environments")
    variables = os.environ | {"PYTHONPATH": str(REPOSITORY / "python")}
    return subprocess.run([str(python), *sys.argv], env=variables, check=False).returncode


def main() -> int:
    """Compare both transforms."""
    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False)
    parser.add_argument("folder", type=Path, nargs="?", default=REPOSITORY / ".demo" / "images")
    folder = parser.parse_args().folder
    if importlib.util.find_spec("torchvision") is None:
        return run_in_torch_environment()
    import penstock as ps

    evaluation = [ps.Resize(256), ps.CenterCrop(SIDE)]
    crop = [ps.RandomResizedCrop(SIDE)]
    is_close = [
        report("resize 256, centre crop 224", list(compare(folder, evaluation, eval_reference))),
        report("random resized crop 224", list(compare(folder, crop, crop_reference))),
    ]
    return 0 if all(is_close) else 1


if __name__ == "__main__":
    sys.exit(main())
