"""Entry points change how long decoding takes, and nothing else."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image

import penstock as ps


def pipeline(folder, batch=20):
    image = ps.folder(folder).shuffle(seed=3).image("image", ps.RandomResizedCrop(32))
    return image.batch(batch)


@pytest.mark.parametrize("use", ["use", "off"])
def test_the_pixels_are_the_same(image_folder, use):
    learning = pipeline(image_folder).numpy()
    other = pipeline(image_folder).numpy(entry_points=use)
    for _ in range(2):
        for a, b in zip(learning, other, strict=True):
            np.testing.assert_array_equal(a["image"], b["image"])


def test_another_word_is_refused(image_folder):
    with pytest.raises(ValueError, match="entry_points is never, expected learn, use or off"):
        next(iter(pipeline(image_folder).numpy(entry_points="never")))


def test_states_do_not_tell(image_folder):
    learning = pipeline(image_folder).numpy()
    other = pipeline(image_folder).numpy(entry_points="off")
    next(iter(learning))
    other.restore(learning.state())
    assert other.state() == learning.state()


def test_stats_count_them(image_folder):
    loader = pipeline(image_folder).numpy()
    assert loader.stats().entry_points == {}
    assert "entry points     none" in loader.stats().table()
    for _ in loader:
        pass
    points = loader.stats().entry_points
    assert set(points) == {"found", "learnt", "extended", "stored_bytes", "problem"}
    assert points["problem"] == ""
    assert "entry points" in loader.stats().table()


def test_without_them_all_counts_are_zero(image_folder):
    loader = pipeline(image_folder).numpy(entry_points="off")
    for _ in loader:
        pass
    points = loader.stats().entry_points
    assert points == {"found": 0, "learnt": 0, "extended": 0, "stored_bytes": 0, "problem": ""}


@pytest.fixture
def photographs(tmp_path):
    """Twelve JPEGs that are large enough to have entry points."""
    rng = np.random.default_rng(5)
    folder = tmp_path / "photographs"
    (folder / "all").mkdir(parents=True)
    for i in range(12):
        coarse = rng.integers(0, 256, (24, 32, 3), dtype=np.uint8)
        image = Image.fromarray(coarse).resize((320, 240), Image.Resampling.BICUBIC)
        image.save(folder / "all" / f"{i:02}.jpg", quality=95, subsampling=i % 3)
    return folder


def crops(folder, entry_points):
    """Two epochs of pixels, and what the loader counted in each."""
    loader = pipeline(folder, batch=6).numpy(entry_points=entry_points)
    pixels, counts = [], []
    for _ in range(2):
        pixels += [batch["image"].copy() for batch in loader]
        counts.append(loader.stats().entry_points)
    return pixels, counts


def test_the_second_epoch_begins_at_entry_points(photographs):
    expected, _ = crops(photographs, "off")
    learning, (first, second) = crops(photographs, "learn")
    using, _ = crops(photographs, "use")
    np.testing.assert_array_equal(learning, expected)
    np.testing.assert_array_equal(using, expected)
    assert first["learnt"] == 12
    assert second["found"] >= 12
    data = sum(path.stat().st_size for path in photographs.glob("*/*.jpg"))
    assert 0 < second["stored_bytes"] < 0.03 * data  # a record that grew is stored again


def test_entry_points_of_another_image_are_not_used(photographs):
    # Bytes behind the end of an image are no flaw.
    paths = sorted(photographs.glob("*/*.jpg"))
    size = max(path.stat().st_size for path in paths)
    for path in paths:
        path.write_bytes(path.read_bytes().ljust(size, b"\0"))
    crops(photographs, "learn")
    # The same name, place and size, other pixels.
    first, second = (path.read_bytes() for path in paths[:2])
    paths[0].write_bytes(second)
    paths[1].write_bytes(first)
    expected, _ = crops(photographs, "off")
    np.testing.assert_array_equal(crops(photographs, "learn")[0], expected)
