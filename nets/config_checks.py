"""Checks of a net's configuration; each error names the value and the remedy."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import isfinite
from numbers import Integral
from typing import TYPE_CHECKING

from base.errors import UserError, nearest
from nets import architectures
from nets.activations import activation
from nets.fractional.weights import check_order
from nets.initial import INITIALISERS
from nets.tau import starting_steps

if TYPE_CHECKING:
    from nets.config import NetConfig

DTYPES = ("float32", "float64")
MOST_LAYERS = 100_000
MOST_PARAMETERS = 2**31  # 17 GB in float64
LARGEST_SEED = 2**63 - 1


def check_config(config: NetConfig) -> None:
    """Raise a UserError, with the value and the remedy, for a net that cannot be built."""
    architecture = architectures.get(config.net)
    _one_of("tau", config.tau, architectures.TAU_POLICIES)
    _one_of("init", config.init, sorted(INITIALISERS))
    _one_of("dtype", config.dtype, DTYPES)
    for name in ("hidden", "inputs", "outputs"):
        _count(name, getattr(config, name))
    if config.hidden > MOST_LAYERS:
        raise UserError(f"hidden must be at most {MOST_LAYERS}, got {config.hidden}")
    _check_widths(config)
    if not (isinstance(config.seed, Integral) and 0 <= config.seed <= LARGEST_SEED):
        raise UserError(f"seed must be a whole number from 0 to 2^63 - 1, got {config.seed!r}")
    activation(config.activation, config.eta)
    if not (config.eta > 0 and isfinite(config.eta)):
        raise UserError(f"eta must be positive, got {config.eta}; the paper uses 1e-4")
    for name in ("scale", "first_scale"):
        if not (getattr(config, name) >= 0 and isfinite(getattr(config, name))):
            raise UserError(f"{name} must be a finite number >= 0, got {getattr(config, name)}")
    check_order(config.gamma)
    if config.tau not in architectures.tau_policies(config.net):
        raise UserError(
            f"tau={config.tau!r} starts from tau = 0, which net={config.net!r} divides by; "
            "use tau='learned' with tau0='1/H'"
        )
    _check_tau0(config, positive=architecture.POSITIVE_TAU)


def _check_widths(config: NetConfig) -> None:
    if isinstance(config.width, Sequence):
        if len(config.width) != config.hidden:
            raise UserError(
                f"width has {len(config.width)} entries but hidden = {config.hidden}; "
                "give one width, or one per hidden layer"
            )
        for width in config.width:
            _count("width", width)
    else:
        _count("width", config.width)
    parameters = sum(out * (into + 1) for into, out in pairwise(config.widths))
    if parameters > MOST_PARAMETERS:
        raise UserError(f"the net would have {parameters:.1e} parameters; take a smaller width")
    if config.carry_input and set(config.widths[:-1]) != {config.inputs}:
        raise UserError(
            f"carry_input needs every hidden width equal to inputs = {config.inputs}, got "
            f"{config.width}; set width={config.inputs} or carry_input=False"
        )


def _check_tau0(config: NetConfig, *, positive: bool) -> None:
    steps = starting_steps(config.tau0, config.hidden) or ()
    for step in steps:
        if positive and step <= 0:
            raise UserError(
                f"tau0 must be positive for net={config.net!r}, got {step}; try 1.0 or '1/H'"
            )
    if config.tau == "global" and len(set(steps)) > 1:
        raise UserError("tau='global' has one step for all layers; give tau0 as one number")


def _count(name: str, value: object) -> None:
    if isinstance(value, bool) or not isinstance(value, Integral) or value < 1:
        raise UserError(f"{name} must be a whole number >= 1, got {value!r}")


def _one_of(name: str, value: str, known: Sequence[str]) -> None:
    if value not in known:
        raise UserError(f"unknown {name} {value!r}; {nearest(value, known)}")
