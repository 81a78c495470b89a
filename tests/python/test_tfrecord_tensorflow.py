"""TFRecord files go both ways between penstock and TensorFlow, which runs in a process of its own.

`make interop` makes an environment with TensorFlow and runs these tests in it.
"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import penstock as ps
from penstock import _core

ROOT = Path(__file__).resolve().parents[2]
PYTHON = Path(os.environ.get("PENSTOCK_INTEROP_PYTHON", ROOT / ".interop/bin/python"))

pytestmark = pytest.mark.skipif(
    not PYTHON.exists(), reason=f"no TensorFlow at {PYTHON}; `make interop` installs it"
)


def tensorflow(*arguments: object) -> str:
    script = ROOT / "tests/interop/tfrecord_tensorflow.py"
    command = [str(PYTHON), str(script), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stdout


def as_json(example: dict[str, list[Any]], kinds: dict[str, str]) -> dict[str, list[Any]]:
    return {
        name: [kinds[name], [v.hex() if isinstance(v, bytes) else v for v in values]]
        for name, values in example.items()
    }


@pytest.mark.parametrize("seed", [1, 2])
def test_what_tensorflow_writes_is_read_as_it_reads_it(tmp_path, monkeypatch, seed):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    tensorflow("write", tmp_path, seed)
    for name, records in json.loads((tmp_path / "expected.json").read_text()).items():
        kinds = {feature: kind for record in records for feature, (kind, _) in record.items()}
        features = [f"{feature}:{kind}" for feature, kind in kinds.items()]
        examples, damages = _core.read_examples(str(tmp_path / name), features, True)
        assert [as_json(example, kinds) for example in examples] == records
        assert damages == []


@pytest.mark.parametrize("compression", [None, "gzip", "zlib"])
def test_what_is_written_is_read_by_tensorflow(tmp_path, compression):
    rng = np.random.default_rng(3)
    records = [
        {
            "image": rng.bytes(int(rng.integers(0, 200_000))),
            "label": rng.integers(-(2**63), 2**63 - 1, int(rng.integers(0, 5))),
            "box": rng.normal(size=int(rng.integers(0, 50))).astype(np.float32),
            "texts": ["grün", b"", b"\0"],
        }
        for _ in range(20)
    ]
    path = tmp_path / "a.tfrecord"
    with ps.TFRecordWriter(path, compression) as writer:
        for record in records:
            writer.write(record)
    expected = [
        {
            "box": ["float", record["box"].tolist()],
            "image": ["bytes", [record["image"].hex()]],
            "label": ["int64", record["label"].tolist()],
            "texts": ["bytes", ["grün".encode().hex(), "", "00"]],
        }
        for record in records
    ]
    assert json.loads(tensorflow("read", path, (compression or "").upper())) == expected
