"""Sources that are put together."""

from __future__ import annotations

import numpy as np
import pytest
from conftest import write_tar

import penstock as ps


def numbers(pipeline: ps.Pipeline, field: str = "x", count: int = 1) -> list[int]:
    loader = pipeline.array(field).batch(count, last="keep").numpy()
    return [int(value) for batch in loader for value in batch[field]]


def labels(pipeline: ps.Pipeline, field: str = "cls") -> list[int]:
    return [int(batch[field][0]) for batch in pipeline.label(field).batch(1).numpy()]


def test_arrays_of_several_tables_follow_each_other():
    parts = [ps.arrays(x=np.arange(start, start + 3)) for start in (0, 10, 20)]
    nested = ps.concat(parts[0], ps.concat(parts[1], parts[2]))
    assert numbers(nested) == [0, 1, 2, 10, 11, 12, 20, 21, 22]


def test_zipped_arrays_keep_their_rows_together():
    both = ps.zip(ps.arrays(x=np.arange(5)), ps.arrays(y=np.arange(5) * 10))
    loader = both.shuffle(seed=3).array("x").array("y").batch(5).numpy()
    batch = next(iter(loader))
    assert (batch["x"] * 10 == batch["y"]).all()
    assert sorted(batch["x"].tolist()) == [0, 1, 2, 3, 4]


def test_shards_and_a_table_are_read_side_by_side(tmp_path):
    shard = write_tar(tmp_path / "a.tar", [(f"{i}.cls", b"%d" % i) for i in range(4)])
    both = ps.zip(ps.tar(shard), ps.arrays(x=np.arange(4) + 100))
    batch = next(iter(both.label("cls").array("x").batch(4).numpy()))
    assert batch["cls"].tolist() == [0, 1, 2, 3]
    assert batch["x"].tolist() == [100, 101, 102, 103]


def test_shards_of_two_storages_are_read_in_one_batch(tmp_path):
    first = write_tar(tmp_path / "a.tar", [(f"{i}.cls", b"%d" % i) for i in range(4)])
    second = write_tar(tmp_path / "b.tar", [(f"{i}.cls", b"%d" % (i + 4)) for i in range(4)])
    both = ps.concat(ps.tar(first), ps.tar(second)).shuffle("global", seed=1)
    batch = next(iter(both.label("cls").batch(8).numpy()))
    assert sorted(batch["cls"].tolist()) == list(range(8))


def test_keys_choose_samples(tmp_path):
    shard = write_tar(tmp_path / "a.tar", [(f"{i}.cls", b"%d" % i) for i in range(12)])
    assert labels(ps.tar(shard).filter(key="1?;3")) == [3, 10, 11]


def test_sizes_choose_samples(tmp_path):
    shard = write_tar(tmp_path / "a.tar", [(f"{i}.cls", b"%d" % 10**i) for i in range(6)])
    assert labels(ps.tar(shard).filter(min_bytes=3, max_bytes="4")) == [100, 1000]


def test_classes_choose_images(image_folder):
    chosen = ps.folder(image_folder).filter(classes=["bee"])
    assert labels(chosen, "label") == [1] * 20


def test_filters_can_be_stacked_and_combined():
    odd = ps.arrays(x=np.arange(6), label=np.arange(6) % 2).filter(labels=[1])
    low = (
        ps.arrays(x=np.arange(10, 16), label=np.arange(6)).filter(labels=[0, 1]).filter(labels=[1])
    )
    assert numbers(ps.concat(odd, low)) == [1, 3, 5, 11]


def test_a_pipeline_can_be_a_key_and_is_equal_to_itself_only():
    first, second = ps.arrays(x=np.arange(3)), ps.arrays(x=np.arange(3))
    assert first == first
    assert len({first: 1, second: 2}) == 2


def test_mix_names_its_weights():
    first, second = ps.arrays(x=np.arange(3)), ps.arrays(x=np.arange(3))
    assert '"weights": "0.7,0.3"' in ps.mix({first: 0.7, second: 0.3}).spec


@pytest.mark.parametrize(
    ("combine", "error", "message"),
    [
        (lambda a: ps.concat(a.batch(2)), ValueError, "concat: source 0 already has batch"),
        (lambda a: ps.zip(a, a.shuffle()), ValueError, "zip: source 1 already has shuffle"),
        (lambda a: ps.concat(a, 3), TypeError, "concat: source 1 is 3, expected a pipeline"),
        (lambda _: ps.concat(), ValueError, "concat: no sources"),
        (lambda a: a.filter(classes=["a,b"]), ValueError, "has a comma in its name"),
        (lambda a: numbers(ps.zip(a, a)), ValueError, "field x is in source 0 (arrays)"),
        (lambda a: numbers(a.filter(labels=[1])), ValueError, "label_field is label, expected"),
        (lambda a: numbers(ps.concat(ps.mix((a, 1.0)))), ValueError, "mix must be outermost"),
        (lambda a: numbers(ps.mix((a, 0.0))), ValueError, "a weight is 0, expected"),
    ],
)
def test_message_names_what_cannot_be_combined(combine, error, message):
    with pytest.raises(error) as caught:
        combine(ps.arrays(x=np.arange(4)))
    assert message in str(caught.value)
