"""A cell is its kind and config; one contract test for all kinds and one for all studies."""

import dataclasses
import os
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from base.errors import UserError
from bench import studies
from bench.cells import Cell, kinds, label_of, load_kind, needs_bytes
from bench.core.settings import about, configured, types_of


@pytest.mark.parametrize("kind", kinds())
def test_every_kind_keeps_the_contract(kind):
    module = load_kind(kind)
    assert isinstance(module.ALONE, bool)
    assert module.__doc__
    with pytest.raises(UserError, match="has no setting 'nonsense'"):
        Cell(kind, {"nonsense": 1})


@pytest.mark.parametrize("kind", kinds())
def test_every_setting_says_what_it_is_and_has_a_default_of_its_type(kind):
    config_type = load_kind(kind).Config
    assert config_type.__dataclass_params__.frozen
    for name in types_of(config_type):
        assert about(config_type, name).help.endswith("."), f"{kind}.{name} has no help text"
    given = {
        field.name: field.default
        for field in dataclasses.fields(config_type)
        if field.default is not dataclasses.MISSING
    }
    lacking = {"n": 3, "hidden": 2, "net": "resnet", "method": "linear", "arm": "fixed"}
    lacking |= {"data": "rows.csv", "task": "crossing"}
    needed = {name: lacking[name] for name in types_of(config_type) if name not in given}
    assert configured(config_type, {**needed, **given}, where="it") == config_type(**needed)


@pytest.mark.parametrize("study", studies.names())
def test_every_study_keeps_the_contract(study):
    module = studies.load(study)
    assert set(module.PRESETS) == set(studies.PRESETS)
    assert dataclasses.is_dataclass(module.Config)
    assert module.YIELDS
    plans = [studies.plan([study], preset, {})[0] for preset in studies.PRESETS]
    sizes = [len(plan.cells) for plan in plans]
    assert sizes[0] > 0
    assert sizes == sorted(sizes)  # quick, paper, full
    assert all(needs_bytes(cell) > 0 for cell in plans[0].cells)
    remembered = studies.replanned({study: plans[0].document()})[0]
    assert remembered.cells == plans[0].cells


def test_defaults_are_part_of_the_key_and_order_is_not():
    assert Cell("fem", {"n": 4}) == Cell("fem", {"tol": 1e-8, "n": 4, "problem": "maxwell"})
    assert Cell("fem", {"n": 4}) != Cell("fem", {"n": 5})
    assert Cell("fem", {"n": np.int64(4)}) == Cell("fem", {"n": 4})
    assert Cell("fem", {"n": 4, "tol": 1}) == Cell("fem", {"n": 4, "tol": 1.0})
    assert Cell("net", {"steps": 300.0}).key == Cell("net", {"steps": 300}).key
    assert Cell("net", {"evaluations": 300}).key == Cell("net", {"evaluations": 300.0}).key
    etas = {"etas": [1, 4]}
    assert Cell("tuned_net", etas).key == Cell("tuned_net", {"etas": (1.0, 4.0)}).key


def test_a_cell_travels_without_its_dataclass():
    cell = Cell("fem", {"n": 4})
    again = pickle.loads(pickle.dumps(cell))
    assert b"Config" not in pickle.dumps(cell)
    assert (again, again.settings) == (cell, cell.settings)


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({}, "needs a value for 'n'"),
        ({"n": 4, "problm": "helix"}, "did you mean 'problem'"),
        ({"n": 4, "tol": "small"}, "tol of a fem cell must be of type float"),
        ({"n": 4, "tol": float("nan")}, "must be finite"),
        ({"n": 4.5}, "n of a fem cell must be of type int, got 4.5"),
        ({"n": True}, "must be of type int, got True"),
        ({"n": 0}, "n of a fem cell must be at least 1, got 0"),
        ({"n": 4, "tol": 0}, "greater than 0"),
        ({"n": None}, "must be of type int, got None"),
        ({"n": 4, "solve": 1}, "must be of type bool, got 1"),
        ({"n": 4, "problem": 3}, "must be of type str"),
    ],
)
def test_a_bad_config_is_refused_with_a_remedy(config, message):
    with pytest.raises(UserError, match=message):
        Cell("fem", config)


def test_unknown_kind_names_the_nearest():
    with pytest.raises(UserError, match="did you mean 'fem'"):
        Cell("fme", {})
    with pytest.raises(UserError, match="no module"):
        Cell("nowhere.to_be_found", {})


def test_label_tells_what_differs_from_the_defaults():
    assert Cell("fem", {"n": 4}).label == "fem n=4"
    assert label_of("gone", {"a": 1}) == "gone a=1"


PLANS = """
import sys
from collections import defaultdict
from pathlib import Path
from bench import studies
from bench.cells import competitor_of
from bench.runner.resume import in_order
from bench.store.folder import Store
from bench.store.survey import survey
store = Store.writable(Path("run"))
for preset in studies.PRESETS:
    studies.plan(studies.names(), preset, {})
plans = studies.plan(studies.names(), "quick", {})
in_order([cell for plan in plans for cell in plan.cells])
assert all(s.state == "missing" for s in survey(store, plans))
values = defaultdict(lambda: 7)
shown = [competitor_of(c.kind, c.config, values) for plan in plans for c in plan.cells]
assert {a.information for a in shown if a} == {"samples", "field", "equation"}
assert all(a.title and a.series and a.given and a.unknowns == 7 for a in shown if a)
heavy = sorted({"torch", "skfem", "numba"} & set(sys.modules))
assert not heavy, f"planning imports {heavy}"
"""


def test_planning_and_status_load_no_engine(tmp_path):
    root = Path(__file__).parents[2]
    subprocess.run(
        [sys.executable, "-c", PLANS],
        check=True,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(root)},
    )
