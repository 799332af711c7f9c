"""What continuous fields on tetrahedra and on bricks have in common."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fem.elements import Ability, Element, Needs


def nodal(
    name: str, cells: str, fields: str, run: Callable[..., Any], needs: Needs, **shape: Any
) -> Element:
    """Declare a nodal element: it solves only the boundary-value problem."""
    return Element(
        name=name,
        title=f"nodal {cells} (wrong at re-entrant edges)",
        about=f"continuous {fields} with div-div and curl-curl: wrong at re-entrant edges",
        solvers={},
        boundary_value=Ability(run, needs, ("auto", "direct", "multigrid"), whole_trace=True),
        **shape,
    )
