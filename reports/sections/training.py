"""The paper's nets: how they train by steepest descent, and where they end."""

from __future__ import annotations

from functools import partial

from bench.claims.arms import MAIN
from bench.store.results import Results
from reports.context import Run
from reports.document import Block, Formula, Paragraph, Picture
from reports.figures.paper import cost_of_training, gradients_by_layer
from reports.tables import DIVERGED, SEEDS, Measure, largest, smallest, study_table

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
    if not len(nets):
        return []
    blocks: list[Block] = [Paragraph(TEXT), NETS]
    if len(plain := papers_nets(nets)):
        source = run.source(STUDY, plain)
        draw = partial(cost_of_training, plain)
        blocks.append(Picture("training-curves", CURVES, draw, CURVES, source))
        draw = partial(gradients_by_layer, plain)
        blocks.append(Picture("training-gradients", GRADIENTS, draw, GRADIENTS, source))
    return [*blocks, study_table(run, STUDY, nets, "training-nets", TABLE, BY, MEASURES)]


def papers_nets(nets: Results) -> Results:
    """By steepest descent, on all inputs, the loss without penalties."""
    chosen = nets.select("net", problem=MAIN, optimizer="steepest", features="x,f,phi")
    return Results([r for r in chosen if not r.config["bias_ordering"] and not r.config["lambda2"]])
