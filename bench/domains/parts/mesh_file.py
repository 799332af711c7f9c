"""A domain read from a mesh file: a polyhedron given by its tetrahedra.

The file's cells are its coarsest mesh, n = 1; n = 2 and 4 halve every edge once and twice. Samples
are drawn in the whole domain, and errors are reported on the whole domain.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from base.errors import UserError
from bench.core.guards.output import temporary_folder
from bench.core.plugin_files import attached
from bench.domains import Array, Domain, Edge, Face, components
from bench.domains.parts.points import Mask

if TYPE_CHECKING:
    from fem.rules.polar import Resolution
    from fem.rules.quadrature import Quadrature

FINEST = 16  # n: four halvings divide each cell into 4096
RULE_POINTS = 60_000  # at most, unless the file itself has more cells
PER_DIRECTION = 3
SAME_PLANE = 1e-7  # relative to the extent of the mesh


def mesh_domain(path: str, title: str = "") -> MeshDomain:
    """Return the domain that the tetrahedra of a file fill; the file lies next to the problem's.

    Any format that meshlane reads: .msh, .vtu, .vtk, .inp, …
    """
    place, data = attached(path)
    from fem.meshes.files import read_mesh

    with temporary_folder() as folder:  # a worker has the bytes but not the original file
        copy = folder / Path(place).name
        copy.write_bytes(data)
        mesh = read_mesh(copy)
    return MeshDomain.of(mesh, Path(place).stem, title or f"read from {Path(place).name}")


@dataclass(frozen=True, eq=False, kw_only=True)
class MeshDomain(Domain):
    """The union of the cells of a tetrahedral mesh."""

    coarsest: Any = field(repr=False)
    triangles: tuple[Array, ...] = field(repr=False)  # of each face: corners (3, 3, triangles)

    @classmethod
    def of(cls, mesh: Any, name: str, title: str) -> MeshDomain:
        faces, triangles = _planes(mesh)
        volume = float(_volumes(mesh).sum())
        return cls(
            name=name, title=title, volume=volume, faces=faces, coarsest=mesh, triangles=triangles
        )

    # ------------------------------------------------------------ points

    @cached_property
    def _locator(self) -> Any:
        from fem.meshes.locate import Locator
        from fem.meshes.tets import Tets

        return Locator.of(Tets.of(self.coarsest))

    def contains(self, x: ArrayLike) -> Mask:
        points = components(x)
        found = self._locator.find(points.reshape(3, -1))[0]
        return (found >= 0).reshape(points.shape[1:])

    def place(self, uniform: Array) -> Array:
        """Choose a cell by its share of the volume, then a point in it by folding the unit cube."""
        cells, first = _chosen(_volumes(self.coarsest), uniform[0])
        s, t, u = _folded(np.stack([first, uniform[1], uniform[2]]))
        a, b, c, d = np.moveaxis(self.coarsest.p[:, self.coarsest.t[:, cells]], 1, 0)
        return np.asarray(a + s * (b - a) + t * (c - a) + u * (d - a))

    def place_on_face(self, face: int, uniform: Array) -> Array:
        corners = self.triangles[face]
        a, b, c = np.moveaxis(corners, 1, 0)
        areas = np.linalg.norm(np.cross(b - a, c - a, axis=0), axis=0)
        chosen, first = _chosen(areas, uniform[0])
        s, t = first, uniform[1]
        over = s + t > 1
        s, t = np.where(over, 1 - s, s), np.where(over, 1 - t, t)
        return np.asarray(a[:, chosen] + s * (b - a)[:, chosen] + t * (c - a)[:, chosen])

    def by_group(self, values: Mapping[str, float]) -> PerGroup:
        """Return a coefficient with one value per physical group of the file: all of them."""
        groups = self.coarsest.subdomains or {}
        if set(values) != set(groups):
            known = ", ".join(groups) or "no groups"
            raise UserError(f"{self.name} has {known}; give each a value, not {', '.join(values)}")
        cells = np.full(self.coarsest.t.shape[1], np.nan)
        for name, value in values.items():
            cells[groups[name]] = value
        if np.isnan(cells).any():
            raise UserError(f"{self.name} has cells without a physical group; name a group for all")
        return PerGroup(self, cells)

    # ------------------------------------------------------------ meshes and quadrature

    def offers(self, n: int) -> bool:
        return n in (1, 2, 4)

    def mesh(
        self, n: int, cell: str = "tet", grading: float | None = None, edge: Edge | None = None
    ) -> Any:
        if cell != "tet":
            raise UserError(f"{self.name} is a mesh of tetrahedra; use --element N0 or N1")
        if grading is not None:
            raise UserError(f"{self.name} is a mesh from a file; leave out --grading")
        halvings = n.bit_length() - 1
        if n != 2**halvings or n > FINEST:
            raise UserError(
                f"{self.name} is a mesh from a file, which n refines by halving: n = 1, 2, 4, … "
                f"{FINEST}, got {n}"
            )
        return self.coarsest.refined(halvings) if halvings else self.coarsest

    def cells(self, n: int, cell: str = "tet") -> int:
        return int(self.coarsest.t.shape[1]) * n**3

    def rules(
        self, edges: Sequence[Edge] = (), resolution: Resolution | None = None
    ) -> dict[str, Quadrature]:
        from fem.rules.on_mesh import on_mesh

        n = 1
        while self.cells(2 * n) * PER_DIRECTION**3 <= RULE_POINTS and n < FINEST:
            n *= 2
        return {"whole": on_mesh(self.mesh(n), PER_DIRECTION, self.only_edge(edges))}


@dataclass(frozen=True, eq=False)
class PerGroup:
    """A function that is constant on each physical group; outside the mesh that of the nearest
    cell."""

    domain: MeshDomain
    values: Array  # of every cell of the file

    def __call__(self, x: ArrayLike) -> Array:
        from scipy.spatial import cKDTree

        points = components(x).reshape(3, -1)
        cell = np.array(self.domain._locator.find(points)[0])
        outside = cell < 0
        if outside.any():
            mesh = self.domain.coarsest
            middle = mesh.p[:, mesh.t].mean(axis=1)
            cell[outside] = cKDTree(middle.T).query(points[:, outside].T)[1]
        return np.asarray(self.values[cell].reshape(components(x).shape[1:]))

    def jumps_near(self, x: Array, distance: float) -> Mask:
        """Return whether the value changes within that distance along an axis."""
        moved = [x + s * distance * e[:, None] for e in np.eye(3) for s in (-1, -0.5, 0.5, 1)]
        return np.any([self(y) != self(x) for y in moved], axis=0)


def _volumes(mesh: Any) -> Array:
    a, b, c, d = np.moveaxis(mesh.p[:, mesh.t], 1, 0)
    return np.abs(np.einsum("dc,dc->c", np.cross(b - a, c - a, axis=0), d - a)) / 6


def _chosen(sizes: Array, u: Array) -> tuple[NDArray[np.int64], Array]:
    """Return for each uniform number the part it falls into and its uniform position in it."""
    upto = np.concatenate([[0.0], np.cumsum(sizes)])
    scaled = u * upto[-1]
    index = np.minimum(np.searchsorted(upto, scaled, side="right") - 1, len(sizes) - 1)
    return index, np.clip((scaled - upto[index]) / sizes[index], 0.0, 1.0)


def _folded(u: Array) -> Array:
    """Map uniform points of the unit cube to uniform points of the reference tetrahedron: order
    statistics cut [0, 1] into four lengths, of which three are coordinates."""
    low, middle, high = np.sort(u, axis=0)
    return np.stack([low, middle - low, high - middle])


def _planes(mesh: Any) -> tuple[tuple[Face, ...], tuple[Array, ...]]:
    """Return the boundary's triangles grouped by plane; the faces are called f0, f1, …"""
    outer = mesh.boundary_facets()
    corners = mesh.p[:, mesh.facets[:, outer]]
    centre = mesh.p[:, mesh.t[:, mesh.f2t[0, outer]]].mean(axis=1)
    a, b, c = np.moveaxis(corners, 1, 0)
    normal = np.cross(b - a, c - a, axis=0)
    normal *= np.sign(np.einsum("dk,dk->k", normal, a - centre))  # away from the cell inside
    size = np.linalg.norm(normal, axis=0)
    normal /= size
    offset = np.einsum("dk,dk->k", normal, a)
    extent = float(np.ptp(mesh.p, axis=1).max())
    keys = np.rint(np.vstack([normal, offset / extent]) / SAME_PLANE / 100).astype(np.int64)
    _, first, plane = np.unique(keys, axis=1, return_index=True, return_inverse=True)
    plane = plane.ravel()
    faces, triangles = [], []
    for k, lead in enumerate(first):
        members = plane == k
        face = Face(f"f{k}", normal[:, lead], float(offset[lead]), float(size[members].sum() / 2))
        faces.append(face)
        triangles.append(corners[:, :, members])
    return tuple(faces), tuple(triangles)
