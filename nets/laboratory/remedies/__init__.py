"""Remedies: one change to a copy of the module per file, found by its name.

A remedy has a `NAME` and a function `plan(case)` that returns a `Change` or raises `DoesNotFit`
with the reason. What a change decides (a factor, a draw) is decided in the plan, so that the copy
that is measured in float64 and the copy that is trained get the same one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from torch import Tensor, nn

from base.registry import Registry
from nets.laboratory.anatomy import Anatomy, Block, Layer
from nets.laboratory.branches import RECURRENT, Branch
from nets.laboratory.diagnosis import Diagnosis

Apply = Callable[[nn.Module], None]


class DoesNotFit(Exception):
    """The reason why a remedy does not apply to this module."""


@dataclass(frozen=True)
class Change:
    """A change to a fresh copy, in words and as a function; `clip` changes the training instead."""

    text: str
    apply: Apply = lambda module: None
    clip: float | None = None


@dataclass(frozen=True)
class Case:
    """The module and its measurements, from which a remedy is planned."""

    anatomy: Anatomy
    branches: Mapping[str, list[Branch]]  # of the residual blocks
    plain: Sequence[Block]  # blocks that a skip fits around
    diagnosis: Diagnosis
    length: int  # of the sequences, if there is a recurrent layer
    seed: int
    ratio: Callable[[Apply], float]  # log₁₀ first/last after a change
    module: nn.Module  # as it is, to look at

    def weights(self) -> dict[str, Layer]:
        """Matrices and kernels of the hidden layers, without embeddings and read-out."""
        last = self.anatomy.blocks[-1].name if len(self.anatomy.blocks) > 1 else None
        named = dict(self.module.named_parameters(remove_duplicate=False))
        return {
            name: layer
            for layer in self.anatomy.layers
            if layer.block != last and "Embedding" not in layer.kind
            for name in layer.parameters
            if named[name].ndim >= 2 and named[name].requires_grad
        }


REGISTRY: Registry[Any] = Registry("remedy", __name__)


def plans() -> dict[str, Callable[[Case], Change]]:
    """Return the plan of every remedy by the remedy's name."""
    return {module.NAME: module.plan for module in REGISTRY}


def parameters_of(module: nn.Module) -> dict[str, Tensor]:
    """Parameters by every name they have, shared ones included."""
    return dict(module.named_parameters(remove_duplicate=False))


def has_recurrence(case: Case) -> bool:
    """Whether the module has a recurrent layer or cell of torch."""
    return any(layer.kind in RECURRENT for layer in case.anatomy.layers)
