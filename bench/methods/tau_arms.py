"""One training of one arm of the τ study: what is learned, what is frozen, what starts where.

fixed      τ stays at τ₀
global     one learned τ for all layers
learned    one learned τ per layer
averaged   τ learned once, replaced by its mean and frozen; the same weights start again
permuted   the same with the learned τ in another order
rezero     τ[0] = 1, the others learned from 0; τ₀ has no part in it
rescaled   τ = 1 frozen, and the hidden weights start multiplied by τ₀: for ReLU and τ > 0 the
           function that `fixed` and `learned` start from, without a τ
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple

from base.errors import UserError, nearest
from bench.methods.configurations import NetOnData
from nets import architectures, optimizers

if TYPE_CHECKING:
    from torch import Tensor

    from nets.module import Network

LEARNED_FIRST = ("averaged", "permuted")
OWN_POLICY = {"fixed": "fixed", "global": "global", "learned": "learned", "rezero": "rezero"}
ARMS = (*OWN_POLICY, *LEARNED_FIRST, "rescaled")
MANY, FEW = 24, 8  # settings that are compared with three and with all tuning seeds
EQUAL = 1.1  # a ratio of means that twelve seeds cannot tell from 1: their spread is 0.41 in log


@dataclass(frozen=True)
class Trained:
    """How one training ended; errors are None where it diverged."""

    train_mse: float | None
    rel_test_error: float | None
    label_start: str
    label_end: str
    log10_growth_start: float | None  # of ‖∂J/∂y‖, last hidden layer to first
    log10_growth_end: float | None
    tau_mean: float
    tau_spread: float  # standard deviation of τ over the layers
    tau_negative: float  # share of the layers with τ < 0, where τ is not a rescaling

    def document(self) -> dict[str, Any]:
        return vars(self)


class Point(NamedTuple):
    """The tuned settings of an arm."""

    tau0: str
    scale: float
    rate: float | None = None  # the optimiser searches along lines


@dataclass(frozen=True)
class Found:
    """What a search tried with one seed, the best of it with all tuning seeds, and its choice."""

    explored: dict[Point, float]
    finalists: dict[Point, float]
    chosen: Point


def search(
    grid: Mapping[str, Sequence[Any]],
    error: Callable[[Point, int], float],
    seeds: Sequence[int],
) -> Found:
    """The settings with the smallest geometric mean of `error` over the tuning seeds: all of the
    grid with one seed, the best with three, the best of these with all. Of settings that these
    seeds cannot tell apart the one nearest to the middle of the grid is taken.

    Settings depend on each other: a larger τ₀ wants a smaller rate. In the pilot, τ fixed in a
    ResNet of 50 layers, one setting at a time ended at 9.8e-6, where 5.0e-6 can be had; and a
    choice by four seeds had 4.6e-6 on these and 7.0e-6 on others.
    """
    known = cache(error)
    best = [Point(**dict(zip(grid, values, strict=True))) for values in product(*grid.values())]
    rounds: list[dict[Point, float]] = []
    for used, most in ((seeds[:1], len(best)), (seeds[:3], MANY), (seeds, FEW)):
        scores = {point: _mean(known(point, seed) for seed in used) for point in best[:most]}
        rounds.append(
            dict(sorted(scores.items(), key=lambda of: (of[1], _off_centre(of[0], grid))))
        )
        best = list(rounds[-1])
    explored, _, finalists = rounds
    equal = [point for point in best if finalists[point] <= EQUAL * finalists[best[0]]]
    return Found(explored, finalists, min(equal, key=lambda point: _off_centre(point, grid)))


def _mean(errors: Iterable[float]) -> float:
    """Geometric, infinite where a training was lost."""
    logarithms = [math.log(error) for error in errors]
    return math.exp(sum(logarithms) / len(logarithms))


def _off_centre(point: Point, grid: Mapping[str, Sequence[Any]]) -> float:
    """How far from the middle of its candidates the most extreme setting is, at most ½."""
    places = point._asdict()
    tuned = {name: values for name, values in grid.items() if len(values) > 1}
    return max(
        (abs(v.index(places[name]) / (len(v) - 1) - 0.5) for name, v in tuned.items()), default=0.0
    )


def at_the_edge(chosen: Mapping[str, Any], grid: Mapping[str, Sequence[Any]]) -> list[str]:
    """Which settings lie at an end of their candidates: a wider search might do better. A setting
    with one candidate is not tuned."""
    return [
        name
        for name, values in grid.items()
        if len(values) > 1 and chosen[name] in (values[0], values[-1])
    ]


def admitted(arm: str, net: str) -> bool:
    """Whether an architecture has this arm: a rescaling needs skips that τ does not move."""
    if arm not in ARMS:
        raise UserError(f"unknown arm {arm!r}; {nearest(arm, list(ARMS))}")
    if arm == "rescaled":
        return not architectures.get(net).HAS_ORDER
    return OWN_POLICY.get(arm, "learned") in architectures.tau_policies(net)


def trained(
    arm: str, start: NetOnData, optimizer: str, rate: float | None, evaluations: int
) -> Trained:
    """The arm from these starting values; `rate` is for an optimiser without a line search."""
    from bench.methods.gradient_atlas import inputs_and_targets, net_of

    options: dict[str, Any] = {} if optimizers.get(optimizer).LINE_SEARCH else {"rate": rate}
    x, y = inputs_and_targets(start)

    def minimised(net: Network) -> float:
        from nets.training.loop import train

        every = max(1, evaluations)  # only the best state is of interest
        found = train(
            net, x, y, optimizer=optimizer, evaluations=evaluations, every=every, **options
        )
        return math.inf if found.diverged else found.J

    net = net_of(replace(start, tau=OWN_POLICY.get(arm, "learned")))
    if arm in LEARNED_FIRST:
        minimised(net)
        net = _frozen(net, arm, start)
    elif arm == "rescaled":
        from nets.theory.rescaling import rescaled

        net = rescaled(net)
    before = _profile(net, x, y)
    J = minimised(net)
    return _judged(net, J, before, _profile(net, x, y), inputs_and_targets(start, test=True))


def _frozen(learned: Network, arm: str, start: NetOnData) -> Network:
    """The starting net again, with the learned τ averaged or permuted, and fixed."""
    import numpy as np

    from bench.methods.gradient_atlas import net_of

    tau = learned.tau.detach().double().numpy()
    if arm == "averaged":
        steps = np.full(len(tau), tau.mean())
    else:
        random = np.random.Generator(np.random.Philox([start.seed, start.data_seed, 11]))
        steps = random.permutation(tau)
    text = ",".join(repr(float(step)) for step in steps)
    return net_of(replace(start, tau="fixed", tau0=text))


def _profile(net: Network, x: Tensor, y: Tensor) -> list[float]:
    """log₁₀ ‖∂J/∂y[k]‖ of the hidden layers."""
    from nets.gradients.norms import log10_norms

    return log10_norms(net, x, y)["y"][1:-1].tolist()


def _judged(
    net: Network, J: float, before: list[float], after: list[float], test: tuple[Tensor, Tensor]
) -> Trained:
    from bench.core.plain_values import finite
    from nets.fast.kernel import predict
    from nets.gradients.verdict import judge

    start, end = judge(before), judge(after)
    error = math.nan
    if math.isfinite(J):
        error = float((predict(net, test[0]) - test[1]).norm() / test[1].norm())
    tau = net.tau.detach().double()
    return Trained(
        train_mse=finite(J),
        rel_test_error=finite(error),
        label_start=start.label,
        label_end=end.label,
        log10_growth_start=finite(start.log10_ratio),
        log10_growth_end=finite(end.log10_ratio),
        tau_mean=float(tau.mean()),
        tau_spread=float(tau.std(correction=0)),
        tau_negative=float((tau < 0).double().mean()),
    )
