"""Builders that several elements share; each imports what it needs when called."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from fem.spaces import Space

if TYPE_CHECKING:
    from fem.boundary_value import BoundaryValueSolution
    from fem.least_squares import Fit


def assembled(element: str) -> Callable[..., Space]:
    """scikit-fem's assembly and a direct solve."""

    def build(n: int | None = None, mesh: Any = None) -> Space:
        from fem.spaces.assembled import AssembledSpace

        return AssembledSpace(element=element, n=n, mesh=mesh)

    return build


def mixed_on_tets(degree: int) -> Callable[..., BoundaryValueSolution]:
    """The boundary-value problem by Nédélec elements of order degree + 1 on tetrahedra."""

    def run(*data: Any, **options: Any) -> BoundaryValueSolution:
        from fem.spaces.tets.mixed import solve_on_tets

        return solve_on_tets(*data, degree=degree, **options)

    return run


def fit_on_tets(degree: int) -> Callable[..., Fit]:
    """Least squares by the same elements."""

    def run(*data: Any, **options: Any) -> Fit:
        from fem.spaces.tets import fitting

        return fitting.fit_on_tets(*data, degree=degree, **options)

    return run
