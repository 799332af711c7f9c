"""Given the equation: our net and DeepXDE's in equal time, the kernel and automatic
differentiation.

FEMNETS_BENCH_SECONDS is the time for each side (default 15; README quotes 60). One thread.
"""

import importlib.util
import os

import numpy as np
import peers_fem
import pytest
import torch

from bench.cells.solved_net import Config
from bench.measure import norms as ruler
from bench.methods.solving import solve_net

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
    plain = eager(solved.net, objective)
    turns = measured.in_turns(lambda: objective(theta), 7, eager=plain)
    measured.target("eager over ours", turns.ratio("eager", "ours"), at_least=3)
    measured.info["residuals"] = objective.count
    # forward and twice backward, by channels of the jets of each set of residuals; tanh, its
    # derivatives, σ of a jet and the adjoint of it are some 80 operations per neuron and point
    weights = sum(w.numel() for w in solved.net.W)
    flops = sum(6 * weights * term.A.shape[3] * term.A.shape[1] for term in objective.terms)
    flops += sum(80 * hidden * width * term.A.shape[3] for term in objective.terms)
    share_of_limit(turns.median("ours"), flops=flops)
    value, gradient = objective(theta)
    expected, slopes = plain()
    assert float(expected) == pytest.approx(value, rel=1e-9)
    assert np.linalg.norm(slopes - gradient) < 1e-8 * np.linalg.norm(gradient)


def eager(net, objective):
    """½ Σ r² by nested automatic differentiation, as a user of torch writes it."""
    terms = [
        (torch.as_tensor(np.array(t.x)), torch.as_tensor(np.array(t.A)), torch.as_tensor(t.b), t)
        for t in objective.terms
    ]

    def call():
        total = 0.0
        for x, A, b, term in terms:
            u = jets(net, x.clone().requires_grad_(), term.order)
            r = torch.einsum("mcoq,cqo->mq", A, u) - b
            total = total + 0.5 * (r**2).sum()
        parameters = net.free_parameters()
        slopes = torch.autograd.grad(total, parameters)
        return total.detach(), torch.cat([slope.reshape(-1) for slope in slopes]).numpy()

    return call


def jets(net, x, order):
    """Value, slopes and second derivatives, or the Laplacian, at points: (channels, N, outputs)."""
    u = net(x)
    if order == "value":
        return u[None]
    outputs = range(u.shape[1])
    first = [torch.autograd.grad(u[:, i].sum(), x, create_graph=True)[0] for i in outputs]
    found = [u, *(torch.stack([g[:, j] for g in first], 1) for j in range(3))]
    if order != "first":
        second = [
            [torch.autograd.grad(g[:, j].sum(), x, create_graph=True)[0] for j in range(3)]
            for g in first
        ]
        if order == "laplacian":
            traces = [sum(rows[j][:, j] for j in range(3)) for rows in second]
            found.append(torch.stack(traces, 1))
        else:
            pairs = [(j, k) for j in range(3) for k in range(j, 3)]
            found += [torch.stack([rows[j][:, k] for rows in second], 1) for j, k in pairs]
    return torch.stack(found)
