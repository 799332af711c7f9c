"""Nets given a boundary-value problem on a domain with re-entrant edges, never u.

Three losses. `div-curl`, where curl u = 0 is known (`reentrant`): the energy of the classical nodal
method, so that its limit is known, the mean of |curl u|² + |div u|² inside plus a weight times
the mean of |u × n − g|² on the sides and of |u·n|² on natural faces. `first-order`, for any of the
problems: curl u is a second unknown. `weak`: the equation and the divergence against functions of
a coarse mesh. Boundary values at the edges go by penalty or are built in by distance factors;
rules inside and on the edges' faces are uniform or graded, each apart.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from base.errors import UserError
from bench.methods.collocation import operators as op
from bench.methods.collocation.boundary import boundary_terms
from bench.methods.collocation.clouds import Cloud, Rim
from bench.methods.edge_forms import rules
from bench.methods.edge_forms.built_in import built_in
from bench.methods.edge_forms.geometry import boxes_of, edge_faces
from bench.methods.forms import BOUNDARIES, first_order
from bench.problems import Problem
from nets.residuals.terms import Residuals

if TYPE_CHECKING:
    from bench.methods.collocation.built_in import BuiltIn
    from bench.methods.solving import SolvedField
    from nets.module import Network

FORMS = ("div-curl", "first-order", "weak")
RULES = ("uniform", "graded")


@dataclass(frozen=True)
class EdgeLoss:
    """Everything that defines the loss except the net."""

    problem: Problem
    form: str = "div-curl"
    boundary: str = "penalty"
    inside: str = "uniform"
    rim: str = "uniform"
    points: int = 1296
    boundary_points: int = 600
    boundary_weight: float = 10.0
    data_seed: int = 0

    def __post_init__(self) -> None:
        for name, known in (
            ("form", FORMS),
            ("boundary", BOUNDARIES),
            ("inside", RULES),
            ("rim", RULES),
        ):
            value = getattr(self, name)
            if value not in known:
                raise UserError(f"{name} is {' or '.join(known)}, not {value!r}")
        boxes_of(self.problem)  # refuses what has no re-entrant edge
        if self.form == "div-curl" and self.problem.name != "reentrant":
            raise UserError(
                f"the div-curl loss is for reentrant, where curl u = 0; for {self.problem.name} "
                "use the form first-order or weak"
            )

    @property
    def outputs(self) -> int:
        """Components of the net; the first three are u."""
        return first_order.OUTPUTS if self.form == "first-order" else 3

    @property
    def built_in(self) -> BuiltIn | None:
        """u = factors · net, where boundary values are built in."""
        return built_in(self.problem) if self.boundary == "exact" else None

    def terms(self) -> list[Residuals]:
        """Residuals at the points to train on, or those of the functions of a mesh."""
        seed, count = self.data_seed, self.boundary_points
        if self.form == "weak":
            from bench.methods.edge_forms.tested import size_of, tested

            n = size_of(self.problem, self.points)
            terms = [tested(self.problem, n, self.inside == "graded")]
        else:
            terms = self._at_points(rules.inside(self.problem, self.points, self.inside, seed))
        rims = [
            rules.edge_rim(self.problem, count, self.rim, seed),
            rules.outer_rim(self.problem, count, seed),
        ]
        return self._of_the_net(terms + self._on_rims(rims))

    def fine_loss(self, net: Network) -> float:
        """The same loss by fine rules graded to the edges, or by the functions of a finer mesh: its
        accurate value, not that at the training points."""
        if self.form != "weak":
            return loss(net, self._fine)
        from bench.methods.edge_forms.tested import dual_square

        return dual_square(self.problem, self.field(net)) + loss(net, self._fine)

    @cached_property
    def _fine(self) -> list[Residuals]:
        terms = [] if self.form == "weak" else self._at_points(rules.fine_inside(self.problem))
        return self._of_the_net(terms + self._on_rims(rules.fine_rims(self.problem)))

    def _at_points(self, cloud: Cloud) -> list[Residuals]:
        if self.form == "first-order":
            return first_order.inside(self.problem, cloud)
        return [_energy(cloud)]

    def _on_rims(self, rims: list[Rim]) -> list[Residuals]:
        """Residuals of the boundary values that are not built in."""
        inner = [face.index for face in edge_faces(self.problem)]
        if self.boundary == "exact":
            rims = [rim for rim in rims if not np.isin(rim.face, inner).all()]
        natural = {"first-order": "both", "div-curl": "normal", "weak": "none"}[self.form]
        flux = self.form == "first-order"
        weight, outputs = self.boundary_weight, self.outputs
        each = (
            boundary_terms(self.problem, rim, weight, natural=natural, outputs=outputs, flux=flux)
            for rim in rims
        )
        return [term for terms in each for term in terms]

    def _of_the_net(self, terms: list[Residuals]) -> list[Residuals]:
        lifted = self.built_in
        return terms if lifted is None else [lifted.of_the_net(term) for term in terms]

    def field(self, net: Network) -> SolvedField:
        from bench.methods.solving import SolvedField

        return SolvedField(net, self.built_in)


def loss(net: Network, terms: list[Residuals]) -> float:
    """Σ r², the mean of squares with its weights."""
    from nets.residuals.objective import ResidualObjective

    return 2.0 * float(ResidualObjective(net, terms)(net.pack())[0])


def _energy(cloud: Cloud) -> Residuals:
    """curl u and div u."""
    N = len(cloud)
    A = np.concatenate([op.curl("first", N), op.divergence("first", N)]) * np.sqrt(cloud.weights)
    labels = ("curl",) * 3 + ("divergence",)
    return Residuals(x=cloud.x.T, order="first", A=A, b=np.zeros((4, N)), labels=labels)
