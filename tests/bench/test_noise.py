"""Noisy samples and known properties: sizes of noise, derivatives, and what knowledge brings."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from base.errors import UserError
from bench import problems
from bench.cells import known_properties, noisy_fit
from bench.methods.open_questions import knowledge, noise
from nets.module import build

MAXWELL, HELIX = problems.maxwell, problems.helix


def test_noise_has_the_stated_size_and_positions_are_exact():
    features = ("x", "f", "phi")
    clean, noisy = (noise.Samples.drawn(HELIX, features, 20_000, e, 3) for e in (0.0, 0.05))
    np.testing.assert_array_equal(clean.inputs[:, :3], noisy.inputs[:, :3])
    np.testing.assert_array_equal(clean.targets, HELIX.targets(clean.points))
    for columns, values in (
        (noisy.inputs[:, 3:6] - clean.inputs[:, 3:6], clean.inputs[:, 3:6]),
        (noisy.inputs[:, 6:] - clean.inputs[:, 6:], clean.inputs[:, 6:]),
        (noisy.targets - clean.targets, clean.targets),
    ):
        relative = np.sqrt(np.mean(columns**2) / np.mean(values**2))
        assert relative == pytest.approx(0.05, rel=0.03)


@pytest.mark.parametrize("method", ["legendre", "N1", "strong net"])
def test_more_noise_is_no_better(method):
    def inside(level: float) -> float:
        config = noisy_fit.Config(method=method, samples=400, noise=level, evaluations=100)
        return noisy_fit.run(config).values["l2_error_inside"]

    assert inside(0.5) > inside(0.0)


def test_least_squares_averages_noise_away():
    """A polynomial's error from noise falls like the root of the number of samples."""
    errors = [
        noisy_fit.run(noisy_fit.Config(method="cubic", samples=n, noise=0.3)).values[
            "l2_error_inside"
        ]
        for n in (200, 20_000)
    ]
    assert 4 < errors[0] / errors[1] < 25


def exact(problem):
    """The field as a map of rows, differentiable only where torch writes it down."""

    def u(x):
        r2 = x[:, 0] ** 2 + x[:, 1] ** 2
        half = 0.5 + r2 / 16 + r2**2 / 384 + r2**3 / 18432  # I₁(r)/r, to 1e-6 in the cube
        return torch.stack([-x[:, 1] * half, x[:, 0] * half, torch.zeros_like(r2)], dim=1)

    return u


def test_properties_vanish_at_the_solution():
    for known in ("divergence", "third", "equation"):
        property_ = knowledge.Knowledge(MAXWELL, known, 50, 0)
        assert float(property_.loss(exact(MAXWELL))) < 1e-5
    shifted = lambda x: exact(MAXWELL)(x) + 0.1 * x  # noqa: E731
    for known in ("divergence", "third"):
        assert float(knowledge.Knowledge(MAXWELL, known, 50, 0).loss(shifted)) > 1e-3


def test_derivatives_are_those_of_automatic_differentiation():
    net = build(hidden=2, width=6, inputs=3, activation="tanh", seed=1)
    x = torch.rand(5, 3, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    potential = knowledge.field_of(net, "none")
    J = torch.stack(
        [torch.autograd.functional.jacobian(potential, row[None])[0, :, 0] for row in x]
    )
    rotation = torch.stack(
        [J[:, 2, 1] - J[:, 1, 2], J[:, 0, 2] - J[:, 2, 0], J[:, 1, 0] - J[:, 0, 1]], dim=1
    )
    torch.testing.assert_close(knowledge.curl(potential)(x), rotation, rtol=0, atol=1e-10)
    trace = J.diagonal(dim1=1, dim2=2).sum(1)
    torch.testing.assert_close(knowledge.divergence(potential)(x), trace, rtol=0, atol=1e-10)
    by_construction = knowledge.divergence(knowledge.field_of(net, "potential"))(x)
    assert float(by_construction.detach().abs().max()) < 1e-12


def test_knowledge_of_the_equation_improves_extrapolation():
    def outside(known: str) -> float:
        config = known_properties.Config(known=known, samples=40, points=60, width=6, steps=40)
        return known_properties.run(config).values["l2_error_outside"]

    assert outside("equation") < outside("none")
    with pytest.raises(UserError, match="divergence"):
        known_properties.Config(known="divergense")
