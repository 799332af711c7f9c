"""Norms predicted: by the theorems' matrices to rounding, by mean field in the right decade."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from net_strategies import points, theorem_nets

from nets.gradients.jacobians import end_to_end_jacobians, log10_singular_values
from nets.gradients.norms import grad_norms, log10_norms
from nets.gradients.passes import trajectory
from nets.module import build
from nets.theory.derivatives import iterate, linearise
from nets.theory.predicted import mean_field_growth, norms_by_theory, propagators
from nets.theory.recursions import THEOREMS

KINDS = sorted(THEOREMS)


@given(theorem_nets(eta=0.1, init="normal"), st.integers(0, 99))
@settings(max_examples=50, deadline=None)
def test_theory_norms_equal_the_measured_ones(net, seed):
    x, y = points(seed, 5, 3), points(seed + 1, 5, 2)
    theory, measured = norms_by_theory(net, x, y), grad_norms(net, x, y)
    measured["y"] = measured["y"][1:-1]
    for kind, norms in theory.items():
        floor = 1e-11 * max(measured[kind].max(), 1e-300)
        np.testing.assert_allclose(norms, measured[kind], rtol=1e-8, atol=floor)


def test_chunks_of_samples_add_up(monkeypatch):
    net = build(net="fractional", hidden=4, width=5, inputs=3, outputs=2, tau0=0.5)
    x, y = points(0, 7, 3), points(1, 7, 2)
    whole = norms_by_theory(net, x, y)
    monkeypatch.setattr("nets.theory.predicted.MATRIX_BYTES", 2 * 8 * 4 * 25)  # two at a time
    for kind, norms in norms_by_theory(net, x, y).items():
        np.testing.assert_allclose(norms, whole[kind], rtol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_propagators_are_the_recursions_of_the_theorems(kind):
    """Read from the end they give the same matrices as the theorems, and as the adjoint."""
    net = build(net=kind, hidden=5, width=4, inputs=3, tau0=0.7, seed=3, activation="tanh")
    x = points(0, 3, 3)
    at = linearise(net, x)
    M, J = propagators(at), end_to_end_jacobians(net, x)
    identity = torch.eye(4, dtype=torch.float64).expand(3, 4, 4)
    for k in range(1, 6):
        torch.testing.assert_close(M[k], iterate(at, {k: identity}, 5))
        torch.testing.assert_close(M[k], J[k].plain())


# log₁₀ of the geometric mean of ‖dy[H]/dy[1]‖₂ at width 20, H = 5, 20, 50, by another program
TABLE = {
    ("feedforward", "1", 0.5): (-0.85, -6.7, -20.3),
    ("feedforward", "1", 2.0): (1.57, 6.0, 14.0),
    ("resnet", "1", 1.0): (1.0, 4.5, 11.0),
    ("resnet", "1/H", 1.0): (0.23, 0.23, 0.20),
    ("densenet", "1", 1.0): (1.38, 7.0, 18.0),
    ("fractional", "1", 1.0): (0.54, 2.45, 6.0),
    ("fractional", "1/H", 1.0): (-0.03, -0.35, -0.59),
}


@pytest.mark.parametrize(("kind", "tau0", "scale"), TABLE)
def test_table_of_initial_norms_is_reproduced(kind, tau0, scale):
    """Within 0.75 decades, or 10 % of the decades: other seeds, other samples."""
    x = points(1, 10, 7)
    for hidden, expected in zip((5, 20, 50), TABLE[kind, tau0, scale], strict=True):
        found = [
            log10_singular_values(
                build(
                    net=kind, hidden=hidden, width=20, init="he", scale=scale, tau="fixed",
                    tau0=tau0 if tau0 == "1/H" else 1.0, seed=seed,
                ),
                x,
            )[1][:, 0].mean()
            for seed in range(2)
        ]  # fmt: skip
        assert abs(np.mean(found) - expected) < max(0.75, 0.1 * abs(expected))


@pytest.mark.parametrize(
    ("kind", "tau0", "scale", "tolerance"),
    [
        ("feedforward", 1.0, 0.5, 0.05),
        ("feedforward", 1.0, 2.0, 0.05),
        ("resnet", 1.0, 1.0, 0.25),
        ("resnet", "1/H", 1.0, 0.25),
        ("densenet", 1.0, 1.0, 0.1),
        ("fractional", 1.0, 1.0, 0.35),
        ("fractional", "1/H", 1.0, 0.35),
    ],
)
def test_mean_field_predicts_the_decades(kind, tau0, scale, tolerance):
    """Growth from the last to the first of 50 layers: relative to its decades, or within 0.4."""
    x, y = points(2, 60, 7), points(3, 60, 3)
    measured, predicted = [], []
    for seed in range(4):
        net = build(
            net=kind, hidden=50, width=20, init="he", scale=scale, tau="fixed", tau0=tau0, seed=seed
        )
        norms = log10_norms(net, x, y)["y"]
        measured.append(norms[1] - norms[-2])
        predicted.append(mean_field_growth(trajectory(net, x))[0])
    difference = abs(np.mean(measured) - np.mean(predicted))
    assert difference < max(0.4, tolerance * abs(np.mean(measured)))


def test_mean_field_beyond_float64():
    """200 layers at τ = 1/H lose about 2.3 + 0.15 decades each, in the feedforward net."""
    net = build(net="feedforward", hidden=200, width=20, tau="fixed", tau0="1/H", init="he")
    x = points(0, 20, 7)
    norms = log10_norms(net, x, points(1, 20, 3))["y"]
    predicted = mean_field_growth(trajectory(net, x))[0]
    assert predicted == pytest.approx(norms[1] - norms[-2], rel=0.02)


def test_mean_field_of_linear_chains_is_exact():
    """Zero weights: the ResNet passes φ on, the DenseNet doubles it, the plain net ends it."""
    x = points(0, 4, 7)
    expected = {"resnet": 0.0, "densenet": 4 * np.log10(2.0), "feedforward": -np.inf}
    for kind, growth in expected.items():
        net = build(net=kind, hidden=6, width=8, scale=0.0, tau="fixed")
        assert mean_field_growth(trajectory(net, x))[0] == pytest.approx(growth)
