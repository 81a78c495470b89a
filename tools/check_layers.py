"""Checks that the tree keeps to its architecture (the layers of src/penstock/CMakeLists.txt).

A layer includes only itself and what stands after USES; only the layers at the edges see threads,
clocks, files or the environment; every layer says in a README what it promises. Long files are
pointed out, and do not fail the check.
"""

import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

EDGE_LAYERS = {"storage", "deliver", "serve"}
# The one queue between threads: every layer may see its type, only the edges use it.
EDGE_FILES = {"base/channel.h", "base/channel.cpp"}
# What only the edges may include (threads, clocks, files, sockets, the console) or name. Memory may
# be mapped anywhere; a file cannot be without the headers that open it.
EDGE_HEADER = re.compile(
    r"thread|mutex|shared_mutex|condition_variable|future|semaphore|latch|barrier|stop_token"
    r"|chrono|ctime|time\.h|fstream|iostream|filesystem|unistd\.h|fcntl\.h|dirent\.h"
    r"|netdb\.h|poll\.h|signal\.h|csignal|pthread\.h|sched\.h|liburing\.h"
    r"|sys/(?!mman\.h).*|(arpa|netinet|linux)/.*"
)
EDGE_NAME = re.compile(r"\b(getenv|thread_local)\b")

SOFT_LIMIT_LINES = 400

LAYER = re.compile(r"^penstock_layer\((\w+)\s*([^)]*)\)", re.MULTILINE)
INCLUDE = re.compile(r'^\s*#\s*include\s+(?:"penstock/(?P<own>[^"]+)"|<(?P<system>[^>]+)>)')


def read_layers(cmake: str) -> dict[str, set[str]]:
    r"""The layers and what each may use.

    >>> layers = read_layers("penstock_layer(base)\npenstock_layer(decode USES base LIBS JPEG)")
    >>> layers == {"base": {"base"}, "decode": {"base", "decode"}}
    True
    """
    layers = {}
    for name, arguments in LAYER.findall(cmake):
        words = arguments.split()
        uses = words[words.index("USES") + 1 :] if "USES" in words else []
        uses = uses[: uses.index("LIBS")] if "LIBS" in uses else uses
        layers[name] = {*uses, "base", name}
    return layers


def is_test(path: Path) -> bool:
    """Whether the file belongs to tests or benchmarks; those may use the outside world."""
    return bool(re.search(r"_test$|_bench$|^test_|^testing$", path.stem))


def without_comment(line: str) -> str:
    """The code of a line."""
    return line.partition("//")[0]


def check_line(line: str, layer: str, may_use: set[str], is_edge: bool) -> Iterator[str]:
    """What is wrong with one line of a file of `layer`."""
    include = INCLUDE.match(line)
    if include and include["own"]:
        used = include["own"].partition("/")[0]
        if used not in may_use:
            allowed = ", ".join(sorted(may_use - {layer})) or "nothing"
            yield f"includes penstock/{include['own']}, but {layer} may use only {allowed}"
    elif include and not is_edge and EDGE_HEADER.fullmatch(include["system"]):
        yield f"includes <{include['system']}>, but only {edge_text()} see the outside world"
    elif not is_edge and (name := EDGE_NAME.search(without_comment(line))):
        yield f"uses {name[0]}, but only {edge_text()} see the outside world"


def edge_text() -> str:
    """The edge layers, for a message."""
    *others, last = sorted(EDGE_LAYERS)
    return f"{', '.join(others)} and {last}"


def check_layer(engine: Path, layer: str, may_use: set[str]) -> Iterator[str]:
    """What is wrong with the files of one layer."""
    if not (engine / layer / "README.md").is_file():
        yield f"{engine / layer}: no README.md"
    for path in sorted((engine / layer).rglob("*")):
        if path.suffix not in {".h", ".cpp"}:
            continue
        place = path.relative_to(engine).as_posix()
        is_edge = layer in EDGE_LAYERS or place in EDGE_FILES or is_test(path)
        for number, line in enumerate(path.read_text().splitlines(), start=1):
            for problem in check_line(line, layer, may_use, is_edge):
                yield f"{path}:{number}: {problem}"


def check_tree(engine: Path, layers: Mapping[str, set[str]]) -> Iterator[str]:
    """What is wrong with the engine's tree."""
    for folder in sorted({path.relative_to(engine).parts[0] for path in engine.glob("*/*")}):
        if folder not in layers:
            yield f"{engine / folder}: not a layer of {engine / 'CMakeLists.txt'}"
    for layer, may_use in layers.items():
        for unknown in sorted(may_use - layers.keys()):
            yield f"{engine / 'CMakeLists.txt'}: {layer} uses {unknown}, which is not a layer"
        yield from check_layer(engine, layer, may_use)


def long_files(root: Path) -> Iterator[str]:
    """The files over the soft limit."""
    for folder in ("src", "cli", "python", "tests", "tools", "benchmarks"):
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in {".h", ".cpp", ".py"}:
                num_lines = len(path.read_text().splitlines())
                if num_lines > SOFT_LIMIT_LINES:
                    yield f"{path}: {num_lines} lines, expected at most {SOFT_LIMIT_LINES}"


def main(root: Path) -> int:
    """Prints what is wrong with the tree; 1 if anything is."""
    engine = root / "src" / "penstock"
    layers = read_layers((engine / "CMakeLists.txt").read_text())
    for warning in long_files(root):
        print(f"warning: {warning}")
    problems = list(check_tree(engine, layers))
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(Path(*sys.argv[1:2])))
