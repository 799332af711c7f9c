"""The section on methods given the equation only: its race, variants, hp fit, claims."""

import numpy as np
import pytest
from records import record_of, run_of

from bench.cells import Cell
from bench.claims import Compared
from bench.claims.facts import all_facts
from bench.claims.themes.solve import CLAIMS
from bench.store.results import Results
from reports.document import Picture, Table
from reports.sections import make
from reports.sections import solve as section


def net(seed, error, evaluations=800.0, **settings):
    base = {"problem": "maxwell", "evaluations": evaluations, "seed": seed, "data_seed": seed}
    seconds = np.geomspace(0.1, 2.0, 8)
    values = {
        "l2_error": error, "J": error**2, "seconds": 2.0, "evaluations": evaluations,
        "parameters": 562, "diverged": False, "seconds_per_point": 1e-6,
    }  # fmt: skip
    arrays = {
        "curve_seconds": seconds,
        "curve_l2_error": np.geomspace(1.0, error, 8),
        "history_grad_W": np.array([[1.0, 0.5, 0.25]]),
    }
    return record_of(Cell("solved_net", base | settings), values, arrays)


def element(name, error, dofs, seconds, **settings):
    cell = Cell("fem", {"element": name, "solve": True, "n": 1} | settings)
    values = {"l2_error": error, "dofs": dofs, "seconds": seconds, "element_title": name}
    values["element_short"] = {"N0": "N₀", "hexP": "p-version"}[name]
    return record_of(cell, values)


@pytest.fixture
def records():
    nets = [net(seed, 1e-8 * (1 + seed % 3)) for seed in (1000, 1001, 1002)]
    variants = [
        net(seed, 1e-4, 100.0, net=name, tau=tau)
        for name in ("resnet", "fractional")
        for tau in ("fixed", "learned")
        for seed in (1000, 1001)
    ]
    race = [net(1000, error, optimizer=name) for name, error in (("lm", 1e-5), ("ssbfgs", 1e-7))]
    elements = [
        element("N0", 1e-3, 10_000, 1.0),
        element("hexP", 1e-10, 2673, 0.05, order=8),
    ]
    hp = [
        element("hexP", np.exp(-2.0 * k), k**4, 0.1 * k, problem="curlsing", layers=k, order=6)
        for k in range(1, 6)
    ]
    edge = [net(1000, 1e-3, problem="curlsing")]
    return [*nets, *variants, *race, *elements, *hp, *edge]


@pytest.fixture
def run(records):
    return run_of("solve", records)


def test_it_has_a_formula_a_figure_and_a_row_per_configuration(run):
    made = make(section, run)
    (table,) = [block for block in made.blocks if isinstance(block, Table)]
    assert len(table.rows) == 8, "the best, four variants, two racers, one on another field"
    assert table.rows[0][0] == "curlsing"
    ratio = [column.title for column in table.columns].index("first over last")
    assert table.rows[0][ratio] == pytest.approx(4.0)


def test_the_figure_has_a_panel_per_field_and_the_net_in_it(run):
    (picture,) = [block for block in make(section, run).blocks if isinstance(block, Picture)]
    panels = [axes for axes in picture.draw().axes if axes.get_visible()]
    assert {axes.get_title(loc="left") for axes in panels} == {"maxwell", "curlsing"}
    (maxwell,) = [axes for axes in panels if axes.get_title(loc="left") == "maxwell"]
    lines = {line.get_label(): line for line in maxwell.lines}
    assert {"N₀", "p-version", "trained net"} <= {*lines}
    assert lines["trained net"].get_ydata()[-1] == pytest.approx(2e-8), (
        "at the end, the median of three"
    )


def test_claims_are_decided_from_results(records):
    claims = {claim.name: claim for claim in CLAIMS}
    assert all(claim.is_declared for claim in CLAIMS)
    results = Results([r for r in records if r.config["problem"] == "maxwell"])
    passes = claims["solving-net-beats-n0"].finding(results)
    assert isinstance(passes, Compared)
    assert (passes.comparison.wins, passes.comparison.pairs) == (3, 3)
    assert passes.refused.rule == "ladder", "N₀ and the nets stop long before a minute"
    faster = claims["p-version-beats-solving-net"].finding(results)
    assert isinstance(faster, Compared)
    assert faster.comparison.wins == 3


def test_nets_are_compared_with_the_elements_of_every_study(records):
    """A mesh that another study solved counts too."""
    assert all_facts(Results(records), "solve")[0]["solve/maxwell-n0-error"].value == 1e-3
    better = element("N0", 1e-12, 10**9, 100.0)
    facts, notes = all_facts(Results([*records, better]), "solve")
    assert facts["solve/maxwell-n0-error"].value == 1e-12
    assert facts["solve/maxwell-n0-seconds"].value == 100.0
    assert facts["solve/maxwell-net-error"].value == pytest.approx(2e-8)
    assert notes == []
