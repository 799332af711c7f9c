"""Per-layer gradient norms of any torch module, in two lines of somebody else's training loop.

    with record_gradients(model) as history:
        ...                                   # the loop as it was
    print(history.table())

After each backward pass the norms of all parameters' gradients are taken in one fused call
(`torch._foreach_norm`). The end of a backward pass is found by a callback of the autograd engine,
queued when the pass enters the module's output; where the module itself is never called (only its
parts), by whichever parameter receives its gradient first. Nothing in the loop, the optimiser or
the model changes, and once the output is seen to do, Python runs for a few parameters only.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.utils._pytree import tree_leaves
from torch.utils.hooks import RemovableHandle

from nets.errors import InputError
from nets.verdict import Verdict, judge

Array = NDArray[np.float64]

# Parameters that keep a hook once passes are announced by the module's output: enough to tell a
# backward pass, which accumulates gradients, from `torch.autograd.grad`, which does not.
WITNESSES = 8


class GradientHistory:
    """What was recorded: one row per backward pass, one column per parameter.

    A parameter named in `entries` (a vector of scalars, such as one τ per layer) is kept entry by
    entry, gradient and value: `history.entries["tau"]`, `history.values["tau"]`.
    """

    def __init__(self, module: nn.Module, entries: Sequence[str] = ()) -> None:
        named = {name: p for name, p in module.named_parameters() if p.requires_grad}
        if not named:
            raise InputError("this module has no parameter with requires_grad: nothing to record")
        for name in entries:
            if name not in named:
                raise InputError(f"no parameter {name!r} to record; known: {', '.join(named)}")
        self.names = tuple(named)
        self._parameters = list(named.values())
        self._entries = {name: named[name] for name in entries}
        self._rows: list[Tensor] = []
        self._entry_rows: dict[str, list[Tensor]] = {name: [] for name in entries}
        self._value_rows: dict[str, list[Tensor]] = {name: [] for name in entries}
        self._hooks: list[RemovableHandle] = []  # on parameters
        self._waiting = self._accumulated = self._sees_outputs = False

    def record(self) -> None:
        """Take down the norms of the gradients as they are now; done after each backward."""
        gradients = [p.grad for p in self._parameters]
        present = [k for k, gradient in enumerate(gradients) if gradient is not None]
        norms = _norms([gradient for gradient in gradients if gradient is not None])
        if len(present) < len(gradients):
            row = torch.zeros(len(gradients), dtype=torch.float64)
            row[present] = norms
            norms = row
        self._rows.append(norms)
        for name, p in self._entries.items():
            gradient = torch.zeros_like(p) if p.grad is None else p.grad
            self._entry_rows[name].append(gradient.detach().clone())
            self._value_rows[name].append(p.detach().clone())

    def __len__(self) -> int:
        return len(self._rows)

    @property
    def norms(self) -> Array:
        """‖gradient‖ per backward pass and parameter, (passes, parameters)."""
        return torch.stack(self._rows).numpy() if self._rows else np.zeros((0, len(self.names)))

    @property
    def entries(self) -> dict[str, Array]:
        """Gradients of the parameters recorded entry by entry, (passes, …)."""
        return {name: _stacked(rows) for name, rows in self._entry_rows.items()}

    @property
    def values(self) -> dict[str, Array]:
        """Values of those parameters at each backward pass, (passes, …)."""
        return {name: _stacked(rows) for name, rows in self._value_rows.items()}

    @property
    def layers(self) -> tuple[str, ...]:
        """Names of the submodules that own parameters, in the module's order."""
        return tuple(dict.fromkeys(_layer_of(name) for name in self.names))

    def layer_norms(self) -> Array:
        """Norms over all parameters of a layer together, (passes, layers)."""
        owner = np.array([self.layers.index(_layer_of(name)) for name in self.names])
        parts = [self.norms[:, owner == k].T for k in range(len(self.layers))]
        return np.stack([np.hypot.reduce(part) for part in parts], axis=1)  # squares may overflow

    def verdict(self, at: int = -1) -> Verdict:
        """The rules of `nets.verdict` on the weights' profile at one backward pass (the last).

        Weights are the parameters of two or more dimensions; without any, all parameters.
        """
        weights = [k for k, p in enumerate(self._parameters) if p.ndim > 1]
        chosen = weights or list(range(len(self.names)))
        with np.errstate(divide="ignore"):
            return judge(np.log10(self.norms[at, chosen]).tolist())

    def table(self) -> str:
        """First, median and last norm of every parameter, as text."""
        if not len(self):
            return "no backward pass was recorded"
        width = max(len(name) for name in self.names)
        lines = [f"{'parameter':{width}}  {'first':>10} {'median':>10} {'last':>10}"]
        for k, name in enumerate(self.names):
            column = self.norms[:, k]
            numbers = (column[0], np.median(column), column[-1])
            lines.append(f"{name:{width}}  " + " ".join(f"{value:10.3e}" for value in numbers))
        verdict = self.verdict()
        lines.append(f"{verdict.label}: first/last weight 1e{verdict.log10_ratio:+.1f}")
        return "\n".join(lines)

    def _on_forward(self, module: nn.Module, inputs: Any, output: Any) -> None:
        """After each call of the module: be told when a backward pass enters its output."""
        for leaf in tree_leaves(output):
            if isinstance(leaf, Tensor) and leaf.requires_grad:
                leaf.register_hook(self._on_output)

    def _on_output(self, _: Tensor) -> None:
        self._sees_outputs = True
        self._order()

    def _on_gradient(self, _: Tensor) -> None:
        self._accumulated = True
        self._order()

    def _order(self) -> None:
        """Within a backward pass: have the engine call at its end, once."""
        if not self._waiting:
            self._waiting = True
            engine: Any = torch.autograd.Variable._execution_engine
            engine.queue_callback(self._end_of_pass)

    def _end_of_pass(self) -> None:
        """Record, unless no gradient was accumulated: `torch.autograd.grad` passes here too."""
        self._waiting = False
        if self._accumulated:
            self._accumulated = False
            self.record()
            if self._sees_outputs:
                self._keep_hooks(WITNESSES)

    def _keep_hooks(self, count: int) -> None:
        """Remove all hooks on parameters but so many, spread evenly."""
        if len(self._hooks) > count:
            kept = [self._hooks[k * len(self._hooks) // count] for k in range(count)]
            for handle in self._hooks:
                if handle not in kept:
                    handle.remove()
            self._hooks = kept


@contextmanager
def record_gradients(
    module: nn.Module, *, entries: Sequence[str] = ()
) -> Iterator[GradientHistory]:
    """Records the gradient norms of every parameter after each `.backward()` within the block.

    Works for any module and any loop: mini batches, several backward passes per step (the
    accumulated gradient is what is recorded), L-BFGS closures, modules of which only parts are
    called. `torch.autograd.grad` leaves no `.grad` behind and makes no row; `history.record()`
    takes down whatever is there by hand.
    """
    history = GradientHistory(module, entries)
    on_call = module.register_forward_hook(history._on_forward)
    history._hooks += [
        p.register_post_accumulate_grad_hook(history._on_gradient)
        for p in history._parameters
        if p.is_leaf
    ]
    try:
        yield history
    finally:
        on_call.remove()
        history._keep_hooks(0)


@torch.no_grad()
def _norms(gradients: list[Tensor]) -> Tensor:
    """All Frobenius norms in float64: one fused call, and care where squares left the range."""
    if not gradients:
        return torch.zeros(0, dtype=torch.float64)
    fused = list(torch._foreach_norm(gradients))
    if len({norm.dtype for norm in fused}) > 1:
        fused = [norm.double() for norm in fused]
    norms = torch.stack(fused).double().cpu()
    for k in torch.nonzero((norms == 0) | (norms == torch.inf))[:, 0].tolist():
        norms[k] = _careful_norm(gradients[k])
    return norms


def _careful_norm(gradient: Tensor) -> Tensor:
    """In float64 and scaled: squares of 1e30 overflow float32, those of 1e200 float64."""
    gradient = gradient.double()
    peak = gradient.abs().max() if gradient.numel() else torch.zeros((), dtype=torch.float64)
    return peak * (gradient / peak).norm() if 0 < peak < torch.inf else peak


def _layer_of(name: str) -> str:
    return name.rpartition(".")[0] or name


def _stacked(rows: list[Tensor]) -> Array:
    return torch.stack(rows).double().numpy() if rows else np.zeros((0,))
