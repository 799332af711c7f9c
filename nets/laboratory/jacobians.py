"""Jacobians between the states of any module, by products with vectors only.

For states y[0], y[1], … of one forward pass, Jᵀu is a backward pass from y[l] to y[k]; it is linear
in u, so that its own backward pass is J v. From products alone:

- leading singular values by a block Krylov space with a random start (Musco & Musco 2015), fully
  reorthogonalised, until they converge;
- Lyapunov exponents in depth by the QR method (Benettin et al. 1980) on the adjoint cocycle: with
  Q[H] random, J[k]ᵀ Q[k+1] = Q[k] R[k] for the step from y[k] to y[k+1], the i-th exponent is
  1/H Σ_k log |R[k]_ii|. Positive: gradients grow on their way back.

Every sample has a Jacobian of its own; where samples mix (batch normalisation) the batch is one.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn.modules.batchnorm import _BatchNorm

from nets.laboratory.anatomy import Anatomy, outputs_seen
from nets.laboratory.subject import Batch, apply, first_tensor

Array = NDArray[np.float64]

SPARE = 6  # columns beyond those asked for
LARGE = 2_000_000  # with more parameters fewer products are computed
WIDE = 2_000  # likewise with more numbers in a state of one sample


EXACT, ROUGH = 1e-9, 1e-3  # changes of singular values, relative to the largest, when they count
MOST_ROUNDS = {EXACT: 40, ROUGH: 8}  # as converged, and rounds after which they do anyway
MOST_STATES = 64  # of a chain; longer chains are thinned out
CHUNK_NUMBERS = 2**24  # of one batch of vectors


class Jacobian:
    """dy[l]/dy[k] for all samples at once: `times` and `transposed` on (samples, n, columns)."""

    def __init__(self, start: Tensor, end: Tensor, samples: int) -> None:
        self.start, self.end, self.samples = start, end, samples
        self.rows, self.columns = end.numel() // samples, start.numel() // samples
        self._u = torch.zeros_like(end, requires_grad=True)
        self._back: Tensor | None = None

    def transposed(self, U: Tensor) -> Tensor:
        """Jᵀ U."""
        return self._product(self.end, self.start, U, self.columns)

    def times(self, V: Tensor) -> Tensor:
        """J V."""
        if self._back is None:
            (self._back,) = torch.autograd.grad(
                self.end, self.start, self._u, create_graph=True, materialize_grads=True
            )
        return self._product(self._back, self._u, V, self.rows)

    def _product(self, output: Tensor, by: Tensor, vectors: Tensor, n: int) -> Tensor:
        given = vectors.movedim(2, 0).reshape(-1, *output.shape)
        at_once = max(1, CHUNK_NUMBERS // max(1, output.numel() + by.numel()))
        parts = [_pulled(output, by, part) for part in given.split(at_once)]
        return torch.cat(parts).reshape(len(given), self.samples, n).movedim(0, 2)


def _pulled(output: Tensor, by: Tensor, vectors: Tensor) -> Tensor:
    """Backward passes from several vectors: as one batch where every operation supports it."""
    options: dict[str, Any] = {"retain_graph": True, "materialize_grads": True}
    if len(vectors) > 1:
        try:
            (found,) = torch.autograd.grad(output, by, vectors, is_grads_batched=True, **options)
            return found.expand(len(vectors), *by.shape)  # zeros come as one
        except RuntimeError:
            pass  # some operation has no rule for batches: one by one
    rows = [torch.autograd.grad(output, by, vector, **options)[0] for vector in vectors]
    return torch.stack(rows).detach()


def leading_singular_values(
    J: Jacobian, count: int = 10, seed: int = 0, tolerance: float = EXACT
) -> Array:
    """The largest singular values, descending, (samples, count), by products only."""
    smallest = min(J.rows, J.columns)
    count = min(count, smallest)
    width = min(count + SPARE, smallest)
    generator = torch.Generator().manual_seed(seed)
    start = torch.randn(J.samples, J.columns, width, generator=generator, dtype=torch.float64)
    block = torch.linalg.qr(J.times(start.to(J.start)).double())[0]
    basis, pulled = block, J.transposed(block.to(J.end)).double()
    values = _singular(pulled, count)
    for _ in range(MOST_ROUNDS[tolerance]):
        room = smallest - basis.shape[2]
        if room <= 0:
            break
        inner = torch.linalg.qr(pulled[:, :, -block.shape[2] :])[0]
        block = J.times(inner.to(J.start)).double()
        for _ in range(2):  # "twice is enough" (Kahan, Parlett)
            block = block - basis @ (basis.mT @ block)
            block = torch.linalg.qr(block)[0]
        block = block[:, :, :room]
        basis = torch.cat([basis, block], dim=2)
        pulled = torch.cat([pulled, J.transposed(block.to(J.end)).double()], dim=2)
        before, values = values, _singular(pulled, count)
        if bool(((values - before).abs() <= tolerance * values[:, :1]).all()):
            break
    return values.numpy()


def _singular(tall: Tensor, count: int) -> Tensor:
    """The largest singular values of tall matrices, by those of their triangular factors."""
    return torch.linalg.svdvals(torch.linalg.qr(tall, mode="r")[1])[:, :count]


def lyapunov_exponents(chain: list[Jacobian], count: int = 10, seed: int = 0) -> Array:
    """Exponents per step of a chain J[0], J[1], … (first to last), (samples, count), descending."""
    first = chain[-1]
    smallest = min(min(J.rows, J.columns) for J in chain)
    generator = torch.Generator().manual_seed(seed)
    Q = torch.randn(
        first.samples, first.rows, min(count, smallest), generator=generator, dtype=torch.float64
    )
    Q = torch.linalg.qr(Q)[0]
    total = torch.zeros(first.samples, Q.shape[2], dtype=torch.float64)
    for J in reversed(chain):
        Q, R = torch.linalg.qr(J.transposed(Q.to(J.end)).double())
        total += R.diagonal(dim1=1, dim2=2).abs().log()
    found: Array = (total / len(chain)).sort(dim=1, descending=True).values.numpy()
    return found


@dataclass(frozen=True)
class Spectra:
    """Singular values and exponents of one module at one point of its parameter space."""

    states: tuple[str, ...]  # of the chain
    end_to_end: Array  # leading singular values of dy[H]/dy[0], (samples, count)
    lyapunov: Array  # per block or time step, (samples, count)
    mixed: bool  # whether samples act on each other
    per: str = "block"  # or "time step"


def spectra(
    module: nn.Module, batch: Batch, anatomy: Anatomy, *, count: int = 10, seed: int = 0
) -> Spectra | None:
    """The Jacobians of the chain of hidden states; None where it has fewer than two of them.

    For a large module or large states: one sample (two with batch normalisation, which needs
    them), and singular values to about three digits.
    """
    few = batch if _time_first(module) else batch.first(2)
    states, names = _states(module, few, anatomy)
    large = sum(p.numel() for p in module.parameters()) > LARGE
    if not large and max((s.numel() / len(s) for s in states if s.ndim > 1), default=0) < WIDE:
        return chain_spectra(states, names, count=count, seed=seed)
    if few is not batch and not any(isinstance(p, _BatchNorm) for p in module.modules()):
        states, names = _states(module, batch.first(1), anatomy)
    return chain_spectra(states, names, count=count, seed=seed, tolerance=ROUGH)


def chain_spectra(
    states: list[Tensor],
    names: list[str],
    *,
    count: int = 10,
    seed: int = 0,
    tolerance: float = EXACT,
    per: str = "block",
) -> Spectra | None:
    """Spectra of a chain of states of one forward pass; None where there are fewer than two."""
    if len(states) < 2:
        return None
    blocks, chosen = len(states) - 1, _some(len(states))
    states, names = [states[k] for k in chosen], [names[k] for k in chosen]
    rows = states[0].shape[0]
    alike = all(state.ndim > 1 and state.shape[0] == rows for state in states)
    mixed = not alike or _mixes(states[0], states[-1])
    groups = 1 if mixed else rows
    chain = [Jacobian(a, b, groups) for a, b in pairwise(states)]
    whole = Jacobian(states[0], states[-1], groups)
    return Spectra(
        states=tuple(names),
        end_to_end=leading_singular_values(whole, count, seed, tolerance),
        lyapunov=lyapunov_exponents(chain, count, seed) * (len(chain) / blocks),
        mixed=mixed,
        per=per,
    )


def _states(module: nn.Module, batch: Batch, anatomy: Anatomy) -> tuple[list[Tensor], list[str]]:
    """Outputs of the blocks within their graph: the hidden ones that lead on to the last."""
    ends = {block.end: block.name for block in anatomy.blocks}
    found: list[tuple[str, Tensor]] = []

    def seen(name: str, _: Any, output: Any) -> None:
        tensor = first_tensor(output)
        if name in ends and tensor is not None and tensor.requires_grad:
            found.append((ends[name], tensor))

    with outputs_seen(anatomy, module, batch, seen), torch.enable_grad():
        apply(module, batch.x)
    if len(found) > 2:
        found = found[:-1]  # the read-out
    chain = found[-1:]
    for name, tensor in reversed(found[:-1]):
        if _depends(chain[0][1], tensor):
            chain.insert(0, (name, tensor))
    return [tensor for _, tensor in chain], [name for name, _ in chain]


def _some(count: int) -> list[int]:
    """Places of at most MOST_STATES out of so many, the first and the last among them."""
    places = np.linspace(0, count - 1, min(count, MOST_STATES)).round().astype(int)
    return sorted({int(k) for k in places})


def _depends(end: Tensor, start: Tensor) -> bool:
    (found,) = torch.autograd.grad(
        end, start, torch.ones_like(end), retain_graph=True, allow_unused=True
    )
    return found is not None


def _mixes(start: Tensor, end: Tensor) -> bool:
    """Whether a sample of the last state depends on another sample of the first."""
    if len(start) < 2:
        return False
    ones = torch.zeros_like(end)
    ones[0] = 1.0
    (found,) = torch.autograd.grad(end, start, ones, retain_graph=True, allow_unused=True)
    return found is not None and bool((found[1:] != 0).any())


def _time_first(module: nn.Module) -> bool:
    """Whether the leading axis may be time, as in torch's recurrent modules by default."""
    return any(getattr(part, "batch_first", True) is False for part in module.modules())
