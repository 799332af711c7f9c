"""Meshes from files, fields to VTU, and every way in which a mesh file can be wrong."""

import os

import meshlane
import numpy as np
import pytest

from bench import problems
from fem import UserError, best_approximation, meshes
from fem.meshes.files import cell_errors, read_mesh, write_vtu


def oriented(mesh):
    """Points (N, 3) and cells (M, 4) with positive volumes, as mesh generators write them."""
    p, t = mesh.p.T, mesh.t.T.copy()
    corners = p[t]
    negative = np.linalg.det(corners[:, 1:] - corners[:, :1]) < 0
    t[negative] = t[negative][:, [0, 1, 3, 2]]
    return p.copy(), t


def save(path, p, t, kind="tetra"):
    meshlane.Mesh(p, [(kind, t)]).write(path)
    return path


@pytest.mark.parametrize("suffix", [".vtu", ".msh", ".mesh"])
def test_a_mesh_survives_the_file(tmp_path, suffix):
    p, t = oriented(meshes.cube(3))
    stray = np.vstack([p, [[9.0, 9.0, 9.0]]])  # a point without cells, as CAD leaves them
    mesh = read_mesh(save(tmp_path / f"cube{suffix}", stray, t))
    assert mesh.p.shape[1] == len(p)
    field = problems.helix
    ours, cube = (best_approximation(field.u, field.curl_u, mesh=m) for m in (mesh, meshes.cube(3)))
    assert ours.l2_error == pytest.approx(cube.l2_error, rel=1e-6)


def test_kuhn_meshes_with_cells_of_either_orientation_are_fine(tmp_path):
    mesh = meshes.cube(2)
    assert read_mesh(save(tmp_path / "kuhn.vtu", mesh.p.T, mesh.t.T)).t.shape == mesh.t.shape


def damaged(change):
    p, t = oriented(meshes.cube(2))
    return change(p, t)


def flat(p, t):
    p[t[5, 0]] = p[t[5, 1:]].mean(axis=0)
    return p, t


def swapped(p, t):
    t[7] = t[7, [1, 0, 2, 3]]
    return p, t


def folded(p, t):
    """The node in the middle is pulled out through a wall: cells overlap."""
    p[np.all(p == 0.5, axis=1)] = [1.5, 0.5, 0.5]
    rng = np.random.default_rng(0)
    return p, np.array([rng.permutation(cell) for cell in t])  # no orientation to go by


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (flat, "degenerate cells"),
        (swapped, "1 inverted cells, the first is cell 7"),
        (folded, "inverted cells"),
        (lambda p, t: (p * 1e-9, t), "check its unit"),
        (lambda p, t: (p * 1e9, t), "check its unit"),
    ],
)
def test_bad_geometry_is_named(tmp_path, change, message):
    with pytest.raises(UserError, match=message):
        read_mesh(save(tmp_path / "bad.vtu", *damaged(change)))


def test_files_without_tets_or_without_a_mesh(tmp_path):
    p, t = oriented(meshes.cube(1))
    with pytest.raises(UserError, match="no tetrahedra, only triangle"):
        read_mesh(save(tmp_path / "surface.vtu", p, t[:, :3], "triangle"))
    (tmp_path / "text.vtu").write_text("not a mesh")
    with pytest.raises(UserError, match="cannot read"):
        read_mesh(tmp_path / "text.vtu")
    (tmp_path / "text.unknown").write_text("not a mesh")
    with pytest.raises(UserError, match="cannot read"):
        read_mesh(tmp_path / "text.unknown")
    with pytest.raises(UserError, match="no mesh file"):
        read_mesh(tmp_path / "missing.msh")


@pytest.mark.parametrize(
    ("element", "order", "kind", "points"),
    [("N0", None, "tetra", 4), ("N1", None, "tetra10", 10), ("hexP", 2, "hexahedron", 8)],
)
def test_a_vtu_holds_the_field_cell_by_cell(tmp_path, element, order, kind, points):
    field = problems.helix
    solution = best_approximation(field.u, field.curl_u, 2, element=element, order=order)
    mesh = meshes.cube(2, "hex" if element == "hexP" else "tet")
    error = cell_errors(mesh, solution, field.u)
    path = tmp_path / "field.vtu"
    write_vtu(path, mesh, {"u_h": solution, "phi": field.phi}, {"error": error}, element == "N1")
    content = meshlane.read(path)
    assert [block.type for block in content.cells] == [kind]
    cells = content.cells[0].data
    assert cells.shape == (mesh.t.shape[1], points)
    assert len(np.unique(cells)) == cells.size  # no point is shared: the field may jump
    u_h = content.point_data["u_h"]
    assert np.allclose(u_h[cells[0, 0]], solution(content.points[cells[0]].mean(axis=0)), atol=1)
    inner = 0.999 * content.points + 0.001 * content.points[cells].mean(axis=1)[_owner(cells)]
    assert np.allclose(u_h, solution(inner.T).T, atol=0.02)
    assert np.allclose(content.point_data["phi"], field.phi(content.points.T), atol=1e-7)
    assert np.allclose(content.cell_data["error"][0], error)
    assert np.sqrt((error**2).sum()) == pytest.approx(solution.l2_error, rel=1e-3)
    assert _volumes(content).min() > 0


def _owner(cells):
    owner = np.empty(cells.size, dtype=int)
    owner[cells.ravel()] = np.repeat(np.arange(len(cells)), cells.shape[1])
    return owner


def _volumes(content):
    """Signed volumes by VTK's vertex order: its first corner and the three next to it."""
    neighbours = [0, 1, 3, 4] if content.cells[0].type == "hexahedron" else [0, 1, 2, 3]
    corners = content.points[content.cells[0].data[:, neighbours]]
    return np.linalg.det(corners[:, 1:] - corners[:, :1])


def test_bricks_are_drawn_as_the_hexahedra_they_are():
    """A box of any grid, and an L of bricks without the one that is missing."""
    from fem import meshes
    from fem.spaces.bricks.axis import Axis
    from fem.spaces.bricks.mesh import BrickMesh

    axes = tuple(Axis.of(np.array(b), 1) for b in ([0, 0.1, 1], [0, 2.0, 3], [0, 1.0]))
    active = np.ones((2, 2, 1), bool)
    active[1, 0] = False
    drawn = meshes.drawable(BrickMesh.of(axes, active))
    assert drawn.t.shape == (8, 3)
    middle = drawn.p[:, drawn.t].mean(axis=1)
    expected = {(0.05, 1.0, 0.5), (0.05, 2.5, 0.5), (0.55, 2.5, 0.5)}
    assert {tuple(np.round(m, 12).tolist()) for m in middle.T} == expected
    assert meshes.drawable(drawn) is drawn


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.inp", "*NODE\n* include, INPUT=pipe\n"),
        ("a.foam", ""),
        ("a.xdmf", '<Xdmf><DataItem Format="Binary">/dev/zero</DataItem></Xdmf>'),
        ("a.xmf", "<Xdmf><DataItem format = 'HDF'>other.h5:/x</DataItem></Xdmf>"),
    ],
)
def test_a_mesh_that_names_other_files_is_refused(tmp_path, name, text):
    """They would be opened whatever they are, and a pipe is waited for."""
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / name).write_text(text)
    with pytest.raises(UserError, match="refers to other files"):
        read_mesh(tmp_path / name)


def test_the_second_file_of_a_mesh_in_two_is_looked_at_too(tmp_path):
    (tmp_path / "a.node").write_text("4 3 0 0\n")
    os.mkfifo(tmp_path / "a.ele")
    with pytest.raises(UserError, match="not a regular file"):
        read_mesh(tmp_path / "a.node")
