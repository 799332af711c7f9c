"""At a re-entrant edge: where elements and nets end, and how many wrong nets have a small loss."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
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

GIVEN = "given the equation and boundary data"


def facts(results: Results) -> Iterator[Fact]:
    """Relative errors of nodal and edge elements and of nets, then counts of nets by their loss."""
    norm, nets = norm_of(results), results.select(KIND)
    if norm is None:
        return
    yield from _elements(results, norm)
    for name, boundary in (("penalty", "penalty"), ("built-in", "exact")):
        arm = main_arm(nets, boundary=boundary, inside="uniform", rim="uniform")
        if arm:
            error = median([record.values["l2_relative"] for record in arm])
            yield _error(arm, name=f"{name}-nets", value=error, conditions=GIVEN)
    yield from _by_loss(Results(usable(on_the_prism(nets))))
    known = usable(nets)
    yield from _alarms("distance", known, map(warned, known))
    bounded = [r for r in known if r.values.get("l2_bound") is not None]
    yield from _alarms("certificate", bounded, map(_certified, bounded))
    yield from certificate_facts(on_the_prism(nets), PRISM)


_error = partial(Fact.of, unit="relative L² error", domain=PRISM)


def _elements(results: Results, norm: float) -> Iterator[Fact]:
    """The finest nodal mesh, the best hp mesh, which is given the field, and the best solve."""
    elements = elements_of(results)
    edge = [*elements["N₀ solved"], *results.select("fem", problem="reentrant", solve=True)]
    refused = "ladder" if ladders(edge, "Nédélec elements") else ""
    for name, group, order, conditions, rule in (
        ("nodal", elements["nodal P₁"], "dofs", GIVEN, ""),
        ("hp", elements["hp bricks"], "l2_error", "given the field", ""),
        ("edge", edge, "l2_error", GIVEN, refused),
    ):
        ordered = sorted(group, key=lambda r: float(r.values[order]), reverse=order == "dofs")
        for best in ordered[:1]:
            place = name == "edge" and (best.config.get("grading") or best.config.get("layers"))
            yield _error(
                [best], name=f"{name}-elements", value=best.values["l2_error"] / norm,
                conditions=conditions + (", and the place of the edge" if place else ""),
                refused=rule,
            )  # fmt: skip


def setting_of(record: StoredResult) -> tuple[Any, ...]:
    """All but the seeds: only losses that agree in it compare."""
    return tuple(sorted((k, v) for k, v in record.config.items() if not k.endswith("seed")))


def _by_loss(nets: Results) -> Iterator[Fact]:
    """How many nets are wrong, and how many of these have a smaller loss than the median right net
    of the same functional on the same points: losses of others do not compare."""
    wrong: list[StoredResult] = []
    right: list[StoredResult] = []
    misleading = 0
    for group in nets.grouped(setting_of).values():
        good = [r for r in group if end_of(r) == "right"]
        bad = [r for r in group if end_of(r) != "right"]
        if good and bad:
            middle = median(float(r.values["training_loss"]) for r in good)
            misleading += sum(float(r.values["training_loss"]) < middle for r in bad)
            wrong, right = [*wrong, *bad], [*right, *good]
    if wrong:
        yield _count(wrong, name="wrong-nets", value=len(wrong))
        yield _count(right, name="right-nets", value=len(right))
        yield _count([*wrong, *right], name="wrong-nets-with-small-loss", value=misleading)


_count = partial(Fact.of, unit="nets", domain=PRISM, conditions=GIVEN)


def _alarms(
    name: str, records: Sequence[StoredResult], seen: Iterable[tuple[bool, bool]]
) -> Iterator[Fact]:
    """What a warning detects, on all problems of the study, from pairs (is wrong, is warned of)."""
    found = [*seen]
    if found:
        for suffix, cases in (
            ("wrong", ((True, True), (True, False))),
            ("missed", ((True, False),)),
            ("right", ((False, True), (False, False))),
            ("false-alarms", ((False, True),)),
        ):
            yield _count(records, name=f"{name}-{suffix}", value=sum(map(found.count, cases)))


def _certified(record: StoredResult) -> tuple[bool, bool]:
    """Whether a net is wrong, and whether no relative error that is right is certified."""
    share = record.values["relative_l2_bound"]
    return record.values["l2_relative"] > WRONG_ABOVE, share is None or share > WRONG_ABOVE
