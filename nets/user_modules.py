"""Any torch module as a net: trained by the same optimisers, measured by the same norms.

J and its gradient come from automatic differentiation instead of the fast kernel, in the same
float64 vector of all trainable parameters (`pack`). There is no τ, no adjoint, no layer to prune.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.func import functional_call

from base.errors import UserError
from nets import architectures
from nets.config import NetConfig
from nets.differentiated import LossByAutograd
from nets.flat_module import FlatModule, finite
from nets.loss import Loss
from nets.module import Network

ROWS_AT_ONCE = 20_000  # of a prediction
OFFERED = ("inputs", "outputs", "hidden", "width", "seed", "activation")
PARTS_OF_A_NETWORK = ("W", "b", "free_tau", "sigma", "architecture")


class OwnNet(FlatModule):
    """A torch module with the interface that training and measuring need of a net."""

    learns_tau = False

    def __init__(
        self,
        module: nn.Module,
        config: NetConfig,
        *,
        is_guest: bool = False,
        takes_rows: bool = True,
    ) -> None:
        super().__init__()
        self.inner = module
        self.config = config
        self.is_guest = is_guest  # whether the module belongs to the caller of `train`
        if not self.free_parameters():
            raise UserError(f"{type(module).__name__} has no parameters to train")
        if takes_rows:
            _check_output(self)

    @classmethod
    def made(cls, config: NetConfig) -> OwnNet:
        """Return the net that the architecture of the config makes from the config's seed."""
        make = architectures.get(config.net).make  # type: ignore[attr-defined]
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(config.seed)
            module = _called(make, config)
        return cls(module.to(getattr(torch, config.dtype)), config)

    def __getattr__(self, name: str) -> Any:
        """Explain why the parts of a `Network` are missing; else as any torch module."""
        if name in PARTS_OF_A_NETWORK:
            kind = type(self.inner).__name__
            raise UserError(f"{kind} is a user's torch module: it has no `{name}`")
        return super().__getattr__(name)

    @property
    def original(self) -> nn.Module:
        """The user's module."""
        return self.inner if self.is_guest else self

    @property
    def tau(self) -> Tensor:
        """An empty vector: a user's module has no τ."""
        return torch.zeros(0, dtype=torch.float64)

    @property
    def widths(self) -> tuple[int, int]:
        """The numbers of inputs and outputs."""
        return self.config.inputs, self.config.outputs

    def forward(self, x: Tensor) -> Tensor:
        """(N, inputs) → (N, outputs)."""
        return finite(self.inner(self.as_batch(x, "x", self.widths[0])))

    def free_parameters(self) -> list[Tensor]:
        return [p for p in self.inner.parameters() if p.requires_grad]


Trainable = Network | OwnNet


def _called(make: Callable[..., Any], config: NetConfig) -> nn.Module:
    """Make the module with those arguments that its maker takes by name."""
    try:
        wanted = inspect.signature(make).parameters
    except (TypeError, ValueError):
        wanted = {}  # type: ignore[assignment]
    anything = any(p.kind is p.VAR_KEYWORD for p in wanted.values())
    given = {name: getattr(config, name) for name in OFFERED if name in wanted or anything}
    for name, parameter in wanted.items():
        fixed = parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
        if name not in given and parameter.default is parameter.empty and not fixed:
            raise UserError(
                f"{config.net} requires {name!r}; it may take {', '.join(OFFERED)}, by name"
            )
    try:
        module = make(**given)
    except Exception as error:
        raise UserError(raised(config.net, error)) from error
    if not isinstance(module, nn.Module):
        raise UserError(f"{config.net} returned {type(module).__name__}, not a torch module")
    return module


def raised(name: str, error: Exception) -> str:
    """Return the line for an exception in a user's code."""
    return f"{name} raised {type(error).__name__}: {' '.join(str(error).split())}"


def _check_output(net: OwnNet) -> None:
    inputs, outputs = net.widths
    x = torch.zeros(2, inputs, dtype=net.dtype)
    try:
        with torch.no_grad():
            shape = tuple(net.inner(x).shape)
    except Exception as error:
        message = " ".join(str(error).split())
        raise UserError(
            f"{type(net.inner).__name__} does not accept rows of {inputs} numbers: {message}"
        ) from error
    if shape != (2, outputs):
        raise UserError(
            f"{type(net.inner).__name__} returns shape {shape} for 2 rows, not (2, {outputs})"
        )


class AutogradObjective(LossByAutograd):
    """θ ↦ (J, ∇J) on fixed rows by automatic differentiation; as `nets.fast.kernel` offers it."""

    def __init__(
        self, net: OwnNet, x: Any, y: Any, loss: Loss | None = None, *, dtype: str | None = None
    ) -> None:
        self.net, self.terms = net, loss or Loss()
        if self.terms.lambda2 or self.terms.beta:
            raise UserError("this net has no tau and b to penalise; leave out lambda2 and beta")
        self.dtype = getattr(torch, dtype) if dtype else net.dtype
        names = {id(p): name for name, p in net.inner.named_parameters()}
        self.names = [names[id(p)] for p in net.free_parameters()]
        self.shapes = [p.shape for p in net.free_parameters()]
        self.set_data(x, y)

    def set_data(self, x: Any, y: Any) -> None:
        self.x = self.net.as_batch(x, "x", self.net.widths[0]).to(self.dtype)
        self.y = self.net.as_batch(y, "y", self.net.widths[1]).to(self.dtype)
        if len(self.x) != len(self.y):
            raise UserError(f"x and y differ in their rows: {len(self.x)} and {len(self.y)}")

    def loss(self, theta: np.ndarray) -> tuple[Tensor, list[Tensor]]:
        flat = torch.tensor(theta, dtype=torch.float64, requires_grad=True)
        parts = flat.split([shape.numel() for shape in self.shapes])
        values = {
            name: part.reshape(shape).to(self.dtype)
            for name, part, shape in zip(self.names, parts, self.shapes, strict=True)
        }
        fixed = [*self.net.inner.named_buffers(), *self.net.inner.named_parameters()]
        values |= {
            name: value.detach().to(self.dtype) if value.is_floating_point() else value
            for name, value in fixed
            if name not in values
        }
        prediction = functional_call(self.net.inner, values, (self.x,))
        J = self.terms.mse(prediction, self.y).double()
        if self.terms.lambda1:
            J = J + self.terms.lambda1 / 2 * (flat.square().sum() + flat.abs().sum())
        return J, [flat]


class LossObjective(LossByAutograd):
    """θ ↦ (J, ∇J) of a loss of the user's: loss(prediction, y) on rows, or loss(module, data)."""

    def __init__(self, net: Trainable, loss: Callable[..., Any], x: Any, y: Any = None) -> None:
        self.net, self.function, self.x, self.y = net, loss, x, y
        if y is not None:
            self.x = torch.as_tensor(x).to(net.dtype)
            self.y = y.to(net.dtype) if isinstance(y, Tensor) and y.is_floating_point() else y

    def loss(self, theta: np.ndarray) -> tuple[Tensor, list[Tensor]]:
        self.net.unpack(theta)
        module = self.net.original
        call = (module, self.x) if self.y is None else (module(self.x), self.y)
        J = self.function(*call)
        if not isinstance(J, Tensor) or J.numel() != 1 or not J.requires_grad:
            raise UserError("a loss must return one number as a tensor with its graph")
        return J.reshape(()), self.net.free_parameters()


def predict(net: OwnNet, x: Any) -> Tensor:
    """net(x) without a graph, in chunks."""
    rows = net.as_batch(x, "x", net.widths[0])
    with torch.no_grad():
        return finite(torch.cat([net.inner(part) for part in rows.split(ROWS_AT_ONCE)]))


def trainable(net: nn.Module, x: Any, y: Any, *, own_loss: bool = False) -> Trainable:
    """Return a net as it is, and any other torch module as an `OwnNet` around it.

    With a loss of the user's (`own_loss`) it may map anything to anything.
    """
    if isinstance(net, Network | OwnNet):
        return net
    if not isinstance(net, nn.Module):
        raise UserError(f"train needs a net or a torch module, got {type(net).__name__}")
    if own_loss:
        return OwnNet(net, NetConfig(), is_guest=True, takes_rows=False)
    shapes = [np.shape(rows) for rows in (x, y)]
    if any(len(shape) != 2 for shape in shapes):
        raise UserError(f"x and y must be rows of numbers, got shapes {shapes[0]} and {shapes[1]}")
    config = NetConfig(inputs=shapes[0][1], outputs=shapes[1][1])
    return OwnNet(net, config, is_guest=True)
