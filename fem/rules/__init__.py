"""Quadrature: on the cube, on the cylinder, on cells, and collapsed onto singular edges."""
