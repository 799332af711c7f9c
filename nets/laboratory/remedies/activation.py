"""Another activation: leaky where units die, ReLU where they saturate, tanh where they grow."""

from __future__ import annotations

from collections.abc import Callable

from torch import nn

from nets.laboratory.remedies import Case, Change, DoesNotFit

NAME = "another activation"
RECTIFIERS = ("ReLU", "GELU", "SiLU", "ELU", "LeakyReLU", "Softplus", "Mish", "ReLU6")
SQUASHING = ("Sigmoid", "Tanh", "Hardtanh", "Softsign", "Hardsigmoid")


def plan(case: Case) -> Change:
    """Plan the replacement of every activation that is a module."""
    present = [layer for layer in case.anatomy.layers if layer.kind in (*RECTIFIERS, *SQUASHING)]
    if not present:
        raise DoesNotFit("activations are called as functions and cannot be replaced from outside")
    make = _choice(present[0].kind, case.diagnosis.verdict)
    names = [layer.name for layer in present]

    def apply(module: nn.Module) -> None:
        for name in names:
            owner, _, key = name.rpartition(".")
            module.get_submodule(owner)._modules[key] = make()

    return Change(f"{type(make()).__name__} instead of {present[0].kind} in {len(names)}", apply)


def _choice(kind: str, verdict: str) -> Callable[[], nn.Module]:
    if kind in RECTIFIERS:
        leaky = verdict in ("dead", "vanishing", "ordered")
        return (lambda: nn.LeakyReLU(0.2)) if leaky else nn.Tanh
    return nn.Tanh if kind in ("Sigmoid", "Hardsigmoid") else nn.ReLU
