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
from bench.core.plain_values import finite
from bench.core.settings import configured
from bench.methods.configurations import NetInAtlas, gradient_profile_bytes
from femnets.cli._laboratory import LABORATORY, AnyModule, bar, say
from femnets.cli._options import options_of
from femnets.cli._output import show_json, show_table

if TYPE_CHECKING:
    from bench.methods.gradient_atlas import GradientProfile

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
    out: Annotated[
        Path | None,
        typer.Option(
            help="A self-contained page (.html).",
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
        result = _of_net(given)
        show_json(result) if as_json else show(result)
        return
    elsewhere = "is for nets of femnets; leave it out with a module FILE.py:NAME"
    _refuse([name for name in given if name != "samples"], elsewhere)
    from bench.core.guards.output import file_for
    from femnets.cli import _laboratory

    file_for(out, "--out", ".html")
    asked = configured(AnyModule, about_module, where="a module")
    study = _laboratory.study_of(module, asked)
    if out is not None:
        typed = shell_command("femnets", "gradients", module, "--data", str(asked.data))
        _laboratory.write_page(study, out, typed)
    if as_json:
        show_json(_laboratory.document(study))
    else:
        _laboratory.show(study)


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
    plain: dict[str, Any] = finite({
        **config,
        "verdict": on_states.label,
        "verdict_weights": on_weights.label,
        "thresholds": {"vanishing": VANISHING, "exploding": EXPLODING, "dead": DEAD},
        "log10_growth": states[0] - states[-1],
        "log10_growth_predicted": float(found.predicted[0]),
        "log10_spectral_norm": spectral[0],
        "theory_error": found.theory_error,
        "layers": [_layer(found, k) for k in range(len(found.log10_norms["y"]))],
    })  # fmt: skip
    return plain


def _layer(found: GradientProfile, k: int) -> dict[str, Any]:
    """Layer k: W, b, τ belong to the step from y[k] to y[k+1]."""
    row: dict[str, Any] = {"layer": k}
    for kind, norms in found.log10_norms.items():
        if k < len(norms):
            row[kind], row[f"log10_{kind}"] = _power(norms[k]), float(norms[k])
        theory, first = found.log10_theory[kind], int(kind == "y")
        if first <= k < len(theory) + first:
            row[f"theory_{kind}"] = _power(theory[k - first])
    if 1 <= k <= len(found.predicted):
        row["log10_predicted_y"] = float(found.predicted[k - 1])
    return row


def _power(exponent: float) -> float | None:
    """Return 10^exponent, or None if it is beyond float64."""
    if exponent == -math.inf:
        return 0.0
    return 10.0 ** float(exponent) if exponent < 308 else None


def show(result: dict[str, Any]) -> None:
    """Print the norms with a bar for log₁₀ ‖∂J/∂y[k]‖ per layer, and the verdict."""
    logs = [row.get("log10_y") for row in result["layers"]]
    known = [value for value in logs if value is not None]
    low, high = (min(known), max(known)) if known else (0.0, 0.0)
    titles = ("k", "∂J/∂W", "theory", "∂J/∂b", "∂J/∂τ", "∂J/∂y", "theory")
    names = ("W", "theory_W", "b", "tau", "y", "theory_y")
    rows = [
        (str(row["layer"]), *(_cell(row, name) for name in names), bar(value, low, high))
        for row, value in zip(result["layers"], logs, strict=True)
    ]
    show_table((*titles, f"1e{low:+.0f}..1e{high:+.0f}"), rows)
    say(summary(result))


def _cell(row: dict[str, Any], name: str) -> str:
    if name in row:
        value = row[name]
        return f"{value:.1e}" if value is not None else f"1e{row.get(f'log10_{name}', 308):+.0f}"
    return ""


def summary(result: dict[str, Any]) -> str:
    error = result["theory_error"]
    agreement = "beyond float64" if error is None else f"agrees to {error:.1e} relative"
    growth, expected = result["log10_growth"], result["log10_growth_predicted"]
    measured = "no gradient arrives" if growth is None else f"grows by 1e{growth:+.1f}"
    predicted = "" if expected is None else f" (predicted 1e{expected:+.1f})"
    spectral = result["log10_spectral_norm"]
    jacobian = "" if spectral is None else f"; ‖dy[H]/dy[1]‖ = 1e{spectral:+.1f}"
    return (
        f"{result['verdict']}: ‖∂J/∂y‖ {measured}{predicted} from the last hidden "
        f"layer to the first{jacobian}\ntheory {agreement}"
    )
