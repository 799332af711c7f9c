"""Mesh sizes that a domain has: one from a file has few."""

from __future__ import annotations

from bench.problems import Problem


def offered(problem: Problem, sizes: tuple[int, ...]) -> tuple[int, ...]:
    """Those of the sizes for which the problem's domain has a mesh."""
    return tuple(n for n in sizes if problem.domain.offers(n))
