"""Figures and section of the gradient atlas, from small results made on the spot."""

import pytest
from records import computed, run_with

from bench.cells import Cell
from bench.claims import Checked, NotTested
from bench.claims.themes.gradients import CLAIMS
from bench.claims.themes.theory import CLAIMS as THEORY
from bench.store.results import Results
from reports.figures import gradients as figures
from reports.sections import gradients, make


@pytest.fixture(scope="module")
def results():
    few = {"width": 6, "samples": 20}
    at_init = [
        computed(Cell("gradients_at_init", config | few))
        for net in ("feedforward", "resnet", "densenet", "fractional")
        for h in (2, 5, 12)
        for s, tau0 in ((0.5, "1"), (1.0, "1"), (2.0, "1"), (1.0, "1/H"))
        for config in [{"net": net, "hidden": h, "scale": s, "tau0": tau0}]
    ]
    trained = [
        computed(Cell("gradients_in_training", {
            "net": "resnet", "hidden": 50, "tau": tau, "tau0": tau0, "evaluations": 3,
            "seed": seed, "data_seed": seed, "width": 4, "samples": 10,
        }))
        for tau, tau0 in (("fixed", "1/H"), ("learned", "1/H"), ("fixed", "2/H"), ("rezero", "1"))
        for seed in range(6)
    ]  # fmt: skip
    return Results([*at_init, *trained])


def test_phase_diagram_has_a_panel_per_net_and_the_boundary(results):
    figure = figures.phase_diagram(results)
    *panels, bar = figure.axes
    assert bar.get_title() == "growth, log₁₀", "above the bar, to be read without turning the page"
    assert [axes.get_title() for axes in panels] == [
        "feedforward", "ResNet", "DenseNet", "Fractional-DNN",
    ]  # fmt: skip
    cells = panels[0].collections[0].get_array()
    assert cells.size == 9
    assert cells.min() < -3  # the feedforward net of 12 layers vanishes at half of He's weights
    assert len(panels[1].collections) > 1  # theory's contour


def test_section_is_complete_and_gaps_are_named(results):
    made = make(gradients, run_with(results))
    names = [getattr(block, "name", "") for block in made.blocks]
    assert names[1:] == ["gradient-phases", "jacobian-norms"]
    assert ("ResNet", "1/H") in [row[:2] for row in made.blocks[-1].rows]
    (gap,) = make(gradients, run_with(Results([]), gradient_atlas={"preset": "quick"})).blocks
    assert gap.command == "femnets run gradient_atlas --preset quick --run r"
    assert make(gradients, run_with(Results([]))) is None


def test_claims_pass_on_data_and_never_without(results):
    claims = [*CLAIMS, *THEORY]
    findings = {claim.name: claim.finding(results) for claim in claims}
    assert isinstance(findings["gradient-theorems"], Checked)
    assert findings["gradient-theorems"].true
    assert findings["small-tau-prevents-exploding"].along == "the net"
    assert isinstance(findings["skips-prevent-vanishing"], NotTested)
    with_slips = Results([*results, computed(Cell("slips", {"seed": 1000}))])
    skips = findings | {claim.name: claim.finding(with_slips) for claim in claims}
    assert skips["skips-prevent-vanishing"].along == "the weights"
    assert skips["more-than-a-scaling"].along.startswith("the net")
    assert not skips["memory-prevents-vanishing"].true
    assert not skips["factors-below-one"].true
    assert skips["example-6-3"].true
    assert skips["terminal-adjoint"].true
