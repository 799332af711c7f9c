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
    mu: Annotated[
        str | None,
        typer.Option(help="Ask a surrogate (--track family) for this μ, such as 0.3,1.2."),
    ] = None,
    family: Annotated[
        str | None, typer.Option(help="Refuse a surrogate of another family than this.")
    ] = None,
    vtu: Annotated[
        Path | None, typer.Option(help="Write the field of --mu to this file, for ParaView.")
    ] = None,
    threads: Threads = 1,
    as_json: AsJson = False,
) -> None:
    """Measure a saved net or surrogate, as `femnets train` does at its end, or ask it for a μ."""
    from femnets import saved_nets as saved
    from femnets.cli import _nets as nets

    nets.use_threads(threads)
    from bench.methods.surrogates.file_header import is_surrogate
    from femnets.user_files import used

    if is_surrogate(file) or mu is not None or vtu is not None or family is not None:
        from femnets.cli._families import evaluate_family

        evaluate_family(file, mu, family, vtu, as_json)
        return

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
