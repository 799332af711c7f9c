"""Noise in the samples, and known properties of the field in the loss."""

from __future__ import annotations

from functools import partial

from bench.store.results import Results, median
from reports.context import Run
from reports.document import Block, Paragraph, Picture
from reports.figures.curves import Curve, Figure, Panel, draw_panels
from reports.tables import SEEDS, Measure, grouped, study_table

TITLE = "Noise, and knowledge of the field"
ORDER = 83
STUDY = "noise"
MOST_LEVELS = 4  # of noise, in the figure
TEXT = (
    "The paper calls its map noise-robust and mentions that known properties could enter the "
    "loss. First every method is fitted to the same noisy samples: noise of 1 % adds to each "
    "number of u, f and φ a normal one of a hundredth of its root mean square. Then one net is "
    "fitted to samples in the cylinder while its loss also knows, at points of the whole cube, "
    "that div u = 0, that u₃ = 0, or the equation itself; or the net is a potential A with u = "
    "curl A."
)
CAPTION = (
    "L² error where the samples lie (the cylinder) against the number of samples of the first "
    "field, by level of noise; medians over draws of the samples."
)
NOISY = "Fits to noisy samples: L² errors in the cylinder and on the rest of the cube, medians."
KNOWN = (
    "Knowledge in the loss of a 2-20 net: L² errors in the cylinder, where the samples lie, and "
    "on the rest of the cube; medians over seeds."
)


def contents(run: Run) -> list[Block]:
    found = run.results_of(STUDY)
    noisy, known = found.select("noisy_fit"), found.select("known_properties")
    errors: list[Measure] = [
        SEEDS,
        ("L² error, cylinder", "error", "l2_error_inside"),
        ("L² error, rest of the cube", "error", "l2_error_outside"),
    ]
    by = {"field": "problem", "method": "method", "samples": "samples", "noise": "noise"}
    knowledge = {"known": "known", "noise": "noise"}
    return [
        Paragraph(TEXT),
        Picture("noise", CAPTION, partial(error_by_samples, noisy), run.source(STUDY, noisy)),
        study_table(run, STUDY, _largest(noisy), "noisy-fits", NOISY, by, errors),
        study_table(run, STUDY, known, "knowledge", KNOWN, knowledge, errors),
    ]


def error_by_samples(noisy: Results) -> Figure:
    """On the first field: a panel per level of noise, a curve per method."""
    first = noisy.select("noisy_fit", problem=noisy.distinct("problem")[0])
    panels = []
    for level in first.distinct("noise")[:MOST_LEVELS]:
        groups = grouped(first.select("noisy_fit", noise=level), "method")
        curves = [_curve(str(method), found) for (method,), found in groups.items()]
        panels.append(Panel(f"noise {level:g}", "samples", curves))
    return draw_panels(panels, "L² error, cylinder", columns=MOST_LEVELS, share="y")


def _curve(method: str, found: Results) -> Curve:
    groups = dict(sorted(grouped(found, "samples").items()))
    errors = [median(group.errors("l2_error_inside")) for group in groups.values()]
    keys = [group.keys() for group in groups.values()]
    look = "finite element/N1" if method == "N1" else f"linear model/{method}"
    if method.endswith("net"):
        look = f"net/{'resnet' if method == 'strong net' else 'feedforward'}"
    return Curve(method, look, [count for (count,) in groups], errors, keys)


def _largest(noisy: Results) -> Results:
    """The fits of each method to its largest number of samples."""
    most: dict[str, int] = {}
    for record in noisy:
        method = record.config["method"]
        most[method] = max(most.get(method, 0), record.config["samples"])
    return Results([r for r in noisy if r.config["samples"] == most[r.config["method"]]])
