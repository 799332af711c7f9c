"""The widened atlas from its cells to its figures, on small nets; quick has none of it."""

from dataclasses import dataclass, replace

import matplotlib as mpl
import numpy as np
import pytest

mpl.use("Agg")

from bench.cells import Cell, load_kind
from bench.store.results import Results
from bench.studies import gradient_atlas
from reports.context import Run
from reports.document import Missing, Picture
from reports.figures import mean_field as figures
from reports.sections import gradients, make
from reports.sections import mean_field as section

SMALL = replace(
    gradient_atlas.Config(),
    depths=(), policies=(), policy_scales=(), activations=("tanh", "relu", "smoothrelu"),
    activation_depths=(4, 8), activation_scales=(0.25, 1.0, 4.0), activation_width=6,
    inits=("he", "orthogonal"), init_scales=(1.0,), widths=(5, 12), width_depth=8,
    width_scales=(0.25, 1.0, 4.0), wide_seeds=(0, 1), decay_depths=(10, 40, 80),
)  # fmt: skip


@dataclass
class Done:
    kind: str
    config: dict
    values: dict
    arrays: dict
    key: str


def done(cell: Cell) -> Done:
    result = load_kind(cell.kind).run(cell.settings)
    return Done(cell.kind, cell.config, result.values, result.arrays, cell.key)


@pytest.fixture(scope="module")
def results():
    cells = [cell for cell in gradient_atlas.cells(SMALL) if cell.kind != "gradients_at_init"]
    return Results([done(cell) for cell in cells])


def run_with(results):
    run = Run("r", {}, ())
    run.__dict__["results"] = results
    return run


def test_quick_keeps_its_cost_and_the_others_are_wide():
    kinds = {
        preset: {cell.kind for cell in gradient_atlas.cells(config)}
        for preset, config in gradient_atlas.PRESETS.items()
    }
    assert kinds["quick"] == {"gradients_at_init", "memory_decay"}
    assert kinds["paper"] == kinds["full"] == {"gradients_at_init", "mean_field", "memory_decay"}
    widest = [c.config for c in gradient_atlas.cells(gradient_atlas.PRESETS["paper"])]
    assert max(c.get("width", 0) for c in widest) == 1000
    assert max(c["hidden"] for c in widest if c.get("width") == 1000) == 50


def test_memory_decays_with_the_order(results):
    for gamma in (0.25, 0.5, 0.75):
        slope = figures.decay_slope(results.select("memory_decay", gamma=gamma))
        assert slope == pytest.approx(gamma - 1, abs=0.02)
    axes = figures.memory_decay(results).axes[0]
    assert len(axes.lines) == 6


def test_one_depth_has_no_slope(results):
    """A run that has just begun: one net of some orders, two of another, then one of each."""
    decay = results.select("memory_decay")
    shallow = [record for record in decay if record.config["hidden"] == 10]
    two = [record for record in decay if record.config["gamma"] == 0.5]
    begun = Results([*shallow, *(record for record in two if record not in shallow)])
    assert list(figures.decay_slopes(begun)) == [0.5]
    assert len(figures.memory_decay(begun).axes[0].lines) == 2
    (said,) = gradients._decay(run_with(Results(shallow)))
    assert isinstance(said, Missing)


def test_prediction_stands_beside_every_measurement(results):
    for record in results.select("mean_field", net="feedforward", normalised=False):
        if record.config["width"] >= 12:
            measured, predicted = (
                record.values[name] for name in ("log10_growth", "log10_growth_predicted")
            )
            assert predicted == pytest.approx(measured, abs=1.5)


def test_normalised_nets_have_unit_variance():
    from bench.atlas import data_of, net_of, normalise
    from bench.cells.mean_field import Config
    from nets.gradients.passes import trajectory

    config = Config(net="resnet", hidden=4, width=6, scale=3.0, samples=20)
    net, (x, _) = net_of(config), data_of(config)
    normalise(net, x)
    at = trajectory(net, x)
    for k in range(4):
        z = at.y[k].plain() @ at.W[k].T + net.b[k].detach()
        assert float(z.square().mean()) == pytest.approx(1.0)


def test_figures_have_a_panel_for_everything(results):
    phases = figures.phases_by_activation(results)
    assert {axes.get_title() for axes in phases.axes} >= {"relu", "smoothrelu", "tanh"}
    assert len([axes for axes in phases.axes if axes.collections]) >= 12
    widths = figures.growth_by_width(results)
    labels = [text.get_text() for text in widths.axes[0].get_legend().get_texts()]
    assert labels == ["5 wide", "6 wide", "12 wide", "mean field"]
    assert widths.axes[0].collections, "the band over seeds"
    starts = figures.growth_by_start(results)
    assert [axes.get_title() for axes in starts.axes] == ["as they are", "normalised"]


def test_section_states_the_phase_lines(results):
    made = make(section, run_with(results))
    table = next(block for block in made.blocks if getattr(block, "name", "") == "phase-lines")
    assert {row[1] for row in table.rows} == {"vanishing", "exploding"}
    assert "phase lines are crossed" in made.blocks[0].text
    assert make(section, run_with(Results([]))) is None


@pytest.mark.parametrize(
    "where",
    [
        {"activation": "tanh"},  # no phase lines yet
        {"init": "orthogonal"},
        {"normalised": True},
        {"net": "resnet", "activation": "relu"},
    ],
)
def test_a_run_that_has_just_begun(results, where):
    """Pictures of what is there are drawn, and the rest is named with the command for it."""
    begun = results.select("mean_field", **where)
    made = make(section, run_with(begun))
    assert len(begun)
    assert [block for block in made.blocks if isinstance(block, Missing)]
    for block in made.blocks:
        if isinstance(block, Picture):
            assert block.draw().axes


def test_panels_without_cells_stay_empty(results):
    known = {("resnet", "relu"), ("feedforward", "tanh")}
    cells = [r for r in results if (r.config.get("net"), r.config.get("activation")) in known]
    panels = figures.phases_by_activation(Results(cells)).axes[:4]
    assert [bool(axes.collections) for axes in panels].count(True) == 2


def test_decay_belongs_to_the_gradients(results):
    from reports.sections.gradients import _decay

    (picture,) = _decay(run_with(results))
    assert picture.name == "algebraic-decay"
    assert _decay(run_with(Results([]))) == []


def test_crossings():
    assert section.crossing([0.5, 2.0], np.array([-4.0, 4.0]), 0.0) == pytest.approx(1.0)
    assert section.crossing([0.5, 2.0], np.array([1.0, 4.0]), 0.0) is None
