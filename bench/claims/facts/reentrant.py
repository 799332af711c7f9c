"""At a re-entrant edge: where elements and nets end, and how many wrong nets have a small loss."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from bench.claims.facts import Fact
from bench.claims.themes.reentrant import (
    KIND,
    elements_of,
    end_of,
    main_arm,
    norm_of,
    on_the_prism,
    usable,
    warned,
)
from bench.store.results import Results, StoredResult, median

DOMAIN = "L-shaped prism"
DISTANCE = "the distance from a coarse N₀ solve"


def facts(results: Results) -> Iterator[Fact]:
    """Relative errors of nodal and edge elements and of nets, then counts of nets by their loss."""
    norm, nets = norm_of(results), results.select(KIND)
    if norm is None:
        return
    elements = elements_of(results)
    edge = [*elements["N₀ solved"], *elements["N₀ adaptive"]]
    finest = {
        "nodal": _finest(elements["nodal Q₁"]),
        "hp": min(elements["hp bricks"], key=lambda r: float(r.values["l2_error"]), default=None),
        "edge": min(edge, key=lambda r: float(r.values["l2_error"]), default=None),
    }
    for name, record in finest.items():
        if record is not None:
            error = float(record.values["l2_error"]) / norm
            made = _fact(f"{name}-elements", error, "relative L² error", [record])
            yield replace(made, conditions="given the field") if name == "hp" else made
    for name, boundary in (("penalty", "penalty"), ("built-in", "exact")):
        arm = main_arm(nets, boundary=boundary, inside="uniform", rim="uniform")
        if arm:
            error = median([record.values["l2_relative"] for record in arm])
            yield _fact(f"{name}-nets", error, "relative L² error", arm)
    yield from _by_loss(usable(on_the_prism(nets)))
    yield from _by_distance(usable(nets))


def _finest(group: Results) -> StoredResult | None:
    return max(group, key=lambda record: record.values["dofs"], default=None)


def _by_loss(records: Sequence[StoredResult]) -> Iterator[Fact]:
    """How many nets are wrong, and how many of these have a smaller loss than the median right one
    of the same setting: losses of different functionals and points do not compare."""
    right, wrong = ([r for r in records if (end_of(r) == "right") is is_right]
                    for is_right in (True, False))  # fmt: skip
    if not right or not wrong:
        return
    yield _fact("wrong-nets", len(wrong), "nets", wrong)
    yield _fact("right-nets", len(right), "nets", right)
    met = {_setting(r) for r in right} & {_setting(r) for r in wrong}
    among = [r for r in wrong if _setting(r) in met]
    middle = {s: median([_loss(r) for r in right if _setting(r) == s]) for s in met}
    misleading = [r for r in among if _loss(r) < middle[_setting(r)]]
    if among:
        yield _fact("wrong-nets-of-mixed-settings", len(among), "nets", [*among, *right])
        yield _fact("wrong-nets-with-small-loss", len(misleading), "nets", [*among, *right])


def _setting(record: StoredResult) -> tuple[str, ...]:
    """All of a configuration but its seeds."""
    config = record.config
    return tuple(f"{n}={config[n]}" for n in sorted(config) if n not in ("seed", "data_seed"))


def _loss(record: StoredResult) -> float:
    return float(record.values["training_loss"])


def _by_distance(records: Sequence[StoredResult]) -> Iterator[Fact]:
    """What the distance from a coarse N₀ solve detects, on all problems of the study."""
    seen = [warned(record) for record in records]
    detected = [by[DISTANCE] for is_wrong, by in seen if is_wrong]
    alarms = [by[DISTANCE] for is_wrong, by in seen if not is_wrong]
    if detected and alarms:
        yield _fact("distance-wrong", len(detected), "nets", records)
        yield _fact("distance-missed", detected.count(False), "nets", records)
        yield _fact("distance-right", len(alarms), "nets", records)
        yield _fact("distance-false-alarms", sum(alarms), "nets", records)


def _fact(name: str, value: float, unit: str, records: Sequence[StoredResult]) -> Fact:
    return Fact(
        name=name, value=value, unit=unit, domain=DOMAIN,
        seeds=len({record.config.get("seed") for record in records}),
        conditions="given the equation and boundary data",
        cells=tuple(record.key for record in records),
    )  # fmt: skip
