"""Skips around plain blocks and factors on the branches of residual ones, by hooks on a copy."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from nets.laboratory.anatomy import Block
from nets.laboratory.branches import replaced
from nets.laboratory.remedies import Apply, Case, DoesNotFit
from nets.laboratory.subject import first_tensor

TAU = "remedy_tau"


def places(case: Case) -> int:
    """H: how many branches there are, or blocks that would become one."""
    count = sum(len(found) for found in case.branches.values()) or len(case.plain)
    if count < 2:
        raise DoesNotFit("no block keeps the shape of its input, so no skip fits around one")
    return count


def with_steps(case: Case, tau: float, *, learned: bool) -> Apply:
    """y + τ f(y): every branch gets a factor τ, learned or not; plain blocks get a skip first."""
    ends = [branch.end for found in case.branches.values() for branch in found]
    plain = [] if ends else list(case.plain)

    def apply(module: nn.Module) -> None:
        like = next(p for p in module.parameters() if p.is_floating_point())
        steps = torch.full((len(ends) or len(plain),), tau, dtype=like.dtype)
        if learned:
            steps = nn.Parameter(steps)
            module.register_parameter(TAU, steps)
        for k, end in enumerate(ends):
            part = module.get_submodule(end)
            part.register_forward_hook(lambda _, __, out, k=k: replaced(out, steps[k]))
        for k, block in enumerate(plain):
            _add_skip(module, block, steps, k)

    return apply


def _add_skip(module: nn.Module, block: Block, steps: Tensor, k: int) -> None:
    held: list[Tensor | None] = []

    def before(_: nn.Module, args: Any) -> None:
        held.append(first_tensor(args))

    def after(_: nn.Module, __: Any, output: Any) -> Any:
        stream = held.pop()
        return replaced(output, steps[k], stream)

    module.get_submodule(block.start).register_forward_pre_hook(before)
    module.get_submodule(block.end).register_forward_hook(after)
