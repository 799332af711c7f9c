"""Is there something in a field that the rule of its certificate does not see?

Checked at random points, which are independent of every rule and training: a field by residuals is
compared with its interpolation, the distance from a reference with its mean square. What is wrong
on less than a share 1/POINTS of the volume can still be missed.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from bench.problems import Array, Problem

if TYPE_CHECKING:
    from fem.certificates.certificate import Certificate

POINTS, SEED = 10_000, 618_034
SHARE = 0.1  # of a bound: nets that a rule resolves stay below 1e-4 of it
SURE = 4  # standard errors of a mean
QUADRATURE = 0.01  # by so much, relative, may bounds be off without a contradiction


@lru_cache(maxsize=8)
def random_points(problem: Problem) -> Array:
    return problem.domain.sample(POINTS, SEED)


def resolved(found: Certificate, field: Any, problem: Problem) -> Certificate:
    """The certificate by residuals, with a doubt if the field or its curl is not smooth between
    points as close as those of the rule."""
    from fem.certificates.between import besides_interpolation
    from fem.certificates.jets import curl

    if found.doubt:
        return found
    energy = found.energy_bound is not None

    def both(x: Array) -> Array:
        jets = field.jets(x, "first" if energy else "value")
        return np.concatenate([jets[0], curl(jets)]) if energy else np.asarray(jets[0])

    x = random_points(problem)
    rest = besides_interpolation(both, x, problem.singular_edge)
    root = np.sqrt(problem.phi(x))
    for name, between, bound in (
        ("field", rest[:3], found.l2_bound),
        ("curl", root * rest[3:], found.energy_bound),
    ):
        hidden = np.sqrt(problem.domain.volume * (between**2).sum(axis=0).mean())
        if bound is not None and hidden > SHARE * bound:
            return replace(found, doubt=(
                f"at random points the {name} is {hidden:.2g} away from its interpolation between "
                f"the points of the rule, and the bound is {bound:.2g}: a layer is not resolved"
            ))  # fmt: skip
    return found


def as_far(found: Certificate, rest: Array, problem: Problem) -> Certificate:
    """The certificate by a reference, with a doubt if at random points, where `rest` is the
    distance (3, N), its mean square is larger than the rule says."""
    squares = problem.domain.volume * (rest**2).sum(axis=0)
    least = squares.mean() - SURE * squares.std() / np.sqrt(squares.size)
    if found.doubt or found.l2_bound is None or least <= found.l2_bound**2:
        return found
    return replace(found, doubt=(
        f"at random points the field is {np.sqrt(squares.mean()):.2g} away from the reference, "
        f"by the rule at most {found.l2_bound:.2g}: a layer is not resolved"
    ))  # fmt: skip


def contradicted(found: list[Certificate]) -> list[Certificate]:
    """The certificates, all in doubt if one without a doubt has a lower bound above the bound of
    another without: then the rule of one of them misses something."""
    sound = [each for each in found if each.doubt is None]
    low = max((each.l2_lower_bound or 0.0 for each in sound), default=0.0)
    high = min((each.l2_bound for each in sound if each.l2_bound is not None), default=np.inf)
    if low <= (1 + QUADRATURE) * high:
        return found
    why = f"one certificate says that the error is at least {low:.3g}, another at most {high:.3g}"
    return [replace(each, doubt=each.doubt or why) for each in found]
