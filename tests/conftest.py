"""What several tests need: the command line in a process of its own, in an empty directory."""

import contextlib
import io
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from bench.core.threads import use_one_thread

# Before NumPy: the arrays of tests are small, and two threads that wait for each other on a busy
# machine make some of them ten times slower (59 -> 6 s for tests/nets/test_training.py).
use_one_thread()

TESTS = Path(__file__).parent
CLI = [sys.executable, "-c", "from femnets.cli import main; main()"]


class Shell:
    """Runs `femnets ...` as users do, with the test-only cells on the path."""

    def __init__(self, directory: Path):
        self.directory = directory
        self.cue = directory / "cue"  # while it exists, cells of the fault lab misbehave
        self.environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(TESTS / "bench"), str(TESTS.parent)]),
            "FAULTLAB_CUE": str(self.cue),
            "COLUMNS": "200",
        }
        self.started: list[subprocess.Popen[str]] = []

    def start(self, *arguments: str, command: list[str] = CLI, **options) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [*command, *arguments],
            cwd=self.directory,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            **options,
        )
        self.started.append(process)
        return process

    def femnets(self, *arguments: str, **options) -> subprocess.CompletedProcess[str]:
        process = self.start(*arguments, **options)
        out, err = process.communicate(timeout=600)
        return subprocess.CompletedProcess(arguments, process.returncode, out, err)

    def inside(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """The same within this process: half a second less, where a process does not matter."""
        from femnets.cli import invoke

        out, err = io.StringIO(), io.StringIO()
        with (
            contextlib.chdir(self.directory),
            contextlib.redirect_stdout(out),
            contextlib.redirect_stderr(err),
            pytest.MonkeyPatch.context() as patch,
        ):
            patch.setenv("FAULTLAB_CUE", str(self.cue))
            code = invoke(list(arguments))
        return subprocess.CompletedProcess(arguments, code, out.getvalue(), err.getvalue())

    def stop_all(self) -> None:
        for process in self.started:
            if process.poll() is None:
                process.send_signal(signal.SIGKILL)
                process.wait()
            for stream in (process.stdout, process.stderr):
                if stream is not None:
                    stream.close()


@pytest.fixture
def shell(tmp_path: Path) -> Iterator[Shell]:
    shell = Shell(tmp_path)
    yield shell
    shell.stop_all()


# No test of ours asserts a clock. Where changes are judged, every run draws the same examples.
settings.register_profile("here", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True)
settings.register_profile("fuzz", deadline=None, max_examples=10_000)
settings.load_profile("ci" if os.environ.get("CI") == "true" else "here")


def pytest_configure(config: pytest.Config) -> None:
    """`-m fuzz` takes the large dose: an hour."""
    if config.getoption("-m") == "fuzz":
        settings.load_profile("fuzz")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Large cases run only where they are asked for."""
    if "large" not in config.getoption("-m"):
        reason = pytest.mark.skip(reason="large: run it with -m large")
        for item in items:
            if "large" in item.keywords:
                item.add_marker(reason)
