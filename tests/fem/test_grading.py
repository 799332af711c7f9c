"""Meshes graded to the singular edge lift the rate of `screen` from one half towards one."""

import math

import numpy as np
import pytest

from bench import problems
from fem import UserError, best_approximation
from fem.meshes.grading import graded_cube


def error(n, exponent, problem=problems.screen):
    """The L² error of N0, with the rules that resolve the edge."""
    return best_approximation(
        problem.u,
        problem.curl_u,
        mesh=graded_cube(n, exponent),
        solver="general",
        singular_edge=problem.singular_edge,
    )


def test_grading_lifts_the_rate_of_screen():
    """By cells per side, which is what a mesh costs; by h it would be 0.97."""
    uniform = [error(n, 1.0).l2_error for n in (6, 12)]
    graded = [error(n, 2.5).l2_error for n in (6, 12)]
    assert 0.5 < math.log2(uniform[0] / uniform[1]) < 0.6
    assert 0.85 < math.log2(graded[0] / graded[1]) < 1.0
    assert graded[1] < 0.75 * uniform[1]


def test_grading_lifts_the_rate_of_the_curl_of_curlsing():
    found = [error(n, 2.5, problems.curlsing).hcurl_error for n in (4, 8)]
    assert math.log2(found[0] / found[1]) > 0.8


def test_the_grid_is_the_stated_one():
    mesh = graded_cube(4, 2.5)
    t = np.arange(5) / 4
    assert np.allclose(np.unique(mesh.p[0]), np.sort(1 - t**2.5))
    assert np.allclose(np.unique(mesh.p[1]), t**2.5)
    assert np.allclose(np.unique(mesh.p[2]), t)
    assert np.allclose(np.unique(graded_cube(4, 2.5, towards=(0.0, 1.0)).p[0]), t**2.5)
    assert np.allclose(np.unique(graded_cube(3, 1.0).p[0]), np.arange(4) / 3)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n": 0}, "at least 1"),
        ({"n": 2, "exponent": 0.5}, r"\[1, 10\]"),
        ({"n": 2, "exponent": float("nan")}, r"\[1, 10\]"),
        ({"n": 2, "towards": (0.5, 0.0)}, "edge of the cube"),
    ],
)
def test_bad_gradings(arguments, message):
    with pytest.raises(UserError, match=message):
        graded_cube(**arguments)
