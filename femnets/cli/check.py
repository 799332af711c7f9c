"""`femnets check`: a user's file checked before anything is computed with it."""

from __future__ import annotations

from typing import Annotated

import typer

from femnets.cli import EXIT_BAD_INPUT
from femnets.cli._json import show_json


def command(
    file: Annotated[str, typer.Argument(help="A file such as ./mine.py, or ./mine.py:name.")],
    json_output: Annotated[bool, typer.Option("--json", help="One JSON document.")] = False,
) -> int:
    """Check a problem's formulas against each other: curl, divergence, equation, trace, gradients.

    Derivatives are taken by differences of eighth order; what disagrees is named, with where and by
    how much. A net, an optimiser or a study is tried in small. Exit code 0: all agree; 2: not.
    """
    from femnets.trials import tried

    found = tried(file)
    right = all(verdict.agrees for verdict in found)
    if json_output:
        document = {"file": file, "agrees": right, "verdicts": [v.document() for v in found]}
        show_json(document)
    else:
        for verdict in found:
            typer.echo(f"{'ok  ' if verdict.agrees else 'WRONG'} {verdict.line()}")
    return 0 if right else EXIT_BAD_INPUT
