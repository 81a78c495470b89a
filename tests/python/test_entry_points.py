"""Entry points change how long decoding takes, and nothing else."""

from __future__ import annotations

import numpy as np
import pytest

import penstock as ps


def pipeline(folder):
    image = ps.folder(folder).shuffle(seed=3).image("image", ps.RandomResizedCrop(32))
    return image.batch(20)


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
