"""Does a comparison of the paper keep its sign when what it leaves open is chosen otherwise?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from bench.claims import Checked, Claim, Compared, Finding, NotTested
from bench.claims.effects import Effect, effects
from bench.claims.rules import compared_values, tabled
from bench.claims.statistics import variance_shares
from bench.store.results import Results, StoredResult

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


def _keeps_its_sign(results: Results, question: Question) -> Finding:
    parts = {name: answer(cells, question) for _, name, cells in changes(results)}
    if len(parts) < 2:
        return NotTested(COMMAND)
    return tabled(parts, question.metric, "what the paper leaves open", COMMAND)


def _rise_needs_a_penalty(results: Results) -> Finding:
    """Without a penalty J is the MSE, and a descent cannot let it rise."""
    found = Results([r for r in largest(results) if r.config["optimizer"] == "steepest"])
    penalised = [r for r in found if r.config["lambda2"] > 0]
    if not penalised or len(penalised) == len(found):
        return NotTested(COMMAND)
    free = [r for r in found if not r.config["lambda2"]]
    rises = {True: _rises(penalised, "mse_rises"), False: _rises(free, "mse_rises")}
    what = (
        f"the MSE rises somewhere in {rises[True]} trainings of {_nets(penalised)} with λ₂ > 0 and "
        f"learned τ, in {rises[False]} of {_nets(free)} without a penalty; J rises in "
        f"{_rises(list(found), 'loss_rises')}"
    )
    return Checked(rises[False] == 0 < rises[True], found.keys(), what)


def _learned(record: StoredResult) -> list[dict[str, Any]]:
    return [net for name, net in record.values.items() if "-learned-" in name]


def _rises(records: list[StoredResult], name: str) -> int:
    return sum(net[name] > 0 for record in records for net in _learned(record))


def _nets(records: list[StoredResult]) -> int:
    return sum(len(_learned(record)) for record in records)


def data_and_weights(results: Results, net: str = "resnet-learned-6") -> tuple[float, ...] | None:
    """Shares of weights, of data and of both together in the variance of log train_mse."""
    base = largest(results).select(KIND, **BASE)
    seen = {
        (r.config["seed"], r.config["data_seed"]): r.values[net]["train_mse"]
        for r in base
        if r.values[net]["train_mse"]
    }
    data = [d for d in {d for _, d in seen} if sum(at[1] == d for at in seen) > 1]
    seeds = [s for s in {s for s, _ in seen} if all((s, d) in seen for d in data)]
    if len(data) < 2 or len(seeds) < 2:
        return None
    return variance_shares(np.log([[seen[s, d] for d in sorted(data)] for s in sorted(seeds)]))


CLAIMS = [
    *(
        Claim(
            name=f"sensitivity-{question.name}",
            sentence=f"The paper's finding {question.sentence} does not depend on what it leaves "
            "open.",
            criterion="the sign of the median ratio over paired seeds is decided, and the same at "
            "the "
            "base point and after every change of γ, λ₂, τ₀, starting weights, optimiser and P; "
            "two-sided, Holm over the changes",
            declared="2026-11-17 daab0a27",
            examine=partial(_keeps_its_sign, question=question),
        )
        for question in QUESTIONS
    ),
    Claim(
        name="rising-mse-needs-a-penalty",
        sentence="Under steepest descent the MSE rises only where a penalty is active, so the "
        "paper's curves were made with one.",
        criterion="the MSE rises in no training without a penalty and in some with λ₂ > 0",
        declared="2026-11-17 553f9d41",
        examine=_rise_needs_a_penalty,
    ),
]
