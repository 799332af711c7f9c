"""A net's settings chosen by validation on its own samples.

Candidates are trained briefly on a part of the samples: without the ring r > `radius` of the
cylinder and without every fifth of the rest. These held-out samples judge, by the relative error:
a net must interpolate and extrapolate a little.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isnan
from typing import Any

from bench.core.plain_values import finite
from bench.methods.configurations import TrainingConfig
from nets import optimizers

TUNING_SEEDS_FROM = 1_000_000  # seeds of the search differ from those that are scored
HELD_OUT = 5  # one sample in five
# A step with the Jacobian of all residuals costs about as much as a twentieth as many evaluations
# of the gradient as there are parameters: 31 of 2 ms for a 2-20 net on 1000 samples.
PARAMETERS_PER_EVALUATION = 20
CHOICES = ("hidden", "width", "activation", "eta", "first_scale", "optimizer")
HISTORY_ROWS = 200

Candidate = Mapping[str, Any]


def candidates(
    sizes: Iterable[str],
    activations: Sequence[str],
    etas: Sequence[float],
    first_scales: Sequence[float],
    optimizer: str,
) -> list[Candidate]:
    """Every size with every activation: smoothReLU at every η, the others at every first scale."""
    shapes = [
        {"activation": name, "eta": eta, "first_scale": scale}
        for name in activations
        for eta in (etas if name == "smoothrelu" else (TrainingConfig.eta,))
        for scale in ((1.0,) if name == "smoothrelu" else first_scales)
    ]
    return [
        {"hidden": hidden, "width": width, **shape, "optimizer": optimizer}
        for hidden, width in (map(int, size.split("-")) for size in sizes)
        for shape in shapes
    ]


def best(tried: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The choices with the smallest validation error; the first of equals, never a diverged one."""
    least = min(tried, key=lambda c: float("inf") if c["validation"] is None else c["validation"])
    return {name: least[name] for name in CHOICES}


@dataclass(frozen=True)
class Validation:
    """The samples that all candidates share, and the radius beyond which they are held out."""

    start: TrainingConfig
    radius: float

    def settings(self, candidate: Candidate, evaluations: float) -> TrainingConfig:
        """Settings of a training that costs as much as so many evaluations of the gradient.

        Optimisers that ask for Jacobians get as many fewer evaluations as these cost more.
        """
        inputs = sum(1 if name == "phi" else 3 for name in self.start.features.split(","))
        hidden, width = candidate["hidden"], candidate["width"]
        parameters = width * (inputs + 1 + (hidden - 1) * (width + 1) + 3) + hidden
        jacobians = optimizers.needs_residuals(candidate["optimizer"])
        price = parameters / PARAMETERS_PER_EVALUATION if jacobians else 1.0
        affordable = max(1.0, evaluations // max(1.0, price))
        every = max(1, int(affordable) // HISTORY_ROWS)
        return replace(self.start, **candidate, evaluations=affordable, every=every)

    def held_out(self) -> Any:
        """Which samples are held out: those beyond the radius, and every fifth of the rest."""
        import numpy as np

        from bench import problems

        domain = problems.get(self.start.problem).domain
        points = domain.sample_training(self.start.samples, self.start.data_seed)
        held = domain.beyond(points, self.radius)
        inside = np.flatnonzero(~held)
        held[inside[HELD_OUT - 1 :: HELD_OUT]] = True
        return held

    def validated(self, candidate: Candidate, evaluations: int) -> dict[str, Any]:
        """The candidate with its cost, its smallest validation error and where on the way that was.

        Judging on the way is not in its seconds: it costs a fraction of one evaluation each time.
        """
        from bench.measure.norms import relative_test_error
        from bench.methods.training import predict, starting_net, training_data
        from nets.training.loop import train

        settings = self.settings(candidate, evaluations)
        seed = TUNING_SEEDS_FROM + self.start.seed
        data, held = training_data(settings), self.held_out()
        training = train(
            starting_net(replace(settings, seed=seed)),
            data.x[~held],
            data.y[~held],
            optimizer=settings.optimizer,
            evaluations=settings.evaluations,
            every=evaluations,
            seed=seed,
            probes={
                "validation": lambda net: relative_test_error(
                    predict(net, data.x[held]), data.y[held]
                )
            },
        )
        smallest, best_at = least(training.curve["validation"], training.curve["evaluations"])
        return {
            **candidate,
            "validation": finite(smallest),
            "best_at": best_at,
            "evaluations": training.evaluations,
            "seconds": training.seconds,
        }


def least(errors: Iterable[float], evaluations: Iterable[float]) -> tuple[float, float]:
    """The smallest error along a curve and when it was reached, the first of equals.

    The last point of a curve is the state of smallest J: it counts for the end. A curve without any
    number keeps the whole length.
    """
    known = [(error, at) for error, at in zip(errors, evaluations, strict=True) if not isnan(error)]
    if not known:
        return float("nan"), max([1.0, *evaluations])
    error, at = min(known)
    return float(error), max(1.0, float(at))
