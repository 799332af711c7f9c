"""Points as all functions take them: float64 arrays, coordinates first."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from base.errors import UserError

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]


def components(x: ArrayLike) -> Array:
    """Return the points as float64 (3, ...), so that `x1, x2, x3 = components(x)`."""
    x = np.asarray(x, dtype=np.float64)
    if x.ndim == 0 or x.shape[0] != 3:
        raise UserError(
            f"points must have shape (3, ...), got {x.shape}; "
            "put the coordinates first (transpose an (N, 3) array)"
        )
    return x
