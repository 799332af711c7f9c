"""The tournament: own nets, optimisers, problems and data files at the same budget."""

from __future__ import annotations

from bench.core.plugins import display
from bench.store.results import Results
from reports.context import Run
from reports.document import Block, Paragraph
from reports.names import net_name
from reports.tables import DIVERGED, SEEDS, Measure, grouped, medians_by

TITLE, ORDER = "Tournament", 74
STUDY = "tournament"
TEXT = (
    "Every pair of a net and an optimiser has the same budget of evaluations of loss and gradient, "
    "the same starting weights and the same points, per seed. Given samples, a net fits u at "
    "points x of the training part; given the equation, it is given f, φ and the boundary data g, "
    "never u; of a file of rows, a fifth is held out to measure the error."
)
COST: list[Measure] = [
    ("evaluations", "count", "evaluations"),
    ("seconds", "seconds", "seconds"),
    ("parameters", "count", "parameters"),
]
L2: Measure = ("relative L² error, domain", "error", "relative_l2_error")
LOSS: Measure = ("loss", "error", "J")
TEST: Measure = ("relative error, held-out points", "error", "rel_test_error")
DISTANCE: Measure = ("relative L² distance", "error", "relative_distance")
TRACKS: dict[str, tuple[str, str, list[Measure]]] = {
    "fit": ("problem", "Given samples: relative L² errors on the domain.", [L2, TEST]),
    "solve": ("problem", "Given the equation: relative L² errors.", [L2, LOSS]),
    "compared": (
        "problem",
        "Given an equation whose solution is not known: distances to an element solution.",
        [DISTANCE, LOSS],
    ),
    "data": ("data", "Given rows of a file: errors on the held-out rows.", [TEST]),
}


def contents(run: Run) -> list[Block]:
    results = run.results_of(STUDY)
    tables = [_table(run, name, group) for name, group in by_track(results).items()]
    return [Paragraph(TEXT), *tables]


def by_track(results: Results) -> dict[str, Results]:
    """The nets by what they are given, and whether u is known."""
    solved = results.select("solved_net")
    far = [r for r in solved if r.values.get("relative_distance") is not None]
    return {
        "fit": results.select("net"),
        "solve": Results([r for r in solved if r not in far]),
        "compared": Results(far),
        "data": results.select("data_net"),
    }


def _table(run: Run, name: str, group: Results) -> Block:
    field, caption, errors = TRACKS[name]
    groups = {
        (display(str(of)), net_name(first.config), activation, display(str(optimizer))): records
        for (of, _, _, activation, optimizer), records in grouped(
            group, field, "net", "tau", "activation", "optimizer"
        ).items()
        for first in [next(iter(records))]
    }
    title, _, of = errors[0]
    ordered = sorted(groups.items(), key=lambda item: (item[0][0], item[1].median(str(of))))
    heads = ("field", "net", "activation", "optimiser")
    measures = [SEEDS, DIVERGED, *errors, *COST]
    caption = f"{caption} Medians over seeds; per field the smallest {title} first."
    source = run.source(STUDY, group)
    return medians_by(f"tournament-{name}", caption, heads, dict(ordered), measures, source)
