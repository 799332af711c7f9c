"""Nédélec finite elements: best approximations of a vector field given as callables."""
