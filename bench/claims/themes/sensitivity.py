"""Does a comparison of the paper keep its sign when what it leaves open is chosen otherwise?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from bench.claims.admissibility import first_broken, seeds
from bench.claims.claim import Claim
from bench.claims.entry import Row
from bench.claims.findings import Checked, Compared, Finding, need
from bench.claims.rules import checked, checked_over, over, paired
from bench.claims.verdicts import rows_of
from bench.store.results import Results

KIND = "sensitivity"
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
    for factor, assumed in BASE.items():
        for value in found.distinct(factor):
            if value != assumed:
                name = TITLES[factor].format(value)
                seen[name] = found.select(KIND, **{**BASE, factor: value})
    return {name: cells for name, cells in seen.items() if len(cells)}


def largest(results: Results) -> Results:
    """Of several sizes of the study the one with most samples."""
    found = results.select(KIND)
    return found.select(KIND, samples=max(found.distinct("samples"), default=0))


def answers(results: Results, question: Question) -> tuple[Row, ...]:
    """The question under every change, decided over the family of all changes.

    The data of the base point may be crossed with its seeds.
    """

    def answer(cells: Results) -> Compared:
        rows = [
            (r.config["seed"], *(r.values[net][question.metric] for net in question[2:]))
            for r in cells
        ]
        return paired(rows, cells.keys(), question.name)

    return rows_of({name: answer(cells) for name, cells in changes(results).items()})


def _keep_their_signs(results: Results) -> Finding:
    """By question: does any change turn a significant sign?"""
    need(changes(results).keys() - {"as assumed"})
    found = largest(results)

    def check(question: Question) -> Checked:
        rows = answers(results, question)
        ratios, fewest = [row.effect for row in rows], min(row.seeds for row in rows)
        kept = not {"holds", "fails"} <= {row.verdict for row in rows}
        what = f"{min(ratios):.2f} to {max(ratios):.2f}"
        return checked(kept, found, ratios, what, seeds=fewest)

    table = {question.name: part for question, part in over(QUESTIONS, check).items()}
    few = seeds(min(part.seeds for part in table.values()))
    return checked_over(table, "what is left open", refused=first_broken([("seeds", few)]))


CLAIMS = [
    Claim(
        name="open-choices-keep-signs",
        sentence="The signs of the paper's comparisons do not depend on what it leaves open.",
        criterion="of seven comparisons none has significant ratios below and above one at the "
        "base point and after changes of γ, λ₂, τ₀, starting weights, optimiser and P; two-sided, "
        "Holm over the changes",
        declared="2026-11-18 0ab662c1",
        domain="training samples, cube and cube outside the cylinder",
        needs="sensitivity --preset paper",
        examine=_keep_their_signs,
    ),
]
