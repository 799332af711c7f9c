"""Self-scaled quasi-Newton methods and Levenberg–Marquardt as classes like those of torch.optim."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import torch
from torch import Tensor

from base.errors import UserError
from nets.differentiated import ResidualsByAutograd, packed, write
from nets.optimizers import Vector
from nets.optimizers._damped import GaussNewton
from nets.optimizers._inverse_hessian import InverseHessian
from nets.optimizers._line_search import evaluate
from nets.optimizers._quasi_newton import Member, QuasiNewton
from nets.optimizers.ssbroyden import member

Closure = Callable[[], Any]


class _Flat(torch.optim.Optimizer):
    """Parameters as one float64 vector, and a `reason` once no step decreases the loss.

    A step evaluates the closure where the parameters are, so that it sees a loss or parameters that
    changed since the last step, and then takes up to `max_iter` steps of the method.
    """

    def __init__(self, params: Iterable[Any], **defaults: Any) -> None:
        if defaults["max_iter"] < 1:
            raise UserError(f"max_iter must be at least 1, got {defaults['max_iter']}")
        super().__init__(params, defaults)
        if len(self.param_groups) != 1:
            raise UserError(f"{type(self).__name__} takes one group of parameters, not several")
        self.reason = ""

    @property
    def tensors(self) -> list[Tensor]:
        """The parameters to move."""
        return [p for p in self.param_groups[0]["params"] if p.requires_grad]

    @property
    def kept(self) -> dict[str, Any]:
        """What is kept from step to step; a part of `state_dict`."""
        found: dict[str, Any] = self.state[self.param_groups[0]["params"][0]]
        return found

    def evaluated(self, closure: Closure | None) -> Any:
        """Return what the closure returns, computed with a graph."""
        if closure is None:
            raise UserError(f"{type(self).__name__}.step needs a closure that returns the loss")
        with torch.enable_grad():
            return closure()


class _SelfScaled(_Flat):
    """Quasi-Newton steps with a weak Wolfe line search; the closure calls `backward`."""

    MEMBER: Member | None = None  # of Broyden's class; None: BFGS

    def step(self, closure: Closure | None = None) -> Any:
        """Take up to `max_iter` steps; return the closure's loss before them."""
        losses: list[Tensor] = []

        def objective(theta: Vector) -> tuple[float, Vector]:
            write(theta, self.tensors)
            losses.append(torch.as_tensor(self.evaluated(closure)).detach())
            return float(losses[-1]), packed(self._gradients())

        start = evaluate(objective, packed(self.tensors))
        if not np.isfinite(start.J):
            raise UserError(f"the loss or its gradient is not finite at the start: {losses[0]}")
        settings, H = self.param_groups[0], self._inverse_hessian(start.theta.size)
        run = QuasiNewton(objective, start, H, settings.get("scaling", True), self.MEMBER)
        for _ in range(settings["max_iter"]):
            if not run.step():
                break
        self.reason = run.reason
        write(run.point.theta, self.tensors)
        self._keep(H)
        return losses[0]

    def _gradients(self) -> list[Tensor]:
        return [torch.zeros_like(p) if p.grad is None else p.grad for p in self.tensors]

    def _inverse_hessian(self, size: int) -> InverseHessian:
        """Return H as the last step left it; the identity at first."""
        H = InverseHessian(size)
        if "triangle" in self.kept:
            parts = [self.kept[name].double().numpy() for name in ("triangle", "s", "a")]
            H.triangle, H.pending = parts[0], (float(self.kept["rho"]), parts[1], parts[2])
        return H

    def _keep(self, H: InverseHessian) -> None:
        self.kept.clear()
        if H.triangle is not None:
            rho, s, a = H.pending
            arrays = {"triangle": H.triangle, "s": s, "a": a}
            tensors = {name: torch.from_numpy(array) for name, array in arrays.items()}
            self.kept.update(tensors, rho=float(rho))


class SSBFGS(_SelfScaled):
    """Self-scaled BFGS with a dense inverse Hessian (Al-Baali 1998), for any torch loss.

    `step(closure)` as for torch.optim.LBFGS: the closure sets gradients to zero, computes the loss,
    calls `backward` and returns the loss. It keeps 4P² bytes for P parameters. `scaling=False` is
    plain BFGS. Once no step decreases the loss, `reason` says so.
    """

    def __init__(self, params: Iterable[Any], max_iter: int = 20, scaling: bool = True) -> None:
        super().__init__(params, max_iter=max_iter, scaling=scaling)


class SSBroyden(_SelfScaled):
    """Self-scaled Broyden (Al-Baali, Spedicato and Maggioni 2014), for any torch loss.

    Used like `SSBFGS`; it chooses the member of Broyden's class again at every step.
    """

    MEMBER = staticmethod(member)

    def __init__(self, params: Iterable[Any], max_iter: int = 20) -> None:
        super().__init__(params, max_iter=max_iter)


class LM(_Flat):
    """Levenberg–Marquardt for ½ Σ r², where the closure returns the vector r of the residuals.

    The closure returns r, one-dimensional and with its graph, and does not call `backward`: the
    Jacobian of r is computed here, by automatic differentiation. `step` returns ½ Σ r² before it.
    """

    def __init__(self, params: Iterable[Any], max_iter: int = 20, damping: float = 1e-3) -> None:
        super().__init__(params, max_iter=max_iter, damping=damping)

    def step(self, closure: Closure | None = None) -> Any:
        """Take up to `max_iter` accepted steps."""
        theta = packed(self.tensors)
        run = GaussNewton(_Residuals(self, closure), theta, self.param_groups[0]["damping"])
        run.damping = float(self.kept.get("damping", run.damping))
        before = run.J
        for _ in range(self.param_groups[0]["max_iter"]):
            if not run.step():
                break
        self.reason = run.reason
        write(run.theta, self.tensors)
        self.kept["damping"] = float(run.damping)
        return torch.tensor(before, dtype=torch.float64)


class _Residuals(ResidualsByAutograd):
    """The residuals of a closure, as `GaussNewton` asks for them."""

    def __init__(self, owner: _Flat, closure: Closure | None) -> None:
        self.owner, self.closure = owner, closure
        self.count = len(self.vector(packed(owner.tensors))[0])

    def vector(self, theta: Vector) -> tuple[Tensor, list[Tensor]]:
        write(theta, self.owner.tensors)
        r = self.owner.evaluated(self.closure)
        if not isinstance(r, Tensor) or r.ndim != 1 or not r.requires_grad:
            found = tuple(r.shape) if isinstance(r, Tensor) else type(r).__name__
            raise UserError(
                f"the closure of LM must return the vector of residuals with its graph, got {found}"
            )
        return r, self.owner.tensors
