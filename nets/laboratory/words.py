"""The diagnosis of a study in words, for the terminal and the page."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from nets.laboratory.jacobians import Spectra

if TYPE_CHECKING:
    from nets.laboratory.study import GradientStudy


def headline(study: GradientStudy) -> str:
    """`net: vanishing from layer 90 on, first/last 1e-12.5`."""
    found = study.diagnosis
    where = f", from {study.layer} on" if study.layer and found.over == "depth" else ""
    ends = "first/last input" if found.over == "time" else "first/last"
    return f"{study.name}: {study.verdict}{where}, {ends} {power(found.log10_ratio)}"


def sentences(study: GradientStudy) -> list[str]:
    """The verdict, where it starts, its cause, the largest exponent, and what to try first."""
    found = study.diagnosis
    in_depth = "Counted from the loss it starts at state"
    start = "It concerns the memory of" if found.over == "time" else in_depth
    where = f" {start} {study.layer}." if study.layer else ""
    lines = [f"The verdict on {study.name}: {study.verdict}.{where}"]
    if found.cause:
        lines.append(f"Cause: {found.cause}.")
    verdicts = [one.diagnosis.verdict for one in study.examined]
    if len(verdicts) > 1:
        lines.append(f"{verdicts.count(study.verdict)} of {len(verdicts)} seeds agree.")
    if study.spectra is not None:
        lines.append(_exponent(study.spectra))
    if study.trials:
        lines.append(_advice(study))
    return lines


def _exponent(spectra: Spectra) -> str:
    """The largest Lyapunov exponent."""
    top = float(spectra.lyapunov[:, 0].mean())
    if not math.isfinite(top):
        return "No gradient passes from the last state to the first."
    return (
        f"The largest Lyapunov exponent is {top:+.3f} per {spectra.per}: in the long run the "
        f"least damped direction of a gradient is multiplied by {math.exp(top):.3g} there."
    )


def _advice(study: GradientStudy) -> str:
    """What to try first, or why nothing is recommended."""
    best, steps = study.remedy, study.trial_steps
    if best is not None:
        return (
            f"Try first: {best.remedy} ({best.change}). It took the ratio from "
            f"{power(study.diagnosis.log10_ratio)} to {power(best.log10_ratio)}, and J after "
            f"{steps} steps from {_plain(best.untreated)} to {_plain(best.loss)}."
        )
    if any(trial.heals for trial in study.trials):
        return (
            f"No remedy is recommended: some make it healthy, but after {steps} steps none has "
            "lowered J by 1 % or more."
        )
    return "None of the remedies that fit makes it healthy."


def _plain(value: float) -> str:
    return f"{value:.3g}" if math.isfinite(value) else "not finite (diverged)"


def power(log10: float) -> str:
    """`1e-12.5`, or the number itself within a decade of one."""
    return f"{10**log10:.2g}" if abs(log10) < 1 else f"1e{log10:+.1f}"


def shortened(name: str, most: int = 18) -> str:
    """Return the end of a long name, which says more than its beginning."""
    return name if len(name) <= most else f"…{name[1 - most :]}"
