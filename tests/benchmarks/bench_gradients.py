"""What watching gradients costs, and a portrait of the deepest nets of the atlas."""

import ctypes
import multiprocessing
import random
import time
from itertools import pairwise

import pytest
import torch
from torch import nn
from turns import median_with_interval

from bench.cells import Cell, load_kind
from nets import build, record_gradients

GROUP = "gradients"


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


TURNS, STEPS = 500, 4

KEEP = 1 << 30  # bytes
M_TRIM_THRESHOLD, M_MMAP_THRESHOLD = -1, -3  # of glibc's malloc.h


def keep_memory():
    """Freed memory stays with the process, where its C library lets us say so. As a rule it goes
    back at every step and costs up to a third of it in page faults, more or fewer by the chance
    of what lies on top of the heap: noise of 5 % that has nothing to do with recording."""
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(M_TRIM_THRESHOLD, KEEP)
        mallopt(M_MMAP_THRESHOLD, KEEP)


def arms(make):
    """A few steps of training, without recording and with, in CPU seconds: on a busy machine time
    that passes is mostly others'."""
    model, x = make()
    optimizer = torch.optim.Adam(model.parameters())

    def plain():
        start = time.process_time()
        for _ in range(STEPS):
            optimizer.zero_grad()
            model(x).square().mean().backward()
            optimizer.step()
        return time.process_time() - start

    def recorded():
        with record_gradients(model):
            return plain()

    return plain, recorded


def ratios(make):
    """CPU seconds with recording over those without. The arms take turns, in random order, so that
    what slows the machine down falls on both."""
    keep_memory()
    torch.set_num_threads(1)
    plain, recorded = arms(make)
    plain()
    found = []
    order = random.Random(0)
    for _ in range(TURNS):
        seconds = {arm: arm() for arm in order.sample([plain, recorded], 2)}
        found.append(seconds[recorded] / seconds[plain])
    return found


@pytest.mark.parametrize("make", [convolutional, resnet, deep_linear])
def test_overhead_of_recording(measured, make):
    """At most 5 % of a training step, end to end: the median of ratios with its interval; in a
    process of its own, since how memory is kept cannot be taken back."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        found = pool.apply(ratios, (make,))
    measured.benchmark.pedantic(arms(make)[1], rounds=5)
    ratio = median_with_interval(found)
    measured.info.update(overhead=ratio.value - 1)
    measured.target("with recording over without", ratio, at_most=1.05)


@pytest.mark.parametrize("net", ["feedforward", "resnet", "densenet", "fractional"])
def test_portrait_at_depth_200(benchmark, net):
    """Norms, theory and spectra of 200 layers on 1000 samples: no overflow, under 2 GB."""
    cell = Cell("gradients_at_init", {"net": net, "hidden": 200})
    kind = load_kind(cell.kind)
    result = benchmark.pedantic(kind.run, (cell.settings,), rounds=1)
    assert kind.needs_bytes(cell.settings) < 2e9
    assert result.values["theory_error"] < 1e-8
    names = ("log10_growth", "log10_growth_predicted", "log10_spectral_norm", "theory_error")
    benchmark.extra_info.update({name: result.values[name] for name in names})
