"""The section on re-entrant edges, from made-up results: whole, and from any part of them."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from records import record_of, run_of

from bench.cells import Cell
from bench.claims.facts import all_facts
from bench.claims.facts.reentrant import setting_of
from bench.claims.themes.reentrant import usable
from bench.store.results import Results
from reports.document import Paragraph, Picture, Table
from reports.sections import make
from reports.sections import reentrant as section

NORM = 1.355


def net(relative, seed=100, *, own=0.1, fine=0.2, diverged=False, **config):
    settings = {"evaluations": 800, "seed": seed, "data_seed": seed} | config
    values = {
        "l2_relative": relative, "l2_error": relative * NORM, "training_loss": own,
        "fine_loss": fine, "late_fall": 1.0, "diverged": diverged,
        "coarse_distance": relative * NORM, "coarse_norm": NORM, "norm": NORM,
        "reference_error": None, "parameters": 562,
    }  # fmt: skip
    if diverged:
        values |= dict.fromkeys(("l2_relative", "l2_error", "fine_loss", "training_loss"))
    line = np.linspace(-0.4, 0.4, 4)
    exact = np.ones((2, 4, 4))
    arrays = {
        "curve_evaluations": np.array([0.0, 1, 200, 400, 800]),
        "curve_l2_error": NORM * np.array([1.1, 1.0, 0.8, 0.7, relative]),
        "curve_fine_loss": np.array([3.0, 2.0, 1.0, 0.5, fine]),
        "curve_J": np.array([1.5, 1.0, 0.5, 0.2, own / 2]),
        "slice_line": line, "slice_exact": exact, "slice": exact * (1 - relative),
    }  # fmt: skip
    cell = Cell("reentrant_net", settings)
    return record_of(cell, values, arrays)


def solve(element, relative, dofs, n, energy=None, **config):
    cell = Cell("edge_solve", {"element": element, "n": n} | config)
    values = {"l2_error": relative * NORM, "l2_relative": relative, "dofs": dofs,
              "energy": energy, "iterations": 9}  # fmt: skip
    grid = np.ones((2, 4, 4))
    arrays = {"slice_line": np.linspace(-0.4, 0.4, 4), "slice_exact": grid, "slice": grid / 2}
    return record_of(cell, values, arrays)


def best(relative, dofs, n, **config):
    cell = Cell("fem", {"problem": "reentrant", "element": "N0", "n": n} | config)
    values = {"l2_error": relative * NORM, "l2_relative": relative, "dofs": dofs, "iterations": 9}
    return record_of(cell, values)


def nets():
    rules = {"inside": "graded", "rim": "graded"}
    found = [net(0.1 + seed / 5000, seed) for seed in (100, 101, 102)]
    found += [net(0.5 + seed / 5000, seed, boundary="exact") for seed in (100, 101, 102)]
    found += [net(0.3, boundary="exact", inside="graded"), net(0.4, **rules)]
    found += [net(0.6, width=width, boundary="exact") for width in (10, 40)]
    found += [net(0.2, points=2592, own=1e-4), net(0.3, form="weak")]
    return [*found, net(0.9, boundary="exact", inside="graded", width=40, diverged=True)]


def relatives():
    return [
        net(0.4, problem="reentrant3d", form="first-order"),
        net(0.7, problem="fichera", form="weak", boundary="exact"),
    ]


def elements():
    nodal = [solve("nodalP1", 0.56 - k / 50, 100 * 8**k, 2**k, 1.2) for k in (1, 2, 3)]
    others = [solve("N0", 0.06, 5000, 8, grading=2.5)]
    graded = [best(0.1 / 2**k, 100 * 8**k, 2**k, grading=2.5) for k in (1, 2, 3)]
    return [*nodal, *others, *graded, *(best(0.2 / k, 100 * k, k) for k in (1, 2))]


def drawn(made):
    """All figures of a section, drawn and closed."""
    figures = {}
    for block in made.blocks:
        if isinstance(block, Picture):
            figure = block.draw()
            figures[block.name] = [len(axes.lines) for axes in figure.axes]
            plt.close(figure)
    return figures


def test_the_whole_story():
    made = make(section, run_of("reentrant", [*elements(), *nets(), *relatives()]))
    tables = {block.name: block for block in made.blocks if isinstance(block, Table)}
    assert set(tables) == {"reentrant-map"}
    figures = drawn(made)
    assert set(figures) == {"reentrant-story", "reentrant-edge"}
    assert len(figures["reentrant-story"]) == 3  # elements, penalty, built in
    story = next(block for block in made.blocks if getattr(block, "name", "") == "reentrant-story")
    assert "given the field" in story.caption
    facts, _ = all_facts(Results([*elements(), *nets()]), "reentrant")
    assert facts["reentrant/nodal-elements"].value == pytest.approx(0.5)
    assert facts["reentrant/penalty-nets"].value == pytest.approx(0.12, abs=5e-3)
    assert facts["reentrant/penalty-nets"].seeds == 3
    right = net(0.1, seed=103, own=1e-3, boundary="exact")
    sure = net(0.6, seed=104, own=1e-5, boundary="exact")
    facts, _ = all_facts(Results([*elements(), *nets(), right, sure]), "reentrant")
    names = ("wrong-nets-with-small-loss", "right-nets", "wrong-nets")
    counts = [facts[f"reentrant/{n}"].value for n in names]
    alike = [r for r in usable(nets()) if setting_of(r) == setting_of(sure)]
    assert counts == [1, 1, 1 + len(alike)], "losses of other functionals do not compare"


@pytest.mark.parametrize(
    "records",
    [
        pytest.param(elements(), id="elements"),
        pytest.param(elements()[:1], id="one mesh"),
        pytest.param(nets(), id="nets"),
        pytest.param(nets()[:1], id="one net"),
        pytest.param(nets()[-1:], id="a diverged net"),
        pytest.param(relatives(), id="relatives"),
        pytest.param([*elements()[-1:], *nets()[-2:]], id="a few"),
    ],
)
def test_any_part_of_it_compiles(records):
    made = make(section, run_of("reentrant", records))
    drawn(made)
    said = " ".join(
        block.text if isinstance(block, Paragraph) else getattr(block, "caption", "")
        for block in made.blocks
    )
    assert "could not" not in said
    assert "nan" not in said.lower().split()


def test_rows_are_medians_and_a_diverged_run_is_infinite():
    made = make(section, run_of("reentrant", nets()))
    (table,) = [block for block in made.blocks if getattr(block, "name", "") == "reentrant-map"]
    first, lost = table.rows[0], table.rows[-1]
    place = [column.title for column in table.columns].index("relative L² error, whole domain")
    assert first[place] == pytest.approx(0.1 + 101 / 5000)
    assert (lost[place], lost[-1]) == (np.inf, "1 diverged")


def test_a_slider_goes_through_the_frames_of_a_training():
    moving = nets()
    for record in moving:
        exact = record.arrays["slice_exact"]
        record.arrays["frames"] = np.stack([exact * k / 5 for k in range(5)])
    made = make(section, run_of("reentrant", [*elements(), *moving]))
    (edge,) = [block for block in made.blocks if getattr(block, "name", "") == "reentrant-edge"]
    assert len(edge.along) == 5
    titles = [axes.get_title() for axes in edge.along[1]().axes]
    assert any("100 % error" in title for title in titles), "of the second place of the curve"
    plt.close("all")
