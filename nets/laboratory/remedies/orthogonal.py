"""Orthogonal matrices for the hidden weights, zero biases (Saxe et al. 2014)."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from nets.laboratory.remedies import Case, Change, DoesNotFit, has_recurrence, parameters_of

NAME = "orthogonal start"
RECTIFIERS = {"ReLU", "LeakyReLU", "PReLU", "GELU", "SiLU", "ELU", "Softplus", "Mish", "ReLU6"}


def plan(case: Case) -> Change:
    """Plan orthogonal hidden weights with the gain of their activation."""
    weights = case.weights()
    if not weights:
        raise DoesNotFit("no hidden weights to draw")
    rectifies = any(layer.kind in RECTIFIERS for layer in case.anatomy.layers)
    gain = math.sqrt(2.0) if rectifies and not has_recurrence(case) else 1.0
    biases = {
        name
        for layer in case.anatomy.layers
        if any(p in weights for p in layer.parameters)
        for name in layer.parameters
        if "bias" in name.rpartition(".")[2]
    }

    def apply(module: nn.Module) -> None:
        generator = torch.Generator().manual_seed(40_000 + case.seed)
        named = parameters_of(module)
        with torch.no_grad():
            for name in weights:
                named[name].copy_(gain * drawn(named[name].shape, generator))
            for name in biases:
                named[name].zero_()

    return Change(f"orthogonal hidden weights × {gain:.3g}, zero biases", apply)


def drawn(shape: torch.Size, generator: torch.Generator) -> Tensor:
    """An orthogonal matrix for a weight; several squares on top of each other where it has gates
    or heads (3 n × n, 4 n × n), a kernel flattened to (out, in · size)."""
    rows, columns = shape[0], math.prod(shape[1:])
    count = rows // columns if rows % columns == 0 else 1
    parts = [_orthogonal(rows // count, columns, generator) for _ in range(count)]
    return torch.cat(parts).reshape(shape)


def _orthogonal(rows: int, columns: int, generator: torch.Generator) -> Tensor:
    tall = torch.randn(
        max(rows, columns), min(rows, columns), generator=generator, dtype=torch.float64
    )
    Q, R = torch.linalg.qr(tall)
    Q = Q * R.diagonal().sign()
    return Q if rows >= columns else Q.T
