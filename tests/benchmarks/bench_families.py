"""A family of problems: one query by a solve, by a reduced basis and by Chebyshev interpolation."""

import pytest

from bench.methods.surrogates.making import made
from bench.methods.surrogates.queries import Solver
from bench.methods.surrogates.surrogate import Plan
from bench.methods.surrogates.truth import Ruler, Truth

GROUP = "families: one functional at an unseen μ"

PLAN = Plan(dimension=2, order=8, snapshots=24, tol=3e-4)
METHODS = ("solve", "rb", "chebyshev", "kernel")


@pytest.mark.parametrize("method", METHODS)
def test_a_query_of_a_family(benchmark, method):
    family = PLAN.chosen()
    mus = family.sample(8, 900_000)
    ruler = Ruler.of(family, 12, mus)
    if method == "solve":
        asked, offline = Solver(Truth(family, PLAN.order), PLAN.tol), 0.0
    else:
        asked = made(Plan(**{**PLAN.__dict__, "method": method}))
        offline = sum(asked.seconds.values())
    error = max(ruler.error(k, asked.truth, asked.x(mu)) for k, mu in enumerate(mus))
    benchmark.pedantic(asked.mean, args=(mus[0],), rounds=30, warmup_rounds=2)
    benchmark.extra_info.update(
        method=method, snapshots=PLAN.snapshots, offline_seconds=offline, worst_l2_error=error
    )
    assert error < 2e-3
