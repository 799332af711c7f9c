"""What the cells of trained nets share: seeds to tune and to judge, a limit, the result."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from base.errors import UserError
from bench.cells import Result
from bench.core.settings import setting


@dataclass(frozen=True, kw_only=True)
class Judged:
    """Settings of a method that is tuned on seeds of its own, then judged on others."""

    tuning_seeds: tuple[int, ...] = setting((0,), min=0, help="Seeds used only for tuning.")
    seeds: tuple[int, ...] = setting((1000,), min=0, help="Seeds of weights and points.")

    def __post_init__(self) -> None:
        if set(self.tuning_seeds) & {*self.seeds, *getattr(self, "data_seeds", ())}:
            raise UserError("tuning_seeds overlap seeds; take tuning seeds < 1000, others >= 1000")


def require_repeats(kind: str, config: Any) -> None:
    """Raise a UserError for a training that would stop by seconds alone."""
    if config.steps is None and config.evaluations is None:
        raise UserError(f"a {kind} cell has no limit that repeats; set steps or evaluations")


def net_result(
    trained: Any, values: Mapping[str, Any] | None = None, arrays: Mapping[str, Any] | None = None
) -> Result:
    """The result of a measured net, with more values and arrays, and its weights."""
    from nets.storage import to_bytes

    return Result(
        {**trained.values, **(values or {})},
        {**trained.arrays, **(arrays or {})},
        {"net": to_bytes(trained.net)},
        diverged=trained.values["diverged"],
    )
