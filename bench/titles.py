"""What plugs call themselves, for text and legends. Nothing heavy is imported."""

from __future__ import annotations

from collections.abc import Iterable
from math import inf

from nets import architectures


def net_title(name: str) -> str:
    """The title that an architecture declares; of a result whose plug is gone, its name."""
    return architectures.get(name).TITLE if name in architectures.names() else name


def in_place(names: Iterable[str]) -> list[str]:
    """Architectures in the order of the places that they declare."""
    known = architectures.names()
    places = {name: architectures.get(name).PLACE if name in known else inf for name in names}
    return sorted(places, key=lambda name: (places[name], name))
