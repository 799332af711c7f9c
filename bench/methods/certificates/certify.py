"""The better of a field's certificates, and what cells keep of it."""

from __future__ import annotations

from dataclasses import replace
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from base.errors import UserError, nearest
from bench.methods.certificates.references import by_reference
from bench.methods.certificates.residuals import own, recovered
from bench.methods.certificates.unseen import contradicted
from bench.problems import Problem

if TYPE_CHECKING:
    from fem.certificates.certificate import Certificate

METHODS = ("auto", "own", "reference")
STORED = (
    "l2_bound", "l2_lower_bound", "relative_l2_bound", "energy_bound", "energy_lower_bound",
    "own_l2_bound", "certificate", "seconds_certificate",
)  # fmt: skip


def certify(field: Any, problem: Problem, method: str = "auto") -> Certificate:
    """Bound the error of a field: a callable, with `jets` or `curl` if it has derivatives.

    `auto`: by its own residuals or, on bricks, by recovery, and by a reference; the better counts.
    """
    if method not in METHODS:
        raise UserError(f"unknown method {method!r}; {nearest(method, list(METHODS))}")
    started = perf_counter()
    found = []
    if method != "reference" and (_on_bricks(field) or hasattr(field, "jets")):
        found.append(recovered(field, problem) if _on_bricks(field) else own(field, problem))
    elif method == "own":
        raise UserError("this field has no derivatives (jets); use --method reference")
    if method == "reference" or (method == "auto" and not _on_bricks(field)):
        found.append(by_reference(field, problem))
    return _better(found).took(perf_counter() - started)


def _on_bricks(field: Any) -> bool:
    """Whether a field is the solution of a boundary-value problem on bricks."""
    from fem.spaces.bricks.space import BrickSpace

    return hasattr(field, "multiplier") and isinstance(field.space, BrickSpace)


def _better(found: list[Certificate]) -> Certificate:
    """The certificate with the smaller bound, and the energy bound of another if it has none."""
    found = contradicted(found)
    best = min(found, key=lambda each: (each.doubt is not None, each.l2_bound or np.inf))
    for other in found:
        if best.energy_bound is None and other.energy_bound is not None and not other.doubt:
            best = replace(best, energy_bound=other.energy_bound, energy_norm=other.energy_norm)
    return best


def stored(field: Any, problem: Problem) -> dict[str, Any]:
    """What cells keep of the certificates of a field: null where there is none, with a reason.

    `own_l2_bound` is the bound by the field's own residuals or by recovery.
    """
    found: list[Certificate] = []
    reasons = []
    for method in ("own",) if _on_bricks(field) else ("own", "reference"):
        try:
            found.append(certify(field, problem, method))
        except UserError as error:
            reasons.append(str(error))
    if not found:
        return dict.fromkeys(STORED) | {"certified": False, "certificate_reason": reasons[-1]}
    document = _better(found).document()
    values = {name: document[name] for name in STORED[:5]}
    own = [each.l2_bound for each in found if each.method != "reference"]
    return values | {
        "own_l2_bound": own[0] if own and own[0] is not None and np.isfinite(own[0]) else None,
        "certified": document["certified"],
        "certificate": document["method"],
        "certificate_reason": document["reason"],
        "seconds_certificate": sum(each.seconds for each in found),
    }
