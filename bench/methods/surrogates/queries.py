"""What a query costs and how wrong it is: the same unseen μ and the same norm for every method."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from bench.measure.medians import median
from bench.methods.surrogates.making import made
from bench.methods.surrogates.surrogate import Plan, Surrogate
from bench.methods.surrogates.timing import clocked
from bench.methods.surrogates.truth import Ruler, Truth
from bench.problems.families import Array, get
from fem.boundary_value import solve_boundary_value
from fem.rules.quadrature import gauss

UNSEEN = 900_000  # the seed of the μ that are asked; no surrogate is trained on them
TIMED, FEW = 12, 4  # queries that are timed, after one to warm up: functionals, fields
POINTS = 12  # Gauss points per direction for fields without coefficients
EFFECTIVITIES = 10
REPEAT_BELOW_SECONDS = 1.0


@lru_cache(maxsize=4)
def ruler(family: str, dimension: int, contrast: float, order: int, queries: int) -> Ruler:
    """The reference solutions at the unseen μ; kept, because every cell of a family needs them."""
    chosen = get(family, dimension, contrast)
    return Ruler.of(chosen, order, chosen.sample(queries, UNSEEN))


@dataclass(frozen=True, eq=False)
class Asked:
    """A method that is asked for the μ of a ruler."""

    ruler: Ruler

    @cached_property
    def _rule(self) -> tuple[Array, Array]:
        x, w = gauss(POINTS)
        points = np.stack(np.meshgrid(x, x, x, indexing="ij")).reshape(3, -1)
        return points, np.einsum("i,j,k->ijk", w, w, w).ravel()

    def field_error(self, k: int, field: Callable[[Array], Array]) -> float:
        """The relative L² error of a field at the k-th μ, by a rule."""
        points, weights = self._rule
        exact = self.ruler.truth.space.evaluate(self.ruler.solutions[k], points)
        rest = ((field(points) - exact) ** 2 * weights).sum()
        return float(np.sqrt(rest / (exact**2 * weights).sum()))

    def errors(self, method: Surrogate | Solver | Meshed) -> Array:
        """Relative L² errors over the cube, one for each μ."""
        mus = self.ruler.mus
        if isinstance(method, Meshed) or getattr(method, "space", None) is not None:
            return np.array([self.field_error(k, method.field(mu)) for k, mu in enumerate(mus)])
        return np.array(
            [self.ruler.error(k, method.truth, method.x(mu)) for k, mu in enumerate(mus)]
        )

    def seconds(self, method: Any) -> dict[str, float]:
        """Seconds per query for one functional (median and quartiles), one point, a whole field."""
        point = np.array([[0.4], [0.3], [0.6]])
        mean = self._times(method.mean)
        low, middle, high = np.quantile(mean, [0.25, 0.5, 0.75])
        one = median(self._times(lambda mu: method.field(mu)(point), FEW))
        whole = median(self._times(method.whole, FEW))
        return {
            "seconds_functional": float(middle), "seconds_functional_low": float(low),
            "seconds_functional_high": float(high), "seconds_point": float(one),
            "seconds_grid": float(whole),
        }  # fmt: skip

    def _times(self, ask: Callable[[Array], Any], count: int = TIMED) -> list[float]:
        mus = self.ruler.mus[: count + 1]
        return [clocked(lambda mu=mu: ask(mu))[1] for mu in mus][1:]  # type: ignore[misc]


@dataclass(frozen=True, eq=False)
class Solver:
    """One p-version solve per query; `none` leaves v out: the solution for φ = 1."""

    truth: Truth
    tol: float
    none: bool = False

    def x(self, mu: Array) -> Array:
        if self.none:
            return self.truth.lift(mu).x
        return self.truth.coefficients(mu, self.truth.solve(mu, self.tol).y)

    def field(self, mu: Array) -> Callable[[Array], Array]:
        x = self.x(mu)
        return lambda points: self.truth.space.evaluate(x, points)

    def whole(self, mu: Array) -> Array:
        return self.truth.on_grid(self.x(mu))

    def mean(self, mu: Array) -> float:
        return float(self.x(mu) @ self.truth.mean)


@dataclass(frozen=True, eq=False)
class Meshed:
    """One solve per query on n cells per side with a low-order element."""

    truth: Truth
    element: str
    n: int
    tol: float

    def field(self, mu: Array) -> Callable[[Array], Array]:
        problem = self.truth.family.problem(mu)
        return solve_boundary_value(problem, self.n, element=self.element, tol=0.1 * self.tol)

    def whole(self, mu: Array) -> Array:
        from bench.methods.surrogates.truth import grid_points

        return self.field(mu)(grid_points())

    def mean(self, mu: Array) -> float:
        x, w = gauss(4)
        points = np.stack(np.meshgrid(x, x, x, indexing="ij")).reshape(3, -1)
        return float(self.field(mu)(points)[0] @ np.einsum("i,j,k->ijk", w, w, w).ravel())


def effectivities(surrogate: Surrogate, mus: Array) -> list[float]:
    """η over the true energy distance to the p-version's solution of the same order."""
    if surrogate.basis is None or surrogate.family.varies != "phi":
        return []
    truth, found = surrogate.truth, []
    for mu in mus[:EFFECTIVITIES]:
        assert surrogate.coefficients is not None
        y = surrogate.basis.combined(surrogate.coefficients(mu))
        true = truth.energy(mu, y - truth.solve(mu, 1e-12).y)
        bound = surrogate.bound(mu)
        if bound is not None and true > 1e-11 * truth.size(truth.lift(mu)):
            found.append(bound / true)
    return found


def batch_seconds(surrogate: Surrogate, mus: Array) -> float | None:
    """Seconds per query where many coefficients are asked for at once; None without them."""
    if surrogate.batch is None:
        return None
    surrogate.batch(mus)
    return clocked(lambda: surrogate.batch(mus))[1] / len(mus)  # type: ignore[misc]


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
    family = (plan.family, plan.dimension, plan.contrast)
    return surrogate, *_described(surrogate, seconds, Asked(ruler(*family, reference, queries)))


def _described(
    surrogate: Surrogate, seconds: dict[str, float], asked: Asked
) -> tuple[dict[str, Any], dict[str, Array]]:
    """The values and arrays of a surrogate."""
    errors, basis = asked.errors(surrogate), surrogate.basis
    indices = effectivities(surrogate, asked.ruler.mus)
    values = {
        "error_worst": float(errors.max()),
        "error_median": median(errors),
        "modes": None if basis is None else len(basis),
        "terms": len(surrogate.lifts.interpolation.mus),
        "effectivity_low": min(indices) if indices else None,
        "effectivity_high": max(indices) if indices else None,
        "seconds_offline": sum(seconds.values()),
        "seconds_batch": batch_seconds(surrogate, asked.ruler.mus),
        **{f"seconds_{name}": value for name, value in seconds.items()},
        **asked.seconds(surrogate),
    }
    singular = {} if basis is None else {"singular": basis.singular}
    return values, {"errors": errors, **singular}
