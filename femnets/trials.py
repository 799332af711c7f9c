"""Trials of `femnets check`: a problem's formulas are compared, other plugins are run briefly."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from inspect import signature
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from base.errors import SHOWN, UserError
from base.registry import FILES
from bench.core import plugins
from bench.core.guards.text import one_line
from bench.core.plugin_files import PATH, PluginFile, read
from bench.measure.formulas import Verdict, verdicts
from femnets.user_files import problem_in

Trial = Callable[[Any, str], Iterator[Verdict]]
ROWS, INPUTS, OUTPUTS = 64, 7, 3


def tried(text: str) -> tuple[list[Verdict], list[str]]:
    """Return the verdicts on everything that a path names, and the warnings of its code."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = _verdicts(text)
    notes = [
        f"{Path(w.filename).name}, line {w.lineno}: {one_line(str(w.message))}" for w in caught
    ]
    return found, [*dict.fromkeys(notes)]


def _verdicts(text: str) -> list[Verdict]:
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
    if not callable(thing):
        return []
    minimises = list(signature(thing).parameters)[:3] == ["objective", "theta", "report"]
    return [_optimizer if minimises else _net]


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
    except Exception as error:
        yield Verdict(name, "", False, hint=_line(error))
        return
    lower = len(seen) > 1 and min(seen) < 0.5 * seen[0]
    what = f"J from {seen[0]:.3g} to {min(seen):.3g} in {len(seen) - 1} steps" if seen else "silent"
    hint = f"as an optimiser: {what}; call report(theta, J, gradient) at the start and every step"
    yield Verdict(name, "", lower, hint="" if lower else hint)


def _net(thing: Any, name: str) -> Iterator[Verdict]:
    """Check whether it maps rows to rows, the same rows always to the same, with a gradient."""
    from nets import architectures
    from nets.module import build
    from nets.training.budget import objective_of

    try:
        FILES[name] = lambda: thing
        net = build(net=name, hidden=2, width=5, inputs=INPUTS, outputs=OUTPUTS)
        x = np.random.default_rng(0).uniform(-1, 1, (ROWS, INPUTS))
        objective, theta = objective_of(net, x, x[:, :OUTPUTS]), net.pack()
        (J, gradient), (again, _) = objective(theta), objective(theta)
    except Exception as error:
        yield Verdict(name, "", False, hint=f"as a net: {_line(error)}")
        return
    finally:
        del FILES[name]
        architectures.REGISTRY.forget()
    hint = "" if np.isfinite(J) and np.abs(gradient).max() > 0 else "J has no finite gradient"
    if again != J:
        hint = (
            f"random, J is {J:.6g} and then {again:.6g} at the same weights; remove dropout and "
            "other randomness from forward"
        )
    yield Verdict(name, "", not hint, hint=f"as a net: {hint}" if hint else "")


def _line(error: Exception) -> str:
    """Return the message of our errors, and kind and message of those of the user's code."""
    own = isinstance(error, SHOWN)
    return str(error) if own else one_line(f"raised {type(error).__name__}: {error}")


def _study(thing: Any, name: str) -> Iterator[Verdict]:
    """Check whether every preset expands into cells."""
    for preset, config in thing.PRESETS.items():
        cells = thing.cells(config)
        hint = "" if cells else f"preset {preset} has no cells"
        yield Verdict(f"{name}, preset {preset}", "", bool(cells), hint=hint)
