"""`femnets certify`: bounds of a saved net's error that need no exact solution."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from base.errors import UserError
from femnets.cli import EXIT_FAILED_CELLS
from femnets.cli._json import show_json
from femnets.cli._shared import AsJson, Threads

if TYPE_CHECKING:
    from fem.certificates.certificate import Certificate

NORMS = {"l2": "L² error", "energy": "energy error"}


def command(
    file: Annotated[Path, typer.Argument(help="A net saved by `femnets train --save`.")],
    problem: Annotated[
        str | None, typer.Option(help="Certify on this problem instead of the trained one.")
    ] = None,
    method: Annotated[
        str,
        typer.Option(
            help="own: by the residuals of the net; reference: by its distance from a certified "
            "solution of high order; auto: both, the better counts."
        ),
    ] = "auto",
    norm: Annotated[
        str, typer.Option(help="The norm in which a digit must be certified: l2 or energy.")
    ] = "l2",
    threads: Threads = 1,
    as_json: AsJson = False,
) -> int:
    """Bound the error of a net from the equation and its boundary values, never from u.

    Exit code 0: at least one digit is certified; 1: none is, with the reason.
    """
    from bench.methods.certificates.certify import certify
    from femnets.cli._nets import use_threads
    from femnets.saved_nets import saved_field
    from femnets.user_files import used

    if norm not in NORMS:
        raise UserError(f"--norm must be l2 or energy, got {norm!r}")
    use_threads(threads)
    found = certify(*saved_field(file, used(problem)), method)
    if as_json:
        show_json(found.document(norm))
    else:
        typer.echo(described(found, norm))
    return 0 if found.reason(norm) is None else EXIT_FAILED_CELLS


def described(found: Certificate, norm: str) -> str:
    """Return the bounds, what they consist of, and how far they can be trusted."""
    reason = found.reason(norm)
    verdict = f"no digit certified: {reason}" if reason else "certified"
    parts = ", ".join(f"{name} {value:.3g}" for name, value in found.parts.items() if value)
    constants = ", ".join(f"{n} = {c.value:.4g} ({c.tag})" for n, c in found.constants.items())
    moved = "" if found.change is None else f", the bound moved by {found.change:.1e} of itself"
    return "\n".join(
        [
            _line("L² error", found.l2_lower_bound, found.l2_bound, found.relative_l2_bound),
            _line(
                "energy error",
                found.energy_lower_bound,
                found.energy_bound,
                found.relative_energy_bound,
            ),
            f"method        {found.method} ({found.word})",
            f"parts         {parts}",
            f"constants     {constants}",
            f"quadrature    {found.levels} levels{moved}",
            f"seconds       {found.seconds:.2f}",
            verdict,
        ]
    )


def _line(name: str, low: float | None, high: float | None, relative: float | None) -> str:
    if high is None:
        return f"{name:<13} no bound"
    lower = "0" if not low else f"{low:.4g}"
    share = "" if relative is None else f", relative at most {relative:.3g}"
    return f"{name:<13} between {lower} and {high:.4g}{share}"
