"""The diagnosis: a label, the layer where the trouble starts and its cause, by these rules only.

With ratio = ‖∂J/∂y‖ at the first hidden state over that at the last (for a recurrent layer: how
its last output depends on the first input over that on the last), by `nets.gradients.verdict`:

    dead        at least DEAD_SHARE of a state's units are dead, or no gradient reaches it
    exploding   ratio > 1e3
    vanishing   ratio < 1e-3
    chaotic     ratio > 10^1.5, and the largest Lyapunov exponent positive: deeper nets explode
    ordered     ratio < 10^-1.5, and that exponent negative
    healthy     everything else

It starts at the state, counted from the loss, from which on the norm stays a decade away.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nets.gradients.verdict import EXPLODING, VANISHING
from nets.laboratory.profile import Profile

Array = NDArray[np.float64]

DEAD_SHARE = 0.95
LEANING = 1.5  # decades: half of those of the verdicts
ONSET = 1.0  # decades
WORDS = ("healthy", "vanishing", "exploding", "dead", "chaotic", "ordered")


@dataclass(frozen=True)
class Findings:
    """The numbers that the rules use, at the start of training, for one seed."""

    profile: Profile
    memory: Mapping[str, Array]  # log₁₀ over time, per recurrent layer
    lyapunov: float = math.nan  # the largest exponent per step, averaged over samples
    residual_blocks: int = 0
    normalised: bool = False  # whether those begin with a normalisation
    forget_gate: Mapping[str, float] | None = None  # its mean, per LSTM


@dataclass(frozen=True)
class Diagnosis:
    """The label, where the trouble starts, how large it is, and why."""

    verdict: str
    layer: str | None
    log10_ratio: float  # of the profile that decided
    over: str  # "depth" or "time"
    factor: float  # per state or per time step, geometric mean
    cause: str

    @property
    def healthy(self) -> bool:
        return self.verdict == "healthy"


@dataclass(frozen=True)
class _Profile:
    """A profile of log₁₀ norms with names for its entries."""

    over: str
    names: tuple[str, ...]
    logs: Array

    @property
    def ratio(self) -> float:
        """First over last in log₁₀, -inf left out; infinite where a norm is NaN."""
        if not self.logs.size or np.isnan(self.logs).any() or np.isposinf(self.logs).any():
            return math.inf if self.logs.size else 0.0
        living = self.logs[np.isfinite(self.logs)]
        return float(living[0] - living[-1]) if living.size else 0.0

    @property
    def factor(self) -> float:
        return float(10 ** (self.ratio / max(len(self.logs) - 1, 1)))


def diagnose(found: Findings) -> Diagnosis:
    """The rules above, on depth first and on every recurrent layer's time."""
    depth = hidden_profile(found.profile)
    dead = _dead_state(found.profile)
    if dead is not None:
        share = found.profile.state_dead[found.profile.states.index(dead)]
        cause = f"{share:.0%} of the units of {dead} have no output or no gradient on any sample"
        return Diagnosis("dead", dead, depth.ratio, "depth", depth.factor, cause)
    times = [_Profile("time", (name,) * len(logs), logs) for name, logs in found.memory.items()]
    worst = max([depth, *times], key=lambda profile: abs(profile.ratio))
    word = _word(worst, found.lyapunov)
    if word == "healthy":
        return Diagnosis(word, None, worst.ratio, worst.over, worst.factor, "")
    layer = worst.names[_onset(worst.logs)]
    cause = _time_cause(worst, found) if worst.over == "time" else _depth_cause(worst, found)
    return Diagnosis(word, layer, worst.ratio, worst.over, worst.factor, cause)


def hidden_profile(profile: Profile) -> _Profile:
    """log₁₀ ‖∂J/∂y‖ of the states that gradients reach, without the read-out."""
    known = [k for k, norm in enumerate(profile.state_adjoint) if not math.isnan(norm)]
    if len(known) > 2:
        known = known[:-1]
    names = tuple(profile.states[k] for k in known)
    return _Profile("depth", names, profile.log10_states[known])


def _word(profile: _Profile, lyapunov: float) -> str:
    if profile.ratio > math.log10(EXPLODING):
        return "exploding"
    if profile.ratio < math.log10(VANISHING):
        return "vanishing"
    if profile.over == "time" or abs(profile.ratio) < LEANING:
        return "healthy"  # a memory that fades tenfold over its sequence is healthy
    if profile.ratio > 0 and not lyapunov < 0:
        return "chaotic"
    return "ordered" if profile.ratio < 0 and not lyapunov > 0 else "healthy"


def _dead_state(profile: Profile) -> str | None:
    """The dead state that is nearest to the loss: it cuts off those before it."""
    norms = profile.state_adjoint
    for k in reversed(range(len(norms))):
        if profile.state_dead[k] >= DEAD_SHARE or norms[k] == 0.0 < np.nanmax(norms):
            return profile.states[k]
    return None


def _onset(logs: Array) -> int:
    """The state nearest the end from which on, towards the start, the norm stays a decade away."""
    away = np.abs(logs - logs[-1]) >= ONSET
    inside = np.flatnonzero(~away)
    return max(int(inside[0]) - 1, 0) if inside.size else len(logs) - 1


def _depth_cause(profile: _Profile, found: Findings) -> str:
    factor, steps = profile.factor, np.diff(profile.logs)
    grows = profile.ratio > 0
    share = np.abs(steps).max() / max(abs(profile.ratio), 1e-9) if steps.size else 0.0
    if share > 0.5 and steps.size > 2:
        k = int(np.abs(steps).argmax())
        return (
            f"one step alone, {profile.names[k]} to {profile.names[k + 1]}, multiplies gradients "
            f"by {10 ** -steps[k]:.2g}"
        )
    blocks = {name.partition("#")[0] for name in profile.names}
    one = f"call of {blocks.pop()}" if len(blocks) == 1 else "block"
    each = f"each {one} multiplies gradients by {factor:.2g}"
    if grows and found.residual_blocks and not found.normalised:
        scale = found.profile.state_scale
        return (
            f"{found.residual_blocks} residual blocks add to a stream that nothing normalises in "
            f"front of their branches: {each}, and activations grow {_growth(scale):.2g}-fold"
        )
    if grows:
        return f"weights are too large for this depth (the chaotic side): {each}"
    saturated = found.profile.saturated[~np.isnan(found.profile.saturated)]
    if saturated.size and np.median(saturated) > 0.5:
        return f"activations saturate ({np.median(saturated):.0%} of their entries): {each}"
    return f"weights are too small for this depth (the ordered side): {each}"


def _time_cause(profile: _Profile, found: Findings) -> str:
    name, length = profile.names[0], len(profile.logs)
    gates = found.forget_gate or {}
    gate = f"; its forget gate starts at {gates[name]:.2f}" if name in gates else ""
    way = "fades" if profile.ratio < 0 else "grows"
    return (
        f"over time: the effect of an input on {name} {way} by {profile.factor:.2g} per step, over "
        f"{length} steps by 1e{profile.ratio:+.0f}{gate}"
    )


def _growth(scale: Array) -> float:
    known = scale[np.isfinite(scale) & (scale > 0)]
    return float(known[:-1].max() / known[0]) if known.size > 2 else 1.0
