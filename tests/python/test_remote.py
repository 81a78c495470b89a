"""The same batches from every storage, whatever happens on the way."""

from __future__ import annotations

import gzip
import os
import shutil
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from servers.ais_server import Ais
from servers.fault_proxy import fault_proxy_server
from servers.nginx import Nginx
from servers.versitygw import S3

import penstock as ps

CROP = (ps.RandomResizedCrop(32), ps.RandomFlip(), ps.Normalize())
BRACES = "train-{000..003}.tar"


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every test begins without an index."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.fixture
def served(nginx: Nginx, shards: Path) -> str:
    """The shards behind nginx."""
    shutil.copytree(shards, nginx.root / "shards", dirs_exist_ok=True)
    return f"{nginx.url}/shards"


@pytest.fixture
def bucket(s3: S3, shards: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The shards behind an S3 gateway."""
    shutil.copytree(shards, s3.root / "bucket" / "shards", dirs_exist_ok=True)
    monkeypatch.setenv("AWS_ENDPOINT_URL", s3.url)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", s3.key)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", s3.secret)
    monkeypatch.setenv("AWS_REGION", s3.region)
    return "s3://bucket/shards"


def batches(url: str, **options: object) -> list[tuple[list[int], bytes, list[int]]]:
    """Two epochs, shuffled and augmented: ids, pixels and labels of each batch."""
    pipeline = (
        ps.tar(url)
        .shuffle("global", seed=5)
        .image("jpg", *CROP)
        .label("cls")
        .epochs(2)
        .batch(16, last="keep")
    )
    return [
        (batch.ids.tolist(), batch["jpg"].tobytes(), batch["cls"].tolist())
        for batch in pipeline.numpy(**options)
    ]


def test_batches_are_the_same_from_every_storage(shards, served, bucket, nginx):
    expected = batches(f"{shards}/{BRACES}")
    assert batches(f"file://{shards}/{BRACES}") == expected
    assert batches(f"{served}/{BRACES}") == expected
    assert batches(f"{bucket}/{BRACES}") == expected
    assert batches(f"pipe:curl -s {served}/{BRACES}") == expected
    assert batches(f"{nginx.url}/redirect/302/shards/{BRACES}") == expected
    assert batches(f"{nginx.url}/whole/shards/{BRACES}") == expected


@pytest.mark.usefixtures("bucket")
def test_compressed_shards_come_from_every_storage(shards, nginx, s3):
    for folder in (nginx.root / "packed", s3.root / "bucket/packed"):
        folder.mkdir(parents=True, exist_ok=True)
        for shard in shards.glob("*.tar"):
            (folder / f"{shard.stem}.tgz").write_bytes(gzip.compress(shard.read_bytes()))
    expected = batches(f"{shards}/{BRACES}")
    packed = BRACES.replace(".tar", ".tgz")
    assert batches(f"{nginx.root}/packed/{packed}") == expected
    assert batches(f"{nginx.url}/packed/{packed}") == expected
    assert batches(f"s3://bucket/packed/{packed}") == expected


def test_ais_gives_the_same_batches(shards, ais: Ais, monkeypatch):
    monkeypatch.setenv("AIS_ENDPOINT", ais.url)
    folder = ais.root / "bucket"
    shutil.copytree(shards, folder, dirs_exist_ok=True)
    assert batches(f"ais://bucket/{BRACES}") == batches(f"{shards}/{BRACES}")


def test_patterns_list_a_bucket(shards, bucket):
    assert batches(f"{bucket}/train-*.tar") == batches(f"{shards}/train-*.tar")


@pytest.mark.usefixtures("bucket")
def test_folders_come_over_http_and_from_a_bucket(image_folder, nginx, s3):
    def labels(path: str) -> list[tuple[list[int], bytes, list[int]]]:
        pipeline = ps.folder(path).shuffle("global", seed=1).image("image", *CROP).label("label")
        return [
            (batch.ids.tolist(), batch["image"].tobytes(), batch["label"].tolist())
            for batch in pipeline.batch(8).numpy()
        ]

    shutil.copytree(image_folder, nginx.root / "pets", dirs_exist_ok=True)
    shutil.copytree(image_folder, s3.root / "bucket/pets", dirs_exist_ok=True)
    expected = labels(str(image_folder))
    assert labels(f"{nginx.url}/html/pets") == expected
    assert labels(f"{nginx.url}/json/pets") == expected
    assert labels("s3://bucket/pets") == expected


FAULTS = {"reset": 0.02, "stall": 0.02, "503": 0.02, "truncate": 0.01, "wrong-length": 0.02}


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.usefixtures("served")
def test_faults_change_nothing(shards, nginx, fault_proxy, seed):
    proxy = fault_proxy(nginx.url, FAULTS, seed=seed, stall_s=1)
    assert batches(f"{proxy.url}/shards/{BRACES}") == batches(f"{shards}/{BRACES}")


def test_faults_of_every_kind_change_nothing(image_folder, nginx):
    def pixels(path: str) -> list[bytes]:
        pipeline = ps.folder(path).shuffle("global", seed=1).image("image", *CROP).epochs(3)
        return [batch["image"].tobytes() for batch in pipeline.batch(8).numpy()]

    shutil.copytree(image_folder, nginx.root / "faulty", dirs_exist_ok=True)
    with fault_proxy_server(nginx.url, dict.fromkeys(FAULTS, 0.06), stall_s=1) as proxy:
        assert pixels(f"{proxy.url}/json/faulty") == pixels(str(image_folder))
    assert all(proxy.summary["faults"][kind] > 0 for kind in FAULTS), proxy.summary


# In seconds. Servers that restart take 20; so long only if somebody asks for it.
AWAY_S = float(os.environ.get("PENSTOCK_TEST_AWAY_SECONDS", "3"))


@pytest.mark.usefixtures("served")
def test_a_server_that_is_away_for_a_while_is_waited_for(shards, nginx, fault_proxy):
    proxy = fault_proxy(nginx.url)
    proxy.go_away()
    threading.Timer(AWAY_S, proxy.come_back).start()
    assert batches(f"{proxy.url}/shards/{BRACES}") == batches(f"{shards}/{BRACES}")


@pytest.mark.usefixtures("served")
def test_a_server_may_go_away_in_the_middle_of_an_epoch(shards, nginx, fault_proxy):
    def pixels(url: str, when_begun: Callable[[], None]) -> Iterator[bytes]:
        pipeline = ps.tar(url).shuffle("global", seed=5).image("jpg", *CROP).epochs(40)
        for number, batch in enumerate(pipeline.batch(16).numpy()):
            if number == 3:
                when_begun()
            yield batch["jpg"].tobytes()

    proxy = fault_proxy(nginx.url)
    went = []

    def be_away() -> None:
        proxy.go_away()
        went.append(time.monotonic())
        threading.Timer(AWAY_S, proxy.come_back).start()

    far = list(pixels(f"{proxy.url}/shards/{BRACES}", be_away))
    assert time.monotonic() - went[0] > AWAY_S
    assert far == list(pixels(f"{shards}/{BRACES}", lambda: None))


@pytest.mark.usefixtures("served")
def test_a_server_that_stays_away_is_named_in_time(nginx, fault_proxy, monkeypatch):
    monkeypatch.setenv("PENSTOCK_GIVE_UP_SECONDS", "2")
    proxy = fault_proxy(nginx.url)
    proxy.go_away()
    began = time.monotonic()
    with pytest.raises(
        OSError, match=rf"{proxy.url}/shards/train-000.tar: HEAD: .*, tried \d+ times"
    ):
        batches(f"{proxy.url}/shards/{BRACES}")
    assert 1.5 < time.monotonic() - began < 6


def test_an_object_that_is_replaced_is_reported(shards, served, nginx):
    shard = nginx.root / "shards/train-002.tar"
    loader = (
        ps.tar(f"{served}/{BRACES}", index_cache=False)
        .image("jpg", *CROP)
        .epochs(None)
        .batch(16, last="keep")
        .numpy()
    )
    with pytest.raises(ps.DataError, match=r"train-002.tar.*changed while it was being read"):
        for number, _ in enumerate(loader):
            if number == 2:
                other = shard.with_suffix(".new")
                other.write_bytes(shard.read_bytes()[::-1])
                other.rename(shard)
            assert number < 1000
    shutil.copy(shards / "train-002.tar", shard)


def test_an_index_beside_the_shards_is_used(s3, bucket, tmp_path, monkeypatch):
    command = Path(sys.executable).with_name("penstock")
    printed = subprocess.run(
        [command, "index", f"{bucket}/{BRACES}", "--upload"], capture_output=True, text=True
    )
    assert printed.returncode == 0, printed.stderr
    assert "indexes uploaded                     4" in printed.stdout
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "other"))
    num_before = len(s3.log.read_text().splitlines())
    ps.tar(f"{bucket}/{BRACES}").image("jpg", *CROP).batch(4).numpy()
    asked = s3.log.read_text().splitlines()[num_before:]
    read = [line for line in asked if "GetObject" in line]
    of_shards = [line for line in read if ".penstock/train-" not in line]
    assert len(read) == 8
    assert len(of_shards) == 4  # the first bytes of each, which tell whether it is compressed


@pytest.mark.usefixtures("bucket")
def test_odd_keys_work(shards, s3):
    folder = s3.root / "bucket/a b+c%25&=ü"
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copy(shards / "train-000.tar", folder / "x y.tar")
    expected = batches(str(shards / "train-000.tar"))
    assert batches("s3://bucket/a b+c%25&=ü/x y.tar") == expected
    assert batches("s3://bucket/a b+c%25&=ü/*.tar") == expected


def test_wrong_keys_are_refused_by_name_and_not_shown(bucket, monkeypatch):
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "a-very-secret-key")
    with pytest.raises(
        OSError, match=r"s3://bucket/shards/train-000.tar: .*access denied"
    ) as caught:
        batches(f"{bucket}/{BRACES}")
    assert "a-very-secret-key" not in str(caught.value)


@pytest.mark.usefixtures("served")
def test_a_password_in_netrc_is_used_and_not_shown(shards, nginx, tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    url = f"{nginx.url}/private/shards/{BRACES}"
    with pytest.raises(OSError, match="not authenticated"):
        batches(url)
    (tmp_path / ".netrc").write_text(
        f"machine 127.0.0.1 login {nginx.user} password {nginx.password}\n"
    )
    assert batches(url) == batches(f"{shards}/{BRACES}")


@pytest.mark.usefixtures("served")
def test_a_bearer_token_is_used_and_not_shown(shards, nginx, monkeypatch):
    url = f"{nginx.url}/token/shards/{BRACES}"
    monkeypatch.setenv("PENSTOCK_HTTP_TOKEN", "a-wrong-token")
    with pytest.raises(OSError, match="not authenticated") as caught:
        batches(url)
    assert "a-wrong-token" not in str(caught.value)
    monkeypatch.setenv("PENSTOCK_HTTP_TOKEN", nginx.password)
    assert batches(url) == batches(f"{shards}/{BRACES}")


@pytest.mark.usefixtures("served")
def test_tls_needs_a_certificate_that_is_trusted(shards, nginx, monkeypatch):
    url = f"{nginx.https_url}/shards/{BRACES}"
    with pytest.raises(OSError, match="certificate"):
        batches(url)
    monkeypatch.setenv("SSL_CERT_FILE", str(nginx.ca))
    assert batches(url) == batches(f"{shards}/{BRACES}")


def num_descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def test_nothing_is_left_open(image_folder, nginx):
    shutil.copytree(image_folder, nginx.root / "pets", dirs_exist_ok=True)

    def read() -> None:
        pipeline = ps.folder(f"{nginx.url}/json/pets").image("image", *CROP)
        for _ in pipeline.epochs(20).batch(8).numpy():
            pass

    read()
    before = num_descriptors()
    read()
    assert num_descriptors() <= before


@pytest.mark.usefixtures("served")
def test_ctrl_c_stops_a_read_that_hangs(nginx, fault_proxy):
    proxy = fault_proxy(nginx.url, {"stall": 1.0}, stall_s=60)
    script = textwrap.dedent(f"""
        import penstock as ps
        print("begins", flush=True)
        for _ in ps.tar("{proxy.url}/shards/train-000.tar").image("jpg").batch(4).numpy():
            pass
    """)
    process = subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "begins\n"
    time.sleep(1)
    process.send_signal(signal.SIGINT)
    began = time.monotonic()
    _, errors = process.communicate(timeout=10)
    assert time.monotonic() - began < 2
    assert "KeyboardInterrupt" in errors
