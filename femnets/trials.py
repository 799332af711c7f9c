"""Trials of `femnets check`: a problem's formulas are compared, other plugins are run briefly."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import numpy as np

from base.errors import SHOWN, UserError
from base.registry import FILES
from bench.core import plugins
from bench.core.plugin_files import PATH, PluginFile, read
from bench.measure.formulas import Verdict, verdicts
from femnets.user_files import problem_in

Trial = Callable[[Any, str], Iterator[Verdict]]
ROWS, INPUTS, OUTPUTS = 64, 7, 3


def tried(text: str) -> list[Verdict]:
    """Return the verdicts on everything that a path names."""
    match = PATH.fullmatch(text.strip())
    if match is None:
        raise UserError(f"femnets check takes a file such as ./mine.py, got {text!r}")
    file = read(match["path"])
    what = match["what"]
    problem = problem_in(plugins.use(text))
    found = [] if problem is None else verdicts(problem)
    for name, thing in _things(file, what):
        found += [verdict for trial in _trials(thing) for verdict in trial(thing, name)]
    if not found:
        raise UserError(
            f"{text} contains no plugin: no PROBLEM, no coefficients or torch module, no minimize, "
            "no study; `femnets new problem NAME` writes one to start from"
        )
    return found


def _things(file: PluginFile, what: str | None) -> Iterator[tuple[str, Any]]:
    """Yield the module and its possible plugins, or only the object that is named."""
    if what is not None:
        yield what, plugins.thing(file, what)
        return
    yield file.stem, file.module
    for name, thing in vars(file.module).items():
        if getattr(thing, "__module__", None) == file.module.__name__ and isinstance(thing, type):
            yield name, thing


def _trials(thing: Any) -> list[Trial]:
    if isinstance(thing, ModuleType):
        parts = {"minimize": _optimizer, "coefficients": _net, "cells": _study}
        return [trial for part, trial in parts.items() if hasattr(thing, part)]
    if isinstance(thing, type):
        bases = {base.__name__ for base in thing.__mro__}
        return [_optimizer] if "Optimizer" in bases else [_net] if "Module" in bases else []
    return [_optimizer if _minimises(thing) else _net] if callable(thing) else []


def _minimises(thing: Any) -> bool:
    import inspect

    return list(inspect.signature(thing).parameters)[:3] == ["objective", "theta", "report"]


def _optimizer(thing: Any, name: str) -> Iterator[Verdict]:
    """Check whether it lowers ½ Σ k (θ_k − 1)² from 0 within 200 steps."""
    from nets import optimizers
    from nets.optimizers import Stop

    scale = np.arange(1.0, 6.0)
    seen: list[float] = []

    def objective(theta: np.ndarray) -> tuple[float, np.ndarray]:
        return float(scale @ (theta - 1) ** 2 / 2), scale * (theta - 1)

    def report(theta: np.ndarray, J: float | None, gradient: np.ndarray | None) -> None:
        seen.append(objective(theta)[0])
        if len(seen) > 200:
            raise Stop("steps")

    made = optimizers.made(thing, name)
    defaults = made.minimize.__kwdefaults__ or {}
    options = {"lower": np.full(5, -np.inf)} if "lower" in defaults else {}
    try:
        made.minimize(objective, np.zeros(5), report, **options)
    except Stop:
        pass
    except SHOWN as error:
        yield Verdict(name, "", False, hint=str(error))
        return
    lower = len(seen) > 1 and min(seen) < 0.5 * seen[0]
    what = f"J from {seen[0]:.3g} to {min(seen):.3g} in {len(seen) - 1} steps" if seen else "silent"
    hint = f"as an optimiser: {what}; call report(theta, J, gradient) at the start and every step"
    yield Verdict(name, "", lower, hint="" if lower else hint)


def _net(thing: Any, name: str) -> Iterator[Verdict]:
    """Check whether it maps rows to rows, and whether every parameter has a gradient."""
    from nets import architectures
    from nets.module import build
    from nets.training.budget import objective_of

    try:
        FILES[name] = lambda: thing
        net = build(net=name, hidden=2, width=5, inputs=INPUTS, outputs=OUTPUTS)
        x = np.random.default_rng(0).uniform(-1, 1, (ROWS, INPUTS))
        J, gradient = objective_of(net, x, x[:, :OUTPUTS])(net.pack())
    except SHOWN as error:
        yield Verdict(name, "", False, hint=f"as a net: {error}")
        return
    finally:
        del FILES[name]
        architectures.REGISTRY.forget()
    right = bool(np.isfinite(J) and np.abs(gradient).max() > 0)
    yield Verdict(name, "", right, hint="" if right else "as a net: J has no finite gradient")


def _study(thing: Any, name: str) -> Iterator[Verdict]:
    """Check whether every preset expands into cells."""
    for preset, config in thing.PRESETS.items():
        cells = thing.cells(config)
        hint = "" if cells else f"preset {preset} has no cells"
        yield Verdict(f"{name}, preset {preset}", "", bool(cells), hint=hint)
