"""Titles that plugins declare, for text and legends, without heavy imports."""

from __future__ import annotations

from base.registry import FILES
from bench.core.plugins import display
from bench.methods import baselines
from bench.methods.surrogates import names as surrogates
from fem import elements
from nets import architectures, optimizers


def net_title(name: str) -> str:
    """The title that an architecture declares, also one in a file that the user has named; else
    the title that the run stores, or the name."""
    known = name in FILES or name in architectures.names()
    return architectures.get(name).TITLE if known else display(name)


def members(family: str) -> list[str]:
    """The methods of a family that plugins declare, in the order of tables."""
    if family == "net":
        return sorted(architectures.names(), key=lambda name: (architectures.get(name).PLACE, name))
    if family == "finite element":
        return [*elements.elements()]
    if family == "linear model":
        return baselines.names()
    if family == "surrogate":
        return [*surrogates.METHODS]
    return optimizers.names() if family == "optimiser" else []
