"""A cache in memory: later epochs read less, and the batches stay the same."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import penstock as ps


@pytest.fixture(scope="module")
def records(tmp_path_factory, jpegs):
    """The samples of `shards` as a TFRecord file."""
    path = tmp_path_factory.mktemp("records") / "train.tfrecord"
    with ps.TFRecordWriter(path) as writer:
        for number, jpeg in enumerate(jpegs):
            writer.write({"jpg": jpeg, "cls": number % 3})
    return path


@pytest.fixture(params=["folder", "tar", "tfrecord"])
def samples(request, image_folder, shards, records):
    """Images and labels of each kind of source, shrunken enough for a coarse decode."""
    sources = {
        "folder": lambda: (ps.folder(image_folder), "image", "label"),
        "tar": lambda: (ps.tar(shards / "*.tar"), "jpg", "cls"),
        "tfrecord": lambda: (ps.tfrecord(records), "jpg", "cls"),
    }
    source, image, label = sources[request.param]()
    resized = source.shuffle(seed=4).image(image, ps.Resize((20, 24)), ps.RandomFlip())
    return resized.label(label).batch(8, last="keep")


def epochs(loader, count=3):
    """The bytes of every batch, and what the loader counted, epoch by epoch."""
    for _ in range(count):
        arrays = [np.asarray(array).tobytes() for batch in loader for array in batch.values()]
        yield arrays, loader.stats()


@pytest.mark.parametrize("size", [None, "60KB", 0])
def test_bytes_change_no_batch(samples, size):
    plain = epochs(samples.numpy())
    cached = epochs(samples.cache("memory", size=size).numpy())
    for (expected, _), (arrays, _) in zip(plain, cached, strict=True):
        assert arrays == expected


@pytest.mark.parametrize("what", ["bytes", "pixels"])
def test_later_epochs_read_nothing(samples, what):
    loader = samples.cache("memory", what=what).numpy(entry_points="off")
    first, *later = (stats for _, stats in epochs(loader))
    assert first.read_bytes > 0
    assert first.memory_cache["hit_bytes"] == 0
    assert first.memory_cache["stored_bytes"] == first.memory_cache["missed_bytes"]
    for stats in later:
        assert stats.read_bytes == 0
        assert stats.memory_cache["hit_bytes"] == first.memory_cache["stored_bytes"]
        assert stats.memory_cache["missed_bytes"] == 0
        assert not stats.memory_cache["is_full"]


def test_pixels_are_the_same_with_any_size(samples):
    runs = [epochs(samples.cache("memory", size, what="pixels").numpy()) for size in (None, "1MB")]
    for (whole, _), (half, stats) in zip(*runs, strict=True):
        assert half == whole
        assert stats.memory["cache"] <= 1_000_000


def test_where_half_fits_half_is_found(samples):
    total = next(epochs(samples.cache("memory").numpy()))[1].memory["cache"]
    first, *later = (
        stats.memory_cache for _, stats in epochs(samples.cache("memory", size=total // 2).numpy())
    )
    assert first["is_full"]
    for cache in later:
        share = cache["hit_bytes"] / (cache["hit_bytes"] + cache["missed_bytes"])
        assert 0.4 < share < 0.6


def test_a_loop_that_is_left_fills_it_too(samples):
    loader = samples.cache("memory").numpy(prefetch=0)
    next(iter(loader))
    kept = loader.stats().memory_cache["stored_bytes"]
    assert kept > 0
    for _ in loader:
        pass
    assert loader.stats().memory_cache["hit_bytes"] > 0


def turned(pixels, orientation):
    """A JPEG that its EXIF data turns upright."""
    image, exif = Image.fromarray(pixels), Image.Exif()
    exif[0x0112] = orientation
    out = io.BytesIO()
    image.save(out, "JPEG", exif=exif)
    return out.getvalue()


@pytest.mark.parametrize("channels", [1, 3])
def test_turned_and_gray_images_are_kept_as_they_are_shown(tmp_path, channels):
    rng = np.random.default_rng(1)
    (tmp_path / "all").mkdir()
    for orientation in range(1, 9):
        content = turned(rng.integers(0, 256, (37, 53, 3), np.uint8), orientation)
        (tmp_path / "all" / f"{orientation}.jpg").write_bytes(content)
    crops = ps.folder(tmp_path).image("image", ps.RandomCrop((30, 30)), channels=channels).batch(8)
    for (plain, _), (kept, _) in zip(
        epochs(crops.numpy()), epochs(crops.cache("memory", what="pixels").numpy()), strict=True
    ):
        assert kept == plain


@pytest.mark.parametrize("what", ["bytes", "pixels"])
def test_memory_is_the_ceiling_of_it_too(samples, what):
    loader = samples.cache("memory", what=what).numpy(memory="16MB", threads=2)
    for _, stats in epochs(loader):
        held = sum(size for name, size in stats.memory.items() if name != "ceiling")
        assert 0 < stats.memory["cache"] < 8_000_000
        assert held <= 16_000_000


def test_states_tell_pixels_and_not_bytes(samples):
    plain, cached = samples.numpy(), samples.cache("memory").numpy()
    next(iter(cached))
    plain.restore(cached.state())
    pixels = samples.cache("memory", what="pixels").numpy()
    with pytest.raises(ValueError, match="memory_cache is pixels, was not there"):
        pixels.restore(cached.state())


def test_the_table_has_a_row_of_it(samples):
    loader = samples.cache("memory", size="60KB").numpy()
    assert loader.stats().memory_cache is None
    *_, (_, stats) = epochs(loader, 2)
    assert "memory cache" in stats.table()
    assert "of what was needed), 0.1 MB kept, full" in stats.table()
    assert "cache 0.1)" in stats.table()
    assert all(len(line) <= 80 for line in stats.table().splitlines())
    *_, (_, stats) = epochs(samples.numpy(), 1)
    assert "memory cache" not in stats.table()


def test_arrays_are_in_memory_already():
    loader = ps.arrays(x=np.arange(4)).array("x").cache("memory").batch(2).numpy()
    assert [batch["x"].tolist() for batch in loader] == [[0, 1], [2, 3]]
    assert loader.stats().memory_cache is None


def test_wrong_arguments_are_refused(image_folder):
    source = ps.folder(image_folder)
    with pytest.raises(ValueError, match='cache: a folder needs a size, like size="200GiB"'):
        source.cache("/scratch")
    with pytest.raises(ValueError, match="cache: what is pixels, expected bytes in a folder"):
        source.cache("/scratch", "1GB", what="pixels")
    with pytest.raises(ValueError, match="memory_cache: what is files, expected bytes or pixels"):
        source.label("label").cache("memory", what="files").numpy()
    with pytest.raises(ValueError, match="memory_cache: size: 'much' is not a size"):
        source.label("label").cache("memory", size="much").numpy()


def test_a_path_is_a_folder():
    spec = ps.tar("a.tar").cache(Path("memory"), "1GB").cache("memory").spec
    assert '"disk_cache"' in spec
    assert '"memory_cache"' in spec
