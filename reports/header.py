"""The line under the title: version, run, day, seeds and cells of a report."""

from __future__ import annotations

from bench.store.provenance import versions
from reports.context import Run
from reports.formatting import count

NETS = ("net", "tuned_net", "solved_net")
SUBTITLE = "Nédélec elements, neural networks and linear models compared in the L² norm"


def header(run: Run) -> list[tuple[str, str]]:
    """Names and values, in the order in which they matter to a reader who quotes a number."""
    done = sum(s.record is not None for s in run.standings)
    planned = len(run.standings)
    cells = "none yet" if not done else count(done)
    entries = [("femnets", versions().get("femnets") or "of a checkout"), ("run", run.name)]
    if day := _day(run):
        entries.append(("computed", day))
    if seeds := _seeds(run):
        entries.append(("seeds", seeds))
    return [*entries, ("cells", cells if done == planned else f"{cells} of {count(planned)}")]


def _day(run: Run) -> str:
    """The day of the last result: the same results make the same report."""
    return max((str(r.provenance.get("start") or "")[:10] for r in run.records), default="")


def _seeds(run: Run) -> str:
    """`100 to 101 (2)`, of the nets that were trained."""
    nets = [record.config.get("seed") for record in run.records if record.kind in NETS]
    seeds = sorted({seed for seed in nets if isinstance(seed, int)})
    return (
        f"{seeds[0]} to {seeds[-1]} ({len(seeds)})" if len(seeds) > 1 else "".join(map(str, seeds))
    )
