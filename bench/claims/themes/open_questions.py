"""What the paper mentions and does not show: other tasks, the time grid, noise, initial guesses."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

from bench.claims.admissibility import first_broken, interior
from bench.claims.arms import SMOOTH
from bench.claims.claim import MARGIN, quoted
from bench.claims.domains import domain_of
from bench.claims.findings import Finding
from bench.claims.rules import count, paired, tabled
from bench.methods.titles import net_title
from bench.store.results import Results, StoredResult

NOISE = 1e-2
ENOUGH = 1000  # samples


def _similar(results: Results) -> Finding:
    """Cross-entropy with learned over fixed τ, by task and net, without extra dimensions."""
    parts = {}
    found = results.select("ode_task", extra=0, small_steps=False)
    for learned in found.select("ode_task", tau="learned"):
        shape = {name: learned.config[name] for name in ("task", "net", "steps", "count")}
        for fixed in found.select("ode_task", tau="fixed", **shape):
            arms = (learned, fixed)
            a, b = ({run["seed"]: run["cross_entropy"] for run in r.values["runs"]} for r in arms)
            refused = first_broken(("interior", _tuned_inside(record)) for record in arms)
            parts[f"{shape['task']}, {net_title(shape['net'])}"] = paired(
                [(seed, a[seed], b[seed]) for seed in sorted(a.keys() & b.keys())],
                (learned.key, fixed.key),
                "cross-entropy",
                "training points",
                refused,
            )
    return tabled(parts, "cross-entropy, τ learned over fixed", "task and net")


def _tuned_inside(record: StoredResult) -> str | None:
    grid = {"rate": record.config["rates"], "tau0": record.config["tau0s"]}
    return interior(record.values["chosen"], grid, arm=f"τ {record.config['tau']}")


def _grid(results: Results) -> Finding:
    """Training errors of deeper nets: the learned grid over even steps."""
    parts = {}
    for record in results.select("time_grid"):
        rates = {"rate": record.config["rates"]}
        chosen = record.values["chosen"]
        grids = ("transferred", "uniform")
        refused = first_broken(
            ("interior", interior({"rate": chosen[grid]}, rates, arm=grid)) for grid in grids
        )
        title = f"{net_title(record.config['net'])}, {record.config['hidden']} layers"
        rows = [(run["seed"], *(run[grid] for grid in grids)) for run in record.values["runs"]]
        where = domain_of("train_mse", "")
        parts[title] = paired(rows, (record.key,), "train_mse", where, refused)
    return tabled(parts, "train_mse, learned grid over even steps", "net and depth")


def _robust(results: Results) -> Finding:
    """Whether noise leaves the error of the paper's net where it was, by draw of the samples."""
    fits = results.select("noisy_fit", method="paper net")
    found = Results([record for record in fits if record.config["samples"] >= ENOUGH])
    clean = {_draw(record): record for record in found.select("noisy_fit", noise=0)}
    noisy = [r for r in found.select("noisy_fit", noise=NOISE) if _draw(r) in clean]
    error = "l2_error_inside"
    made = count(
        Results(noisy),
        lambda r: r.values[error] <= MARGIN * clean[_draw(r)].values[error],
        f"noise of 1 % changes {error} by less than 10 % in {{hits}} of {{runs}}",
    )
    cells = tuple(record.key for each in noisy for record in (each, clean[_draw(each)]))
    return replace(made, cells=cells, domain=domain_of(error, "maxwell"))


def _draw(record: StoredResult) -> tuple[Any, ...]:
    return tuple(record.config[name] for name in ("problem", "samples", "seed", "data_seed"))


def _start(results: Results) -> Finding:
    """Whether the net is a better start than the coarser mesh, on the finest of each ladder."""
    cells = results.select("initial_guess")
    counted = partial(
        count,
        true=lambda r: r.values["net_iterations"][-1] < r.values["coarse_iterations"][-1],
        what="the net saves iterations over the coarser mesh on the finest mesh in {hits} of "
        "{runs}",
    )
    table = {name: counted(found) for name, found in cells.grouped(_case).items()}
    return replace(counted(cells), along="the system and the training", table=table)


def _case(record: StoredResult) -> str:
    c = record.config
    system = "boundary-value problem" if c["boundary_value"] else "best approximation"
    return f"{c['problem']}, {c['element']}, n = {c['n'][-1]}, {system}, {c['steps']} steps"


claim = partial(quoted, problems=SMOOTH, where="Section 7")
CLAIMS = [
    claim(
        name="similar-results-on-ode-tasks",
        sentence="On the tasks of Dupont et al. a learned τ trains better than a fixed one.",
        words="We obtained similar results to the ones presented here.",
        criterion="cross-entropy of τ learned < that of τ fixed on the crossing and the annuli; a "
        "training has the same number of steps of Adam, or ends where the cross-entropy is 0.01; "
        "rate and τ₀ of both searched alike on tuning seeds",
        declared="2026-11-18 6228ce96",
        family="neural_ode_tasks",
        examine=_similar,
    ),
    claim(
        name="learned-tau-is-an-adaptive-grid",
        sentence="The learned τ is an adaptive time grid: interpolated to more layers it serves a "
        "deeper net better than even steps over the same time.",
        where="Section 8",
        words="learning τ then corresponds to optimal adaptive time stepping",
        criterion="train_mse of a deeper net with the learned grid, interpolated and fixed, < that "
        "with even steps; the rates of both searched alike on tuning seeds",
        declared="2026-11-18 1cd972cc",
        family="time_grid",
        examine=_grid,
    ),
    claim(
        name="noise-robust",
        sentence="Noise of 1 % in u, f and φ leaves the error of the paper's net where it was.",
        words="a reasonable and noise-robust approximation of the solution",
        criterion="l2_error_inside of the 2-50 ResNet with noise of 1 % at most 1.1 times that "
        "without noise, for 1000 samples and more; a draw of the samples counts once",
        declared="2026-11-18 1cabd48f",
        family="noise",
        examine=_robust,
    ),
    claim(
        name="net-as-initial-guess",
        sentence="A trained net is a better initial guess than the solution on the next coarser "
        "mesh.",
        words="its output could be used as an initial guess",
        criterion="fewer iterations of conjugate gradients from the net than from the solution on "
        "the coarser mesh, on the finest mesh of every ladder; a seed counts once",
        declared="2026-11-18 61fc5e9b",
        family="initial_guess",
        domain="cube",
        examine=_start,
    ),
]
