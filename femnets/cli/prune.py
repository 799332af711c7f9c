"""`femnets prune`: deletes layers that a saved net does not need."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from femnets.cli._json import show_json
from femnets.cli._shared import AsJson, Threads

if TYPE_CHECKING:
    from bench.methods.training import Data
    from nets.module import Network


def command(
    file: Annotated[Path, typer.Argument(help="A net saved by `femnets train --save`.")],
    below: Annotated[float, typer.Option(help="Delete layers with a smaller measure.")] = 1e-2,
    measure: Annotated[
        str,
        typer.Option(
            help="change: what the layer changes, relative to its state (||s sigma||/||y|| for a "
            "resnet); tau: its time step, as in the paper."
        ),
    ] = "change",
    problem: Annotated[
        str | None, typer.Option(help="Measure on this problem instead of its own.")
    ] = None,
    data_seed: Annotated[int | None, typer.Option(min=0, help="Seed of other points.")] = None,
    save: Annotated[
        Path | None, typer.Option(help="Write the smaller net to this .safetensors file.")
    ] = None,
    resolve: Annotated[
        bool,
        typer.Option("--resolve/--no-resolve", help="Solve the last layer of the saved net again."),
    ] = True,
    threads: Threads = 1,
    as_json: AsJson = False,
) -> None:
    """Delete redundant layers (never layer 0) and show which, with the errors before, after, and
    after solving the last layer again by least squares."""
    from bench.core.guards.output import file_for
    from bench.methods.training import training_data
    from femnets.cli._nets import save_net, table, use_threads
    from femnets.saved_nets import load_net
    from femnets.user_files import used

    file_for(save, "--save", ".safetensors")
    use_threads(threads)
    net, config = load_net(file, problem=used(problem), data_seed=data_seed)
    values, deleted, resolved = pruned(net, training_data(config), measure=measure, below=below)
    if save is not None:
        save_net(resolved if resolve else deleted, config, save)
    show_json(values) if as_json else typer.echo(table(values))


def pruned(
    net: Network, data: Data, *, measure: str, below: float
) -> tuple[dict[str, Any], Network, Network]:
    """Return the measures, the net without redundant layers, and it with W[L-1] solved again."""
    from bench.core.plain_values import finite
    from bench.methods.training import l2_error, rel_test_error
    from nets.deletion import delete_layers
    from nets.pruning import redundant_layers
    from nets.training.last_layer import solve_last_layer

    redundancy = redundant_layers(net, data.x, measure=measure, below=below)
    deleted = delete_layers(net, redundancy.layers)
    resolved = delete_layers(deleted, ())  # a copy
    solve_last_layer(resolved, data.x, data.y)
    values: dict[str, Any] = {
        "measure": measure,
        "below": below,
        "values": [finite(value) for value in redundancy.values],
        "deleted": list(redundancy.layers),
        "hidden": deleted.config.hidden,
        "tau": deleted.tau.tolist(),
    }
    for stage, which in (("before", net), ("after", deleted), ("resolved", resolved)):
        values[f"rel_test_error_{stage}"] = finite(rel_test_error(which, data))
        values[f"l2_error_{stage}"] = finite(l2_error(which, data))
    return values, deleted, resolved
