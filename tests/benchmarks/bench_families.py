"""A family of problems: one query by a solve, by a reduced basis and by Chebyshev interpolation."""

import pytest

from bench.methods.surrogates.making import made
from bench.methods.surrogates.plan import Plan
from bench.methods.surrogates.queries import Ruler
from bench.methods.surrogates.surrogate import Solver
from bench.methods.surrogates.truth import Truth

GROUP = "families: one functional at an unseen μ"

PLAN = Plan(dimension=2, order=8, snapshots=24, tol=3e-4)
METHODS = ("solve", "rb", "chebyshev", "kernel")


@pytest.mark.parametrize("method", METHODS)
def test_a_query_of_a_family(benchmark, method):
    family = PLAN.chosen()
    mus = family.sample(8, 900_000)
    ruler = Ruler.of(family, 12, mus)
    if method == "solve":
        asked, offline = Solver(truth=Truth(family, PLAN.order), tol=PLAN.tol), 0.0
    else:
        asked = made(Plan(**{**PLAN.__dict__, "method": method}))
        offline = sum(asked.seconds.values())
    error = max(ruler.error(k, asked) for k in range(len(mus)))
    benchmark.pedantic(asked.mean, args=(mus[0],), rounds=30, warmup_rounds=2)
    benchmark.extra_info.update(
        method=method, snapshots=PLAN.snapshots, offline_seconds=offline, worst_l2_error=error
    )
    assert error < 2e-3
