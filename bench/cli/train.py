"""`femnets train`: one net, trained and measured; its settings are those of a `net` cell."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from bench.cells import plain
from bench.cells._net import END
from bench.cells.net import Config
from bench.cli import EXIT_INTERRUPTED
from bench.cli._options import options_of
from bench.recipes import RECIPES, get

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
        int, typer.Option(min=1, help="Threads of the matrix products.", rich_help_panel=END)
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
    from bench.cli._nets import check_suffix, save_arrays, save_net, table, use_threads
    from bench.settings import configured

    check_suffix(save, ".safetensors")
    check_suffix(history, ".npz")
    settings = {**(get(recipe).settings if recipe else {}), **given}
    config = configured(Config, settings, where="a training")
    use_threads(threads)
    from bench.training import train_net
    from nets.training.progress import TrainingProgress

    with TrainingProgress() as progress:
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
    return EXIT_INTERRUPTED if trained.training.interrupted else 0
