"""Faults of figures as they are drawn: each is found, and a sound figure has none."""

import matplotlib.pyplot as plt
import pytest

from reports.drawings import drawing_findings
from reports.style import house_style, plain_power, set_powers


@pytest.fixture
def axes():
    with house_style(text_as_text=True):
        figure, axes = plt.subplots(figsize=(4, 3))
        yield axes
        plt.close(figure)


def found(axes):
    axes.figure.draw_without_rendering()
    return drawing_findings("f", axes.figure)


def test_a_sound_figure_has_no_faults(axes):
    axes.plot([1, 2], [1, 2], label="a line")
    axes.set_xlabel("x")
    axes.set_title("title")
    axes.legend()
    assert found(axes) == []


def test_text_over_text(axes):
    axes.plot([0, 1], [0, 1])
    axes.text(0.5, 0.5, "one name")
    axes.text(0.5, 0.51, "another name")
    (line,) = found(axes)
    assert line == "figure f: text “one name” is over text “another name”"


def test_text_that_is_cut(axes):
    axes.plot([0, 1], [0, 1])
    axes.text(0.98, 0.5, "a name that leaves the figure").set_in_layout(False)
    (line,) = found(axes)
    assert "is cut" in line


@pytest.mark.parametrize("data", [[], [float("nan")]])
def test_a_figure_without_data(axes, data):
    axes.plot(data, data)
    assert found(axes) == ["figure f: it shows no data"]


def test_ticks_out_of_view_are_no_text(axes):
    axes.plot([1e-6, 1], [1, 2])
    axes.set_xscale("log")
    axes.set_xlim(1e-3, 1)
    set_powers(axes.figure)
    assert found(axes) == []


@pytest.mark.parametrize(
    ("formula", "text"),
    [
        (r"$\mathdefault{10^{-3}}$", "10⁻³"),
        (r"$\mathdefault{2\times10^{-12}}$", "2·10⁻¹²"),
        (r"$\mathdefault{-10^{4}}$", "-10⁴"),
        (r"$\mathdefault{0}$", "0"),
        ("a price in $", "a price in $"),
        ("", ""),
    ],
)
def test_powers_in_letters(formula, text):
    assert plain_power(formula) == text


def test_no_axis_shows_a_formula(axes):
    axes.loglog([1e-3, 1e3], [2e-2, 3e-2])
    set_powers(axes.figure)
    axes.figure.draw_without_rendering()
    labels = [t.get_text() for t in (*axes.get_xticklabels(), *axes.get_yticklabels(minor=True))]
    assert "10⁻²" in labels
    assert not any("$" in label for label in labels)
