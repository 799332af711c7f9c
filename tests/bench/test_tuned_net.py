"""The tuned net: candidates are judged inside the cylinder, on seeds that are not scored."""

import numpy as np
import pytest

from base.errors import UserError
from bench import problems
from bench.cells import Cell, load_kind
from bench.cells.tuned_net import Config
from bench.methods.configurations import TrainingConfig
from bench.methods.tuning import (
    CHOICES,
    TUNING_SEEDS_FROM,
    Validation,
    best,
    candidates,
    least,
)
from bench.studies import plan

SMALL = {
    "sizes": ["1-4", "2-4"],
    "activations": ["smoothrelu", "tanh"],
    "etas": [4.0],
    "optimizers": ["ssbfgs", "lbfgs"],
    "samples": 200,
    "tuning_evaluations": 30,
    "evaluations": 60,
}


def test_candidates_are_every_size_with_every_activation():
    found = candidates(
        ("1-4", "2-10"), ("smoothrelu", "tanh"), (1.0, 8.0), (1.0, 2.0, 4.0), "ssbfgs"
    )
    assert len(found) == 2 * (2 + 3)
    assert found[1] == {
        "hidden": 1, "width": 4, "activation": "smoothrelu", "eta": 8.0, "first_scale": 1.0,
        "optimizer": "ssbfgs",
    }  # fmt: skip
    assert (found[-1]["activation"], found[-1]["first_scale"]) == ("tanh", 4.0)


def test_what_judges_was_given_and_not_shown():
    """The ring and every fifth of the rest: a part of the very samples that the net is given."""
    held = Validation(TrainingConfig(samples=500, data_seed=3), radius=0.9).held_out()
    points = problems.maxwell.domain.sample_training(500, 3)
    ring = np.hypot(points[0], points[1]) > 0.9
    assert held[ring].all()
    assert held[~ring].mean() == pytest.approx(0.2, abs=0.01)


def test_nothing_to_choose_from_is_refused():
    with pytest.raises(UserError, match="optimizers is empty"):
        Config(optimizers=())


def test_the_smallest_validation_error_wins_and_a_diverged_candidate_cannot():
    others = dict.fromkeys(CHOICES)
    tried = [
        {**others, "validation": error, "eta": eta}
        for eta, error in ((1, None), (2, 0.2), (3, 0.1))
    ]
    assert best(tried)["eta"] == 3
    assert best(tried[:2])["eta"] == 2


@pytest.fixture(scope="module")
def found():
    return load_kind("tuned_net").run(Cell("tuned_net", SMALL).settings)


def test_the_search_is_part_of_the_cost(found):
    values = found.values
    assert len(values["tried"]) == 5, "four candidates, then the best one with L-BFGS"
    assert [c["optimizer"] for c in values["tried"]] == ["ssbfgs"] * 4 + ["lbfgs"]
    search = [*values["tried"], values["longest"]]
    assert values["seconds_tuning"] == pytest.approx(sum(c["seconds"] for c in search))
    assert values["seconds"] == pytest.approx(values["seconds_training"] + values["seconds_tuning"])
    assert values["evaluations_tuning"] == sum(c["evaluations"] for c in search)
    assert values["evaluations"] <= SMALL["evaluations"]


def test_the_length_is_where_the_validation_error_was_smallest(found):
    assert least([0.3, 0.1, 0.1, 0.2], [1.0, 10.0, 20.0, 40.0]) == (0.1, 10.0)
    assert least([0.3, np.nan], [1.0, 10.0]) == (0.3, 1.0)
    assert least([np.nan, np.nan], [1.0, 10.0])[1] == 10.0
    values = found.values
    assert values["chosen"]["evaluations"] == values["longest"]["best_at"]
    assert values["evaluations"] == pytest.approx(values["longest"]["best_at"], abs=2)


def test_what_was_chosen_is_what_was_trained(found):
    chosen = found.values["chosen"]
    assert len(found.values["tau"]) == chosen["hidden"]
    assert {name: chosen[name] for name in CHOICES} == best(found.values["tried"])


def test_the_result_repeats(found):
    again = load_kind("tuned_net").run(Cell("tuned_net", SMALL).settings).values
    for name in ("chosen", "rel_test_error", "l2_error", "train_mse"):
        assert again[name] == found.values[name]


def test_scored_seeds_stay_clear_of_the_search():
    for preset in ("quick", "paper", "full"):
        (study,) = plan(["strong_nets"], preset, {})
        assert all(cell.config["seed"] < TUNING_SEEDS_FROM for cell in study.cells)
