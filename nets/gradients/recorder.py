"""Per-layer gradient norms of any torch module, in two lines of somebody else's training loop.

    with record_gradients(model) as history:
        ...                                   # the loop as it was
    print(history.table())

After each backward pass the norms of all parameters' gradients are taken in one fused call
(`torch._foreach_norm`). Whichever parameter receives its gradient first asks the autograd engine to
call at the end of the pass. Nothing in the loop, the optimiser or the model changes.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from nets.errors import InputError
from nets.gradients.verdict import Verdict, judge

Array = NDArray[np.float64]

NO_PASS = -1  # what autograd answers outside of one
COMPILED = "_orig_mod."  # what torch.compile puts in front of names


class GradientHistory:
    """What was recorded: one row per backward pass, one column per parameter.

    A parameter named in `entries` (a vector of scalars, such as one τ per layer) is kept entry by
    entry, gradient and value: `history.entries["tau"]`, `history.values["tau"]`.
    """

    def __init__(
        self,
        module: nn.Module,
        entries: Sequence[str] = (),
        scaler: torch.amp.GradScaler | None = None,
        every: int = 1,
    ) -> None:
        if every < 1:
            raise InputError(f"every must be a whole number >= 1, got {every}")
        named = {
            name.replace(COMPILED, ""): p
            for name, p in module.named_parameters()
            if p.requires_grad
        }
        if not named:
            raise InputError("this module has no parameter with requires_grad: nothing to record")
        for name in entries:
            if name not in named:
                raise InputError(f"no parameter {name!r} to record; known: {', '.join(named)}")
        self.names = tuple(named)
        self._parameters = list(named.values())
        self._entries = {name: named[name] for name in entries}
        self._rows: list[array[float]] = []
        self._entry_rows: dict[str, list[Tensor]] = {name: [] for name in entries}
        self._value_rows: dict[str, list[Tensor]] = {name: [] for name in entries}
        self._pass = NO_PASS  # the backward pass at whose end `record` is called
        self._scaler, self._every, self._passes_seen = scaler, every, 0

    def record(self) -> None:
        """Take down the norms of the gradients as they are now; done after each backward."""
        gradients = [p.grad for p in self._parameters]
        present = [gradient for gradient in gradients if gradient is not None]
        norms = iter(_norms(present))
        scale = 1.0 if self._scaler is None else self._scaler.get_scale()
        row = [0.0 if gradient is None else next(norms) / scale for gradient in gradients]
        self._rows.append(array("d", row))
        for name, p in self._entries.items():
            gradient = torch.zeros_like(p) if p.grad is None else p.grad
            self._entry_rows[name].append(gradient.detach().clone() / scale)
            self._value_rows[name].append(p.detach().clone())

    def __len__(self) -> int:
        return len(self._rows)

    @property
    def norms(self) -> Array:
        """‖gradient‖ per backward pass and parameter, (passes, parameters)."""
        return np.stack(self._rows) if self._rows else np.zeros((0, len(self.names)))

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
        """The rules of `nets.gradients.verdict` on the weights' profile at one pass (the last).

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

    def to_parquet(self, path: str | Path) -> None:
        """One row per backward pass and parameter: pass, parameter, norm; needs pyarrow."""
        try:
            import pyarrow
            import pyarrow.parquet
        except ImportError:
            raise InputError("to_parquet needs pyarrow: pip install 'femnets[export]'") from None
        count = len(self.names)
        passes = np.repeat(np.arange(len(self)), count)
        columns = {"pass": passes, "parameter": list(self.names) * len(self)}
        table = pyarrow.table({**columns, "norm": self.norms.ravel()})
        pyarrow.parquet.write_table(table, path)

    def _on_gradient(self, _: Tensor) -> None:
        """In each backward pass the first call has the engine record at the pass's end."""
        current = torch._C._current_graph_task_id()
        if self._pass != current:  # not a mere flag: a pass that raises never gets to its end
            self._pass = current
            engine: Any = torch.autograd.Variable._execution_engine
            engine.queue_callback(self._passed)

    def _passed(self) -> None:
        """At the end of a backward pass: of several that accumulate, the last makes the row."""
        self._passes_seen += 1
        if self._passes_seen % self._every == 0:
            self.record()


@contextmanager
def record_gradients(
    module: nn.Module,
    *,
    entries: Sequence[str] = (),
    scaler: torch.amp.GradScaler | None = None,
    every: int = 1,
) -> Iterator[GradientHistory]:
    """Records the gradient norms of every parameter after each `.backward()` within the block.

    scaler: that of mixed precision, whose factor is taken out of the norms. every: record each
    n-th pass only, where gradients of n batches are accumulated. Modules from `torch.compile` are
    recorded like others, under their own names.

    Works for any module and any loop: mini batches, several backward passes per step (the
    accumulated gradient is what is recorded), L-BFGS closures, modules of which only parts are
    called, passes that raise. `torch.autograd.grad` leaves no `.grad` behind and makes no row;
    `history.record()` takes down whatever is there by hand. Segments checkpointed with
    `use_reentrant=True` are backward passes of their own and make rows of their own.
    """
    history = GradientHistory(module, entries, scaler, every)
    hooks = [
        p.register_post_accumulate_grad_hook(history._on_gradient)
        for p in history._parameters
        if p.is_leaf
    ]
    try:
        yield history
    finally:
        for hook in hooks:
            hook.remove()


def _norms(gradients: list[Tensor]) -> list[float]:
    """All Frobenius norms: one fused call, and care where squares left the range.

    Between two steps every further operation of torch runs with cold caches and costs as much as
    the norms of ten layers: from the fused call on these are numbers of Python.
    """
    if not gradients:
        return []
    gradients = [g.coalesce().values() if g.is_sparse else g for g in gradients]
    norms: list[float] = torch.stack(torch._foreach_norm(gradients)).tolist()
    if 0.0 in norms or math.inf in norms:
        return [
            _careful_norm(gradient) if norm in (0.0, math.inf) else norm
            for gradient, norm in zip(gradients, norms, strict=True)
        ]
    return norms


def _careful_norm(gradient: Tensor) -> float:
    """In float64 and scaled: squares of 1e30 overflow float32, those of 1e200 float64."""
    gradient = gradient.detach().double()
    peak = gradient.abs().max().item() if gradient.numel() else 0.0
    return peak * (gradient / peak).norm().item() if 0 < peak < math.inf else peak


def _layer_of(name: str) -> str:
    return name.rpartition(".")[0] or name


def _stacked(rows: list[Tensor]) -> Array:
    return torch.stack(rows).double().numpy() if rows else np.zeros((0,))
