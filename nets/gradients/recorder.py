"""Per-layer gradient norms of any torch module, in two lines of any training loop.

    with record_gradients(model) as history:
        ...                                   # the loop as it was
    print(history.table())

After each backward pass the norms of all parameters' gradients are taken. Whichever parameter
receives its gradient first asks the autograd engine to call at the end of the pass. Nothing in the
loop, the optimiser or the model changes.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn.parameter import is_lazy

from base.errors import UserError
from nets.gradients.tensor_norms import NormRows
from nets.gradients.verdict import Verdict, judge

if TYPE_CHECKING:
    import pandas

Array = NDArray[np.float64]

COMPILED = "_orig_mod."  # what torch.compile puts in front of names


class GradientHistory:
    """Recorded gradient norms: one row per backward pass, one column per parameter.

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
        if type(every) is not int or every < 1:
            raise UserError(f"every must be a whole number >= 1, got {every}")
        named = {
            name.replace(COMPILED, ""): p
            for name, p in module.named_parameters()
            if p.requires_grad
        }
        if not named:
            raise UserError("this module has no parameter with requires_grad: nothing to record")
        for name in entries:
            if name not in named:
                raise UserError(f"no parameter {name!r} to record; known: {', '.join(named)}")
        self.names = tuple(named)
        self._parameters = list(named.values())
        self._entries = {name: named[name] for name in entries}
        self._rows = NormRows(len(named))
        self._scales: list[float] = []
        self._entry_rows: dict[str, list[Tensor]] = {name: [] for name in entries}
        self._value_rows: dict[str, list[Tensor]] = {name: [] for name in entries}
        self._passes: set[int] = set()  # the backward passes at whose end `record` is called
        self._one_at_a_time = threading.Lock()
        self._scaler, self._every, self._passes_seen = scaler, every, 0

    def record(self) -> None:
        """Record the norms of the current gradients; called after each backward pass."""
        gradients = [p.grad for p in self._parameters]
        scale = 1.0 if self._scaler is None else self._scaler.get_scale()
        with self._one_at_a_time:
            self._rows.append(gradients)
            self._scales.append(scale)
            for name, p in self._entries.items():
                gradient = torch.zeros_like(p) if p.grad is None else p.grad
                self._entry_rows[name].append(gradient.detach().clone() / scale)
                self._value_rows[name].append(p.detach().clone())

    def __len__(self) -> int:
        return len(self._rows)

    def __repr__(self) -> str:
        label = f", {self.verdict().label}" if len(self) else ""
        return f"<GradientHistory: {len(self)} passes × {len(self.names)} parameters{label}>"

    @property
    def norms(self) -> Array:
        """‖gradient‖ per backward pass and parameter, (passes, parameters)."""
        with self._one_at_a_time:
            return self._rows.norms() / np.reshape(self._scales, (-1, 1))

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
        if not -len(self) <= at < len(self):
            raise UserError(f"no backward pass {at} was recorded; there are {len(self)}")
        weights = [k for k, p in enumerate(self._parameters) if _is_weight(p)]
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

    def to_pandas(self) -> pandas.DataFrame:
        """One row per backward pass, one column per parameter; needs pandas."""
        try:
            import pandas
        except ImportError:
            raise UserError("to_pandas needs pandas: pip install 'femnets[export]'") from None
        index = pandas.RangeIndex(len(self), name="pass")
        return pandas.DataFrame(self.norms, index=index, columns=list(self.names))

    def plot(self, axes: Any = None) -> Any:
        """Draw the gradient norm of every layer over the passes, first layer dark, last bright.

        Return matplotlib's axes: those given, or new ones.
        """
        from nets.laboratory.drawing import draw_history

        return draw_history(self, axes)

    def _at_the_end_of(self, backward_pass: int) -> None:
        """Record a row at the end of every `every`-th backward pass."""
        self._passes.discard(backward_pass)
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
    """Record the gradient norms of every parameter after each `.backward()` within the block.

    scaler: that of mixed precision; norms are divided by its factor. every: record each
    n-th pass only, where gradients of n batches are accumulated. Modules from `torch.compile` are
    recorded like others, under their own names.

    Works for any module and any loop: mini batches, several backward passes per step (the
    accumulated gradient is what is recorded), L-BFGS closures, modules of which only parts are
    called, lazy modules, complex parameters (norms of moduli), passes that raise, passes of several
    threads at once. `torch.autograd.grad` leaves no `.grad` behind and makes no row;
    `history.record()` records the current gradients by hand. Segments checkpointed with
    `use_reentrant=True` are backward passes of their own and make rows of their own.
    """
    history = GradientHistory(module, entries, scaler, every)
    hooks = [_watch(history, p) for p in history._parameters if not is_lazy(p) and p.is_leaf]
    hooks += [_once_shaped(history, part, hooks) for part in module.modules() if _waits(part)]
    try:
        yield history
    finally:
        for hook in hooks:
            hook.remove()


def _watch(history: GradientHistory, parameter: Tensor) -> Any:
    # Called once per parameter and pass: local names save attribute lookups there.
    current_pass, passes = torch._C._current_graph_task_id, history._passes

    def on_gradient(_: Tensor) -> None:
        """In each backward pass the first call has the engine record at the pass's end."""
        current = current_pass()
        # Not a flag: a pass that raises never ends, and each thread has passes of its own.
        if current not in passes:
            passes.add(current)
            engine: Any = torch.autograd.Variable._execution_engine
            engine.queue_callback(lambda: history._at_the_end_of(current))

    return parameter.register_post_accumulate_grad_hook(on_gradient)


def _waits(part: nn.Module) -> bool:
    """Whether the part has parameters without a shape, which its first forward pass gives them."""
    return any(is_lazy(p) for p in part.parameters(recurse=False))


def _once_shaped(history: GradientHistory, part: nn.Module, hooks: list[Any]) -> Any:
    """Watch the parameters of a lazy part as soon as they have shapes."""
    waiting = [p for p in part.parameters(recurse=False) if is_lazy(p) and p.requires_grad]

    def watch_them(*_: Any) -> None:
        hooks.extend(_watch(history, p) for p in waiting)
        waiting.clear()

    return part.register_forward_hook(watch_them)


def _is_weight(parameter: Tensor) -> bool:
    """Whether a parameter has two or more dimensions; a lazy one without a shape has none."""
    return not is_lazy(parameter) and parameter.ndim > 1


def _layer_of(name: str) -> str:
    return name.rpartition(".")[0] or name


def _stacked(rows: list[Tensor]) -> Array:
    if not rows:
        return np.zeros((0,))
    whole = torch.stack(rows).resolve_conj()
    return whole.to(torch.complex128 if whole.is_complex() else torch.float64).numpy()
