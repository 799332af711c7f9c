"""The threshold of the distance from a coarse solve, fixed on problems without a re-entrant edge.

`python -m bench.methods.calibration` trains nets given the equation on `maxwell`, `helix`,
`curlsing` and `screen`, with enough points and with far too few, stops them early and late, and
stores the error and the distance of each final state (end): `calibration.json`. **The rule**: an
end is wrong above the share WRONG_ABOVE of u; the threshold maximises the share of wrong ends with
a warning plus the share of right ends without one. It is the geometric mean of the two neighbouring
values, and the middle one of several equally good thresholds.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import pairwise, product
from math import sqrt
from pathlib import Path
from typing import Any

FILE = Path(__file__).with_name("calibration.json")
WRONG_ABOVE = 0.25  # of u: half of what nodal elements tend to at a re-entrant edge
PROBLEMS = ("maxwell", "helix", "curlsing", "screen")
POINTS = (600, 60, 15)  # inside the domain; the last two are too few for a net of 562 numbers
EVALUATIONS = (3, 10, 30, 100, 300)
SEEDS = (100, 101, 102)

Row = Mapping[str, Any]


def threshold(rows: Sequence[Row]) -> float:
    """The threshold of the relative distance, by the rule."""
    wrong = [float(row["distance"]) for row in rows if row["error"] > WRONG_ABOVE]
    right = [float(row["distance"]) for row in rows if row["error"] <= WRONG_ABOVE]
    if not wrong or not right:
        raise ValueError("a threshold needs both right and wrong ends")
    values = sorted({*wrong, *right})
    between = [sqrt(a * b) for a, b in pairwise(values)]
    scores = [
        sum(value > t for value in wrong) / len(wrong)
        + sum(value <= t for value in right) / len(right)
        for t in between
    ]
    best = [t for t, score in zip(between, scores, strict=True) if score == max(scores)]
    return best[len(best) // 2]


@cache
def stored() -> tuple[Row, ...]:
    """The ends stored in `calibration.json`."""
    return tuple(json.loads(FILE.read_text(encoding="utf-8"))["ends"])


@cache
def warns_above() -> float:
    """The threshold of the stored ends."""
    return threshold(stored())


def ends(
    names: Sequence[str] = PROBLEMS,
    points: Sequence[int] = POINTS,
    evaluations: Sequence[int] = EVALUATIONS,
    seeds: Sequence[int] = SEEDS,
) -> Iterator[dict[str, Any]]:
    """One row per problem, number of points, length of training and seed."""
    for name, count, work, seed in product(names, points, evaluations, seeds):
        where = {"problem": name, "points": count, "evaluations": work, "seed": seed}
        yield {**where, **_measured(where)}


def _measured(where: dict[str, Any]) -> dict[str, float]:
    from bench import problems
    from bench.measure.norms import tabulated_domain
    from bench.methods.coarse_solves import coarse_distance, norm
    from bench.methods.configurations import SolvingConfig
    from bench.methods.solving import l2_error, solve_net

    solved = solve_net(SolvingConfig(**where, data_seed=where["seed"], every=where["evaluations"]))
    net, collocation = solved.net, solved.collocation
    table = tabulated_domain(problems.get(where["problem"]), ("x",))
    found = coarse_distance(where["problem"], collocation.field(net))
    ratios = {
        "error": l2_error(collocation, net) / norm(table, table.u.T),
        "distance": found["coarse_distance"] / found["coarse_norm"],
    }
    return {name: float(f"{value:.4g}") for name, value in ratios.items()}


def main() -> None:
    from bench.core.guards.output import written_whole
    from bench.core.threads import limit_threads

    limit_threads(1)
    found = list(ends())
    lines = ",\n  ".join(json.dumps(row) for row in found)
    with written_whole(FILE) as part:
        part.write_text(f'{{"ends": [\n  {lines}\n]}}\n', encoding="utf-8")
    wrong = sum(row["error"] > WRONG_ABOVE for row in found)
    limit = threshold(found)
    print(f"{FILE.name}: {len(found)} ends, {wrong} of them wrong; threshold {limit:.3g}")


if __name__ == "__main__":
    main()
