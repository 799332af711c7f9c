"""Helpers of the commands that train, evaluate and prune nets."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from femnets.saved_nets import DATA_SETTINGS, EQUATION_SETTINGS

if TYPE_CHECKING:
    import numpy as np

    from bench.cells.net import Config
    from bench.cells.solved_net import Config as SolveConfig
    from bench.methods.untrained.configuration import UntrainedConfig
    from nets.module import Network


def use_threads(threads: int) -> None:
    """Set the number of threads of matrix products, in NumPy and torch."""
    from bench.core.threads import limit_threads

    limit_threads(threads)
    import torch

    torch.set_num_threads(threads)


def save_net(net: Network, config: Config | SolveConfig, path: Path) -> None:
    """Save the net with its description and the problem, samples and seed it was trained on."""
    from bench.cells import solved_net
    from bench.core.guards.output import write_whole
    from nets.storage import to_bytes

    if isinstance(config, solved_net.Config):
        about = {"track": "solve"} | {name: getattr(config, name) for name in EQUATION_SETTINGS}
    else:
        about = {name: getattr(config, name) for name in DATA_SETTINGS if hasattr(config, name)}
    write_whole(path, to_bytes(net, about))  # unlike nets.save, a signal leaves no partial file


def save_untrained(net: Any, config: UntrainedConfig, path: Path) -> None:
    """Save random features with all their settings."""
    from bench.cells import plain
    from bench.core.guards.output import write_whole
    from nets.untrained.storage import to_bytes

    write_whole(path, to_bytes(net, {"track": "solve", "method": config.net} | plain(config)))


def save_arrays(arrays: Mapping[str, np.ndarray], path: Path) -> None:
    """Write arrays to an .npz file, completely or not at all."""
    import numpy

    from bench.core.guards.output import written_whole

    with written_whole(path) as part:
        numpy.savez_compressed(part, **arrays)  # type: ignore[arg-type]


def table(values: Mapping[str, Any]) -> str:
    """Return names and values in two columns."""
    width = max(map(len, values))
    return "\n".join(f"{name:<{width}}  {_show(value)}" for name, value in values.items())


def _show(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, list):
        return " ".join(map(_show, value))
    if isinstance(value, dict):
        return ", ".join(f"{name} {_show(part)}" for name, part in value.items())
    return str(value)
