"""Given samples only: findings of ours. Nets against linear models of the same samples."""

from __future__ import annotations

from bench.claims.admissibility import information
from bench.claims.arms import MAIN, arm
from bench.claims.claim import Claim
from bench.claims.findings import Finding
from bench.claims.rules import compared, tabled
from bench.store.results import Results, StoredResult, median


def by_data(a: Results, b: Results) -> list[tuple[StoredResult, StoredResult]]:
    """Runs of two methods on the same samples: of one seed, and as many."""
    partners = {_samples(record): record for record in b}
    return [(record, partners[_samples(record)]) for record in a if _samples(record) in partners]


def _samples(record: StoredResult) -> tuple[int, int]:
    return record.config["data_seed"], record.config["samples"]


def _paper_net(results: Results) -> Finding:
    nets = results.select("net", **arm(net="fractional", tau="learned", hidden=2))
    linear = results.select("baseline", method="linear", problem=MAIN, features="x,f,phi")
    return compared(by_data(nets, linear), "l2_error")


def _tuned_net(results: Results) -> Finding:
    """By field and inputs the tuned net against the linear model with the smallest median error."""
    parts = {}
    for problem, features in sorted({_given(r) for r in results.select("tuned_net")}):
        where = {"problem": problem, "features": features}
        tuned, models = (results.select(kind, **where) for kind in ("tuned_net", "baseline"))
        rivals = [models.select("baseline", method=name) for name in models.distinct("method")]
        met = [pairs for rival in rivals if (pairs := by_data(tuned, rival))]
        found = [pairs for pairs in met if not information(*pairs[0])]
        if found:
            best = min(found, key=lambda pairs: median(_error(b) for _, b in pairs))
            name = f"{problem}, given {features}, against {best[0][1].config['method']}"
            parts[name] = compared(best, _metric(best[0][0]))
    return tabled(parts, "error where the samples lie, tuned net over model", "the field")


def _given(record: StoredResult) -> tuple[str, str]:
    return record.config["problem"], record.config["features"]


def _metric(record: StoredResult) -> str:
    """The error where the samples lie, if it is known separately."""
    return "l2_error_inside" if "l2_error_inside" in record.values else "l2_error"


def _error(record: StoredResult) -> float | None:
    return record.values.get(_metric(record))


CLAIMS = [
    Claim(
        name="paper-net-beats-linear-least-squares",
        sentence="The paper's 2-50 Fractional-DNN with learned τ beats linear least squares from "
        "the same samples and inputs.",
        criterion="l2_error of the net < that of linear least squares, same samples",
        declared="2026-11-18 e62bedd2",
        family="strong_nets",
        needs="training baselines --preset paper",
        examine=_paper_net,
    ),
    Claim(
        name="tuned-net-beats-linear-models",
        sentence="Given samples only, a tuned net has a smaller error than every generic linear "
        "model of the same samples.",
        criterion="error where the samples lie, of the net with settings chosen by validation < "
        "that of the linear model with the smallest median error; by field and inputs, paired data "
        "seeds",
        declared="2026-11-18 ea35d72e",
        family="strong_nets",
        needs="strong_nets baselines --preset paper",
        examine=_tuned_net,
        problems=(),
    ),
]
