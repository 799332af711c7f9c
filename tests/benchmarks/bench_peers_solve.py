"""Given the equation: our net and DeepXDE's in equal time, the kernel and automatic
differentiation.

FEMNETS_BENCH_SECONDS is the time for each side (default 15; README quotes 60). One thread.
"""

import importlib.util
import os

import numpy as np
import peers_fem
import pytest

from bench.cells.solved_net import Config
from bench.measure import norms as ruler
from bench.methods.solving import solve_net
from nets.residuals.by_autograd import AutogradResiduals
from nets.user_modules import OwnNet

GROUP = "peers"
SECONDS = float(os.environ.get("FEMNETS_BENCH_SECONDS", "15"))
has_deepxde = importlib.util.find_spec("deepxde") is not None


@pytest.mark.skipif(not has_deepxde, reason="pip install 'femnets[peers]'")
@pytest.mark.parametrize("width", [20], ids=lambda w: f"2-{w}")
def test_maxwell_given_the_equation(measured, width):
    from peers_solve import deepxde_on_maxwell

    config = Config(problem="maxwell", hidden=2, width=width, seed=1, data_seed=1)
    ours = measured.benchmark.pedantic(lambda: solve_net(config, seconds=SECONDS), rounds=1)
    adam = solve_net(Config(**{**vars(config), "optimizer": "adam"}), seconds=SECONDS)
    collocation = ours.collocation
    domain = collocation.problem.domain
    points = domain.sample(collocation.points, collocation.seed, collocation.draw)
    boundary = domain.sample_boundary(
        collocation.boundary_points, collocation.seed, collocation.draw
    )
    theirs, took = deepxde_on_maxwell(
        points, boundary, collocation.boundary_weight, width, SECONDS, seed=1
    )
    error = ruler.field_errors(theirs, collocation.problem)["l2_error"]
    mine = {"ours_seconds": ours.values["seconds"], "ours_error": ours.values["l2_error"]}
    measured.info["l2_error"] = ours.values["l2_error"]
    measured.info["times_below_deepxde"] = error / ours.values["l2_error"]
    measured.info["times_below_adam"] = adam.values["l2_error"] / ours.values["l2_error"]
    measured.info["peers"] = {
        "DeepXDE Adam, L-BFGS": {
            "version": peers_fem.version("deepxde"), "seconds": took, "error": error, **mine,
        },
        "our kernel with Adam": {
            "version": "femnets", "seconds": adam.values["seconds"],
            "error": adam.values["l2_error"], **mine,
        },
    }  # fmt: skip
    assert np.isfinite(ours.values["l2_error"])


@pytest.mark.parametrize("size", ["2-20", "2-30"])
def test_loss_and_gradient_of_residuals(measured, share_of_limit, size):
    """The kernel of residuals and torch's automatic differentiation of the same loss."""
    hidden, width = map(int, size.split("-"))
    config = Config(problem="maxwell", hidden=hidden, width=width)
    solved = solve_net(Config(**{**vars(config), "steps": 1}))
    objective, theta = solved.collocation.objective(solved.net), solved.net.pack()
    own = OwnNet(solved.net, solved.net.config)
    plain = AutogradResiduals(own, objective.terms)
    turns = measured.in_turns(lambda: objective(theta), 7, eager=lambda: plain(own.pack()))
    measured.target("eager over ours", turns.ratio("eager", "ours"), at_least=3)
    measured.info["residuals"] = objective.count
    # forward and twice backward, by channels of the jets of each set of residuals; tanh, its
    # derivatives, σ of a jet and the adjoint of it are some 80 operations per neuron and point
    weights = sum(w.numel() for w in solved.net.W)
    flops = sum(6 * weights * term.A.shape[3] * term.A.shape[1] for term in objective.terms)
    flops += sum(80 * hidden * width * term.A.shape[3] for term in objective.terms)
    share_of_limit(turns.median("ours"), flops=flops)
    (value, gradient), (expected, slopes) = objective(theta), plain(own.pack())
    assert expected == pytest.approx(value, rel=1e-9)
    assert np.linalg.norm(slopes) == pytest.approx(np.linalg.norm(gradient), rel=1e-8)
