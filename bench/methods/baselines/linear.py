"""Least squares on all monomials of degree 1..1 in the inputs."""

from bench.methods.baselines._polynomials import polynomial_fit

fit = polynomial_fit(degree=1)
