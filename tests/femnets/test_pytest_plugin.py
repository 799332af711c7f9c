"""`pytest --benchmark`, literally, in a process of its own."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

SUITE = """
import time

def test_plain():
    assert True

def test_timed(benchmark):
    benchmark.group = "harness"
    benchmark.pedantic(time.sleep, (0.001,), rounds=3)
    benchmark.extra_info.update(l2_error=0.5, dofs=7)
"""
INI = "[pytest]\nbenchmark_needs_switch = true\npython_files = test_*.py bench_*.py\n"


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    path = tmp_path_factory.mktemp("project")
    (path / "bench_small.py").write_text(SUITE)
    (path / "test_other.py").write_text("def test_other():\n    assert True\n")
    (path / "pytest.ini").write_text(INI)
    return path


@pytest.fixture(scope="module")
def first(project):
    """A first run under the switch, and the JSON it saved."""
    done = run_pytest(project, "--benchmark")
    (path,) = saved(project)
    return done, path


def run_pytest(project, *arguments, command=(sys.executable, "-m", "pytest")):
    # pytest-benchmark switches itself off under xdist, whose variables a child would inherit.
    outer = {name: value for name, value in os.environ.items() if "XDIST" not in name}
    words = [*command, "-p", "no:cacheprovider", *arguments]
    return subprocess.run(
        words, cwd=project, env=outer, capture_output=True, text=True, timeout=120
    )


def saved(project):
    return sorted((project / ".benchmarks").rglob("*.json"))


def test_a_strangers_project_may_have_a_switch_of_that_name(tmp_path):
    """Its option is its own, with and without our plugin, and nothing else is said."""
    option = "def pytest_addoption(parser):\n    parser.addoption('--benchmark', default='none')\n"
    (tmp_path / "conftest.py").write_text(option)
    test = "def test_it(pytestconfig):\n    assert pytestconfig.getoption('benchmark') == 'fast'\n"
    (tmp_path / "test_it.py").write_text(test)
    ours, without = (
        run_pytest(tmp_path, "-q", "--benchmark=fast", *words)
        for words in ((), ("-p", "no:femnets"))
    )
    assert ours.returncode == without.returncode == 0, ours.stdout + ours.stderr
    assert ours.stdout.split(" in ")[0] == without.stdout.split(" in ")[0]
    assert run_pytest(tmp_path, "-q", "--collect-only").returncode == 0


def test_plain_pytest_skips_benchmarks(project):
    before = saved(project)
    done = run_pytest(project)
    assert done.returncode == 0, done.stdout
    assert "2 passed, 1 skipped" in done.stdout
    assert saved(project) == before


def test_the_switch_runs_benchmarks_and_nothing_else(first):
    done, path = first
    assert done.returncode == 0, done.stdout + done.stderr
    assert "1 passed, 1 skipped" in done.stdout  # test_other.py is not even collected
    document = json.loads(path.read_text())
    told = document["benchmarks"][0]["extra_info"]
    assert (told["l2_error"], told["dofs"]) == (0.5, 7)
    assert document["benchmarks"][0]["group"] == "harness"
    assert "node" not in document["machine_info"]
    assert document["machine_info"]["kind"]["cores"] >= 1
    assert "commit_info" in document
    page = path.with_suffix(".html")
    assert page.exists()
    assert f"benchmark page: {page}" in done.stdout


def test_benchmarks_of_one_file_are_found_by_the_command_alone():
    """`pytest`, unlike `python -m pytest`, does not look in the working folder by itself."""
    found = run_pytest(
        Path(__file__).parents[2],
        *("--benchmark", "--collect-only", "-q", "tests/benchmarks/bench_gradients.py"),
        command=[Path(sys.executable).parent / "pytest"],
    )
    assert found.returncode == 0, found.stdout + found.stderr
    assert "test_overhead_of_recording" in found.stdout
