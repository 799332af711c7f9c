"""Noise in the samples, and known properties of the field in the loss."""

from __future__ import annotations

from functools import partial

from bench.store.results import Results
from reports.context import Run
from reports.document import Block, Paragraph, Picture
from reports.figures.noise import error_by_samples
from reports.tables import SEEDS, Measure, study_table

TITLE = "Noise, and knowledge of the field"
ORDER = 83
STUDY = "noise"
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
    blocks: list[Block] = [Paragraph(TEXT)] if len(found) else []
    errors: list[Measure] = [
        ("L² error, cylinder", "error", "l2_error_inside"),
        ("L² error, rest of the cube", "error", "l2_error_outside"),
    ]
    if len(noisy):
        source = run.source(STUDY, noisy)
        first = noisy.select("noisy_fit", problem=noisy.distinct("problem")[0])
        draw = partial(error_by_samples, first)
        blocks.append(Picture("noise", CAPTION, draw, CAPTION, source))
        by = {"field": "problem", "method": "method", "samples": "samples", "noise": "noise"}
        few = _largest(noisy)
        blocks.append(study_table(run, STUDY, few, "noisy-fits", NOISY, by, [SEEDS, *errors]))
    if len(known):
        by = {"known": "known", "noise": "noise"}
        blocks.append(study_table(run, STUDY, known, "knowledge", KNOWN, by, [SEEDS, *errors]))
    return blocks


def _largest(noisy: Results) -> Results:
    """The fits of each method to its largest number of samples."""
    most: dict[str, int] = {}
    for record in noisy:
        method = record.config["method"]
        most[method] = max(most.get(method, 0), record.config["samples"])
    return Results([r for r in noisy if r.config["samples"] == most[r.config["method"]]])
