"""The figures and tables of the article, by name, drawn from the kept results alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from bench import problems
from bench.claims import Entry
from bench.claims.arms import MAIN, NAMES, PAPER
from bench.claims.findings import Compared, Counted
from bench.claims.themes.reentrant import norm_of
from bench.claims.themes.solve import best_nets
from bench.store.results import Results, StoredResult
from reports.article.kept import Kept
from reports.document import Column, Picture, Table
from reports.figures.fields import field_slices
from reports.figures.gradients import phase_diagram
from reports.figures.reentrant import field_and_error
from reports.figures.rows import rows_in_groups
from reports.sections.certificates import bounds_against_errors, titled
from reports.sections.convergence import error_against_h, uniform
from reports.sections.families import cost_and_queries
from reports.sections.fields import sliced
from reports.sections.learned_tau import tuned_rows
from reports.sections.reentrant import arms_of, edge_fields, story
from reports.sections.samples import WHERE, figure_rows, shown_fields
from reports.sections.solve import solved_fields, work_precision

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Draw = Callable[[], "Figure"]
OVER = "error over that of the best fixed τ (left of 1 is better)"
LINEAR_MODELS = {  # by the names of their series, as the text calls them
    "cubic": "cubic polynomials",
    "legendre": "Legendre products",
    "fourier features": "random Fourier features",
    "tanh features": "random tanh features",
    "rbf": "radial basis functions",
    "gaussian process": "Gaussian process",
    "kernel ridge": "kernel ridge regression",
}
CUBE = ("maxwell", "helix", "curlsing", "screen")  # the fields on the unit cube
RE_ENTRANT = ("reentrant", "reentrant3d", "fichera")


def make(kind: str, name: str, caption: str, kept: Kept) -> Picture | Table | None:
    """The figure or table of that name; None where the kept run cannot make it."""
    if kind == "table":
        return TABLES[name](caption, kept) if name in TABLES else None
    draw = FIGURES[name](kept.results) if name in FIGURES else None
    return None if draw is None else Picture(name, caption, draw)


def _fields(results: Results) -> Draw:
    known = [problems.get(name) for name in (*CUBE, *RE_ENTRANT)]
    return partial(field_slices, [sliced(problem) for problem in known if problem.known])


def _solve(results: Results, names: Sequence[str] = CUBE) -> Draw | None:
    fields = solved_fields(results)
    shown = {name: fields[name] for name in names if name in fields}
    return partial(work_precision, shown) if shown else None


def _mesh_size(results: Results) -> Draw | None:
    fem = uniform(results, MAIN)
    mode = {name: value for name, value in PAPER.items() if name != "bias_ordering"}
    nets = results.select("net", **mode)
    draw = partial(error_against_h, {MAIN: (fem, nets)}, height=1.8)
    return draw if len(fem) and len(nets) else None


def _samples(results: Results) -> Draw | None:
    fields = figure_rows(shown_fields(results))
    groups = {
        name: [replace(row, name=LINEAR_MODELS.get(row.name, row.name)) for row in fields[name]]
        for name in CUBE
        if name in fields
    }
    return partial(rows_in_groups, groups, WHERE) if groups else None


def _tau(results: Results) -> Draw | None:
    shown = tuned_rows(results)
    return partial(rows_in_groups, shown, OVER, ratios=True) if shown else None


def _gradients(results: Results) -> Draw | None:
    return partial(phase_diagram, results) if len(results.select("gradients_at_init")) else None


def _story(results: Results) -> Draw | None:
    """Needs the curves along the training."""
    arms, norm = arms_of(results), norm_of(results)
    if norm is None or not all("curve_J" in r.arrays for found in arms.values() for r in found):
        return None
    return partial(story, results, norm)


def _edge(results: Results) -> Draw | None:
    shown = edge_fields(results)
    return partial(field_and_error, shown) if shown else None


def _certificates(results: Results) -> Draw | None:
    methods = titled(results)
    return partial(bounds_against_errors, methods) if methods else None


def _queries(results: Results) -> Draw | None:
    return partial(cost_and_queries, results) if len(results.select("family_surrogate")) else None


FIGURES: dict[str, Callable[[Results], Draw | None]] = {
    "fields": _fields,
    "solve": _solve,
    "first": partial(_solve, names=(CUBE[0], CUBE[-1])),  # for README: smooth, and singular
    "mesh-size": _mesh_size,
    "samples": _samples,
    "tau": _tau,
    "gradients": _gradients,
    "reentrant-story": _story,
    "reentrant-edge": _edge,
    "certificates": _certificates,
    "queries": _queries,
}


def _claims(caption: str, kept: Kept) -> Table | None:
    """The paper's claims that could be tested, with verdict, effect, interval and seeds."""
    entries = [e for e in kept.verdicts.values() if e.claim.part == "paper" and _tested(e)]
    rows = [(e.claim.sentence, e.verdict, *_effect(e), e.seeds or None) for e in entries]
    columns = [Column("claim"), Column("verdict"), Column("effect"), Column("interval"),
               Column("seeds", "count")]  # fmt: skip
    tints = {(at, 1): entry.verdict for at, entry in enumerate(entries)}
    return Table("claims", caption, columns, rows, tints=tints) if rows else None


def _tested(entry: Entry) -> bool:
    return entry.verdict not in ("refused", "not testable")


def _effect(entry: Entry) -> tuple[str, str]:
    """What was measured over seeds: a ratio or a share of the seeds and its interval, or the value
    that decides and the range of all."""
    if entry.effect is None or entry.interval is None or not entry.seeds:
        return "–", "–"
    low, high = entry.interval
    if isinstance(entry.finding, Counted):
        return f"{entry.effect:.0%} of seeds", f"{low:.0%} to {high:.0%}"
    if isinstance(entry.finding, Compared):
        return f"ratio {entry.effect:.3g}", f"{low:.3g} to {high:.3g}"
    return f"value {entry.effect:.2g}", f"values {low:.2g} to {high:.2g}"


def _settings(caption: str, kept: Kept) -> Table | None:
    """One row per kind of network in the main studies."""
    rows = []
    for given, records in _networks(kept.results):
        config, values = records[0].config, records[0].values
        size = config["sizes"][0] if "sizes" in config else f"{config['hidden']}-{config['width']}"
        seeds = len({r.config.get("seed") for r in records} - {None}) or len(config["seeds"])
        name, optimizer = config.get("net", "resnet"), str(config.get("optimizer"))
        rows.append(
            (given, f"{NAMES.get(name)} {size}", config.get("activation") or "tanh",
             OPTIMIZERS.get(optimizer, "chosen"), config.get("evaluations") or config.get("steps"),
             values.get("parameters"), seeds)
        )  # fmt: skip
    columns = [Column("given"), Column("network"), Column("activation"), Column("optimiser"),
               Column("evaluations", "count"), Column("parameters", "count"),
               Column("seeds", "count")]  # fmt: skip
    return Table("settings", caption, columns, rows) if rows else None


def _networks(results: Results) -> Iterator[tuple[str, Sequence[StoredResult]]]:
    """What each kind of network is given, and its results."""
    for words, found in (
        ("the equation", best_nets(results, MAIN)),
        ("the equation, re-entrant edge", arms_of(results).get("net, boundary by penalty", ())),
        ("samples, as Antil et al.", results.select("net", **PAPER, hidden=6, net="fractional")),
        ("samples, settings chosen by validation", results.select("tuned_net", problem="helix")),
    ):
        if len(found):
            yield words, list(found)


OPTIMIZERS = {
    "auto": "self-scaled Broyden",
    "ssbfgs": "self-scaled BFGS",
    "steepest": "steepest descent",
}
TABLES: dict[str, Callable[[str, Kept], Table | None]] = {
    "claims": _claims,
    "settings": _settings,
}
