"""The section on certificates: its figure, its table, and the facts behind it."""

import pytest
from records import record_of, run_of

from bench.cells import Cell
from bench.claims.certified import certificate_facts, violated
from bench.claims.facts import all_facts
from bench.store.results import Results
from reports.document import Picture, Table
from reports.sections import certificates as section
from reports.sections import make


def net(seed, error, bound, **more):
    cell = Cell("solved_net", {"problem": "maxwell", "evaluations": 10.0, "seed": seed})
    values = {
        "l2_error": error, "l2_bound": bound, "l2_lower_bound": None, "relative_l2_bound": bound,
        "own_l2_bound": 5 * bound, "certified": True, "diverged": False, "parameters": 10, **more,
    }  # fmt: skip
    return record_of(cell, values)


@pytest.fixture
def records():
    refused = {"certified": False, "relative_l2_bound": None}
    return [net(0, 1e-3, 1.5e-3), net(1, 1e-4, 2e-4), net(2, 0.5, 0.9, **refused)]


def test_a_bound_below_the_error_is_counted(records):
    assert violated(records) == []
    wrong = [net(3, 1.0, 0.9), net(4, 1.0, 2.0, l2_lower_bound=1.1)]
    assert violated([*records, *wrong]) == wrong


def test_facts_count_fields_and_ratios(records):
    found = {fact.name: fact for fact in certificate_facts(Results(records), "cube")}
    assert found["bounded-fields"].value == 3
    assert found["violated-bounds"].value == 0
    assert found["certified-fields"].value == 2
    assert found["bound-ratio"].value == pytest.approx(1.8)
    assert found["own-bound-ratio"].value == pytest.approx(9.0)
    assert list(certificate_facts(Results([]), "cube")) == []


def test_facts_by_kind_of_method(records):
    element = Cell("fem", {"problem": "maxwell", "element": "hexP", "n": 1, "solve": True})
    values = {"l2_error": 1e-6, "l2_bound": 4e-6, "l2_lower_bound": None, "certified": True}
    unbounded = record_of(
        Cell("untrained_net", {"problem": "maxwell"}), values | {"l2_bound": None}
    )
    solved = record_of(element, values | {"dofs": 100, "seconds": 0.1})
    found, notes = all_facts(Results([*records, solved, unbounded]), "certificates")
    known = {name: fact.value for name, fact in found.items() if name.startswith("certificates/")}
    assert not notes
    assert known["certificates/trained-fields"] == 3
    assert known["certificates/trained-refused"] == 1
    assert known["certificates/trained-ratio"] == pytest.approx(1.8)
    assert known["certificates/trained-own-ratio-largest"] == pytest.approx(10.0)
    assert known["certificates/elements-ratio"] == pytest.approx(4.0)
    assert known["certificates/all-ratio"] == pytest.approx(1.9)  # of 1.5, 1.8, 2 and 4
    assert known["certificates/all-violated"] == 0
    assert "certificates/untrained-fields" not in known  # without a bound
    assert all_facts(Results([]), "certificates") == ({}, [])


def test_the_section_draws_bounds_against_errors(records):
    made = make(section, run_of("solve", records))
    picture, table = (
        next(b for b in made.blocks if isinstance(b, kind)) for kind in (Picture, Table)
    )
    assert table.rows[0][:3] == ("maxwell", "trained nets", 3)
    assert table.rows[0][-2:] == (1, 0)
    left, right = picture.draw().axes[:2]
    # the certified nets, the diagonal, and the net of which no digit is certified
    assert [len(line.get_xdata()) for line in right.lines] == [2, 2, 1]
    assert right.lines[2].get_xdata().tolist() == [0.5]
    assert left.get_ylabel() == "bound of the L² error, whole domain"
