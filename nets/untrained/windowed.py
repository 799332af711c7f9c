"""A field made of windowed features: its rows in linear residuals, its values, its file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray

from nets.activations import activation
from nets.residuals.jets import PAIRS, channels
from nets.residuals.terms import Residuals
from nets.untrained.features import rows_of
from nets.untrained.windows import Level, Wedge, Windows

Array = NDArray[np.float64]
POINTS = 1000  # evaluated at once; 500 and 2000 are slower by a fifth
#: order of a jet of the field -> order of the features' jets, where gradients of them are used
WITH_GRADIENTS = {"value": "first", "first": "second", "second": "second"}
#: where ∂_i∂_j stands among the channels of "second"
SECOND = {pair: channel for channel, (j, k) in enumerate(PAIRS, 4) for pair in ((j, k), (k, j))}


def rows(windows: Windows, cell: int, term: Residuals) -> Array:
    """[A | b] of the residuals at points of one cell, for the unknowns of its levels.

    Second derivatives must enter as a part of curl curl, which vanishes for gradients.
    """
    parts = []
    for level in windows.met(cell):
        chosen = windows.levels[level]
        order = WITH_GRADIENTS[term.order] if chosen.gradients else term.order
        jets = windows.jets(level, term.x.T, order)
        made = rows_of(term.A, term.b, jets[: term.A.shape[1], : chosen.vectors])
        parts.append(made[:, :-1])
        if chosen.gradients:
            parts.append(_of_gradients(term, jets[:, : chosen.gradients]))
    return np.asfortranarray(np.hstack([*parts, made[:, -1:]]))


def _of_gradients(term: Residuals, jets: Array) -> Array:
    """The columns of ∇ψ: its jet consists of the derivatives of ψ."""
    count, _, _, N = term.A.shape
    out = np.zeros((jets.shape[1], count, N))
    if term.order != "second":
        for m, c, i in np.argwhere(term.A.any(axis=3)):
            out[:, m] += term.A[m, c, i] * jets[SECOND[i, c - 1] if c else 1 + i]
    return out.reshape(len(out), count * N).T


@dataclass(frozen=True)
class WindowedNet:
    """Windows with their coefficients: by level the vectors (3, K) in one, then the gradients'."""

    windows: Windows
    weights: tuple[Array, ...]

    @property
    def parameters(self) -> int:
        """All stored numbers: hidden weights and biases, and the coefficients."""
        hidden = sum(level.W.size + level.b.size for level in self.windows.levels)
        return hidden + self.unknowns

    @property
    def unknowns(self) -> int:
        return sum(weights.size for weights in self.weights)

    def __call__(self, x: ArrayLike) -> Array:
        """u at points (3, ...)."""
        x = np.asarray(x, dtype=np.float64)
        return self.jets(x.reshape(3, -1), "value")[0].reshape(x.shape)

    def jacobian(self, x: ArrayLike) -> Array:
        """[i, j] = ∂_j u_i, (3, 3, ...)."""
        x = np.asarray(x, dtype=np.float64)
        slopes = self.jets(x.reshape(3, -1), "first")[1:]
        return np.swapaxes(slopes, 0, 1).reshape(3, *x.shape)

    def jets(self, x: Array, order: str) -> Array:
        """(channels, 3, N) at points (3, N), of order "value" or "first"."""
        if order not in ("value", "first"):
            raise ValueError(f'jets of windowed features are of order "value" or "first": {order}')
        out = np.zeros((channels(order), 3, x.shape[1]))
        for cell, on in self._parts(x):
            for level in self.windows.met(cell):
                out[:, :, on] += self._level(level, x[:, on], order)
        return out

    def _parts(self, x: Array) -> Iterator[tuple[int, NDArray[np.int64]]]:
        """The points of each cell, a few at a time."""
        cells = self.windows.cells(x)
        for cell in np.unique(cells):
            on = np.flatnonzero(cells == cell)
            for first in range(0, len(on), POINTS):
                yield int(cell), on[first : first + POINTS]

    def _level(self, level: int, x: Array, order: str) -> Array:
        chosen, weights = self.windows.levels[level], self.weights[level]
        asked = {order: weights[: 3 * chosen.vectors].reshape(3, -1)}
        if chosen.gradients:
            asked[WITH_GRADIENTS[order]] = weights[3 * chosen.vectors :][None]
        out, *potential = self.windows.sums(level, x, asked)
        for psi in potential:
            for c in range(len(out)):
                for i in range(3):
                    out[c, i] += psi[SECOND[i, c - 1] if c else 1 + i, 0]
        return out

    # ------------------------------------------------------------ on disk

    def tensors(self) -> dict[str, torch.Tensor]:
        """All numbers by name."""
        found: dict[str, Array] = {}
        for k, (level, weights) in enumerate(zip(self.windows.levels, self.weights, strict=True)):
            found |= {f"W.{k}": level.W, f"b.{k}": level.b, f"c.{k}": weights}
        return {name: torch.from_numpy(np.array(value)) for name, value in found.items()}

    def description(self) -> dict[str, Any]:
        """All that is not a tensor, as JSON takes it."""
        wedge = self.windows.wedge
        counts = [[level.vectors, level.gradients] for level in self.windows.levels]
        return {
            "edge": list(wedge.edge), "middle": wedge.middle, "opening": wedge.opening,
            "ratio": wedge.ratio, "counts": counts, "activation": self.windows.sigma.name,
        }  # fmt: skip

    @classmethod
    def from_file(
        cls, described: Mapping[str, Any], tensors: Mapping[str, torch.Tensor]
    ) -> WindowedNet:
        """The net of a file; a ValueError or KeyError if it does not fit its description."""
        a, b = map(float, described["edge"])
        angles = (float(described[name]) for name in ("middle", "opening", "ratio"))
        numbers = {name: tensor.numpy() for name, tensor in tensors.items()}
        levels, weights = [], []
        for k, (vectors, gradients) in enumerate(described["counts"]):
            K = max(vectors, gradients)
            level = Level(numbers[f"W.{k}"], numbers[f"b.{k}"], int(vectors), int(gradients))
            own = numbers[f"c.{k}"]
            if level.W.shape != (K, 3) or level.b.shape != (K,) or own.shape != (level.unknowns,):
                raise ValueError(f"the shapes of level {k} differ from its description")
            levels.append(level)
            weights.append(own)
        if not all(np.isfinite(array).all() for array in numbers.values()):
            raise ValueError("it has entries that are not finite; solve it again")
        sigma = activation(str(described["activation"]), 1.0)
        return cls(Windows(Wedge((a, b), *angles), tuple(levels), sigma), tuple(weights))
