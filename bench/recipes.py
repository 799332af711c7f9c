"""Named settings of `femnets train`, each with where its numbers come from."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from bench.errors import UserError, nearest


@dataclass(frozen=True)
class Recipe:
    """Settings that a name stands for; any of them can be overridden on the command line."""

    summary: str
    settings: dict[str, Any] = field(default_factory=dict)


RECIPES: dict[str, Recipe] = {}


def get(name: str) -> Recipe:
    if name not in RECIPES:
        raise UserError(f"unknown recipe {name!r}; {nearest(name, list(RECIPES))}")
    return RECIPES[name]
