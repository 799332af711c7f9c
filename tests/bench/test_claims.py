"""The verdict engine on made-up results: true, false, undecidable and missing claims."""

import datetime
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import pytest

from bench.claims import (
    PARTS,
    VERDICTS,
    Claim,
    agreement,
    all_claims,
    comparison,
    digest,
    family_sizes,
    ledger,
)
from bench.claims.arms import NAMES, PAPER, combinations
from bench.claims.facts import all_facts
from bench.claims.findings import Missing, Refusal
from bench.claims.rules import count, paired, smaller, tabled, unit_of
from bench.claims.statistics import DECIDING_SEEDS, largest_family
from bench.claims.themes.reproduction import closest
from bench.claims.verdicts import entry_of
from bench.store.parquet import read_results
from bench.store.results import Results, judged_by

FIXED, LEARNED = {"tau": "fixed"}, {"tau": "learned"}


@dataclass
class MadeUp:
    config: dict
    values: dict
    kind: str = "net"
    arrays: dict = field(default_factory=dict)
    provenance: dict = field(default_factory=dict)

    @property
    def key(self):
        return repr(sorted(self.config.items()))


def runs(ratio_of_learned, seeds=12, spread=0.05, first=0):
    """Paired runs whose learned arm has `ratio_of_learned(seed)` times the error of the fixed."""
    noise = np.random.default_rng(0).normal(0, spread, seeds)
    for seed in range(seeds):
        error = 1e-3 * (1 + seed)
        yield MadeUp({**FIXED, "seed": first + seed}, {"train_mse": error})
        learned = error * ratio_of_learned(seed) * float(np.exp(noise[seed]))
        yield MadeUp({**LEARNED, "seed": first + seed}, {"train_mse": learned})


def claim(name="learned-is-better"):
    criterion = "smaller in paired seeds"
    return Claim(
        name=name, sentence="Learning τ lowers the training error.", criterion=criterion,
        declared=f"2026-11-17 {digest(criterion)}", family="training", needs="x",
        examine=smaller("train_mse", {"learned over fixed": (LEARNED, FIXED)}),
    )  # fmt: skip


def verdict(records, claims=None):
    return ledger(Results(list(records)), claims or [claim()])[0]


def test_true_false_and_undecidable_claims():
    true, false = (verdict(runs(lambda seed, by=by: by)) for by in (0.5, 2.0))
    assert (true.verdict, false.verdict) == ("holds", "fails")
    assert "12 of 12" in true.evidence
    assert len(true.cells) == 24
    assert 1.8 < false.interval[0] < false.effect < false.interval[1] < 2.2
    mixed = verdict(runs(lambda seed: 0.5 if seed % 3 else 2.5))
    assert mixed.verdict == "undecided"
    assert "8 of 12 seeds" in mixed.evidence
    assert "12 seeds of this spread find a factor of" in mixed.evidence


def test_equal_arms_have_no_difference_by_the_margin_that_was_declared():
    same = list(runs(lambda seed: 1.02))
    entry = verdict(same)
    assert entry.verdict == "no difference"
    assert 1 / entry.claim.margin < entry.interval[0] < entry.interval[1] < entry.claim.margin
    strict = verdict(same, [replace(claim(), margin=1.001)])
    assert strict.verdict == "undecided"


def test_runs_with_other_seeds_are_read_together():
    """Whatever two runs decide against each other is decided by neither."""
    true, false = (verdict(runs(lambda seed, by=by: by)) for by in (0.5, 2.0))
    mixed = verdict(runs(lambda seed: 0.5 if seed % 3 else 2.5))
    missing = verdict([])
    assert agreement([true, true]) == "holds"
    assert agreement([true, false]) == "undecided: the runs contradict each other"
    assert agreement([mixed, mixed]) == "undecided"
    assert agreement([true, mixed]) == "not the same: holds, undecided"
    assert agreement([missing, false]) == "fails (tested in one run only)"
    assert agreement([missing, missing]) == "not testable"


def test_arms_of_another_budget_are_no_partners():
    """Ten times the evaluations must not be compared with the single budget of the other arm."""
    fair, long = ({"evaluations": float(budget)} for budget in (100, 1000))
    records = [
        MadeUp({**which, **budget, "seed": seed}, {"train_mse": error})
        for seed in range(12)
        for which, budget, error in ((FIXED, fair, 1.0), (LEARNED, fair, 2.0), (LEARNED, long, 0.1))
    ]
    entry = verdict(records)
    assert entry.verdict == "fails"
    assert "0 of 12 seeds" in entry.evidence


def test_missing_data_cannot_pass():
    one_arm = Results(list(runs(lambda seed: 0.5))).select("net", **FIXED)
    assert verdict(one_arm).verdict == "not testable"
    assert verdict([]).evidence == "femnets run x"


def test_diverged_runs_count_as_worst():
    records = list(runs(lambda seed: 0.5))
    for record in Results(records).select("net", **LEARNED):
        record.values["train_mse"] = None
    entry = verdict(records)
    assert entry.verdict == "fails"
    assert "12 diverged" in entry.evidence


def test_many_claims_raise_the_bar():
    """An effect that one test finds must not survive a ledger of two hundred."""
    weak = list(runs(lambda seed: 0.9, seeds=14, spread=0.15))
    alone = ledger(Results(weak), [claim()])[0]
    crowd = ledger(Results(weak), [claim(f"claim-{i}") for i in range(200)])[0]
    assert alone.p_adjusted < 0.05 <= crowd.p_adjusted
    assert (alone.verdict, crowd.verdict) == ("holds", "undecided")


def test_declared_comparisons_count_before_they_have_data():
    """The family is what was declared, not what happened to be run."""
    records = list(runs(lambda seed: 0.5))
    unknown = smaller("x", {"no data": ({"tau": "?"}, {"tau": "!"})})
    silent = [replace(claim(f"claim-{i}"), examine=unknown) for i in range(101)]
    at_the_limit = ledger(Results(records), [claim(), *silent])[0]
    assert at_the_limit.verdict == "holds"
    assert at_the_limit.p_adjusted == pytest.approx(102 * 2 / 2**12)
    beyond = ledger(Results(records), [claim(), *silent, claim("one-more")])
    assert beyond[0].verdict == "undecided"
    assert "by Holm over 102 comparisons" in at_the_limit.evidence


def test_confirmed_needs_seeds_from_1000_and_a_declared_rule():
    pilot, fresh = (list(runs(lambda seed: 0.5, first=first)) for first in (0, 1000))
    assert verdict(pilot).standing == "exploratory"
    assert verdict(fresh).standing == "confirmed"
    both = verdict([*pilot, *fresh])
    assert both.standing == "confirmed"
    assert len(both.cells) == 24, "where confirmatory seeds have a say, they alone have it"
    undeclared = replace(claim(), declared="")
    assert verdict(fresh, [undeclared]).standing == "exploratory"


def test_a_claim_declared_after_its_results_is_exploratory():
    fresh = list(runs(lambda seed: 0.5, first=1000))
    for day, standing in (("2026-11-16", "exploratory"), ("2026-11-17", "confirmed")):
        for record in fresh:
            record.provenance = {"start": f"{day}T23:59:59+00:00"}
        assert verdict(fresh).standing == standing


def test_a_list_of_seeds_stands_in_place_of_one():
    assert judged_by(MadeUp({"seed": 3, "data_seed": 4}, {})) == [3, 4]
    several = {"seed": 0, "seeds": [1000, 1001], "data_seed": 1000}
    assert judged_by(MadeUp(several, {})) == [1000, 1001, 1000]
    assert judged_by(MadeUp({"n": 4}, {})) == []


def test_seeds_crossed_with_data_are_paired_by_seed():
    """Twelve seeds on two data sets are twelve pairs."""
    seeds = [(seed, data) for seed in range(12) for data in (0, 1)]
    agree = paired([(seed, 0.5, 1.0 + seed / 10) for seed, _ in seeds], (), "x")
    assert agree.comparison.pairs == 12
    assert agree.comparison.p_value == 2 / 2**12
    lost = paired([(0, None, 1.0), (0, 1.0, None)], (), "x")
    assert lost.by_seed == {0: 0.0}, "opposite infinite values cancel"


def test_settings_of_a_table_are_one_comparison_in_which_a_seed_counts_once():
    def part(ratio, refused=None):
        return paired([(seed, ratio, 1.0) for seed in range(12)], ("k",), "", "cube", refused)

    found = tabled({"a": part(0.25), "b": part(1.0)}, "error", "net")
    assert found.comparison.pairs == 12
    assert found.comparison.ratio == pytest.approx(0.5)
    assert (list(found.table), found.domain) == (["a", "b"], "cube")
    edge = Refusal("interior", "at the edge")
    some = tabled({"a": part(0.25, edge), "b": part(0.5)}, "error", "net")
    assert (some.refused, some.comparison.ratio) == (None, pytest.approx(0.5))
    every = tabled({"a": part(0.25, edge)}, "error", "net")
    assert every.refused is edge
    for unshared in ({}, {"a": part(0.5), "b": replace(part(0.5), by_seed={99: 0.0})}):
        with pytest.raises(Missing):
            tabled(unshared, "error", "net")


def test_a_pooled_verdict_that_hangs_on_one_setting_depends_on_it():
    noise = np.random.default_rng(3).permutation(np.linspace(-0.2, 0.2, 12))

    def part(ratio):
        logs = zip(range(12), noise, strict=True)
        return paired([(seed, ratio * np.exp(z), 1.0) for seed, z in logs], ("k",), "", "cube")

    def decided(**ratios):
        claim = Claim(name="n", sentence="s", criterion="c", examine=lambda _: None)
        found = tabled({name: part(ratio) for name, ratio in ratios.items()}, "error", "net")
        return entry_of(claim, found, "confirmed", found.comparison.p_value, 1)

    hangs = decided(a=0.2, b=1.0, c=1.02, d=0.99)
    assert hangs.verdict == "depends"
    assert "not decided without a" in hangs.evidence
    assert decided(a=0.2, b=0.6, c=0.7, d=0.65).verdict == "holds"
    assert decided(a=0.2, b=1.0).verdict == "holds", "two settings are not enough to ask"
    assert decided(a=0.99, b=1.0, c=1.02, d=0.99).verdict in ("undecided", "no difference")


def test_runs_are_called_seeds_only_where_they_are():
    starts = [
        MadeUp({"seed": s, "tau0": t}, {}) for s in range(10) for t in ("1", "1/H", "uniform")
    ]
    assert unit_of(Results(starts)) == "runs (10 seeds × 3 starts)"
    assert unit_of(Results(starts[::3])) == "seeds"
    assert unit_of(Results(starts[:-1])) == "runs of 10 seeds"


@pytest.mark.parametrize(("true", "status"), [(12, "holds"), (0, "fails"), (5, "undecided")])
def test_counting_over_seeds(true, status):
    def examine(results):
        fixed = results.select("net", **FIXED)
        return count(fixed, lambda r: r.config["seed"] < true, "{hits} of {runs}")

    entry = verdict(runs(lambda seed: 1.0), [replace(claim(), examine=examine)])
    assert (entry.verdict, entry.evidence) == (status, f"{true} of 12 seeds")


def test_declared_claims_are_whole_and_unique():
    claims = all_claims()
    assert len({c.name for c in claims}) == len(claims) <= 60
    assert sum(c.part == "control" for c in claims) <= 15
    for entry in ledger(Results([]), claims):
        assert entry.verdict == "not testable", f"{entry.claim.name} passed on no data"
        assert entry.evidence.startswith("femnets "), entry.claim.name
        assert entry.claim.sentence.endswith(".")
    assert {c.part for c in claims} == {*PARTS}
    assert all(size <= largest_family(DECIDING_SEEDS) for size in family_sizes(claims).values())


def test_the_paper_is_quoted_and_controls_are_ours():
    for c in all_claims():
        if c.part == "control":
            assert not c.words, f"{c.name} is no control: it quotes the paper"
        else:
            assert c.words, f"{c.name} must say what the paper says"
            own = c.where.startswith(("Section", "Conclusion"))
            assert own if c.part != "other" else "abstract" in c.where, c.name
        assert not c.fault or c.part == "formula", c.name


def test_a_rule_that_was_changed_has_to_be_declared_anew():
    today = datetime.date.today().isoformat()
    for c in all_claims():
        day, _, recorded = c.declared.partition(" ")
        assert recorded == digest(c.criterion), (
            f"the rule of {c.name} is not the one declared on {day}: if it has to change, write "
            f'declared="{today} {digest(c.criterion)}"'
        )
        assert datetime.date.fromisoformat(day), c.name
    assert not replace(claim(), criterion="another one").is_declared


def test_theory_is_judged_by_measured_slips():
    """A formula that fails as printed does not hold; the difference DtO − OtD does."""

    def slip(printed, corrected=1e-16):
        return {"item": "", "title": "", "printed": printed, "corrected": corrected}

    wrong = {"fractional_index": slip(0.5), "otd_one_step": slip(1.0), "otd_drift": slip(3.0)}
    wrong |= {"fractional_own_notation": slip(1e-16), "volterra_kernel": slip(0.2)}
    records = [MadeUp({"seed": seed}, wrong, kind="slips") for seed in range(1000, 1008)]
    entries = {entry.claim.name: entry for entry in ledger(Results(records))}
    index = entries["theorem-fractional-index"]
    assert index.verdict == "depends"
    assert index.evidence.startswith("depends on which a_{ℓ,k} is meant")
    assert [row.verdict for row in index.rows] == ["holds", "fails"]
    assert entries["volterra-kernel"].verdict == "fails"
    assert entries["volterra-kernel"].claim.fault == "substantive error"
    assert entries["dto-differs-from-otd"].verdict == "holds"
    assert entries["dto-differs-from-otd"].standing == "confirmed"
    assert entries["stability-constant"].verdict == "not testable"


def test_what_no_measurement_can_decide_is_said():
    values = {"mesh_errors": [0.5, 0.1, 0.101, 0.1], "l2_error": 0.1}
    entry = statuses([paper_run(0, values, net="resnet", tau="fixed")])["net-error-flat-in-h"]
    assert (entry.verdict, entry.standing) == ("not testable", "")
    assert "1.0%" in entry.evidence


def paper_run(seed, values, **config):
    """A run in the paper's mode: 2-50, steepest descent."""
    settings = {**PAPER, "hidden": 2, "seed": seed, "data_seed": seed, **config}
    return MadeUp(settings, values, arrays=values.pop("arrays", {}))


def statuses(records):
    return {entry.claim.name: entry for entry in ledger(Results(list(records)))}


def test_ledgers_of_two_runs_contradict_each_other():
    a, b = ([verdict(runs(lambda seed, by=by: by)).document()] for by in (0.5, 2.0))
    assert comparison.compare_verdicts(a, a).same == 1
    ((_, *verdicts),) = comparison.compare_verdicts(a, b).contradictions
    assert verdicts == ["holds (exploratory)", "fails (exploratory)"]


def test_twelve_agreeing_seeds_decide_in_the_whole_ledger():
    entries = statuses(full_paper())
    tested = [entry for entry in entries.values() if entry.p_adjusted is not None]
    assert len(tested) > 5
    assert all(entry.claim.family for entry in tested), "each counts in its declared family"
    helps = entries["tau-trains-better"]
    assert (helps.verdict, helps.standing) == ("holds", "confirmed")
    assert (helps.domain, helps.seeds) == ("training samples", 12)
    assert {row.name: row.verdict for row in helps.rows} == dict.fromkeys(
        ("ResNet", "ResNet + B.O.", "Fractional-DNN", "Fractional-DNN + B.O."), "holds"
    )


def full_paper():
    """Twelve seeds of all nets in which learned τ halves the training error and the cube error."""
    settings = combinations(
        net=NAMES, tau=("fixed", "learned"), hidden=(2, 6), bias_ordering=(False, True)
    )
    for seed in range(1000, 1012):
        for setting in settings:
            error = 1e-3 * (1 + seed % 1000 / 20) * (0.5 if setting["tau"] == "learned" else 1)
            values = {"train_mse": error, "l2_error": error, "tau": [0.9] * setting["hidden"]}
            values["arrays"] = {"history_mse": np.linspace(1, error, 1001)}
            yield paper_run(seed, values, **setting)


def test_always_below_looks_at_the_whole_curve():
    """A curve that ends below but crosses on its way does not count as always below."""
    falling = np.linspace(1.0, 0.1, 1001)
    crossing = np.where(np.arange(1001) < 500, 1.1 * falling, 0.5 * falling)

    def seeds(learned):
        for seed in range(12):
            for tau, curve in (("fixed", falling), ("learned", learned)):
                values = {"train_mse": curve[-1], "arrays": {"history_mse": curve}}
                yield paper_run(seed, values, net="resnet", tau=tau, hidden=6)

    name = "tau-always-below"
    assert statuses(seeds(0.9 * falling))[name].verdict == "holds"
    assert statuses(seeds(crossing))[name].verdict == "fails"
    assert statuses(seeds((0.9 * falling)[:700]))[name].verdict == "fails"
    assert statuses([])[name].verdict == "not testable"


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
    for values, status in ((good, "holds"), (overfitted, "fails")):
        entries = statuses(
            paper_run(seed, dict(values), net="resnet", tau="fixed") for seed in range(12)
        )
        entry = entries["generalises-to-unseen-data"]
        assert [entry.verdict, *(row.verdict for row in entry.rows)] == [status] * 3


def test_controls_pair_a_net_with_the_least_squares_of_the_same_samples():
    def records(net_error):
        for seed in range(12):
            values = {"l2_error": net_error * (1 + seed / 10)}
            yield paper_run(seed, values, net="fractional", tau="learned")
            config = {"method": "linear", "problem": "maxwell", "features": "x,f,phi"}
            config |= {"data_seed": seed, "samples": 12_000}
            yield MadeUp(config, {"l2_error": 1e-3}, kind="baseline")
            yield MadeUp({**config, "samples": 1000}, {"l2_error": 1.0}, kind="baseline")

    name = "paper-net-beats-linear-least-squares"
    assert statuses(records(1e-2))[name].verdict == "fails"
    assert statuses(records(1e-4))[name].verdict == "holds"


def test_the_table_of_families_in_the_document_is_computed():
    text = (Path(__file__).parents[2] / "docs/mathematics.md").read_text(encoding="utf-8")
    for pairs in (5, 6, 10, 12, 20):
        family = f"{largest_family(pairs):,}".replace(",", " ")
        row = next(line for line in text.splitlines() if line.strip().startswith(f"| {pairs} |"))
        assert row.strip().endswith(f"| {family} |")
        assert float(row.split("|")[2]) == pytest.approx(2 / 2**pairs, rel=0.01)


def test_a_result_that_lacks_a_value_spoils_its_claim_alone():
    """Somebody took a value out of a cell and sealed it again."""

    def reads(results):
        return {}["l2_error"]

    (entry,) = ledger(Results([]), [replace(claim(), examine=reads)])
    assert entry.verdict == "not testable"
    assert "'l2_error'" in entry.evidence


def test_every_verdict_on_the_kept_run_has_its_numbers_and_its_domain():
    """Version 0.2.0's results give a ledger without an exception; no verdict stands alone."""
    kept = Path(__file__).parents[2] / "docs/paper/results.parquet"
    results = Results([record for run, _, record in read_results(kept) if run == "paper"])
    for entry in ledger(results):
        document = entry.document()
        assert document["verdict"] in VERDICTS
        assert bool(entry.rule) == (entry.verdict == "refused")
        if entry.verdict != "not testable":
            assert None not in (entry.effect, entry.interval), entry.claim.name
            assert entry.interval[0] <= entry.effect <= entry.interval[1], entry.claim.name
            assert entry.domain, f"{entry.claim.name} does not say where it is measured"
        if entry.verdict in ("depends", "refused") and not entry.rows:
            assert entry.rule, f"{entry.claim.name} depends without a table"
    facts, notes = all_facts(results)
    assert not notes
    assert all(fact.domain for fact in facts.values())
