"""The torch adapter, in an interpreter that has torch: this one, or the system's."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
from conftest import write_tar

import penstock as ps

SCRIPT = """
import sys, torch
import penstock as ps
folder = sys.argv[1]
source = ps.folder(folder).shuffle(seed=1)
pipeline = source.image("image", ps.Resize((8, 8)), dtype="bf16").label("label")
batches = list(pipeline.batch(20).torch(threads=2))
assert len(batches) == 3
first = batches[0]
assert first["image"].dtype == torch.bfloat16 and tuple(first["image"].shape) == (20, 3, 8, 8)
assert first["label"].dtype == torch.int64
floats = source.image("image", ps.Resize((8, 8)), dtype="f32").batch(20)
expected = next(iter(floats.torch()))["image"]
difference = (first["image"].float() - expected).abs().max().item()
assert difference < 0.004, difference
first["image"].mul_(2)
ragged = next(iter(ps.tar(sys.argv[2]).npy("npy", ragged=True).text("txt").batch(3).torch()))
assert ragged["npy"].values.dtype == torch.float32 and ragged["npy"].offsets.dtype == torch.int64
assert [sample.tolist() for sample in ragged["npy"]] == [[], [1.0], [2.0, 2.0]]
assert ragged["npy"].lengths.tolist() == [0, 1, 2] and ragged["txt"] == ["0", "1", "2"]
print("torch", torch.__version__)
"""


def find_python() -> str:
    for python in (sys.executable, "/usr/bin/python3"):
        if subprocess.run([python, "-c", "import torch"], capture_output=True).returncode == 0:
            return python
    raise AssertionError("no torch: install it here, or the Debian package python3-torch")


def shard_of_lists(path: Path) -> Path:
    members = []
    for i in range(3):
        buffer = io.BytesIO()
        np.save(buffer, np.full(i, i, np.float32))
        members += [(f"{i}.npy", buffer.getvalue()), (f"{i}.txt", str(i).encode())]
    return write_tar(path, members)


def test_batches_are_tensors_that_share_the_slot(tmp_path, image_folder):
    script = tmp_path / "script.py"
    script.write_text(textwrap.dedent(SCRIPT))
    done = subprocess.run(
        [find_python(), script, image_folder, shard_of_lists(tmp_path / "lists.tar")],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(Path(ps.__file__).parent.parent)},
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("torch ")
