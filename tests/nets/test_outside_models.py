"""Eight modules from outside: each verdict, and remedies that help or are not recommended."""

import copy
import warnings

import numpy as np
import outside_models as outside
import pytest
import torch

from nets import gradient_study

SICK = {
    "deep_sigmoid": (outside.smooth, "vanishing", "94", "depth"),
    "unrolled": (outside.first_entry, "vanishing", "cell#35", "depth"),
    "rnn": (outside.first_entry, "vanishing", "rnn", "time"),
    "lstm": (outside.first_entry, "vanishing", "rnn", "time"),
    "dead_cnn": (outside.corners, "dead", "4", "depth"),
}
HEALTHY = {
    "pre_norm": outside.reversal,
    "post_norm": outside.reversal,
    "batchnorm_cnn": outside.corners,
}


@pytest.fixture(scope="module")
def studies():
    """Every sick module, with remedies of 50 steps each."""
    return {
        name: gradient_study(getattr(outside, name), data, steps=0)
        for name, (data, *_) in SICK.items()
    }


@pytest.mark.parametrize("name", SICK)
def test_what_is_wrong_is_named(studies, name):
    _, *expected = SICK[name]
    study = studies[name]
    assert [study.verdict, study.layer, study.diagnosis.over] == expected


@pytest.mark.parametrize("name", HEALTHY)
def test_healthy_modules_get_no_remedies(name):
    study = gradient_study(getattr(outside, name), HEALTHY[name], steps=0)
    assert (study.verdict, study.layer, study.trials) == ("healthy", None, ())
    assert abs(study.spectra.lyapunov[:, 0].mean()) < 0.1


@pytest.mark.parametrize("name", SICK)
def test_a_recommended_remedy_lowers_the_loss(studies, name):
    study = studies[name]
    untreated = next(trial for trial in study.trials if trial.remedy == "as it is")
    assert study.trial_steps == 50
    for trial in study.trials:
        assert trial.untreated == untreated.loss
        assert trial.helps == (trial.heals and trial.loss < 0.99 * untreated.loss)
    if study.remedy is None:
        assert not any(trial.helps for trial in study.trials)
    else:
        assert study.remedy is study.trials[0]


def test_first_remedies(studies):
    first = {name: study.remedy and study.remedy.remedy for name, study in studies.items()}
    assert first == {
        "deep_sigmoid": "ReZero",
        "unrolled": "other initial scale",
        "rnn": "other initial scale",
        "lstm": None,  # long memory heals, but 50 steps are too few to see it in J
        "dead_cnn": "LayerNorm",
    }


@pytest.mark.parametrize("name", ["unrolled", "rnn", "lstm"])
def test_no_normalisation_behind_a_read_out(studies, name):
    norm = next(trial for trial in studies[name].trials if trial.remedy == "LayerNorm")
    assert not norm.fits


def test_a_recurrent_layer_has_the_exponents_of_its_loop():
    """nn.RNN and a loop over nn.RNNCell with the same weights: the same chain of states."""
    torch.manual_seed(0)
    loop, layer = outside.unrolled(), outside.rnn()
    cell = {f"{name}_l0": value for name, value in loop.cell.state_dict().items()}
    layer.rnn.load_state_dict(cell)
    layer.read.load_state_dict(loop.read.state_dict())
    data = outside.first_entry()
    by_loop, by_layer = (
        gradient_study(module, data, steps=0, remedies=False) for module in (loop, layer)
    )
    assert (by_loop.spectra.per, by_layer.spectra.per) == ("block", "time step")
    for one in ("lyapunov", "end_to_end"):
        a, b = getattr(by_loop.spectra, one), getattr(by_layer.spectra, one)
        np.testing.assert_allclose(a, b, rtol=1e-6, atol=1e-12)


@pytest.mark.parametrize("kind", [torch.nn.LSTM, torch.nn.GRU])
@pytest.mark.parametrize("batch_first", [False, True])
def test_hidden_states_are_those_of_the_layer(kind, batch_first):
    from nets.laboratory.anatomy import dissect
    from nets.laboratory.memory import hidden_states
    from nets.laboratory.subject import Batch, Subject

    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = kind(3, 4, num_layers=2, batch_first=batch_first)

        def forward(self, x):
            return self.inner(x)[0].sum()

    torch.manual_seed(1)
    net, batch = Net(), Batch(torch.randn(5, 6, 3))
    anatomy = dissect(Subject(net, batch.x), net, batch)
    states = hidden_states(net, batch, anatomy, "inner")
    last = net.inner(batch.x)[1]
    last = torch.stack(last if isinstance(last, tuple) else [last])  # parts, layers, samples, n
    assert len(states) == (6 if batch_first else 5)
    torch.testing.assert_close(states[-1], last[:, :, :2].movedim(2, 0).flatten(1))


def test_the_figure_that_carries_the_verdict_comes_first(studies):
    assert studies["rnn"].shown()[0] == studies["lstm"].shown()[0] == "memory"
    assert "depth" not in studies["rnn"].shown(), "two states are no profile"
    assert studies["deep_sigmoid"].shown()[0] == "depth"
    assert "jacobians" not in studies["dead_cnn"].shown(), "all singular values are zero"


@pytest.mark.parametrize("name", SICK)
def test_no_panel_is_empty_and_every_remedy_is_visible(studies, name):
    import matplotlib.pyplot as plt

    study = studies[name]
    for kind in study.shown():
        figure = study.figure(kind)
        assert all(axes.has_data() for axes in figure.get_axes())
        if kind == "remedies":
            marks = [line for line in figure.get_axes()[0].lines if line.get_marker() == "o"]
            assert len(marks) == sum(trial.fits for trial in study.trials)
        plt.close(figure)


def test_compiled_modules_are_studied_as_they_were():
    plain = torch.nn.Sequential(torch.nn.Linear(4, 6), torch.nn.Tanh(), torch.nn.Linear(6, 1))
    inner = copy.deepcopy(plain)
    inner[0] = torch.compile(inner[0])
    data = outside.smooth()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        one, two = (
            gradient_study(module, data, steps=2, remedies=False)
            for module in (plain, torch.compile(inner))
        )
    assert [row["layer"] for row in two.rows()] == [row["layer"] for row in one.rows()]
    assert two.rows()[0]["gradient"] == pytest.approx(one.rows()[0]["gradient"])
    assert hasattr(inner[0], "_orig_mod"), "the module itself is left alone"
