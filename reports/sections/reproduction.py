"""The paper's own experiment, and its printed numbers: what it states, how near runs come.

The article compares its nets with the elements, with their training and their gradients by layer;
the supplement has its setting, its numbers and what depends on what it leaves open.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from bench.claims.arms import MAIN
from bench.claims.themes.reproduction import SETTING, Closest, closest, closest_with_penalty
from bench.claims.themes.sensitivity import QUESTIONS, Answer, answers, data_and_weights
from bench.store.results import Results, StoredResult, median
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
from reports.figures.convergence import error_against_h
from reports.figures.paper import cost_of_training, gradients_by_layer, levels_beside_elements

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


def article(run: Run) -> list[Block]:
    """Only what the paper compares: its field, its elements, its nets without bias ordering."""
    fem = run.results.select("fem", problem=MAIN, solve=False, grading=None, order=None)
    nets = papers_nets(run)
    lead = Paragraph(
        "The paper trains ResNets and Fractional-DNNs on samples of the field in the cylinder, "
        "with step sizes τ that are fixed or learned, and compares them with the best "
        "approximation by Nédélec elements, which is given the field everywhere. A net "
        "has no mesh size, so its error is a horizontal line in the figure."
    )
    blocks: list[Block] = []
    if len(fem):
        blocks.append(_levels(run, fem, nets))
    if len(nets):
        blocks += [_training(run, nets), _gradients(run, nets)]
    return [lead, *_formulas(), *blocks] if blocks else []


def papers_nets(run: Run) -> Results:
    """By steepest descent, on all inputs, the loss without penalties."""
    nets = run.results_of("training").select("net", problem=MAIN, **STEEPEST)
    return Results([r for r in nets if not r.config["bias_ordering"] and not r.config["lambda2"]])


def _formulas() -> list[Block]:
    return [
        Formula(
            '"ResNet:" quad &y_(l+1) = y_l + tau_l sigma(W_l y_l + b_l) \\ '
            '"Fractional-DNN:" quad &y_(l+1) = y_l - sum_(j<l) a_(l j) (y_(j+1) - y_j) '
            "+ tau_l^gamma Gamma(2 - gamma) sigma(W_l y_l + b_l)",
            "A ResNet's layer adds tau sigma of W y plus b; that of a Fractional-DNN also "
            "subtracts a weighted sum of all earlier differences.",
        )
    ]


def _levels(run: Run, fem: Results, nets: Results) -> Picture:
    caption = (
        "L² error on the cube against the mesh size, by hidden layers and width of the nets. 21 % "
        "of the cube lies outside the nets' samples; medians over seeds (seeds: "
        f"{len(nets.distinct('seed'))}) with a band over all."
        if len(nets)
        else f"Best approximation on `{MAIN}`: L² error on the cube against the mesh size."
    )
    draw = partial(levels_beside_elements if len(nets) else error_against_h, fem, nets)
    return Picture("paper-levels", caption, draw, caption, run.made_by(Results([*fem, *nets])))


def _training(run: Run, nets: Results) -> Picture:
    caption = (
        "Mean square error against seconds of steepest descent on one thread, by hidden layers and "
        "width: medians over seeds, bands over all."
    )
    draw = partial(cost_of_training, nets)
    return Picture("paper-training", caption, draw, caption, run.source("training", nets))


def _gradients(run: Run, nets: Results) -> Picture:
    """With how far apart the layers' gradients are, before and after."""
    start, end = (median(_span(record, at) for record in nets) for at in (0, -1))
    caption = (
        "Norms of ∂J/∂W by layer, dashed before training, solid after; medians over seeds. The "
        f"largest norm of a net is {start:.2g} times its smallest before training and {end:.2g} "
        "times after, in the median."
    )
    draw = partial(gradients_by_layer, nets)
    return Picture("paper-gradients", caption, draw, caption, run.source("training", nets))


def _span(record: StoredResult, at: int) -> float | None:
    norms = record.arrays["history_grad_W"][at]
    return float(max(norms) / min(norms)) if min(norms) > 0 else None


def contents(run: Run) -> list[Block | Section]:
    found = closest(run.results)
    lambda2, penalised = closest_with_penalty(run.results)
    varied = _sensitivity(run)
    if not found and not penalised and not varied:
        return []
    blocks: list[Block] = [_setting()]
    if found:
        text = (
            "γ, the starting τ, the starting weights and the line search are not stated in the "
            "paper, so a number can only be approached; the spread over seeds is the scale to "
            "judge a difference by."
        )
        caption = "The printed numbers and the closest reproduction in this run."
        blocks += [Paragraph(text), _numbers(run, "reproduction", caption, found)]
    if penalised:
        caption = (
            f"The second reading of the table of τ, λ₂ = {lambda2:g}: the paper's MSE rises while "
            "J falls, so a penalty was active, and all printed τ are at most 1."
        )
        blocks.append(_numbers(run, "reproduction-with-penalty", caption, penalised))
    return [*blocks, *varied]


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
        f"What depends on what the paper leaves open: median ratio over {pairs} seeds, below one "
        "where the paper's finding holds, with one choice changed at a time; * decided, two-sided, "
        "Holm over the changes. Fewer samples and steps than the paper's."
    )
    text = ""
    if shares := data_and_weights(run.results):
        weights, data, rest = (f"{share:.0%}" for share in shares)
        text = (
            f" Of the spread of log train_mse at the base point {weights} come from the starting "
            f"weights, {data} from the data and {rest} from both together."
        )
    source = Source(run.command("sensitivity"), cells)
    return [Table("sensitivity", caption + text, columns, rows, source)]


def _effect(answer: Answer) -> str:
    return f"{answer.effect.ratio:.2f}{'*' if answer.effect.decided else ''}"
