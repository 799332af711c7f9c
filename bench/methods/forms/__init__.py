"""Forms of the boundary-value problem that a net is given: one file each, found by its name.

A form turns a problem's f, φ, ρ (never u) into residuals inside the domain that are linear in the
net and its derivatives. A file says everything about itself:

    TITLE         in words
    OUTPUTS       components of the net; the first three are the field u
    SMOOTHNESS    continuous derivatives that an activation must have for it
    inside(problem, cloud) -> list of `nets.residuals.terms.Residuals`, in the coordinates x

and `TESTED = True` if it brings points of its own (a rule of a mesh), so that the cloud serves for
the divergence only.

**The weights, one rule for every problem.** Each part of the loss is a mean of squares over its
points. The equation is divided by φ, so that its principal part is that of curl curl whatever the
unit of φ; it and the divergence have the weight 1, boundary values the weight 100 = (1/0.1)², one
derivative against values at the tenth of the domain that a net of this size resolves. Points near
a singular edge are drawn and weighted as `bench.methods.collocation.clouds` says.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from types import ModuleType
from typing import TYPE_CHECKING

import numpy as np

from base.registry import Registry

if TYPE_CHECKING:
    from bench.methods.collocation.built_in import BuiltIn
    from bench.methods.collocation.clouds import Cloud, Rim
    from bench.problems import Problem
    from nets.residuals.terms import Residuals

BOUNDARY_WEIGHT = 100.0
BOUNDARIES = ("penalty", "exact")


REGISTRY: Registry[ModuleType] = Registry(
    "form", __name__, name_in=lambda path: path.stem.replace("_", "-")
)
get, names = REGISTRY.get, REGISTRY.names


def terms(
    problem: Problem,
    inside: Cloud,
    rim: Rim,
    *,
    form: str = "strong",
    boundary_weight: float = BOUNDARY_WEIGHT,
    built_in: BuiltIn | None = None,
    centre: Sequence[float] = (0.0, 0.0, 0.0),
) -> list[Residuals]:
    """All residuals of a problem: f, φ, ρ inside, g = u × n on the rim (and what natural faces
    have in its place). Their sum of squares, halved, is the loss.

    `built_in` puts the boundary values into the field, u = lift + factors · net, in place of the
    penalty. `centre` is subtracted from the points: a net trains better about 0.
    """
    from bench.methods.collocation.boundary import boundary_terms

    found = [*get(form).inside(problem, inside)]
    found += boundary_terms(
        problem,
        rim,
        boundary_weight,
        given=built_in is None,
        outputs=get(form).OUTPUTS,
        flux=form == "first-order",
    )
    if built_in is not None:
        found = [built_in.of_the_net(term) for term in found]
    origin = np.asarray(centre, float)
    return [replace(term, x=np.ascontiguousarray(term.x - origin)) for term in found]
