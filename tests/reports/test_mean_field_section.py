"""The widened atlas from its cells to its figures, on small nets; quick has none of it."""

from dataclasses import replace

import numpy as np
import pytest
from records import computed, run_with

from bench.cells import Cell
from bench.claims import Checked, NotTested
from bench.claims.themes.phases import CLAIMS, crossing, nets_of, phase_lines, plain
from bench.store.results import Results
from bench.studies import gradient_atlas
from reports.document import Missing, Picture
from reports.figures import mean_field as figures
from reports.figures import spectra
from reports.sections import gradients, make
from reports.sections import mean_field as section

SMALL = replace(
    gradient_atlas.Config(),
    depths=(), policies=(), policy_scales=(), activations=("tanh", "relu", "smoothrelu"),
    activation_depths=(4, 8), activation_scales=(0.25, 1.0, 4.0), activation_width=6,
    inits=("he", "orthogonal"), init_scales=(1.0,), widths=(5, 12), width_depth=8,
    width_scales=(0.25, 1.0, 4.0), single_from=12, wide_seeds=(0, 1), decay_depths=(10, 40, 80),
    trained_nets=("feedforward", "resnet"), trained_depth=4,
)  # fmt: skip


def done(cell):
    small = {"width": 5, "samples": 20, "evaluations": 12, "checkpoints": 3}
    return computed(cell, **small if cell.kind == "spectra_in_training" else {})


@pytest.fixture(scope="module")
def results():
    cells = [cell for cell in gradient_atlas.cells(SMALL) if cell.kind != "gradients_at_init"]
    few = {"width": 60, "depth": 30, "ratios": (0.3, 0.5, 2.0), "seeds": (0, 1)}
    xi = [Cell("correlation_length", {"activation": name, **few}) for name in ("relu", "tanh")]
    return Results([done(cell) for cell in (*cells, *xi)])


def test_quick_keeps_its_cost_and_the_others_are_wide():
    kinds = {
        preset: {cell.kind for cell in gradient_atlas.cells(config)}
        for preset, config in gradient_atlas.PRESETS.items()
    }
    assert kinds["quick"] == {"gradients_at_init", "memory_decay"}
    wide = {"mean_field", "correlation_length", "spectra_in_training"}
    assert kinds["paper"] == kinds["full"] == {"gradients_at_init", "memory_decay", *wide}
    cells = gradient_atlas.cells(gradient_atlas.PRESETS["paper"])
    widest = [c.config for c in cells if c.kind == "mean_field" and c.config["width"] >= 1000]
    assert {c["dtype"] for c in widest} == {"float32"}
    assert {c["hidden"] for c in widest} == {50}
    assert min(len(c.config["seeds"]) for c in cells if c.kind in wide) >= 5


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


def test_every_measurement_has_a_prediction(results):
    for record in nets_of(results).select("mean_field", net="feedforward", normalisation="none"):
        if record.config["width"] >= 12:
            measured, predicted = (
                record.values[name] for name in ("log10_growth", "log10_growth_predicted")
            )
            assert predicted == pytest.approx(measured, abs=1.5)


def test_normalised_nets_have_unit_variance():
    from bench.methods.gradient_atlas import normalise, points
    from nets.gradients.passes import trajectory
    from nets.module import build

    net = build(net="resnet", hidden=4, width=6, scale=3.0, tau="fixed", init="he")
    x, _ = points("maxwell", 20, 0)
    normalise(net, x)
    at = trajectory(net, x)
    for k in range(4):
        z = at.y[k].plain() @ at.W[k].T + net.b[k].detach()
        assert float(z.square().mean()) == pytest.approx(1.0)


def test_figures_have_a_panel_for_everything(results):
    phases = figures.phases_by_activation(plain(nets_of(results)), figures.edge_scales(results))
    assert {axes.get_title() for axes in phases.axes} >= {"relu", "smoothrelu", "tanh"}
    assert len([axes for axes in phases.axes if axes.collections]) >= 12
    widths = figures.growth_by_width(plain(nets_of(results), activation="smoothrelu"))
    labels = [text.get_text() for text in widths.axes[0].get_legend().get_texts()]
    assert labels == ["5 wide", "6 wide", "12 wide", "mean field"]
    assert widths.axes[0].collections, "the band over seeds"
    starts = figures.growth_by_start(nets_of(results))
    assert [axes.get_title() for axes in starts.axes] == [*figures.NORMALISATIONS.values()]
    assert (
        len(
            figures.growth_with_layer_norm(
                nets_of(results).select("mean_field", init="he", normalisation="layer", gamma=0.5)
            ).axes
        )
        == 4
    )
    assert {axes.get_title() for axes in spectra.correlation_lengths(results).axes} == {
        "relu",
        "tanh",
    }
    assert len(spectra.spectra_along_training(results).axes) == 4


def test_a_line_is_the_nets_one_by_one(results):
    """Entry (scale, seed) of a cell is what a cell of that scale and seed alone has."""
    cell = next(
        r for r in results.select("mean_field", net="densenet") if len(r.config["scales"]) > 1
    )
    for net in nets_of(Results([cell])):
        own = {"scales": [net.config["scale"]], "seeds": [net.config["seed"]]}
        alone = done(Cell("mean_field", {**cell.config, **own})).values
        for name in ("label", "log10_growth", "log10_growth_predicted"):
            assert alone[name] == [[net.values[name]]]


def test_cells_of_one_net_are_still_read(results):
    """As an older run has them: a scale, a seed, numbers."""
    lines = nets_of(results.select("mean_field", width=12))
    old = [
        replace(
            net,
            config={
                **{k: v for k, v in net.config.items() if k not in ("scales", "seeds")},
                "normalised": False,
            },
        )
        for net in lines
    ]
    assert phase_lines(nets_of(Results(old))) == phase_lines(lines)


def test_phase_lines_are_tested_by_a_claim():
    """At the width of the rule theory is right; were the prediction moved, the claim would fall."""
    (claim,) = CLAIMS
    config = {"net": "feedforward", "hidden": 12, "width": 1000, "seeds": [*range(5)], "samples": 8}
    scales = {"scales": (0.25, 0.5, 2.0, 4.0), "dtype": "float32"}
    cell = done(Cell("mean_field", {**config, **scales}))
    found = claim.examine(Results([cell]))
    assert isinstance(found, Checked)
    assert found.true, found.what
    moved = [[value + 3 for value in row] for row in cell.values["log10_growth_predicted"]]
    wrong = replace(cell, values={**cell.values, "log10_growth_predicted": moved})
    assert not claim.examine(Results([wrong])).true
    assert isinstance(claim.examine(Results([])), NotTested)


def test_section_states_the_phase_lines(results):
    made = make(section, run_with(results))
    table = next(block for block in made.blocks if getattr(block, "name", "") == "phase-lines")
    assert {row[1] for row in table.rows} == {"vanishing", "exploding"}
    names = {getattr(block, "name", "") for block in made.blocks}
    assert names >= {"correlation-lengths", "growth-with-layer-norm", "spectra-in-training"}
    assert make(section, run_with(Results([]))) is None


@pytest.mark.parametrize(
    "where",
    [
        {"activation": "tanh"},  # no phase lines yet
        {"init": "orthogonal"},
        {"normalisation": "start"},
        {"normalisation": "layer"},
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
    panels = figures.phases_by_activation(plain(nets_of(Results(cells))), {}).axes[:4]
    assert [bool(axes.collections) for axes in panels].count(True) == 2


def test_decay_belongs_to_the_gradients(results):
    from reports.sections.gradients import _decay

    (picture,) = _decay(run_with(results))
    assert picture.name == "algebraic-decay"
    assert _decay(run_with(Results([]))) == []


def test_crossings():
    assert crossing([0.5, 2.0], np.array([-4.0, 4.0]), 0.0) == pytest.approx(1.0)
    assert crossing([0.5, 2.0], np.array([1.0, 4.0]), 0.0) is None
