"""What a thing from outside must be to count as a problem, a net, an optimiser, …; and their homes.

A thing is a module (a whole file, or what an entry point names) or an object in one. A module
counts if it defines what a file of the kind's own folder would; an object if it is of the right
type, or a function with the right arguments.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from types import ModuleType, SimpleNamespace
from typing import TYPE_CHECKING, Any

from bench.errors import UserError, nearest

if TYPE_CHECKING:
    from bench.plugs.files import PlugFile
    from bench.problems import Problem

Load = Callable[[], Any]
Add = Callable[[str, Load], None]  # name, what loads it
Build = Callable[[Any, str], Any]  # the thing, its name -> what the kind's folder would hold


def registries() -> dict[str, tuple[Add, Build]]:
    """By group of entry points: where a plug is registered and what is made of it there."""
    from bench import baselines, claims, problems, studies
    from fem import elements
    from nets import architectures, optimizers

    return {
        "problems": (problems.add, problem),
        "architectures": (architectures.add, architecture),
        "optimizers": (optimizers.add, optimizer),
        "elements": (elements.add, element),
        "baselines": (baselines.add, baseline),
        "studies": (studies.add, lambda thing, name: thing),
        "claims": (claims.add, lambda thing, name: getattr(thing, "CLAIMS", thing)),
    }


def thing(plug: PlugFile, what: str) -> Any:
    """The module, or the object in it that `:what` names."""
    if what == plug.stem:
        return plug.module
    found = getattr(plug.module, what, None)
    if found is None:
        known = [name for name in vars(plug.module) if not name.startswith("_")]
        raise UserError(f"{plug.stem}.py defines no {what!r}; {nearest(what, known)}")
    return found


def problem_in(plug: PlugFile, what: str | None) -> Problem | None:
    """The problem that a path names, if it is one."""
    from bench.problems import Problem

    found = thing(plug, what or plug.stem)
    if isinstance(found, ModuleType):
        found = getattr(found, "PROBLEM", None)
    return dataclasses.replace(found, name=plug.name(what)) if isinstance(found, Problem) else None


def study_in(plug: PlugFile) -> ModuleType:
    return plug.module


def problem(found: Any, name: str) -> Problem:
    from bench.problems import Problem

    hint = f"{name} is no problem: define PROBLEM = Problem(…) (femnets new problem)"
    return _record(found, "PROBLEM", Problem, name, hint)


def _record(found: Any, attribute: str, wanted: type, name: str, hint: str) -> Any:
    """The declaration itself, or that of a file, under the name by which it was asked for."""
    if isinstance(found, ModuleType):
        found = getattr(found, attribute, None)
    if not isinstance(found, wanted):
        raise UserError(hint)
    return dataclasses.replace(found, name=name)  # type: ignore[type-var]


def architecture(found: Any, name: str) -> Any:
    """Coefficients as in nets/architectures, or any torch module, or a function that makes one."""
    if isinstance(found, ModuleType) or hasattr(found, "coefficients"):
        if hasattr(found, "coefficients"):
            return found
        raise UserError(
            f"{name} is no net: define coefficients(tau, gamma), or name a torch module in the "
            f"file, such as ./{name.partition('@')[0]}.py:Net (femnets new net)"
        )
    from nets.architectures import OwnArchitecture

    return OwnArchitecture.of(found, title=name.partition("@")[0])


def optimizer(found: Any, name: str) -> Any:
    """minimize as in nets/optimizers, a function with its arguments, a torch optimiser class."""
    if isinstance(found, ModuleType):
        from nets.optimizers import DECLARATIONS

        if hasattr(found, "minimize"):
            whole = all(hasattr(found, part) for part in DECLARATIONS)
            return found if whole else _own_optimizer(found.minimize, name, found)
        raise UserError(
            f"{name} is no optimiser: define minimize(objective, theta, report), or name a "
            f"function or class in the file: ./{name.partition('@')[0]}.py:name "
            "(femnets new optimizer)"
        )
    return _own_optimizer(found, name, found)


def _own_optimizer(found: Any, name: str, declared: Any) -> Any:
    from nets.optimizers._own import of

    return of(found, name=name.partition("@")[0], declared=declared)


def element(found: Any, name: str) -> Any:
    from fem.elements import Element

    hint = f"{name} is no element: define ELEMENT = Element(…), see fem/elements"
    return _record(found, "ELEMENT", Element, name, hint)


def baseline(found: Any, name: str) -> Any:
    if hasattr(found, "fit"):
        return found
    if callable(found):
        return SimpleNamespace(fit=found, SMOOTH=getattr(found, "SMOOTH", True))
    raise UserError(
        f"{name} is no baseline: define fit(inputs, targets, seed), see bench/baselines"
    )
