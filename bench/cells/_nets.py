"""What the cells of trained nets share: their limit, and their result."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from base.errors import UserError
from bench.cells import Result


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
