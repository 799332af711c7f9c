"""Users' files: entered as plugins; problems are checked before anything runs."""

from __future__ import annotations

from types import ModuleType
from typing import TYPE_CHECKING, Any

from base.registry import FILES
from bench.core import plugins

if TYPE_CHECKING:
    from bench.problems import Problem


def used(value: Any) -> Any:
    """Return an option's value with every path in it replaced by the name of its plugin.

    A problem whose formulas contradict each other is refused.
    """
    names = plugins.used(value)
    for name in plugins.names_in(names):
        problem = problem_in(name)
        if problem is not None:
            from bench.measure.formulas import require

            require(problem, plugins.path_of(name) or name)
    return names


def problem_in(name: str) -> Problem | None:
    """Return the problem NAME@HASH; None if the file, or the object in it, is not a problem."""
    from bench import problems

    found = FILES[name]()
    if isinstance(found, ModuleType):
        found = getattr(found, "PROBLEM", None)
    return problems.get(name) if isinstance(found, problems.Problem) else None
