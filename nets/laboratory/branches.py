"""Which blocks are residual, and where their branches end: found by perturbing them.

The parts of a block are the modules that it calls. A part *ends a branch* if, with all parts that
are called after it silenced, adding δ to its output adds exactly δ to the block's. A block is
*residual* if silencing the ends of its branches makes it the identity. Both are tested in float64.
"""

from __future__ import annotations

from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from nets.laboratory.anatomy import Anatomy, Block, first_arguments, hooked
from nets.laboratory.subject import Batch, first_tensor, seeded

TOLERANCE = 1e-9  # relative; the sums are done in float64


@dataclass(frozen=True)
class Branch:
    """A branch of a residual block: the parts that read the stream, and the part that ends it."""

    heads: tuple[str, ...]
    end: str
    normalised: bool  # begins with a normalisation


def residual_branches(module: nn.Module, batch: Batch, anatomy: Anatomy) -> dict[str, list[Branch]]:
    """Branches of every residual block by its name; blocks of another form are left out.

    The module is one in float64 made for this. Blocks of one type and shape are assumed alike in
    form: the first of them is examined, and the names carried over.
    """
    blocks = {block.end for block in anatomy.blocks if block.is_module}
    with seeded(0):
        arguments = first_arguments(blocks, anatomy, module, batch)
    known: dict[Any, list[tuple[list[str], str, bool]] | None] = {}
    found: dict[str, list[Branch]] = {}
    for block in anatomy.blocks:
        if not block.is_module or block.name not in arguments:
            continue
        part = module.get_submodule(block.name)
        form = (type(part), repr(part), block.shapes)
        if form not in known:
            known[form] = None
            with suppress(RuntimeError, TypeError, ValueError, IndexError):
                known[form] = _examined(part, *arguments[block.name])
        if known[form]:
            found[block.name] = [
                Branch(tuple(f"{block.name}.{h}" for h in heads), f"{block.name}.{end}", normalised)
                for heads, end, normalised in known[form] or []
            ]
    return found


def _examined(block: nn.Module, args: Any, kwargs: Any) -> list[tuple[list[str], str, bool]] | None:
    """(heads, end, normalised) of every branch, or None if the block is not residual."""
    stream = first_tensor(args)
    if stream is None:
        return None

    calls = _parts(block, args, kwargs)
    order = [name for name, _ in calls]
    delta = torch.randn(stream.shape, generator=torch.Generator().manual_seed(0)).to(stream)

    def run(silent: Collection[str], shifted: str = "") -> Tensor:
        def changed(name: str, _: Any, output: Any) -> Any:
            """δ more from the shifted part, zeros from the silent ones."""
            return replaced(output, 1.0, delta) if name == shifted else replaced(output, 0.0)

        parts = {name: block.get_submodule(name) for name in [*silent, shifted] if name}
        with seeded(0), torch.no_grad(), hooked(parts, changed):
            output = first_tensor(block(*args, **kwargs))
        if output is None or output.shape != stream.shape:
            raise ValueError("another shape")
        return output

    ends = []
    for k, name in enumerate(order):
        later = order[k + 1 :]
        with suppress(RuntimeError, ValueError):
            moved = run(later, name) - run(later)
            if _same(moved, delta):
                ends.append(k)
    if not ends or not _same(run([order[k] for k in ends]), stream):
        return None
    branches = []
    for first, last in zip([0, *(k + 1 for k in ends)], ends, strict=False):
        segment = calls[first : last + 1]
        source = segment[0][1]
        heads = [name for name, given in segment if given is source]
        normalised = "Norm" in type(block.get_submodule(heads[0])).__name__
        branches.append((heads, order[last], normalised))
    return branches


def _parts(block: nn.Module, args: Any, kwargs: Any) -> list[tuple[str, Tensor | None]]:
    """The outermost modules that a block calls, once each and in order, with their first inputs.

    Tensors that a part is given are compared by identity.
    """
    calls: dict[str, Tensor | None] = {}
    depth = 0

    def begins(name: str, given: Any) -> None:
        nonlocal depth
        depth += 1
        if depth == 1 and name not in calls:
            calls[name] = first_tensor(given[0])

    def ends(*_: Any) -> None:
        nonlocal depth
        depth -= 1

    inner = {name: part for name, part in block.named_modules() if name}
    with seeded(0), torch.no_grad(), hooked(inner, ends, begins):
        block(*args, **kwargs)
    return list(calls.items())


def replaced(output: Any, factor: Any, added: Tensor | None = None) -> Any:
    """Return the output of a part with its first tensor times `factor`, plus `added`."""
    if isinstance(output, Tensor):
        value = factor * output
        return value if added is None else value + added
    return type(output)([replaced(output[0], factor, added), *output[1:]])


def _same(a: Tensor, b: Tensor) -> bool:
    return bool((a - b).norm() <= TOLERANCE * b.norm())


def plain_blocks(anatomy: Anatomy, residual: Collection[str]) -> list[Block]:
    """Blocks that keep the shape of their input and are not residual: a skip fits around them."""
    recurrent = {layer.block for layer in anatomy.layers if layer.kind in RECURRENT}
    return [
        block
        for block in anatomy.blocks
        if block.shapes is not None
        and block.shapes[0] == block.shapes[1]
        and block.name not in residual
        and block.name not in recurrent
        and any(layer.parameters for layer in anatomy.layers if layer.name in block.layers)
    ]


RECURRENT = ("LSTM", "GRU", "RNN", "LSTMCell", "GRUCell", "RNNCell")
