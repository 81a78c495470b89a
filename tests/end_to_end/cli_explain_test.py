"""penstock explain says what limits a source, and reads the logs of trainers."""

import json

from command import penstock


def write_log(path, waits):
    lines = [f"step {n}\nbatch_results: {n}, {100 + wait}\n" for n, wait in enumerate(waits)]
    path.write_text("".join(lines))
    return path


def test_finds_the_rhythm_in_a_log(tmp_path):
    log = write_log(tmp_path / "train.log", [1000 if n % 4 == 0 else 0 for n in range(80)])
    done = penstock("explain", "--log", log)
    assert done.returncode == 0, done.stderr
    assert "every 4 batches one waits 1000 ms: 4 workers" in done.stdout.replace("\n", " ")
    assert all(len(line) <= 80 for line in done.stdout.splitlines())
    result = json.loads(penstock("explain", "--log", log, "--json").stdout)
    assert result["period"] == 4
    assert abs(result["utilisation"] - 7.9 / (7.9 + 19)) < 1e-3


def test_says_what_is_wrong_with_a_log(tmp_path):
    log = tmp_path / "train.log"
    log.write_text("epoch 1\nbatch_results: 3, fast\n")
    done = penstock("explain", "--log", log)
    assert done.returncode == 1
    assert done.stderr.startswith(f"penstock: {log}: line 2: batch_results: 3, fast, expected")
    assert penstock("explain", "--log", tmp_path / "no.log").returncode == 1


def test_names_a_slow_trainer():
    done = penstock("explain", "synthetic", "--step-ms", 50, "--seconds", 1, "--json")
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert result["verdict"]["limit"] == "trainer"
    assert result["batches"]["utilisation"] > 0.9


def test_prints_a_verdict_that_fits_a_terminal(image_folder):
    done = penstock("explain", image_folder, "--seconds", 0.5, "--batch", 8)
    assert done.returncode == 0, done.stderr
    assert " limits: " in done.stdout
    assert "could pass/s" in done.stdout
    assert all(len(line) <= 80 for line in done.stdout.splitlines())


def test_needs_a_source_or_a_log():
    done = penstock("explain")
    assert done.returncode == 2
    assert done.stderr == "penstock: expected a source, or --log FILE\n"
