"""One net given an equation: what `femnets train --track solve` and `solved_net` cells share.

`solve_net(config)` is a pure function: the same config gives the same numbers (but for seconds).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from base.errors import UserError
from bench import problems
from bench.core.plain_values import finite
from bench.core.settings import configured
from bench.domains import Domain
from bench.measure import norms
from bench.methods import forms
from bench.methods.certificates.certify import stored
from bench.methods.certificates.residuals import relative_bound
from bench.methods.configurations import FEWEST_POINTS, SolvingConfig
from bench.methods.training import FIGURES, MeasuredNet, histories, how_it_went, shape_and_start
from bench.problems import Array, Problem

if TYPE_CHECKING:
    from bench.methods.collocation.built_in import BuiltIn
    from fem.rules.quadrature import Quadrature
    from nets.module import Network
    from nets.residuals.by_autograd import AutogradResiduals
    from nets.residuals.objective import ResidualObjective
    from nets.training.loop import Progress, Training

BOUNDARY_SHARE = 0.6
RANGE_POINTS = 12_000  # at which the range of u₃ is computed


@dataclass(frozen=True)
class Collocation:
    """A problem at points: their number and seed, the form, the boundary values, the weights."""

    problem: Problem
    points: int
    boundary_points: int
    seed: int = 0
    form: str = "strong"
    boundary: str = "penalty"
    boundary_weight: float = forms.BOUNDARY_WEIGHT
    draw: str = "quasi"

    @cached_property
    def built_in(self) -> BuiltIn | None:
        if self.boundary not in forms.BOUNDARIES:
            raise UserError(f"--boundary must be penalty or exact, not {self.boundary!r}")
        if self.boundary == "penalty":
            return None
        from bench.methods.collocation.built_in import box_values

        return box_values(self.problem)

    def objective(
        self, net: Network, stream: int = 0, centre: Array | None = None
    ) -> ResidualObjective | AutogradResiduals:
        """½ Σ r² on points of that stream of the seed; `centre` is what the net's x lacks."""
        from bench.methods.collocation.clouds import inside_cloud, rim_cloud
        from nets.residuals.by_autograd import AutogradResiduals
        from nets.residuals.objective import ResidualObjective
        from nets.user_modules import OwnNet

        inside = inside_cloud(self.problem, self.points, self.seed, self.draw, stream)
        rim = rim_cloud(self.problem, self.boundary_points, self.seed, self.draw, stream)
        terms = forms.terms(
            self.problem,
            inside,
            rim,
            form=self.form,
            boundary_weight=self.boundary_weight,
            built_in=self.built_in,
            centre=(0.0, 0.0, 0.0) if centre is None else tuple(centre),
        )
        return (
            AutogradResiduals(net, terms)
            if isinstance(net, OwnNet)
            else ResidualObjective(net, terms)
        )

    def field(self, net: Network, centre: Array | None = None) -> SolvedField:
        return SolvedField(net, self.built_in, np.zeros(3) if centre is None else centre)


@dataclass(frozen=True)
class SolvedField:
    """The field of a net given an equation: its first three outputs, lifted if built in."""

    net: Network
    built_in: BuiltIn | None = None
    centre: Array = field(default_factory=lambda: np.zeros(3))

    def __call__(self, x: ArrayLike) -> Array:
        """u at points (3, ...)."""
        x = np.asarray(x, dtype=np.float64)
        return self.jets(x.reshape(3, -1), "value")[0].reshape(x.shape)

    def jacobian(self, x: ArrayLike) -> Array:
        """[i, j] = ∂_j u_i, (3, 3, ...)."""
        x = np.asarray(x, dtype=np.float64)
        slopes = self.jets(x.reshape(3, -1), "first")[1:]
        return np.swapaxes(slopes, 0, 1).reshape(3, *x.shape)

    def jets(self, x: Array, order: str) -> Array:
        """(channels, 3, N)."""
        from nets.residuals.values import jets

        found = jets(self.net, x.T - self.centre, order)[:, :3]
        return found if self.built_in is None else self.built_in.field(x, found, order)


@dataclass(frozen=True)
class SolvedNet(MeasuredNet):
    """A net given an equation."""

    collocation: Collocation


def box_of(domain: Domain) -> tuple[Array, Array]:
    """The smallest box around a domain: its lower and upper corner."""
    if domain.structured:
        return np.zeros(3), np.ones(3)
    vertices = domain.mesh(1).p
    return vertices.min(axis=1), vertices.max(axis=1)


def starting_net(config: SolvingConfig) -> Network:
    """The net at its starting values, as if its inputs were scaled to [−1, 1]³.

    A user's torch module is given x itself.
    """
    import torch

    from nets.module import build
    from nets.user_modules import OwnNet

    net = build(**shape_and_start(config), inputs=3, outputs=forms.get(config.form).OUTPUTS)
    if isinstance(net, OwnNet):
        return net
    low, high = box_of(problems.get(config.problem).domain)
    with torch.no_grad():
        net.W[0].mul_(torch.from_numpy(2 / (high - low)))
    return net


def collocation_of(
    config: SolvingConfig, parameters: int, net: Network | None = None
) -> Collocation:
    """Fill in the config's defaults; raise a UserError if the net does not suit the form."""
    form = forms.get(config.form)
    if net is None:
        _check_activation(config, form.SMOOTHNESS)
    problem = problems.get(config.problem)
    if hasattr(problem.phi, "jumps_near") and form.SMOOTHNESS > 1:
        raise UserError(
            f"φ of {problem.name} jumps between groups of the mesh, where --form {config.form} has "
            "no meaning; use --form first-order"
        )
    rule = max(FEWEST_POINTS, parameters if problem.smooth else 2 * parameters)
    points = rule if config.points is None else config.points
    rim = round(BOUNDARY_SHARE * points)
    return Collocation(
        problem=problem,
        points=points,
        boundary_points=rim if config.boundary_points is None else config.boundary_points,
        seed=config.data_seed,
        form=config.form,
        boundary=config.boundary,
        boundary_weight=config.boundary_weight,
        draw=config.draw,
    )


def _check_activation(config: SolvingConfig, needed: int) -> None:
    from nets.activations import activation

    if activation(config.activation, config.eta).smoothness < needed:
        raise UserError(
            f"--form {config.form} needs an activation with {needed} continuous derivatives, and "
            f"{config.activation} has fewer; use --activation tanh, or --form weak or first-order"
        )


def _check_memory(config: SolvingConfig, objective: ResidualObjective | AutogradResiduals) -> None:
    from fem.memory import limit_bytes
    from nets import optimizers

    P, R = objective.parameters, objective.count
    needed = optimizers.state_bytes(config.chosen_optimizer, P)
    if optimizers.needs_residuals(config.chosen_optimizer):
        needed += 8 * P * min(R, P) + (8 * P * R if R < P else 0)
    needed += sum(term.A.nbytes for term in objective.terms) * 2
    if needed > limit_bytes():
        raise UserError(
            f"{P:,} parameters and {R:,} residuals need {needed / 2**30:.1f} GiB with "
            f"{config.chosen_optimizer}, of {limit_bytes() / 2**30:.1f} free; use fewer points, a "
            "smaller net, or --optimizer lbfgs"
        )


def solve_net(
    config: SolvingConfig | Mapping[str, Any],
    *,
    seconds: float | None = None,
    until_certified: float | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> SolvedNet:
    """Build, train and measure one net; with a limit in `seconds` the result does not repeat.

    `until_certified` ends the training when the net's own residuals certify that relative L² error.
    """
    if not isinstance(config, SolvingConfig):
        config = configured(SolvingConfig, config, where="a training")
    from nets.user_modules import OwnNet

    net = starting_net(config)
    is_own = isinstance(net, OwnNet)
    collocation = collocation_of(config, net.pack().size, net if is_own else None)
    centre = np.zeros(3) if is_own else np.mean(box_of(collocation.problem.domain), axis=0)
    objective = collocation.objective(net, 0, centre)
    _check_memory(config, objective)
    stops = {"seconds": seconds, "target": until_certified}
    training = _trained(config, collocation, net, objective, centre, stops, progress)
    if not is_own:
        uncentre(net, centre)
    values = {
        **evaluated(net, collocation),
        "J": finite(training.J),
        **how_it_went(training),
        "points": collocation.points,
        "boundary_points": collocation.boundary_points,
        "residuals": objective.count,
        "derivatives": "by automatic differentiation" if is_own else "by hand",
    }
    return SolvedNet(net, training, values, histories(training), collocation)


def _trained(
    config: SolvingConfig,
    collocation: Collocation,
    net: Network,
    objective: ResidualObjective | AutogradResiduals,
    centre: Array,
    stops: Mapping[str, float | None],
    progress: Callable[[Progress], None] | None,
) -> Training:
    """One training, or with --resample as many as it takes, each on new points."""
    from nets.training.budget import Equation, Limits
    from nets.training.loop import minimise
    from nets.training.rounds import in_rounds

    limits = Limits(
        config.steps, config.evaluations, **stops,
        gradient_norm=config.gradient_norm, patience=config.patience,
    )  # fmt: skip
    problem = collocation.problem
    probes: dict[str, Callable[[Network], float]] = {}  # the first is the one with a target
    if limits.target is not None:
        field = partial(collocation.field, centre=centre)
        probes["relative_l2_bound"] = lambda net: relative_bound(field(net), problem)
    if problem.known:  # else the error is unknown
        probes["l2_error"] = lambda net: l2_error(collocation, net, centre)

    def one(limits: Limits, stream: int) -> Training:
        return minimise(
            net,
            Equation(objective if stream == 0 else collocation.objective(net, stream, centre)),
            limits=limits,
            optimizer=config.chosen_optimizer,
            probes=probes,
            every=config.every or 1,
            seed=config.seed,
            progress=progress,
            **config.options(),
        )

    if config.resample is None:
        return one(limits, 0)
    return in_rounds(one, limits, config.resample)


def l2_error(collocation: Collocation, net: Network, centre: Array | None = None) -> float:
    """‖u − field‖ on the domain, from tabulated u: cheap enough for a curve."""
    table = norms.tabulated_domain(collocation.problem, ("x",))
    return table.l2_error(collocation.field(net, centre)(table.inputs.T).T)


def evaluated(net: Network, given: SolvingConfig | Collocation) -> dict[str, Any]:
    """All figures of a net of x (`uncentre`), with the parts of its loss at its own points."""
    if isinstance(given, Collocation):
        collocation = given
    else:
        collocation = collocation_of(given, net.pack().size, net)
    objective = collocation.objective(net)
    J, _ = objective(net.pack())
    parts = {name: finite(part) for name, part in objective.parts().items()}
    field = collocation.field(net)
    return {
        **figures(field, collocation.problem),
        **stored(field, collocation.problem),
        "tau": [finite(step) for step in net.tau.tolist()],
        "residual": parts if np.isfinite(J) else None,
        "parameters": net.pack().size,
    }


def figures(
    found: Any, problem: Problem, rules: Mapping[str, Quadrature] | None = None
) -> dict[str, Any]:
    """The keys of the track *fit*: null for those about samples, the rest by the same norms.

    Where u is not known in closed form, errors are null too, and `residual` is all there is. Where
    u was computed, `reference_error` is its relative error: errors below it mean nothing.
    """
    values: dict[str, Any] = dict.fromkeys(FIGURES)
    with np.errstate(all="ignore"):
        errors = (
            norms.field_errors(found, problem, jacobian=found.jacobian, rules=rules)
            if problem.known
            else {}
        )
        third = found(problem.domain.sample(RANGE_POINTS, 0))[2]
    values |= {"u3_min": float(third.min()), "u3_max": float(third.max()), **errors}
    if problem.reference_error is not None:
        values["reference_error"] = problem.reference_error
    return {name: finite(value) for name, value in values.items()}


def uncentre(net: Network, centre: Array) -> None:
    """The same field as a net of x itself: W (x − c) + b = W x + (b − W c)."""
    import torch

    with torch.no_grad():
        net.b[0].sub_(net.W[0] @ torch.from_numpy(centre))
