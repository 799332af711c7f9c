"""Does a comparison of the paper keep its sign when what it leaves open is chosen otherwise?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from bench.claims import Checked, Claim, Compared, Depends, Finding, NotTested, admissibility
from bench.claims.effects import Effect, effects
from bench.claims.rules import compared_values
from bench.store.results import Results

KIND = "sensitivity"
COMMAND = "femnets run sensitivity --preset paper"
BASE: Mapping[str, Any] = {
    "gamma": 0.5, "lambda2": 0.0, "tau0": "1", "init": "torch", "scale": 1.0,
    "optimizer": "steepest", "carry_input": False,
}  # fmt: skip
FACTORS = {
    "gamma": "γ",
    "lambda2": "λ₂",
    "tau0": "τ₀",
    "init": "the starting weights",
    "scale": "the starting weights",
    "optimizer": "the optimiser",
    "carry_input": "P from the input",
}


@dataclass(frozen=True)
class Question:
    """A comparison of the paper: which number of which net is said to be smaller than whose."""

    name: str
    sentence: str
    metric: str
    smaller: str
    than: str


QUESTIONS = (
    Question(
        "tau-trains-better-resnet",
        "that a learned τ trains the deeper ResNet better than τ₀, fixed,",
        "train_mse", "resnet-learned-6", "resnet-fixed-6",
    ),
    Question(
        "tau-trains-better-fractional",
        "that a learned τ trains the deeper Fractional-DNN better than τ₀, fixed,",
        "train_mse", "fractional-learned-6", "fractional-fixed-6",
    ),
    Question(
        "shallow-beats-deep",
        "that the ResNet of two layers has a smaller error on the cube than that of six",
        "l2_error", "resnet-learned-2", "resnet-learned-6",
    ),
    Question(
        "resnet-trains-better",
        "that with two layers the ResNet trains better than the Fractional-DNN",
        "train_mse", "resnet-learned-2", "fractional-learned-2",
    ),
    Question(
        "fractional-better-on-the-cube",
        "that with two layers the Fractional-DNN has the smaller error on the cube",
        "l2_error", "fractional-learned-2", "resnet-learned-2",
    ),
    Question(
        "fractional-extrapolates-better",
        "that with two layers the Fractional-DNN extrapolates better",
        "l2_error_outside", "fractional-learned-2", "resnet-learned-2",
    ),
    Question(
        "tau-extrapolates-better",
        "that a learned τ lets the ResNet of two layers extrapolate better",
        "l2_error_outside", "resnet-learned-2", "resnet-fixed-2",
    ),
)  # fmt: skip


def changes(results: Results) -> Iterator[tuple[str, str, Results]]:
    """The base point and every change of one setting: its factor, its name, its cells."""
    found = largest(results)
    base = found.select(KIND, **BASE)
    if len(base):
        yield "", "as assumed", base
    for factor, title in FACTORS.items():
        rest = {name: value for name, value in BASE.items() if name != factor}
        for value in found.distinct(factor):
            cells = found.select(KIND, **rest, **{factor: value})
            if value != BASE[factor] and len(cells):
                yield title, _named(factor, value), cells


def largest(results: Results) -> Results:
    """Of several sizes of the study the one with most samples."""
    found = results.select(KIND)
    return found.select(KIND, samples=max(found.distinct("samples"), default=0))


def _named(factor: str, value: Any) -> str:
    names = {"init": f"weights by {value}", "carry_input": "input padded and carried"}
    names |= {"scale": f"weights × {value}", "optimizer": str(value)}
    return names.get(factor, f"{FACTORS[factor]} = {value}")


def answer(cells: Results, question: Question) -> Compared:
    """The question at one change; the data of the base point may be crossed with its seeds."""
    numbers = [
        [r.values[net][question.metric] for r in cells] for net in (question.smaller, question.than)
    ]
    seeds = [(r.config["seed"], r.config["data_seed"]) for r in cells]
    return compared_values(numbers[0], numbers[1], seeds, cells.keys(), question.name)


@dataclass(frozen=True)
class Answer:
    """A question under one change, with its effect over the family of all changes."""

    factor: str
    change: str
    effect: Effect


def answers(results: Results, question: Question) -> list[Answer]:
    seen = {(factor, name): answer(cells, question) for factor, name, cells in changes(results)}
    return [Answer(factor, name, effect) for (factor, name), effect in effects(seen).items()]


def _keep_their_signs(results: Results) -> Finding:
    """By question: does any change turn a significant sign?"""
    table, keys = {}, tuple(largest(results).keys())
    for question in QUESTIONS:
        seen = [one.effect for one in answers(results, question)]
        ratios = [effect.ratio for effect in seen] or [1.0]
        turns = {"holds", "fails"} <= {effect.verdict for effect in seen}
        ends = (min(ratios), max(ratios))
        seeds = min((effect.pairs for effect in seen), default=0)
        table[question.name] = Checked(not turns, keys, "", "", ends[1], ends, seeds)
    seeds = min(row.seeds for row in table.values())
    if len([*changes(results)]) < 2:
        return NotTested(COMMAND)
    turned = [name for name, row in table.items() if not row.true]
    what = "ratios under all changes by question: " + ", ".join(
        f"{name} {row.interval[0]:.2f} to {row.interval[1]:.2f}"
        for name, row in table.items()
        if row.interval
    )
    refused = admissibility.first_broken({"seeds": admissibility.seeds(seeds)})
    if turned:
        return Depends("what is left open", keys, what, table, refused=refused)
    return Checked(True, keys, what, seeds=seeds, refused=refused)


CLAIMS = [
    Claim(
        name="open-choices-keep-signs",
        sentence="The signs of the paper's comparisons do not depend on what it leaves open.",
        criterion="of seven comparisons none has significant ratios below and above one at the "
        "base point and after changes of γ, λ₂, τ₀, starting weights, optimiser and P; two-sided, "
        "Holm over the changes",
        declared="2026-11-18 0ab662c1",
        domain="training samples, cube and cube outside the cylinder",
        examine=_keep_their_signs,
    ),
]
