"""Kernels are loaded before the first timed mesh, once per process."""

from dataclasses import replace

import pytest

from bench import problems
from bench.methods import preparing
from bench.methods.finite_elements import Discretisation
from fem.meshes import cube


@pytest.fixture
def seen(monkeypatch):
    """What `prepare` computes, in a process that has prepared nothing yet."""
    found = []
    monkeypatch.setattr(preparing, "_prepared", set())
    monkeypatch.setattr(preparing, "approximate", lambda problem, small: found.append(small))
    monkeypatch.setattr(preparing, "_on_the_cube", found.append)
    return found


def test_a_small_version_with_the_solver_of_the_large_one(seen):
    chosen = Discretisation(solve=True, n=32)
    preparing.prepare(problems.maxwell, chosen)
    preparing.prepare(problems.maxwell, replace(chosen, n=16))
    assert [(small.solver, small.n) for small in seen] == [("cube", 4)]
    preparing.prepare(problems.screen, replace(chosen, grading=2.0))
    preparing.prepare(problems.maxwell, replace(chosen, mesh=cube(10), n=None))
    preparing.prepare(problems.maxwell, replace(chosen, mesh=cube(2), n=None))
    assert [small.solver for small in seen[1:]] == ["spd", "spd", "auto"]
    preparing.prepare(problems.maxwell, Discretisation(n=20))
    preparing.prepare(problems.maxwell, Discretisation(element="hexP", order=9, n=4))
    assert [(small.solver, small.n, small.order) for small in seen[4:]] == [
        ("kuhn32", 9, None), ("tensor", 2, 2),
    ]  # fmt: skip
