"""One forward and backward pass: scales going forward, gradients coming back, dead units."""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn.attention import SDPBackend, sdpa_kernel

from base.errors import UserError
from nets.gradients.tensor_norms import tensor_norms
from nets.laboratory.anatomy import Anatomy, outputs_seen
from nets.laboratory.subject import Batch, Subject, first_tensor

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Profile:
    """Numbers of one pass. Layers and states are in the order of execution; NaN: not available."""

    J: float
    gradient: Array  # ‖∂J/∂θ‖ per layer
    weight: Array  # ‖θ‖ per layer
    adjoint: Array  # ‖∂J/∂activation‖ per layer, over all its calls
    scale: Array  # root mean square of the activation per layer
    dead: Array  # share of units per layer without output or without gradient, on every sample
    saturated: Array  # share of entries of a bounded activation beyond 0.9 of its bound
    states: tuple[str, ...]  # a block's name, or name#call where it is called more than once
    state_adjoint: Array  # ‖∂J/∂state‖
    state_scale: Array  # root mean square
    state_dead: Array

    @property
    def log10_states(self) -> Array:
        with np.errstate(divide="ignore"):
            return np.log10(self.state_adjoint)


BOUNDED = {"Tanh": 1.0, "Sigmoid": 1.0, "Hardtanh": 1.0, "Softsign": 1.0}


class _Seen:
    """The output of a layer or state, and the gradient that comes back to it."""

    def __init__(self, output: Tensor, kind: str = "") -> None:
        values = output.detach()
        self.squares = float(torch.linalg.vector_norm(values, dtype=torch.float64)) ** 2
        self.count = values.numel()
        self.silent = _silent_units(values)
        self.saturated = _saturated(values, kind)
        self.adjoint: float = math.nan
        self.numb: Tensor | None = None
        self.finite = math.isfinite(self.squares)
        if output.requires_grad:
            output.register_hook(self._came_back)

    def _came_back(self, gradient: Tensor) -> None:
        self.adjoint = float(tensor_norms([gradient.detach()])[0])
        self.numb = _silent_units(gradient.detach())

    @property
    def dead(self) -> float:
        if self.silent is None or self.numb is None or self.adjoint == 0.0:
            return math.nan if self.silent is None else float(self.silent.double().mean())
        return float((self.silent | self.numb).double().mean())


def profile(
    subject: Subject, module: nn.Module, batch: Batch, anatomy: Anatomy, *, keep: bool = False
) -> Profile:
    """Norms of one pass; parameters' `.grad` is kept only if `keep` is set."""
    layers: dict[str, list[_Seen]] = {layer.name: [] for layer in anatomy.layers}
    kinds = {layer.name: layer.kind for layer in anatomy.layers}
    ends = {block.end: block.name for block in anatomy.blocks}
    states: list[tuple[str, _Seen]] = []
    faulty: list[str] = []

    def seen(name: str, _: Any, output: Any) -> None:
        tensor = first_tensor(output)
        if tensor is None:
            return
        found = _Seen(tensor, kinds.get(name, ""))
        if not found.finite:
            faulty.append(name)
        if name in layers:
            layers[name].append(found)
        if name in ends:
            states.append((ends[name], found))

    module.zero_grad(set_to_none=True)
    with outputs_seen(anatomy, module, batch, seen), torch.enable_grad():
        J = subject.forward(module, batch)
    if not math.isfinite(J.item()):
        where = f"; the first layer that is not finite is {faulty[0]}" if faulty else ""
        raise UserError(
            f"J is {J.item()} before the first step{where}: use smaller weights, or look for "
            "a division or a logarithm of zero"
        )
    J.backward()
    found = _collected(module, anatomy, layers, states, float(J.item()))
    if not keep:
        module.zero_grad(set_to_none=True)
    return found


def plain_attention() -> AbstractContextManager[None]:
    """Attention by its formula: the fused kernels of torch have no second derivatives."""
    return sdpa_kernel(SDPBackend.MATH)


def layer_norms(anatomy: Anatomy, tensors: dict[str, Tensor]) -> Array:
    """Norms over all of a layer's tensors together; NaN for a layer without any."""
    names = list(tensors)
    norms = dict(zip(names, tensor_norms([tensors[name] for name in names]), strict=True))
    rows = [[norms[p] for p in layer.parameters if p in norms] for layer in anatomy.layers]
    return np.array([math.hypot(*row) if row else math.nan for row in rows])


def _collected(
    module: nn.Module,
    anatomy: Anatomy,
    layers: dict[str, list[_Seen]],
    states: list[tuple[str, _Seen]],
    J: float,
) -> Profile:
    parameters = dict(module.named_parameters(remove_duplicate=False))
    gradients = {name: p.grad for name, p in parameters.items() if p.grad is not None}
    if not gradients:
        raise UserError("no parameter received a gradient; look for .detach() in the module")
    values = {name: p.detach() for name, p in parameters.items()}
    rows = [layers[layer.name] for layer in anatomy.layers]
    called = [name for name, _ in states]
    names = [
        f"{name}#{called[: k + 1].count(name)}" if called.count(name) > 1 else name
        for k, name in enumerate(called)
    ]
    return Profile(
        J=J,
        gradient=layer_norms(anatomy, gradients),
        weight=layer_norms(anatomy, values),
        adjoint=np.array([_joint([s.adjoint for s in row]) for row in rows]),
        scale=np.array([_rms(row) for row in rows]),
        dead=np.array([_mean([s.dead for s in row]) for row in rows]),
        saturated=np.array([_mean([s.saturated for s in row]) for row in rows]),
        states=tuple(names),
        state_adjoint=np.array([s.adjoint for _, s in states]),
        state_scale=np.array([_rms([s]) for _, s in states]),
        state_dead=np.array([s.dead for _, s in states]),
    )


def _silent_units(values: Tensor) -> Tensor | None:
    """Which units are exactly zero everywhere; a unit is a channel (4 axes) or a last entry."""
    if values.ndim < 2:
        return None
    axis = 1 if values.ndim in (4, 5) else values.ndim - 1
    others = [k for k in range(values.ndim) if k != axis]
    return torch.linalg.vector_norm(values, ord=math.inf, dim=others) == 0  # without a copy


def _saturated(values: Tensor, kind: str) -> float:
    bound = BOUNDED.get(kind)
    if bound is None:
        return math.nan
    middle = (2 * values - 1) if kind == "Sigmoid" else values
    return float((middle.abs() > 0.9 * bound).double().mean())


def _rms(seen: Sequence[_Seen]) -> float:
    count = sum(s.count for s in seen)
    return math.sqrt(sum(s.squares for s in seen) / count) if count else math.nan


def _joint(norms: list[float]) -> float:
    known = [norm for norm in norms if not math.isnan(norm)]
    return math.hypot(*known) if known else math.nan


def _mean(values: list[float]) -> float:
    known = [value for value in values if not math.isnan(value)]
    return sum(known) / len(known) if known else math.nan
