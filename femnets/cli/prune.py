"""`femnets prune`: deletes layers that a saved net does not need."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from base.errors import UserError
from femnets.cli._shared import AsJson, Threads, use_threads

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
    save: Annotated[
        Path | None, typer.Option(help="Write the smaller net to this .safetensors file.")
    ] = None,
    threads: Threads = 1,
    as_json: AsJson = False,
) -> None:
    """Delete redundant layers (never layer 0) and show which, with the errors before, after, and
    after solving the last layer again by least squares."""
    from bench.core.guards.output import file_for
    from bench.methods.configurations import TrainingConfig
    from bench.methods.training import training_data
    from femnets import saved_nets
    from femnets.cli._output import show_values

    file_for(save, "--save", ".safetensors")
    use_threads(threads)
    net, config = saved_nets.load(file)
    if not isinstance(config, TrainingConfig):
        raise UserError(f"{file} was trained without samples; use a net trained with --track fit")
    values, smaller = pruned(net, training_data(config), measure=measure, below=below)
    if save is not None:
        saved_nets.save(smaller, config, save)
    show_values(values, as_json)


def pruned(
    net: Network, data: Data, *, measure: str, below: float
) -> tuple[dict[str, Any], Network]:
    """Return the measures, and the net without redundant layers, with W[L-1] solved again."""
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
    return values, resolved
