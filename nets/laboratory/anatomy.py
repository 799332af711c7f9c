"""Layers in the order of execution, grouped by block, as one forward pass shows them.

A *layer* is a module that calls no other one, with all its parameters (so that an attention or a
recurrent module is one layer), or a parameter that its module uses by itself. A *block* is what is
repeated: containers (Sequential, ModuleList) and modules that hold a stack are opened, any other
module is a block. A bare activation or normalisation belongs to the layer before it. A *state* is
what a block returns in one of its calls: a shared block has several.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode
from torch.utils._pytree import tree_leaves

from base.errors import UserError
from nets.laboratory.subject import Batch, Subject, apply, first_tensor

CONTAINERS = (nn.Sequential, nn.ModuleList, nn.ModuleDict)
MOST = 0.6  # a module that holds more of the layers than this is opened

OnOutput = Callable[[str, Any, Any], Any]  # name, arguments, what was returned


@dataclass(frozen=True)
class Layer:
    """One layer: its name, its kind and its parameters by name."""

    name: str
    kind: str
    block: str
    parameters: tuple[str, ...]
    frozen: bool = False
    shared: bool = False  # called more than once, or with a parameter of an earlier layer
    orphan: bool = False  # a parameter that no layer owns


@dataclass(frozen=True)
class Block:
    """A repeated part: `end` is the module whose output is its state, `start` its first one."""

    name: str
    layers: tuple[str, ...]
    start: str
    end: str
    is_module: bool
    shapes: tuple[tuple[int, ...], tuple[int, ...]] | None = None  # in and out, first call


@dataclass(frozen=True)
class Anatomy:
    """Layers and blocks of one module, both in the order of execution."""

    layers: tuple[Layer, ...]
    blocks: tuple[Block, ...]

    @property
    def orphans(self) -> dict[str, str]:
        """Parameter → layer, for parameters that no called module owns."""
        return {p: layer.name for layer in self.layers if layer.orphan for p in layer.parameters}


@dataclass
class _Call:
    name: str
    began: int
    shape_in: tuple[int, ...] | None
    shape_out: tuple[int, ...] | None


def dissect(subject: Subject, module: nn.Module, batch: Batch) -> Anatomy:
    """The anatomy of a module from one forward pass on a batch."""
    calls: list[_Call] = []
    clock, open_calls = 0, []

    def begins(name: str, arguments: Any) -> None:
        nonlocal clock
        clock += 1
        open_calls.append(_Call(name, clock, _shape(arguments), None))

    def ends(name: str, _: Any, output: Any) -> None:
        call = open_calls.pop()
        call.shape_out = _shape(output)
        calls.append(call)

    uses: dict[str, list[str]] = {}
    times: dict[str, int] = {}

    def used(names: list[str], _: Tensor) -> None:
        fresh = [name for name in names if name not in times]
        if fresh:
            uses[fresh[0]] = fresh
            times.update(dict.fromkeys(fresh, clock))

    names = dict(module.named_modules())
    with hooked(names, ends, begins), _Uses(module, batch, used), torch.enable_grad():
        subject.forward(module, batch)
    if not calls:
        raise UserError(f"{subject.name} ran without its forward hooks; restore its own __call__")
    return _assembled(module, calls, uses, times)


def _assembled(
    module: nn.Module, calls: list[_Call], uses: dict[str, list[str]], times: dict[str, int]
) -> Anatomy:
    called = {call.name for call in calls}
    leaves = [
        name
        for name in called
        if not any(other != name and _within(other, name) for other in called)
        and (name or type(module).__module__.startswith("torch.nn"))  # a net of bare parameters
    ]
    first = {call.name: call for call in sorted(calls, key=lambda c: -c.began)}
    owned = {
        name: tuple(
            f"{name}.{key}" if name else key
            for key, _ in module.get_submodule(name).named_parameters()
        )
        for name in leaves
    }
    known = {parameter for names in owned.values() for parameter in names}
    orphans = {head: tuple(n for n in group if n not in known) for head, group in uses.items()}
    orphans = {
        max(group, key=lambda name: _parameter(module, name).numel()): group
        for group in orphans.values()
        if group
    }
    times = {head: min(times[name] for name in group) for head, group in orphans.items()}
    blocks = [block for block in _opened(module, "", leaves) if block]
    order = sorted(
        [(first[name].began, name) for name in leaves]
        + [(times[head] + 0.5, head) for head in orphans]
    )
    repeated = {name for name in leaves if sum(call.name == name for call in calls) > 1}
    trainable = {
        name: p.requires_grad for name, p in module.named_parameters(remove_duplicate=False)
    }
    layers: list[Layer] = []
    seen: set[int] = set()
    for _, name in order:
        parameters = owned.get(name) or orphans.get(name, ())
        identities = {id(_parameter(module, p)) for p in parameters}
        layers.append(
            Layer(
                name=name or type(module).__name__,
                kind="Parameter" if name in orphans else type(module.get_submodule(name)).__name__,
                block=max((b for b in blocks if _within(name, b)), key=len, default=name),
                parameters=parameters,
                frozen=bool(parameters) and not any(trainable[p] for p in parameters),
                shared=name in repeated or bool(identities & seen),
                orphan=name in orphans,
            )
        )
        seen |= identities
    return Anatomy(*_grouped(module, layers, first))


def _opened(module: nn.Module, name: str, leaves: list[str]) -> list[str]:
    """Return the blocks in a module: itself, or those of its parts if it is to be opened."""
    inside = [leaf for leaf in leaves if _within(leaf, name)]
    if not inside:
        return []
    large = len(inside) > MOST * len(leaves)
    stack = isinstance(module, CONTAINERS) or _has_stack(module)
    if name in leaves or (name and not stack and not large):
        return [name]
    children = module.named_children()
    parts = [_opened(part, f"{name}.{key}" if name else key, leaves) for key, part in children]
    return [block for found in parts for block in found]


def _has_stack(module: nn.Module) -> bool:
    """Whether somewhere inside modules with layers of their own are repeated."""
    return any(
        isinstance(part, CONTAINERS)
        and len([child for child in part.children() if any(child.children())]) > 1
        for part in module.modules()
    )


def _grouped(
    module: nn.Module, layers: list[Layer], first: dict[str, _Call]
) -> tuple[tuple[Layer, ...], tuple[Block, ...]]:
    """Bare activations and normalisations go to the layer before them; blocks in order."""
    renamed: list[Layer] = []
    groups: dict[str, list[Layer]] = {}
    latest = ""
    for layer in layers:
        alone = layer.block == layer.name
        small = layer.orphan and all(_parameter(module, p).ndim < 2 for p in layer.parameters)
        light = not layer.parameters or "Norm" in layer.kind or small
        if alone and light and latest and all(m.block == m.name for m in groups[latest][:1]):
            name = latest
        else:
            name = layer.block
        groups.setdefault(name, []).append(layer)
        renamed.append(Layer(**{**layer.__dict__, "block": name}))
        latest = name
    blocks = []
    for name, members in groups.items():
        is_module = name in first and members[0].name != name
        whole = [member.name for member in members if not member.orphan] or [name]
        start, end = (name, name) if is_module else (whole[0], whole[-1])
        shapes = None
        if start in first and end in first:
            shape_in, shape_out = first[start].shape_in, first[end].shape_out
            shapes = (shape_in, shape_out) if shape_in and shape_out else None
        names = tuple(member.name for member in members)
        blocks.append(Block(name, names, start, end, is_module, shapes))
    return tuple(renamed), tuple(blocks)


@contextmanager
def hooked(
    modules: dict[str, nn.Module], ends: OnOutput, begins: Callable[[str, Any], None] | None = None
) -> Iterator[None]:
    """Call `begins(name, arguments)` and `ends(name, arguments, output)` around every call.

    An output that `ends` returns takes the place of the module's own.
    """
    handles = []
    for name, part in modules.items():
        if begins is not None:
            handles.append(
                part.register_forward_pre_hook(
                    lambda _, args, kwargs, name=name: begins(name, (args, kwargs)),
                    with_kwargs=True,
                )
            )
        handles.append(
            part.register_forward_hook(
                lambda _, args, kwargs, output, name=name: ends(name, (args, kwargs), output),
                with_kwargs=True,
            )
        )
    try:
        yield
    finally:
        for handle in handles:
            handle.remove()


class _Uses(TorchFunctionMode):
    """Report the first use of parameters with data and its output, for any torch function.

    Tensors made from parameters alone (a transpose, a slice) stand for those parameters.
    """

    def __init__(
        self, module: nn.Module, batch: Batch, used: Callable[[list[str], Tensor], None]
    ) -> None:
        super().__init__()
        self.names: dict[int, tuple[str, ...]] = {
            id(p): (name,) for name, p in module.named_parameters()
        }
        self.data = {id(leaf) for leaf in tree_leaves((batch.x,)) if isinstance(leaf, Tensor)}
        self.alive: list[Tensor] = []  # ids are unique only while their tensors live
        self.used = used

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = func(*args, **(kwargs or {}))
        given = [a for a in tree_leaves((args, kwargs or {})) if isinstance(a, Tensor)]
        made = [r for r in tree_leaves(result) if isinstance(r, Tensor)]
        names = [name for a in given for name in self.names.get(id(a), ())]
        from_data = any(id(a) in self.data for a in given)
        self.alive += made
        if from_data:
            self.data.update(id(r) for r in made)
            output = first_tensor(result)
            if names and output is not None:
                self.used(list(dict.fromkeys(names)), output)
        elif names:
            self.names.update({id(r): tuple(dict.fromkeys(names)) for r in made})
        return result


@contextmanager
def outputs_seen(
    anatomy: Anatomy, module: nn.Module, batch: Batch, seen: OnOutput
) -> Iterator[None]:
    """Call `seen(name, arguments, output)` for every layer and every block's end as they run."""
    called = {layer.name for layer in anatomy.layers if not layer.orphan}
    called |= {block.end for block in anatomy.blocks if block.end not in anatomy.orphans}
    known = dict(module.named_modules())
    root = type(module).__name__
    modules = {name: known.get(name, module) for name in called if name in known or name == root}
    orphans = anatomy.orphans
    met: set[str] = set()

    def used(names: list[str], output: Tensor) -> None:
        fresh = {orphans[name] for name in names if name in orphans} - met
        met.update(fresh)
        for layer in sorted(fresh):
            seen(layer, None, output)

    with hooked(modules, seen):
        if not orphans:
            yield
            return
        with _Uses(module, batch, used):
            yield


def first_arguments(
    names: Collection[str], anatomy: Anatomy, module: nn.Module, batch: Batch
) -> dict[str, Any]:
    """Return (args, kwargs) of the first call of each of these layers and blocks."""
    given: dict[str, Any] = {}

    def seen(name: str, arguments: Any, _: Any) -> None:
        if name in names:
            given.setdefault(name, arguments)

    with torch.no_grad(), outputs_seen(anatomy, module, batch, seen):
        apply(module, batch.x)
    return given


def _within(name: str, of: str) -> bool:
    return not of or name == of or name.startswith(f"{of}.")


def _parameter(module: nn.Module, name: str) -> Tensor:
    owner, _, key = name.rpartition(".")
    found = module.get_submodule(owner)._parameters[key]
    assert found is not None
    return found


def _shape(value: Any) -> tuple[int, ...] | None:
    tensor = first_tensor(tree_leaves(value))
    return None if tensor is None else tuple(tensor.shape)
