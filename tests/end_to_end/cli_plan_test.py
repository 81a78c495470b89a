"""penstock plan reproduces the published tables."""

import json

import pytest
from command import penstock


def plans(*arguments):
    """The plans by number of accelerators: drives, network cards, cores, binding hop."""
    done = penstock("plan", *arguments, "--json")
    assert done.returncode == 0, done.stderr
    found = {}
    for row in json.loads(done.stdout)["plans"]:
        units = [
            row["hops"].get(hop, {}).get("units") for hop in ("drives", "network cards", "cores")
        ]
        found[row["accelerators"]] = (*units, row["binding"])
    return found


@pytest.mark.parametrize(
    ("arguments", "accelerators", "expected"),
    [
        (("--storage", "ssd"), 16, (3, None, 48)),
        (("--storage", "nfs"), 256, (960, 4, 768)),
        (("--storage", "nfs", "--tensor"), 256, (3840, 16, None)),
        (("--storage", "object", "--tensor"), 64, (96, 4, None)),
        (("--storage", "object", "--tensor"), 1, (2, 1, None)),
    ],
)
def test_reproduces_published_counts(arguments, accelerators, expected):
    assert plans(*arguments)[accelerators][:3] == expected


def test_rate_and_size_of_images_say_what_is_needed():
    # 2,000 images/s of 100 KB are 0.2 GB/s: one SSD of 0.4, eight cores of 0.025.
    assert plans("--rate", 2000, "--image-kb", 100)[1][:3] == (1, None, 8)
    assert plans("--accelerators", 12, "--bytes", 0.1)[12] == (1, None, 12, "cores")


def test_a_narrow_link_binds():
    assert plans("--bytes", 2)[4][3] == "accelerator links"


def test_measures_drives_and_cores_of_this_machine(image_folder):
    done = penstock("plan", "--measure", image_folder, "--json")
    assert done.returncode == 0, done.stderr
    rates = json.loads(done.stdout)["rates_gbs"]
    assert rates["drive"] > 0 and rates["drive"] != 0.4
    assert rates["core_in"] > 0 and rates["core_in"] != 0.025
    assert rates["network_card"] == 5


def test_prints_tables_that_fit_a_terminal(tmp_path):
    page = tmp_path / "plan.html"
    done = penstock("plan", "--accelerators", 256, "--storage", "nfs", "--html", page)
    assert done.returncode == 0, done.stderr
    assert "* 256              960      4    768" in done.stdout
    assert "10 Gbit/s network          1     2 weeks" in done.stdout
    assert all(len(line) <= 80 for line in done.stdout.splitlines())
    assert "What feeds 256 accelerators" in page.read_text()


def test_explains_itself_and_refuses_nonsense():
    assert "Example: penstock plan" in penstock("plan", "--help").stdout
    done = penstock("plan", "--rate", 100)
    assert done.returncode == 2
    assert done.stderr == "penstock: --rate and --image-kb belong together, expected both or none\n"
