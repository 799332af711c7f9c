"""Norms of errors: every field, a finite-element solution or a net, is measured here.

Their points and weights are in `bench.measure.quadrature`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

import numpy as np

from base.errors import UserError
from bench.measure.quadrature import domain_rules, gauss_rule
from bench.problems import Array, Field, Problem
from fem.rules.quadrature import Quadrature, Union, integrate, joined

Values = Callable[[Array], Array]  # (3, Q) -> (3, Q), (Q,) or, for a Jacobian, (3, 3, Q)
Errors = dict[str, float | None]
WHOLE = "whole"


def l2_norm(field: Values, rule: Quadrature) -> float:
    """‖v‖ = (∫ |v|²)^½ for a field (3, Q) -> (3, Q) or a scalar (3, Q) -> (Q,)."""
    return math.sqrt(integrate(lambda x: _square(field(x)), rule))


def relative_test_error(prediction: Any, target: Any) -> float:
    """‖prediction − target‖₂ / ‖target‖₂ over all entries (the paper's Euclidean error)."""
    prediction, target = np.asarray(prediction), np.asarray(target)
    if prediction.shape != target.shape:
        raise UserError(f"prediction {prediction.shape} and target {target.shape} differ in shape")
    return float(np.linalg.norm(prediction - target) / np.linalg.norm(target))


def field_errors(
    field: Field,
    problem: Problem,
    *,
    curl: Field | None = None,
    divergence: Values | None = None,
    jacobian: Values | None = None,
    rules: Mapping[str, Quadrature] | None = None,
) -> Errors:
    """‖u − field‖ over the domain and each of its parts, and what follows.

    Keys: `l2_error`, on the cube also `l2_error_inside` and `l2_error_outside` the cylinder, and
    `relative_…` of each; with a curl `curl_error` = ‖curl u − curl‖ and `hcurl_error`; with a
    divergence `div_norm` = ‖div field‖. A Jacobian, [i, j] = ∂_j of component i, serves for both.
    Missing or non-finite values (a diverged net) are None. `rules` are by default those
    of `domain_rules`, which suit closed forms and nets; for a finite-element field pass those of
    `mesh_rules`.
    """
    derivatives = _derivatives(curl, divergence, jacobian)
    rules = rules or domain_rules(problem)
    parts = {name: _squares(field, derivatives, problem, rule) for name, rule in rules.items()}
    whole = np.sum(list(parts.values()), axis=0)
    errors: Errors = {}
    for name, squares in {WHOLE: whole, **parts}.items():
        errors[f"l2_error{suffix(name)}"] = _root(squares[0])
        errors[f"relative_l2_error{suffix(name)}"] = _root(squares[0] / squares[1])
    errors["curl_error"] = _root(whole[2])
    errors["hcurl_error"] = _root(whole[0] + whole[2])
    errors["div_norm"] = _root(whole[3])
    return errors


def suffix(part: str) -> str:
    """The suffix of a part in the name of an error, as in `l2_error_inside`."""
    return "" if part == WHOLE else f"_{part}"


def training_part_error(field: Values, problem: Problem) -> tuple[str, float, float]:
    """The name of ‖u − field‖ on the training part, its value, and ‖u‖ there.

    For fields that are smooth on each cell of a mesh only: a polar rule much finer than the mesh.
    """
    from fem.rules.polar import Resolution

    fine = Resolution(order=4, angle=24, radius=16, height=16)
    part = problem.domain.training_part
    rule = problem.domain.rules(problem.singular_edges, fine)[part]
    error = l2_norm(lambda x: problem.u(x) - field(x), rule)
    return f"l2_error{suffix(part)}", error, l2_norm(problem.u, rule)


@dataclass(frozen=True)
class Tabulated:
    """A rule with all that does not depend on the net, so that an error costs one evaluation."""

    inputs: Array  # (Q, …) inputs of a net at the points
    u: Array  # (Q, 3)
    weights: Array  # (Q,)
    parts: Mapping[str, slice] = field(default_factory=dict)  # which points lie in which part

    @classmethod
    def of(cls, rule: Quadrature, problem: Problem, features: Iterable[str]) -> Tabulated:
        whole = joined(*rule.chunks())
        x = whole.points
        return cls(problem.inputs(x, features), problem.targets(x), whole.weights)

    def l2_error(self, values: Array, part: str = WHOLE) -> float:
        """‖u − v‖ over all or a part of it, from v at all points, one row each."""
        rows = slice(None) if part == WHOLE else self.parts[part]
        difference = values[rows] - self.u[rows]
        return math.sqrt(self.weights[rows] @ np.einsum("qi,qi->q", difference, difference))


@lru_cache(maxsize=8)
def tabulated_domain(problem: Problem, features: tuple[str, ...]) -> Tabulated:
    """The rules of `domain_rules`, tabulated as one."""
    rules = domain_rules(problem)
    ends = np.cumsum([len(rule) for rule in rules.values()])
    parts = {
        name: slice(int(end) - len(rule), int(end))
        for (name, rule), end in zip(rules.items(), ends, strict=True)
    }
    table = Tabulated.of(Union(tuple(rules.values())), problem, features)
    return replace(table, parts=parts)


@lru_cache(maxsize=32)
def tabulated_mesh(problem: Problem, features: tuple[str, ...], n: int) -> Tabulated:
    """The Gauss points of the tetrahedra with n cells per unit length, tabulated.

    The paper's way to measure a net "at h": what varies with n is the rule, not the net.
    """
    return Tabulated.of(gauss_rule(problem, n), problem, features)


def _squares(field: Field, derivatives: _Derivatives, problem: Problem, rule: Quadrature) -> Array:
    """∫ |u − v|², |u|², |curl u − curl v|², |div v|² over one part; NaN where there is none."""
    total = np.zeros(4)
    for piece in rule.chunks():
        u = problem.u(piece.points)
        curl, divergence = derivatives(piece.points)
        values = np.full((4, len(piece)), np.nan)
        values[0], values[1] = _square(u - field(piece.points)), _square(u)
        if curl is not None:
            values[2] = _square(problem.curl_u(piece.points) - curl)
        if divergence is not None:
            values[3] = _square(divergence)
        total += values @ piece.weights
    return total


_Derivatives = Callable[[Array], tuple[Array | None, Array | None]]


def _derivatives(curl: Values | None, div: Values | None, jacobian: Values | None) -> _Derivatives:
    """Curl and divergence as functions, as far as they are known."""
    if jacobian is None:
        return lambda x: (curl(x) if curl else None, div(x) if div else None)

    def from_jacobian(x: Array) -> tuple[Array, Array]:
        D = jacobian(x)
        return curl_of(D), np.trace(D)

    return from_jacobian


def curl_of(D: Array) -> Array:
    """The curl (3, …) of a Jacobian D[i, j] = ∂_j u_i, (3, 3, …)."""
    return np.stack([D[2, 1] - D[1, 2], D[0, 2] - D[2, 0], D[1, 0] - D[0, 1]])


def _square(values: Array) -> Array:
    return values * values if values.ndim == 1 else np.einsum("iq,iq->q", values, values)


def _root(square: float) -> float | None:
    return math.sqrt(square) if math.isfinite(square) else None
