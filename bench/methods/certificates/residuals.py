"""Certificates by what a field leaves over: its own residuals, or recovered fluxes on bricks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from base.errors import UserError
from bench.methods.boundary_value import boundary_value_data
from bench.methods.certificates.unseen import resolved
from bench.problems import Problem, one

if TYPE_CHECKING:
    from fem.certificates.certificate import Certificate
    from fem.certificates.constants import PhiBounds

SECOND_ORDER = 10  # channels of a jet with second derivatives
SAMPLED = 4096  # points at which φ is bounded, or compared with its declared bounds


def coefficient(problem: Problem) -> tuple[PhiBounds, str | None]:
    """What the problem declares of φ; where it does not, sampled values and a doubt.

    A doubt also where its values contradict what is declared, as those of a φ that jumps do.
    """
    from fem.certificates.constants import PhiBounds

    if problem.phi is one:
        return PhiBounds(constant=True), None
    x = problem.domain.sample(SAMPLED, 0)
    phi = problem.phi(x)
    if problem.phi_min is not None and problem.phi_slope is not None:
        known = PhiBounds(minimum=problem.phi_min, slope=problem.phi_slope)
        doubt = "phi varies by more than phi_min and phi_slope allow; does it jump?"
        return known, None if known.allow(phi, x) else doubt
    slope = np.linalg.norm(problem.grad_phi(x), axis=0) / phi
    doubt = "the problem does not declare phi_min and phi_slope, so they were sampled"
    return PhiBounds(minimum=float(phi.min()), slope=float(slope.max())), doubt


def own(field: Any, problem: Problem) -> Certificate:
    """The certificate of a field with `jets` by its own residuals."""
    from fem.certificates.own import certify_own

    phi, doubt = coefficient(problem)
    found = certify_own(
        field,
        boundary_value_data(problem, whole_trace=True),
        problem.domain.geometry(problem.natural),
        phi,
        twice=_twice(field, problem),
        doubt=doubt,
    )
    return resolved(found, field, problem)


def _twice(field: Any, problem: Problem) -> bool:
    """Whether a field gives second derivatives: kinked nets, windows at an edge and values that are
    built in there do not."""
    try:
        return len(field.jets(problem.domain.sample(1, 0), "second")) == SECOND_ORDER
    except (UserError, LookupError, ValueError):
        return False


def relative_bound(field: Any, problem: Problem) -> float:
    """The relative L² error that a field's own residuals certify; infinite where none is."""
    found = own(field, problem)
    share = None if found.doubt else found.relative_l2_bound
    return np.inf if share is None else share


def recovered(solution: Any, problem: Problem) -> Certificate:
    """The certificate of a boundary-value solution on bricks."""
    from fem.certificates.elements import certify_bricks

    phi, doubt = coefficient(problem)
    data = boundary_value_data(problem, whole_trace=True)
    geometry = problem.domain.geometry(problem.natural)
    return certify_bricks(solution, data, geometry, phi, doubt=doubt)
