"""Tetrahedral meshes from files, and fields to files: VTU through meshlane.

A field of H(curl) jumps in its normal component, so every cell is written with points of its own
(discontinuous Lagrange: 4 points per tet, 10 for second order, 8 per hexahedron): ParaView then
shows the field as it is, where shared points would average the jump away.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from base.errors import UserError
from fem.meshes import checks
from fem.rules.cell_rules import hex_rules, tet_rules
from fem.spaces import Array, Field, Line

Indices = NDArray[np.integer[Any]]

SMALLEST, LARGEST = 1e-6, 1e6  # extents beyond which the unit is probably wrong
MOST_BYTES = 2**33
# How formats that may name other files do so.
REFERRING = {
    ".inp": re.compile(rb"^\s*\*\s*INCLUDE", re.IGNORECASE | re.MULTILINE),
    ".xdmf": re.compile(rb"Format\s*=\s*[\"'](?!XML)", re.IGNORECASE),
    ".xmf": re.compile(rb"Format\s*=\s*[\"'](?!XML)", re.IGNORECASE),
    ".foam": re.compile(rb""),  # stands for a folder of files
}
ERROR_POINTS = 4  # Gauss points per direction
NUDGE = 1e-9  # towards the cell's centre, so that evaluation at a corner stays in its cell


def read_mesh(path: Path | str) -> Any:
    """Return the checked tetrahedra of a mesh file in any format that meshlane reads."""
    import meshlane
    from skfem import MeshTet

    path = Path(path)
    _check_plain(path)
    _check_alone(path)
    try:
        with contextlib.redirect_stdout(io.StringIO()):  # meshlane prints before it gives up
            content = meshlane.read(path)
    except (Exception, SystemExit) as error:  # its forty readers raise all kinds of errors
        reason = " ".join(str(error).split())[:120] or type(error).__name__
        raise UserError(f"cannot read {path.name} as a mesh: {reason}") from None
    t = _tetrahedra(content, path.name)
    p, t = _used_points(content.points, t)
    if p.shape[0] != 3:
        raise UserError(f"{path.name} has points in {p.shape[0]} dimensions, 3 are needed")
    _check_extent(p, path.name)
    mesh = MeshTet(p, t)
    checks.check(mesh, path.name)
    _check_orientation(p, t, path.name)
    groups = _groups(content)
    return mesh.with_subdomains(groups) if groups else mesh


def _groups(content: Any) -> dict[str, Indices]:
    """The tets of each physical group of a Gmsh file, by its name, or its number without one."""
    tags = content.cell_data.get("gmsh:physical")
    if tags is None:
        return {}
    blocks = [tag for block, tag in zip(content.cells, tags, strict=True) if block.type == "tetra"]
    tag = np.concatenate(blocks)
    names = {
        int(number): name
        for name, (number, dimension) in content.field_data.items()
        if dimension == 3
    }
    return {names.get(int(n), str(n)): np.flatnonzero(tag == n) for n in np.unique(tag) if n > 0}


def _check_plain(path: Path) -> None:
    """Raise a UserError unless the path is a plain file (a pipe would block) of limited size."""
    try:
        about = os.stat(path)
    except (OSError, ValueError):
        raise UserError(f"no mesh file at {path}") from None
    if not stat.S_ISREG(about.st_mode):
        raise UserError(f"{path} is not a regular file; give a mesh file")
    if about.st_size > MOST_BYTES:
        raise UserError(f"{path.name} has {about.st_size} bytes; at most {MOST_BYTES} are read")


def _check_alone(path: Path) -> None:
    """Raise a UserError for a mesh that names other files, which might be pipes or devices."""
    ending = path.suffix.lower()
    if ending in (".node", ".ele"):
        _check_plain(path.with_suffix(".ele" if ending == ".node" else ".node"))
    if ending in REFERRING and REFERRING[ending].search(path.read_bytes()):
        raise UserError(f"{path.name} refers to other files; save the mesh as one file, as .vtu")


def _tetrahedra(content: Any, name: str) -> Indices:
    blocks = [block.data for block in content.cells if block.type == "tetra"]
    if not blocks:
        found = ", ".join(sorted({block.type for block in content.cells})) or "no cells"
        raise UserError(f"{name} has no tetrahedra, only {found}; export it with linear tets")
    return np.concatenate(blocks).T


def _used_points(points: Array, t: Indices) -> tuple[Array, Indices]:
    """Remove points that belong to no tet: they would be nodes without an equation."""
    if t.min() < 0 or t.max() >= len(points):
        raise UserError(f"a cell refers to point {t.max()} of {len(points)}; the file is damaged")
    used, index = np.unique(t, return_inverse=True)
    return np.ascontiguousarray(points[used].T, dtype=float), index.reshape(t.shape)


def _check_extent(p: Array, name: str) -> None:
    extent = float(np.ptp(p, axis=1).max())
    if not np.isfinite(p).all():
        raise UserError(f"{name} has points that are not finite; repair it")
    if not SMALLEST < extent < LARGEST:
        raise UserError(
            f"{name} is {extent:.3g} across, not between {SMALLEST:g} and {LARGEST:g}; "
            "check its unit of length"
        )


def _check_orientation(p: Array, t: Indices, name: str) -> None:
    """Raise a UserError for a few inverted tets; Kuhn meshes have half of each orientation."""
    a, b, c, d = np.moveaxis(p[:, t], 1, 0)
    volume = np.einsum("dc,dc->c", np.cross(b - a, c - a, axis=0), d - a)
    minority = min(np.flatnonzero(volume < 0), np.flatnonzero(volume > 0), key=len)
    if 0 < len(minority) < len(volume) / 3:
        raise UserError(
            f"{name} has {len(minority)} inverted cells, the first is cell {minority[0]}; "
            "orient all cells alike"
        )


def cell_errors(mesh: Any, u_h: Field, u: Field, singular_edge: Line | None = None) -> Array:
    """‖u − u_h‖ in L² of every cell, by Gauss rules on the cells."""
    rules = tet_rules if len(mesh.t) == 4 else hex_rules
    mapping, everything = mesh.mapping(), np.arange(mesh.t.shape[1])
    squares = np.zeros(len(everything))
    for rule in rules(mesh.p, mesh.t, ERROR_POINTS, singular_edge):
        cells = everything[rule.cells]
        for chunk in np.array_split(cells, max(1, len(cells) * len(rule.weights) // 500_000)):
            points = mapping.F(rule.points, tind=chunk)
            weights = abs(mapping.detDF(rule.points, tind=chunk)) * rule.weights
            squares[chunk] = (((u(points) - u_h(points)) ** 2).sum(axis=0) * weights).sum(axis=1)
    return np.sqrt(squares)


def write_vtu(
    path: Path,
    mesh: Any,
    fields: Mapping[str, Field],
    cell_data: Mapping[str, Array] | None = None,
    quadratic: bool = False,
) -> None:
    """Write fields (3, …) → (3, …) or (…) at points of their own for each cell, and `cell_data`,
    one row for each cell.

    `quadratic` adds the midpoints of the edges of tets (for elements of second order).
    """
    import meshlane

    corners, kind = _corners(mesh, quadratic)
    count, cells = corners.shape[1], corners.shape[2]
    centres = corners.mean(axis=1, keepdims=True)
    inside = (corners + NUDGE * (centres - corners)).reshape(3, -1)
    content = meshlane.Mesh(
        corners.reshape(3, -1).T,
        [(kind, np.arange(count * cells).reshape(count, cells).T)],
        point_data={name: np.asarray(field(inside)).T for name, field in fields.items()},
        cell_data={name: [np.asarray(values)] for name, values in (cell_data or {}).items()},
    )
    content.write(path, file_format="vtu")


def _corners(mesh: Any, quadratic: bool) -> tuple[Array, str]:
    """(3, points of a cell, cells) in VTK's order, and VTK's name of the cell."""
    corners = mesh.p[:, mesh.t]
    if len(mesh.t) == 8:
        order = _vtk_hexahedron()
        corners, upside_down = corners[:, order], corners[:, order[4:] + order[:4]]
        a, b, c = (corners[:, k] - corners[:, 0] for k in (1, 3, 4))
        negative = (np.cross(a, b, axis=0) * c).sum(axis=0) < 0
        return np.where(negative, upside_down, corners), "hexahedron"
    volume = np.linalg.det(np.moveaxis(corners[:, 1:] - corners[:, :1], -1, 0))
    corners = np.where(volume < 0, corners[:, [0, 1, 3, 2]], corners)  # VTK wants them positive
    if not quadratic:
        return corners, "tetra"
    edges = [(0, 1), (1, 2), (2, 0), (0, 3), (1, 3), (2, 3)]
    middles = np.stack([(corners[:, a] + corners[:, b]) / 2.0 for a, b in edges], axis=1)
    return np.concatenate([corners, middles], axis=1), "tetra10"


def _vtk_hexahedron() -> list[int]:
    """scikit-fem's vertex at each of VTK's corners: the bottom round, then the top round."""
    from skfem.refdom import RefHex

    order = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1)]
    return [int(np.flatnonzero((corner == RefHex.p.T).all(axis=1))[0]) for corner in order]
