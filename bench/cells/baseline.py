"""One baseline without a net, fitted to the same samples as the nets (track: fit)."""

from __future__ import annotations

from typing import Any

from bench.cells import Result

DEFAULTS = {
    "method": ...,
    "problem": "maxwell",
    "features": "x,f,phi",
    "samples": 12_000,
    "data_seed": 0,
    "seed": 0,
}
DEPENDS = (
    "bench.baselines",
    "bench.problems",
    "bench.measure.ruler",
    "bench.measure.queries",
    "fem",
)
TIMING = False


def needs_bytes(config: dict[str, Any]) -> int:
    return 500 * 2**20


def run(config: dict[str, Any]) -> Result:
    import time

    from bench import problems
    from bench.baselines import fit_baseline
    from bench.measure.queries import seconds_per_point
    from bench.measure.ruler import field_errors, relative_test_error

    problem = problems.get(config["problem"])
    points = problem.sample_cylinder(config["samples"], config["data_seed"])
    held_out = problem.sample_cylinder(config["samples"], config["data_seed"], test=True)
    start = time.perf_counter()
    field = fit_baseline(
        config["method"],
        problem,
        points,
        features=config["features"].split(","),
        seed=config["seed"],
    )
    seconds = time.perf_counter() - start
    return Result(
        {
            **field_errors(field, problem, jacobian=field.jacobian),
            "rel_test_error": relative_test_error(field(held_out).T, problem.targets(held_out)),
            "unknowns": field.unknowns,
            "smooth": problem.smooth,
            "seconds": seconds,
            "seconds_per_point": seconds_per_point(field),
        }
    )
