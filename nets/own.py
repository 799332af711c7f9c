"""Any torch module among the nets: trained by the same optimisers, measured by the same ruler.

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
from nets.loss import Loss
from nets.module import Network, finite

ROWS_AT_ONCE = 20_000  # of a prediction
OFFERED = ("inputs", "outputs", "hidden", "width", "seed", "activation")


class OwnNet(Network):
    """A torch module with what the training and the ruler ask of a net."""

    def __init__(self, module: nn.Module, inputs: int, outputs: int) -> None:
        nn.Module.__init__(self)
        self.inner = module
        self.is_guest = False  # whether `trainable` made it, for a module that stays its owner's
        self.ends = (inputs, outputs)
        self.config = NetConfig(inputs=inputs, outputs=outputs)
        if not self.free_parameters():
            raise UserError(f"{type(module).__name__} has no parameters to train")
        _check_output(self, outputs)

    @classmethod
    def made(cls, config: NetConfig) -> OwnNet:
        """What the architecture of the config makes, from the config's seed."""
        make = architectures.get(config.net).make  # type: ignore[attr-defined]
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(config.seed)
            module = _called(make, config)
        net = cls(module.to(getattr(torch, config.dtype)), config.inputs, config.outputs)
        net.config = config
        return net

    @property
    def original(self) -> nn.Module:
        """What probes are shown and a training gives back: the module its owner knows."""
        return self.inner if self.is_guest else self

    def __getstate__(self) -> dict[str, Any]:
        return dict(self.__dict__)

    def __setstate__(self, state: dict[str, Any]) -> None:
        nn.Module.__setstate__(self, state)

    def _load_from_state_dict(self, *arguments: Any, **more: Any) -> None:
        nn.Module._load_from_state_dict(self, *arguments, **more)

    @property
    def architecture(self) -> Any:  # type: ignore[override]
        return architectures.OwnArchitecture(type(self.inner).__name__, lambda: None)

    @property
    def W(self) -> Any:  # type: ignore[override]
        raise self._without("W, b or states per layer")

    @property
    def b(self) -> Any:  # type: ignore[override]
        raise self._without("W, b or states per layer")

    @property
    def sigma(self) -> Any:  # type: ignore[override]
        raise self._without("one activation")

    def _without(self, what: str) -> UserError:
        name = type(self.inner).__name__
        return UserError(f"{name} is a torch module of somebody's own: it has no {what}")

    @property
    def tau(self) -> Tensor:
        return torch.zeros(0, dtype=torch.float64)

    @property
    def free_tau(self) -> Tensor:
        return self.tau

    @property
    def learns_tau(self) -> bool:
        return False

    @property
    def dtype(self) -> torch.dtype:
        return self.free_parameters()[0].dtype

    @property
    def widths(self) -> tuple[int, ...]:
        return self.ends

    def forward(self, x: Tensor) -> Tensor:
        """(N, inputs) → (N, outputs)."""
        return finite(self.inner(self.as_batch(x, "x", self.ends[0])))

    def free_parameters(self) -> list[Tensor]:
        return [p for p in self.inner.parameters() if p.requires_grad]

    def extra_repr(self) -> str:
        return ""


def _called(make: Callable[..., Any], config: NetConfig) -> nn.Module:
    """The module from what its maker asks for by name."""
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
                f"{config.net} asks for {name!r}; a net is offered {', '.join(OFFERED)}, by name"
            )
    module = make(**given)
    if not isinstance(module, nn.Module):
        raise UserError(f"{config.net} gave {type(module).__name__}, not a torch module")
    return module


def _check_output(net: OwnNet, outputs: int) -> None:
    x = torch.zeros(2, net.ends[0], dtype=net.dtype)
    try:
        with torch.no_grad():
            shape = tuple(net.inner(x).shape)
    except Exception as error:
        said = " ".join(str(error).split())
        raise UserError(
            f"{type(net.inner).__name__} does not take rows of {net.ends[0]} numbers: {said}"
        ) from error
    if shape != (2, outputs):
        raise UserError(
            f"{type(net.inner).__name__} answers 2 rows with shape {shape}, not (2, {outputs})"
        )


class AutogradObjective:
    """θ ↦ (J, ∇J) on fixed rows by automatic differentiation; as `nets.fast.kernel` offers it."""

    def __init__(
        self, net: OwnNet, x: Any, y: Any, loss: Loss | None = None, *, dtype: str | None = None
    ) -> None:
        self.net, self.loss = net, loss or Loss()
        if self.loss.lambda2 or self.loss.beta:
            raise UserError("lambda2 and beta are penalties on tau and b, which this net has not")
        self.dtype = getattr(torch, dtype) if dtype else net.dtype
        names = {id(p): name for name, p in net.inner.named_parameters()}
        self.names = [names[id(p)] for p in net.free_parameters()]
        self.shapes = [p.shape for p in net.free_parameters()]
        self.set_data(x, y)

    def set_data(self, x: Any, y: Any) -> None:
        self.x = self.net.as_batch(x, "x", self.net.ends[0]).to(self.dtype)
        self.y = self.net.as_batch(y, "y", self.net.ends[1]).to(self.dtype)
        if len(self.x) != len(self.y):
            raise UserError(f"x and y need as many rows, got {len(self.x)} and {len(self.y)}")

    def __call__(self, theta: np.ndarray) -> tuple[float, np.ndarray]:
        """(inf, zeros) where J or its gradient is not finite."""
        flat = torch.tensor(theta, dtype=torch.float64, requires_grad=True)
        J = self._value(flat)
        (gradient,) = torch.autograd.grad(J, flat)
        if not (torch.isfinite(J) and torch.isfinite(gradient).all()):
            return np.inf, np.zeros(len(theta))
        return float(J.detach()), gradient.numpy()

    def exceeds(self, theta: np.ndarray, bound: float) -> bool:
        with torch.no_grad():
            J = float(self._value(torch.from_numpy(np.asarray(theta, dtype=np.float64))))
        return not bound >= J

    def _value(self, flat: Tensor) -> Tensor:
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
        J = self.loss.mse(prediction, self.y).double()
        if self.loss.lambda1:
            J = J + self.loss.lambda1 / 2 * (flat.square().sum() + flat.abs().sum())
        return J


def predict(net: OwnNet, x: Any) -> Tensor:
    """net(x) without a graph, in chunks."""
    rows = net.as_batch(x, "x", net.ends[0])
    with torch.no_grad():
        return finite(torch.cat([net.inner(part) for part in rows.split(ROWS_AT_ONCE)]))


def trainable(net: nn.Module, x: Any, y: Any) -> Network:
    """The net itself, or any other torch module with what the training asks of one."""
    if isinstance(net, Network):
        return net
    if not isinstance(net, nn.Module):
        raise UserError(f"train needs a net or a torch module, got {type(net).__name__}")
    shapes = [np.shape(rows) for rows in (x, y)]
    if any(len(shape) != 2 for shape in shapes):
        raise UserError(f"x and y must be rows of numbers, got shapes {shapes[0]} and {shapes[1]}")
    guest = OwnNet(net, shapes[0][1], shapes[1][1])
    guest.is_guest = True
    return guest
