"""tools/check_layers.py, on small trees."""

from pathlib import Path

import pytest

from check_layers import main, read_layers

CMAKE = """
# The layers.
penstock_layer(base)
penstock_layer(storage USES base LIBS PkgConfig::uring)
penstock_layer(decode  USES base LIBS JPEG::JPEG)
penstock_layer(source  USES base storage
                       LIBS nlohmann_json::nlohmann_json)
"""


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    engine = tmp_path / "src" / "penstock"
    for layer in ("base", "storage", "decode", "source"):
        (engine / layer).mkdir(parents=True)
        (engine / layer / "README.md").write_text(f"# {layer}\n")
    (engine / "CMakeLists.txt").write_text(CMAKE)
    return tmp_path


def write(tree: Path, name: str, text: str) -> Path:
    path = tree / "src" / "penstock" / name
    path.write_text(text)
    return path


def test_reads_layers_over_several_lines():
    assert read_layers(CMAKE) == {
        "base": {"base"},
        "storage": {"base", "storage"},
        "decode": {"base", "decode"},
        "source": {"base", "storage", "source"},
    }


def test_accepts_an_include_that_the_list_allows(tree, capsys):
    write(tree, "source/index.cpp", '#include "penstock/storage/storage.h"\n#include <vector>\n')
    assert main(tree) == 0
    assert capsys.readouterr().out == ""


def test_names_the_line_and_what_is_allowed(tree, capsys):
    path = write(tree, "decode/jpeg.cpp", '// Decodes.\n#include "penstock/storage/storage.h"\n')
    assert main(tree) == 1
    assert capsys.readouterr().out == (
        f"{path}:2: includes penstock/storage/storage.h, but decode may use only base\n"
    )


def test_does_not_follow_uses_of_uses(tree):
    cmake = tree / "src" / "penstock" / "CMakeLists.txt"
    cmake.write_text(CMAKE + "penstock_layer(deliver USES base source)\n")
    (cmake.parent / "deliver").mkdir()
    write(tree, "deliver/README.md", "# deliver\n")
    write(tree, "deliver/run.cpp", '#include "penstock/storage/storage.h"\n')
    assert main(tree) == 1


def test_layers_do_not_include_the_public_header(tree):
    write(tree, "decode/jpeg.cpp", '#include "penstock/penstock.h"\n')
    assert main(tree) == 1


@pytest.mark.parametrize("header", ["thread", "chrono", "fstream", "unistd.h", "sys/socket.h"])
def test_only_the_edges_include_the_outside_world(tree, capsys, header):
    path = write(tree, "decode/jpeg.cpp", f"#include <{header}>\n")
    write(tree, "storage/local.cpp", f"#include <{header}>\n")
    assert main(tree) == 1
    assert capsys.readouterr().out == (
        f"{path}:1: includes <{header}>, "
        "but only deliver, serve and storage see the outside world\n"
    )


def test_only_the_edges_read_the_environment(tree):
    write(tree, "decode/jpeg.cpp", 'const char* home = std::getenv("HOME");\n')
    assert main(tree) == 1


def test_a_comment_may_name_what_the_code_may_not(tree):
    write(tree, "decode/jpeg.cpp", "// Takes no getenv and no thread_local.\n")
    assert main(tree) == 0


def test_tests_may_see_the_outside_world(tree):
    write(tree, "decode/jpeg_test.cpp", "#include <fstream>\n")
    assert main(tree) == 0


def test_the_channel_may_wait(tree):
    write(tree, "base/channel.h", "#include <mutex>\n#include <chrono>\n")
    assert main(tree) == 0


def test_a_layer_without_readme_fails(tree, capsys):
    readme = tree / "src" / "penstock" / "decode" / "README.md"
    readme.unlink()
    assert main(tree) == 1
    assert capsys.readouterr().out == f"{readme.parent}: no README.md\n"


def test_a_folder_that_is_not_a_layer_fails(tree, capsys):
    folder = tree / "src" / "penstock" / "utils"
    folder.mkdir()
    (folder / "misc.h").touch()
    assert main(tree) == 1
    assert f"{folder}: not a layer of" in capsys.readouterr().out


def test_a_layer_that_uses_an_unknown_layer_fails(tree, capsys):
    (tree / "src" / "penstock" / "CMakeLists.txt").write_text(
        CMAKE.replace("decode  USES base", "decode  USES base wings")
    )
    assert main(tree) == 1
    assert "decode uses wings, which is not a layer" in capsys.readouterr().out


def test_a_long_file_is_only_a_warning(tree, capsys):
    path = write(tree, "decode/jpeg.cpp", "\n" * 401)
    assert main(tree) == 0
    assert capsys.readouterr().out == f"warning: {path}: 401 lines, expected at most 400\n"
