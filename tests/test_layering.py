"""Imports point one way: fem and nets stand alone, bench uses both, reports sees only the store."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGES = ("fem", "nets", "bench", "reports")
FORBIDDEN = {
    "fem": {"nets", "bench", "reports", "torch", "matplotlib"},
    "nets": {"fem", "bench", "reports", "skfem", "matplotlib"},
    "bench": set(),
    "reports": {"fem", "nets", "torch", "skfem"},
}


def imported_modules(path: Path) -> set[str]:
    names = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            names.add(node.module)
    return names


@pytest.mark.parametrize("package", PACKAGES)
def test_imports_point_one_way(package):
    for path in (ROOT / package).rglob("*.py"):
        roots = {name.split(".")[0] for name in imported_modules(path)}
        assert not roots & FORBIDDEN[package], f"{path} imports {roots & FORBIDDEN[package]}"


def test_packages_exist():
    assert all((ROOT / package / "__init__.py").exists() for package in PACKAGES)
