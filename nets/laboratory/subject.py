"""The subject of a study: a module per seed, batches, a loss, all checked here.

Random numbers come from torch's global generator, because modules draw from it; it is forked, so
that the caller's stream stays where it was.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor, nn
from torch.utils._pytree import tree_leaves, tree_map_only

from base.errors import UserError

Loss = Callable[[Any, Any], Tensor]
COMPILED = "_orig_mod"  # where torch.compile keeps a module


@dataclass(frozen=True)
class Batch:
    """Inputs (a tensor, or a tuple or dict of arguments) and targets (None if there are none)."""

    x: Any
    y: Any = None

    def to(self, dtype: torch.dtype) -> Batch:
        """Floating-point tensors in another precision; integers are unchanged."""
        return self._changed(lambda t: t.to(dtype) if t.is_floating_point() else t)

    def first(self, samples: int) -> Batch:
        """The first few samples, along the leading axis of every tensor."""
        return Batch(self._changed(lambda t: t[:samples] if t.ndim else t).x)

    def _changed(self, change: Callable[[Tensor], Tensor]) -> Batch:
        return Batch(*(tree_map_only(Tensor, change, part) for part in (self.x, self.y)))


def apply(module: nn.Module, x: Any) -> Any:
    """module(x), with a tuple or a dict unpacked into arguments."""
    if isinstance(x, Mapping):
        return module(**x)
    return module(*x) if isinstance(x, tuple | list) else module(x)


@dataclass(frozen=True)
class Subject:
    """A module that can be made again for every seed, its batches, and its loss."""

    source: nn.Module | Callable[[], nn.Module]
    data: Any
    loss: Loss | None = None
    name: str = "module"
    _drawn: dict[int, list[Batch]] = field(default_factory=dict, repr=False, compare=False)
    _double: dict[str, bool] = field(default_factory=dict, repr=False, compare=False)

    def make(self, seed: int) -> nn.Module:
        """The module of a seed, with parameters of its own.

        A function is called after `torch.manual_seed(seed)`; a module is copied, and has one seed.
        """
        if isinstance(self.source, nn.Module) and seed > 0:
            raise UserError("several seeds need a function that makes the module; or use seeds=1")
        with seeded(seed):
            if isinstance(self.source, nn.Module):
                module = _not_compiled(_copied(getattr(self.source, COMPILED, self.source)))
            else:
                module = _not_compiled(_called(self.source, self.name))
        _check_parameters(module, self.name)
        return module

    def batches(self, seed: int, count: int) -> list[Batch]:
        """The first `count` batches of a seed: the same for everything that is compared."""
        drawn = self._drawn.setdefault(seed, [])
        if len(drawn) < count:
            with seeded(10_000 + seed):
                drawn[:] = _drawn(self.data, count)
        return drawn[:count]

    def cost(self, output: Any, y: Any) -> Tensor:
        """J as a scalar tensor."""
        value = (self.loss or default_loss)(output, y)
        if not isinstance(value, Tensor) or value.numel() != 1:
            raise UserError(
                f"the loss must be one number as a tensor, got {_described(value)}; average over "
                "the batch"
            )
        if not value.requires_grad:
            raise UserError(
                f"no gradient reaches the parameters of {self.name}: the loss does not depend on "
                "them; look for .detach(), .item() or torch.no_grad()"
            )
        return value.reshape(())

    def fits_double(self, module: nn.Module, batch: Batch) -> bool:
        """Return whether a copy runs in float64: not where it creates float32 tensors itself."""
        if "fits" not in self._double:
            try:
                with torch.no_grad():
                    apply(copy.deepcopy(module).double(), batch.to(torch.float64).x)
                self._double["fits"] = True
            except (RuntimeError, TypeError, ValueError):
                self._double["fits"] = False
        return self._double["fits"]

    def forward(self, module: nn.Module, batch: Batch) -> Tensor:
        """Return J of the module on a batch; a UserError if the data do not fit."""
        with _clear(
            f"{self.name} does not accept its data, {_described(batch.x)}",
            "the first of the pair is given to the module",
        ):
            output = apply(module, batch.x)
        shapes = f"output {_described(output)} and target {_described(batch.y)}"
        with _clear(f"the loss does not accept {shapes}", "give another --loss (loss=)"):
            return self.cost(output, batch.y)


def _not_compiled(module: nn.Module) -> nn.Module:
    """The module as it was before torch.compile, whose graphs every hook would break."""
    module = getattr(module, COMPILED, module)
    for part in list(module.modules()):
        part._compiled_call_impl = None  # that of module.compile()
        for name, child in part.named_children():
            part._modules[name] = getattr(child, COMPILED, child)
    return module


@contextmanager
def _clear(what: str, remedy: str) -> Iterator[None]:
    """Turn an error of torch into one line with a remedy."""
    try:
        yield
    except UserError:
        raise
    except (RuntimeError, TypeError, ValueError, IndexError) as error:
        raise UserError(f"{what}: {_first_line(error)}; {remedy}") from error


def default_loss(output: Any, y: Any) -> Tensor:
    """Cross entropy for whole-number targets, the mean square for others, J itself for none.

    Classes are the last axis of the output, as in (samples, classes) or (samples, time, classes).
    """
    output = first_tensor(output)
    if output is None:
        raise UserError("the module returns no tensor of floating-point numbers; give a loss")
    if y is None:
        if output.numel() == 1:
            return output
        raise UserError(
            "without targets the module must return its loss, one number, but it returns "
            f"{_described(output)}; let the data be a pair (x, y), or give a loss"
        )
    if not isinstance(y, Tensor):
        raise UserError(f"the target is {_described(y)}, not a tensor; give a loss for it")
    if not y.is_floating_point():
        if output.shape[:-1] != y.shape:
            raise UserError(
                f"targets of whole numbers are classes: for output {_described(output)} they need "
                f"shape {tuple(output.shape[:-1])}, got {_described(y)}; give a loss"
            )
        return nn.functional.cross_entropy(output.flatten(0, -2), y.flatten().long())
    if output.shape != y.shape:
        raise UserError(
            f"output {_described(output)} and target {_described(y)} differ in shape; give a loss"
        )
    return (output - y).square().mean()


def first_tensor(value: Any) -> Tensor | None:
    """Return the first tensor of floating-point numbers in what a module returned."""
    return next((tensor for tensor in _tensors(value) if tensor.is_floating_point()), None)


@contextmanager
def seeded(seed: int) -> Iterator[None]:
    """Set torch's generator to a seed, and restore it afterwards."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        yield


def _drawn(data: Any, count: int) -> list[Batch]:
    if callable(data) and not isinstance(data, Tensor):
        return [_pair(data()) for _ in range(count)]
    if isinstance(data, Tensor | tuple | list | Mapping):
        return [_pair(data)] * count
    try:
        found: list[Batch] = []
        while len(found) < count:  # a loader is gone through again and again
            before = len(found)
            for batch in data:
                found.append(_pair(batch))
                if len(found) == count:
                    break
            if len(found) == before:
                raise UserError("the data are empty; give at least one batch")
    except TypeError:
        raise UserError(
            f"data must be a pair (x, y), a function that returns one, or a loader of such pairs; "
            f"got {_described(data)}"
        ) from None
    return found


def _pair(value: Any) -> Batch:
    batch = Batch(*value) if isinstance(value, tuple | list) and len(value) == 2 else Batch(value)
    if isinstance(batch.x, Mapping):
        batch = Batch(dict(batch.x), batch.y)
    if not _tensors(batch.x):
        raise UserError(f"a batch must be a pair of tensors (x, y), got {_described(value)}")
    for what, part in (("inputs", batch.x), ("targets", batch.y)):
        for tensor in _tensors(part):
            if tensor.is_floating_point() and not bool(torch.isfinite(tensor).all()):
                raise UserError(f"the {what} have a NaN or infinite entry; remove such samples")
    return batch


def _called(source: Callable[[], nn.Module], name: str) -> nn.Module:
    if not callable(source):
        raise UserError(f"{name} is {_described(source)}, neither a module nor a function")
    try:
        module = source()
    except TypeError as error:
        raise UserError(
            f"{name}() could not be called without arguments: {_first_line(error)}"
        ) from error
    if not isinstance(module, nn.Module):
        raise UserError(f"{name}() must return a torch.nn.Module, it returned {_described(module)}")
    return module


def _copied(module: nn.Module) -> nn.Module:
    with _clear("this module cannot be copied", "give a function that makes it"):
        return copy.deepcopy(module)


def _check_parameters(module: nn.Module, name: str) -> None:
    parameters = dict(module.named_parameters())
    lazy = [key for key, p in parameters.items() if isinstance(p, nn.UninitializedParameter)]
    if lazy:
        raise UserError(f"{name} is lazy ({lazy[0]} has no shape yet); call it once on a batch")
    if not any(p.requires_grad for p in parameters.values()):
        raise UserError(
            f"{name} has no parameter with requires_grad: there are no gradients to study"
        )
    for key, p in parameters.items():
        if p.is_complex():
            raise UserError(f"{key} is complex; the laboratory measures real parameters")
        if not bool(torch.isfinite(p).all()):
            raise UserError(f"{key} has a NaN or infinite entry at the start; check its values")


def _tensors(value: Any) -> list[Tensor]:
    return [leaf for leaf in tree_leaves(value) if isinstance(leaf, Tensor)]


def _described(value: Any) -> str:
    if isinstance(value, Tensor):
        return f"{tuple(value.shape)} {str(value.dtype).removeprefix('torch.')}"
    if isinstance(value, tuple | list) and any(isinstance(part, Tensor) for part in value):
        return "(" + ", ".join(_described(part) for part in value) + ")"
    if value is None or isinstance(value, int | float | str):
        return f"{value!r}"[:60]
    return f"a {type(value).__name__}"


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:200]
