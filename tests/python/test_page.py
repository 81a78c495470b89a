"""The page of a loader, in a real browser."""

import json
import threading
import time
import urllib.error
import urllib.request
from urllib.parse import urlsplit

import numpy as np
import pytest
from browser import Browser, chromium

import penstock as ps

needs_browser = pytest.mark.skipif(chromium() is None, reason="no chromium")


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    with Browser(tmp_path_factory.mktemp("profile")) as browser:
        yield browser


@pytest.fixture
def loader(image_folder):
    """A loader that runs, with a trainer that takes its time, until the test is over."""
    pipeline = (
        ps.folder(image_folder)
        .shuffle(seed=1)
        .image("image", ps.RandomResizedCrop(96), ps.Normalize())
        .label("label")
        .epochs(None)
        .batch(20)
    )
    loader = pipeline.numpy(threads=1)
    is_over = threading.Event()

    def train():
        for _ in loader:
            if is_over.wait(0.02):
                return

    trainer = threading.Thread(target=train)
    trainer.start()
    yield loader
    is_over.set()
    trainer.join()


def figures(browser):
    """The figures by their names."""
    names = "[...document.querySelectorAll('#figures > div')].map(f => f.innerText.split('\\n'))"
    return dict(browser.evaluate(names))


@needs_browser
def test_flow_verdict_and_samples_appear_and_change(browser, loader):
    page = loader.serve()
    browser.open(page.url)
    browser.wait_for("document.querySelectorAll('#grid canvas').length == 20")
    assert "samples/s" in browser.text("#sentence")
    flow = browser.evaluate("document.querySelector('#flow').textContent")
    assert all(stage in flow for stage in ("read", "decode", "transform", "trainer"))
    assert browser.evaluate("document.querySelectorAll('#flow .tag').length") == 1
    assert browser.text("#state") == "run 1, live"
    assert browser.text("#grid b") in ("ant", "bee", "cat")

    before = figures(browser)
    script = "document.querySelector('#figures').innerText"
    browser.wait_for(f"{script} !== {json.dumps(browser.evaluate(script))}")
    after = figures(browser)
    assert after["delivered"] != before["delivered"]
    browser.wait_for("document.querySelector('#rate-chart polyline') !== null")


@needs_browser
def test_samples_are_pictures_and_are_renewed(browser, loader):
    browser.open(loader.serve().url)
    browser.wait_for("document.querySelectorAll('#grid canvas').length == 20")
    colours = """(() => {
      const canvas = document.querySelector('#grid canvas');
      const {data} = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
      return new Set(data).size;
    })()"""
    assert browser.evaluate(colours) > 30
    first = json.dumps(browser.text("#grid"))
    browser.wait_for(f"document.querySelector('#grid').innerText !== {first}")


@needs_browser
@pytest.mark.parametrize("width", [390, 1280])
def test_fits_the_width(browser, loader, width):
    browser.resize(width, 800)
    browser.open(loader.serve().url)
    browser.wait_for("document.querySelectorAll('#grid canvas').length > 0")
    assert browser.evaluate("document.documentElement.scrollWidth") <= width
    outside = f"""[...document.querySelectorAll('main *')].filter(node => {{
      const place = node.getBoundingClientRect();
      return place.width > 0 && (place.left < -1 || place.right > {width + 1});
    }}).length"""
    assert browser.evaluate(outside) == 0


@needs_browser
def test_is_light_or_dark_as_the_person_likes(browser, loader):
    browser.open(loader.serve().url)
    grounds = set()
    for scheme in ("light", "dark"):
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        browser.call("Emulation.setEmulatedMedia", features=features)
        grounds.add(browser.evaluate("getComputedStyle(document.body).backgroundColor"))
    assert grounds == {"rgb(243, 245, 248)", "rgb(13, 18, 24)"}


@needs_browser
def test_asks_nobody_but_the_loader(browser, loader):
    page = loader.serve()
    browser.open(page.url)
    browser.wait_for("document.querySelectorAll('#grid canvas').length > 0")
    asked = browser.evaluate("performance.getEntriesByType('resource').map(entry => entry.name)")
    assert asked and all(url.startswith(page.url) for url in asked)


@needs_browser
def test_says_that_the_server_is_gone_and_comes_back(browser, loader):
    page = loader.serve()
    browser.open(page.url)
    browser.wait_for("document.querySelector('#state').textContent === 'run 1, live'")
    page.close()
    browser.wait_for("document.querySelector('#state').textContent.startsWith('no answer for')")
    loader.serve(port=urlsplit(page.url).port)
    browser.wait_for("document.querySelector('#state').textContent.endsWith('live')")


def numbers_loader():
    return ps.arrays(x=np.arange(40)).label("x").batch(4).numpy()


def live(page):
    with urllib.request.urlopen(page.url + "live.json", timeout=10) as answer:
        return json.load(answer)


def test_the_page_follows_from_loop_to_loop():
    loader = numbers_loader()
    with loader.serve() as page:
        assert live(page)["run"] == 0
        for loop in (1, 2):
            for _ in loader:
                pass
            assert live(page)["run"] == loop
            assert live(page)["totals"]["batches"] == 10


def test_a_page_of_a_loop_that_began_before():
    loader = numbers_loader()
    batches = iter(loader)
    next(batches)
    with loader.serve() as page:
        assert live(page)["run"] == 1


def test_samples_without_images_have_captions():
    loader = numbers_loader()
    with loader.serve() as page:
        live(page)  # now somebody looks
        next(iter(loader))
        samples = live(page)["samples"]
        assert samples["width"] == 0
        assert [caption["label"] for caption in samples["captions"]] == [0, 1, 2, 3]


def test_metrics_are_for_prometheus():
    loader = numbers_loader()
    with loader.serve() as page:
        for _ in loader:
            pass
        with urllib.request.urlopen(page.url + "metrics", timeout=10) as answer:
            assert answer.headers["Content-Type"].startswith("text/plain; version=0.0.4")
            assert "\npenstock_batches_total 10\n" in answer.read().decode()


def test_a_closed_page_is_gone_at_once():
    page = numbers_loader().serve()
    live(page)
    began = time.monotonic()
    page.close()
    assert time.monotonic() - began < 2
    with pytest.raises(urllib.error.URLError):
        live(page)


def test_a_port_that_is_taken_is_named():
    loader = numbers_loader()
    port = urlsplit(loader.serve().url).port
    with pytest.raises(OSError, match=f"cannot listen on 127.0.0.1 port {port}"):
        numbers_loader().serve(port=port)
