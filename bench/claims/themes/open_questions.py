"""What the paper mentions and does not show: other tasks, the time grid, noise, initial guesses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from bench.claims import Claim, Finding, NotTested, admissibility, quoted
from bench.claims.domains import domain_of
from bench.claims.rules import compared_values, counted, tabled
from bench.methods.titles import net_title
from bench.store.results import Results, StoredResult

Runs = Mapping[int, Mapping[str, Any]]
FIELDS = ("maxwell", "helix")  # of the studies behind these claims
NOISE = 1e-2
ENOUGH = 1000  # samples
LITTLE = 1.1  # a factor between errors that is no difference
TASKS, GRIDS, NOISES, GUESSES = (
    f"femnets run {study} --preset paper"
    for study in ("neural_ode_tasks", "time_grid", "noise", "initial_guess")
)


def _runs(record: StoredResult) -> Runs:
    return {run["seed"]: run for run in record.values["runs"]}


def _similar(results: Results) -> Finding:
    """Cross-entropy with learned over fixed τ, by task and net, without extra dimensions."""
    parts = {}
    found = results.select("ode_task", extra=0, small_steps=False)
    for learned in found.select("ode_task", tau="learned"):
        shape = {name: learned.config[name] for name in ("task", "net", "steps", "count")}
        for fixed in found.select("ode_task", tau="fixed", **shape):
            title = f"{shape['task']}, {net_title(shape['net'])}"
            parts[title] = _pair(learned, fixed)
    return tabled(parts, "cross-entropy, τ learned over fixed", "task and net", TASKS)


def _pair(learned: StoredResult, fixed: StoredResult) -> Finding:
    a, b = _runs(learned), _runs(fixed)
    seeds = sorted(a.keys() & b.keys())
    complaints = (
        admissibility.interior(
            record.values["chosen"],
            {"rate": record.config["rates"], "tau0": record.config["tau0s"]},
            arm=f"τ {record.config['tau']}",
        )
        for record in (learned, fixed)
    )
    refused = admissibility.first_broken({"interior": next(filter(None, complaints), None)})
    left, right = ([side[seed]["cross_entropy"] for seed in seeds] for side in (a, b))
    cells = (learned.key, fixed.key)
    pairs = [(seed, seed) for seed in seeds]
    return compared_values(left, right, pairs, cells, "cross-entropy", "training points", refused)


def _grid(results: Results) -> Finding:
    """Training errors of deeper nets: the learned grid over even steps."""
    parts = {}
    for record in results.select("time_grid"):
        runs = _runs(record)
        moved, even = ([run[g] for run in runs.values()] for g in ("transferred", "uniform"))
        complaints = (
            admissibility.interior(
                {"rate": record.values["chosen"][grid]}, {"rate": record.config["rates"]}, arm=grid
            )
            for grid in ("transferred", "uniform")
        )
        refused = admissibility.first_broken({"interior": next(filter(None, complaints), None)})
        title = f"{net_title(record.config['net'])}, {record.config['hidden']} layers"
        seeds = [(seed, seed) for seed in runs]
        where = domain_of("train_mse", "")
        parts[title] = compared_values(
            moved, even, seeds, (record.key,), "train_mse", where, refused
        )
    return tabled(parts, "train_mse, learned grid over even steps", "net and depth", GRIDS)


def _robust(results: Results) -> Finding:
    """Whether noise leaves the error of the paper's net where it was, by draw of the samples."""
    found = results.select("noisy_fit", method="paper net")
    found = Results([record for record in found if record.config["samples"] >= ENOUGH])
    clean = {_place(record): record for record in found if record.config["noise"] == 0}
    pairs = [
        (record, clean[_place(record)])
        for record in found
        if record.config["noise"] == NOISE and _place(record) in clean
    ]
    if not pairs:
        return NotTested(NOISES)
    error = "l2_error_inside"
    little = [noisy.values[error] <= LITTLE * plain.values[error] for noisy, plain in pairs]
    what = f"noise of 1 % changes {error} by less than 10 % in {{hits}} of {{runs}}"
    made = counted(little, Results([noisy for noisy, _ in pairs]), what)
    cells = tuple(record.key for pair in pairs for record in pair)
    return replace(made, cells=cells, domain=domain_of(error, "maxwell"))


def _place(record: StoredResult) -> tuple[Any, ...]:
    return tuple(record.config[name] for name in ("problem", "samples", "seed", "data_seed"))


def _start(results: Results) -> Finding:
    """Whether the net is a better start than the coarser mesh, on the finest of each ladder."""
    found = results.select("initial_guess")
    if not len(found):
        return NotTested(GUESSES)
    better = [
        record.values["net_iterations"][-1] < record.values["coarse_iterations"][-1]
        for record in found
    ]
    what = "the net saves iterations over the coarser mesh on the finest mesh in {hits} of {runs}"
    return replace(counted(better, found, what), domain="cube")


CLAIMS = [
    Claim(
        name="similar-results-on-ode-tasks",
        sentence="On the tasks of Dupont et al. a learned τ trains better than a fixed one.",
        criterion="cross-entropy of τ learned < that of τ fixed after the same number of steps on "
        "the crossing and the annuli; rate and τ₀ of both searched alike on tuning seeds",
        declared="2026-11-18 b7bc86c9",
        family="neural_ode_tasks",
        examine=_similar,
        problems=FIELDS,
        **quoted("Section 7", "We obtained similar results to the ones presented here."),
    ),
    Claim(
        name="learned-tau-is-an-adaptive-grid",
        sentence="The learned τ is an adaptive time grid: interpolated to more layers it serves a "
        "deeper net better than even steps over the same time.",
        criterion="train_mse of a deeper net with the learned grid, interpolated and fixed, < that "
        "with even steps; the rates of both searched alike on tuning seeds",
        declared="2026-11-18 1cd972cc",
        family="time_grid",
        examine=_grid,
        problems=FIELDS,
        **quoted("Section 8", "learning τ then corresponds to optimal adaptive time stepping"),
    ),
    Claim(
        name="noise-robust",
        sentence="Noise of 1 % in u, f and φ leaves the error of the paper's net where it was.",
        criterion="l2_error_inside of the 2-50 ResNet with noise of 1 % at most 1.1 times that "
        "without noise, for 1000 samples and more; a draw of the samples counts once",
        declared="2026-11-18 1cabd48f",
        family="noise",
        examine=_robust,
        problems=FIELDS,
        **quoted("Section 7", "a reasonable and noise-robust approximation of the solution"),
    ),
    Claim(
        name="net-as-initial-guess",
        sentence="A trained net is a better initial guess than the solution on the next coarser "
        "mesh.",
        criterion="fewer iterations of conjugate gradients from the net than from the solution on "
        "the coarser mesh, on the finest mesh of every ladder; a seed counts once",
        declared="2026-11-18 61fc5e9b",
        family="initial_guess",
        examine=_start,
        problems=FIELDS,
        **quoted("Section 7", "its output could be used as an initial guess"),
    ),
]
