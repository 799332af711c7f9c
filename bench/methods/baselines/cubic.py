"""Least squares on all monomials of degree 1..3 in the inputs."""

from bench.methods.baselines._polynomials import polynomial_fit

fit = polynomial_fit(degree=3)
