"""Spaces on any tetrahedral mesh: lowest and second order, with their potentials."""
