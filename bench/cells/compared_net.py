"""One net that is given an equation whose solution is not known, and an element solution.

The net is that of a `solved_net` cell. Instead of an error it has its distance to a second-order
element solution of the same problem.
"""

from __future__ import annotations

from base.errors import UserError
from bench.cells import MACHINE, Result, solved_net
from bench.methods.configurations import SolvingConfig

Config = SolvingConfig
ALONE = False
TIMED = MACHINE
competitor = None  # without u no error is known
ELEMENTS_BYTES = 2**30


def needs_bytes(config: Config) -> int:
    """Memory of the net and of the element solution."""
    return solved_net.needs_bytes(config) + ELEMENTS_BYTES


def run(config: Config) -> Result:
    from bench.methods.coarse_solves import distance_to_elements
    from bench.methods.solving import solve_net
    from nets.storage import to_bytes

    if config.steps is None and config.evaluations is None:
        raise UserError("a compared_net cell has no limit that repeats; set steps or evaluations")
    solved = solve_net(config)
    problem = solved.collocation.problem
    values = solved.values | distance_to_elements(solved.collocation.field(solved.net), problem)
    weights = {"net": to_bytes(solved.net)}
    return Result(values, solved.arrays, weights, diverged=solved.values["diverged"])
