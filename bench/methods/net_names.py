"""Names of nets and elements in comparisons."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from bench.methods.competitor import Competitor, samples_given
from bench.methods.titles import net_title


class HasNet(Protocol):
    @property
    def net(self) -> str: ...
    @property
    def tau(self) -> str: ...


class HasSamples(HasNet, Protocol):
    @property
    def samples(self) -> int: ...
    @property
    def features(self) -> str: ...


def as_net(config: HasSamples, values: Mapping[str, Any], **own: str) -> Competitor:
    """How a net given samples appears; its title and what was tuned are its kind's `own`."""
    return Competitor(
        series=series_of(config, values),
        family="net",
        look=look_of(config),
        information="samples",
        given=samples_given(config.samples, config.features),
        inputs=config.features,
        unknowns=int(values["parameters"]),
        samples=config.samples,
        **own,
    )


def element_title(element: str, values: Mapping[str, Any]) -> str:
    """The element's title as stored in the result."""
    return str(values.get("element_title", element))


def element_short(element: str, values: Mapping[str, Any]) -> str:
    return str(values.get("element_short", element))


def family_of(config: HasNet, values: Mapping[str, Any]) -> str:
    """ResNet + τ"""
    name = net_title(config.net)
    if not learns_tau(config, values):
        return name
    return name + (" + τ" if config.tau == "learned" else f" + τ ({config.tau})")


def series_of(config: HasNet, values: Mapping[str, Any]) -> str:
    """The architecture, and whether τ is learned."""
    return net_title(config.net) + (" + τ" if learns_tau(config, values) else "")


def learns_tau(config: HasNet, values: Mapping[str, Any]) -> bool:
    """Whether the net has time steps that are learned; a user's torch module has none."""
    return config.tau != "fixed" and values.get("tau") != []


def look_of(config: HasNet) -> str:
    """A net with fixed τ is a variant of the one that learns it."""
    return config.net + ("/fixed" if config.tau == "fixed" else "")
