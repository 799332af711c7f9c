"""What a net is made of, checked once: the arguments of `build`, the metadata of a saved net."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from itertools import pairwise
from math import isfinite
from numbers import Integral
from typing import Any

from nets import architectures
from nets.activations import activation
from nets.errors import InputError, nearest
from nets.fractional.weights import check_order
from nets.initial import INITIALISERS
from nets.tau import starting_steps

DTYPES = ("float32", "float64")
MOST_LAYERS = 100_000
MOST_PARAMETERS = 2**31  # 17 GB in float64
LARGEST_SEED = 2**63 - 1


@dataclass(frozen=True, kw_only=True)
class NetConfig:
    """The arguments of `build`, as plain values (so that they fit into JSON)."""

    net: str = "resnet"
    tau: str = "learned"
    hidden: int = 6
    width: int | tuple[int, ...] = 50
    inputs: int = 7
    outputs: int = 3
    gamma: float = 0.5
    tau0: float | str | tuple[float, ...] = 1.0
    activation: str = "smoothrelu"
    eta: float = 1e-4
    carry_input: bool = False
    init: str = "torch"
    scale: float = 1.0
    first_scale: float = 1.0
    sort_biases: bool = False
    seed: int = 0
    dtype: str = "float64"

    def __post_init__(self) -> None:
        check_config(self)

    @property
    def widths(self) -> tuple[int, ...]:
        """n₀, the widths of the hidden layers 1..H, n_L."""
        inner = (self.width,) * self.hidden if isinstance(self.width, int) else self.width
        return (self.inputs, *inner, self.outputs)

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> "NetConfig":
        """From parsed JSON, where tuples have become lists."""
        known = [field.name for field in fields(cls)]
        for name in values:
            if name not in known:
                raise InputError(f"unknown setting {name!r} of a net; {nearest(name, known)}")
        plain: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value
            for name, value in values.items()
        }
        return cls(**plain)


def check_config(config: NetConfig) -> None:
    """Refuse what cannot be built, with the value and the remedy."""
    architecture = architectures.get(config.net)
    _one_of("tau", config.tau, architectures.TAU_POLICIES)
    _one_of("init", config.init, sorted(INITIALISERS))
    _one_of("dtype", config.dtype, DTYPES)
    for name in ("hidden", "inputs", "outputs"):
        _count(name, getattr(config, name))
    if config.hidden > MOST_LAYERS:
        raise InputError(f"hidden must be at most {MOST_LAYERS}, got {config.hidden}")
    _check_widths(config)
    if not (isinstance(config.seed, Integral) and 0 <= config.seed <= LARGEST_SEED):
        raise InputError(f"seed must be a whole number from 0 to 2^63 - 1, got {config.seed!r}")
    activation(config.activation, config.eta)
    if not (config.eta > 0 and isfinite(config.eta)):
        raise InputError(f"eta must be positive, got {config.eta}; the paper uses 1e-4")
    for name in ("scale", "first_scale"):
        if not (getattr(config, name) >= 0 and isfinite(getattr(config, name))):
            raise InputError(f"{name} must be a finite number >= 0, got {getattr(config, name)}")
    check_order(config.gamma)
    if config.tau not in architectures.tau_policies(config.net):
        raise InputError(
            f"tau={config.tau!r} starts from tau = 0, which net={config.net!r} divides by; "
            "use tau='learned' with tau0='1/H'"
        )
    _check_tau0(config, positive=architecture.POSITIVE_TAU)


def _check_widths(config: NetConfig) -> None:
    if isinstance(config.width, Sequence):
        if len(config.width) != config.hidden:
            raise InputError(
                f"width names {len(config.width)} layers but hidden = {config.hidden}; "
                "give one width, or one per hidden layer"
            )
        for width in config.width:
            _count("width", width)
    else:
        _count("width", config.width)
    parameters = sum(out * (into + 1) for into, out in pairwise(config.widths))
    if parameters > MOST_PARAMETERS:
        raise InputError(f"the net would have {parameters:.1e} parameters; take a smaller width")
    if config.carry_input and set(config.widths[:-1]) != {config.inputs}:
        raise InputError(
            f"carry_input needs every hidden width equal to inputs = {config.inputs}, got "
            f"{config.width}; set width={config.inputs} or carry_input=False"
        )


def _check_tau0(config: NetConfig, *, positive: bool) -> None:
    steps = starting_steps(config.tau0, config.hidden) or ()
    for step in steps:
        if positive and step <= 0:
            raise InputError(
                f"tau0 must be positive for net={config.net!r}, got {step}; try 1.0 or '1/H'"
            )
    if config.tau == "global" and len(set(steps)) > 1:
        raise InputError("tau='global' has one step for all layers; give tau0 as one number")


def _count(name: str, value: object) -> None:
    if isinstance(value, bool) or not isinstance(value, Integral) or value < 1:
        raise InputError(f"{name} must be a whole number >= 1, got {value!r}")


def _one_of(name: str, value: str, known: Sequence[str]) -> None:
    if value not in known:
        raise InputError(f"unknown {name} {value!r}; {nearest(value, known)}")
