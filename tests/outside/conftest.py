"""A problem of one's own in an empty folder, and nothing of it left behind."""

import pickle
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from journey import MINE

from base.registry import FILES, Registry
from bench.cells import Cell
from bench.core import plugins


@pytest.fixture
def mine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """./mine.py in the folder where commands run."""
    monkeypatch.chdir(tmp_path)
    before = dict(FILES)
    path = tmp_path / "mine.py"
    path.write_text(MINE, encoding="utf-8")
    yield path
    FILES.clear()
    FILES.update(before)
    for registry in Registry.every:
        registry.forget()
    plugins._files.clear()
    plugins._studies.clear()


@pytest.fixture
def seen_elsewhere() -> Callable[[Cell, str], str]:
    """What another process, in another folder, finds of a problem that a cell brings along."""

    def seen(cell: Cell, what: str) -> str:
        code = (
            "import pickle, sys\n"
            "cell = pickle.loads(sys.stdin.buffer.read())\n"
            "from bench import problems\n"
            f"print(problems.get(cell.config['problem']).{what})"
        )
        there, words = pickle.dumps(cell), [sys.executable, "-c", code]
        done = subprocess.run(words, input=there, capture_output=True, cwd="/", timeout=60)
        return done.stdout.decode().strip() or done.stderr.decode()

    return seen
