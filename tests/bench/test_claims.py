"""The verdict engine on made-up results: true, false, undecidable and missing claims."""

from dataclasses import dataclass, field

import numpy as np
import pytest

from bench import comparison
from bench.claims import Claim, agreement, all_claims, ledger
from bench.claims._rules import PAPER, count, smaller
from bench.claims.reproduction import closest
from bench.store.results import Results

FIXED, LEARNED = {"tau": "fixed"}, {"tau": "learned"}


@dataclass
class MadeUp:
    config: dict
    values: dict
    kind: str = "net"
    arrays: dict = field(default_factory=dict)

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
    assert flipped.verdict == "seed-dependent: holds in 20 of 40 seeds"


def test_runs_with_other_seeds_are_read_together():
    """Whatever two runs decide against each other is decided by neither."""
    true, false = (verdict(runs(lambda seed, by=by: by)) for by in (0.5, 2.0))
    mixed = verdict(runs(lambda seed: 0.5 if seed % 3 else 2.5))
    missing = verdict([])
    assert agreement([true, true]) == "holds"
    assert agreement([true, false]).startswith("seed-dependent")
    assert agreement([mixed, mixed]) == "holds in some seeds"
    assert agreement([true, mixed]) == "holds, but not in every run"
    assert agreement([missing, false]) == "does not hold (tested in one run only)"
    assert agreement([missing, missing]) == "not tested yet"


def test_too_few_seeds_cannot_decide():
    assert verdict(runs(lambda seed: 0.5, seeds=5)).status == "holds in some seeds"


def test_arms_of_another_budget_are_no_partners():
    """Ten times the evaluations must not be held against the single budget of the other arm."""
    fair, long = ({"evaluations": float(budget)} for budget in (100, 1000))
    records = [
        MadeUp({**which, **budget, "seed": seed}, {"train_mse": error})
        for seed in range(8)
        for which, budget, error in ((FIXED, fair, 1.0), (LEARNED, fair, 2.0), (LEARNED, long, 0.1))
    ]
    entry = verdict(records)
    assert entry.status == "does not hold"
    assert "0 of 8 seeds" in entry.evidence


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
            results.select("net", **FIXED), lambda r: r.config["seed"] < true, "{hits}/{runs}", "x"
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


def paper_run(seed, values, **config):
    """A run in the paper's mode: 2-50, steepest descent."""
    settings = {**PAPER, "hidden": 2, "seed": seed, "data_seed": seed, **config}
    return MadeUp(settings, values, arrays=values.pop("arrays", {}))


def statuses(records):
    return {entry.claim.name: entry for entry in ledger(Results(list(records)))}


def test_disjoint_seeds_that_contradict_each_other_depend_on_the_seed():
    """Ten seeds decide for the claim, ten others against it: together, not decided."""
    everything = list(runs(lambda seed: 0.5 if seed < 10 else 1.7, seeds=20))
    first = [record for record in everything if record.config["seed"] < 10]
    second = [record for record in everything if record.config["seed"] >= 10]
    assert [verdict(part).status for part in (first, second)] == ["holds", "does not hold"]
    assert verdict(everything).status == "holds in some seeds"
    # even when one side is so much stronger that all seeds together are significant
    lopsided = list(runs(lambda seed: 0.01 if seed < 20 else 1.02, seeds=30, spread=0.0))
    assert verdict(lopsided).p_adjusted < 0.05
    assert verdict(lopsided).status == "holds in some seeds"


def test_compare_lists_verdicts_that_differ_and_what_both_runs_say_together():
    def learned_is(factor, seeds):
        for seed in seeds:
            for tau, mse in (("fixed", 1e-3), ("learned", factor * 1e-3)):
                yield paper_run(seed, {"train_mse": mse * (1 + seed / 50)}, net="resnet", tau=tau)

    a, b = list(learned_is(0.5, range(10))), list(learned_is(2.0, range(10, 20)))
    found = {name: rest for name, *rest in comparison.verdicts(a, b)}
    assert found == {
        "tau-trains-better-resnet-2-50": ["holds", "does not hold", "holds in 10 of 20 seeds"]
    }


def test_ten_agreeing_seeds_decide_in_the_whole_ledger():
    entries = statuses(full_paper())
    assert sum(entry.p_adjusted is not None for entry in entries.values()) > 20
    assert entries["tau-trains-better-resnet-2-50"].status == "holds"


def full_paper():
    """Ten seeds of all nets in which learned τ halves the training error and the cube error."""
    for seed in range(10):
        for net in ("resnet", "fractional"):
            for tau in ("fixed", "learned"):
                for hidden in (2, 6):
                    for ordering in (False, True):
                        error = 1e-3 * (1 + seed / 20) * (0.5 if tau == "learned" else 1)
                        values = {"train_mse": error, "l2_error": error, "tau": [0.9] * hidden}
                        values["arrays"] = {"history_mse": np.linspace(1, error, 1001)}
                        yield paper_run(
                            seed, values, net=net, tau=tau, hidden=hidden, bias_ordering=ordering
                        )


def test_always_below_looks_at_the_whole_curve():
    """A curve that ends below but crosses on its way does not count as always below."""
    falling = np.linspace(1.0, 0.1, 1001)
    crossing = np.where(np.arange(1001) < 500, 1.1 * falling, 0.5 * falling)

    def seeds(learned):
        for seed in range(8):
            for tau, curve in (("fixed", falling), ("learned", learned)):
                values = {"train_mse": curve[-1], "arrays": {"history_mse": curve}}
                yield paper_run(seed, values, net="resnet", tau=tau, hidden=6)

    name = "tau-always-below-resnet-6-50"
    assert statuses(seeds(0.9 * falling))[name].status == "holds"
    assert statuses(seeds(crossing))[name].status == "does not hold"
    assert statuses(seeds((0.9 * falling)[:700]))[name].status == "does not hold"
    assert statuses([])[name].status == "not tested yet"


def test_the_closest_reproduction_is_found_with_its_distance():
    def run(seed, tau):
        return paper_run(seed, {"tau": tau}, net="resnet", tau="learned")

    entries = closest(Results([run(0, [0.5, 0.5]), run(1, [0.80, 0.9]), run(2, [None, 0.87])]))
    (entry,) = [e for e in entries if e.quantity == "τ, ResNet 2-50"]
    assert entry.ours == (0.80, 0.9)
    assert entry.distance == pytest.approx(0.04)
    assert (entry.low, entry.high, entry.runs) == ((0.5, 0.5), (0.8, 0.9), 2)


def test_generalisation_is_judged_inside_and_outside():
    good = {"rel_test_error": 0.01, "train_mse": 0.01**2 * 0.1475393 / 2}
    good |= {"l2_error_inside": 0.01, "l2_error_outside": 0.01}
    overfitted = {**good, "train_mse": good["train_mse"] / 4, "l2_error_outside": 0.1}
    points, domains = "generalises-to-unseen-points", "generalises-to-unseen-domains"
    for values, status in ((good, "holds"), (overfitted, "does not hold")):
        entries = statuses(
            paper_run(seed, dict(values), net="resnet", tau="fixed") for seed in range(8)
        )
        assert entries[points].status == entries[domains].status == status


def test_controls_pair_a_net_with_the_least_squares_of_the_same_samples():
    def records(net_error):
        for seed in range(10):
            values = {"l2_error": net_error * (1 + seed / 10)}
            yield paper_run(seed, values, net="fractional", tau="learned")
            config = {"method": "linear", "problem": "maxwell", "features": "x,f,phi"}
            yield MadeUp({**config, "data_seed": seed}, {"l2_error": 1e-3}, kind="baseline")

    name = "paper-net-beats-linear-least-squares"
    assert statuses(records(1e-2))[name].status == "does not hold"
    assert statuses(records(1e-4))[name].status == "holds"
