"""The section on learned τ: one line per rate, a forest of arms, and what it says about them."""

import re
from types import SimpleNamespace

import matplotlib as mpl
import numpy as np
import pytest

mpl.use("Agg")

from bench.store.results import Results
from reports.context import Run
from reports.document import Missing, Picture, Table
from reports.figures.tau import Effect, arms_beside_fixed, ratio_against_rate
from reports.sections import learned_tau, make

CHOSEN = {"chosen": {"rate": 1e-2, "tau0": "1/H", "scale": 1.0}, "at_the_edge": ["rate"]}


def cell(arm, ratio, rates=(1e-2, 3e-2)):
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
    return SimpleNamespace(kind="tau_arm", config=config, values=values, key=f"{arm}{rates}")


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


def test_the_section_says_where_the_sign_flips(run):
    section = make(learned_tau, run)
    pictures = {b.name: b for b in section.blocks if isinstance(b, Picture)}
    assert pictures.keys() == {"tau-against-rate", "tau-arms"}
    assert "better at 2, worse at 1 and undecided at 0 of 3 rates" in (
        pictures["tau-against-rate"].caption
    )
    (table,) = [b for b in section.blocks if isinstance(b, Table)]
    by_arm = {row[1]: row for row in table.rows}
    assert by_arm["weights rescaled, no τ"][6] == pytest.approx(1.2, rel=0.1)
    assert by_arm["τ fixed"][6] is None
    assert by_arm["τ fixed"][3] == "rate"


def test_the_article_has_one_forest_over_settings_and_rates(run):
    lead, picture = learned_tau.article(run)
    assert picture.name == "tau-forest"
    said = re.match(
        r"Tuned against tuned it trains better in 1, worse in 0, undecided in 0 of 1 setting "
        r"\(error (.*) times that of a fixed τ\); at equal rate it trains better in 2, worse in 1, "
        r"undecided in 0 of 3 rates \(errors (.*) to (.*?)\)\.",
        lead.text,
    )
    assert [float(ratio) for ratio in said.groups()] == pytest.approx([0.7, 0.2, 1.6], rel=0.1)
    assert picture.caption.startswith(said[0])
    axes = picture.draw().axes[0]
    names = [label.get_text() for label in axes.get_yticklabels()]
    assert names[0] == "ResNet, H = 20"
    assert names[1:] == [f"ResNet, H = 20, Adam at {rate}" for rate in ("0.002", "0.01", "0.06")]
    begin = "**A step τ learned per layer:** tuned against tuned"
    assert learned_tau.headline(run).startswith(begin)


def test_the_ratio_is_drawn_against_the_rate(run):
    draw = next(b.draw for b in make(learned_tau, run).blocks if isinstance(b, Picture))
    axes = draw().axes[0]
    curve = next(line for line in axes.lines if len(line.get_xdata()) == 3)
    assert list(curve.get_xdata()) == [2e-3, 1e-2, 6e-2]
    assert np.allclose(curve.get_ydata(), [0.2, 0.8, 1.6], rtol=0.1)
    low, high = axes.get_ylim()
    assert low * high == pytest.approx(1), "symmetric about one"


def test_undecided_marks_are_hollow():
    effects = [
        Effect("ResNet", "net/resnet", place, 0.9, 0.5, 1.5, decided)
        for place, decided in ((1e-3, True), (1e-2, False))
    ]
    styles = {line.get_fillstyle() for line in ratio_against_rate(effects).axes[0].lines[2:]}
    assert styles == {"full", "none"}
    forest = [Effect("one", "net/resnet", "τ learned", 0.9, 0.5, np.inf, False)]
    assert len(arms_beside_fixed(forest).axes[0].get_yticks()) == 1


def test_what_is_missing_is_named(run):
    run.__dict__["results"] = Results([r for r in run.results if len(r.config["rates"]) == 2])
    blocks = make(learned_tau, run).blocks
    (gap,) = [b for b in blocks if isinstance(b, Missing)]
    assert gap.command == "femnets run learned_tau --preset paper --run r"
