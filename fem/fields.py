"""Fields given as callables, checked where they are called."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from base.errors import UserError
from fem.spaces import Array, Field


@dataclass(frozen=True)
class Checked:
    """A field that raises a UserError, with the point, for values of wrong shape or not finite."""

    field: Field
    name: str

    def __call__(self, points: Array) -> Array:
        values = np.asarray(self.field(points), dtype=float)
        if values.shape != points.shape:
            raise UserError(
                f"{self.name} must map points of shape (3, ...) to values of the same shape: "
                f"for {points.shape} it returned {values.shape}"
            )
        if not np.isfinite(values).all():
            where = np.argwhere(~np.isfinite(values))[0]
            at = points[(slice(None), *where[1:])]
            raise UserError(
                f"{self.name} is not finite at x = ({', '.join(f'{c:.6g}' for c in at)}): "
                f"component {where[0]} is {values[tuple(where)]}; a field singular on an edge "
                "needs singular_edge"
            )
        return values


def positive(phi: Callable[[Array], Array]) -> Callable[[Array], Array]:
    """φ, with a UserError that names the point where it is not positive."""

    def checked(x: Array) -> Array:
        values = np.asarray(phi(x), dtype=float)
        if not values.min() > 0.0:
            where = x.reshape(3, -1)[:, int(values.argmin())]
            at = ", ".join(f"{c:.4g}" for c in where)
            raise UserError(f"phi must be positive, got {values.min():.4g} at x = ({at})")
        return values

    return checked
