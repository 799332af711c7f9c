"""Domains on which problems are posed: one file each, found by its file name.

A domain knows its meshes, its points inside and on the boundary, its quadrature (graded wherever a
field is singular), and its training part, in which samples for nets are drawn. A file exports
`DOMAIN`; `domains.get("cube")` returns it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from base.errors import UserError, nearest
from base.registry import Registry, declared
from bench.domains.parts.points import Array, Mask, components
from bench.domains.parts.sampling import uniform

if TYPE_CHECKING:  # rules load scipy, which planning does not need
    from fem.certificates.geometry import Geometry
    from fem.rules.polar import Resolution
    from fem.rules.quadrature import Quadrature

Edge = tuple[float, float]  # the line {x₁ = a, x₂ = b}
INTERIOR, BOUNDARY = 2, 3  # streams of a seed; the training part uses () and (1,)
CELLS_PER_BOX = {"tet": 6, "hex": 1}


@dataclass(frozen=True, eq=False)
class Face:
    """A planar part of the boundary: n·x = offset on it, n the outward unit normal."""

    name: str
    normal: Array  # (3,)
    offset: float
    area: float


@dataclass(frozen=True, eq=False)
class BoundaryPoints:
    """Points of the boundary, each with its outward unit normal and the index of its face."""

    x: Array  # (3, N)
    normal: Array  # (3, N)
    face: NDArray[np.int64]  # (N,)


@dataclass(frozen=True, eq=False, kw_only=True)
class Domain:
    """A polyhedron. Subclasses in this folder define the methods that raise here.

    Errors are reported on the parts in `rules`: one called "whole", or several that make up the
    domain and are named in the results (`l2_error_inside`). Samples are drawn in the part called
    `training_part`.
    """

    name: str
    title: str
    volume: float
    faces: tuple[Face, ...] = field(repr=False)
    structured: bool = False  # the unit cube: fem is given {"n": n} and uses its fast solvers
    training_part: str = "whole"

    # ------------------------------------------------------------ points

    def contains(self, x: ArrayLike) -> Mask:
        """Return whether the points (3, ...) lie in the closed domain, as an array (...)."""
        raise NotImplementedError

    def place(self, uniform: Array) -> Array:
        """Map uniform points (3, N) of the unit cube to uniform points of the domain."""
        raise NotImplementedError

    def place_on_face(self, face: int, uniform: Array) -> Array:
        """Map uniform points (2, N) of the unit square to uniform points (3, N) of a face."""
        raise NotImplementedError

    def sample(self, N: int, seed: int, how: str = "random", stream: int = 0) -> Array:
        """Return N points (3, N), uniform in the volume: independent, or quasi-random (Sobol).

        Different seeds and different streams of a seed give different points.
        """
        return self.place(uniform(N, seed, (INTERIOR, stream), how))

    def sample_boundary(
        self,
        N: int,
        seed: int,
        how: str = "random",
        faces: Sequence[str] | None = None,
        stream: int = 0,
    ) -> BoundaryPoints:
        """Return N points, uniform in the area of the boundary or of the named faces."""
        chosen = self.face_indices(faces)
        upto = np.cumsum([self.faces[k].area for k in chosen])
        u = uniform(N, seed, (BOUNDARY, stream), how)
        which = np.searchsorted(upto, u[0] * upto[-1], side="right")
        index = chosen[np.minimum(which, len(chosen) - 1)]
        x = np.empty((3, N))
        for k in np.unique(index):
            x[:, index == k] = self.place_on_face(int(k), u[1:, index == k])
        normals = np.stack([np.asarray(face.normal, float) for face in self.faces], axis=1)
        return BoundaryPoints(x, normals[:, index], index)

    def face_indices(self, names: Sequence[str] | None = None) -> NDArray[np.int64]:
        """Return the indices of the faces with these names; of all faces by default."""
        known = [face.name for face in self.faces]
        for name in names or ():
            if name not in known:
                raise UserError(f"{self.name} has no face {name!r}; {nearest(name, known)}")
        if names is not None and not names:
            raise UserError(f"no face of {self.name} to sample; name one of {', '.join(known)}")
        return np.array([k for k, name in enumerate(known) if names is None or name in names])

    def edge_distance(self, x: ArrayLike) -> Array:
        """Return r, the distance of points (3, ...) from the nearest re-entrant edge."""
        raise UserError(f"{self.name} has no re-entrant edge; leave out the weight r^a")

    def geometry(self, natural: Sequence[str] = ()) -> Geometry:
        """Return the constants behind error bounds, where u × n is given on all but these faces."""
        where = f" with natural conditions on {', '.join(natural)}" if natural else ""
        raise UserError(
            f"no constants are known for {self.name}{where}, so errors cannot be bounded there; "
            "cube, prism (natural ends) and fichera have them"
        )

    # ------------------------------------------------------------ the training part

    def trained_on(self, part: str) -> Domain:
        """Return this domain with the training part of that name."""
        if part != self.name:
            raise UserError(f"{self.name} has no training part {part!r}; leave out training")
        return self

    def in_training(self, x: ArrayLike) -> Mask:
        """Return whether the points lie in the training part."""
        return self.contains(x)

    def sample_training(self, N: int, seed: int, test: bool = False) -> Array:
        """Return N uniform points (3, N) of the training part; those with `test` are independent of
        the training points of every seed."""
        return self.place(uniform(N, seed, (1,) if test else ()))

    def narrowed(self, x: Array, radius: float) -> Array:
        """Move training points into the part within `radius`, so that they stay uniform."""
        if radius != 1.0:
            raise UserError(f"--radius needs a cylinder; {self.name} has none, leave it out")
        return x

    def beyond(self, x: Array, radius: float) -> Mask:
        """Return which points of the training part lie beyond `radius`."""
        return np.zeros(x.shape[1:], bool)

    def training_mesh(self, n: int) -> Any:
        """Return tetrahedra that cover the training part, n cells per unit length."""
        return self.mesh(n)

    def training_cells(self, n: int) -> int:
        """Return the number of cells of `training_mesh`, without making it."""
        return self.cells(n)

    def query_points(self, N: int) -> Array:
        """Return points (3, N), unordered, at which the evaluation of every method is timed."""
        return self.sample(N, 0)

    # ------------------------------------------------------------ quadrature

    def rules(
        self, edges: Sequence[Edge] = (), resolution: Resolution | None = None
    ) -> dict[str, Quadrature]:
        """Return the rules of the parts on which errors are reported, graded to the singular edges.

        Raises a UserError for edges without a rule. `resolution` None means the default.
        """
        raise NotImplementedError

    def mesh_rules(
        self, n: int, cell: str = "tet", degree: int = 6, edges: Sequence[Edge] = ()
    ) -> dict[str, Quadrature]:
        """Return rules of the same parts on the cells of a mesh, for fields smooth on each cell."""
        return {"whole": self.gauss_rule(n, cell, degree, edges)}

    def gauss_rule(
        self, n: int, cell: str = "tet", degree: int = 4, edges: Sequence[Edge] = ()
    ) -> Quadrature:
        """Return the Gauss points of a mesh on the whole domain, graded at the edges only."""
        from fem.rules.on_mesh import on_mesh

        return on_mesh(self.mesh(n, cell), degree // 2 + 1, self.only_edge(edges))

    def only_edge(self, edges: Sequence[Edge]) -> Edge | None:
        """Return the only singular edge or None; several are refused, as rules handle one."""
        if len(edges) > 1:
            raise UserError(
                f"{self.name} has quadrature for one singular edge only, got {len(edges)}"
            )
        return (float(edges[0][0]), float(edges[0][1])) if edges else None

    # ------------------------------------------------------------ meshes

    def offers(self, n: int) -> bool:
        """Return whether there is a mesh of this size for studies."""
        return n >= 1

    def mesh(
        self, n: int, cell: str = "tet", grading: float | None = None, edge: Edge | None = None
    ) -> Any:
        """Return a mesh of n cells per unit length, uniform or with `grading` towards the edge."""
        raise NotImplementedError

    def bricks(self, n: int, order: int, grading: float | None = None) -> Any:
        """Return a mesh of n bricks per unit length, for elements of one order on bricks."""
        raise UserError(f"{self.name} is not made of bricks; use an element on tetrahedra")

    def layered(
        self, layers: int, ratio: float, order: int, n: int = 1, edge: Edge | None = None
    ) -> Any:
        """Return bricks in geometric layers towards the edge, for the hp version."""
        raise UserError(f"{self.name} has no layers of bricks; leave out --layers")

    def cells(self, n: int, cell: str = "tet") -> int:
        """Return the approximate number of cells of `mesh`, without making it."""
        return CELLS_PER_BOX[cell] * math.ceil(self.volume * n**3)


def _made(found: Any, name: str) -> Domain:
    hint = f"{name} declares no DOMAIN = Domain(…) of its name; see bench/domains"
    domain: Domain = declared(found, "DOMAIN", Domain, hint)
    if "@" not in name and domain.name != name:
        raise UserError(hint)
    return domain


REGISTRY: Registry[Domain] = Registry("domain", __name__, _made, group="domains")
get = REGISTRY.get


def names() -> list[str]:
    """Return the names of all domains, that of the paper first."""
    return sorted(REGISTRY.names(), key=lambda name: (name != "cube", name))


__all__ = ["Array", "BoundaryPoints", "Domain", "Edge", "Face", "components", "get", "names"]
