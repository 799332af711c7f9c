"""A decorator for studies that measure errors, which need u in closed form."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TypeVar

from bench.problems import Problem

Config = TypeVar("Config")


def where_u_is_known(
    on: Callable[[Config, Problem], Config],
) -> Callable[[Config, Problem], Config | None]:
    """Decorate `on` so that it returns None, which skips the study, if u is not known."""

    @wraps(on)
    def suited(config: Config, problem: Problem) -> Config | None:
        return on(config, problem) if problem.known else None

    return suited
