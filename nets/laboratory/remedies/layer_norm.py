"""Layer normalisation behind every hidden weight, in front of the activation (Ba et al. 2016)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from nets.laboratory.remedies import Case, Change, DoesNotFit

NAME = "LayerNorm"
LAYERS = {"Linear", "Conv1d", "Conv2d", "Conv3d"}


def plan(case: Case) -> Change:
    """Plan a normalisation behind every hidden linear or convolutional layer."""
    if case.branches:
        raise DoesNotFit("residual blocks are normalised in front of their branches: pre-norm")
    chosen = [
        layer.name
        for name, layer in case.weights().items()
        if layer.kind in LAYERS and name.endswith("weight")
    ]
    if not chosen:
        raise DoesNotFit("no linear or convolutional layer to normalise")

    def apply(module: nn.Module) -> None:
        for k, name in enumerate(chosen):
            layer: Any = module.get_submodule(name)
            norm = normalisation(module, k, layer.weight.shape[0])
            layer.register_forward_hook(lambda _, __, out, norm=norm: norm(out))

    return Change(f"LayerNorm behind {len(chosen)} layers", apply)


def normalisation(module: nn.Module, k: int, features: int) -> Callable[[Tensor], Tensor]:
    """(z − mean)/deviation over the features (all axes but the samples' for images), affine.

    Weight and bias are registered with the module itself: a Sequential would run another child.
    """
    like = next(p for p in module.parameters() if p.is_floating_point())
    weight = nn.Parameter(torch.ones(features, dtype=like.dtype))
    bias = nn.Parameter(torch.zeros(features, dtype=like.dtype))
    module.register_parameter(f"remedy_weight_{k}", weight)
    module.register_parameter(f"remedy_bias_{k}", bias)

    def norm(z: Tensor) -> Tensor:
        if z.shape[-1] == features:
            return nn.functional.layer_norm(z, z.shape[-1:], weight, bias)
        return nn.functional.group_norm(z, 1, weight, bias)

    return norm
