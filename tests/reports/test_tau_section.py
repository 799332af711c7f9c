"""The section on learned τ: one line per rate, a forest of arms, and what it says about them."""

from types import SimpleNamespace

import numpy as np
import pytest

from bench.claims import ledger
from bench.claims.themes.tau import CLAIMS, arms_over_fixed, learned_over_fixed
from bench.store.results import Results
from reports.context import Run
from reports.document import Picture, Table
from reports.sections import learned_tau, make

CHOSEN = {"chosen": {"rate": 1e-2, "tau0": "1/H", "scale": 1.0}, "at_the_edge": ["rate"]}


def cell(arm, ratio, rates=(5e-3, 1e-2, 3e-2)):
    """Twelve seeds on two data sets whose errors are about `ratio` times those of the fixed arm."""
    noise = np.random.default_rng(len(arm)).normal(0, 0.05, 24)
    errors = 1e-5 * ratio * np.exp(noise)
    seeds = [(seed, data) for seed in range(1000, 1012) for data in (1000, 1001)]
    judged = [
        {
            "seed": seed, "data_seed": data, "train_mse": float(error), "rel_test_error": 0.01,
            "label_start": "healthy", "label_end": "healthy",
        }
        for (seed, data), error in zip(seeds, errors, strict=True)
    ]  # fmt: skip
    config = {
        "arm": arm, "net": "resnet", "hidden": 20, "optimizer": "adam", "rates": list(rates),
        "samples": 200, "evaluations": 300, "seeds": list(range(1000, 1012)), "tuning_seeds": [0],
        "data_seeds": [1000, 1001], "tau0s": ["1/H"], "scales": [1.0],
    }  # fmt: skip
    values = {"runs": judged, **CHOSEN}
    key = f"{arm}{rates}"
    return SimpleNamespace(kind="tau_arm", config=config, values=values, key=key, provenance={})


@pytest.fixture
def run():
    sweep = [
        cell(arm, ratio if arm == "learned" else 1.0, rates=(rate,))
        for rate, ratio in ((2e-3, 0.2), (1e-2, 0.8), (6e-2, 1.6))
        for arm in ("fixed", "learned")
    ]
    arms = [cell("fixed", 1.0), cell("learned", 0.7), cell("rescaled", 1.2)]
    made = Run("r", {"learned_tau": {"preset": "paper"}}, ())
    made.__dict__["results"] = Results([*sweep, *arms])
    return made


def test_the_section_shows_every_arm(run):
    section = make(learned_tau, run)
    pictures = [b.name for b in section.blocks if isinstance(b, Picture)]
    assert pictures == ["tau-forest", "tau-arms"]
    effects = arms_over_fixed(run.results, ["learned", "rescaled"])
    ratios = {arm: effect.effect for (_, arm), effect in effects.items()}
    assert ratios == pytest.approx({"learned": 0.7, "rescaled": 1.2}, rel=0.1)
    (table,) = [b for b in section.blocks if isinstance(b, Table)]
    by_arm = {row[1]: row for row in table.rows}
    assert by_arm.keys() == {"τ fixed", "τ learned per layer", "weights rescaled, no τ"}
    assert by_arm["τ fixed"][2:4] == ("0.01, 1/H, 1", "rate")
    assert by_arm["τ fixed"][6:] == ("healthy to healthy", 0)


def test_one_forest_over_settings_and_rates(run):
    (picture, *_) = [b for b in learned_tau.contents(run) if isinstance(b, Picture)]
    axes = picture.draw().axes[0]
    names = [label.get_text() for label in axes.get_yticklabels()]
    assert names[0] == "ResNet, H = 20"
    assert names[1:] == [f"ResNet, H = 20, rate {rate}" for rate in ("0.002", "0.01", "0.06")]


def test_effects_are_the_rows_of_the_ledger(run):
    together = learned_over_fixed(run.results)
    assert [setting.rate for setting in together] == [None, 2e-3, 1e-2, 6e-2]
    entries = {entry.claim.name: entry for entry in ledger(run.results, CLAIMS)}
    names = ("learned-tau-trains-better", "learned-tau-helps-at-every-rate")
    rows = [row for name in names for row in entries[name].rows]
    assert [row.verdict for row in rows] == ["holds", "holds", "holds", "fails"]
    assert [(e.verdict, e.effect, e.interval) for e in together.values()] == [
        (row.verdict, row.effect, row.interval) for row in rows
    ]
