"""`femnets check`: checks a user's file before anything is computed with it."""

from __future__ import annotations

from typing import Annotated

import typer

from femnets.cli import EXIT_BAD_INPUT
from femnets.cli._output import show_json


def command(
    file: Annotated[str, typer.Argument(help="A file such as ./mine.py, or ./mine.py:name.")],
    json_output: Annotated[bool, typer.Option("--json", help="One JSON document.")] = False,
) -> int:
    """Check a problem's formulas against each other: curl, divergence, equation, trace, gradients.

    Derivatives are computed by differences of eighth order; formulas that disagree are named, with
    place and size. A net, optimiser or study gets a short trial. Warnings of its code
    are listed. Exit code 0: all agree; 2: not.
    """
    from femnets.trials import tried

    found, notes = tried(file)
    right = all(verdict.agrees for verdict in found)
    if json_output:
        document = {"file": file, "agrees": right, "verdicts": [v.document() for v in found]}
        document["warnings"] = notes
        show_json(document)
    else:
        for verdict in found:
            typer.echo(f"{'ok  ' if verdict.agrees else 'WRONG'} {verdict.line()}")
        for note in notes:
            typer.echo(f"note {note}")
    return 0 if right else EXIT_BAD_INPUT
