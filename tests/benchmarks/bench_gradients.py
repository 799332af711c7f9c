"""What watching gradients costs, and a portrait of the deepest nets of the atlas."""

import statistics
import time
from itertools import pairwise

import pytest
import torch
from torch import nn

from bench.cells import Cell, load_kind
from nets import build, record_gradients
from nets.record import GradientHistory


@pytest.fixture(autouse=True)
def one_thread():
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


def convolutional():
    torch.manual_seed(0)
    channels = [1, 16, 16, 16]
    layers = [
        part for a, b in pairwise(channels) for part in (nn.Conv2d(a, b, 3, padding=1), nn.ReLU())
    ]
    head = [nn.AdaptiveAvgPool2d(4), nn.Flatten(), nn.Linear(256, 10)]
    return nn.Sequential(*layers, *head), torch.randn(32, 1, 28, 28)


def resnet():
    net = build(net="resnet", tau="learned", hidden=6, width=50)
    return net, torch.randn(1000, 7, dtype=torch.float64)


def deep_linear():
    torch.manual_seed(0)
    layers = [part for _ in range(50) for part in (nn.Linear(64, 64), nn.Tanh())]
    return nn.Sequential(*layers), torch.randn(256, 64)


class Stopwatch:
    """Seconds spent inside the recorder, all of whose entries are wrapped."""

    def __init__(self, monkeypatch):
        self.inside = 0.0
        for name in ("_on_forward", "_on_output", "_on_gradient", "_end_of_pass"):
            monkeypatch.setattr(GradientHistory, name, self.timed(getattr(GradientHistory, name)))

    def timed(self, method):
        def wrapped(*arguments):
            start = time.perf_counter()
            method(*arguments)
            self.inside += time.perf_counter() - start

        return wrapped


@pytest.mark.parametrize("make", [convolutional, resnet, deep_linear])
def test_overhead_of_recording(benchmark, monkeypatch, make):
    """At most 5 % of a training step: medians of the time in the recorder and in the rest of the
    same steps, so that a busy machine slows down both.

    A lower bound: the engine's cost of calling the hooks counts as the rest of the step. Ratios of
    whole steps with and without recording came out between 0.98 and 1.15 on a busy machine.
    """
    benchmark.group = "gradients"
    model, x = make()
    optimizer = torch.optim.Adam(model.parameters())
    watch = Stopwatch(monkeypatch)

    def step():
        optimizer.zero_grad()
        model(x).square().mean().backward()
        optimizer.step()

    def inside_and_rest():
        watch.inside, start = 0.0, time.perf_counter()
        step()
        return watch.inside, time.perf_counter() - start - watch.inside

    with record_gradients(model):
        step()
        inside, rest = zip(*[inside_and_rest() for _ in range(50)], strict=True)
        benchmark.pedantic(step, rounds=5)
    overhead = statistics.median(inside) / statistics.median(rest)
    benchmark.extra_info.update(overhead=overhead)
    assert overhead < 0.05


@pytest.mark.parametrize("net", ["feedforward", "resnet", "densenet", "fractional"])
def test_portrait_at_depth_200(benchmark, net):
    """Norms, theory and spectra of 200 layers on 1000 samples: no overflow, under 2 GB."""
    benchmark.group = "gradients"
    cell = Cell("gradients_at_init", {"net": net, "hidden": 200})
    kind = load_kind(cell.kind)
    result = benchmark.pedantic(kind.run, (cell.config,), rounds=1)
    assert kind.needs_bytes(cell.config) < 2e9
    assert result.values["theory_error"] < 1e-8
    names = ("log10_growth", "log10_growth_predicted", "log10_spectral_norm", "theory_error")
    benchmark.extra_info.update({name: result.values[name] for name in names})
