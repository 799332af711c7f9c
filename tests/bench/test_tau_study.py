"""The τ study: arms that differ in one thing, tuned alike, judged elsewhere, and its verdicts."""

import math
from dataclasses import replace

import numpy as np
import pytest
import torch
from test_claims import MadeUp

from base.errors import UserError
from bench.cells import Cell, load_kind
from bench.cells.tau_arm import Config
from bench.claims import all_claims, ledger
from bench.claims.themes.tau import CLAIMS, tuned
from bench.methods import tau_arms as arms
from bench.methods.configurations import NetOnData
from bench.methods.gradient_atlas import net_of
from bench.store.results import Results
from bench.studies import learned_tau, plan

START = NetOnData(net="resnet", hidden=3, width=4, samples=30, tau0="1/H", seed=3, data_seed=3)
SMALL = {
    "hidden": 3, "width": 4, "samples": 30, "evaluations": 8, "rates": [1e-2, 1e-1],
    "tau0s": ["1/H", "1"], "seeds": [1000, 1001], "data_seeds": [1000, 1001],
}  # fmt: skip


def run(**settings):
    return load_kind("tau_arm").run(Cell("tau_arm", {**SMALL, **settings}).settings).values


def test_every_preset_searches_every_arm_of_a_setting_alike():
    for preset in ("quick", "paper", "full"):
        for settings in learned_tau.tuned(learned_tau.PRESETS[preset]):
            grid = Cell("tau_arm", settings).settings.grid
            chosen = learned_tau.PRESETS[preset]
            adam, rezero = settings["optimizer"] == "adam", settings["arm"] == "rezero"
            assert grid["scale"] == ((chosen.scale,) if adam and not rezero else chosen.scales)
            assert grid["rate"] == (chosen.rates if adam else (None,))
            assert grid["tau0"] == (("1",) if rezero else chosen.tau0s)


def test_the_search_tries_all_settings_and_is_not_misled_by_few_seeds():
    grid = {"rate": tuple(range(9)), "tau0": tuple(range(9)), "scale": (0, 1, 2)}
    lucky = arms.Point(tau0=1, scale=1, rate=7)
    asked = []

    def error(point, seed):
        asked.append((point, seed))
        if point == lucky and seed < 3:
            return 0.5
        return 1 + 10 * abs(point.rate + point.tau0 - 8) + (8 - point.tau0) + abs(point.scale - 1)

    found = arms.search(grid, error, range(12))
    assert len(found.explored) == 9 * 9 * 3
    assert lucky in found.finalists
    assert found.chosen == arms.Point(tau0=8, scale=1, rate=0)
    assert len(set(asked)) == len(asked) == 243 + 2 * 24 + 9 * 8
    assert arms.at_the_edge(found.chosen._asdict(), grid) == ["rate", "tau0"]
    assert arms.at_the_edge(found.chosen._asdict(), {"rate": (0,)}) == [], "one is not tuned"


def test_a_lost_training_makes_the_mean_infinite():
    grid = {"rate": (1, 2), "tau0": ("a",), "scale": (1.0,)}
    errors = {(1, 0): 1e-9, (1, 1): math.inf, (2, 0): 4.0, (2, 1): 9.0}
    found = arms.search(grid, lambda point, seed: errors[point.rate, seed], (0, 1))
    assert found.chosen.rate == 2
    assert list(found.finalists.values()) == [pytest.approx(6.0), math.inf]


def test_of_equal_points_the_search_takes_the_one_in_the_middle():
    grid = {"rate": (1, 2, 3, 4, 5), "tau0": ("a", "b", "c"), "scale": (1.0,)}
    found = arms.search(grid, lambda point, seed: 1.0, (0, 1))
    assert found.chosen == arms.Point(tau0="b", scale=1.0, rate=3)


def test_tuning_and_judging_never_meet():
    for preset in ("quick", "paper", "full"):
        (study,) = plan(["learned_tau"], preset, {})
        for cell in study.cells:
            if cell.kind == "tau_arm":
                assert max(cell.config["tuning_seeds"]) < 1000 <= min(cell.config["seeds"])
                assert min(cell.config["data_seeds"]) >= 1000
    assert len(learned_tau.PRESETS["paper"].seeds) >= 20
    with pytest.raises(UserError, match="tuning_seeds overlap"):
        Config(hidden=3, tuning_seeds=(1000,), seeds=(1000,))
    with pytest.raises(UserError, match="scales: give 1 to 16 candidates, got 17"):
        Config(hidden=3, scales=tuple(range(1, 18)))
    with pytest.raises(UserError, match="tau0s: give 1 to 16 candidates, got 0"):
        Config(hidden=3, tau0s=())
    with pytest.raises(UserError, match="arm 'rezero' is not defined for net 'fractional'"):
        Config(hidden=3, net="fractional", arm="rezero")
    with pytest.raises(UserError, match="unknown arm 'learnt'; did you mean 'learned'"):
        Config(hidden=3, arm="learnt")


def test_the_sweep_covers_a_factor_of_thirty():
    for preset in ("quick", "paper", "full"):
        rates = learned_tau.PRESETS[preset].sweep_rates
        assert max(rates) / min(rates) == pytest.approx(30)


def test_points_within_a_tenth_of_the_best_count_as_equal():
    grid = {"rate": (1, 2, 3, 4, 5), "tau0": ("a",), "scale": (1.0,)}
    errors = {1: 1.0, 2: 1.2, 3: 1.11, 4: 1.09, 5: 1.0}
    found = arms.search(grid, lambda point, seed: errors[point.rate], (0, 1))
    assert found.chosen.rate == 4, "3 is nearer to the middle and too far from the best"


def test_the_point_with_the_smallest_mean_error_is_chosen_and_judged():
    values = run(arm="learned", tuning_seeds=[0, 1])
    errors = [tried["train_mse"] for tried in values["finalists"]]
    assert len(errors) <= 4
    best = values["finalists"][int(np.argmin(errors))]
    assert values["chosen"] == {name: best[name] for name in ("rate", "tau0", "scale")}
    assert [(r["seed"], r["data_seed"]) for r in values["runs"]] == [
        (1000, 1000), (1000, 1001), (1001, 1000), (1001, 1001),
    ]  # fmt: skip
    start = NetOnData(net="resnet", hidden=3, width=4, samples=30, seed=1001, data_seed=1000,
                      tau0=best["tau0"], scale=best["scale"])  # fmt: skip
    again = arms.trained("learned", start, "adam", best["rate"], 8)
    assert values["runs"][2] == {"seed": 1001, "data_seed": 1000, **again.document()}


def test_a_diverged_training_counts_as_infinite_and_is_not_chosen():
    values = run(arm="fixed", rates=[1e-2, 1e6], tau0s=["1"])
    assert values["chosen"]["rate"] == 1e-2
    lost = run(arm="fixed", rates=[1e6], tau0s=["1"], scales=[1e200], evaluations=3)
    assert lost["train_mse"] is None
    assert lost["lost"] == 4


def test_frozen_arms_keep_what_they_say_of_a_learned_tau():
    learned = net_of(replace(START, tau="learned"))
    with torch.no_grad():
        learned.set_tau(torch.tensor([0.1, 0.7, 0.4], dtype=torch.float64))
    averaged, permuted = (arms._frozen(learned, arm, START) for arm in ("averaged", "permuted"))
    assert averaged.tau.tolist() == pytest.approx([0.4] * 3)
    assert sorted(permuted.tau.tolist()) == pytest.approx([0.1, 0.4, 0.7])
    for net in (averaged, permuted):
        assert not net.learns_tau
        torch.testing.assert_close(net.W[1], net_of(START).W[1]), "the same weights start again"


def test_arms_share_their_start_but_for_tau():
    """Before any step the rescaled arm is the same function as the fixed one."""
    from nets.theory.rescaling import rescaled

    fixed = net_of(replace(START, tau="fixed", eta=1e-300))
    x = torch.randn(5, 7, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    torch.testing.assert_close(rescaled(fixed)(x), fixed(x), rtol=1e-12, atol=1e-14)
    ends = {arm: arms.trained(arm, START, "adam", 1e-2, 5) for arm in arms.ARMS}
    assert len({end.train_mse for end in ends.values()}) == len(ends), "every arm goes its own way"
    assert ends["fixed"].tau_spread == ends["global"].tau_spread == 0
    assert ends["learned"].tau_spread > 0
    assert ends["rescaled"].tau_mean == 1


def made_up(
    arm, ratio, hidden=20, rates=(1e-2, 3e-2, 9e-2), by="adam", first=1000, label="healthy"
):
    """A cell of twelve seeds on two data sets whose errors are `ratio` times those of the fixed."""
    noise = np.random.default_rng(len(arm)).normal(0, 0.05, 40)
    judged = [
        {
            "seed": seed, "data_seed": data, "label_start": "healthy", "label_end": label,
            "train_mse": 1e-5 * (1 + seed % 10) * ratio * float(np.exp(noise[2 * seed % 40])),
        }
        for seed in range(first, first + 12)
        for data in (1000, 1001)
    ]  # fmt: skip
    config = {
        "arm": arm, "net": "resnet", "hidden": hidden, "optimizer": by, "rates": list(rates),
        "samples": 200, "evaluations": 300, "seeds": list(range(first, first + 12)),
        "data_seeds": [1000, 1001], "tau0s": ["1/H"], "scales": [1.0],
    }  # fmt: skip
    chosen = {"rate": rates[len(rates) // 2], "tau0": "1/H", "scale": 1.0}
    return MadeUp(config, {"runs": judged, "chosen": chosen}, kind="tau_arm")


def entries(*records):
    return {e.claim.name: e for e in ledger(Results(list(records)), all_claims())}


def test_tuned_arms_are_judged_pairwise_and_confirmed():
    found = entries(made_up("fixed", 1.0), made_up("learned", 0.5), made_up("rescaled", 0.2))
    helps = found["learned-tau-trains-better"]
    assert (helps.verdict, helps.standing) == ("holds", "confirmed")
    assert (helps.seeds, helps.domain) == (12, "training samples")
    assert "smaller in 12 of 12 seeds" in helps.evidence
    assert [row.name for row in helps.rows] == ["ResNet, H = 20, Adam"]
    assert found["learned-tau-tests-better"].domain == "test samples"
    assert found["simpler-treatments-train-better"].verdict == "holds"
    assert found["order-of-learned-tau-matters"].verdict == "not testable"
    pilot = entries(made_up("fixed", 1.0, first=0), made_up("learned", 0.5, first=0))
    assert pilot["learned-tau-trains-better"].standing == "exploratory"


def test_an_arm_at_the_end_of_its_grid_is_refused():
    edge = made_up("learned", 0.5)
    edge.values["chosen"]["rate"] = 9e-2
    entry = entries(made_up("fixed", 1.0), edge)["learned-tau-trains-better"]
    assert (entry.verdict, entry.rule) == ("refused", "interior")
    assert entry.evidence.startswith("τ learned was tuned to the end of its grid (rate = 0.09)")


def test_a_sign_that_flips_over_the_rates_depends_on_the_rate():
    name = "learned-tau-helps-at-every-rate"

    def over(*ratios):
        return [
            made_up(arm, ratio if arm == "learned" else 1.0, rates=(rate,))
            for rate, ratio in zip((2e-3, 1e-2, 6e-2), ratios, strict=True)
            for arm in ("fixed", "learned")
        ]

    flips = entries(*over(0.2, 0.9, 1.5))[name]
    assert flips.verdict == "depends"
    assert "the sign changes with the rate" in flips.evidence
    assert [row.verdict for row in flips.rows] == ["holds", "holds", "fails"]
    assert flips.rows[0].effect == pytest.approx(0.2, rel=0.1)
    assert entries(*over(0.2, 0.5, 0.7))[name].verdict == "holds"
    assert entries(*over(1.5, 1.5, 1.7))[name].verdict == "fails"
    mixed = entries(*over(0.2, 1.0, 0.7))[name]
    assert mixed.verdict == "holds", "no sign changes"
    assert [row.verdict for row in mixed.rows] == ["holds", "no difference", "holds"]


def test_the_largest_experiment_speaks():
    small = made_up("fixed", 1.0)
    small.config["samples"] = 10
    assert [r.config["samples"] for r in tuned(Results([small, made_up("fixed", 1.0)]))] == [200]
    assert all(claim.part == "control" for claim in CLAIMS)
