"""The loader delivers the right samples, in an order that nothing but the seed decides."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import time
from itertools import chain
from pathlib import Path

import numpy as np
import pytest

import penstock as ps

CROP = (
    ps.RandomResizedCrop(32),
    ps.RandomFlip(),
    ps.ColorJitter(0.2, 0.2, 0.2, 0.1),
    ps.Normalize(),
)


def collect(loader: ps.Loader, image: str, label: str) -> tuple[list[int], bytes, list[int]]:
    ids, pixels, labels = [], b"", []
    for batch in loader:
        ids += batch.ids.tolist()
        pixels += batch[image].tobytes()
        labels += batch[label].tolist()
    return ids, pixels, labels


def folder_pipeline(path: Path) -> ps.Pipeline:
    return (
        ps.folder(path)
        .shuffle("global", seed=5)
        .image("image", *CROP)
        .label("label")
        .epochs(2)
        .batch(16, last="keep")
    )


def tar_pipeline(path: Path) -> ps.Pipeline:
    return (
        ps.tar(f"{path}/train-{{000..003}}.tar")
        .shuffle("global", seed=5)
        .image("jpg", *CROP)
        .label("cls")
        .epochs(2)
        .batch(16, last="keep")
    )


def test_the_number_of_threads_changes_nothing(image_folder, shards):
    for pipeline, image, label in (
        (folder_pipeline(image_folder), "image", "label"),
        (tar_pipeline(shards), "jpg", "cls"),
    ):
        one = collect(pipeline.numpy(threads=1), image, label)
        for threads in (2, 3, 8):
            assert collect(pipeline.numpy(threads=threads), image, label) == one


def test_folder_and_tar_of_the_same_samples_give_the_same_batches(image_folder, shards):
    folder = collect(folder_pipeline(image_folder).numpy(), "image", "label")
    assert collect(tar_pipeline(shards).numpy(), "jpg", "cls") == folder


def test_every_sample_comes_once_an_epoch(image_folder):
    ids, _, labels = collect(folder_pipeline(image_folder).numpy(), "image", "label")
    assert sorted(ids[:60]) == sorted(ids[60:]) == list(range(60))
    assert ids[:60] != ids[60:]
    assert all(label == number // 20 for label, number in zip(labels, ids, strict=True))


def test_each_loop_is_a_new_epoch(image_folder):
    pipeline = ps.folder(image_folder).shuffle(seed=1).label("label").batch(60)
    loader = pipeline.numpy()
    first, second = ([b.ids.tolist() for b in loader], [b.ids.tolist() for b in loader])
    both = [b.ids.tolist() for b in pipeline.epochs(2).numpy()]
    assert first + second == both


def test_ranks_share_the_global_batch(image_folder):
    def ids(rank: int, world: int, batch: int) -> list[list[int]]:
        pipeline = ps.folder(image_folder).shuffle(seed=3).label("label").batch(batch)
        return [b.ids.tolist() for b in pipeline.shard(rank, world).numpy()]

    whole = ids(0, 1, 12)
    for world in (2, 3, 4):
        parts = [ids(rank, world, 12 // world) for rank in range(world)]
        for number, batch in enumerate(whole):
            assert sorted(batch) == sorted(chain.from_iterable(part[number] for part in parts))


def test_rank_comes_from_the_launcher(image_folder, monkeypatch):
    monkeypatch.setenv("RANK", "1")
    monkeypatch.setenv("WORLD_SIZE", "2")
    pipeline = ps.folder(image_folder).label("label").batch(10)
    assert next(iter(pipeline.numpy())).ids.tolist() == list(range(1, 20, 2))


def test_classes_and_names_can_be_asked_for(image_folder):
    loader = ps.folder(image_folder).label("label").batch(4).numpy()
    assert loader.classes == ["ant", "bee", "cat"]
    assert loader.num_samples == 60
    assert loader.sample_name(0).endswith("ant/0000.jpg")
    assert len(loader) == 15


def test_images_come_in_the_type_and_layout_asked_for(image_folder):
    for dtype, layout, kind, shape in (
        ("u8", "HWC", np.uint8, (4, 24, 32, 3)),
        ("f16", "CHW", np.float16, (4, 3, 24, 32)),
        ("f32", "HWC", np.float32, (4, 24, 32, 3)),
    ):
        pipeline = ps.folder(image_folder).image(
            "image", ps.Resize((24, 32)), dtype=dtype, layout=layout
        )
        batch = next(iter(pipeline.batch(4).numpy()))
        assert batch["image"].dtype == kind and batch["image"].shape == shape


def test_gray_images_have_one_channel(image_folder):
    pipeline = ps.folder(image_folder).image("image", ps.Resize((24, 32)), channels=1).batch(4)
    assert next(iter(pipeline.numpy()))["image"].shape == (4, 1, 24, 32)


def test_batches_stay_valid_after_the_loader_is_gone(image_folder):
    loader = ps.folder(image_folder).image("image", ps.Resize((8, 8))).batch(20).numpy()
    kept = list(loader)
    copies = [batch["image"].copy() for batch in kept]
    loader.close()
    del loader
    for batch, copy in zip(kept, copies, strict=True):
        np.testing.assert_array_equal(batch["image"], copy)


def test_a_consumer_that_keeps_too_much_is_told_how_many_batches_it_holds():
    pipeline = ps.synthetic(samples=1000, shape=(64, 64, 3)).image("image").batch(10)
    with pytest.raises(MemoryError, match="25 batches of 122880 bytes are still held"):
        list(pipeline.numpy(threads=2, memory="20MiB", prefetch=1))


def test_a_loop_can_be_left_and_begun_again(image_folder):
    loader = folder_pipeline(image_folder).numpy(threads=3)
    for _ in range(20):
        for _batch in loader:
            break
    with loader:
        next(iter(loader))


def test_arrays_are_delivered_unchanged():
    rng = np.random.default_rng(0)
    columns = {
        "a": rng.integers(0, 9, (50, 3)).astype(np.int32),
        "b": rng.random((50, 2, 2)),
        "c": rng.random(50).astype(np.float16),
    }
    pipeline = ps.arrays(**columns).shuffle(seed=2).array("a").array("b").array("c").batch(25)
    for batch in pipeline.numpy():
        for name, column in columns.items():
            np.testing.assert_array_equal(batch[name], column[batch.ids.astype(int)])


def test_stats_count_and_print():
    loader = ps.synthetic(samples=640).image("image").batch(64).numpy(threads=2)
    list(iter(loader))
    stats = loader.stats()
    assert (stats.samples, stats.batches, stats.threads) == (640, 10, 2)
    assert "640" in stats.table()
    assert all(len(line) <= 80 for line in stats.table().splitlines())


def test_ctrl_c_stops_at_once(tmp_path):
    script = tmp_path / "endless.py"
    script.write_text(
        textwrap.dedent(
            """
            import signal
            import penstock as ps
            # A shell that runs this in the background has told it to ignore the signal.
            signal.signal(signal.SIGINT, signal.default_int_handler)
            source = ps.synthetic().image("image", ps.RandomResizedCrop(224))
            pipeline = source.epochs(None).batch(64)
            for number, batch in enumerate(pipeline.numpy()):
                if number == 2:
                    print("running", flush=True)
            """
        )
    )
    package = Path(ps.__file__).parent.parent
    process = subprocess.Popen(
        [sys.executable, script],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(package)},
    )
    try:
        assert process.stdout.readline() == "running\n"
        process.send_signal(signal.SIGINT)
        began = time.monotonic()
        _, errors = process.communicate(timeout=20)
    finally:
        process.kill()
    assert time.monotonic() - began < 2
    assert "KeyboardInterrupt" in errors and process.returncode != 0
