"""Nets interpolated into elements: the maps found by asking are the space's own."""

from __future__ import annotations

import numpy as np
import pytest

from bench import problems
from bench.cells.interpolated_net import Config, run
from bench.domains.cube import DOMAIN as CUBE
from bench.methods.collocation.interpolated import Interpolation, interpolant, norm_root, residuals
from bench.methods.finite_elements import Discretisation, approximate


def field(x):
    """Quadratic, with the curl (0, −2 x₁, 1)."""
    return np.stack([0 * x[0], x[0], x[0] ** 2])


def solution(element, n, order=None):
    place = Discretisation(n=n, element=element, order=order, solve=True)
    return approximate(problems.get("maxwell"), place)


@pytest.mark.parametrize(("element", "order"), [("N0", None), ("hexP", 3)])
def test_the_maps_are_those_of_the_space(element, order):
    space = solution(element, 1, order).space
    map_ = Interpolation.into(space)
    x = map_.matrix @ field(map_.points).ravel()
    assert x == pytest.approx(interpolant(space, field), abs=1e-12)
    if element == "hexP":  # the space contains the field: ∫ x₁² + x₁⁴ + 4x₁² + 1
        square = np.linalg.norm(norm_root(space, CUBE, len(x)) @ x) ** 2
        assert square == pytest.approx(1 / 3 + 1 / 5 + 4 / 3 + 1, rel=1e-10)


def test_the_loss_vanishes_at_the_elements_own_solution():
    found = solution("hexP", 1, 2)
    term, map_ = residuals(found, CUBE)
    values = np.column_stack([found(map_.points), np.zeros(3)])
    r = term.test @ (np.einsum("mcin,in->mn", term.A, values) - term.b).ravel()
    assert np.linalg.norm(r) < 1e-9


def test_a_trained_net_has_the_interpolant_of_the_element():
    values = run(Config(element="hexP", n=1, order=2, width=8, evaluations=400.0)).values
    assert values["interpolant_l2_error"] == pytest.approx(values["element_l2_error"], rel=0.05)
    assert values["l2_error"] > 0.2 * values["interpolant_l2_error"]
