"""The net as a torch module: one loop for every architecture."""

from typing import Any, cast

import torch
from torch import Tensor, nn

from nets import architectures
from nets.activations import activation
from nets.config import NetConfig
from nets.flat_module import FlatModule, finite
from nets.initial import starting_tau, starting_weights

# Where a step of a plain torch optimiser that would leave τ > 0 ends instead.
TAU_FLOOR = 1e-6


class Network(FlatModule):
    """y[ℓ] = Σ_{k<ℓ} C[ℓ,k] P(k→ℓ) y[k] + s[ℓ−1] σ(W[ℓ−1] y[ℓ−1] + b[ℓ−1]), y[L] = W[L−1] y[L−1].

    C and s come from the architecture and τ, in float64 whatever the precision of the net.

    τ is stored as the parameter `tau` (τ itself and not its logarithm; frozen where τ is fixed),
    which is the whole vector, but one number for a global τ. Reading `net.tau` always gives the
    whole vector; for a fixed or learned τ it is the parameter itself. `free_tau` is the part that
    is learned: all of it, but τ[1..] for ReZero.

    τ > 0 where the architecture demands it: reading `tau`, as every forward pass does, first puts
    a learned entry ≤ 0 back to TAU_FLOOR, so that any torch optimiser becomes a projected one (as
    torch.nn.Embedding does for max_norm); the same keeps ReZero's τ[0] = 1. A fixed τ ≤ 0 is
    refused when the net is built.
    """

    def __init__(self, config: NetConfig) -> None:
        super().__init__()
        self.config = config
        self._look_up()
        dtype = getattr(torch, config.dtype)
        W, b = starting_weights(
            config.widths,
            config.init,
            config.scale,
            config.sort_biases,
            config.seed,
            config.first_scale,
        )
        self.W = nn.ParameterList(weight.to(dtype) for weight in W)
        self.b = nn.ParameterList(bias.to(dtype) for bias in b)
        tau = starting_tau(config.tau, config.tau0, config.hidden, config.seed).to(dtype)
        held = tau[:1] if config.tau == "global" else tau
        # Not by attribute: `tau` is the property below, which a parameter may hide behind.
        self._parameters["tau"] = nn.Parameter(held.clone(), requires_grad=config.tau != "fixed")

    def _look_up(self) -> None:
        """Look up the code that the config names; it is not copied or pickled."""
        self.architecture = architectures.get(self.config.net)
        self.sigma = activation(self.config.activation, self.config.eta)

    def __getstate__(self) -> dict[str, Any]:
        return {k: v for k, v in self.__dict__.items() if k not in ("architecture", "sigma")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        self._look_up()

    def _load_from_state_dict(
        self, state_dict: dict[str, Any], prefix: str, *rest: Any, **more: Any
    ) -> None:
        """Load a state dict, also an old one that calls the free part of τ `steps`."""
        if f"{prefix}steps" in state_dict:
            free = state_dict.pop(f"{prefix}steps")
            whole = self.whole_tau(free)
            state_dict[f"{prefix}tau"] = free if self.config.tau == "global" else whole
        super()._load_from_state_dict(state_dict, prefix, *rest, **more)

    @property
    def tau(self) -> Tensor:
        """τ[0..L−2]; positive where the architecture needs it."""
        self._put_back()
        return self.whole_tau(self.free_tau)

    @property
    def free_tau(self) -> Tensor:
        """The part of τ that an optimiser moves, or would if τ were not fixed."""
        held = self._parameters["tau"]
        assert held is not None
        return held[1:] if self.config.tau == "rezero" else held

    @property
    def learns_tau(self) -> bool:
        """Whether τ is among the free parameters; ReZero's only step of one layer is 1."""
        return self.config.tau != "fixed" and self.free_tau.numel() > 0

    def _put_back(self) -> None:
        """Project a learned τ back to where the net is defined."""
        held = self._parameters["tau"]
        if held is None or not held.requires_grad:
            return
        with torch.no_grad():
            if self.architecture.POSITIVE_TAU and bool((held <= 0).any()):
                held[held <= 0] = TAU_FLOOR
            if self.config.tau == "rezero" and held[0] != 1:
                held[0] = 1

    @property
    def dtype(self) -> torch.dtype:
        """The precision of weights, inputs and outputs."""
        return self.W[0].dtype

    @property
    def widths(self) -> tuple[int, ...]:
        """n₀, the hidden widths, n_L."""
        return self.config.widths

    def whole_tau(self, free: Tensor) -> Tensor:
        """τ[0..L−2] from its free part."""
        if self.config.tau == "global":
            return free.expand(self.config.hidden)
        if self.config.tau == "rezero":
            return torch.cat([free.new_ones(1), free])
        return free

    def free_tau_gradient(self, tau_gradient: Tensor) -> Tensor:
        """dJ/dfree_tau from dJ/dτ: the transpose of `whole_tau`."""
        if self.config.tau == "global":
            return tau_gradient.sum().reshape(1)
        return tau_gradient[1:] if self.config.tau == "rezero" else tau_gradient

    def set_tau(self, tau: Tensor) -> None:
        """Set the steps τ[0..L−2], which must have the form of the τ policy."""
        with torch.no_grad():
            self.free_tau.copy_(tau[len(tau) - self.free_tau.numel() :])

    def forward(self, x: Tensor) -> Tensor:
        """(N, n₀) → (N, n_L)."""
        x = self.as_batch(x, "x", self.widths[0])
        return finite(propagate(self, x, list(self.W), list(self.b), self.tau)[0][-1])

    def free_parameters(self) -> list[Tensor]:
        """W[0], b[0], …, W[L−1], and the free part of τ if τ is learned."""
        pairs = [tensor for pair in zip(self.W, self.b, strict=False) for tensor in pair]
        learned = [self.free_tau] if self.learns_tau else []
        return [*pairs, self.W[-1], *learned]

    def extra_repr(self) -> str:
        return ", ".join(f"{name}={value!r}" for name, value in self.config.as_dict().items())


def propagate(
    net: Network, x: Tensor, W: list[Tensor], b: list[Tensor], tau: Tensor
) -> tuple[list[Tensor], list[Tensor]]:
    """States y[0..L] and pre-activations z[0..L−2] at the given parameters, differentiable."""
    C, s = net.architecture.coefficients(tau.double(), net.config.gamma)
    terms = skip_terms(net, C)
    C, s = C.to(x.dtype), s.to(x.dtype)
    y, z = [x], []
    for l in range(1, len(W)):
        z.append(torch.addmm(b[l - 1], y[l - 1], W[l - 1].T))
        state = s[l - 1] * net.sigma.value(z[-1])
        for k in terms[l]:
            state = state + C[l, k] * project(y[k], to=net.widths[l])
        y.append(state)
    y.append(y[-1] @ W[-1].T)
    return y, z


def skip_terms(net: Network, C: Tensor) -> list[list[int]]:
    """For every layer ℓ the past layers k that enter it.

    Never the input unless it is carried; no zero entry of a constant C. Where C depends on τ
    even an entry that happens to vanish has a derivative, and stays.
    """
    first = 0 if net.config.carry_input else 1
    nonzero = torch.ones_like(C).tril(-1) if C.requires_grad else C
    return [[k for k in range(first, l) if nonzero[l, k] != 0] for l in range(len(C))]


def project(y: Tensor, to: int) -> Tensor:
    """P(k→ℓ): the identity, truncation, or padding with zeros to width `to`. It is Pᵀ as well."""
    width = y.shape[1]
    if width == to:
        return y
    return y[:, :to] if width > to else nn.functional.pad(y, (0, to - width))


def build(
    *,
    net: str = "resnet",
    tau: str = "learned",
    hidden: int = 6,
    width: int | list[int] | tuple[int, ...] = 50,
    inputs: int = 7,
    outputs: int = 3,
    gamma: float = 0.5,
    tau0: float | str | list[float] | tuple[float, ...] = 1.0,
    activation: str = "smoothrelu",
    eta: float = 1e-4,
    carry_input: bool = False,
    init: str = "torch",
    scale: float = 1.0,
    first_scale: float = 1.0,
    sort_biases: bool = False,
    seed: int = 0,
    dtype: torch.dtype | str = torch.float64,
) -> Network:
    """Return a net from its description.

    net: an architecture of `nets.architectures`; tau: fixed | learned | global | rezero;
    tau0: a number, one per step, or a text such as "1/H", "2/sqrtH", "uniform" (`nets.tau`);
    width: one for all hidden layers or one each; gamma: order of the Fractional-DNN;
    eta: half-width of smoothReLU's parabola; carry_input: P(0→ℓ) = 1 instead of 0 (needs
    width = inputs); init: torch | he | xavier | normal | orthogonal, times `scale`, the first
    layer also times `first_scale`; sort_biases: start with ascending biases.
    """
    arguments = dict(locals())
    for name in ("width", "tau0"):
        if isinstance(arguments[name], list):
            arguments[name] = tuple(arguments[name])
    arguments["dtype"] = str(dtype).removeprefix("torch.")
    return network(NetConfig(**arguments))


def network(config: NetConfig) -> Network:
    """Return the net of a config.

    An architecture that makes a torch module of its own gives an `OwnNet`, which has the part of
    this interface that training and measuring need.
    """
    if hasattr(architectures.get(config.net), "make"):
        from nets.user_modules import OwnNet

        return cast(Network, OwnNet.made(config))
    return Network(config)
