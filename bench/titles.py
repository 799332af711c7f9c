"""What plugs call themselves, for text and legends. Nothing heavy is imported."""

from __future__ import annotations

from nets import architectures


def net_title(name: str) -> str:
    """The title that an architecture declares; of a result whose plug is gone, its name."""
    return architectures.get(name).TITLE if name in architectures.names() else name


def members(family: str) -> list[str]:
    """The methods of a family that plugs declare, in the order of their places."""
    if family != "net":
        return []
    return sorted(architectures.names(), key=lambda name: (architectures.get(name).PLACE, name))
