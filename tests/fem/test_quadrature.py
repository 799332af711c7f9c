"""Every rule against closed forms, and against another rule of the same domain."""

from math import factorial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fem import quadrature
from fem.quadrature import Resolution, integrate

SPECTRAL = Resolution(order=20, angle=1, radius=1, height=1)


@pytest.mark.parametrize("degree", range(13))
def test_tetrahedron_is_exact_to_its_degree(degree):
    """∫ x^i y^j z^k over the reference tetrahedron is i! j! k! / (i + j + k + 3)!."""
    rule = quadrature.tetrahedron(degree)
    for i in range(degree + 1):
        for j in range(degree + 1 - i):
            k = degree - i - j
            exact = factorial(i) * factorial(j) * factorial(k) / factorial(degree + 3)
            x, y, z = rule.points
            assert rule.weights @ (x**i * y**j * z**k) == pytest.approx(exact, rel=1e-13)


def test_tetrahedron_is_not_exact_beyond():
    """The test above can fail: an odd rule of degree 3 misses degree 4."""
    x, _, _ = (rule := quadrature.tetrahedron(3)).points
    assert abs(rule.weights @ x**4 / (24 / factorial(7)) - 1) > 1e-4


@given(i=st.integers(0, 7), j=st.integers(0, 7), k=st.integers(0, 7), n=st.integers(1, 3))
def test_gauss_cells_integrate_monomials(i, j, k, n):
    rule = quadrature.on_cells(quadrature.cube(4), n)
    integral = integrate(lambda x: x[0] ** i * x[1] ** j * x[2] ** k, rule)
    assert integral == pytest.approx(1 / ((i + 1) * (j + 1) * (k + 1)), rel=1e-13)
