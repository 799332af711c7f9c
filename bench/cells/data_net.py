"""One net trained on rows of a user's file, measured on rows that were held out.

`femnets train --data FILE` takes its options from `Config`.
"""

from __future__ import annotations

from bench.cells import MACHINE, Result
from bench.cells._nets import net_result, require_repeats
from bench.methods.configurations import DataConfig
from nets import optimizers

Config = DataConfig
ALONE = False
TIMED = MACHINE
competitor = None  # data of one's own belong to no problem


def needs_bytes(config: Config) -> int:
    """Memory of torch itself, of the rows and of the optimiser's state."""
    parameters = config.width**2 * config.hidden
    return 900 * 2**20 + optimizers.state_bytes(config.optimizer, parameters)


def run(config: Config) -> Result:
    from bench.methods.rows.training import train_on_rows

    require_repeats("data_net", config)
    return net_result(train_on_rows(config))
