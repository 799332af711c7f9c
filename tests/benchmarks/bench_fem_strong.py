"""Error against seconds for the baselines a referee will ask for: N0, N1, the p-version.

One group, hence one table: each row is a discretisation with its error and what it cost (load,
solve and error, one thread, after a small warm-up). N0 is the fastest solver for uniform cubes.
"""

import numpy as np
import pytest

from bench import problems
from bench.methods.boundary_value import boundary_value_data
from fem import best_approximation
from fem.boundary_value import solve_boundary_value
from fem.spaces.bricks.box_solve import BoxSystem, Coefficient, Lift
from fem.spaces.bricks.mesh import uniform
from fem.spaces.bricks.traces import trace_coefficients

GROUP = "fem: error against seconds"
SIZES = {
    "N0": [{"n": n} for n in (4, 8, 16, 32)],
    "N1": [{"n": n} for n in (2, 4, 8, 16)],
    "hexP": [{"n": 1, "order": p} for p in (3, 5, 7, 9)],
}
CASES = [(element, size) for element, sizes in SIZES.items() for size in sizes]
# L² errors that no later version may exceed: `maxwell` from a table, the others measured.
FINEST = {
    ("maxwell", "N0"): 7.77e-4,
    ("maxwell", "N1"): 1.61e-5,
    ("maxwell", "hexP"): 1e-12,
    ("helix", "N0"): 2.4e-2,
    ("helix", "N1"): 6.3e-4,
    ("helix", "hexP"): 3e-9,
}


def named(case):
    element, size = case
    return "-".join([element, *(f"{name}{value}" for name, value in size.items())])


@pytest.mark.parametrize("case", CASES, ids=named)
@pytest.mark.parametrize("problem", ["maxwell", "helix"])
def test_best_approximation(benchmark, problem, case):
    element, size = case
    field = problems.get(problem)

    def run(n, order=None):
        return best_approximation(field.u, field.curl_u, n, element=element, order=order)

    run(**{**size, "n": 1})
    solution = benchmark.pedantic(run, kwargs=size, rounds=1 if size["n"] > 8 else 3)
    benchmark.extra_info.update(
        problem=problem,
        element=element,
        **size,
        dofs=solution.dofs,
        iterations=solution.iterations,
        phases_seconds=solution.total_seconds,  # without the norm for relative errors
        l2_error=solution.l2_error,
        hcurl_error=solution.hcurl_error,
    )
    if size == SIZES[element][-1]:
        assert solution.l2_error < FINEST[problem, element]


@pytest.mark.parametrize(
    ("element", "n"),
    [("N0", 4), ("N0", 16), ("N0", 32), ("N1", 8), ("N1", 16)],
    ids=lambda value: f"n{value}" if isinstance(value, int) else value,
)
def test_boundary_value_problem(benchmark, element, n):
    """`helix` from f, φ and the trace alone: assembly and three SPD solves, no errors."""
    field = problems.helix

    def run(n):
        return solve_boundary_value(boundary_value_data(field), n, element=element, solver="spd")

    run(2)
    solution = benchmark.pedantic(run, (n,), rounds=1)
    l2, hcurl = solution.errors(field.u, field.curl_u)
    benchmark.extra_info.update(
        problem="helix, solved",
        element=element,
        n=n,
        dofs=solution.dofs,
        iterations=solution.iterations,
        l2_error=l2,
        hcurl_error=hcurl,
        divergence=solution.divergence,
    )
    assert solution.divergence < 1e-8
    assert solution.iterations < 70


@pytest.mark.parametrize("order", [2, 4, 8, 16])
def test_evaluation_of_the_p_version(benchmark, order):
    benchmark.group = "fem: p-version at 100 000 points"
    field = problems.helix
    solution = best_approximation(field.u, field.curl_u, 1, element="hexP", order=order)
    points = np.random.default_rng(0).random((3, 100_000))
    solution(points)
    values = benchmark.pedantic(solution, args=(points,), rounds=5)
    error = float(np.sqrt(((values - field.u(points)) ** 2).sum(axis=0).mean()))
    benchmark.extra_info.update(order=order, points=points.shape[1], rms_error=error)
    assert error == pytest.approx(solution.l2_error, rel=0.1)


@pytest.mark.parametrize("contrast", [10.0, 1000.0])
@pytest.mark.parametrize("order", [4, 8, 16])
def test_p_version_with_another_phi(benchmark, order, contrast):
    """A solve whose f and trace were seen before, to an energy error of 1e-4, with its bound."""
    benchmark.group = "fem: p-version, the same f with another φ"
    field = problems.helix
    system = BoxSystem.on(uniform(1, order))
    boundary = trace_coefficients(system.mesh, boundary_value_data(field).g)
    lift = Lift.of(system, boundary_value_data(field), boundary)

    def phi(x):
        return 1.0 + contrast * np.exp(-((x - 0.4) ** 2).sum(axis=0) / 0.08)

    def run():
        weighted = Coefficient(system, phi)
        size = weighted.energy(lift.curls)
        found = weighted.solve(weighted.load(lift.curls), 1e-4 * size)
        return lift.coefficients(found.y), found, size

    _, found, size = benchmark.pedantic(run, rounds=20, warmup_rounds=1)
    benchmark.extra_info.update(
        order=order, contrast=contrast, iterations=found.iterations, bound=found.bound / size
    )
    assert found.bound <= 1e-4 * size
