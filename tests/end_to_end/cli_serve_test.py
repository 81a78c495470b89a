"""penstock serve runs a source and shows it until it is interrupted."""

import contextlib
import json
import signal
import subprocess
import time
import urllib.request

import pytest
from command import COMMAND, penstock


@contextlib.contextmanager
def serving(*arguments):
    """The process, and the address that it printed."""
    command = [COMMAND, "serve", *map(str, arguments)]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            line = process.stdout.readline()
            assert line.endswith("  (Ctrl-C ends it)\n"), process.stderr.read()
            yield process, line.split()[0]
        finally:
            process.kill()


def live(url):
    with urllib.request.urlopen(url + "live.json", timeout=10) as answer:
        return json.load(answer)


def test_shows_a_run(image_folder):
    with serving(image_folder, "--batch", 8, "--step-ms", 20) as (_, url):
        assert url.startswith("http://127.0.0.1:")
        before = live(url)["totals"]["batches"]
        ends = time.monotonic() + 20
        while not (now := live(url))["samples"]["captions"] or now["totals"]["batches"] == before:
            assert time.monotonic() < ends
            time.sleep(0.2)
        assert now["samples"]["captions"][0]["class"] in ("ant", "bee", "cat")
        # The first batches always wait.
        while live(url)["verdict"]["limit"] != "trainer":
            assert time.monotonic() < ends
            time.sleep(0.2)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_ends_at_once_when_interrupted(number):
    with serving("synthetic", "--step-ms", 5000) as (process, url):
        live(url)
        began = time.monotonic()
        process.send_signal(number)
        assert process.wait(timeout=10) == 0
        assert time.monotonic() - began < 2
        assert process.stderr.read() == ""


def test_a_port_that_is_taken_is_one_line():
    with serving("synthetic") as (_, url):
        port = url.rstrip("/").rpartition(":")[2]
        done = penstock("serve", "synthetic", "--port", port)
    assert done.returncode == 1
    assert done.stderr.startswith(f"penstock: cannot listen on 127.0.0.1 port {port}")
    assert done.stderr.count("\n") == 1


def test_explains_itself_with_an_example():
    done = penstock("serve", "--help")
    assert done.returncode == 0
    assert "Example: penstock serve" in done.stdout
