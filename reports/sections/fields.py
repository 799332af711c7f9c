"""The fields of the run, as pictures."""

from __future__ import annotations

from functools import partial

import numpy as np

from bench import problems
from bench.problems import Problem
from reports.competitors import contested
from reports.context import Run
from reports.document import Block, Column, Paragraph, Picture, Table
from reports.figures.fields import Slice, field_slices

TITLE = "The fields"
ORDER = 20
TEXT = (
    "Each field is known, so that every error is exact, but a method sees only what it is given. "
    "Smooth fields favour high orders; singular ones do not."
)
SIDE, SEEN = 55, 500  # points of a slice, each way; points that show how far a domain reaches
CAPTION = (
    "The size |u| (dark: large) and the direction of every field on the slice x₃ = ½ of its "
    "domain. At a singular edge the shade saturates."
)


def contents(run: Run) -> list[Block]:
    names = [name for name in problems.names() if name in contested(run.results)]
    known = [problems.get(name) for name in names]
    shown = [problem for problem in known if problem.known]
    if not shown:
        return []
    rows = [(p.name, p.title, "smooth" if p.smooth else "singular at an edge") for p in known]
    columns = [Column("field"), Column("what it is"), Column("regularity")]
    return [
        Paragraph(TEXT),
        Picture("fields", CAPTION, partial(field_slices, [*map(sliced, shown)])),
        Table("problems", "The fields of this run.", columns, rows),
    ]


def sliced(problem: Problem) -> Slice:
    """u at x₃ = ½, on a square about the domain; NaN outside it."""
    points = problem.domain.sample(SEEN, seed=0)[:2]
    low, high = np.round(points.min()), np.round(points.max())
    line = low + (np.arange(SIDE) + 0.5) / SIDE * (high - low)
    x = np.stack(np.broadcast_arrays(line[:, None], line[None, :], 0.5))
    inside = problem.domain.contains(x)
    u = np.full((3, SIDE, SIDE), np.nan)
    u[:, inside] = problem.u(x[:, inside])
    return Slice(problem.name, line, u)
