"""`femnets certify`: bounds of a saved net's error that need no exact solution."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from base.errors import UserError
from femnets.cli import EXIT_FAILED_CELLS
from femnets.cli._output import show_values
from femnets.cli._shared import AsJson, Threads, use_threads


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
    from femnets.saved_nets import saved_field
    from femnets.user_files import used

    if norm not in ("l2", "energy"):
        raise UserError(f"--norm must be l2 or energy, got {norm!r}")
    use_threads(threads)
    found = certify(*saved_field(file, used(problem)), method)
    document = found.document(norm)
    show_values(document, as_json)
    return 0 if document["certified"] else EXIT_FAILED_CELLS
