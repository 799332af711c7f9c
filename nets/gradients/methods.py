"""`loss_and_grad`: the loss and its gradient by one of three methods, same keys for each."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from base.errors import UserError, nearest
from nets.gradients.adjoint import Gradients, adjoint_states, parameter_gradients, states
from nets.loss import Loss
from nets.module import Network, propagate


def loss_and_grad(
    net: Network, x: Any, y: Any, *, loss: Loss | None = None, method: str = "dto"
) -> tuple[Tensor, Gradients]:
    """J and its gradient, a dict "W.0", "b.0", …, "W.{L−1}", "tau".

    method: "dto" (adjoint by hand), "autograd", or "otd" (DtO's parameter formulas with the φ of
    optimise-then-discretise; Fractional-DNN only). "tau" is dJ/dτ[ℓ] itself, one entry per
    layer for every τ policy: also when τ is fixed or one global number.
    """
    if method not in METHODS:
        raise UserError(f"unknown method {method!r}; {nearest(method, sorted(METHODS))}")
    x, y = net.as_batch(x, "x", net.widths[0]), net.as_batch(y, "y", net.widths[-1])
    if len(x) != len(y) or not len(x):
        raise UserError(f"x and y need the same number of rows >= 1, got {len(x)} and {len(y)}")
    J, gradients = METHODS[method](net, x, y, loss or Loss())
    if not bool(torch.isfinite(J)):
        raise UserError(f"the loss is {float(J)}: the net overflows on this data; scale it down")
    return J, gradients


def _autograd(net: Network, x: Tensor, y: Tensor, loss: Loss) -> tuple[Tensor, Gradients]:
    """By torch.autograd, with respect to copies, so that a fixed τ has a gradient too."""
    W = [p.detach().clone().requires_grad_() for p in net.W]
    b = [p.detach().clone().requires_grad_() for p in net.b]
    tau = net.tau.detach().clone().requires_grad_()
    with torch.enable_grad():
        prediction = propagate(net, x, W, b, tau)[0][-1]
        J = loss.mse(prediction, y) + loss.penalty(W, b, tau)
    named: Gradients = {}
    for l, weight in enumerate(W):
        named[f"W.{l}"] = weight
        named.update({f"b.{l}": b[l]} if l < len(b) else {})
    named["tau"] = tau
    values = torch.autograd.grad(J, list(named.values()))
    return J.detach(), dict(zip(named, values, strict=True))


def _dto(net: Network, x: Tensor, y: Tensor, loss: Loss) -> tuple[Tensor, Gradients]:
    """By the discrete adjoint (maths 4)."""
    return _by_adjoint(net, x, y, loss, adjoint_states)


def _otd(net: Network, x: Tensor, y: Tensor, loss: Loss) -> tuple[Tensor, Gradients]:
    """By the discretised continuous adjoint (maths 4)."""
    from nets.gradients.otd import otd_adjoint_states

    return _by_adjoint(net, x, y, loss, otd_adjoint_states)


def _by_adjoint(
    net: Network,
    x: Tensor,
    y: Tensor,
    loss: Loss,
    adjoint: Callable[[Network, list[Tensor], Tensor], list[Tensor]],
) -> tuple[Tensor, Gradients]:
    with torch.no_grad():
        outputs, z = states(net, x)
        J = loss.mse(outputs[-1], y) + loss.penalty(list(net.W), list(net.b), net.tau)
        phi = adjoint(net, z, loss.mse_gradient(outputs[-1], y))
    return J, parameter_gradients(net, outputs, z, phi, loss)


METHODS = {"autograd": _autograd, "dto": _dto, "otd": _otd}
