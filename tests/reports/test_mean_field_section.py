"""The widened atlas from its cells to its figures, on small nets; quick has none of it."""

from dataclasses import replace

import numpy as np
import pytest
from records import computed, run_with

from bench.cells import Cell
from bench.claims import Checked
from bench.claims.themes.phases import CLAIMS, crossing, nets_of, plain
from bench.store.results import Results
from bench.studies import gradient_atlas
from reports.figures import gradients as figures
from reports.sections import gradients as section
from reports.sections import make

SMALL = replace(
    gradient_atlas.Config(),
    depths=(), policies=(), policy_scales=(), activations=("tanh", "relu", "smoothrelu"),
    activation_depths=(4, 8), activation_scales=(0.25, 1.0, 4.0), activation_width=6,
    widths=(5, 12), width_depth=8,
    width_scales=(0.25, 1.0, 4.0), single_from=12, wide_seeds=(0, 1),
)  # fmt: skip


@pytest.fixture(scope="module")
def results():
    cells = gradient_atlas.cells(SMALL)
    return Results([computed(cell) for cell in cells if cell.kind == "mean_field"])


def test_quick_keeps_its_cost_and_the_others_are_wide():
    kinds = {
        preset: {cell.kind for cell in gradient_atlas.cells(config)}
        for preset, config in gradient_atlas.PRESETS.items()
    }
    assert kinds["quick"] == {"gradients_at_init"}
    assert kinds["paper"] == kinds["full"] == {"gradients_at_init", "mean_field"}
    cells = gradient_atlas.cells(gradient_atlas.PRESETS["paper"])
    widest = [c.config for c in cells if c.kind == "mean_field" and c.config["width"] >= 1000]
    assert {c["dtype"] for c in widest} == {"float32"}
    assert {c["hidden"] for c in widest} == {50}
    assert min(len(c.config["seeds"]) for c in cells if c.kind == "mean_field") >= 5


def test_every_measurement_has_a_prediction(results):
    for record in nets_of(results).select("mean_field", net="feedforward"):
        if record.config["width"] >= 12:
            measured, predicted = (
                record.values[name] for name in ("log10_growth", "log10_growth_predicted")
            )
            assert predicted == pytest.approx(measured, abs=1.5)


def test_figures_have_a_panel_for_everything(results):
    phases = figures.phases_by_activation(plain(nets_of(results)))
    assert {axes.get_title() for axes in phases.axes} >= {"relu", "smoothrelu", "tanh"}
    assert len([axes for axes in phases.axes if axes.collections]) >= 12


def test_a_line_is_the_nets_one_by_one(results):
    """Entry (scale, seed) of a cell is what a cell of that scale and seed alone has."""
    cell = next(
        r for r in results.select("mean_field", net="densenet") if len(r.config["scales"]) > 1
    )
    for net in nets_of(Results([cell])):
        own = {"scales": [net.config["scale"]], "seeds": [net.config["seed"]]}
        alone = computed(Cell("mean_field", {**cell.config, **own})).values
        for name in ("label", "log10_growth", "log10_growth_predicted"):
            assert alone[name] == [[net.values[name]]]


def test_phase_lines_are_tested_by_a_claim():
    """At the width of the rule theory is right; were the prediction moved, the claim would fall."""
    (claim,) = CLAIMS
    config = {"net": "feedforward", "hidden": 12, "width": 1000, "seeds": [*range(5)], "samples": 8}
    scales = {"scales": (0.25, 0.5, 2.0, 4.0), "dtype": "float32"}
    cell = computed(Cell("mean_field", {**config, **scales}))
    found = claim.finding(Results([cell]))
    assert isinstance(found, Checked)
    assert found.true, found.what
    moved = [[value + 3 for value in row] for row in cell.values["log10_growth_predicted"]]
    wrong = replace(cell, values={**cell.values, "log10_growth_predicted": moved})
    assert not claim.finding(Results([wrong])).true


def test_section_states_the_phase_lines(results):
    made = make(section, run_with(results))
    table = next(block for block in made.blocks if getattr(block, "name", "") == "phase-lines")
    assert {row[1] for row in table.rows} == {"vanishing", "exploding"}
    assert made.blocks[1].name == "phases-by-activation"
    assert made.blocks[1].draw().axes
    begun = make(section, run_with(results.select("mean_field", activation="tanh")))
    assert [getattr(block, "name", "") for block in begun.blocks] == ["", "phases-by-activation"]
    assert make(section, run_with(Results([]))) is None


def test_panels_without_cells_stay_empty(results):
    known = {("resnet", "relu"), ("feedforward", "tanh")}
    cells = [r for r in results if (r.config.get("net"), r.config.get("activation")) in known]
    panels = figures.phases_by_activation(plain(nets_of(Results(cells)))).axes[:4]
    assert [bool(axes.collections) for axes in panels].count(True) == 2


def test_crossings():
    assert crossing([0.5, 2.0], np.array([-4.0, 4.0]), 0.0) == pytest.approx(1.0)
    assert crossing([0.5, 2.0], np.array([1.0, 4.0]), 0.0) is None
