"""The one ruler: every field, a finite-element solution or a net, is measured here."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from base.errors import UserError
from bench.problems import FEATURES, Array, Field, Problem
from fem import elements
from fem.rules import quadrature
from fem.rules.quadrature import Quadrature

if TYPE_CHECKING:
    import torch

    from fem.rules.polar import Resolution

Values = Callable[[Array], Array]  # (3, Q) -> (3, Q), (Q,) or, for a Jacobian, (3, 3, Q)
Errors = dict[str, float | None]
WHOLE = "whole"


def l2_norm(field: Values, rule: Quadrature) -> float:
    """‖v‖ = (∫ |v|²)^½ for a field (3, Q) -> (3, Q) or a scalar (3, Q) -> (Q,)."""
    return math.sqrt(quadrature.integrate(lambda x: _square(field(x)), rule))


def relative_test_error(prediction: Any, target: Any) -> float:
    """‖prediction − target‖₂ / ‖target‖₂ over all entries (the paper's Euclidean error)."""
    prediction, target = np.asarray(prediction), np.asarray(target)
    if prediction.shape != target.shape:
        raise UserError(f"prediction {prediction.shape} and target {target.shape} differ in shape")
    return float(np.linalg.norm(prediction - target) / np.linalg.norm(target))


def domain_rules(problem: Problem, resolution: Resolution | None = None) -> dict[str, Quadrature]:
    """The parts of the problem's domain, graded at its singular edge."""
    return problem.domain.rules(problem.singular_edges, resolution)


def mesh_rules(
    problem: Problem, n: int, element: str = "N0", degree: int = 6
) -> dict[str, Quadrature]:
    """The same parts by rules that stand on the domain's mesh with n cells per unit length.

    For a finite-element field, which is smooth on each cell only.
    """
    cell = elements.get(element).cell
    return problem.domain.mesh_rules(n, cell, degree, problem.singular_edges)


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
    What does not exist or is not finite (a net that diverged) is None. `rules` are by default those
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
    """What the name of a part adds to that of an error: `l2_error_inside`."""
    return "" if part == WHOLE else f"_{part}"


def error_on_mesh(
    field: Field, problem: Problem, n: int, element: str = "N0", degree: int = 4
) -> float:
    """‖u − field‖ over the domain by the Gauss points of the mesh with n cells per unit length.

    The paper's way to measure a net "at h": what varies with n is the rule, not the net.
    """
    rule = problem.domain.gauss_rule(n, elements.get(element).cell, degree)
    return l2_norm(lambda x: problem.u(x) - field(x), rule)


@dataclass(frozen=True)
class Tabulated:
    """A rule with all that does not depend on the net: measuring one more costs its values only."""

    inputs: Array  # (Q, …) what a net is shown at the points
    u: Array  # (Q, 3)
    weights: Array  # (Q,)
    parts: Mapping[str, slice] = field(default_factory=dict)  # which points lie in which part

    @classmethod
    def of(cls, rule: Quadrature, problem: Problem, features: Iterable[str]) -> Tabulated:
        pieces = list(rule.chunks())
        points = np.concatenate([piece.points for piece in pieces], axis=1)
        weights = np.concatenate([piece.weights for piece in pieces])
        return cls(problem.inputs(points, features), problem.targets(points), weights)

    def l2_error(self, values: Array, part: str = WHOLE) -> float:
        """‖u − v‖ over all or a part of it, from v at all points, one row each."""
        rows = slice(None) if part == WHOLE else self.parts[part]
        difference = values[rows] - self.u[rows]
        return math.sqrt(self.weights[rows] @ np.einsum("qi,qi->q", difference, difference))


@lru_cache(maxsize=8)
def tabulated_domain(problem: Problem, features: tuple[str, ...]) -> Tabulated:
    """The rules of `domain_rules` in one."""
    rules = domain_rules(problem)
    ends = np.cumsum([len(rule) for rule in rules.values()])
    parts = {
        name: slice(int(end) - len(rule), int(end))
        for (name, rule), end in zip(rules.items(), ends, strict=True)
    }
    table = Tabulated.of(quadrature.Union(tuple(rules.values())), problem, features)
    return replace(table, parts=parts)


@lru_cache(maxsize=32)
def tabulated_mesh(problem: Problem, features: tuple[str, ...], n: int) -> Tabulated:
    """The rule of `error_on_mesh` on tetrahedra."""
    return Tabulated.of(problem.domain.gauss_rule(n, "tet", 4), problem, features)


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
    """Curl and divergence at the points, as far as they are known."""
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


# ---------------------------------------------------------------- nets as fields


@dataclass(frozen=True)
class NetField:
    """A torch module seen as a field: x ↦ net(x, f(x), φ(x))."""

    net: torch.nn.Module
    problem: Problem
    features: tuple[str, ...] = FEATURES

    def __call__(self, x: ArrayLike) -> Array:
        import torch

        with torch.no_grad():
            values = self.net(self._inputs(x))
        return values.numpy().astype(np.float64).T.reshape(np.shape(x))

    def jacobian(self, x: ArrayLike) -> Array:
        """Total derivatives [i, j] = ∂_j u_i, (3, 3, …): the chain rule through f(x) and φ(x).

        ∂net/∂(inputs) by automatic differentiation, one backward pass per output; ∂(inputs)/∂x
        exact for x and φ, by fourth-order differences for f (relative error below 1e-9, tested).
        """
        import torch

        inputs = self._inputs(np.reshape(x, (3, -1))).requires_grad_()
        outputs = self.net(inputs)
        rows = [
            torch.autograd.grad(outputs[:, i].sum(), inputs, retain_graph=i < 2)[0].numpy()
            for i in range(3)
        ]
        slopes = self._input_slopes(np.reshape(x, (3, -1)))
        D = np.einsum("iqk,kjq->ijq", np.stack(rows), slopes, optimize=True)
        return D.reshape(3, *np.shape(x))

    def curl(self, x: ArrayLike) -> Array:
        return curl_of(self.jacobian(x))

    def divergence(self, x: ArrayLike) -> Array:
        return np.trace(self.jacobian(x))

    def _inputs(self, x: ArrayLike) -> torch.Tensor:
        import torch

        dtype = next(self.net.parameters()).dtype
        return torch.from_numpy(self.problem.inputs(x, self.features)).to(dtype)

    def _input_slopes(self, x: Array) -> Array:
        """∂_j of each input, (inputs, 3, Q)."""
        blocks = {
            "x": lambda: np.broadcast_to(np.eye(3)[:, :, None], (3, 3, x.shape[1])),
            "f": lambda: difference_jacobian(self.problem.f, x, self.problem),
            "phi": lambda: self.problem.grad_phi(x)[None],
        }
        return np.concatenate([blocks[name]() for name in self.features])


def net_field(
    net: torch.nn.Module, problem: Problem, features: Iterable[str] = FEATURES
) -> NetField:
    """The net as a field of x; `curl`, `divergence`, `jacobian` are those of the composition."""
    return NetField(net, problem, tuple(features))


def net_errors(
    net: torch.nn.Module, problem: Problem, features: Iterable[str] = FEATURES
) -> Errors:
    """`field_errors` of a net, with its curl and divergence where these are square-integrable.

    A net that is shown an unbounded f ∼ R^{−½} answers with a field ∼ R^{−½}, whose derivatives
    ∼ R^{−3/2} are not.
    """
    field = net_field(net, problem, features)
    known = has_derivatives(problem, field.features)
    return field_errors(field, problem, jacobian=field.jacobian if known else None)


def has_derivatives(problem: Problem, features: Iterable[str]) -> bool:
    """Whether a smooth function of these inputs has a square-integrable Jacobian in x."""
    return problem.bounded_f or "f" not in features


def difference_jacobian(field: Field, x: Array, problem: Problem) -> Array:
    """∂_j field_i by fourth-order central differences, the step shrinking towards an edge."""
    step = np.full(x.shape[1], 1e-3)
    if problem.singular_edge is not None:
        a, b = problem.singular_edge
        step *= np.minimum(1, np.hypot(x[0] - a, x[1] - b))
    columns = []
    for axis in np.eye(3)[:, :, None]:
        near = field(x + step * axis) - field(x - step * axis)
        far = field(x + 2 * step * axis) - field(x - 2 * step * axis)
        columns.append((8 * near - far) / (12 * step))
    return np.stack(columns, axis=1)
