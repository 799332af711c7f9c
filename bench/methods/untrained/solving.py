"""Random features given an equation: what `femnets train` and `untrained_net` cells share.

Without a singular edge the result is a plain feedforward net of one hidden layer. With one, the
features are functions of (log R, θ, x₃) in windows (`bench.methods.untrained.edge`).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from base.errors import UserError
from base.registry import name_of
from bench import problems
from bench.core.guards.sizes import check_memory
from bench.core.plain_values import finite
from bench.core.settings import configured
from bench.methods.certificates.certify import stored
from bench.methods.collocation.clouds import FEWEST
from bench.methods.forms import strong
from bench.methods.solving import Collocation, SolvedField, box_of, evaluated, figures
from bench.methods.untrained.configuration import UntrainedConfig
from bench.methods.untrained.equation import terms
from bench.methods.untrained.scales import MOST_SOLVES, indicator, searched
from bench.problems import Array, Problem

if TYPE_CHECKING:
    from nets.module import Network
    from nets.untrained.features import Features
    from nets.untrained.windowed import WindowedNet

SMOOTH_FEATURES, EDGE_FEATURES = 500, 300
MIDDLE = {"tanh": 0.4, "sine": 2.0}  # scales with 500 features, at the middle of the search
GROWTH = 0.7  # the best scale grows like this power of the number of features
POINTS, RIM_POINTS = 1.25, 1.1  # per feature; 2.4 rows per unknown
FRESH, FRESH_RIM, FRESH_STREAM = 300, 240, 1  # points at which the residual is measured
Say = Callable[[str, float], None]
Solve = Callable[[UntrainedConfig, Problem, Say], tuple[Any, dict[str, Any]]]


@dataclass(frozen=True)
class UntrainedNet:
    """A net as a field with its figures; `net` is what is stored."""

    net: Network | WindowedNet
    values: dict[str, Any]

    @property
    def field(self) -> SolvedField | WindowedNet:
        """u and its Jacobian at points."""
        return as_field(self.net)


def as_field(net: Any) -> Any:
    """The field of a stored net: of a plain one, or of windows."""
    from nets.module import Network

    return SolvedField(net) if isinstance(net, Network) else net


def solve_untrained(
    config: UntrainedConfig | Mapping[str, Any], *, say: Say | None = None
) -> UntrainedNet:
    """Draw, choose the scale, solve and measure; `say` is called with the state and the seconds."""
    if not isinstance(config, UntrainedConfig):
        config = configured(UntrainedConfig, config, where="random features")
    _check_memory(config)
    problem = problems.get(config.problem)
    solve: Solve = _plain if problem.smooth else _windowed
    net, values = solve(config, problem, say or _silent)
    measured = evaluated_untrained(net, config)
    parts = measured["residual"]
    ended = {"J": sum(parts.values()) if parts else None, "steps": 0, "reason": "solved"}
    diverged = problem.known and measured["l2_error"] is None
    return UntrainedNet(net, {**measured, **ended, "diverged": diverged, **values})


def _silent(state: str, seconds: float) -> None:
    pass


def evaluated_untrained(net: Any, config: UntrainedConfig) -> dict[str, Any]:
    """All figures of a solved net; for windows by a rule that goes as deep as they do."""
    problem = problems.get(config.problem)
    if problem.smooth:
        return evaluated(net, collocation_of(config, problem))
    from bench.methods.untrained.edge import residual_parts, rule_of

    return {
        **figures(net, problem, {"whole": rule_of(problem)}),
        **stored(net, problem),
        "tau": None,
        "residual": residual_parts(net, problem, config.boundary_weight, config.data_seed),
        "parameters": net.parameters,
    }


def _check_memory(config: UntrainedConfig) -> None:
    check_memory(
        needed_bytes(config), f"a solve for {count_of(config):,} features", "use fewer --features"
    )


def needed_bytes(config: UntrainedConfig) -> int:
    """Memory of the triangle, its copies, and rows made at once, beyond that of the process."""
    columns = (3 if problems.get(config.problem).smooth else 8) * count_of(config) + 1
    return 3 * 8 * columns**2 + 4 * 64 * 2**20


# ---------------------------------------------------------------- a smooth field


@dataclass(frozen=True)
class Attempt:
    """The solve with one scale."""

    features: Features
    weights: Array  # (3, K)
    scale: float
    residual: float  # root of the mean squares at fresh points
    seconds: float

    @property
    def eta(self) -> float:
        return indicator(self.residual, float(np.linalg.norm(self.weights)))


def count_of(config: UntrainedConfig) -> int:
    smooth = problems.get(config.problem).smooth
    return config.features or (SMOOTH_FEATURES if smooth else EDGE_FEATURES)


def _plain(config: UntrainedConfig, problem: Problem, say: Say) -> tuple[Network, dict[str, Any]]:
    """Search for the scale; the net of the best one, the choice and its cost."""

    seconds = 0.0

    def attempt(scale: float) -> tuple[float, Attempt]:
        nonlocal seconds
        made = attempted(config, problem, scale)
        seconds += made.seconds
        say(f"scale {scale:.3g}: indicator of the error {made.eta:.1e}", seconds)
        return made.eta, made

    middle, most = config.given_scale or middle_scale(config), MOST_SOLVES
    tried = searched(attempt, middle, most if config.given_scale is None else 1)
    best = min(tried.values(), key=lambda found: found[0])[1]
    inside, rim = points_of(config)
    return network_of(best), {
        "scale": best.scale,
        "indicator": best.eta,
        "scales_tried": {f"{scale:.4g}": finite(eta) for scale, (eta, _) in tried.items()},
        "features": len(best.features),
        "unknowns": best.weights.size,
        "points": inside,
        "boundary_points": rim,
        "evaluations": len(tried),
        "seconds": seconds,
        "seconds_tuning": seconds - best.seconds,
    }


def middle_scale(config: UntrainedConfig) -> float:
    """Where the search begins."""
    start = MIDDLE.get(config.activation, MIDDLE["tanh"])
    return float(start * (count_of(config) / SMOOTH_FEATURES) ** GROWTH)


def attempted(config: UntrainedConfig, problem: Problem, scale: float) -> Attempt:
    from nets.untrained.features import Features, blocks
    from nets.untrained.triangle import least_squares

    started, count = time.perf_counter(), count_of(config)
    low, high = box_of(problem.domain)
    features = Features.drawn(count, scale, low, high, config.seed, config.activation)
    chosen = (config.data_seed, config.draw, config.boundary_weight)
    inside, rim = points_of(config)
    solved = terms(problem, inside, rim, *chosen, 0)
    weights = least_squares(blocks(solved, features), 3 * count)
    fresh = terms(problem, FRESH, FRESH_RIM, *chosen, FRESH_STREAM)
    squares = sum(
        float(np.sum((r[:, :-1] @ weights - r[:, -1]) ** 2)) for r in blocks(fresh, features)
    )
    seconds = time.perf_counter() - started
    return Attempt(features, weights.reshape(3, count), scale, squares**0.5, seconds)


def points_of(config: UntrainedConfig) -> tuple[int, int]:
    """How many points inside and on the boundary."""
    count = count_of(config)
    inside = config.points or max(FEWEST, round(POINTS * count))
    return inside, config.boundary_points or max(FEWEST, round(RIM_POINTS * count))


def network_of(made: Attempt) -> Network:
    """The features and their output weights as a feedforward net of one hidden layer."""
    import torch

    from nets.architectures import feedforward
    from nets.module import build

    net = build(
        net=name_of(feedforward), tau="fixed", hidden=1, width=len(made.features), inputs=3,
        outputs=3, activation=made.features.sigma.name,
    )  # fmt: skip
    with torch.no_grad():
        net.W[0].copy_(torch.from_numpy(made.features.W))
        net.b[0].copy_(torch.from_numpy(made.features.b))
        net.W[1].copy_(torch.from_numpy(made.weights))
    return net


def collocation_of(config: UntrainedConfig, problem: Problem) -> Collocation:
    """The same points and weights, for the parts of the loss."""
    return Collocation(
        problem, *points_of(config), seed=config.data_seed, form=name_of(strong),
        boundary_weight=config.boundary_weight, draw=config.draw,
    )  # fmt: skip


# ---------------------------------------------------------------- a singular edge


def _windowed(
    config: UntrainedConfig, problem: Problem, say: Say
) -> tuple[WindowedNet, dict[str, Any]]:
    """One solve: the scale was found by pilots, one value for all fields of a kind."""
    from bench.methods.untrained.edge import cells_of, solved

    if config.points is not None or config.boundary_points is not None:
        raise UserError("--points and --boundary-points follow from --features at a singular edge")
    say("windows towards the edge", 0.0)
    started = time.perf_counter()
    seeds = (config.seed, config.data_seed)
    cells = cells_of(
        problem,
        count_of(config),
        config.given_scale,
        config.activation,
        config.boundary_weight,
        seeds,
    )
    net = solved(cells)
    return net, {
        "scale": cells.scale,
        "given_edge": True,
        "features": count_of(config),
        "unknowns": net.unknowns,
        "evaluations": 1,
        "seconds": time.perf_counter() - started,
        "seconds_tuning": 0.0,
    }
