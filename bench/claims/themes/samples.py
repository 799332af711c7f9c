"""Given samples only: findings of ours. Nets against linear models of the same samples."""

from __future__ import annotations

from bench.claims import Claim, Finding, NotTested
from bench.claims.arms import MAIN, arm
from bench.claims.rules import compared, tabled
from bench.store.results import Results, StoredResult, median

TRAINING = "femnets run training baselines --preset paper"
STRONG = "femnets run strong_nets baselines --preset paper"


def by_data(a: Results, b: Results) -> list[tuple[StoredResult, StoredResult]]:
    """Runs of two methods on the same samples: of one seed, and as many."""
    partners = {_samples(record): record for record in b}
    return [(record, partners[_samples(record)]) for record in a if _samples(record) in partners]


def _samples(record: StoredResult) -> tuple[int, int]:
    return record.config["data_seed"], record.config["samples"]


def _paper_net(results: Results) -> Finding:
    nets = results.select("net", **arm(net="fractional", tau="learned", hidden=2))
    linear = results.select("baseline", method="linear", problem=MAIN, features="x,f,phi")
    found = by_data(nets, linear)
    return compared(found, "l2_error") if found else NotTested(TRAINING)


def _tuned_net(results: Results) -> Finding:
    """By field and inputs the tuned net against the linear model with the smallest median error."""
    parts: dict[str, Finding] = {}
    nets = results.select("tuned_net")
    for problem in nets.distinct("problem"):
        for features in nets.select("tuned_net", problem=problem).distinct("features"):
            where = {"problem": problem, "features": features}
            models = results.select("baseline", **where)
            tuned = nets.select("tuned_net", **where)
            pairs = [
                pairs
                for method in models.distinct("method")
                if (pairs := by_data(tuned, models.select("baseline", method=method)))
            ]
            if pairs:
                best = min(pairs, key=lambda found: median(_error(b) for _, b in found))
                name = f"{problem}, given {features}, against {best[0][1].config['method']}"
                parts[name] = compared(best, _metric(best[0][0]))
    return tabled(parts, "error where the samples lie, tuned net over model", "the field", STRONG)


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
        declared="2026-11-18 e62bedd2",
        family="strong_nets",
        criterion="l2_error of the net < that of linear least squares, same samples",
        examine=_paper_net,
    ),
    Claim(
        name="tuned-net-beats-linear-models",
        sentence="Given samples only, a tuned net has a smaller error than every generic linear "
        "model of the same samples.",
        declared="2026-11-18 ea35d72e",
        family="strong_nets",
        criterion="error where the samples lie, of the net with settings chosen by validation < "
        "that of the linear model with the smallest median error; by field and inputs, paired data "
        "seeds",
        examine=_tuned_net,
        problems=(),
    ),
]
