"""The verdict engine on made-up results: true, false, undecidable and missing claims."""

from dataclasses import dataclass

import numpy as np
import pytest

from bench.claims import Claim, all_claims, ledger
from bench.claims._rules import count, smaller
from bench.results import Results

FIXED, LEARNED = {"tau": "fixed"}, {"tau": "learned"}


@dataclass
class MadeUp:
    config: dict
    values: dict
    kind: str = "net"

    @property
    def key(self):
        return repr(sorted(self.config.items()))


def runs(ratio_of_learned, seeds=12, spread=0.05):
    """Paired runs whose learned arm has `ratio_of_learned(seed)` times the error of the fixed."""
    noise = np.random.default_rng(0).normal(0, spread, seeds)
    for seed in range(seeds):
        error = 1e-3 * (1 + seed)
        yield MadeUp({**FIXED, "seed": seed}, {"train_mse": error})
        learned = error * ratio_of_learned(seed) * float(np.exp(noise[seed]))
        yield MadeUp({**LEARNED, "seed": seed}, {"train_mse": learned})


def claim(name="learned-is-better"):
    return Claim(
        name=name,
        sentence="Learning τ lowers the training error.",
        where="here",
        rule="smaller in paired seeds",
        examine=lambda results: smaller(results, "train_mse", LEARNED, FIXED, "femnets run x"),
    )


def verdict(records, claims=None):
    return ledger(Results(list(records)), claims or [claim()])[0]


def test_a_true_claim_holds():
    entry = verdict(runs(lambda seed: 0.5))
    assert entry.status == "holds"
    assert "12 of 12" in entry.evidence
    assert len(entry.cells) == 24


def test_a_false_claim_does_not_hold():
    assert verdict(runs(lambda seed: 2.0)).status == "does not hold"


def test_an_undecidable_claim_depends_on_the_seed():
    entry = verdict(runs(lambda seed: 0.5 if seed % 3 else 2.5))
    assert entry.status == "holds in some seeds"
    assert entry.verdict == "holds in 8 of 12 seeds"


def test_halves_that_contradict_each_other_are_not_decided():
    """Even seeds gain a lot, odd seeds lose a little: significant on the whole, yet unstable."""
    flipped = verdict(runs(lambda seed: 0.1 if seed % 2 == 0 else 1.02, seeds=40, spread=0.0))
    assert flipped.p_adjusted < 0.05
    assert flipped.status == "holds in some seeds"


def test_too_few_seeds_cannot_decide():
    assert verdict(runs(lambda seed: 0.5, seeds=5)).status == "holds in some seeds"


def test_missing_data_cannot_pass():
    only_one_arm = [record for record in runs(lambda seed: 0.5) if record.config["tau"] == "fixed"]
    assert verdict(only_one_arm).status == "not tested yet"
    assert verdict([]).evidence == "femnets run x"


def test_diverged_runs_count_as_worst():
    records = list(runs(lambda seed: 0.5))
    for record in records:
        if record.config["tau"] == "learned":
            record.values["train_mse"] = None
    entry = verdict(records)
    assert entry.status == "does not hold"
    assert "12 diverged" in entry.evidence


def test_many_claims_raise_the_bar():
    """An effect that one test finds must not survive a ledger of two hundred."""
    weak = list(runs(lambda seed: 0.9, seeds=9, spread=0.08))
    alone = ledger(Results(weak), [claim()])[0]
    crowd = ledger(Results(weak), [claim(f"claim-{i}") for i in range(200)])[0]
    assert alone.p_adjusted < 0.05 <= crowd.p_adjusted
    assert (alone.status, crowd.status) == ("holds", "holds in some seeds")


@pytest.mark.parametrize(
    ("true", "status"), [(12, "holds"), (0, "does not hold"), (5, "holds in some seeds")]
)
def test_counting_over_seeds(true, status):
    counting = Claim(
        name="count",
        sentence="Something is true.",
        where="here",
        rule="in every seed",
        examine=lambda results: count(
            results, FIXED, lambda r: r.config["seed"] < true, lambda k, m: f"{k}/{m}", "femnets x"
        ),
    )
    assert verdict(runs(lambda seed: 1.0), [counting]).status == status


def test_declared_claims_are_whole_and_unique():
    claims = all_claims()
    assert len({c.name for c in claims}) == len(claims)
    for entry in ledger(Results([]), claims):
        assert entry.status == "not tested yet", f"{entry.claim.name} passed on no data"
        assert entry.evidence.startswith("femnets "), entry.claim.name
        assert entry.claim.sentence.endswith(".")


def test_theory_is_judged_by_measured_slips():
    """A formula that fails as printed does not hold; the difference DtO − OtD does."""

    def slip(printed, corrected=1e-16):
        return {"item": "", "title": "", "printed": printed, "corrected": corrected}

    wrong = {"fractional_index": slip(0.5), "otd_one_step": slip(1.0), "otd_drift": slip(3.0)}
    records = [MadeUp({"seed": seed}, wrong, kind="slips") for seed in range(8)]
    status = {entry.claim.name: entry.status for entry in ledger(Results(records))}
    assert status["theorem-fractional-index"] == "does not hold"
    assert status["dto-differs-from-otd"] == "holds"
    assert status["stability-bound"] == "not tested yet"
