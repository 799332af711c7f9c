"""The paper's own experiment: its nets' training and gradients, its setting and printed numbers."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from bench.claims.arms import MAIN
from bench.claims.themes.reproduction import SETTING, Closest, closest, closest_with_penalty
from bench.claims.themes.sensitivity import QUESTIONS, Answer, answers, data_and_weights
from bench.store.results import Results
from reports.context import Run
from reports.document import (
    Block,
    Column,
    Formula,
    Paragraph,
    Picture,
    Section,
    Source,
    Table,
    Value,
)
from reports.figures.paper import cost_of_training, gradients_by_layer

TITLE = "The paper's experiment"
ORDER = 22
STUDIES = ()  # `training` and `convergence` have sections of their own, which name what is missing
GAP = ""
STEEPEST = {"optimizer": "steepest", "features": "x,f,phi"}

NUMBERS = [
    Column("quantity"),
    Column("the paper's"),
    Column("closest run"),
    Column("largest difference", "number"),
    Column("smallest to largest of all runs"),
    Column("runs", "count"),
]


LEAD = Paragraph(
    "The paper (Antil, Díaz, Herberg) trains ResNets and Fractional-DNNs on samples of the field "
    "in a cylinder and compares them with best approximations by Nédélec elements, given the field "
    "everywhere. Layer l has weights W, biases b, activation σ and step size τ, fixed or learned; "
    "γ < 1 is the order of a derivative. The paper does not state γ, starting values or line "
    "search: judge differences by the spread over seeds."
)
NETS = Formula(
    '"ResNet:" quad &y_(l+1) = y_l + tau_l sigma(W_l y_l + b_l) \\ '
    '"Fractional-DNN:" quad &y_(l+1) = y_l - sum_(j<l) a_(l j) (y_(j+1) - y_j) '
    "+ tau_l^gamma Gamma(2 - gamma) sigma(W_l y_l + b_l)",
    "A ResNet's layer adds tau sigma of W y plus b; that of a Fractional-DNN also "
    "subtracts a weighted sum of all earlier differences.",
)


def papers_nets(run: Run) -> Results:
    """By steepest descent, on all inputs, the loss without penalties."""
    nets = run.results_of("training").select("net", problem=MAIN, **STEEPEST)
    return Results([r for r in nets if not r.config["bias_ordering"] and not r.config["lambda2"]])


def _training(run: Run, nets: Results) -> Picture:
    caption = (
        "Training error by seconds of steepest descent on one thread; 2-50: 2 hidden layers of "
        f"width 50. Medians over seeds (seeds: {len(nets.distinct('seed'))}), bands over all."
    )
    draw = partial(cost_of_training, nets)
    return Picture("paper-training", caption, draw, caption, run.source("training", nets))


def _gradients(run: Run, nets: Results) -> Picture:
    caption = "Norms of ∂J/∂W of the loss J by layer, dashed before training, solid after; medians."
    draw = partial(gradients_by_layer, nets)
    return Picture("paper-gradients", caption, draw, caption, run.source("training", nets))


def contents(run: Run) -> list[Block | Section]:
    nets = papers_nets(run)
    found = closest(run.results)
    lambda2, penalised = closest_with_penalty(run.results)
    blocks: list[Block | Section] = []
    if len(nets):
        blocks += [_training(run, nets), _gradients(run, nets)]
    if found:
        caption = "The paper's printed numbers and the run of ours that is closest."
        blocks.append(_numbers(run, "reproduction", caption, found))
    if penalised:
        caption = (
            f"The paper's τ and runs with a penalty on τ of weight λ₂ = {lambda2:g}: in the paper "
            "the MSE rises while J falls, so a penalty was active, and all printed τ are at most 1."
        )
        blocks.append(_numbers(run, "reproduction-with-penalty", caption, penalised))
    blocks += _sensitivity(run)
    return [LEAD, NETS, _setting(), *blocks] if blocks else []


def _setting() -> Table:
    rows = [(c.quantity, c.stated or "left open", c.ours, c.varied) for c in SETTING]
    columns = [Column(t) for t in ("setting", "the paper states", "assumed here", "varied in")]
    caption = "The setting of Section 7: what the paper states, leaves open, and what was assumed."
    return Table("setting", caption, columns, rows)


def _numbers(run: Run, name: str, caption: str, found: Sequence[Closest]) -> Table:
    rows = [
        (
            entry.quantity,
            _row(entry.paper),
            _row(entry.ours),
            entry.distance,
            f"{_row(entry.low)} to {_row(entry.high)}",
            entry.runs,
        )
        for entry in found
    ]
    source = Source(run.command("training"), tuple(entry.cell for entry in found))
    return Table(name, caption, NUMBERS, rows, source)


def _row(values: Sequence[float]) -> str:
    return " ".join(f"{value:.3g}" for value in values)


def _sensitivity(run: Run) -> list[Block | Section]:
    """Every comparison of the paper under every change of what it leaves open."""
    seen = {question: answers(run.results, question) for question in QUESTIONS}
    changes = [answer.change for answer in next(iter(seen.values()))]
    if len(changes) < 2:
        return []
    cells = tuple(key for answer in seen[QUESTIONS[0]] for key in answer.effect.cells)
    rows: list[list[Value]] = [
        [change, *(_effect(seen[question][at]) for question in QUESTIONS)]
        for at, change in enumerate(changes)
    ]
    columns = [Column("change"), *(Column(q.name.replace("-", " ")) for q in QUESTIONS)]
    pairs = seen[QUESTIONS[0]][0].effect.pairs
    caption = (
        "Effect of the choices that the paper leaves open, changed one at a time: median ratio of "
        f"errors (paired seeds: {pairs}), below one where the paper's finding holds; * decided, "
        "two-sided, Holm over the changes. Fewer samples and steps than the paper's."
    )
    text = ""
    if shares := data_and_weights(run.results):
        weights, data, rest = (f"{share:.0%}" for share in shares)
        text = (
            " Origin of the spread of the logarithm of the training error, as assumed: starting "
            f"weights {weights}, data {data}, both together {rest}."
        )
    source = Source(run.command("sensitivity"), cells)
    return [Table("sensitivity", caption + text, columns, rows, source)]


def _effect(answer: Answer) -> str:
    return f"{answer.effect.ratio:.2f}{'*' if answer.effect.decided else ''}"
