"""Frobenius norms of many tensors, step by step, without loss where squares leave the range.

A call of torch costs a microsecond or more, whatever the size of its tensor, and a hundred small
gradients need a hundred calls. Here small tensors of one shape are only copied, in one call, and
their norms are taken for many steps together.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

Array = NDArray[np.float64]

COPIED = 1024  # entries: copying a tensor of at most so many is cheaper than a call for it
WAITING, MOST_STEPS = 2**18, 64  # entries and steps that wait for their norms
# A norm this many times above the root of the smallest normal number has lost nothing to squares
# that underflow: with 10^6 entries at most 1e-8 of it, flushed to zero or not.
ABOVE_UNDERFLOW = 1e7
# Types whose norms keep enough digits, and for which norms no sum of squares leaves their range.
SAFE_NORMS = {
    kind: (ABOVE_UNDERFLOW * math.sqrt(torch.finfo(kind).tiny), math.sqrt(torch.finfo(kind).max))
    for kind in (torch.float32, torch.float64)
}


def tensor_norms(tensors: Sequence[Tensor | None]) -> Array:
    """Return the Frobenius norm of every tensor; 0 for a missing one."""
    rows = NormRows(len(tensors))
    rows.append(tensors)
    return rows.norms()[0]


class NormRows:
    """Rows of norms, one per list of tensors that was appended; 0 for a missing tensor."""

    def __init__(self, tensors: int) -> None:
        self._known = [np.zeros((0, tensors))]
        self._waiting: list[_Taken] = []
        self._layout = _Layout([None] * tensors)
        self._length = 0

    def __len__(self) -> int:
        return self._length

    def append(self, tensors: Sequence[Tensor | None]) -> None:
        """Add a row; the tensors may change afterwards."""
        if not self._layout.fits(tensors):
            self._finish()
            self._layout = _Layout(tensors)
        self._waiting.append(self._layout.taken(tensors))
        self._length += 1
        if len(self._waiting) >= self._layout.steps:
            self._finish()

    def norms(self) -> Array:
        """Return all norms, (rows, tensors)."""
        self._finish()
        return np.concatenate(self._known)

    def _finish(self) -> None:
        """Take the norms of the copies that wait."""
        if self._waiting:
            self._known.append(self._layout.norms(self._waiting))
            self._waiting = []


_Taken = tuple[list[Tensor], list[float]]  # copies by shape, and norms of what is not copied


class _Layout:
    """Which tensors of a list are copied together, and which are looked at one by one."""

    def __init__(self, tensors: Sequence[Any]) -> None:
        self._types = list(map(type, tensors))
        present = [k for k, tensor in enumerate(tensors) if tensor is not None]
        alike: dict[Any, list[int]] = defaultdict(list)
        for k in present:
            one = tensors[k]
            plain = one.layout is torch.strided and one.dtype in SAFE_NORMS
            if plain and 0 < one.numel() <= COPIED:
                alike[one.dtype, one.device, one.shape].append(k)
        self._groups = [group for group in alike.values() if len(group) > 1]
        copied = {k for group in self._groups for k in group}
        self._others = [k for k in present if k not in copied]
        entries = sum(tensors[k].numel() for k in copied)
        self.steps = max(1, min(MOST_STEPS, WAITING // max(1, entries)))

    def fits(self, tensors: Sequence[Tensor | None]) -> bool:
        """Whether the same tensors as before are missing."""
        return self._types == list(map(type, tensors))

    def taken(self, tensors: Sequence[Any]) -> _Taken:
        """Copy the small tensors, and return the norms of the others."""
        copies = [torch.stack([tensors[k] for k in group]) for group in self._groups]
        return copies, _one_by_one([tensors[k] for k in self._others]) if self._others else []

    def norms(self, taken: Sequence[_Taken]) -> Array:
        """Return the norms of several steps, (steps, tensors)."""
        found = np.zeros((len(taken), len(self._types)))
        found[:, self._others] = [others for _, others in taken]
        for place, group in enumerate(self._groups):
            whole = torch.stack([copies[place] for copies, _ in taken])
            entries = whole.reshape(len(taken), len(group), -1)
            found[:, group] = _last_axis(entries).detach().cpu()
        return found


def _last_axis(entries: Tensor) -> Tensor:
    """Return norms along the last axis, of entries of a plain type."""
    norms = torch.linalg.vector_norm(entries.double(), dim=-1)
    lowest, highest = SAFE_NORMS[torch.float64]
    if entries.dtype is torch.float32 or (lowest < norms.min() and norms.max() < highest):
        return norms  # squares of any float32 are normal numbers in float64
    return _careful(entries)


def _one_by_one(tensors: list[Tensor]) -> list[float]:
    """Return the norms of tensors of any shape and type."""
    kinds = {tensor.dtype for tensor in tensors}
    if len(kinds) != 1 or not kinds <= SAFE_NORMS.keys():
        return [_of_any_type(tensor) for tensor in tensors]
    try:
        norms = _plain(tensors)
    except RuntimeError:  # some are sparse
        return [_of_any_type(tensor) for tensor in tensors]
    kind = kinds.pop()
    lowest, highest = SAFE_NORMS[kind]
    doubtful = [k for k, norm in enumerate(norms) if not lowest < norm < highest]
    if doubtful:
        again = [tensors[k] for k in doubtful]
        in_double = kind is torch.float32
        better = _plain(again, torch.float64) if in_double else map(_of_any_type, again)
        for k, norm in zip(doubtful, better, strict=True):
            norms[k] = norm
    return norms


def _plain(tensors: list[Tensor], kind: torch.dtype | None = None) -> list[float]:
    """Return the roots of the sums of squares, summed in their own type or in another."""
    norms: list[float] = torch.stack(torch._foreach_norm(tensors, dtype=kind)).tolist()
    return norms


def _of_any_type(tensor: Tensor) -> float:
    """Return one norm; of sparse tensors, too."""
    if tensor.is_sparse:
        tensor = tensor.coalesce().values()
    return float(_careful(tensor.detach().reshape(-1))) if tensor.numel() else 0.0


def _careful(entries: Tensor) -> Tensor:
    """Return norms along the last axis, rescaled so that no square leaves the range."""
    moduli = entries.abs().double()
    peaks = moduli.amax(-1, keepdim=True)
    peaks = torch.where((peaks > 0) & peaks.isfinite(), peaks, 1.0)
    return peaks[..., 0] * torch.linalg.vector_norm(moduli / peaks, dim=-1)
