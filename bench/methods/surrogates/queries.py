"""What a query costs and how wrong it is: the same unseen μ and the same norm for every method."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from typing import Any

import numpy as np

from bench.measure.medians import median
from bench.measure.timing import cpu_clocked
from bench.methods.surrogates.making import made
from bench.methods.surrogates.plan import Plan
from bench.methods.surrogates.surrogate import Answers, OnBasis, OnBrick, Surrogate
from bench.methods.surrogates.truth import Truth, cube_rule
from bench.problems.families import Array, Family, get
from fem.rules.quadrature import gauss
from fem.spaces.bricks.tensor import values

UNSEEN = 900_000  # the seed of the μ that are asked; no surrogate is trained on them
TIMED, FEW = 12, 4  # queries that are timed, after one to warm up: functionals, fields
POINTS = 12  # Gauss points per direction for fields without coefficients
EFFECTIVITIES = 10
REPEAT_BELOW_SECONDS = 1.0


@dataclass(frozen=True, eq=False)
class Ruler:
    """Solutions of a high order at some μ, with which every method is compared."""

    truth: Truth
    mus: Array
    solutions: list[Array]

    @classmethod
    def of(cls, family: Family, order: int, mus: Array, tol: float = 1e-9) -> Ruler:
        truth = Truth(family, order)
        solutions = [truth.coefficients(mu, truth.solve(mu, tol).y) for mu in mus]
        return cls(truth, mus, solutions)

    def error(self, k: int, method: Answers) -> float:
        """‖u − u_ref‖/‖u_ref‖ in L² over the cube at the k-th μ: of coefficients on a grid that is
        exact for products of two solutions, of other fields by a fixed rule."""
        if isinstance(method, OnBrick):
            _, w = gauss(self.truth.order + 2)
            weights = np.einsum("i,j,k->ijk", w, w, w)
            exact = self._sampled(self.truth, self.solutions[k])
            found = self._sampled(method.truth, method.x(self.mus[k]))
        else:
            points, weights = cube_rule(POINTS)
            exact = self.truth.space.evaluate(self.solutions[k], points)
            found = method.field(self.mus[k])(points)
        rest, size = (((field**2) * weights).sum() for field in (found - exact, exact))
        return float(np.sqrt(rest / size))

    @cached_property
    def _tables(self) -> dict[int, Any]:
        return {}

    def _sampled(self, truth: Truth, x: Array) -> Array:
        """A field of any order on the grid."""
        if truth.order not in self._tables:
            self._tables[truth.order] = truth.tables(gauss(self.truth.order + 2)[0])
        return values(truth.system.mesh.split(x), self._tables[truth.order])

    def errors(self, method: Answers) -> Array:
        """Relative L² errors, one for each μ."""
        return np.array([self.error(k, method) for k in range(len(self.mus))])

    def seconds(self, method: Answers) -> dict[str, float]:
        """Seconds per query for one functional (median and quartiles), one point, a whole field."""
        point = np.array([[0.4], [0.3], [0.6]])
        low, middle, high = np.quantile(self._times(method.mean), [0.25, 0.5, 0.75])
        return {
            "seconds_functional": float(middle), "seconds_functional_low": float(low),
            "seconds_functional_high": float(high),
            "seconds_point": median(self._times(lambda mu: method.field(mu)(point), FEW)),
            "seconds_grid": median(self._times(method.whole, FEW)),
        }  # fmt: skip

    def _times(self, ask: Callable[[Array], Any], count: int = TIMED) -> list[float]:
        return [cpu_clocked(partial(ask, mu))[1] for mu in self.mus[: count + 1]][1:]


@lru_cache(maxsize=4)
def ruler(family: str, dimension: int, contrast: float, order: int, queries: int) -> Ruler:
    """The reference solutions at the unseen μ; kept, because every cell of a family needs them."""
    chosen = get(family, dimension, contrast)
    return Ruler.of(chosen, order, chosen.sample(queries, UNSEEN))


def effectivities(surrogate: Surrogate, mus: Array) -> list[float]:
    """η over the true energy distance to the p-version's solution of the same order."""
    truth, found = surrogate.truth, []
    for mu in mus[:EFFECTIVITIES]:
        bound = surrogate.bound(mu)
        if bound is None or not isinstance(surrogate, OnBasis):
            return []
        true = truth.energy(mu, surrogate.combined(mu) - truth.solve(mu, 1e-12).y)
        if true > 1e-11 * truth.size(truth.lift(mu)):
            found.append(bound / true)
    return found


def batch_seconds(surrogate: Surrogate, mus: Array) -> float | None:
    """Seconds per query where many coefficients are asked for at once; None without them."""
    batch = getattr(getattr(surrogate, "coefficients", None), "batch", None)
    if batch is None:
        return None
    batch(mus)
    return cpu_clocked(lambda: batch(mus))[1] / len(mus)


def measured(
    plan: Plan, queries: int, reference: int, say: Callable[[str], None] = lambda text: None
) -> tuple[Surrogate, dict[str, Any], dict[str, Array]]:
    """A surrogate with its errors and costs; short offline phases are the median of three."""
    surrogate = made(plan, say)
    runs = [surrogate.seconds]
    if sum(surrogate.seconds.values()) < REPEAT_BELOW_SECONDS:
        runs += [made(plan).seconds for _ in range(2)]
    seconds = sorted(runs, key=lambda run: sum(run.values()))[len(runs) // 2]
    say(f"measuring at {queries} unseen μ")
    asked = ruler(plan.family, plan.dimension, plan.contrast, reference, queries)
    errors, indices = asked.errors(surrogate), effectivities(surrogate, asked.mus)
    basis = surrogate.basis if isinstance(surrogate, OnBasis) else None
    document = {
        "error_worst": float(errors.max()),
        "error_median": median(errors),
        "modes": None if basis is None else len(basis),
        "terms": len(surrogate.lifts.interpolation.mus),
        "effectivity_low": min(indices, default=None),
        "effectivity_high": max(indices, default=None),
        "seconds_offline": sum(seconds.values()),
        "seconds_batch": batch_seconds(surrogate, asked.mus),
        **{f"seconds_{name}": value for name, value in seconds.items()},
        **asked.seconds(surrogate),
    }
    singular = {} if basis is None else {"singular": basis.singular}
    return surrogate, document, {"errors": errors, **singular}
