"""Reference solution of `fichera`; `python -m bench.problems.parts.fichera_reference` makes it.

Bricks in geometric layers towards the three re-entrant edges and the corner, orders growing away
from them (hp version, direct solve). Its error is estimated from its distance to the solution with
one layer less and the factor q per layer as d q / (1 − q), the remainder of a geometric series.
Coefficients are stored in float32, whose rounding error is far smaller.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

FILE = Path(__file__).with_name("fichera.npz")
LAYERS, RATIO = 3, 0.15


@lru_cache(maxsize=1)
def stored() -> tuple[Any, np.ndarray, float]:
    """Return the space, the coefficients, and the estimated relative L² error."""
    from fem.spaces.bricks.space import BrickSpace
    from fem.spaces.bricks.unions import layered_fichera

    with np.load(FILE, allow_pickle=False) as kept:
        layers, ratio = int(kept["layers"]), float(kept["ratio"])
        x, error = kept["x"].astype(np.float64), float(kept["relative_error"])
    return BrickSpace(layered_fichera(layers, ratio)), x, error


def solved(layers: int, ratio: float = RATIO) -> Any:
    """Solve the boundary-value problem f = (1, 1, 1), φ = 1, g = 0."""
    from fem.boundary_value import BoundaryValueProblem, solve_boundary_value
    from fem.spaces.bricks.unions import layered_fichera

    data = BoundaryValueProblem(
        f=np.ones_like, phi=lambda x: np.ones(x.shape[1:]), g=lambda x, n: np.zeros_like(x)
    )
    return solve_boundary_value(data, mesh=layered_fichera(layers, ratio), element="hexP")


def distance(coarse: Any, fine: Any) -> tuple[float, float]:
    """Return ‖coarse − fine‖ and ‖fine‖ in L², by the domain's rule."""
    from bench.domains.fichera import DOMAIN
    from fem.rules.quadrature import integrate

    rule = DOMAIN.rules()["whole"]
    square = integrate(lambda x: ((coarse(x) - fine(x)) ** 2).sum(axis=0), rule)
    return square**0.5, integrate(lambda x: (fine(x) ** 2).sum(axis=0), rule) ** 0.5


def main() -> None:
    from bench.core.guards.output import written_whole

    first, coarse, fine = (solved(layers) for layers in (LAYERS - 2, LAYERS - 1, LAYERS))
    (before, _), (after, size) = distance(first, coarse), distance(coarse, fine)
    gain = after / before
    error = after * gain / (1 - gain)
    with written_whole(FILE) as part, part.open("wb") as out:
        np.savez_compressed(
            out,
            x=fine.x.astype(np.float32),
            layers=LAYERS,
            ratio=RATIO,
            relative_error=error / size,
        )
    print(f"{FILE.name}: {fine.dofs} unknowns, ‖u‖ = {size:.6g}, error {error / size:.1e} of it")


if __name__ == "__main__":
    main()
