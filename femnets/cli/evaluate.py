"""`femnets evaluate`: measures a saved net."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from femnets.cli._shared import AsJson, Threads, use_threads


def command(
    file: Annotated[Path, typer.Argument(help="A net saved by `femnets train --save`.")],
    problem: Annotated[
        str | None, typer.Option(help="Measure on this problem instead of the trained one.")
    ] = None,
    mu: Annotated[
        str | None,
        typer.Option(help="Ask a surrogate (--track family) for this μ, such as 0.3,1.2."),
    ] = None,
    vtu: Annotated[
        Path | None, typer.Option(help="Write the field of --mu to this file, for ParaView.")
    ] = None,
    threads: Threads = 1,
    as_json: AsJson = False,
) -> None:
    """Measure a saved net or surrogate, as `femnets train` does at its end, or ask it for a μ."""
    from bench.methods.surrogates.file_header import is_surrogate
    from femnets import saved_nets
    from femnets.cli._output import show_values
    from femnets.user_files import used

    use_threads(threads)
    if is_surrogate(file) or mu is not None or vtu is not None:
        from femnets.cli._families import evaluated_family

        show_values(evaluated_family(file, mu, vtu), as_json)
        return
    net, config = saved_nets.load(file, used(problem))
    show_values(_measured(net, config), as_json)


def _measured(net: Any, config: Any) -> dict[str, Any]:
    """Return the figures of a net, as at the end of its training."""
    from bench.methods.configurations import SolvingConfig
    from bench.methods.untrained.configuration import UntrainedConfig

    if isinstance(config, UntrainedConfig):
        from bench.methods.untrained.solving import evaluated_untrained

        return evaluated_untrained(net, config)
    if isinstance(config, SolvingConfig):
        from bench.methods.solving import evaluated

        return evaluated(net, config)
    from bench.methods.training import net_metrics, training_data

    return {**net_metrics(net, training_data(config)), "parameters": net.pack().size}
