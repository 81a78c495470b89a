"""The examples, built as a user builds them: against an installed package, outside the tree."""

import os
import subprocess
from pathlib import Path

import pytest
from PIL import Image

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = sorted(path.stem for path in (ROOT / "examples").glob("*.cpp"))


def run(*command: str | Path) -> str:
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, f"{command}:\n{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def built_examples(tmp_path_factory: pytest.TempPathFactory) -> Path:
    prefix = tmp_path_factory.mktemp("prefix")
    build = tmp_path_factory.mktemp("build")
    run("cmake", "--install", ROOT / "build" / "release", "--prefix", prefix)
    run(
        *("cmake", "-G", "Ninja", "-S", ROOT / "examples", "-B", build),
        *(f"-DCMAKE_PREFIX_PATH={prefix}", "-DCMAKE_BUILD_TYPE=Release"),
    )
    run("cmake", "--build", build)
    return build


@pytest.fixture(scope="module")
def image_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("images")
    for number in range(16):
        path = folder / ("cat", "dog")[number % 2] / f"{number}.jpg"
        path.parent.mkdir(exist_ok=True)
        Image.frombytes("RGB", (40, 30), os.urandom(40 * 30 * 3)).save(path)
    return folder


@pytest.mark.parametrize("example", EXAMPLES)
def test_example_runs_on_an_image_folder(built_examples, image_folder, example):
    assert run(built_examples / example, image_folder) != ""
