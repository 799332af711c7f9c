"""A net as the initial guess of a solver."""

from __future__ import annotations

from functools import partial

from bench.claims.initial_guesses import predicted, stops_helping
from bench.store.results import Results, median
from reports.context import Run
from reports.document import Block, Paragraph, Picture
from reports.figures.curves import Axes, Curve, Figure, Panel, draw_panels
from reports.tables import SEEDS, grouped_by, medians_by

TITLE = "A net as the initial guess of a solver"
ORDER = 84
STUDY = "initial_guess"
STARTS = {
    "zero": ("from zero", "linear model/linear"),
    "coarse": ("from the coarser mesh", "finite element/N0"),
    "net": ("from the net", "net/resnet"),
}
TEXT = (
    "The paper suggests a trained net as the start of an iterative method. Here conjugate "
    "gradients with the project's preconditioners start from zero, from the solution on the mesh "
    "with half as many cells per side, and from a net trained on samples, interpolated into the "
    "element's space. A net with a fixed error is nearer to the solution in H(curl) until the "
    "coarser mesh is as accurate as the net: that mesh is predicted from the net's error. Measured "
    "is the mesh from which on the net saves no iteration. The two differ where the iteration "
    "watches a residual in which smooth errors, as nets have them, count less than errors that "
    "jump from cell to cell. Seconds include the evaluation of the net on every edge."
)
CAPTION = (
    "Iterations of conjugate gradients to a relative residual of 10⁻⁸ against cells per side, by "
    "start; the most accurate net of the first problem, N₀, best approximation."
)
TABLE = (
    "Cells per side from which on the coarser mesh is as good a start, predicted and measured (∞: "
    "beyond the finest mesh); in how many runs the two agree up to a factor of two, as far as the "
    "ladder tells; the number of solves on the finest mesh after which the training is repaid (∞: "
    "never). "
    "Errors of the nets are in H(curl) on the cube."
)
BY = {
    "field": "problem", "element": "element", "boundary-value problem": "boundary_value",
    "steps": "steps",
}  # fmt: skip


def contents(run: Run) -> list[Block]:
    found = run.results_of(STUDY).select("initial_guess")
    groups = grouped_by(
        found,
        lambda r: (*(r.config[name] for name in BY.values()), max(r.config["n"])),
    )
    measures = [
        SEEDS,
        ("net's H(curl) error, cube", "error", "net_hcurl_error"),
        ("predicted n", "number", "predicted_n"),
        ("measured n", "number", lambda g: median([stops_helping(r)[1] for r in g])),
        ("agree", "count", lambda g: sum(map(predicted, g))),
        ("repaid, from zero", "number", "repaid_against_zero"),
        ("repaid, from the coarser mesh", "number", "repaid_against_coarse"),
    ]
    return [
        Paragraph(TEXT),
        Picture("guess", CAPTION, partial(iterations, found), run.source(STUDY, found)),
        medians_by("guesses", TABLE, [*BY, "finest n"], groups, measures, run.source(STUDY, found)),
    ]


def iterations(found: Results) -> Figure:
    """Iterations by mesh with the most accurate net, a curve per start."""
    plain = [r for r in found if r.config["element"] == "N0" and not r.config["boundary_value"]]
    longest = max(len(record.config["n"]) for record in plain or found)
    plain = [record for record in plain or found if len(record.config["n"]) == longest]
    best = min(plain, key=lambda record: record.values["net_hcurl_error"])
    meshes = list(best.config["n"])
    curves = [
        Curve(*named, meshes, best.values[f"{start}_iterations"], [[best.key]])
        for start, named in STARTS.items()
    ]

    def ticks(axes: Axes) -> None:
        axes.set_xticks(meshes, [str(n) for n in meshes])
        axes.minorticks_off()
        axes.set_ylim(bottom=0)

    panel = Panel("", "cells per side n", curves, ticks)
    return draw_panels([panel], "iterations", scales=("log", "linear"))
