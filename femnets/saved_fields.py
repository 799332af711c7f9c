"""Saved nets as fields of x, with derivatives where they were given the equation."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bench.problems import Problem


def saved_field(path: Path, problem: str | None = None) -> tuple[Any, Problem]:
    """Return the field of a saved net and the problem it was trained on, or the one given."""
    from bench import problems
    from femnets.cli._nets import load_net, load_solved, saved_track

    if saved_track(path) == "solve":
        from bench.methods.solving import collocation_of

        net, solving = load_solved(path, problem=problem)
        collocation = collocation_of(solving, net.pack().size, net)
        return collocation.field(net), collocation.problem
    from bench.measure.net_fields import net_field

    net, fitting = load_net(path, problem=problem)
    chosen = problems.get(fitting.problem)
    return net_field(net, chosen, fitting.features), chosen
