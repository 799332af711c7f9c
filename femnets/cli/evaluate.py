"""`femnets evaluate`: measures a saved net."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from bench.methods.untrained.configuration import NAME
from femnets.cli._json import show_json
from femnets.cli._shared import AsJson, Threads


def command(
    file: Annotated[Path, typer.Argument(help="A net saved by `femnets train --save`.")],
    problem: Annotated[
        str | None, typer.Option(help="Measure on this problem instead of the trained one.")
    ] = None,
    plug: Annotated[
        list[str] | None,
        typer.Option(help="A file that the net or its problem came from, such as ./mine.py:Net."),
    ] = None,
    data_seed: Annotated[
        int | None,
        typer.Option(min=0, help="Seed of other points than those of the training."),
    ] = None,
    threads: Threads = 1,
    as_json: AsJson = False,
) -> None:
    """Measure a saved net, as `femnets train` does at its end."""
    from femnets import saved_nets as saved
    from femnets.cli import _nets as nets

    nets.use_threads(threads)
    from femnets.user_files import used

    used(plug or [])
    given = {"problem": used(problem), "data_seed": data_seed}
    given_by = saved.saved_as(file)
    if given_by == NAME:
        from bench.methods.untrained.solving import evaluated_untrained

        values = evaluated_untrained(*saved.load_untrained(file, **given))
    elif given_by == "solve":
        from bench.methods.solving import evaluated

        values = evaluated(*saved.load_solved(file, **given))
    else:
        from bench.methods.training import net_metrics, training_data

        net, config = saved.load_net(file, **given)
        values = {**net_metrics(net, training_data(config)), "parameters": net.pack().size}
    if as_json:
        show_json(values)
    else:
        typer.echo(nets.table(values))
