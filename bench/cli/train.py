"""`femnets train`: one net, trained and measured; its settings are those of a `net` cell."""

from __future__ import annotations

import json
from pathlib import Path
from signal import SIGINT, Signals
from typing import Annotated, Any

import typer

from bench.cells import plain
from bench.cells._net import END
from bench.cells.net import Config, needs_bytes
from bench.cli._options import options_of
from bench.guards.output import file_for
from bench.guards.signals import CODES, ending_well, line
from bench.guards.sizes import check_memory
from bench.recipes import RECIPES, get
from bench.settings import MOST_THREADS

_OUT = "What comes out"


@options_of(Config)
def command(
    given: dict[str, Any],
    *,
    recipe: Annotated[
        str | None, typer.Option(help=f"Start from named settings: {' or '.join(RECIPES)}.")
    ] = None,
    seconds: Annotated[
        float | None, typer.Option(min=0, help="At most so many seconds.", rich_help_panel=END)
    ] = None,
    threads: Annotated[
        int,
        typer.Option(
            min=1, max=MOST_THREADS, help="Threads of the matrix products.", rich_help_panel=END
        ),
    ] = 1,
    save: Annotated[
        Path | None,
        typer.Option(help="Write the net to this .safetensors file.", rich_help_panel=_OUT),
    ] = None,
    history: Annotated[
        Path | None,
        typer.Option(
            help="Write history and error curve as arrays to this .npz file.", rich_help_panel=_OUT
        ),
    ] = None,
    as_json: Annotated[
        bool,
        typer.Option("--json", help="One JSON document on stdout.", rich_help_panel=_OUT),
    ] = False,
) -> int:
    """Train one net on samples in the cylinder and measure it there and on the cube.

    It stops at the first limit that is reached; without any, after 1000 steps. Ctrl-C ends it with
    the best state so far.
    """
    from bench.cli._nets import save_arrays, save_net, table, use_threads
    from bench.cli._progress import TrainingProgress
    from bench.settings import configured

    file_for(save, "--save", ".safetensors")
    file_for(history, "--history", ".npz")
    settings = {**(get(recipe).settings if recipe else {}), **given}
    config = configured(Config, settings, where="a training")
    check_memory(needs_bytes(config), "this training", "take fewer samples or a smaller net")
    use_threads(threads)
    from bench.training import train_net

    with TrainingProgress() as progress, ending_well() as received:
        trained = train_net(config, seconds=seconds, progress=progress)
    if save is not None:
        save_net(trained.net, config, save)
    if history is not None:
        save_arrays(trained.arrays, history)
    if as_json:
        told = {**plain(config), "seconds": seconds}
        typer.echo(json.dumps({**trained.values, "config": told}, indent=1, allow_nan=False))
    else:
        typer.echo(table(trained.values))
    return told_end(trained.training.interrupted, received)


def told_end(interrupted: bool, received: list[int]) -> int:
    """The exit code; whoever ended the training hears what they have got."""
    if not interrupted:
        return 0
    number = Signals(received[0]) if received else SIGINT
    typer.echo(f"{line(number)}; what is shown and saved is the best state so far", err=True)
    return CODES[number]
