"""Conditions on a net: residuals at points, linear in its jet there."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from base.errors import UserError
from nets.residuals.jets import channels

Array = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Residuals:
    """r[m, n] = Σ_{c,i} A[m, c, i, n] · (channel c of the jet of output i at point n) − b[m, n].

    x: (N, inputs), order: that of the jets (`nets.residuals.jets`), A: (M, channels, outputs, N),
    b: (M, N). Square roots of weights are part of A and b: the loss is ½ Σ r². `labels`
    name the M rows (rows of one name are one part of the loss).

    With `test`, a sparse matrix (R, M·N), the residuals are test @ r (r with its rows one after
    the other): products with test functions. Then all of them have the first label.
    """

    x: Array
    order: str
    A: Array
    b: Array
    labels: tuple[str, ...]
    test: csr_array | None = None

    def __post_init__(self) -> None:
        N, M = len(self.x), len(self.b)
        count = channels(self.order)
        if self.A.ndim != 4 or self.A.shape[:2] != (M, count) or self.A.shape[3] != N:
            raise UserError(
                f"A must have shape ({M}, {count}, outputs, {N}) for order {self.order!r}, got "
                f"{self.A.shape}"
            )
        if self.b.shape != (M, N) or len(self.labels) != (1 if self.test is not None else M):
            raise UserError(f"b must be ({M}, {N}) with a label for each row, got {self.b.shape}")
        for name in ("x", "A", "b"):
            if not np.isfinite(getattr(self, name)).all():
                raise UserError(
                    f"the residuals {self.labels[0]!r} have a NaN or infinite entry in {name}; "
                    "move their points off the singularity"
                )
        if self.test is not None and self.test.shape[1] != M * N:
            raise UserError(f"test must have {M * N} columns, got {self.test.shape[1]}")

    @property
    def count(self) -> int:
        """How many numbers r has."""
        return self.test.shape[0] if self.test is not None else self.b.size

    @property
    def names(self) -> list[str]:
        """The label of every residual, in the order of r."""
        if self.test is not None:
            return [self.labels[0]] * self.count
        return [label for label in self.labels for _ in range(len(self.x))]
