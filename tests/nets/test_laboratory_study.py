"""Whole studies: the examples, what is left untouched, tables and figures."""

import importlib.util
import math
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn

from nets import UserError, gradient_study

EXAMPLES = Path(__file__).parents[2] / "examples"


def example(name):
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def studied(name, **options):
    it = example(name)
    return gradient_study(it.make, it.batch, steps=0, **options)


def trial(study, remedy):
    return next(trial for trial in study.trials if trial.remedy == remedy)


def first_remedy_works(study):
    """It makes the module healthy, and J after K steps is lower than without."""
    first = study.trials[0]
    before = trial(study, "as it is")
    return first.heals and first is study.remedy and first.loss < before.loss


def test_fifty_tanh_layers_vanish_and_an_orthogonal_start_heals_them():
    study = studied("deep_tanh", remedy_steps=40)
    assert study.verdict == "vanishing"
    assert "weights are too small" in study.diagnosis.cause
    assert study.diagnosis.factor == pytest.approx(1 / math.sqrt(3), abs=0.05)  # √(n E[W²])
    assert first_remedy_works(study)
    assert trial(study, "orthogonal start").heals
    assert trial(study, "orthogonal start").loss < trial(study, "as it is").loss


def test_a_transformer_without_norms_explodes_and_the_cause_is_found():
    study = studied("bare_transformer", remedy_steps=10)
    assert study.verdict == "exploding"
    assert "16 residual blocks" in study.diagnosis.cause
    assert "nothing normalises" in study.diagnosis.cause
    assert study.layer.startswith("blocks.1"), "the decade is passed within the last six"
    assert study.spectra.lyapunov[:, 0].mean() > 0.2
    assert first_remedy_works(study)
    assert trial(study, "pre-norm").heals
    assert trial(study, "pre-norm").loss < 1e-2 * trial(study, "as it is").loss


def test_an_lstm_forgets_and_longer_memory_is_tried_first():
    study = studied("lstm_copy", remedy_steps=60, rate=0.01)
    assert (study.verdict, study.layer, study.diagnosis.over) == ("vanishing", "lstm", "time")
    assert "forget gate starts at 0.50" in study.diagnosis.cause
    assert study.trials[0].remedy == "long memory"
    assert first_remedy_works(study)
    chance = math.log(8)
    assert trial(study, "as it is").loss > 0.98 * chance
    assert study.trials[0].loss < 0.98 * chance


def small():
    return nn.Sequential(nn.Linear(3, 6), nn.Tanh(), nn.Linear(6, 6), nn.Tanh(), nn.Linear(6, 2))


DATA = (torch.linspace(-1, 1, 12).reshape(4, 3), torch.ones(4, 2))


def test_neither_the_module_nor_the_stream_of_random_numbers_moves():
    module = small()
    before = {name: value.clone() for name, value in module.state_dict().items()}
    state = torch.get_rng_state()
    gradient_study(module, DATA, steps=3, remedies=True, remedy_steps=2)
    assert torch.equal(torch.get_rng_state(), state)
    assert all(torch.equal(value, before[name]) for name, value in module.state_dict().items())
    assert all(p.grad is None for p in module.parameters())
    assert not any(part._forward_hooks for part in module.modules())


def test_a_study_repeats():
    one, two = (gradient_study(small, DATA, steps=4, seeds=2, remedies=True) for _ in range(2))
    assert one.rows("layers")[0]["gradient"] == two.rows("layers")[0]["gradient"]
    assert [t.loss for t in one.trials if t.fits] == [t.loss for t in two.trials if t.fits]
    np.testing.assert_array_equal(one.trainings[1].J, two.trainings[1].J)


def test_updates_are_those_of_the_optimiser():
    """Plain descent: ‖Δθ‖ = rate ‖∂J/∂θ‖."""
    study = gradient_study(small, DATA, steps=5, optimizer="sgd", rate=0.1)
    rows = [row for row in study.rows() if row["phase"] == "training" and row["kind"] == "Linear"]
    assert len(rows) == 5 * 3
    for row in rows:
        assert row["update"] == pytest.approx(0.1 * row["gradient"], rel=1e-4)


def test_tables_frames_and_figures():
    pytest.importorskip("pandas")
    import matplotlib.pyplot as plt

    study = gradient_study(small, DATA, steps=3, seeds=2, remedies=True, against=small)
    frame = study.to_pandas()
    assert set(frame["study"]) == {"small"}
    assert {"gradient", "adjoint", "activation", "dead", "update_over_weight"} <= set(frame)
    assert len(study.to_pandas("remedies")) == len(study.trials)
    figure = study.figure()
    assert len(figure.subfigs) == 4
    plt.close(figure)
    depth = study.figure("depth")
    assert "log₁₀ ‖∂J/∂y‖" in [axes.get_ylabel() for axes in depth.get_axes()]
    plt.close(depth)
    with pytest.raises(UserError, match="no table 'weights'"):
        study.rows("weights")


def test_saturated_and_dead_nets_are_named():
    def saturated():
        layers = [part for _ in range(8) for part in (nn.Linear(8, 8), nn.Tanh())]
        net = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), *layers, nn.Linear(8, 2))
        for layer in net[2::2]:
            nn.init.constant_(layer.bias, 4.0)
        return net

    study = gradient_study(saturated, DATA, steps=0, remedies=False)
    assert study.verdict == "vanishing"
    assert "activations saturate" in study.diagnosis.cause

    def dead():
        net = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 8), nn.ReLU(), nn.Linear(8, 2))
        nn.init.constant_(net[2].bias, -9.0)
        return net

    study = gradient_study(dead, DATA, steps=0, remedy_steps=5)
    assert (study.verdict, study.layer) == ("dead", "2")
    assert trial(study, "another activation").heals


def test_precision_beyond_float32():
    """A hundred layers of 0.3 each leave 1e-57, which float32 calls zero."""

    def tiny():
        net = nn.Sequential(*(nn.Linear(4, 4, bias=False) for _ in range(110)))
        for layer in net:
            nn.init.eye_(layer.weight)
            layer.weight.data *= 0.3
        return net

    study = gradient_study(tiny, (torch.ones(2, 4), torch.ones(2, 4)), steps=0, remedies=False)
    assert study.verdict == "vanishing"
    assert study.diagnosis.log10_ratio == pytest.approx(108 * math.log10(0.3), rel=1e-6)
    np.testing.assert_allclose(study.spectra.lyapunov, math.log(0.3), rtol=1e-6)
