"""`femnets gradients`: gradient norms of a net of femnets, or of any torch module."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from base.errors import UserError
from bench.cells import plain
from bench.core.guards.text import shell_command
from bench.core.settings import configured
from bench.methods.configurations import NetInAtlas, gradient_profile_bytes
from femnets.cli._laboratory import LABORATORY, AnyModule
from femnets.cli._options import options_of
from femnets.cli._output import show_json

if TYPE_CHECKING:
    from bench.methods.gradient_atlas import GradientProfile

BAR_WIDTH = 16  # fits with the numbers into 80 columns
SAMPLES_OF_SPECTRA = 16


@dataclass(frozen=True, kw_only=True)
class Asked(NetInAtlas, AnyModule):
    """The options for both a net of femnets and any torch module."""


FILES = ("data", "loss", "against")  # FILE.py:NAME, looked up when the study begins


@options_of(Asked, defaults={"samples": 200}, verbatim=FILES)
def command(
    given: dict[str, Any],
    *,
    module: Annotated[
        str | None,
        typer.Argument(
            help="FILE.py:NAME of a torch module, or of a function that makes one.",
            show_default=False,
        ),
    ] = None,
    scale: Annotated[
        str, typer.Option(help="Factor on the starting weights; for a module also 0.5,1,2.")
    ] = "1",
    out: Annotated[
        list[Path] | None,
        typer.Option(
            help="A page (.html), a figure (.png, .svg, .pdf) or a table (.csv, .parquet); may be "
            "given several times.",
            rich_help_panel=LABORATORY,
            show_default=False,
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON document on stdout.")] = False,
) -> None:
    """Measure gradient norms per layer, with a verdict: of a net of femnets compared with theory,
    or of any torch module, with remedies."""
    own = [field.name for field in fields(AnyModule)]
    about_module = {name: given.pop(name) for name in own if name in given}
    if module is None:
        _refuse([*about_module, *(["out"] if out else [])], "needs a module FILE.py:NAME")
        result = _of_net({**given, "scale": _one(_scales(scale))})
        show_json(result) if as_json else show(result)
        return
    elsewhere = "is for nets of femnets; leave it out with a module FILE.py:NAME"
    _refuse([name for name in given if name != "samples"], elsewhere)
    from femnets.cli import _laboratory

    _laboratory.check_outputs(out or [])
    asked = configured(AnyModule, about_module, where="a module")
    study = _laboratory.study_of(module, asked, _scales(scale))
    typed = shell_command("femnets", "gradients", module, "--data", str(asked.data))
    for path in out or []:
        _laboratory.write(study, path, typed)
    if as_json:
        show_json(_laboratory.document(study))
    else:
        _laboratory.show(study)


def _one(scales: tuple[float, ...]) -> float:
    if len(scales) != 1:
        raise UserError("--net takes one --scale; several are for a module FILE.py:NAME")
    return scales[0]


def _scales(text: str) -> tuple[float, ...]:
    try:
        return tuple(float(part) for part in text.split(","))
    except ValueError:
        raise UserError(f"--scale must be numbers such as 0.5,1,2, got {text!r}") from None


def _refuse(names: list[str], why: str) -> None:
    if names:
        raise UserError(f"--{names[0].replace('_', '-')} {why}")


def _of_net(given: dict[str, Any]) -> dict[str, Any]:
    """Return the document of a net of femnets."""
    from bench.core.guards.sizes import check_memory
    from bench.methods.gradient_atlas import gradient_profile, inputs_and_targets, net_of

    config = configured(NetInAtlas, given, where="a net")
    needed = gradient_profile_bytes(config, config.samples)
    check_memory(needed, "this gradient profile", "take fewer samples or a smaller net")
    x, y = inputs_and_targets(config)
    few = min(config.samples, SAMPLES_OF_SPECTRA)
    found = gradient_profile(net_of(config), x, y, theory=config.samples, spectra=few)
    return document(plain(config), found)


def document(config: dict[str, Any], found: GradientProfile) -> dict[str, Any]:
    """Return the JSON document: a norm beyond float64 is null, but its log₁₀ is given."""
    from nets.gradients.verdict import DEAD, EXPLODING, VANISHING, judge

    states = found.log10_norms["y"][1:-1].tolist()
    on_states, on_weights = judge(states), judge(found.log10_norms["W"].tolist())
    spectral = [float(spectrum[:, 0].mean()) for spectrum in found.log10_spectra]
    return {
        **config,
        "verdict": on_states.label,
        "verdict_weights": on_weights.label,
        "thresholds": {"vanishing": VANISHING, "exploding": EXPLODING, "dead": DEAD},
        "log10_growth": _finite(states[0] - states[-1]),
        "log10_growth_predicted": _finite(float(found.predicted[0])),
        "log10_spectral_norm": _finite(spectral[0]),
        "theory_error": found.theory_error,
        "layers": [_layer(found, k) for k in range(len(found.log10_norms["y"]))],
    }


def _layer(found: GradientProfile, k: int) -> dict[str, Any]:
    """Layer k: W, b, τ belong to the step from y[k] to y[k+1]."""
    row: dict[str, Any] = {"layer": k}
    for kind, norms in found.log10_norms.items():
        if k < len(norms):
            row[kind], row[f"log10_{kind}"] = _power(norms[k]), _finite(norms[k])
        theory, first = found.log10_theory[kind], int(kind == "y")
        if first <= k < len(theory) + first:
            row[f"theory_{kind}"] = _power(theory[k - first])
    if 1 <= k <= len(found.predicted):
        row["log10_predicted_y"] = _finite(float(found.predicted[k - 1]))
    return row


def _finite(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


def _power(exponent: float) -> float | None:
    """Return 10^exponent, or None if it is beyond float64."""
    if exponent == -math.inf:
        return 0.0
    return 10.0 ** float(exponent) if exponent < 308 else None


def show(result: dict[str, Any]) -> None:
    """Print the norms with a bar for log₁₀ ‖∂J/∂y[k]‖ per layer, and the verdict."""
    from rich import box
    from rich.console import Console
    from rich.table import Table

    from femnets.cli._output import NARROW

    console = Console()
    narrow = console.width < NARROW
    logs = [row.get("log10_y") for row in result["layers"]]
    known = [value for value in logs if value is not None]
    low, high = (min(known), max(known)) if known else (0.0, 0.0)
    table = Table(box=None if narrow else box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    for title in ("k", "∂J/∂W", "theory", "∂J/∂b", "∂J/∂τ", "∂J/∂y", "theory"):
        table.add_column(title, justify="right", no_wrap=True)
    scale = "∂J/∂y" if narrow else f"1e{low:+.0f} ∂J/∂y 1e{high:+.0f}"
    table.add_column(scale, no_wrap=True)
    for row, value in zip(result["layers"], logs, strict=True):
        names = ("W", "theory_W", "b", "tau", "y", "theory_y")
        cells = [_cell(row, name) for name in names]
        shown = bar(value, low, high, BAR_WIDTH // 3 if narrow else BAR_WIDTH)
        table.add_row(str(row["layer"]), *cells, shown)
    console.print(table)
    console.print(summary(result), highlight=False)


def _cell(row: dict[str, Any], name: str) -> str:
    if name in row:
        value = row[name]
        return f"{value:.1e}" if value is not None else f"1e{row.get(f'log10_{name}', 308):+.0f}"
    return ""


def bar(value: float | None, low: float, high: float, width: int = BAR_WIDTH) -> str:
    """Return a bar for a number between low and high, in eighths of a character."""
    if value is None:
        return "·"
    share = 1.0 if high == low else (value - low) / (high - low)
    eighths = max(1, round(8 * width * share))
    return "█" * (eighths // 8) + " ▏▎▍▌▋▊▉"[eighths % 8].strip()


def summary(result: dict[str, Any]) -> str:
    error = result["theory_error"]
    agreement = "beyond float64" if error is None else f"agrees to {error:.1e} relative"
    growth, expected = result["log10_growth"], result["log10_growth_predicted"]
    measured = "no gradient arrives" if growth is None else f"grows by 1e{growth:+.1f}"
    predicted = "" if expected is None else f" (predicted 1e{expected:+.1f})"
    spectral = result["log10_spectral_norm"]
    jacobian = "" if spectral is None else f"; ‖dy[H]/dy[1]‖ = 1e{spectral:+.1f}"
    return (
        f"[bold]{result['verdict']}[/bold]: ‖∂J/∂y‖ {measured}{predicted} from the last hidden "
        f"layer to the first{jacobian}\ntheory {agreement}"
    )
