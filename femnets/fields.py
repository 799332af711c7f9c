"""Problems, and fields that solve or approximate them, from Python."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bench.measure.formulas import Verdict
    from bench.methods.surrogates.surrogate import Surrogate
    from bench.methods.untrained.solving import UntrainedNet
    from bench.problems import Array, Problem
    from fem.certificates.certificate import Certificate
    from fem.solutions import Solution

Field = Callable[[Any], Any]


def problem(which: str | Problem) -> Problem:
    """Return a problem by name ("maxwell") or by path ("./mine.py", which is executed and checked);
    a `Problem` is returned as it is."""
    from bench import problems
    from femnets.user_files import used

    return problems.get(used(which)) if isinstance(which, str) else which


def check(which: str | Problem) -> list[Verdict]:
    """Return a verdict on each formula of a problem, or on each plugin of a file, as `femnets
    check` prints them."""
    from bench.core import plugins
    from bench.measure.formulas import verdicts
    from femnets.trials import tried

    if isinstance(which, str) and plugins.use(which) != which:
        return tried(which)[0]
    return verdicts(problem(which))


def samples(
    which: str | Problem, N: int, seed: int = 0, *, test: bool = False, features: str = "x,f,phi"
) -> tuple[Array, Array]:
    """Return inputs x and targets y of a net at N points, one row each."""
    chosen = problem(which)
    points = chosen.domain.sample_training(N, seed, test=test)
    return chosen.inputs(points, features.split(",")), chosen.targets(points)


def best_approximation(which: str | Problem | Field, *more: Any, **how: Any) -> Solution:
    """Compute the best approximation in H(curl) of a problem, or of callables (u, curl_u).

    Keywords: `n` cells per side, or `mesh`; `element`, `order`, `solver`, `tol`, as in
    `fem.best_approximation`.
    """
    from bench.problems import Problem
    from fem.approximation import best_approximation as of_callables

    if not isinstance(which, str | Problem):
        return of_callables(which, *more, **how)
    return _field(which, *more, solve=False, **how)


def solve(which: str | Problem, *more: Any, **how: Any) -> Solution:
    """Solve the boundary-value problem from f, φ and the trace; u only measures the error."""
    return _field(which, *more, solve=True, **how)


def _field(which: str | Problem, n: int | None = None, *, solve: bool, **how: Any) -> Solution:
    from bench.methods.finite_elements import Discretisation, approximate

    chosen = problem(which)
    place = Discretisation(n=n, solve=solve, **how)
    place.check(chosen)
    return approximate(chosen, place)


def certify(field: Any, which: str | Problem, *, method: str = "auto") -> Certificate:
    """Bound the error of a field from the problem's data, without its u.

    The field is the path of a saved net, a torch module (N, 3) → (N, 3), an element solution, or a
    callable (3, N) → (3, N). Methods: "own" residuals (modules, and callables with
    `jets(x, order)`), "reference" (any field), "auto" (both, the better counts).
    """
    from bench.methods.certificates.certify import certify as bounded

    return bounded(_certifiable(field), problem(which), method)


def _certifiable(field: Any) -> Any:
    """The field with its derivatives, if it is a file or a torch module."""
    from os import PathLike

    if isinstance(field, str | PathLike):
        from femnets.saved_nets import saved_field

        return saved_field(Path(field))[0]
    if hasattr(field, "parameters") and hasattr(field, "state_dict"):
        from bench.measure.net_fields import ModuleField

        return ModuleField(field)
    return field


def random_features(which: str, **settings: Any) -> UntrainedNet:
    """Solve the boundary-value problem by a net whose hidden weights are drawn, not trained.

    Keywords: `features`, `scale`, `activation`, `seed`, `data_seed`, as `femnets train --net
    random-features` has them. The result has `field`, `net` and `values`.
    """
    from bench.methods.untrained.solving import solve_untrained
    from femnets.user_files import used

    chosen = {name: str(v) if name == "scale" else v for name, v in settings.items()}
    return solve_untrained({"problem": used(which), **chosen})


def surrogate(file: str | Path | None = None, **plan: Any) -> Surrogate:
    """Return the surrogate of a file, or make one; `surrogate(mu)(points)` is its field.

    Without a file the settings are those of `femnets train --track family`: family, dimension,
    contrast, method, order, snapshots, modes, tol, seed and those of nets.
    """
    from bench.core.settings import configured
    from bench.methods.surrogates.making import made
    from bench.methods.surrogates.plan import Plan
    from bench.methods.surrogates.saving import load

    return made(configured(Plan, plan, where="a surrogate")) if file is None else load(file)
