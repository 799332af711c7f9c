"""The gradient laboratory in a terminal: progress, tables, a JSON document, a page."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from base.errors import UserError, nearest
from base.progress import StatusLine
from bench.core.guards.text import printable
from bench.core.plain_values import finite
from bench.core.plugin_files import PATH, PluginFile, located, read
from bench.core.settings import setting
from bench.store.files import write_whole
from femnets.cli._output import show_table

if TYPE_CHECKING:
    from nets.laboratory.study import GradientStudy

LABORATORY = "Any torch module"
BAR_WIDTH = 16  # fits with the numbers into 80 columns
of_module = partial(setting, panel=LABORATORY)


@dataclass(frozen=True, kw_only=True)
class AnyModule:
    """The options for studying any torch module; objects are given as FILE.py:NAME."""

    data: str | None = of_module(
        None,
        help="FILE.py:NAME of a pair (x, y), or of a function that returns it.",
    )
    loss: str | None = of_module(
        None,
        help="FILE.py:NAME of loss(output, y).",
        unset="cross entropy for whole-number targets, else the mean square",
    )
    steps: int = of_module(200, min=0, help="Training steps to observe.")
    seeds: int = of_module(1, min=1, help="Number of random starts.")
    against: str | None = of_module(None, help="FILE.py:NAME of a second module to compare with.")
    remedies: bool | None = of_module(
        None,
        help="Try remedies on copies of the module.",
        unset="if the verdict is not healthy",
    )
    remedy_steps: int = of_module(50, min=0, help="Training steps for each remedy.")
    optimizer: str = of_module("adam", help="adam, adamw or sgd.")
    rate: float = of_module(1e-3, above=0, help="Learning rate.")


def study_of(module: str, asked: AnyModule) -> GradientStudy:
    """Run the study that a command line asks for."""
    if asked.data is None:
        raise UserError(
            f"{module} needs data: --data FILE.py:NAME, a function that returns a pair (x, y)"
        )
    from nets.laboratory.study import gradient_study

    other = None if asked.against is None else named(asked.against)
    with StatusLine() as line:
        return gradient_study(
            named(module),
            named(asked.data),
            None if asked.loss is None else named(asked.loss),
            steps=asked.steps,
            seeds=asked.seeds,
            against=other,
            remedies=asked.remedies,
            remedy_steps=asked.remedy_steps,
            optimizer=asked.optimizer,
            rate=asked.rate,
            names=(module.rpartition(":")[2], (asked.against or "").rpartition(":")[2]),
            tell=line.say,
        )


def named(reference: str) -> Any:
    """Return what `FILE.py:NAME` refers to; the file is executed once, whatever is named in it."""
    found = PATH.fullmatch(reference)
    if found is None or found["what"] is None:
        raise UserError(f"{reference!r} must be FILE.py:NAME, for example my_nets.py:make")
    module = _file(str(located(found["path"]))).module
    if not hasattr(module, found["what"]):
        known = [key for key in vars(module) if not key.startswith("_")]
        raise UserError(
            f"{found['path']} has no {found['what']!r}; {nearest(found['what'], known)}"
        )
    return getattr(module, found["what"])


@cache
def _file(path: str) -> PluginFile:
    return read(path)


def document(study: GradientStudy) -> dict[str, Any]:
    """Return the study as one JSON document; missing numbers are null."""
    found, best, spectra = study.diagnosis, study.remedy, study.spectra
    result = {
        "name": study.name,
        "verdict": study.verdict,
        "layer": study.layer,
        "cause": found.cause,
        "over": found.over,
        "log10_ratio": found.log10_ratio,
        "factor": found.factor,
        "remedy": None if best is None else best.remedy,
        "parameters": study.parameters,
        "lyapunov": [] if spectra is None else spectra.lyapunov.mean(axis=0).tolist(),
        "singular_values": [] if spectra is None else spectra.end_to_end.mean(axis=0).tolist(),
        "J": [training.J.tolist() for training in study.trainings],
        "layers": [row for row in study.rows("layers") if row["phase"] == "start"],
        "states": [row for row in study.rows("states") if row["phase"] == "start"],
        "remedies": study.rows("remedies"),
        "against": None if study.against is None else document(study.against),
    }
    plain: dict[str, Any] = finite(result)
    return plain


def show(study: GradientStudy) -> None:
    """Print the states with a bar for log₁₀ ‖∂J/∂y‖, the verdict in words, and the remedies."""
    from nets.laboratory.words import sentences

    for one in (study.against, study):
        if one is not None:
            show_table(*_states(one))
            say("\n".join(sentences(one)))
    columns = ("remedy, best first", "verdict", "first/last", f"J at {study.trial_steps}", "change")
    rows = [
        (trial.remedy, trial.verdict or "–", _ratio(trial.log10_ratio), _loss(trial.loss),
         trial.change)
        for trial in study.trials
    ]  # fmt: skip
    show_table(columns, rows)


def say(text: str) -> None:
    """Print a text literally, with lines that fit the terminal."""
    from rich.console import Console

    Console().print(printable(text, keep="\n"), highlight=False, markup=False)


def _states(study: GradientStudy) -> tuple[Sequence[str], Sequence[Sequence[str]]]:
    """Columns and rows of the first seed's states."""
    from nets.laboratory.words import shortened

    first = study.examined[0].profile
    logs = [float(log) if math.isfinite(log) else None for log in first.log10_states]
    known = [log for log in logs if log is not None]
    low, high = (min(known), max(known)) if known else (0.0, 0.0)
    rows = [
        (
            shortened(name),
            _number(first.state_scale[k]),
            "" if math.isnan(first.state_dead[k]) else f"{first.state_dead[k]:.0%}",
            _number(first.state_adjoint[k]),
            bar(logs[k], low, high),
        )
        for k, name in enumerate(first.states)
    ]
    return ("state", "|y|", "dead", "∂J/∂y", f"1e{low:+.0f}..1e{high:+.0f}"), rows


def bar(value: float | None, low: float, high: float) -> str:
    """Return a bar for a number between low and high, in eighths of a character."""
    if value is None:
        return "·"
    share = 1.0 if high == low else (value - low) / (high - low)
    eighths = max(1, round(8 * BAR_WIDTH * share))
    return "█" * (eighths // 8) + " ▏▎▍▌▋▊▉"[eighths % 8].strip()


def _number(value: float) -> str:
    return "" if math.isnan(value) else f"{value:.1e}"


def _ratio(log10: float) -> str:
    return f"1e{log10:+.1f}" if math.isfinite(log10) else ""


def _loss(value: float) -> str:
    return "diverged" if math.isinf(value) else _number(value)


def write_page(study: GradientStudy, path: Path, command: str) -> None:
    """Write the study as one self-contained page."""
    from reports.laboratory import page

    write_whole(path, page(study, command).encode())
