"""A tournament: nets × optimisers × problems or data files, given samples or the equation.

`femnets run tournament --set nets=resnet,./mine.py:Net --set optimizers=auto,./mine.py:step --set
problems=./field.py`. Every pair has the same budget: evaluations of loss and gradient, starting
weights of the same seed, the same points. On the track *fit* a net is given samples of u at x, on
*solve* the equation; files of rows (`data`) are fitted, with a fifth of the rows held out.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any

from base.errors import UserError, nearest
from bench import problems
from bench.cells import Cell, load_kind, paired
from bench.problems import Problem
from nets import optimizers

YIELDS = ("l2_error", "rel_test_error", "J", "evaluations", "seconds", "parameters")
KINDS = {"fit": "net", "solve": "solved_net"}
JACOBIANS = 20  # a Jacobian of all residuals costs about as much as so many evaluations


@dataclass(frozen=True)
class Config:
    nets: tuple[str, ...] = ("resnet", "feedforward")
    optimizers: tuple[str, ...] = ("auto",)
    problems: tuple[str, ...] = ("maxwell",)
    data: tuple[str, ...] = ()  # files of rows, ./mine.csv or ./mine.npz
    tracks: tuple[str, ...] = ("fit", "solve")
    activation: str = "tanh"
    tau: str = "learned"
    hidden: int = 2
    width: int = 20
    evaluations: float = 3000.0
    samples: int = 3000
    seeds: tuple[int, ...] = (1100, 1101, 1102)


PRESETS = {
    "quick": Config(evaluations=1000.0, samples=1000, seeds=(0,)),
    "paper": Config(),
    "full": Config(evaluations=20_000.0, seeds=tuple(range(1100, 1110))),
}


def on(config: Config, problem: Problem) -> Config:
    """Fit samples where u is known, at a budget with which nets converge; else solve."""
    known = "fit" if problem.known else "solve"
    return replace(config, problems=(problem.name,), tracks=(known,), evaluations=3000.0)


def cells(config: Config) -> list[Cell]:
    for track in config.tracks:
        if track not in KINDS:
            raise UserError(f"unknown track {track!r} of a tournament; {nearest(track, [*KINDS])}")
    fields_of = [
        (KINDS[track], {"problem": problem} | _form(problem, track))
        for problem in config.problems
        for track in config.tracks
        if track == "solve" or problems.get(problem).known  # no samples of an unknown u
    ]
    files = [("data_net", {"data": file}) for file in config.data]
    return [
        Cell(kind, _settings(config, kind, net, optimizer) | given | paired(seed))
        for kind, given in [*fields_of, *files]
        for net in config.nets
        for optimizer in config.optimizers
        for seed in config.seeds
    ]


def _form(problem: str, track: str) -> dict[str, str]:
    """Where φ jumps, second derivatives have no meaning: the form of first order."""
    jumps = track == "solve" and hasattr(problems.get(problem).phi, "jumps_near")
    return {"form": "first-order"} if jumps else {}


def _settings(config: Config, kind: str, net: str, optimizer: str) -> dict[str, Any]:
    """The settings of one pair; of the optimiser's tuned ones those that the kind has."""
    tuned = {} if optimizer == "auto" else optimizers.get(optimizer).TUNED
    share = JACOBIANS if optimizer != "auto" and optimizers.needs_residuals(optimizer) else 1
    wanted = {
        **tuned,
        "net": net,
        "optimizer": optimizer,
        **{name: getattr(config, name) for name in ("activation", "tau", "hidden", "width")},
        "evaluations": config.evaluations / share,
        "samples": config.samples if kind == "net" else 0,
        "features": "x",
        "every": 10,
    }
    known = {field.name for field in fields(load_kind(kind).Config)}
    return {name: value for name, value in wanted.items() if name in known}
