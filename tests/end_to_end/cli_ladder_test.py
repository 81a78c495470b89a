"""penstock ladder measures every rung, names causes, and leaves nothing behind."""

import json
import signal
import subprocess
import time

import pytest
from command import COMMAND, penstock

RUNGS = [
    "synthetic images",
    "as configured",
    "no prefetch",
    "prefetch 8",
    "1 thread",
    "no distortions",
    "precached tensors",
    "passes, warm",
    "passes, cold",
    "raw files",
    "tar",
    "TFRecord",
    "JPEG 512x512",
    "PNG 512x512",
    "JPEG 256x256",
    "JPEG 1024x1024",
]


@pytest.fixture(scope="module")
def temporary(tmp_path_factory):
    """Where copies are made."""
    return tmp_path_factory.mktemp("temporary")


@pytest.fixture(autouse=True)
def uses_temporary(temporary, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(temporary))


@pytest.fixture(params=["folder", "tar"])
def source(request, image_folder, shards):
    return {"folder": image_folder, "tar": shards}[request.param]


def test_climbs_every_rung_and_cleans_up(source, temporary):
    done = penstock("ladder", source, "--seconds", 0.1, "--batch", 8, "--json")
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    rungs = {rung["name"]: rung for rung in result["rungs"]}
    assert [name for name in RUNGS if name not in rungs] == []
    assert rungs["tar"]["against"] == "raw files"
    assert rungs["as configured"]["share_of_bound"] == pytest.approx(
        rungs["as configured"]["images_per_s"] / rungs["synthetic images"]["images_per_s"]
    )
    assert sum(result["stalls"].values()) == pytest.approx(1)
    sweep = [rung for rung in result["rungs"] if rung["group"] == "threads"]
    assert len(sweep) >= 3
    assert "threads a core" in sweep[-1]["cause"]
    assert list(temporary.iterdir()) == []


def test_a_slow_trainer_is_the_bound(image_folder):
    # A step of 20 ms for 8 images: 400 images/s at most, which everything reaches.
    done = penstock(
        "ladder", image_folder, "--seconds", 0.2, "--batch", 8, "--step-ms", 20, "--json"
    )
    rungs = {rung["name"]: rung for rung in json.loads(done.stdout)["rungs"]}
    assert rungs["synthetic images"]["images_per_s"] <= 400
    assert rungs["synthetic images"]["images_per_s"] > 200
    assert rungs["precached tensors"]["share_of_bound"] == pytest.approx(1, abs=0.3)


def test_a_train_command_says_how_fast_training_is():
    done = penstock(
        "ladder", "synthetic", "--seconds", 0.1, "--batch", 8, "--json",
        "--train-command", "echo epoch 3: 800.5 images/s",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert result["step_ms"] == pytest.approx(8000 / 800.5)
    assert "no copies" in " ".join(result["notes"])


@pytest.mark.parametrize(("command", "message"), [("echo fast", "no rate"), ("exit 3", "with 3")])
def test_a_train_command_that_says_nothing_is_a_failure(command, message):
    done = penstock("ladder", "synthetic", "--train-command", command)
    assert done.returncode != 0
    assert message in done.stderr


def test_prints_a_table_that_fits_a_terminal_and_a_page(image_folder, tmp_path):
    page = tmp_path / "ladder.html"
    done = penstock("ladder", image_folder, "--seconds", 0.1, "--batch", 8, "--html", page)
    assert done.returncode == 0, done.stderr
    assert "fetch stall" in done.stdout
    assert all(len(line) <= 80 for line in done.stdout.splitlines())
    html = page.read_text()
    assert "Each difference has one cause" in html and "Stalls from cold storage" in html
    assert "src=" not in html and "href=" not in html


def test_an_interrupted_ladder_leaves_nothing_behind(image_folder, temporary):
    running = subprocess.Popen(
        [COMMAND, "ladder", image_folder, "--seconds", "30"], stderr=subprocess.PIPE, text=True
    )
    deadline = time.monotonic() + 20
    while not list(temporary.iterdir()) and time.monotonic() < deadline:
        time.sleep(0.02)
    running.send_signal(signal.SIGINT)
    _, stderr = running.communicate(timeout=20)
    assert running.returncode == 1
    assert "interrupted" in stderr
    assert list(temporary.iterdir()) == []


def test_explains_itself_and_refuses_nonsense():
    assert "Example: penstock ladder" in penstock("ladder", "--help").stdout
    done = penstock("ladder", "synthetic", "--step-ms", 3, "--train-command", "echo 1")
    assert done.returncode == 2
