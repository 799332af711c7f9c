"""Peers of the nets in one run with ours: the same net, data, precision and thread.

Loss and gradient compared with torch (eager, compiled) and JAX; the error reached in equal time
compared with optax. Peers that are not installed are skipped; `pip install
'femnets[peers]'` brings them. torch.compile takes a minute: FEMNETS_BENCH_COMPILE=1 adds it.
"""

import importlib.util
import os
import time

import numpy as np
import peers_fem
import pytest
import torch

from bench.methods.configurations import TrainingConfig
from bench.methods.training import rel_test_error, starting_net, training_data
from nets import train
from nets.fast.kernel import FastObjective

GROUP = "peers"
HAS_JAX = importlib.util.find_spec("jax") is not None
needs_jax = pytest.mark.skipif(not HAS_JAX, reason="pip install 'femnets[peers]'")


def jax_loss(config, data):
    """½ mean square of a ResNet with learned τ, written as JAX's documentation writes nets."""
    import jax
    import jax.numpy as jnp

    jax.config.update("jax_enable_x64", True)
    eta = config.eta
    x, y = jnp.asarray(data.x), jnp.asarray(data.y)

    def sigma(z):
        d = jnp.clip((z + eta) / (2 * eta), 0.0, 1.0)
        return eta * d * d + jnp.maximum(z - eta, 0.0)

    def predict(parameters, x):
        W, b, tau = parameters
        state = tau[0] * sigma(x @ W[0].T + b[0])
        for l in range(1, len(b)):
            state = state + tau[l] * sigma(state @ W[l].T + b[l])
        return state @ W[-1].T

    def loss(parameters):
        return jnp.sum((predict(parameters, x) - y) ** 2) / (2 * len(x))

    net = starting_net(config)
    start = (
        [jnp.asarray(w.detach().numpy()) for w in net.W],
        [jnp.asarray(v.detach().numpy()) for v in net.b],
        jnp.asarray(net.tau.detach().numpy()),
    )
    return loss, predict, start


def torch_call(net, x, y):
    def call():
        net.zero_grad()
        loss = (net(x) - y).square().sum() / (2 * len(y))
        loss.backward()
        return loss

    return call


def config_of(size, **more):
    hidden, width = map(int, size.split("-"))
    return TrainingConfig(hidden=hidden, width=width, tau="learned", **more)


@needs_jax
@pytest.mark.parametrize("size", ["2-50", "6-50"])
def test_loss_and_gradient(measured, size):
    import jax

    config = config_of(size)
    data, net = training_data(config), starting_net(config)
    x, y = torch.from_numpy(data.x), torch.from_numpy(data.y)
    objective, theta = FastObjective(net, data.x, data.y), net.pack()
    loss, _, start = jax_loss(config, data)
    compiled = jax.jit(jax.value_and_grad(loss))
    calls = {
        "torch eager": torch_call(net, x, y),
        "JAX jit": lambda: jax.block_until_ready(compiled(start)),
    }
    if os.environ.get("FEMNETS_BENCH_COMPILE"):
        calls["torch.compile"] = torch_call(torch.compile(net), x, y)
    turns = measured.in_turns(lambda: objective(theta), 5, **calls)
    versions = {"torch": peers_fem.version("torch"), "JAX": peers_fem.version("jax")}
    measured.info["peers"] = {
        name: {
            "version": versions[name.split()[0].split(".")[0]],
            "seconds": turns.median(name),
            "ours_seconds": turns.median("ours"),
        }
        for name in calls
    }
    assert float(compiled(start)[0]) == pytest.approx(objective(theta)[0], rel=1e-9)


@needs_jax
@pytest.mark.parametrize("size", ["2-20"])
def test_error_in_equal_time(measured, size):
    """1000 samples, 5 seconds for each side, compilation not counted."""
    seconds = 5.0
    config = config_of(size, samples=1000, eta=2.0)
    data = training_data(config)

    def ours():
        return train(starting_net(config), data.x, data.y, optimizer="ssbfgs", seconds=seconds)

    training = measured.benchmark.pedantic(ours, rounds=1)
    error, took = optax_lbfgs(config, data, seconds)
    measured.info["peers"] = {
        "optax L-BFGS": {
            "version": peers_fem.version("optax"),
            "seconds": took,
            "error": error,
            "ours_seconds": training.seconds,
            "ours_error": rel_test_error(training.net, data),
        }
    }


def optax_lbfgs(config, data, seconds):
    """optax.lbfgs with its zoom line search, as its documentation runs it."""
    import jax
    import optax

    loss, predict, parameters = jax_loss(config, data)
    solver = optax.lbfgs(memory_size=50)
    state = solver.init(parameters)
    value_and_grad = optax.value_and_grad_from_state(loss)

    @jax.jit
    def step(parameters, state):
        value, gradient = value_and_grad(parameters, state=state)
        updates, state = solver.update(
            gradient, state, parameters, value=value, grad=gradient, value_fn=loss
        )
        return optax.apply_updates(parameters, updates), state

    jax.block_until_ready(step(parameters, state))  # compiles
    start = time.perf_counter()
    while time.perf_counter() - start < seconds:
        parameters, state = jax.block_until_ready(step(parameters, state))
    took = time.perf_counter() - start
    difference = np.asarray(predict(parameters, data.x_test)) - data.y_test
    return float(np.linalg.norm(difference) / np.linalg.norm(data.y_test)), took
