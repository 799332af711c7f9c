"""Check a problem's formulas against each other: which disagree, where and by how much.

Derivatives come from central differences of fourth order at two step lengths; how far these two
differ estimates their own error. A formula disagrees where it is farther from them than TOLERANCE
of the size of the quantity plus ten times that estimate, so that a correct formula is not rejected
because a difference was inaccurate.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from base.errors import UserError
from bench.core.guards.text import shell_command
from bench.measure.medians import median
from bench.measure.net_fields import difference_jacobian, difference_steps
from bench.measure.norms import curl_of
from bench.measure.soundness import defects, points_of
from fem.certificates.constants import PhiBounds

if TYPE_CHECKING:
    from bench.problems import Array, Problem

    Field = Callable[[Array], Array]

TOLERANCE = 1e-6  # of the largest value of the quantity over the points
DOUBT = 10.0
POINTS = 200  # of the domain, and as many of its training part


@dataclass(frozen=True)
class Verdict:
    """One formula: how far it is from what it should be, as a share of its size."""

    name: str  # curl u
    meaning: str  # curl_u and the curl of u
    agrees: bool
    worst: float | None = None  # relative
    where: tuple[float, float, float] | None = None
    said: tuple[float, ...] = ()
    found: tuple[float, ...] = ()
    hint: str = ""

    def line(self) -> str:
        """`curl u: curl_u says …, differences say …`"""
        if self.agrees:
            return (
                f"{self.name}: agrees to {self.worst:.1e}" if self.worst is not None else self.name
            )
        if self.where is None:
            return f"{self.name}: {self.hint}"
        at = ", ".join(f"{c:.3g}" for c in self.where)
        return (
            f"{self.name}: {self.meaning} differ by {self.worst:.2g} of its size at ({at}): "
            f"{_shown(self.said)} instead of {_shown(self.found)}{self.hint}"
        )

    def document(self) -> dict[str, Any]:
        """The verdict for JSON, with the same keys whether it agrees or not."""
        return {
            "formula": self.name,
            "agrees": self.agrees,
            "difference": self.worst,
            "where": None if self.where is None else list(self.where),
            "said": list(self.said),
            "found": list(self.found),
            "line": self.line(),
        }


def verdicts(problem: Problem) -> list[Verdict]:
    """Every formula of the problem that can be compared with another."""
    x = points_of(problem, POINTS)
    broken = [v for v in _well_formed(problem, x) if not v.agrees]
    return broken or [*_equations(problem, x), *_boundary(problem), *_values(problem)]


def require(problem: Problem, place: str) -> None:
    """Raise a UserError that names the formulas of a problem which contradict each other."""
    wrong = [verdict.line() for verdict in verdicts(problem) if not verdict.agrees]
    if wrong:
        command = shell_command("femnets", "check", place)
        more = f"; and {len(wrong) - 1} more" if len(wrong) > 1 else ""
        raise UserError(f"{place}: {wrong[0]}{more}; see all with `{command}`")


def _well_formed(problem: Problem, x: Array) -> Iterator[Verdict]:
    """Shapes and finiteness: (3, …) → (3, …) for fields, (3, …) → (…) for scalars."""
    fields = {"u": problem.u, "curl_u": problem.curl_u, "f": problem.f}
    fields |= {"grad_phi": problem.grad_phi}
    if not problem.known:
        del fields["u"], fields["curl_u"]
    block = x[:, :24].reshape(3, 4, 6)
    for name, call in {**fields, "phi": problem.phi, "rho": problem.rho}.items():
        wanted = (3, 4, 6) if name in fields else (4, 6)
        try:
            values = np.asarray(call(block))
        except Exception as error:
            hint = f"raised {type(error).__name__}: {' '.join(str(error).split())}"
            yield Verdict(name, "", False, hint=hint)
            continue
        if values.shape != wanted:
            hint = f"gives shape {values.shape} for points (3, 4, 6), not {wanted}"
            yield Verdict(name, "", False, hint=hint)
        elif not np.isfinite(values).all():
            index = np.argwhere(~np.isfinite(values))[0][-2:]
            at = tuple(float(c) for c in block[:, index[0], index[1]])
            hint = "is not finite at ({:.3g}, {:.3g}, {:.3g})".format(*at)
            yield Verdict(name, "", False, where=None, hint=hint)


def _equations(problem: Problem, x: Array) -> Iterator[Verdict]:
    """curl u, div u = ρ, curl(φ curl u) = f, ∇φ; without u: div f = 0."""
    steps = difference_steps(problem, x)

    def held(name: str, meaning: str, said: Array, of: Field, made: Field) -> Verdict:
        D, finer = (difference_jacobian(of, x, step) for step in (steps, steps / 2))
        size = float(np.abs(D).max())  # of the terms: a sum that should vanish has none of its own
        both = np.atleast_2d(made(finer)), np.atleast_2d(made(D))
        return _compared(name, meaning, x, np.atleast_2d(said), *both, size)

    def divergence(D: Array) -> Array:
        return np.einsum("iiq->q", D)

    if problem.closed_form:
        yield held("curl u", "curl_u and the curl of u", problem.curl_u(x), problem.u, curl_of)
        yield held("div u", "rho and the divergence of u", problem.rho(x), problem.u, divergence)

        def flux(p: Array) -> Array:
            return problem.phi(p) * problem.curl_u(p)

        yield held("equation", "f and curl(phi curl_u)", problem.f(x), flux, curl_of)
    else:
        zero = np.zeros(x.shape[1])
        yield held("div f", "0 and the divergence of f", zero, problem.f, divergence)
    gradient = problem.grad_phi(x)
    yield held("grad phi", "grad_phi and the gradient of phi", gradient, problem.phi, lambda D: D)
    if problem.potential is not None and problem.grad_potential is not None:
        said = problem.grad_potential(x)
        name, meaning = "potential", "grad_potential and the gradient of potential"
        yield held(name, meaning, said, problem.potential, lambda D: D)
    yield from _declared(problem, x, problem.phi(x), np.linalg.norm(gradient, axis=0))


def _declared(problem: Problem, x: Array, phi: Array, slopes: Array) -> Iterator[Verdict]:
    """phi_min ≤ φ and phi_slope ≥ |∇ log φ|, where they are declared; error bounds rely on them."""
    for name, declared, beyond in (
        ("phi_min", problem.phi_min, lambda most: most - phi),
        ("phi_slope", problem.phi_slope, lambda most: slopes / phi - most),
    ):
        if declared is not None:
            excess = beyond(declared)
            k = int(np.argmax(excess))
            found = phi[k] if name == "phi_min" else slopes[k] / phi[k]
            at = ", ".join(f"{c:.3g}" for c in x[:, k])
            hint = f"is declared as {declared:.6g}, but there is {found:.6g} at ({at})"
            right = excess[k] <= TOLERANCE * abs(found) and (declared > 0 or name == "phi_slope")
            yield Verdict(name, "", bool(right), hint=hint)
    least, most, slope = float(phi.min()), float(phi.max()), problem.phi_slope
    if least > 0 and slope is not None and slope >= 0:
        hint = f"{slope:.6g} does not allow values from {least:.6g} to {most:.6g}: does phi jump?"
        if not PhiBounds(minimum=least, slope=slope).allow(phi, x):
            yield Verdict("phi_slope", "", False, hint=hint)


def _values(problem: Problem) -> list[Verdict]:
    """φ > 0; u, curl u, f and φ finite and bounded, in the domain and in the training part."""
    wrong = [Verdict(name, "", False, hint=said) for name, said in defects(problem)]
    return wrong or [Verdict("values: finite, phi positive, also in the training part", "", True)]


def _compared(
    name: str, meaning: str, x: Array, said: Array, fine: Array, coarse: Array, terms: float = 0.0
) -> Verdict:
    """Compare a formula with the differences, allowing for their own error."""
    size = max(*(float(np.linalg.norm(v, axis=0).max()) for v in (said, fine)), terms, 1e-12)
    apart = np.linalg.norm(said - fine, axis=0)
    doubt = DOUBT * np.linalg.norm(fine - coarse, axis=0)
    beyond = apart - TOLERANCE * size - doubt
    k = int(np.argmax(beyond))
    if beyond[k] <= 0:
        return Verdict(name, meaning, True, median(apart) / size)
    where = (float(x[0, k]), float(x[1, k]), float(x[2, k]))
    values = tuple(map(float, said[:, k])), tuple(map(float, fine[:, k]))
    turned = bool(np.abs(said + fine).max() < 1e-4 * size)
    hint = "; its sign is wrong" if turned else ""
    return Verdict(name, meaning, False, float(apart[k]) / size, where, *values, hint)


def _boundary(problem: Problem) -> Iterator[Verdict]:
    """Compare g with u × n, where both are given."""
    if not problem.closed_form or problem.g is None:
        return
    sample = problem.domain.sample_boundary(2 * POINTS, seed=0)
    said = problem.g(sample.x, sample.normal)
    u = problem.u(sample.x)
    exact = np.cross(u, sample.normal, axis=0)
    size = float(np.abs(u).max())
    yield _compared("trace", "g and u × n", sample.x, said, exact, exact, size)


def _shown(values: tuple[float, ...]) -> str:
    shown = ", ".join(f"{value:.4g}" for value in values)
    return f"({shown})" if len(values) > 1 else shown
