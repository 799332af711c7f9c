"""Told the equation only: nets and finite elements for the same boundary-value problem."""

from __future__ import annotations

from functools import partial

import numpy as np

from bench.claims.themes.solve import best_nets
from bench.store.results import Results, StoredResult, median
from reports.context import Run
from reports.document import Block, Column, Formula, Paragraph, Picture, Table, Value
from reports.figures.solve import by_series, method_of, series_of, work_precision
from reports.formatting import count, listed, scientific, show, two_digits

STUDY = "solve"

TITLE = "Told the equation only"
ORDER = 57
STUDIES = (STUDY,)
GAP = "no net and no element has been told the equation in this run."
# What is the same for a race: everything that `auto` has but the optimiser.
PLAIN = {"form": "strong", "boundary": "penalty"}


def article(run: Run) -> list[Block]:
    """Who comes how far, and why."""
    return contents(run)[:3]


def contents(run: Run) -> list[Block]:
    results = run.results_of(STUDY)
    elements = results.select("fem", solve=True)
    problems = [p for p in _problems(results) if len(best_nets(results, p))]
    if not problems or not len(elements):
        return []
    nets = {problem: best_nets(results, problem) for problem in problems}
    solved = _solved(run)
    sources = [r for group in nets.values() for r in group] + list(elements)
    blocks: list[Block] = [
        Paragraph(
            "Everything here was told f, φ and the boundary trace, never the field. The nets "
            "minimise J, with w = 100, at quasi-random points; the same rule for every "
            f"field. {_who(results, problems, solved)} {_why(results, problems, solved)}"
        ),
        LOSS,
        Picture(
            "solve-work",
            f"{_who(results, problems, solved)} Work against precision, one panel per field; "
            "marks are meshes or orders, the orange curve is the net along its training, median "
            f"over seeds with a band over all. {_headline(nets, solved)}",
            partial(work_precision, problems, elements, nets),
            "L² error against seconds, one panel per field: finite elements by size, the best net "
            "along its training.",
            run.source(STUDY, Results(sources)),
        ),
        Table("solve-best", "What each method reached, at its largest size or longest training; "
              "nets as medians over seeds.", BEST, best_rows(nets, elements),
              run.source(STUDY, Results(sources))),
    ]  # fmt: skip
    blocks += [*_variants(run, results), *_race(run, results), *_exponential(run, elements)]
    return blocks


LOSS = Formula(
    'J = 1/N sum_i abs(("curl" phi "curl" u - f) / phi - nabla "div" u)^2 (x_i) '
    '+ 1/N sum_i abs("div" u)^2 (x_i) + w/M sum_k abs(u times n - g)^2 (s_k)',
    "J is the mean square of the equation divided by phi, of the divergence, and w times that of "
    "the tangential boundary values.",
)


def headline(run: Run) -> str:
    """How the best net compares with lowest order and with the best element, and why."""
    results = run.results_of(STUDY)
    solved = _solved(run)
    problems = [p for p in _problems(results) if len(best_nets(results, p))]
    if not problems or not len(solved):
        return ""
    first = {problems[0]: best_nets(results, problems[0])}
    return (
        f"**{_who(results, problems, solved)}** On {_headline(first, solved)} "
        f"{_why(results, problems, solved)}"
    )


def _solved(run: Run) -> Results:
    """Every element of the run that was told the equation, whichever study it belongs to: nets are
    held against all of them."""
    known = [r for r in run.results.select("fem", solve=True) if r.values.get("l2_error")]
    return Results(known)


def _who(results: Results, problems: list[str], elements: Results) -> str:
    """On which fields the net passes lowest order, and on which it loses to the best element."""
    nets = {problem: best_nets(results, problem) for problem in problems}
    low = [p for p in problems if _beats(nets[p], elements, "N0")]
    lost = [p for p in problems if not _beats(nets[p], elements, None)]
    same = lost == low and len(low) > 1
    whom = f"passes every mesh of N₀ on {listed(low)}" if low else "passes N₀ on no field"
    where = "all of them" if same else listed(lost)
    best = f"loses to the best element on {where}" if lost else "every element too"
    joined = "and" if bool(low) == bool(lost) or not low else "and passes"
    return f"Told the equation, the best net {whom} {joined} {best}."


def _why(results: Results, problems: list[str], elements: Results) -> str:
    """What each method gains by more work on the first field, from its own results."""
    gains = gains_by_work(best_nets(results, problems[0]), elements, problems[0])
    if len(gains) < 2:
        return ""
    said = [words.format(two_digits(gains[name])) for name, words in GAINS.items() if name in gains]
    return f"Why: on {problems[0]} {listed(said)}."


GAINS = {
    "N0": "halving h gains N₀ a factor of {}",
    "hexP": "one order more gains the p-version {}",
    "net": "ten times the training gains the net {}",
}


def gains_by_work(nets: Results, elements: Results, problem: str) -> dict[str, float]:
    """By what factor errors fall: N₀ when h is halved, between its two finest meshes; the p-version
    per order, between its lowest order and its smallest error; the net when it trains ten times as
    long, at its end, median over seeds."""
    found: dict[str, float] = {}
    plain = [r for r in elements if r.config["problem"] == problem and not r.config["layers"]]
    meshes = [r for r in plain if method_of(r) == "N0" and not r.config["grading"]]
    if len(meshes) > 1:
        coarse, fine = sorted(meshes, key=lambda r: r.config["n"])[-2:]
        refined = np.log2(fine.config["n"] / coarse.config["n"])
        if refined > 0:
            found["N0"] = (coarse.values["l2_error"] / fine.values["l2_error"]) ** (1 / refined)
    orders = [r for r in plain if r.config["order"]]
    if len(orders) > 1:
        low = min(orders, key=lambda r: r.config["order"])
        best = min(orders, key=lambda r: r.values["l2_error"])
        steps = best.config["order"] - low.config["order"]
        if steps > 0:
            found["hexP"] = (low.values["l2_error"] / best.values["l2_error"]) ** (1 / steps)
    curves = [r for r in nets if "curve_l2_error" in r.arrays and r.values["l2_error"]]
    if curves:
        found["net"] = median(
            _error_at(r, r.values["seconds"] / 10) / r.values["l2_error"] for r in curves
        )
    return {name: gain for name, gain in found.items() if np.isfinite(gain)}


def _beats(nets: Results, elements: Results, element: str | None) -> bool:
    """Whether the median net has a smaller error than all elements, or all of one kind."""
    problem = nets.records[0].config["problem"]
    rivals = elements.select("fem", problem=problem, **({"element": element} if element else {}))
    return all(median(nets.errors()) < r.values["l2_error"] for r in rivals) and len(rivals) > 0


def _problems(results: Results) -> list[str]:
    """The paper's field first."""
    found = results.select("solved_net").distinct("problem")
    return sorted(found, key=lambda name: (name != "maxwell", name))


def _headline(nets: dict[str, Results], elements: Results) -> str:
    parts = []
    for problem, group in nets.items():
        rivals = [r for r in elements if r.config["problem"] == problem]
        if rivals:
            best = min(rivals, key=lambda record: record.values["l2_error"])
            title = "hp bricks" if best.config["layers"] else series_of(best)
            title = title.partition(",")[0]
            parts.append(
                f"{problem}: net {scientific(median(group.errors()), 1)} after "
                f"{show(median(group.value('seconds')), 'seconds')}{_lowest(problem, elements)}, "
                f"{title} {scientific(best.values['l2_error'], 1)} after "
                f"{show(best.values['seconds'], 'seconds')}"
            )
    return "; ".join(parts) + "."


def _lowest(problem: str, elements: Results) -> str:
    """The finest mesh of N₀, beside the best element."""
    meshes = [r for r in elements if r.config["problem"] == problem and method_of(r) == "N0"]
    if not meshes:
        return ""
    best = min(meshes, key=lambda r: r.values["l2_error"])
    return (
        f", N₀ {scientific(best.values['l2_error'], 1)} with {count(best.values['dofs'])} unknowns "
        f"after {show(best.values['seconds'], 'seconds')}"
    )


BEST = [
    Column("field"),
    Column("method"),
    Column("unknowns", "count"),
    Column("L² error", "error"),
    Column("seconds", "seconds"),
    Column("seeds", "count"),
]


def best_rows(nets: dict[str, Results], elements: Results) -> list[tuple[Value, ...]]:
    rows: list[tuple[Value, ...]] = []
    for problem, group in nets.items():
        first = group.records[0]
        size = f"net {first.config['hidden']}-{first.config['width']} {first.config['activation']}"
        rows.append(
            (
                problem,
                size,
                first.values["parameters"],
                median(group.errors()),
                median(group.value("seconds")),
                len(group),
            )
        )
        there = [r for r in elements if r.config["problem"] == problem]
        for title, found in by_series(there).items():
            values = min(found, key=lambda record: record.values["l2_error"]).values
            rows.append(
                (problem, title, values["dofs"], values["l2_error"], values["seconds"], None)
            )
    return rows


VARIANTS = [
    Column("field"),
    Column("net"),
    Column("parameters", "count"),
    Column("L² error", "error"),
    Column("smallest", "error"),
    Column("largest", "error"),
    Column("loss J", "error"),
    Column("‖∂J/∂W₀‖ / ‖∂J/∂W_H‖ at the end", "number"),
    Column("diverged", "count"),
]


def _variants(run: Run, results: Results) -> list[Block]:
    """The paper's four variants: does τ or γ matter when the equation is the teacher?"""
    nets = results.select("solved_net", optimizer="auto", **PLAIN)
    fewest = min((r.config["evaluations"] for r in nets), default=None)
    nets = Results([r for r in nets if r.config["evaluations"] == fewest])
    rows: list[tuple[Value, ...]] = []
    for problem in _problems(nets):
        for net, tau in sorted({(r.config["net"], r.config["tau"]) for r in nets}):
            group = nets.select("solved_net", problem=problem, net=net, tau=tau)
            if len(group):
                rows.append(_variant(problem, f"{net}, τ {tau}", group))
    if not rows or fewest is None:
        return []
    caption = (
        f"The paper's variants after {fewest:g} evaluations each, at equal numbers of parameters "
        "but for the τ's themselves; medians over seeds."
    )
    return [Table("solve-variants", caption, VARIANTS, rows, run.source(STUDY, nets))]


def _variant(problem: str, name: str, group: Results) -> tuple[Value, ...]:
    errors = group.errors()
    return (
        problem,
        name,
        group.records[0].values["parameters"],
        median(errors),
        min(errors),
        max(errors),
        median(group.value("J")),
        median(_first_to_last(record) for record in group),
        sum(map(bool, group.value("diverged"))),
    )


def _first_to_last(record: StoredResult) -> float | None:
    """Gradient norms of the first weights against the last, at the last row of the history."""
    norms = record.arrays.get("history_grad_W")
    if norms is None or not len(norms) or not norms[-1][-1] > 0:
        return None
    return float(norms[-1][0] / norms[-1][-1])


RACE = [
    Column("optimiser"),
    Column("seeds", "count"),
    Column("at equal time", "error"),
    Column("L² error at the end", "error"),
    Column("seconds", "seconds"),
    Column("evaluations", "count"),
]


def _race(run: Run, results: Results) -> list[Block]:
    nets = results.select("solved_net", **PLAIN)
    racers = Results([r for r in nets if r.config["optimizer"] != "auto"])
    names = racers.distinct("optimizer")
    if len(names) < 2:
        return []
    groups = {name: racers.select("solved_net", optimizer=name) for name in names}
    equal = min(median(group.value("seconds")) for group in groups.values())
    rows: list[tuple[Value, ...]] = [
        (
            name,
            len(group),
            median(_error_at(record, equal) for record in group),
            median(group.errors()),
            median(group.value("seconds")),
            int(median(group.value("evaluations"))),
        )
        for name, group in groups.items()
    ]
    rows.sort(key=lambda row: row[2])  # type: ignore[arg-type, return-value]
    caption = (
        f"The race of the optimisers on {racers.records[0].config['problem']}: {rows[0][0]} is "
        f"ahead after {equal:.2g} s, when the first is through; the same net, points and starts."
    )
    return [Table("solve-race", caption, RACE, rows, run.source(STUDY, racers))]


def _error_at(record: StoredResult, seconds: float) -> float:
    """The last error on the curve no later than this."""
    seen = np.asarray(record.arrays["curve_seconds"]) <= seconds
    errors = np.asarray(record.arrays["curve_l2_error"])[seen]
    return float(errors[-1]) if len(errors) else float("inf")


EXPONENTIAL = [
    Column("field"),
    Column("sizes", "count"),
    Column("b", "number"),
    Column("largest residual of log error", "number"),
    Column("smallest L² error", "error"),
    Column("unknowns", "count"),
]


def _exponential(run: Run, elements: Results) -> list[Block]:
    """error ≈ C exp(−b unknowns^{1/4}) on geometric layers, the order along the edge fixed."""
    rows: list[tuple[Value, ...]] = []
    layered = Results([r for r in elements if r.config["layers"]])
    for problem in layered.distinct("problem"):
        found = sorted(
            layered.select("fem", problem=problem), key=lambda record: record.values["dofs"]
        )
        if len(found) >= 3:
            x = np.array([r.values["dofs"] for r in found]) ** 0.25
            y = np.log([r.values["l2_error"] for r in found])
            slope, intercept = np.polyfit(x, y, 1)
            residual = float(np.abs(y - slope * x - intercept).max())
            last = found[-1].values
            rows.append(
                (problem, len(found), float(-slope), residual, last["l2_error"], last["dofs"])
            )
    if not rows:
        return []
    caption = (
        "hp bricks towards the singular edge: the error falls like exp(−b unknowns^(1/4)), fitted "
        "by least squares to the logarithms; the order along the edge is fixed."
    )
    return [Table("solve-hp", caption, EXPONENTIAL, rows, run.source(STUDY, layered))]
