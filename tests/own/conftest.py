"""A problem of one's own in an empty folder, and nothing of it left behind."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from journey import MINE

from bench import baselines, plugs, problems, studies
from fem import elements
from nets import architectures, optimizers


@pytest.fixture
def mine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """./mine.py in the folder where commands run."""
    monkeypatch.chdir(tmp_path)
    registries = [
        package._outside
        for package in (problems, architectures, optimizers, elements, baselines, studies)
    ]
    kept = [dict(registry) for registry in registries]
    path = tmp_path / "mine.py"
    path.write_text(MINE, encoding="utf-8")
    yield path
    for registry, before in zip(registries, kept, strict=True):
        registry.clear()
        registry.update(before)
    plugs._files.clear()
    plugs._studies.clear()
    studies.load.cache_clear()
