"""A problem of one's own in an empty folder, and nothing of it left behind."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from journey import MINE

from base.registry import FILES, Registry
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
