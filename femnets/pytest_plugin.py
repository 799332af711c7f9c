"""The pytest option `--benchmark`: runs the benchmarks and nothing else.

Benchmarks are tests with pytest-benchmark's fixture; ours live in `bench_*.py`, with their quality
figures in `extra_info`. If an ini file has `benchmark_needs_switch = true`, as ours does, plain
`pytest` skips benchmarks. Other projects in the same environment are not affected: the option
exists only where it is used, so that a project may have a `--benchmark` of its own.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

SWITCH = "--benchmark"
FILES = "bench_*.py"
CONFTESTS = ("conftest.py", "tests/conftest.py", "test/conftest.py")


def is_asked() -> bool:
    """Return whether `--benchmark`, or the help, is on the command line and not the project's."""
    if not {SWITCH, "--help", "-h"} & {*sys.argv}:
        return False
    found = [path for path in map(Path, CONFTESTS) if path.is_file()]
    return not any(SWITCH in path.read_text(encoding="utf-8", errors="replace") for path in found)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addini("benchmark_needs_switch", "Whether plain pytest skips benchmarks.", "bool")
    if not is_asked():
        return
    parser.getgroup("benchmark").addoption(
        SWITCH,
        dest="benchmark_switch",
        action="store_true",
        help="Run the benchmarks and nothing else; write JSON and compile the benchmark page.",
    )


@pytest.hookimpl(tryfirst=True)  # before pytest-benchmark reads its options
def pytest_configure(config: pytest.Config) -> None:
    option = config.option
    switch = is_asked() and option.benchmark_switch
    if not hasattr(option, "benchmark_only"):
        if switch:
            raise pytest.UsageError(f"{SWITCH} needs pytest-benchmark: pip install 'femnets[test]'")
        return
    from pytest_benchmark.utils import get_tag

    if switch:
        option.benchmark_only = True
        if not (option.benchmark_save or option.benchmark_json or option.benchmark_autosave):
            option.benchmark_autosave = get_tag()
        config.pluginmanager.register(Benchmarks(config), "femnets-benchmarks")
    elif config.getini("benchmark_needs_switch") and not option.benchmark_only:
        option.benchmark_skip = True


class Benchmarks:
    """The hooks that are active only with `--benchmark`."""

    def __init__(self, config: pytest.Config):
        self.chosen_by_user = config.args_source is pytest.Config.ArgsSource.ARGS
        self.page: Path | None = None

    def pytest_ignore_collect(self, collection_path: Path) -> bool | None:
        """Collect only files of benchmarks, unless paths are given."""
        named = self.chosen_by_user or collection_path.is_dir() or collection_path.match(FILES)
        return None if named else True

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Iterator[None]:
        """Record what is measured, and how many cores other processes kept busy."""
        from bench.measure.load import OtherWork

        with OtherWork() as other:
            yield
        fixture = getattr(item, "funcargs", {}).get("benchmark")
        if fixture is None:
            return
        fixture.extra_info["about"] = about(item)
        if other.cores is not None:
            fixture.extra_info["cores_busy_elsewhere"] = round(other.cores, 2)

    def pytest_benchmark_update_machine_info(self, machine_info: dict[str, Any]) -> None:
        """Describe the kind of machine, without its name."""
        from bench.store.provenance import machine, versions

        machine_info.pop("node", None)
        machine_info.update(kind=machine(), versions=versions())

    @pytest.hookimpl(wrapper=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> Iterator[None]:
        """Compile the page, after pytest-benchmark has saved its JSON."""
        yield
        benchmarks = session.config._benchmarksession  # type: ignore[attr-defined]
        if benchmarks.benchmarks:
            from reports import compile_benchmarks

            self.page = compile_benchmarks(saved_json(benchmarks))

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_terminal_summary(self, terminalreporter: Any) -> Iterator[None]:
        """Print after pytest-benchmark's tables, which raise if a time has regressed."""
        try:
            yield
        finally:
            if self.page is not None:
                terminalreporter.write_line(f"benchmark page: {self.page}")


def about(item: pytest.Item) -> str:
    """Return the first paragraph of the docstring of a benchmark, or of its file."""
    owners = (getattr(item, "obj", None), getattr(item, "module", None))
    text = next((thing.__doc__ for thing in owners if getattr(thing, "__doc__", None)), None)
    return " ".join((text or "").split("\n\n")[0].split())


def saved_json(benchmarks: Any) -> Path:
    """Return the file that pytest-benchmark has just written."""
    if benchmarks.json:
        return Path(benchmarks.json)
    files = Path(benchmarks.storage.path).rglob("*.json")
    return max(files, key=lambda path: path.stat().st_mtime_ns)
