"""Imports point one way, functions fit a screen, rooms stay small: read off the source."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGES = ("base", "fem", "nets", "bench", "reports", "femnets")
# The arrows. A folder may import those of earlier lines; folders of one line do not know each
# other. (`bench` alone: the package's root, which is empty.)
ARROWS = (
    ("base",),
    ("fem", "nets"),
    ("bench.core",),
    ("bench.domains",),
    ("bench.problems",),
    ("bench.measure",),
    ("bench.methods",),
    ("bench.cells",),
    ("bench.studies",),
    ("bench.store",),
    ("bench.runner",),
    ("bench.claims",),
    ("reports",),
    ("femnets",),
)
RANK = {folder: rank for rank, line in enumerate(ARROWS) for folder in line}
# Engines that a package must not load, or must leave to one file.
FORBIDDEN = {
    "base": {"torch", "skfem", "matplotlib", "numpy"},
    "fem": {"torch", "matplotlib"},
    "nets": {"skfem", "matplotlib"},
    "bench": {"matplotlib"},
    "reports": {"torch", "skfem"},
    "femnets": set(),
}
# Draws a study for notebooks; nothing imports it, and it matplotlib, before a figure is asked for.
DRAWS_BY_ITSELF = {"nets/laboratory/drawing.py": {"matplotlib"}}
LOOSE_IN_BENCH = 2  # modules in bench/ itself, at most
# Who draws; everything else in `reports` measures or writes text, and can be used without.
DRAWING = {"figures", "style.py", "svg.py"}
LONGEST_FUNCTION = 60  # lines: a screen
# To be shortened, and not to grow until then: take them off when they fit.
STILL_LONGER: dict[str, int] = {}
MOST_MODULES = 20  # in one room, leaving out `_internal` ones; more is a corridor
PLUGINS = {"bench/cells", "bench/studies", "reports/sections"}  # a file each: as many as there are


def sources(package: str) -> list[Path]:
    return sorted((ROOT / package).rglob("*.py"))


def imported_modules(path: Path, *, when_run: bool = False, names: bool = False) -> set[str]:
    """What a file imports anywhere; `when_run` leaves out what only type checkers read, `names`
    adds the names that are taken out of modules."""
    tree: ast.AST = ast.parse(path.read_text())
    if when_run:
        tree = WithoutTyping().visit(tree)
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            found.add(node.module)
            inside = (f"{node.module}.{alias.name}" for alias in node.names)
            found.update(name for name in inside if names or is_module(name))
    return found


class WithoutTyping(ast.NodeTransformer):
    def visit_If(self, node: ast.If) -> ast.AST | None:
        typing_only = isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
        return None if typing_only else self.generic_visit(node)


def is_module(name: str) -> bool:
    """Whether a dotted name is a file or folder of ours, and not a name within one."""
    place = ROOT.joinpath(*name.split("."))
    return place.is_dir() or place.with_suffix(".py").is_file()


def folder_of(module: str) -> str:
    """The folder of ARROWS that a module of ours belongs to."""
    root, *rest = module.split(".")
    return f"bench.{rest[0]}" if root == "bench" and rest else root


def module_of(path: Path, root: Path = ROOT) -> str:
    return ".".join(path.relative_to(root).with_suffix("").parts).removesuffix(".__init__")


def against_the_arrows(path: Path, root: Path = ROOT) -> list[str]:
    """Imports of a file that point the wrong way, or at a private name of another folder."""
    module = module_of(path, root)
    here, package = folder_of(module), path.parent.relative_to(root).as_posix().replace("/", ".")
    wrong = []
    for name in sorted(imported_modules(path, names=True)):
        if name.split(".")[0] not in PACKAGES or name == "bench":
            continue
        there = folder_of(name)
        if there != here and RANK.get(there, len(RANK)) >= RANK[here]:
            wrong.append(f"{module} imports {name}")
        owner, _, private = name.partition("._")
        if private and not private.startswith("_") and not f"{package}.".startswith(f"{owner}."):
            wrong.append(f"{module} imports the private {name}")
    return wrong


@pytest.mark.parametrize("package", PACKAGES)
def test_imports_point_one_way(package):
    wrong = [line for path in sources(package) for line in against_the_arrows(path)]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize(
    ("place", "line"),
    [
        ("fem/norms.py", "from nets.loss import Loss"),
        ("nets/loss.py", "import bench.problems"),
        ("bench/core/settings.py", "from bench.problems import Problem"),
        ("bench/methods/training.py", "def f():\n    from bench.cells.net import Config"),
        ("bench/cells/net.py", "from bench import studies"),
        ("bench/store/folder.py", "from bench.runner.resume import run_cells"),
        ("bench/claims/rules.py", "from reports.tables import Table"),
        ("reports/html.py", "from femnets.cli import main"),
        ("bench/cells/net.py", "from nets.optimizers._user_optimizers import of"),
        ("bench/cells/net.py", "from bench.methods.training import _ring_error"),
    ],
)
def test_an_import_against_an_arrow_is_found(tmp_path, place, line):
    path = tmp_path / place
    path.parent.mkdir(parents=True)
    path.write_text(line)
    assert against_the_arrows(path, tmp_path)


@pytest.mark.parametrize("package", PACKAGES)
def test_engines_stay_where_they_belong(package):
    for path in sources(package):
        roots = {name.split(".")[0] for name in imported_modules(path)}
        allowed = DRAWS_BY_ITSELF.get(path.relative_to(ROOT).as_posix(), set())
        bad = roots & FORBIDDEN[package] - allowed
        assert not bad, f"{path} imports {bad}"


@pytest.mark.parametrize("name", ["scipy.stats", "bench.claims.statistics"])
def test_reports_decide_no_significance(name):
    """Sections receive verdicts and effects from bench/claims; they compute none."""
    wrong = [str(path) for path in sources("reports") if name in imported_modules(path, names=True)]
    assert not wrong, f"{name} is imported by {wrong}; ask bench/claims"


def test_few_modules_lie_loose_in_bench():
    loose = [path.name for path in (ROOT / "bench").glob("*.py")]
    assert len(loose) <= LOOSE_IN_BENCH, loose


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
        if str(folder.relative_to(ROOT)) in PLUGINS:
            continue
        public = [path.name for path in folder.glob("[!_]*.py")]
        assert len(public) <= MOST_MODULES, f"{folder} has {len(public)} modules: {public}"


def test_packages_exist():
    assert all((ROOT / package / "__init__.py").exists() for package in PACKAGES)


def test_contributing_is_true():
    """Its folders and tests exist, its walk has at most twelve lines, and it fits one screen."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    named = re.findall(r"`((?:base|fem|nets|bench|reports|femnets|tests|docs)/[\w/.]*)`", text)
    assert named, "the table of plugins names its folders and tests"
    missing = [name for name in named if not (ROOT / name).exists()]
    assert not missing
    walk = re.search(r"walk of `femnets run.*?```\n(.*?)```", text, flags=re.DOTALL)
    folders = [re.split(r"\s{2,}", line)[0] for line in walk.group(1).splitlines()]
    assert len(folders) <= 12
    places = [place for line in folders for place in line.split(" | ")]
    assert all((ROOT / place).is_dir() for place in places), places
    assert len(set(places)) == len(places), "without a step back"
    assert len(text.splitlines()) <= 60
