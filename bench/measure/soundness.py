"""Check that a problem's formulas have usable values wherever they are evaluated.

Errors are measured on the domain, and nets are trained on points of the training part, which may
reach beyond it (the cylinder around the cube). In both, u, curl u, f and φ must be finite, φ must
be positive, and no field may grow without bound, except at a singular edge that the problem names.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from base.errors import UserError

if TYPE_CHECKING:
    from bench.domains.parts.points import Mask
    from bench.problems import Array, Field, Problem

POINTS = 4096
FROM_JUMP = 0.01  # beyond the two steps with which formulas are differentiated
FROM_EDGE = 0.05  # a singular edge that the problem names is left out up to this distance
# The search for the largest value: random steps, halved where none is larger.
TRIALS, ROUNDS, FIRST_STEP = 32, 120, 0.1
# A field is unbounded if its largest value grows tenfold after the steps are shorter than this.
SHORT, GROWTH = 1e-4, 10.0


def points_of(problem: Problem, N: int) -> Array:
    """Return points of the domain and of the training part, without those at a named edge."""
    domain = problem.domain
    x = np.concatenate([domain.sample(N, seed=0), domain.sample_training(N, seed=0)], axis=1)
    x = x[:, _away(problem, x, 1e-3)]
    jumps = getattr(problem.phi, "jumps_near", None)  # φ by groups of a mesh has no gradient there
    return x if jumps is None else x[:, ~jumps(x, FROM_JUMP)]


def defects(problem: Problem) -> Iterator[tuple[str, str]]:
    """Yield each formula without usable values, with a sentence that names the point."""
    x = points_of(problem, POINTS)
    x = x[:, _away(problem, x, FROM_EDGE)]
    yield from _at_points(problem, x)
    with np.errstate(all="ignore"):
        for name, formula in _fields(problem).items():
            place, grows = _largest(problem, formula, x)
            if grows:
                yield name, f"grows without bound near {_place(problem, place)}"


def require_values(problem: Problem, x: Array) -> None:
    """Raise a UserError that names the first of these points without usable values."""
    for name, said in _at_points(problem, x):
        raise UserError(f"problem {problem.name}: {name} {said}")


def _at_points(problem: Problem, x: Array) -> Iterator[tuple[str, str]]:
    with np.errstate(all="ignore"):
        for name, formula in {**_fields(problem), "phi": problem.phi}.items():
            values = np.asarray(formula(x))
            bad = ~np.isfinite(values).reshape(-1, x.shape[1]).all(axis=0)
            if bad.any():
                yield name, f"is not finite at {_place(problem, x[:, np.argmax(bad)])}"
        phi = problem.phi(x)
    lowest = int(np.argmin(phi))
    if phi[lowest] <= 0:
        where = _place(problem, x[:, lowest])
        yield "phi", f"must be positive, is {phi[lowest]:.3g} at {where}"


def _fields(problem: Problem) -> dict[str, Field]:
    """Return the formulas that must be finite: u and curl u where they are formulas, and f."""
    fields = {"u": problem.u, "curl_u": problem.curl_u} if problem.closed_form else {}
    return fields | ({"f": problem.f} if problem.bounded_f else {})


def _largest(problem: Problem, field: Field, x: Array) -> tuple[Array, bool]:
    """Return where a field is largest, by a random search, and whether it grows without bound."""
    rng = np.random.default_rng(0)
    values = _size(field(x))
    place, value = x[:, np.argmax(values)], float(values.max())
    step, smooth = FIRST_STEP, np.inf  # `smooth`: the largest value when steps become short
    for _ in range(ROUNDS):
        trial = place[:, None] + step * rng.standard_normal((3, TRIALS))
        values = np.where(_allowed(problem, trial), _size(field(trial)), -np.inf)
        if values.max() > value:
            place, value = trial[:, np.argmax(values)], float(values.max())
        else:
            step /= 2
        if step < SHORT and smooth == np.inf:
            smooth = value
    return place, value > GROWTH * smooth


def _size(values: Array) -> Array:
    """Return the length of each vector; infinite where it is not a number."""
    return np.nan_to_num(np.linalg.norm(values, axis=0), nan=np.inf, posinf=np.inf)


def _allowed(problem: Problem, x: Array) -> Mask:
    inside = problem.domain.contains(x) | problem.domain.in_training(x)
    return inside & _away(problem, x, FROM_EDGE)


def _away(problem: Problem, x: Array, distance: float) -> Mask:
    far = np.ones(x.shape[1], bool)
    for a, b in problem.singular_edges:
        far &= np.hypot(x[0] - a, x[1] - b) > distance
    return far


def _place(problem: Problem, x: Array) -> str:
    """Return the point, and what to do if it lies outside the domain."""
    text = "({:.3g}, {:.3g}, {:.3g})".format(*map(float, x))
    if problem.domain.contains(x[:, None])[0]:
        return text
    name = problem.domain.name
    return (
        f"{text}, which lies in the training part but outside the {name}; with "
        f'Problem(…, training="{name}") nets are trained inside the {name} only'
    )
