"""Does a comparison of the paper keep its sign when what it leaves open is chosen otherwise?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from bench.claims import Checked, Claim, Compared, Finding, NotTested, Row, admissibility
from bench.claims.rules import checked_over, compared_values
from bench.claims.verdicts import rows_of
from bench.store.results import Results

KIND = "sensitivity"
COMMAND = "femnets run sensitivity --preset paper"
BASE: Mapping[str, Any] = {
    "gamma": 0.5, "lambda2": 0.0, "tau0": "1", "init": "torch", "scale": 1.0,
    "optimizer": "steepest", "carry_input": False,
}  # fmt: skip
TITLES = {
    "gamma": "γ = {}", "lambda2": "λ₂ = {}", "tau0": "τ₀ = {}", "init": "weights by {}",
    "scale": "weights × {}", "optimizer": "{}", "carry_input": "input padded and carried",
}  # fmt: skip


class Question(NamedTuple):
    """A comparison of the paper: which number of which net is said to be smaller than whose."""

    name: str
    metric: str
    smaller: str
    than: str


_LEARNED = ("resnet-learned-2", "fractional-learned-2")  # with two layers
QUESTIONS = (
    Question("tau-trains-better-resnet", "train_mse", "resnet-learned-6", "resnet-fixed-6"),
    Question(
        "tau-trains-better-fractional", "train_mse", "fractional-learned-6", "fractional-fixed-6"
    ),
    Question("shallow-beats-deep", "l2_error", "resnet-learned-2", "resnet-learned-6"),
    Question("resnet-trains-better", "train_mse", *_LEARNED),
    Question("fractional-better-on-the-cube", "l2_error", *_LEARNED[::-1]),
    Question("fractional-extrapolates-better", "l2_error_outside", *_LEARNED[::-1]),
    Question("tau-extrapolates-better", "l2_error_outside", "resnet-learned-2", "resnet-fixed-2"),
)


def changes(results: Results) -> dict[str, Results]:
    """The cells of the base point and of every change of one setting, by name."""
    found = largest(results)
    seen = {"as assumed": found.select(KIND, **BASE)}
    for factor in BASE:
        rest = {name: value for name, value in BASE.items() if name != factor}
        for value in found.distinct(factor):
            if value != BASE[factor]:
                seen[_named(factor, value)] = found.select(KIND, **rest, **{factor: value})
    return {name: cells for name, cells in seen.items() if len(cells)}


def largest(results: Results) -> Results:
    """Of several sizes of the study the one with most samples."""
    found = results.select(KIND)
    return found.select(KIND, samples=max(found.distinct("samples"), default=0))


def _named(factor: str, value: Any) -> str:
    return TITLES[factor].format(value)


def answer(cells: Results, question: Question) -> Compared:
    """The question at one change; the data of the base point may be crossed with its seeds."""
    numbers = [
        [r.values[net][question.metric] for r in cells] for net in (question.smaller, question.than)
    ]
    seeds = [(r.config["seed"], r.config["data_seed"]) for r in cells]
    return compared_values(numbers[0], numbers[1], seeds, cells.keys(), question.name)


def answers(results: Results, question: Question) -> tuple[Row, ...]:
    """The question under every change, decided over the family of all changes."""
    return rows_of({name: answer(cells, question) for name, cells in changes(results).items()})


def _keep_their_signs(results: Results) -> Finding:
    """By question: does any change turn a significant sign?"""
    if len(changes(results)) < 2:
        return NotTested(COMMAND)
    table, keys = {}, largest(results).keys()
    for question in QUESTIONS:
        seen = answers(results, question)
        ratios = [row.effect for row in seen]
        turns = {"holds", "fails"} <= {row.verdict for row in seen}
        ends, seeds = (min(ratios), max(ratios)), min(row.seeds for row in seen)
        what = f"{ends[0]:.2f} to {ends[1]:.2f}"
        table[question.name] = Checked(not turns, keys, what, "", ends[1], ends, seeds)
    few = admissibility.seeds(min(row.seeds for row in table.values()))
    refused = admissibility.first_broken({"seeds": few})
    return checked_over(table, "", "what is left open", COMMAND, refused=refused)


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
