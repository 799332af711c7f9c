"""`femnets train`: one net, trained and measured.

Its settings are those of a `net` cell (track *fit*: given samples of u) or of a `solved_net` cell
(track *solve*: given the equation), or with `--data` of a `data_net` cell (rows of a file).
"""

from __future__ import annotations

from pathlib import Path
from signal import SIGINT, Signals
from typing import TYPE_CHECKING, Annotated, Any

import typer

from base.errors import UserError, nearest
from bench.cells import data_net, family_surrogate, net, plain, solved_net
from bench.core.guards.output import file_for
from bench.core.guards.signals import CODES, ending_well, line
from bench.core.guards.sizes import check_memory
from bench.core.settings import MOST_THREADS, configured, types_of
from bench.methods.configurations import END
from bench.methods.untrained.configuration import NAME, UntrainedConfig
from femnets.cli import EXIT_FAILED_CELLS
from femnets.cli._options import options_of, read_as
from femnets.cli._shared import use_threads

if TYPE_CHECKING:
    from bench.methods.training import MeasuredNet
    from nets.training.progress import TrainingProgress

_OUT = "What comes out"
CELLS: dict[str, Any] = {
    "fit": net, "solve": solved_net, "family": family_surrogate, "data": data_net,
}  # fmt: skip
TRACKS = ("fit", "solve", "family")  # data is implied by --data
SIZES = {"fit": "samples", "solve": "points", "data": "rows"}
WHERE = "a training"
MOST_STEPS = 10_000  # of a training that is to be certified
HIDDEN = {"samples"}  # not an option of --track solve


TRACK_HELP = (
    "What the net is given: fit, samples of u in the cylinder; solve, the equation f, φ and the "
    "boundary values, never u (then the net is 2-20 tanh and x its only input, unless you "
    "set them); family, snapshots or the equation of a family of problems: a surrogate (--family, "
    "--method, --snapshots, …)."
)

UntilCertified = Annotated[
    float | None,
    typer.Option(
        min=0,
        help="With --track solve: stop when the residuals of the net certify this relative L² "
        f"error (and after {MOST_STEPS} steps without another limit).",
        rich_help_panel=END,
    ),
]


@options_of(
    net.Config, solved_net.Config, UntrainedConfig, data_net.Config, family_surrogate.Config
)
def command(
    given: dict[str, Any],
    *,
    track: Annotated[str, typer.Option(help=TRACK_HELP)] = "fit",
    seconds: Annotated[
        float | None, typer.Option(min=0, help="Maximum number of seconds.", rich_help_panel=END)
    ] = None,
    until_certified: UntilCertified = None,
    threads: Annotated[
        int, typer.Option(min=1, max=MOST_THREADS, help="Threads.", rich_help_panel=END)
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
    """Train one net, on samples in the cylinder or on the equation, and measure it on the domain.

    Training stops at the first limit that is reached; without limits, after 1000 steps. Ctrl-C ends
    it with the best state so far.
    """
    from femnets.cli._output import show_values

    file_for(save, "--save", ".safetensors")
    file_for(history, "--history", ".npz")
    settings = _to_be_certified(given, track, seconds, until_certified)
    track = "data" if "data" in given and track == "fit" else track
    config = _configured(track, settings)
    described = {**plain(config), "seconds": seconds, "track": track}
    if isinstance(config, UntrainedConfig | family_surrogate.Config):
        use_threads(threads)
        show_values(_without_steps(config, seconds, save, history), as_json, config=described)
        return 0
    needed = CELLS[track].needs_bytes(config)
    check_memory(needed, "this training", f"take fewer {SIZES[track]} or a smaller net")
    use_threads(threads)
    from nets.training.progress import TrainingProgress

    with TrainingProgress() as progress, ending_well(lambda: progress.begun) as received:
        trained = _trained(config, seconds, until_certified, progress)
    _save(trained, config, save, history)
    show_values(trained.values, as_json, config=described)
    code = exit_code(trained.training.interrupted, received)
    return code or _certified(trained.values, until_certified)


def _to_be_certified(
    settings: dict[str, Any], track: str, seconds: float | None, until_certified: float | None
) -> dict[str, Any]:
    """The settings, with a limit for trainings that are never certified."""
    if until_certified is None:
        return settings
    if track != "solve":
        raise UserError("--until-certified needs the equation; add --track solve")
    if settings.get("net") == NAME:
        raise UserError(f"--net {NAME} is not trained; leave out --until-certified, use certify")
    limited = seconds is not None or {"steps", "evaluations", "patience"} & settings.keys()
    return settings if limited else {**settings, "steps": MOST_STEPS}


def _configured(track: str, settings: dict[str, Any]) -> Any:
    """Return the settings of a track; options of another track are refused."""
    if track not in TRACKS and not (track == "data" and "data" in settings):
        raise UserError(f"unknown track {track!r}; {nearest(track, TRACKS)}")
    untrained = settings.get("net") == NAME
    if untrained and track != "solve":
        raise UserError(f"--net {NAME} is given the equation; use --track solve")
    kind: type = UntrainedConfig if untrained else CELLS[track].Config
    known = types_of(kind).keys() - (HIDDEN if track == "solve" else ())
    chosen = "--data" if track == "data" else f"--net {NAME}" if untrained else f"--track {track}"
    for name in (name for name in settings if name not in known):
        homes = [f"--track {each}" for each in TRACKS if name in types_of(CELLS[each].Config)]
        remedy = " or ".join(["leave it out", *(f"use {home}" for home in homes[:1])])
        raise UserError(f"--{name.replace('_', '-')} does not go with {chosen}; {remedy}")
    return configured(kind, read_as(kind, settings, where=WHERE), where=WHERE)


def _without_steps(
    config: Any, seconds: float | None, save: Path | None, history: Path | None
) -> dict[str, Any]:
    """Make random features or a surrogate and save it: linear problems, without a history."""
    from base.progress import StatusLine
    from femnets import saved_nets
    from femnets.cli._families import made_surrogate

    for flag, value in (("--seconds", seconds), ("--history", history)):
        if value is not None:
            raise UserError(f"no steps to limit; leave out {flag}, set --features or --snapshots")
    if isinstance(config, family_surrogate.Config):
        return made_surrogate(config, save)
    from bench.methods.untrained.solving import solve_untrained

    with StatusLine() as status:
        solved = solve_untrained(config, say=status.say)
    if save is not None:
        saved_nets.save(solved.net, config, save)
    return solved.values


def _trained(
    config: Any, seconds: float | None, until_certified: float | None, progress: TrainingProgress
) -> MeasuredNet:
    if isinstance(config, data_net.Config):
        from bench.methods.rows.training import train_on_rows

        return train_on_rows(config, seconds=seconds, progress=progress)
    if isinstance(config, net.Config):
        from bench.methods.training import train_net

        return train_net(config, seconds=seconds, progress=progress)
    from bench.methods.solving import solve_net

    solved = solve_net(config, seconds=seconds, until_certified=until_certified, progress=progress)
    if not solved.collocation.problem.known:
        from bench.methods.coarse_solves import distance_to_elements

        field, problem = solved.collocation.field(solved.net), solved.collocation.problem
        solved.values.update(distance_to_elements(field, problem))
    return solved


def _save(trained: MeasuredNet, config: Any, save: Path | None, history: Path | None) -> None:
    """Write the net, and its history as .npz: completely or not at all."""
    import numpy

    from bench.core.guards.output import written_whole
    from femnets import saved_nets

    if save is not None:
        saved_nets.save(trained.net, config, save)
    if history is not None:
        with written_whole(history) as part:
            numpy.savez_compressed(part, **trained.arrays)  # type: ignore[arg-type]


def exit_code(interrupted: bool, received: list[int]) -> int:
    """Return the exit code; after an interrupt say on stderr that the best state is kept."""
    if not interrupted:
        return 0
    number = Signals(received[0]) if received else SIGINT
    typer.echo(f"{line(number)}; what is shown and saved is the best state so far", err=True)
    return CODES[number]


def _certified(values: dict[str, Any], wanted: float | None) -> int:
    """Return 0 if the relative error that was asked for is certified, else 1 with a line."""
    found = values.get("relative_l2_bound")
    if wanted is None or (values["certified"] and found is not None and found <= wanted):
        return 0
    reason = values["certificate_reason"] or f"the certified relative error is {found:.3g}"
    typer.echo(f"not certified to {wanted:g}: {reason}", err=True)
    return EXIT_FAILED_CELLS
