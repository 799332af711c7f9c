"""Nets as fields of x, with their derivatives and the norms of their errors."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from bench.measure.norms import Errors, curl_of, field_errors
from bench.problems import FEATURES, Array, Problem

if TYPE_CHECKING:
    import torch


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
            "f": lambda: difference_jacobian(self.problem.f, x, difference_steps(self.problem, x)),
            "phi": lambda: self.problem.grad_phi(x)[None],
        }
        return np.concatenate([blocks[name]() for name in self.features])


@dataclass(frozen=True)
class ModuleField:
    """Any torch module (N, 3) → (N, 3) as a field of x, with derivatives by differentiation."""

    module: torch.nn.Module

    def __call__(self, x: ArrayLike) -> Array:
        points = np.asarray(x, dtype=np.float64)
        return self.jets(points.reshape(3, -1), "value")[0].reshape(points.shape)

    def jets(self, x: Array, order: str) -> Array:
        from nets.residuals.by_autograd import module_jets

        return module_jets(self.module, x.T, order)


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


def difference_steps(problem: Problem, x: Array) -> Array:
    """A step length for each point, which shrinks towards a singular edge."""
    step = np.full(x.shape[1], 1e-3)
    for a, b in problem.singular_edges:
        step *= np.minimum(1, np.hypot(x[0] - a, x[1] - b))
    return step


def difference_jacobian(field: Callable[[Array], Array], x: Array, step: Array) -> Array:
    """[..., j, point] = ∂_j of each component by fourth-order central differences."""
    columns = []
    for axis in np.eye(3)[:, :, None]:
        near = field(x + step * axis) - field(x - step * axis)
        far = field(x + 2 * step * axis) - field(x - 2 * step * axis)
        columns.append((8 * near - far) / (12 * step))
    return np.stack(columns, axis=-2)
