"""Two tasks on which plain neural ODEs struggle (Dupont, Doucet, Teh 2019), for the paper's nets.

crossing   points near −1 and 1 on the line; the sign of the answer is the opposite of the input's
annuli     the disc |x| < ½ inside the ring 1 < |x| < 3/2 of the plane

The state of a net starts at the input and keeps its dimension, so that a layer is a step of an
ODE; `extra` adds zeros to the input (an augmented net). The answer is a linear function of the last
state, for the crossing its first coordinate. The loss is the cross-entropy; a training ends where
it is at most 0.01. On points that can be separated it has no minimum, and how small it gets in a
number of steps says only how large the weights have grown.

With small steps, |τ| ‖W‖ < 1 for an activation of slope at most 1, a layer of a ResNet is a
homeomorphism. On the line it keeps the order of points, so the crossing cannot be learned: at most
half of the points are right and the loss is at least log 2. In the plane the image of the
disc stays inside the image of the ring, so no half-plane separates them (maths 9).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from base.errors import UserError, nearest
from nets.module import propagate

if TYPE_CHECKING:
    from nets.module import Network

Array = NDArray[np.float64]
CONTRACTION = 0.9  # |τ| ‖W‖ of a net with small steps
DIMENSION = {"crossing": 1, "annuli": 2}
HALF_WIDTH = 0.25  # of the two intervals of the crossing
DISC, RING = (0.0, 0.5), (1.0, 1.5)
SOLVED = 0.01  # cross-entropy


class Points(NamedTuple):
    """Inputs (N, dimension) and labels ±1 (N,), both classes equally often."""

    x: torch.Tensor
    label: torch.Tensor


def dimension(task: str) -> int:
    """Return the number of coordinates of a task's points."""
    if task not in DIMENSION:
        raise UserError(f"unknown task {task!r}; {nearest(task, list(DIMENSION))}")
    return DIMENSION[task]


def points(task: str, count: int, seed: int, extra: int = 0) -> Points:
    """Return random points of a task, with `extra` zeros appended to each."""
    dimension(task)
    random = np.random.Generator(np.random.Philox(seed))
    label = np.where(np.arange(count) % 2, 1.0, -1.0)
    if task == "crossing":
        inner = -label[:, None] + random.uniform(-HALF_WIDTH, HALF_WIDTH, (count, 1))
    else:
        low, high = np.where(label[:, None] < 0, DISC, RING).T
        radius = np.sqrt(low**2 + (high**2 - low**2) * random.random(count))
        angle = 2 * np.pi * random.random(count)
        inner = radius[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    x = np.concatenate([inner, np.zeros((count, extra))], axis=1)
    return Points(torch.as_tensor(x), torch.as_tensor(label))


def score(net: Network, x: torch.Tensor) -> torch.Tensor:
    """The answer at points; its sign is the class."""
    return net(x)[:, 0]


def cross_entropy(scores: torch.Tensor, label: torch.Tensor) -> torch.Tensor:
    """Mean of log(1 + exp(−label · score))."""
    return torch.nn.functional.softplus(-label * scores).mean()


def accuracy(net: Network, data: Points) -> float:
    """Share of points with the right sign; a score of 0 is wrong."""
    with torch.no_grad():
        return float((score(net, data.x) * data.label > 0).double().mean())


def prepare(net: Network, task: str) -> None:
    """Set the answer of the crossing to the first coordinate, and freeze it."""
    if task == "crossing":
        with torch.no_grad():
            net.W[-1].zero_()
            net.W[-1][0, 0] = 1.0
        net.W[-1].requires_grad_(False)


def shorten_steps(net: Network) -> None:
    """Scale the hidden weights where |τ| ‖W‖ exceeds CONTRACTION."""
    with torch.no_grad():
        for step, weight in zip(net.tau, list(net.W)[:-1], strict=True):
            length = abs(float(step)) * float(torch.linalg.matrix_norm(weight, 2))
            if length > CONTRACTION:
                weight.mul_(CONTRACTION / length)


@dataclass(frozen=True)
class Trained:
    """How a training ended; `pictures` has trajectories, and scores on a grid of the plane."""

    loss: float  # at least `SOLVED`
    accuracy: float
    test_accuracy: float
    tau: list[float]
    pictures: dict[str, Array]

    def document(self) -> dict[str, Any]:
        return {
            "cross_entropy": self.loss,
            "accuracy": self.accuracy,
            "test_accuracy": self.test_accuracy,
            "tau": self.tau,
        }


def trained(
    net: Network, train: Points, test: Points, *, steps: int, rate: float, small: bool
) -> Trained:
    """Adam until the task is solved; with `small` steps the net stays a homeomorphism."""
    free = [parameter for parameter in net.parameters() if parameter.requires_grad]
    adam = torch.optim.Adam(free, lr=rate)
    with _one_thread():
        for _ in range(steps):
            if small:
                shorten_steps(net)
            adam.zero_grad()
            J = cross_entropy(score(net, train.x), train.label)
            if not SOLVED < J.item() < math.inf:
                break
            J.backward()
            adam.step()
    if small:
        shorten_steps(net)
    with torch.no_grad():
        loss = max(float(cross_entropy(score(net, train.x), train.label)), SOLVED)
    tau = net.tau.detach().tolist()
    return Trained(loss, accuracy(net, train), accuracy(net, test), tau, _pictures(net, test.x))


def _pictures(net: Network, x: torch.Tensor) -> dict[str, Array]:
    drawn = {"trajectories": trajectories(net, x[:20])}
    return drawn | ({"scores": decision_map(net, x.shape[1] - 2)} if x.shape[1] > 1 else {})


@contextmanager
def _one_thread() -> Iterator[None]:
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)


def decision_map(net: Network, extra: int, side: int = 41) -> Array:
    """Scores on a square grid of (−2, 2)², row by row from below."""
    line = np.linspace(-2.0, 2.0, side)
    x, y = np.meshgrid(line, line)
    grid = np.stack([x.ravel(), y.ravel(), *np.zeros((extra, x.size))], axis=1)
    with torch.no_grad():
        return score(net, torch.as_tensor(grid)).numpy().reshape(side, side)


def trajectories(net: Network, x: torch.Tensor) -> Array:
    """States of every hidden layer, the input first: (layers, N, dimension)."""
    with torch.no_grad():
        states = propagate(net, x, list(net.W), list(net.b), net.tau)[0][:-1]
    return torch.stack(states).numpy()
