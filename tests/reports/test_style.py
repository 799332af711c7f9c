"""Looks: families keep their colours, members stay apart, and what no plug declares is drawn."""

import itertools
import math
from types import SimpleNamespace

import pytest

from bench.methods.titles import members
from bench.store.results import Results
from reports import style
from reports.competitors import competitors
from reports.sections.convergence import error_against_h
from reports.sections.solve import work_precision
from reports.style import COLORS, look


def fem(element, n, error):
    config = {"problem": "maxwell", "element": element, "n": n, "order": None, "grading": None}
    values = {"n": n, "h": math.sqrt(3) / n, "dofs": 9 * n**3, "l2_error": error, "seconds": 0.1}
    config |= {"solve": False, "solver": "auto", "tol": 1e-8, "threads": 1}
    return SimpleNamespace(kind="fem", config=config, values=values, arrays={}, key=f"{element}{n}")


def test_families_have_colours_of_their_own():
    for one, other in itertools.combinations(COLORS.values(), 2):
        assert not set(one) & set(other)


@pytest.mark.parametrize("family", [*COLORS, "optimiser"])
def test_every_place_looks_different(family, monkeypatch):
    names = [f"plug {k}" for k in range(style.PLACES)]
    monkeypatch.setattr(style, "members", lambda _: names)
    keys = [f"{family}/{name}{variant}" for name in names for variant in ("", "/graded")]
    assert len({look(key) for key in keys}) == len(keys)


@pytest.mark.parametrize("family", ["finite element", "net"])
def test_a_stranger_gets_a_steady_look_of_its_own(family, monkeypatch):
    known = {look(f"{family}/{name}") for name in members(family)}
    stranger = look(f"{family}/from elsewhere")
    assert stranger not in known
    assert stranger == look(f"{family}/from elsewhere")
    assert stranger.color in COLORS[family]
    before = [look(f"{family}/{name}") for name in members(family)]
    more = [*members(family), "one more"]
    monkeypatch.setattr(style, "members", lambda _: more)
    assert [look(f"{family}/{name}") for name in more[:-1]] == before


def test_no_figure_leaves_out_an_element_that_nobody_declares():
    results = Results([fem(e, n, 0.02 / n) for e in ("N0", "strange") for n in (1, 2, 4)])
    drawn = error_against_h({"maxwell": (results, Results([]))}).axes[0]
    assert "strange" in {line.get_label() for line in drawn.lines}
    assert "strange" in {text.get_text() for text in drawn.texts}
    work = work_precision({"maxwell": competitors(results, "maxwell")}).axes[0]
    assert "strange" in {line.get_label() for line in work.lines}


def test_log_axes_show_powers_and_names_keep_their_dollars():
    """A dollar in a name is a dollar, and 10⁻³ on an axis is not the formula that makes it."""
    import re

    import matplotlib.pyplot as plt

    from reports.document import Picture
    from reports.style import drawn, saved

    def draw():
        figure, axes = plt.subplots()
        axes.loglog([1e-3, 1], [1e-6, 1], label="$cost$")
        axes.legend()
        return figure

    with drawn(Picture("powers", "", draw), text_as_text=True) as figure:
        page = re.sub(r"<!--.*?-->", "", saved(figure, "svg").decode())
    assert "mathdefault" not in page
    assert "$cost$" in page
    assert "−3" in page or "-3" in page
