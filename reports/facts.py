"""Which run a report is about, in a line: version, seeds, machine, day."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version

from reports.competitors import contested
from reports.context import Run
from reports.formatting import count, counted, listed

NAMES = {"net": "nets", "tuned_net": "nets", "solved_net": "nets", "baseline": "linear models"}


def facts(run: Run) -> list[tuple[str, str]]:
    """Name and value, in the order in which they matter to somebody who quotes a number."""
    done = sum(s.record is not None for s in run.standings)
    planned = len(run.standings)
    cells = "none yet" if not done else count(done)
    found = [("femnets", _version()), ("run", run.name)]
    if day := _day(run):
        found.append(("computed", day))
    if seeds := _seeds(run):
        found.append(("seeds", seeds))
    return [*found, ("cells", cells if done == planned else f"{cells} of {count(planned)}")]


def _version() -> str:
    try:
        return version("femnets")
    except PackageNotFoundError:  # run from a folder that was never installed
        return "of a checkout"


def _day(run: Run) -> str:
    """When the last of the results was computed: the same results make the same report."""
    return max((str(r.provenance.get("start") or "")[:10] for r in run.records), default="")


def _seeds(run: Run) -> str:
    """`100 to 101 (2)`, of the nets that were trained."""
    seeds: set[int] = set()
    for record in run.records:
        if NAMES.get(record.kind) == "nets" and isinstance(seed := record.config.get("seed"), int):
            seeds.add(seed)
    if not seeds:
        return ""
    low, high = min(seeds), max(seeds)
    return f"{low}" if low == high else f"{low} to {high} ({len(seeds)})"


def subtitle(run: Run) -> str:
    """What is compared, from the results themselves."""
    problems = contested(run.results)
    sizes = [int(r.values["dofs"]) for r in run.results if r.kind == "fem" and r.values.get("dofs")]
    if not problems:
        return "Nédélec elements, neural networks and linear models by one ruler"
    elements = f"Nédélec elements with up to {_large(max(sizes))} unknowns" if sizes else ""
    kinds = {NAMES[r.kind] for r in run.results if r.kind in NAMES}
    parts = [elements, *(name for name in ("nets", "linear models") if name in kinds)]
    return f"{counted(len(problems), 'field')}; {listed(list(filter(None, parts)))}, by one ruler"


def _large(number: int) -> str:
    return f"{number / 1e6:.3g} million" if number >= 1_000_000 else count(number)
