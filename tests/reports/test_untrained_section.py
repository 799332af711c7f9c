"""Three kinds of nets given the equation: their table, their facts, the claims about them."""

import numpy as np
import pytest
from records import record_of, run_of

from bench.cells import Cell
from bench.claims import Checked, Compared, Counted
from bench.claims.facts import all_facts
from bench.claims.themes.untrained import CLAIMS
from bench.store.results import Results
from reports.document import Table
from reports.sections import untrained as section


def record(kind, values, **config):
    numbers = {"parameters": 10, "unknowns": 30, "features": 10, "diverged": False, **values}
    return record_of(Cell(kind, config), numbers)


def untrained(problem, error, seconds, seeds=12):
    values = {"l2_error": error, "curl_error": 10 * error, "seconds": seconds}
    values["hcurl_error"] = np.hypot(error, 10 * error)
    values["given_edge"] = problem in ("curlsing", "screen")
    return [
        record("untrained_net", values, problem=problem, features=10, seed=1000 + k)
        for k in range(seeds)
    ]


def trained(problem, error, seconds, **more):
    values = {"l2_error": error, "curl_error": 10 * error, "seconds": seconds}
    return record("solved_net", values, problem=problem, evaluations=100.0, seed=1000, **more)


def hp(problem, error, curl, seconds, **more):
    values = {"l2_error": error, "hcurl_error": (error**2 + curl**2) ** 0.5, "seconds": seconds}
    values |= {"dofs": 100, "element_title": "hexP", "element_short": "hexP"}
    return record("fem", values, problem=problem, element="hexP", n=1, order=4, solve=True, **more)


def interpolated(element, ratio, seed):
    values = {"l2_error": ratio * 1e-3, "element_l2_error": 1e-3, "seconds": 1.0}
    return record("interpolated_net", values, element=element, seed=seed)


def finding(name, records):
    (claim,) = [claim for claim in CLAIMS if claim.name == name]
    assert claim.is_declared
    return claim.finding(Results(records))


def test_a_smaller_error_of_elements_in_less_time_refutes_the_speed_of_random_features():
    found = finding(
        "pielm-ten-times-faster", [*untrained("maxwell", 1e-9, 1.0), hp("maxwell", 1e-10, 1, 0.1)]
    )
    assert isinstance(found, Checked)
    assert not found.true


def test_a_claim_that_holds_on_one_field_only_depends_on_it():
    records = [*untrained("maxwell", 1e-9, 1.0), trained("maxwell", 1e-8, 5.0)]
    records += [*untrained("screen", 1e-3, 1.0), trained("screen", 1e-4, 5.0)]
    found = finding("pielm-no-less-accurate-than-trained", records)
    assert isinstance(found, Checked)
    assert {name: part.true for name, part in found.table.items()} == {
        "maxwell": True, "screen": False,
    }  # fmt: skip


def test_interpolated_nets_must_be_far_below_in_every_space():
    records = [interpolated("N1", 1e-3, seed) for seed in range(1000, 1004)]
    assert finding("feinn-net-orders-below-element", records).true == 4
    records += [interpolated("hexP", 0.5, seed) for seed in range(1000, 1003)]
    found = finding("feinn-net-orders-below-element", records)
    assert isinstance(found, Counted)
    assert (found.true, found.seeds, found.table["hexP"].true) == (1, 4, 0)


def test_hp_meshes_of_no_more_time_are_the_bound():
    """The net: 1e-9 in 2 s. The slow mesh, which is better still, does not count."""
    records = [*untrained("curlsing", 1e-9, 2.0), hp("curlsing", 1e-8, 1e-7, 1.0, layers=3)]
    records.append(hp("curlsing", 1e-12, 1e-12, 3.0, layers=4))
    found = finding("pielm-below-elements-at-steep-gradients", records)
    assert isinstance(found, Compared)
    assert list(found.by_seed.values()) == pytest.approx([np.log(0.1)] * 12)
    assert found.table["curlsing"].refused.rule == "ladder"  # the nets end after 2 of 60 s


def test_errors_of_the_size_of_rounding_are_equal_and_the_curl_is_compared_too():
    records = [*untrained("curlsing", 1e-13, 40.0), hp("curlsing", 2e-12, 1e-7, 1.0, layers=20)]
    found = finding("pielm-below-elements-at-steep-gradients", records)
    assert set(found.table["curlsing"].by_seed.values()) == {0.0}
    curl = found.table["curlsing, with the curl"].by_seed.values()
    assert list(curl) == pytest.approx([np.log(1.005e-5)] * 12, abs=0.01)


def test_a_ratio_of_layers_at_the_end_of_its_grid_is_refused():
    nets = untrained("screen", 1e-6, 40.0)
    meshes = [
        hp("screen", error, error, 1.0, layers=20, ratio=ratio)
        for ratio, error in ((0.1, 1e-7), (0.2, 1e-8), (0.3, 1e-9))
    ]
    rows = finding("pielm-below-elements-at-steep-gradients", [*nets, *meshes]).table
    assert rows["screen"].refused.rule == "interior"
    meshes.append(hp("screen", 1e-8, 1e-8, 1.0, layers=20, ratio=0.4))
    rows = finding("pielm-below-elements-at-steep-gradients", [*nets, *meshes]).table
    assert rows["screen"].refused is None


def test_the_table_has_the_best_net_of_each_kind_and_the_facts_its_numbers():
    partly = trained("maxwell", 1e-7, 4.0, optimizer="varpro")
    records = [*untrained("maxwell", 1e-9, 1.0), trained("maxwell", 1e-8, 5.0), partly]
    records += [trained("maxwell", 1e-5, 1.0, width=7), hp("maxwell", 1e-10, 1e-9, 0.1)]
    records += [interpolated("N1", ratio, seed) for seed, ratio in enumerate((0.1, 0.2, 0.9))]
    (table,) = [b for b in section.contents(run_of("solve", records)) if isinstance(b, Table)]
    assert {row[1]: row[4] for row in table.rows if row[0] == "maxwell"} == {
        "untrained": 1e-9, "trained": 1e-8, "partly trained": 1e-7,
    }  # fmt: skip
    facts, notes = all_facts(Results(records), "solve")
    assert not notes
    assert facts["solve/maxwell-untrained-error"].value == 1e-9
    assert facts["solve/maxwell-untrained-error"].seeds == 12
    assert facts["solve/maxwell-partly-error"].value == 1e-7
    assert facts["solve/maxwell-partly-curl"].value == pytest.approx(1e-6)
    assert facts["solve/maxwell-element-curl"].value == pytest.approx(1e-9)
    assert facts["solve/interpolated-N1-error"].value == pytest.approx(2e-4)  # the median seed
    assert facts["solve/interpolated-N1-element"].value == 1e-3
