"""Break-even points from made-up costs, their facts; the section from small cells."""

from collections import Counter
from math import inf

import pytest
from records import computed, record_of, run_of

from bench.cells import Cell
from bench.claims.break_even import break_evens
from bench.claims.facts.families import facts
from bench.store.results import Results
from bench.studies import families as study
from reports.sections import families as section


def solve(order, error, seconds):
    cell = Cell("family_solve", {"order": order})
    return record_of(cell, {
        "error_worst": error, "seconds_functional": seconds,
        "seconds_functional_low": 0.9 * seconds, "seconds_functional_high": 1.2 * seconds,
    })  # fmt: skip


def surrogate(error, offline, query, **config):
    cell = Cell("family_surrogate", config)
    return record_of(cell, {
        "error_worst": error, "seconds_offline": offline, "seconds_functional": query,
        "seconds_functional_low": query, "seconds_functional_high": query,
        "effectivity_low": 1.0, "effectivity_high": 1.3, "seconds_grid": query,
        "error_median": error,
    })  # fmt: skip


def test_queries_from_which_a_surrogate_pays():
    results = Results([
        solve(4, 2e-2, 0.001), solve(5, 8e-3, 0.002), solve(8, 1e-4, 0.004),
        surrogate(5e-3, 0.1, 0.001, snapshots=10), surrogate(5e-3, 0.05, 0.0015, snapshots=5),
        surrogate(5e-2, 0.001, 1e-5, snapshots=2),
        surrogate(1e-3, 0.1, 0.003, method="kernel"),
        *(surrogate(error, 1.0, 0.001, method="space-net", seed=seed)
          for seed, error in enumerate((1e-3, 9e-3, 0.5))),
    ])  # fmt: skip
    found = {one.method: one for one in break_evens(results, 1e-2)}
    assert found["rb"].queries == pytest.approx(0.1 / 0.001)  # the two that meet 1e-2 tie
    assert found["rb"].snapshots == 5  # with less spent before
    assert found["rb"].interval == pytest.approx((0.05 / 0.0009, 0.05 / 0.0003))
    assert found["kernel"].queries == inf  # a query takes longer than a solve
    assert found["space-net, τ fixed"].seeds == 3  # the median seed meets 1e-2
    assert found["space-net, τ fixed"].queries == pytest.approx(1000.0)
    assert not list(break_evens(results, 1e-5))
    named = {fact.name: fact.value for fact in facts(results)}
    assert named["bump-2-10-1e-02-solve"] == 0.002
    assert named["bump-2-10-rb-error"] == 5e-3  # of the better configuration
    assert named["bump-2-10-space-net-fixed-error"] == 9e-3  # of the median seed
    assert named["bump-2-10-space-net-fixed-offline"] == 1.0
    assert named["bump-2-10-1e-02-first-queries"] == pytest.approx(100.0)
    assert "bump-2-10-1e-02-kernel-queries" not in named
    assert named["cases"] == 2  # rb at 1e-2 and the kernel at 1e-3, where a solve takes 4 ms
    assert named["cases-with-net"] == 2
    assert named["cases-net-meets"] == named["cases-net-pays"] == 1  # at 1e-2
    assert named["cases-net-first"] == 0
    assert named["bump-2-10-1e-02-space-net-fixed-failed"] == 1  # the seed with 0.5
    assert named["bump-2-10-1e-02-rb-snapshots"] == 5
    assert "bump-2-10-1e-02-rb-steps" not in named
    *_, table = section.contents(run_of("families", list(results)))
    assert [row[-2] for row in table.rows[:3]] == ["100", "1,000", "never"]


def rung(errors, offline, **config):
    return [
        surrogate(error, offline, 0.0005, method="net", seed=1100 + k, **config)
        for k, error in enumerate(errors)
    ]


def test_a_net_counts_by_its_cheapest_rung_that_meets_the_error():
    results = Results([
        solve(5, 8e-3, 0.002), surrogate(5e-3, 0.03, 0.0005, snapshots=10),
        *rung((2e-2, 9e-3, 3e-2), 0.010, snapshots=4, steps=5),  # its median seed fails
        *rung((8e-3, 7e-3, 2e-2), 0.015, snapshots=4, steps=20),
        *rung((6e-3, 6e-3, 6e-3), 0.150, snapshots=8, steps=20),
        *rung((5e-3, 5e-3, 5e-3), 1.500, snapshots=128, steps=600),
    ])  # fmt: skip
    net, rb = break_evens(results, 1e-2)
    assert (net.method, net.snapshots, net.steps, net.failed) == ("net", 4, 20, 1)
    assert net.queries == pytest.approx(0.015 / 0.0015)
    assert (rb.steps, rb.failed) == (None, 0)
    named = {fact.name: fact for fact in facts(results)}
    assert named["cases-net-first"].value == named["cases"].value == 1
    queries = named["bump-2-10-1e-02-net-queries"]
    assert queries.value == named["bump-2-10-1e-02-first-queries"].value
    assert "4 snapshots in 20 steps" in queries.conditions
    assert "1 of 3 seeds do not meet it" in queries.conditions
    assert named["bump-2-10-1e-02-net-steps"].value == 20
    assert named["bump-2-10-1e-02-net-offline"].value == 0.015
    by_snapshots = section.errors_and_snapshots(results).axes[0].lines
    curve = next(line for line in by_snapshots if line.get_label() == "net in μ")
    assert curve.get_xydata().tolist() == [[4, 8e-3], [8, 6e-3], [128, 5e-3]]


@pytest.mark.parametrize("rungs", [study.NET_RUNGS, study.NET_RUNGS_HARD])
def test_ladders_of_nets_climb(rungs):
    for ladder in rungs.values():
        ends = [(max(n for n, _ in pairs), max(steps)) for pairs, steps in ladder.values()]
        assert ends == sorted(ends)  # a smaller error gets more of both


def test_every_family_has_nets_and_no_net_twice():
    cells = study.cells(study.PRESETS["paper"])
    of_nets = [c for c in cells if c.config.get("method") == "net"]
    everywhere = {(c.config["family"], c.config["dimension"], c.config["contrast"]) for c in cells}
    assert everywhere == {
        (c.config["family"], c.config["dimension"], c.config["contrast"]) for c in of_nets
    }
    assert len({c.key for c in of_nets}) == len(of_nets)
    settings = [{k: v for k, v in c.config.items() if k != "seed"} for c in of_nets]
    seeds = Counter(map(str, settings))
    assert set(seeds.values()) == {12}


def test_the_figure_takes_medians_of_nets_and_the_first_that_pays():
    nets = [
        surrogate(error, 1.0, 1e-3, method="space-net", seed=seed, tau=tau)
        for tau, errors in (("fixed", (1e-3, 9e-3, 0.5)), ("learned", (6e-3, 7e-3, 8e-3)))
        for seed, error in enumerate(errors)
    ]
    slower = surrogate(8e-3, 0.1, 2e-3, snapshots=3)  # than the next one, and less accurate
    rb = [slower, surrogate(5e-3, 0.1, 1e-3, snapshots=10)]
    figure = section.cost_and_queries(Results([solve(5, 8e-3, 0.002), *nets, *rb]))
    left, right = (
        {line.get_label(): line.get_xydata().tolist() for line in axes.lines}
        for axes in figure.axes
    )
    assert left["net in (x, μ), from snapshots"] == [[1e-3, 7e-3]]
    assert left["reduced basis"] == [[1e-3, 5e-3]]
    assert right["net in (x, μ), from snapshots"][0] == pytest.approx([1e-2, 1000.0])
    assert right["reduced basis"][0] == pytest.approx([1e-2, 100.0])


def test_the_section_from_its_cells():
    """Every kind of cell of the quick preset once, smaller."""
    cells = study.cells(study.PRESETS["quick"])
    small = {"order": 3, "queries": 3, "reference": 4}
    kinds = {(cell.config.get("method"), cell.config.get("element")): cell for cell in cells[::-1]}
    assert ("net", None) in kinds
    records = []
    for (method, _), cell in kinds.items():
        changed = {"steps": 3, "snapshots": 6, "width": 6} if method else {"n": 1}
        records.append(computed(cell, **small, **changed))
    blocks = section.contents(run_of("families", records))
    assert [type(block).__name__ for block in blocks] == [
        "Paragraph",
        "Picture",
        "Picture",
        "Table",
    ]
    for picture in blocks[1:3]:
        assert picture.draw().axes
    assert section.contents(run_of("families", [])) == []
