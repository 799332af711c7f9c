"""Controls of ours, which the paper does not make: what a referee would ask of its claims."""

from __future__ import annotations

from bench.claims import Claim, Finding, NotTested
from bench.claims.arms import MAIN, SMOOTH, Arm, arm
from bench.claims.rules import compared, is_smaller
from bench.store.results import Results, StoredResult

TRAINING = "femnets run training baselines --preset paper"
STRONG = "femnets run strong_nets baselines --preset paper"
PAPERS_NET = "femnets run strong_nets --preset full"  # where the paper's net has BFGS
GIVEN = {"problem": MAIN, "features": "x,f,phi"}


def by_data(a: Results, b: Results) -> list[tuple[StoredResult, StoredResult]]:
    """Runs of two methods on the same samples: of one seed, and as many."""
    partners = {_samples(record): record for record in b}
    return [(record, partners[_samples(record)]) for record in a if _samples(record) in partners]


def _samples(record: StoredResult) -> tuple[int, int]:
    return record.config["data_seed"], record.config["samples"]


def _beats_baseline(results: Results, method: str, nets: Results, command: str) -> Finding:
    found = by_data(nets, results.select("baseline", method=method, **GIVEN))
    if not found:
        return NotTested(command)
    return compared(found, lambda record: record.values.get("l2_error"), "l2_error")


def _paper_net(results: Results) -> Finding:
    nets = results.select("net", **arm(net="fractional", tau="learned", hidden=2))
    return _beats_baseline(results, "linear", nets, TRAINING)


def _tuned_net(results: Results) -> Finding:
    nets = results.select("tuned_net", **GIVEN)
    return _beats_baseline(results, "quadratic", nets, STRONG)


def _strong(tau: str) -> Arm:
    net = {"optimizer": "ssbfgs", "hidden": 2, "width": 50, "net": "resnet"}
    return {**GIVEN, **net, "tau": tau}


def _inputs(problem: str) -> tuple[Arm, Arm]:
    """A net that is shown f and φ, and one that is not."""
    return {"problem": problem, "features": "x,f,phi"}, {"problem": problem, "features": "x"}


CLAIMS = [
    Claim(
        name="paper-net-beats-linear-least-squares",
        sentence="The 2-50 Fractional-DNN with learned τ, trained as in the paper, beats linear "
        "least squares from the same samples and inputs.",
        declared="2026-11-16 e62bedd2",
        family="strong_nets",
        criterion="l2_error of the net < that of linear least squares, same samples",
        examine=_paper_net,
    ),
    Claim(
        name="tuned-net-beats-quadratic-least-squares",
        sentence="A net with its settings chosen by validation beats quadratic least squares from "
        "the same samples and inputs.",
        declared="2026-11-16 9165f75d",
        family="strong_nets",
        criterion="l2_error of the tuned net < that of quadratic least squares, paired data seeds",
        examine=_tuned_net,
    ),
    Claim(
        name="tau-trains-better-under-bfgs",
        sentence="A learned τ also lowers the training error of the 2-50 ResNet under self-scaled "
        "BFGS.",
        declared="2026-11-16 2013bb25",
        criterion="train_mse with τ learned < τ fixed, paired seeds, same number of evaluations",
        **is_smaller("train_mse", _strong("learned"), _strong("fixed"), PAPERS_NET),
    ),
    *(
        Claim(
            name=f"inputs-help-tuned-net-{problem}",
            sentence=f"On {problem} a net that is shown f and φ beats one that is shown x only.",
            declared="2026-11-16 617bd5a2",
            criterion="l2_error with inputs x, f, φ < with x alone, both tuned, paired seeds",
            **is_smaller("l2_error", *_inputs(problem), STRONG, kind="tuned_net"),
            problems=(problem,),
        )
        for problem in SMOOTH
    ),
]
