"""What makes a stored result stale: the code and the data that its cell reaches, nothing else."""

import ast
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from bench import studies
from bench.cells import Cell, kinds, needs_bytes
from bench.store import fingerprint, sources
from bench.store.fingerprint import fingerprint_of, modules_of
from bench.store.sources import module_path, parsed, read_source

ROOT = Path(__file__).parents[2]
# Loads the engines and nothing of ours, then computes each cell of its input in a process of its
# own, forked from there: a line of modules for each.
COMPUTE = """
import json, os, sys
import numba, pyamg, scipy.interpolate, scipy.optimize, scipy.stats, skfem, threadpoolctl, torch
torch.optim.Adam([torch.zeros(1)])  # loads torch's compiler, once for all
for line in sys.stdin:
    kind, config = json.loads(line)
    if os.fork() == 0:
        from bench.cells import load_kind, settings_of
        load_kind(kind).run(settings_of(kind, config))
        os.write(1, (json.dumps(sorted(sys.modules)) + "\\n").encode())
        os._exit(0)
    assert os.wait()[1] == 0, kind
"""
MOST = {
    "evaluations": 3, "tuning_evaluations": 3, "steps": 2, "samples": 40, "repeats": 1, "width": 5,
    "hidden": 3, "depth": 6, "n": 2, "order": 2, "points": 60, "boundary_points": 60, "inputs": 4,
    "jacobian_samples": 2, "theory_samples": 2, "checkpoints": 1,
}  # fmt: skip


def small(cell: Cell) -> Cell:
    """The same with numbers and lists cut short."""
    config = dict(cell.config)
    for name, value in config.items():
        if isinstance(value, list):
            config[name] = value[:1]
        elif name in MOST and value is not None:
            config[name] = min(value, MOST[name])
    return Cell(cell.kind, config)


@pytest.fixture(scope="module")
def quick() -> list[Cell]:
    """The cells of all quick presets."""
    plans = studies.plan(studies.names(), "quick", {})
    return list(dict.fromkeys(cell for plan in plans for cell in plan.cells))


# A user's file of rows is known only to the process that was given it.
NEEDS_A_FILE = {"data_net"}


def cheapest(quick: list[Cell]) -> list[Cell]:
    """One cell of every kind; of those that no quick preset has, from the next larger one."""
    plans = studies.plan(studies.names(), "paper", {})
    larger = [cell for plan in plans for cell in plan.cells]
    first = {cell.kind: cell for cell in (*larger, *sorted(quick, key=needs_bytes, reverse=True))}
    assert set(first) == set(kinds()) - NEEDS_A_FILE
    return [small(cell) for cell in first.values()]


def test_what_a_cell_loads_is_in_its_fingerprint(quick):
    cells = cheapest(quick)
    lines = [json.dumps([cell.kind, dict(cell.config)]) for cell in cells]
    done = subprocess.run(
        [sys.executable, "-c", COMPUTE],
        input="\n".join(lines),
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert done.returncode == 0, done.stderr
    loaded = [set(json.loads(line)) for line in done.stdout.splitlines()]
    ours = {"base", "fem", "nets", "bench", "reports", "femnets"}
    for cell, modules in zip(cells, loaded, strict=True):
        project = {module for module in modules if module.partition(".")[0] in ours}
        assert f"bench.cells.{cell.kind}" in project
        assert project <= modules_of(cell), cell.label


def forget() -> None:
    """Clears what is remembered of sources."""
    for module in (fingerprint, sources):
        for value in vars(module).values():
            if hasattr(value, "cache_clear"):
                value.cache_clear()


@pytest.fixture
def edited(monkeypatch):
    """`edited(change)`: as if every source file had been changed by `change(path, text)`."""

    def edit(change) -> None:
        def read(path):
            text = path.read_text(encoding="utf-8")
            changed = change(path, text)
            return read_source(path) if changed == text else parsed(changed.encode())

        monkeypatch.setattr(fingerprint, "read_source", read)
        forget()

    yield edit
    monkeypatch.undo()
    forget()


def commented(path: Path, text: str) -> str:
    """Another docstring, and a comment and an empty line at the end."""
    docstring = ast.get_docstring(ast.parse(text), clean=False)
    return text.replace(docstring or "\0", "Something else.", 1) + "\n\n# a remark\n"


def test_a_comment_or_docstring_makes_nothing_stale(quick, edited):
    before = [fingerprint_of(cell) for cell in quick]
    edited(commented)
    assert [fingerprint_of(cell) for cell in quick] == before


@pytest.mark.parametrize(
    "module",
    [
        "fem.solvers.stencil_kernels",
        "nets.fast.kernel",
        "nets.architectures.fractional",
        "nets.optimizers.ssbfgs",
        "fem.elements.n1",
        "bench.problems.helix",
        "bench.methods.baselines.rbf",
    ],
)
def test_a_constant_makes_exactly_the_cells_stale_that_reach_it(quick, edited, module):
    home = module_path(module)
    before = [fingerprint_of(cell) for cell in quick]
    reaching = [module in modules_of(cell) for cell in quick]
    edited(lambda path, text: text + "\nCONSTANT = 1\n" if path == home else text)
    stale = [new != old for new, old in zip(map(fingerprint_of, quick), before, strict=True)]
    assert stale == reaching
    assert any(stale)
    assert not all(stale)


def test_a_data_file_makes_the_cells_of_its_problem_stale(monkeypatch):
    plans = studies.plan(["reentrant", "convergence"], "paper", {})
    cells = list(dict.fromkeys(cell for plan in plans for cell in plan.cells))
    before = [fingerprint_of(cell) for cell in cells]
    read = Path.read_bytes
    monkeypatch.setattr(
        Path, "read_bytes", lambda path: read(path) + b"1" * (path.name == "fichera.npz")
    )
    forget()
    stale = [new != old for new, old in zip(map(fingerprint_of, cells), before, strict=True)]
    monkeypatch.undo()
    forget()
    assert stale == [cell.config["problem"] == "fichera" for cell in cells]
    assert any(stale)
