"""Random nets and data for the property tests of this folder."""

import numpy as np
import torch
from hypothesis import strategies as st

from nets import Loss, build
from nets.theory.recursions import THEOREMS

ARCHITECTURES = ("feedforward", "resnet", "densenet", "fractional")


@st.composite
def random_nets(draw, max_hidden=6, architectures=ARCHITECTURES):
    """Small nets of every kind: depth, width per layer, τ policy and start, γ, activation."""
    net = draw(st.sampled_from(architectures))
    policies = ["fixed", "learned", "global"] + ["rezero"] * (net != "fractional")
    hidden = draw(st.integers(1, max_hidden))
    inputs = draw(st.integers(1, 5))
    carry = draw(st.integers(0, 3)) == 0
    widths = st.lists(st.integers(1, 6), min_size=hidden, max_size=hidden)
    return build(
        net=net,
        tau=draw(st.sampled_from(policies)),
        hidden=hidden,
        width=inputs if carry else draw(st.one_of(st.integers(1, 6), widths)),
        inputs=inputs,
        outputs=draw(st.integers(1, 3)),
        gamma=draw(st.floats(0.05, 0.95)),
        tau0=draw(st.sampled_from([1.0, 0.3, "1/H", "1/sqrtH", "uniform"])),
        activation=draw(st.sampled_from(["smoothrelu", "tanh", "softplus"])),
        eta=draw(st.sampled_from([1e-4, 0.5, 8.0])),
        carry_input=carry,
        init=draw(st.sampled_from(["torch", "he", "xavier", "normal"])),
        sort_biases=draw(st.booleans()),
        seed=draw(st.integers(0, 2**31)),
    )


@st.composite
def theorem_nets(draw, inputs=3, **settings):
    """Small nets of every kind that a theorem describes, with a step of its own for each layer."""
    hidden = draw(st.integers(1, 6))
    carry = draw(st.booleans())
    widths = st.lists(st.integers(1, 6), min_size=hidden, max_size=hidden)
    return build(
        net=draw(st.sampled_from(sorted(THEOREMS))),
        hidden=hidden,
        width=inputs if carry else draw(widths),
        inputs=inputs,
        outputs=2,
        gamma=draw(st.floats(0.1, 0.9)),
        tau0=draw(st.lists(st.floats(0.05, 2.0), min_size=hidden, max_size=hidden)),
        activation=draw(st.sampled_from(["tanh", "softplus", "smoothrelu"])),
        carry_input=carry,
        seed=draw(st.integers(0, 10**6)),
        **settings,
    )


losses = st.builds(
    Loss,
    lambda1=st.sampled_from([0.0, 0.3]),
    lambda2=st.sampled_from([0.0, 0.2]),
    beta=st.sampled_from([0.0, 10.0]),
)


def points(seed, rows=3, columns=4):
    """Standard normal rows."""
    return torch.from_numpy(
        np.random.Generator(np.random.Philox(seed)).normal(size=(rows, columns))
    )


def inputs_and_targets(rows):
    """Standard normal rows of seven and of three columns."""
    generator = torch.Generator().manual_seed(0)
    return (
        torch.randn(rows, columns, generator=generator, dtype=torch.float64) for columns in (7, 3)
    )


def random_data(net, rows=9, seed=0):
    """Standard normal inputs and targets."""
    random = np.random.Generator(np.random.Philox(seed))
    x = torch.from_numpy(random.standard_normal((rows, net.widths[0])))
    return x, torch.from_numpy(random.standard_normal((rows, net.widths[-1])))


def flatten(gradients):
    """A dict of gradients as one vector."""
    return torch.cat([g.flatten() for g in gradients.values()])
