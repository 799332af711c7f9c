"""Rules that a comparison must obey; one that breaks a rule is refused, by the rule's name.

Each rule is a small function that returns what is wrong, or None. `first_broken` turns the first
complaint into a `Refusal`, which a finding carries into the ledger and a fact onto the page.

    interior     the tuned value of every compared arm lies inside its grid (natural bounds apart)
    ladder       the last rung of a ladder used half of the common budget, or twice its work gains
                 less than 10 %
    end          errors are those at the end of a method's own procedure
    seeds        at least twelve seeds stand behind a statement about nets
    information  both sides are given the same, the singular edge and its exponent included
    evaluation   the cost per point is that of the fastest evaluation of each side
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bench.claims.findings import Refusal
from bench.claims.statistics import DECIDING_SEEDS
from bench.methods.tau_arms import at_the_edge
from bench.store.results import Competitor, Results, StoredResult, competitor

BUDGET_SECONDS = 60.0  # common to all methods: one thread, at most 8 GiB
LITTLE = 0.10  # what twice the work may gain at the end of a ladder
FLAT = 1e-11  # an L² error below it is rounding: no further rung is asked for
SLOWER = 1.1  # a factor between two timings of one evaluation
Complaint = str | None


def first_broken(complaints: Iterable[tuple[str, Complaint]]) -> Refusal | None:
    """The first complaint, with the rule that makes it."""
    return next((Refusal(rule, why) for rule, why in complaints if why), None)


def interior(
    chosen: Mapping[str, Any],
    grid: Mapping[str, Sequence[Any]],
    bounds: Iterable[tuple[str, Any]] = (),
    arm: str = "an arm",
) -> Complaint:
    """`bounds` are natural ends of a setting, such as ("depth", 1), at which a choice may lie."""
    natural = {*bounds}
    ends = [name for name in at_the_edge(chosen, grid) if (name, chosen[name]) not in natural]
    values = ", ".join(f"{name} = {chosen[name]}" for name in ends)
    return f"{arm} was tuned to the end of its grid ({values})" if ends else None


@dataclass(frozen=True)
class Rung:
    """One size of a method: its work (unknowns, steps), its seconds and its error."""

    work: float
    seconds: float
    error: float


def ladder(rungs: Iterable[Rung], method: str, budget: float = BUDGET_SECONDS) -> Complaint:
    """Whether a method's sizes were taken far enough.

    The gain of twice the work is read off the last two rungs, at their observed rate.
    """
    steps = sorted(rungs, key=lambda rung: rung.work)
    if not steps:
        return f"{method} has no rung"
    last = steps[-1]
    if last.seconds >= budget / 2 or last.error <= FLAT or _levels_off(steps):
        return None
    return (
        f"the ladder of {method} ends after {last.seconds:.2g} of {budget:g} s and still falls "
        f"({last.error:.2g})"
    )


def _levels_off(steps: Sequence[Rung]) -> bool:
    if len(steps) < 2:
        return False
    one, two = steps[-2:]
    growth = math.log(max(two.work / max(one.work, 1e-300), 1.0))
    if not growth or not (0 < one.error < math.inf) or not (0 < two.error < math.inf):
        return False
    rate = math.log(one.error / two.error) / growth
    return 1 - 2**-rate < LITTLE


def end(error: float | None, curve: Iterable[float] | None) -> Complaint:
    """Whether an error is the last of its curve, not the smallest along it."""
    seen = [] if curve is None else [float(value) for value in curve if np.isfinite(value)]
    if error is None or not seen or error >= seen[-1] * (1 - 1e-6):
        return None
    if not math.isclose(error, min(seen), rel_tol=1e-6):
        return None
    return f"{error:.3g} is the smallest error along the way; at the end it is {seen[-1]:.3g}"


def seeds(number: int, fewest: int = DECIDING_SEEDS) -> Complaint:
    """Whether enough seeds stand behind a statement."""
    return f"number of seeds: {number}, at least {fewest} are needed" if number < fewest else None


def given_to(record: StoredResult) -> tuple[Any, ...]:
    """What a method is given: its track, samples and inputs; the singular edge; the exponent."""
    shown, config = _declared(record), record.config
    track: tuple[Any, ...] = (config.get("samples"), config.get("features"))
    if shown is not None:
        track = (shown.information, shown.samples, shown.inputs, *known_besides(shown))
    rules = (config.get("inside"), config.get("rim"))
    meshed = config.get("grading") or config.get("layers")
    edge = bool(meshed or "graded" in rules or record.values.get("given_edge"))
    exponent = bool(config.get("singular"))
    return (*track, *(("the edge",) if edge or exponent else ()), *(("its exponent",) * exponent))


def known_besides(shown: Competitor) -> tuple[str, ...]:
    """What a method knows besides its samples, such as the kind of a singularity."""
    known = shown.given.partition("; also ")[2]
    return (known,) if known else ()


def _declared(record: StoredResult) -> Competitor | None:
    try:
        return competitor(record)
    except KeyError:  # a result that lacks a value of its kind
        return None


def information(a: StoredResult, b: StoredResult) -> Complaint:
    """Whether two methods are given the same."""
    one, two = given_to(a), given_to(b)
    if one == two:
        return None
    more = [str(part) for part in (*one, *two) if (part in one) != (part in two)]
    return f"only one side is given {', '.join(more)}"


def evaluation(used: float, known: Mapping[str, float], method: str) -> Complaint:
    """Whether `used` seconds per point are those of the fastest evaluation that is known."""
    if not known:
        return f"no evaluation of {method} was timed"
    name, fastest = min(known.items(), key=lambda item: item[1])
    if used <= SLOWER * fastest:
        return None
    return f"{method} was evaluated {used / fastest:.2g} times slower than by {name}"


# Ends of a grid that are ends of the setting itself: nearly the exact ReLU, and a first layer that
# starts at nearly zero: on `curlsing` twelve nets spread evenly over scales from 0.003 to 0.1. A
# smaller nugget is lost in rounding; with a greater length the field does not depend on an input.
NATURAL = (("eta", 1e-4), ("first_scale", 0.003), ("nugget", 1e-12), ("lengths", 1000.0))
# By kind of cell, the ordered settings that it tunes and their candidates.
TUNED = {"tuned_net": {"eta": "etas", "first_scale": "first_scales"}}
# A tanh or a sine has no η, a smoothReLU no scale of its first layer.
UNUSED = {"smoothrelu": "first_scale"}
# By baseline, the ordered settings that it tunes: as in its file, whose change would make results
# stale. Degrees and numbers of features end with the number of samples, which is natural.
_SCALES = (0.1, 0.25, 0.5, 1.0, 2.0)
BASELINES: dict[str, dict[str, Sequence[float]]] = {
    "fourier_features": {"scale": _SCALES},
    "multiscale_features": {"scale": _SCALES},
    "tanh_features": {"scale": _SCALES},
    "kernel_ridge": {
        "length": (1.0, 2.0, 4.0, 8.0),
        "nugget": (1e-12, 1e-9, 1e-6, 1e-3),
    },
    "gaussian_process": {"lengths": (0.01, 1000.0), "nugget": (1e-12, 1.0)},
}


def tuned_inside(record: StoredResult) -> Complaint:
    """The rule `interior` for the settings that a cell tuned and its choice uses."""
    chosen = record.values.get("chosen") or {}
    if not chosen:
        return None
    if record.kind == "baseline":
        method = str(record.config["method"])
        # Of lengths the smallest: the greatest may be that of an input without influence.
        single = {name: min(v) if isinstance(v, list) else v for name, v in chosen.items()}
        return interior(single, BASELINES.get(method, {}), NATURAL, method)
    unused = UNUSED.get(str(chosen.get("activation")), "eta")
    names = TUNED.get(record.kind, {})
    grid = {name: record.config[of] for name, of in names.items() if name != unused}
    return interior(chosen, grid, NATURAL, record.kind)


# Natural ends of ladders: beyond some 20 layers rounding raises the error of the curl.
ENDS = {"layers": 18}
MESHES = ("grading", "layers", "refine")  # settings that make a mesh of its own kind


def ladders(records: Iterable[StoredResult], method: str) -> Complaint:
    """The first complaint about the ladders of a method: uniform meshes, graded ones, layers and
    adaptive ones are ladders of their own. A ladder may be at its natural end."""
    complaints = (
        ladder(rungs_of(group), method)
        for group in Results([*records]).grouped(_kind_of_mesh).values()
        if not any((r.config.get(name) or 0) >= most for r in group for name, most in ENDS.items())
    )
    return next(filter(None, complaints), None)


def _kind_of_mesh(record: StoredResult) -> tuple[Any, ...]:
    return (record.config.get("element"), *(bool(record.config.get(name)) for name in MESHES))


def rungs_of(results: Results, error: str = "l2_error") -> list[Rung]:
    """One ladder: the median over seeds at every size."""
    return [
        Rung(work, group.median("seconds") or 0.0, group.median(error) or math.inf)
        for work, group in results.grouped(_work).items()
    ]


def _work(record: StoredResult) -> float:
    values, steps = record.values, record.config.get("evaluations")
    return float(values.get("dofs") or steps or values.get("unknowns") or 0)
