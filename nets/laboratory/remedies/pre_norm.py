"""Layer normalisation in front of every branch of a residual block (Xiong et al. 2020)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torch import Tensor, nn

from nets.laboratory.remedies import Case, Change, DoesNotFit
from nets.laboratory.remedies.layer_norm import normalisation

NAME = "pre-norm"
SWITCHES = ("norm_first", "pre_norm", "prenorm", "pre_ln", "normalize_before")


def plan(case: Case) -> Change:
    switched = [
        (name, switch)
        for name, part in case.module.named_modules()
        for switch in SWITCHES
        if getattr(part, switch, None) is False
    ]
    if switched:
        return Change(
            f"{switched[0][1]}=True in {len(switched)} blocks", lambda m: _switch(m, switched)
        )
    if not case.branches:
        raise DoesNotFit("no block is residual (y + f(y)) or has a switch such as norm_first")
    branches = [b for found in case.branches.values() for b in found if not b.normalised]
    if not branches:
        raise DoesNotFit("every branch begins with a normalisation already")
    shapes = [b.shapes for b in case.anatomy.blocks if b.name in case.branches and b.shapes]
    features = shapes[0][0][1] if len(shapes[0][0]) == 4 else shapes[0][0][-1]

    def apply(module: nn.Module) -> None:
        for k, branch in enumerate(branches):
            norm = normalisation(module, k, features)
            for head in branch.heads:
                _normalise_input(module.get_submodule(head), norm)

    return Change(f"LayerNorm in front of {len(branches)} branches", apply)


def _normalise_input(part: nn.Module, norm: Callable[[Tensor], Tensor]) -> None:
    def before(_: nn.Module, args: Any, kwargs: Any) -> Any:
        stream = next((a for a in (*args, *kwargs.values()) if isinstance(a, Tensor)), None)
        if stream is None:
            return None
        value = norm(stream)  # once: queries, keys and values may be the same tensor

        def swapped(argument: Any) -> Any:
            return value if argument is stream else argument

        return tuple(swapped(a) for a in args), {k: swapped(v) for k, v in kwargs.items()}

    part.register_forward_pre_hook(before, with_kwargs=True)


def _switch(module: nn.Module, switched: list[tuple[str, str]]) -> None:
    for name, switch in switched:
        setattr(module.get_submodule(name), switch, True)
