"""A made-up plugin: a file dropped into a folder of the project, for the length of one test."""

import importlib
import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from base.registry import Registry
from bench.store import fingerprint, sources
from femnets import cli
from reports import sections


@pytest.fixture
def dropped_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Path]]:
    """`dropped_in("bench.cells", "mine", source)`: as if `bench/cells/mine.py` were there.

    The file goes to tmp_path, which joins the package's path; what the project remembers of its
    folders is forgotten before and after. Commands must run in this process (`shell.inside`,
    `--jobs 0`): workers do not see the file.
    """
    dropped: list[tuple[str, str]] = []

    def drop(package: str, name: str, source: str) -> Path:
        home = importlib.import_module(package)
        folder = tmp_path / "plugins" / package
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{name}.py"
        path.write_text(textwrap.dedent(source).lstrip())
        monkeypatch.setattr(home, "__path__", [*home.__path__, str(folder)])
        dropped.append((package, name))
        forget()
        return path

    yield drop
    monkeypatch.undo()
    for package, name in dropped:
        sys.modules.pop(f"{package}.{name}", None)
        vars(sys.modules[package]).pop(name, None)
    forget()


def forget() -> None:
    """Clears what registries, and the fingerprints of their sources, keep about files."""
    importlib.invalidate_caches()
    for registry in Registry.every:
        registry.forget()
    for module in (fingerprint, sources, sections, cli):
        for value in vars(module).values():
            if hasattr(value, "cache_clear"):
                value.cache_clear()
