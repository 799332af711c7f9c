"""At a re-entrant edge: where elements and nets end, and how many wrong nets have a small loss."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from bench.claims.admissibility import ladders
from bench.claims.certified import certificate_facts
from bench.claims.facts import Fact
from bench.claims.themes.reentrant import (
    KIND,
    PRISM,
    elements_of,
    end_of,
    main_arm,
    norm_of,
    on_the_prism,
    usable,
    warned,
)
from bench.methods.calibration import WRONG_ABOVE
from bench.store.results import Results, StoredResult, median


def facts(results: Results) -> Iterator[Fact]:
    """Relative errors of nodal and edge elements and of nets, then counts of nets by their loss."""
    norm, nets = norm_of(results), results.select(KIND)
    if norm is None:
        return
    elements = elements_of(results)
    solved = results.select("fem", problem="reentrant", solve=True)
    edge = [*elements["N₀ solved"], *solved]
    finest = {
        "nodal": _finest(elements["nodal P₁"]),
        "hp": min(elements["hp bricks"], key=lambda r: float(r.values["l2_error"]), default=None),
        "edge": min(edge, key=lambda r: float(r.values["l2_error"]), default=None),
    }
    for name, record in finest.items():
        if record is not None:
            error = float(record.values["l2_error"]) / norm
            refused = "" if name == "nodal" else _cut(edge)
            made = _fact(f"{name}-elements", error, "relative L² error", [record], refused)
            is_given_u = name == "hp"
            yield replace(made, conditions="given the field", refused="") if is_given_u else made
    for name, boundary in (("penalty", "penalty"), ("built-in", "exact")):
        arm = main_arm(nets, boundary=boundary, inside="uniform", rim="uniform")
        if arm:
            error = median([record.values["l2_relative"] for record in arm])
            yield _fact(f"{name}-nets", error, "relative L² error", arm)
    yield from _by_loss(usable(on_the_prism(nets)))
    yield from _by_distance(usable(nets))
    yield from _by_certificate(usable(nets))
    yield from certificate_facts(Results([*on_the_prism(nets)]), PRISM)


def _finest(group: Results) -> StoredResult | None:
    return max(group, key=lambda record: record.values["dofs"], default=None)


def setting_of(record: StoredResult) -> tuple[Any, ...]:
    """All but the seeds: only losses that agree in it compare."""
    return tuple(sorted((k, v) for k, v in record.config.items() if not k.endswith("seed")))


def _by_loss(records: Sequence[StoredResult]) -> Iterator[Fact]:
    """How many nets are wrong, and how many of these have a smaller loss than the median right net
    of the same functional on the same points: losses of others do not compare."""
    settings: dict[tuple[Any, ...], list[StoredResult]] = {}
    for record in records:
        settings.setdefault(setting_of(record), []).append(record)
    wrong: list[StoredResult] = []
    right: list[StoredResult] = []
    misleading: list[StoredResult] = []
    for group in settings.values():
        good = [r for r in group if end_of(r) == "right"]
        bad = [r for r in group if end_of(r) != "right"]
        if good and bad:
            middle = median(float(r.values["training_loss"]) for r in good)
            misleading += [r for r in bad if float(r.values["training_loss"]) < middle]
            wrong, right = [*wrong, *bad], [*right, *good]
    if wrong:
        yield _fact("wrong-nets", len(wrong), "nets", wrong)
        yield _fact("right-nets", len(right), "nets", right)
        yield _fact("wrong-nets-with-small-loss", len(misleading), "nets", [*wrong, *right])


def _by_distance(records: Sequence[StoredResult]) -> Iterator[Fact]:
    """What the distance from a coarse N₀ solve detects, on all problems of the study."""
    seen = [warned(record) for record in records]
    detected = [warns for is_wrong, warns in seen if is_wrong]
    alarms = [warns for is_wrong, warns in seen if not is_wrong]
    if detected and alarms:
        yield _fact("distance-wrong", len(detected), "nets", records)
        yield _fact("distance-missed", detected.count(False), "nets", records)
        yield _fact("distance-right", len(alarms), "nets", records)
        yield _fact("distance-false-alarms", sum(alarms), "nets", records)


def _by_certificate(records: Sequence[StoredResult]) -> Iterator[Fact]:
    """The same of certificates: they warn where no relative error that is right is certified."""
    bounded = [r for r in records if r.values.get("l2_bound") is not None]
    wrong = [_warns(r) for r in bounded if r.values["l2_relative"] > WRONG_ABOVE]
    right = [_warns(r) for r in bounded if r.values["l2_relative"] <= WRONG_ABOVE]
    if bounded:
        yield _fact("certificate-wrong", len(wrong), "nets", bounded)
        yield _fact("certificate-missed", wrong.count(False), "nets", bounded)
        yield _fact("certificate-right", len(right), "nets", bounded)
        yield _fact("certificate-false-alarms", sum(right), "nets", bounded)


def _warns(record: StoredResult) -> bool:
    share = record.values["relative_l2_bound"]
    return share is None or share > WRONG_ABOVE


def _cut(edge: Sequence[StoredResult]) -> str:
    """The rule that refuses to call the error of these elements what they reach."""
    return "ladder" if ladders(edge, "Nédélec elements") else ""


def _fact(
    name: str, value: float, unit: str, records: Sequence[StoredResult], refused: str = ""
) -> Fact:
    place = any(r.config.get("grading") or r.config.get("layers") for r in records)
    return Fact(
        name=name, value=value, unit=unit, domain=PRISM,
        seeds=len({record.config.get("seed") for record in records}),
        conditions="given the equation and boundary data"
        + (", and the place of the edge" if place else ""),
        refused=refused,
        cells=tuple(record.key for record in records),
    )  # fmt: skip
