"""Imports point one way, functions fit a screen, rooms stay small: read off the source."""

import ast
import re
from collections.abc import Iterator
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
# Draws a study for notebooks; nothing imports it, and it matplotlib, before a figure is asked for.
DRAWS_BY_ITSELF = {"nets/laboratory/drawing.py": {"matplotlib"}}
# All that `reports` knows of `bench`: a run on disk, its plans, and what the claims say of it.
SEEN_BY_REPORTS = {
    "bench.claims",
    "bench.claims.phases",
    "bench.claims.reentrant",
    "bench.claims.reproduction",
    "bench.claims.solve",
    "bench.claims.sensitivity",
    "bench.claims.tau",
    "bench.errors",
    "bench.guards.output",
    "bench.guards.reading",
    "bench.guards.text",
    "bench.measure.load",
    "bench.measure.saved",
    "bench.statistics",
    "bench.store.files",
    "bench.store.folder",
    "bench.store.kept",
    "bench.store.results",
    "bench.store.survey",
    "bench.studies",
    "bench.titles",
}
# Who draws; everything else in `reports` measures or writes text, and can be used without.
DRAWING = {"figures", "style.py", "svg.py"}
LONGEST_FUNCTION = 60  # lines: a screen
# To be shortened, and not to grow until then: take them off when they fit.
STILL_LONGER: dict[str, int] = {}
MOST_MODULES = 20  # in one room, leaving out `_internal` ones; more is a corridor


def sources(package: str) -> list[Path]:
    return sorted((ROOT / package).rglob("*.py"))


def imported_modules(path: Path, *, when_run: bool = False) -> set[str]:
    """What a file imports anywhere; `when_run` leaves out what only type checkers read."""
    tree: ast.AST = ast.parse(path.read_text())
    if when_run:
        tree = WithoutTyping().visit(tree)
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            names.add(node.module)
            names.update(
                f"{node.module}.{alias.name}"
                for alias in node.names
                if is_module(f"{node.module}.{alias.name}")
            )
    return names


class WithoutTyping(ast.NodeTransformer):
    def visit_If(self, node: ast.If) -> ast.AST | None:
        typing_only = isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
        return None if typing_only else self.generic_visit(node)


def is_module(name: str) -> bool:
    """Whether a dotted name is a file or folder of ours, and not a name within one."""
    place = ROOT.joinpath(*name.split("."))
    return place.is_dir() or place.with_suffix(".py").is_file()


@pytest.mark.parametrize("package", PACKAGES)
def test_imports_point_one_way(package):
    for path in sources(package):
        roots = {name.split(".")[0] for name in imported_modules(path)}
        allowed = DRAWS_BY_ITSELF.get(path.relative_to(ROOT).as_posix(), set())
        bad = roots & FORBIDDEN[package] - allowed
        assert not bad, f"{path} imports {bad}"


def test_reports_sees_only_the_store_the_plans_and_the_claims():
    seen = {
        name: path
        for path in sources("reports")
        for name in imported_modules(path)
        if name.startswith("bench.")
    }
    extra = {name: str(path) for name, path in seen.items() if name not in SEEN_BY_REPORTS}
    assert not extra, f"not on the list of what reports may see: {extra}"
    assert seen.keys() == SEEN_BY_REPORTS, "the list names what is no longer imported"


def test_the_page_does_not_need_the_pdf():
    """Nor the other way round: each medium knows the document and nothing of its sibling."""
    assert "reports.pdf" not in imported_modules(ROOT / "reports/html.py")
    assert "reports.html" not in imported_modules(ROOT / "reports/pdf.py")


def test_drawing_stands_apart_from_measuring():
    for path in sources("reports"):
        if not DRAWING & {part.name for part in (path, *path.parents)}:
            roots = {name.split(".")[0] for name in imported_modules(path, when_run=True)}
            assert "matplotlib" not in roots, f"{path} draws; figures live in reports/figures"
    for path in sources("reports/figures"):
        seen = {name for name in imported_modules(path) if name.startswith("bench")}
        assert seen <= {"bench.store.results"}, f"{path} sees {seen}: a figure is given results"


def functions(path: Path) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


@pytest.mark.parametrize("package", PACKAGES)
def test_functions_fit_a_screen(package):
    lengths = {
        f"{path.relative_to(ROOT)}:{node.name}": (node.end_lineno or 0) - node.lineno + 1
        for path in sources(package)
        for node in functions(path)
    }
    long = {
        name: lines
        for name, lines in lengths.items()
        if lines > STILL_LONGER.get(name, LONGEST_FUNCTION)
    }
    assert not long, f"longer than {LONGEST_FUNCTION} lines: {long}"


@pytest.mark.parametrize("package", PACKAGES)
def test_rooms_stay_small(package):
    folders = [path.parent for path in sources(package) if path.name == "__init__.py"]
    for folder in folders:
        public = [path.name for path in folder.glob("[!_]*.py")]
        assert len(public) <= MOST_MODULES, f"{folder} has {len(public)} modules: {public}"


def test_packages_exist():
    assert all((ROOT / package / "__init__.py").exists() for package in PACKAGES)


def test_contributing_is_true():
    """Its folders and tests exist, its walk has at most twelve lines, and it fits one screen."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    named = re.findall(r"`((?:fem|nets|bench|reports|tests|docs)/[\w/.]*)`", text)
    assert named, "the table of plugs names its folders and tests"
    missing = [name for name in named if not (ROOT / name).exists()]
    assert not missing
    walk = re.search(r"walk of `femnets run.*?```\n(.*?)```", text, flags=re.DOTALL)
    rooms = [re.split(r"\s{2,}", line)[0] for line in walk.group(1).splitlines()]
    assert len(rooms) <= 12
    places = [place for room in rooms for place in room.split(" | ")]
    assert all((ROOT / place).is_dir() for place in places), places
    assert len(set(places)) == len(places), "without a step back"
    assert len(text.splitlines()) <= 60
