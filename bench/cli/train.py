"""`femnets train`: one net, trained and measured."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from bench.cli import EXIT_INTERRUPTED

_NET = "The net"
_DATA = "The data and the loss"
_END = "The optimiser and when it stops"
_OUT = "What comes out"


def command(
    recipe: Annotated[
        str | None, typer.Option(help="Start from named settings: paper or record.")
    ] = None,
    net: Annotated[
        str | None,
        typer.Option(
            help="feedforward, resnet, densenet or fractional. [resnet]", rich_help_panel=_NET
        ),
    ] = None,
    tau: Annotated[
        str | None,
        typer.Option(
            help="Time steps: fixed, learned (one a layer), global (one), rezero. [learned]",
            rich_help_panel=_NET,
        ),
    ] = None,
    tau0: Annotated[
        str | None,
        typer.Option(
            help="Their start: a number, one a layer with commas, 1/H, 1/sqrtH, uniform. [1]",
            rich_help_panel=_NET,
        ),
    ] = None,
    hidden: Annotated[
        int | None, typer.Option(min=1, help="Hidden layers. [6]", rich_help_panel=_NET)
    ] = None,
    width: Annotated[
        int | None, typer.Option(min=1, help="Their width. [50]", rich_help_panel=_NET)
    ] = None,
    gamma: Annotated[
        float | None,
        typer.Option(help="Order of the fractional net, in (0, 1). [0.5]", rich_help_panel=_NET),
    ] = None,
    activation: Annotated[
        str | None, typer.Option(help="Activation. [smoothrelu]", rich_help_panel=_NET)
    ] = None,
    eta: Annotated[
        float | None,
        typer.Option(
            help="Half-width of smoothReLU's parabola; large ones make the net quadratic. [1e-4]",
            rich_help_panel=_NET,
        ),
    ] = None,
    init: Annotated[
        str | None,
        typer.Option(help="Weights: torch, he, xavier or normal. [torch]", rich_help_panel=_NET),
    ] = None,
    scale: Annotated[
        float | None,
        typer.Option(help="Factor on the starting weights. [1]", rich_help_panel=_NET),
    ] = None,
    sort_biases: Annotated[
        bool | None,
        typer.Option(
            help="Ascending biases at the start. [as --bias-ordering]", rich_help_panel=_NET
        ),
    ] = None,
    solve_read_out: Annotated[
        bool | None,
        typer.Option(
            help="The last layer by least squares before the first step. [no]",
            rich_help_panel=_NET,
        ),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(min=0, help="Seed of the starting values only. [0]", rich_help_panel=_NET),
    ] = None,
    problem: Annotated[
        str | None,
        typer.Option(help="The field to learn; `femnets list`. [maxwell]", rich_help_panel=_DATA),
    ] = None,
    features: Annotated[
        str | None,
        typer.Option(help="Inputs of the net. [x,f,phi]", rich_help_panel=_DATA),
    ] = None,
    samples: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Training points in the cylinder (12 000 more for testing). [12000]",
            rich_help_panel=_DATA,
        ),
    ] = None,
    radius: Annotated[
        float | None,
        typer.Option(
            help="Train on r <= radius only: the error in the ring beyond (ring_error) judges "
            "extrapolation without a look outside the cylinder. [1]",
            rich_help_panel=_DATA,
        ),
    ] = None,
    data_seed: Annotated[
        int | None,
        typer.Option(min=0, help="Seed of the points only. [0]", rich_help_panel=_DATA),
    ] = None,
    bias_ordering: Annotated[
        bool | None,
        typer.Option(
            "--bias-ordering/--no-bias-ordering",
            help="Penalty for b_j > b_(j+1), beta = 10. [no]",
            rich_help_panel=_DATA,
        ),
    ] = None,
    beta: Annotated[
        float | None,
        typer.Option(help="Another weight of that penalty.", rich_help_panel=_DATA),
    ] = None,
    lambda1: Annotated[
        float | None,
        typer.Option(help="Weight of the penalty on W and b. [0]", rich_help_panel=_DATA),
    ] = None,
    lambda2: Annotated[
        float | None,
        typer.Option(help="Weight of the penalty on tau. [0]", rich_help_panel=_DATA),
    ] = None,
    optimizer: Annotated[
        str | None,
        typer.Option(
            help="steepest, adam, lbfgs, ssbfgs, lssbfgs; auto: ssbfgs up to 5000 parameters, "
            "then lssbfgs. [auto]",
            rich_help_panel=_END,
        ),
    ] = None,
    rate: Annotated[
        float | None,
        typer.Option(help="Learning rate (adam) or first step (steepest).", rich_help_panel=_END),
    ] = None,
    batch: Annotated[
        int | None,
        typer.Option(min=0, help="Mini batch of adam; 0: all rows. [0]", rich_help_panel=_END),
    ] = None,
    schedule: Annotated[
        str | None,
        typer.Option(
            help="Rate of adam over --steps: constant, cosine, exponential. [constant]",
            rich_help_panel=_END,
        ),
    ] = None,
    memory: Annotated[
        int | None,
        typer.Option(min=1, help="Pairs that lbfgs and lssbfgs keep.", rich_help_panel=_END),
    ] = None,
    precision: Annotated[
        str | None,
        typer.Option(
            help="Of the net's evaluation: float64 or float32; the optimiser's state is float64. "
            "[float64]",
            rich_help_panel=_END,
        ),
    ] = None,
    steps: Annotated[
        int | None,
        typer.Option(min=0, help="At most so many steps. [1000]", rich_help_panel=_END),
    ] = None,
    evaluations: Annotated[
        float | None,
        typer.Option(
            min=0, help="At most so many evaluations of loss and gradient.", rich_help_panel=_END
        ),
    ] = None,
    seconds: Annotated[
        float | None,
        typer.Option(min=0, help="At most so many seconds.", rich_help_panel=_END),
    ] = None,
    target: Annotated[
        float | None,
        typer.Option(help="Until this relative test error.", rich_help_panel=_END),
    ] = None,
    gradient_norm: Annotated[
        float | None,
        typer.Option(help="Until this norm of the gradient.", rich_help_panel=_END),
    ] = None,
    patience: Annotated[
        float | None,
        typer.Option(
            min=0,
            help="Until J has not fallen by 1 % within so many evaluations.",
            rich_help_panel=_END,
        ),
    ] = None,
    threads: Annotated[
        int, typer.Option(min=1, help="Threads of the matrix products.", rich_help_panel=_END)
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
    given = {name: value for name, value in locals().items() if value is not None}
    return _train(given)


def _train(given: dict[str, Any]) -> int:
    from bench.cli._nets import check_suffix, save_arrays, save_net, table, use_threads
    from bench.cli._progress import TrainingProgress
    from bench.recipes import get

    as_json, threads = given.pop("as_json"), given.pop("threads")
    save, history = given.pop("save", None), given.pop("history", None)
    check_suffix(save, ".safetensors")
    check_suffix(history, ".npz")
    use_threads(threads)
    from bench.training import TrainConfig, train_net

    recipe = given.pop("recipe", None)
    config = TrainConfig.from_dict({**(get(recipe).settings if recipe else {}), **given})
    with TrainingProgress() as progress:
        trained = train_net(config, progress=progress)
    if save is not None:
        save_net(trained.net, config, save)
    if history is not None:
        save_arrays(trained.arrays, history)
    if as_json:
        from dataclasses import asdict

        document = {**trained.values, "config": asdict(config)}
        typer.echo(json.dumps(document, indent=1, allow_nan=False))
    else:
        typer.echo(table(trained.values))
    return EXIT_INTERRUPTED if trained.training.interrupted else 0
