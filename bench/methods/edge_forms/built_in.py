"""Boundary values at re-entrant edges built into a net by distance factors."""

from __future__ import annotations

from functools import partial, reduce

import numpy as np

from bench.domains import Array
from bench.methods.collocation import operators as op
from bench.methods.collocation.built_in import BuiltIn, no_lift
from bench.methods.edge_forms.geometry import EdgeFace, edge_faces
from bench.problems import Problem


def built_in(problem: Problem) -> BuiltIn:
    """u = factors · net: u × n = 0 on the faces of the edges, whatever the net."""
    return BuiltIn(partial(edge_factors, edge_faces(problem)), no_lift)


def edge_factors(faces: tuple[EdgeFace, ...], x: Array, order: str) -> Array:
    """For u_i the product of the distances from those faces of the edges that e_i is tangential to:
    on the prism d₂, d₁ and d₁ d₂, d₁ the distance from the face x₁ = 0."""
    components = []
    for i in range(3):
        distances = [face.distance(x) for face in faces if face.axis != i]
        components.append(reduce(_product, distances))
    return np.stack(components, axis=1)[: op.CHANNELS[order]]


def _product(a: Array, b: Array) -> Array:
    """The jets of a product of two functions, each (4, N)."""
    return np.concatenate([a[:1] * b[:1], a[1:] * b[:1] + a[:1] * b[1:]])
