"""What a method is given. Methods that are given different things are never ranked together."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Information:
    """What a method is given: its name, the track of the command line, and texts for tables."""

    name: str
    track: str
    title: str  # completes "given …"
    given: str  # in full, for tables
    short: str  # in one or two words, for panels and columns


INFORMATION = {
    row.name: row
    for row in (
        Information(
            "samples", "fit", "samples of the field", "samples of u in the cylinder", "samples"
        ),
        Information(
            "equation",
            "solve",
            "the equation and the boundary data",
            "f, φ and the boundary data",
            "the equation",
        ),
        Information("field", "oracle", "the field itself", "u and curl u everywhere", "the field"),
    )
}
