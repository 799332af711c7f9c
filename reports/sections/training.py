"""The paper's nets: how they train by steepest descent, and where they end."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import chain

from bench.claims.arms import MAIN
from bench.store.results import Results, medians
from reports.context import Run
from reports.document import NO_CURVES, Block, Formula, Paragraph, Picture
from reports.figures.curves import Curve, Figure, Panel, draw_panels, last_seen
from reports.names import net_family, net_method
from reports.tables import (
    DIVERGED,
    SEEDS,
    Measure,
    grouped,
    grouped_by,
    largest,
    smallest,
    study_table,
)

TITLE = "The paper's networks"
ORDER = 52
STUDY = "training"
TEXT = (
    "Antil, Díaz and Herberg train ResNets and Fractional-DNNs by steepest descent on samples of "
    "the field in the cylinder. Layer l has weights W, biases b, the activation σ and a step size "
    "τ, fixed or learned; γ < 1 is the order of a derivative. A 6-50 net has 6 hidden layers of "
    "width 50; bias ordering is a penalty that orders the biases. Runs of one seed share weights "
    "and data."
)
NETS = Formula(
    '"ResNet:" quad &y_(l+1) = y_l + tau_l sigma(W_l y_l + b_l) \\ '
    '"Fractional-DNN:" quad &y_(l+1) = y_l - sum_(j<l) a_(l j) (y_(j+1) - y_j) '
    "+ tau_l^gamma Gamma(2 - gamma) sigma(W_l y_l + b_l)",
    "A ResNet's layer adds tau sigma of W y plus b; that of a Fractional-DNN also "
    "subtracts a weighted sum of all earlier differences.",
)
CURVES = (
    "Training error by seconds of steepest descent on one thread, without bias ordering: medians "
    "with bands over all seeds."
)
GRADIENTS = "Norms of ∂J/∂W of the loss J by layer, dotted before training, solid after; medians."
TABLE = (
    "Trained nets, medians over seeds: training error, relative test error and L² errors. A "
    "diverged run counts as infinite."
)
BY = {
    "field": "problem",
    "net": "net",
    "τ": "tau",
    "hidden layers": "hidden",
    "width": "width",
    "bias ordering": "bias_ordering",
    "optimiser": "optimizer",
    "inputs": "features",
    "λ₂": "lambda2",
}
MEASURES: list[Measure] = [
    SEEDS,
    ("training error", "error", "train_mse"),
    ("test error, cylinder", "error", "rel_test_error"),
    ("L² cube", "error", "l2_error"),
    smallest("l2_error"),
    largest("l2_error"),
    ("in the cylinder", "error", "l2_error_inside"),
    DIVERGED,
    ("time", "seconds", "seconds"),
]


def contents(run: Run) -> list[Block]:
    nets = run.results_of(STUDY).select("net")
    plain = papers_nets(nets).having("history_seconds")
    source = run.source(STUDY, plain)
    along: list[Block] = [
        Picture("training-curves", CURVES, partial(cost_of_training, plain), source),
        Picture("training-gradients", GRADIENTS, partial(gradients_by_layer, plain), source),
    ]
    return [
        Paragraph(TEXT),
        NETS,
        *(along if plain else [NO_CURVES]),
        study_table(run, STUDY, nets, "training-nets", TABLE, BY, MEASURES),
    ]


def papers_nets(nets: Results) -> Results:
    """By steepest descent, on all inputs, the loss without penalties."""
    chosen = nets.select("net", problem=MAIN, optimizer="steepest", features="x,f,phi")
    return Results([r for r in chosen if not r.config["bias_ordering"] and not r.config["lambda2"]])


def cost_of_training(nets: Results) -> Figure:
    """MSE against seconds, one panel per size; at each time the median over seeds."""

    def curves(name: str, look: str, group: Results) -> Iterator[Curve]:
        begun = [r.arrays for r in group if r.arrays["history_seconds"][-1] > 0]
        if begun:
            curves = [(each["history_seconds"], each["history_mse"]) for each in begun]
            yield Curve(name, look, *last_seen(curves), [group.keys()])

    panels = _panels(nets, "seconds, one thread", curves)
    return draw_panels(panels, "1/(2N) Σ‖y − u‖²", columns=len(panels), share="y", legend=4)


def gradients_by_layer(nets: Results) -> Figure:
    """‖∂J/∂W[k]‖ of every layer, before training (dotted) and at its end (solid)."""

    def curves(name: str, look: str, group: Results) -> Iterator[Curve]:
        for at, title, dash in ((0, f"_{name}, before", ":"), (-1, name, "-")):
            norms = medians([r.arrays["history_grad_W"][at] for r in group])
            style = {"linestyle": dash, "markersize": 3.5}
            yield Curve(title, look, range(len(norms)), norms, [group.keys()], style)

    panels, scales = _panels(nets, "layer k", curves), ("linear", "log")
    return draw_panels(
        panels, "‖∂J/∂W[k]‖", columns=len(panels), share="y", scales=scales, legend=4
    )


def _panels(
    nets: Results, x: str, curves: Callable[[str, str, Results], Iterator[Curve]]
) -> list[Panel]:
    """One panel per number of hidden layers and width, with the curves of every kind of net."""
    sizes = sorted(grouped(nets, "hidden", "width").items(), key=lambda item: item[0])
    panels = []
    for (hidden, width), found in sizes:
        families = sorted(grouped_by(found, lambda record: net_family(record.config)).items())
        drawn = [curves(n, net_method(group.records[0].config), group) for n, group in families]
        panels.append(Panel(f"{hidden}-{width}", x, [*chain(*drawn)]))
    return panels
