"""Fits to noisy samples: the same noisy numbers for nets, linear models and elements.

Noise of level ε adds to each number an independent normal one of ε times the root mean square of
its quantity over the samples. It may be in the answers u, and in the inputs f and φ; positions are
exact.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bench.methods import baselines
from bench.methods.linear_models import Baseline

if TYPE_CHECKING:
    from bench.problems import Problem

Array = NDArray[np.float64]
Field = Callable[[Any], Array]
NETS: dict[str, dict[str, Any]] = {  # built for the features of the samples
    "paper net": {
        "shape": {"net": "resnet", "hidden": 2, "width": 50, "activation": "smoothrelu"},
        "training": {"optimizer": "steepest"},
    },
    "strong net": {
        "shape": {"net": "resnet", "hidden": 2, "width": 20, "activation": "tanh"},
        "training": {"optimizer": "ssbfgs"},
    },
}
ELEMENT = "N1"
MESHES = (1, 2, 3, 4, 6, 8)  # cells per radius of the cylinder, chosen by validation
HELD_OUT = 5  # one sample in five
TOLERANCE = 1e-6  # few samples leave dofs that only the regularisation determines


@dataclass(frozen=True)
class Samples:
    """Noisy inputs (N, features) and targets (N, 3) at exact points (3, N)."""

    points: Array
    inputs: Array
    targets: Array

    @classmethod
    def drawn(
        cls, problem: Problem, features: tuple[str, ...], count: int, level: float, seed: int,
        noisy: tuple[str, ...] = ("u", "f", "phi"),
    ) -> Samples:  # fmt: skip
        points = problem.domain.sample_training(count, seed)
        random = np.random.Generator(np.random.Philox([seed, 77]))

        def disturbed(values: Array, name: str) -> Array:
            size = level * float(np.sqrt(np.mean(values**2))) if name in noisy else 0.0
            return values + size * random.standard_normal(values.shape)

        blocks = [disturbed(problem.inputs(points, (name,)), name) for name in features]
        targets = disturbed(problem.targets(points), "u")
        return cls(points, np.concatenate(blocks, axis=1), targets)

    def part(self, chosen: NDArray[np.bool_]) -> Samples:
        return Samples(self.points[:, chosen], self.inputs[chosen], self.targets[chosen])


@dataclass(frozen=True)
class Fitted:
    """A field x ↦ u, its number of unknowns, and whether it is defined on the whole domain."""

    field: Field
    unknowns: int
    everywhere: bool = True


def fitted(
    method: str, problem: Problem, features: tuple[str, ...], samples: Samples, *,
    evaluations: int, seed: int,
) -> Fitted:  # fmt: skip
    """Fit a net, an element or a linear model to the samples."""
    if method in NETS:
        return _net(NETS[method], problem, features, samples, evaluations, seed)
    if method == ELEMENT:
        return _element(problem, samples)
    model = baselines.fitted(method, samples.inputs, samples.targets, seed)
    return Fitted(Baseline(model, problem, features, curl=False), model.unknowns)


def _net(
    recipe: dict[str, Any], problem: Problem, features: tuple[str, ...], samples: Samples,
    evaluations: int, seed: int,
) -> Fitted:  # fmt: skip
    import torch

    from bench.measure.net_fields import net_field
    from nets.module import build
    from nets.training.loop import train

    net = build(**recipe["shape"], tau="learned", inputs=samples.inputs.shape[1], seed=seed)
    x, y = torch.as_tensor(samples.inputs), torch.as_tensor(samples.targets)
    train(net, x, y, **recipe["training"], evaluations=evaluations, progress=False)
    unknowns = sum(parameter.numel() for parameter in net.free_parameters())
    return Fitted(net_field(net, problem, features), unknowns)


def _element(problem: Problem, samples: Samples) -> Fitted:
    """Least squares on the mesh that predicts held-out samples best.

    A mesh has at most as many unknowns as there are numbers.
    """
    from fem.least_squares import Fit, fit

    held = np.arange(len(samples.targets)) % HELD_OUT == HELD_OUT - 1
    known, unseen = samples.part(~held), samples.part(held)

    def on(n: int, given: Samples) -> Fit:
        mesh = problem.domain.training_mesh(n)
        return fit(given.points, given.targets.T, mesh, element=ELEMENT, tol=TOLERANCE)

    def error(n: int) -> float:
        return float(np.linalg.norm(on(n, known)(unseen.points) - unseen.targets.T))

    coarsest = on(MESHES[0], known).dofs
    able = [n for n in MESHES if coarsest * n**3 <= known.targets.size] or [MESHES[0]]
    found = on(min(able, key=error), samples)
    return Fitted(found, found.dofs, everywhere=False)


def errors(problem: Problem, model: Fitted) -> dict[str, Any]:
    """L² errors on the whole domain, where the samples lie and outside; None where undefined."""
    from bench.measure.norms import field_errors, training_part_error

    if model.everywhere:
        found = field_errors(model.field, problem)
        return {name: value for name, value in found.items() if name.startswith("l2_error")}
    name, inside, _ = training_part_error(model.field, problem)
    return {name: inside}
