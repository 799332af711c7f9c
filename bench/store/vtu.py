"""Fields of finished cells as VTU files, for ParaView: u, the approximation and its error.

A finite-element cell keeps its errors, not its coefficients (at n = 512 these are 7.5 GB): its
field is computed again, on its own mesh, with values at the cells' midpoints, where elements
that jump across faces have exactly one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from bench import problems
from bench.core.guards.output import written_whole
from bench.store.files import StoredResult

Field = Callable[[np.ndarray], np.ndarray]


def write_fields(records: Iterable[StoredResult], folder: Path, n: int) -> list[Path]:
    """One file for each cell that has a field; finite elements up to n cells per side."""
    paths = []
    for record in records:
        for mesh, approximation in fields(record, n):
            paths.append(folder / f"{record.kind}-{record.key}.vtu")
            write_vtu(paths[-1], mesh, record.config["problem"], approximation)
    return paths


def fields(record: StoredResult, n: int) -> Iterator[tuple[Any, Field]]:
    """The mesh and the field of a cell, if it has one."""
    features = record.config.get("features")
    if not isinstance(record.config.get("problem"), str):  # unknown kinds may have any config
        return
    problem = problems.get(record.config["problem"])
    if record.kind == "fem" and record.config["n"] <= n:
        from bench.cells import settings_of
        from bench.methods.finite_elements import Discretisation, approximate
        from fem import meshes

        chosen = Discretisation.of(settings_of("fem", record.config))
        yield meshes.drawable(chosen.mesh_for(problem)), approximate(problem, chosen)
    elif isinstance(features, str) and (weights := record.weights()) is not None:
        from bench.measure.net_fields import net_field
        from nets.storage import load

        size = max(k for k in range(1, n + 1) if problem.domain.offers(k))
        yield problem.domain.mesh(size), net_field(load(weights), problem, features.split(","))


def write_vtu(path: Path, mesh: Any, problem_name: str, approximation: Field) -> None:
    """The approximation at the midpoints; where u is known, u and the error too."""
    from fem.meshes import files

    problem = problems.get(problem_name)
    middle = mesh.p[:, mesh.t].mean(axis=1)
    data = {"u_h": approximation(middle).T}
    if problem.known:
        exact = problem.u(middle).T
        data |= {"u": exact, "error": data["u_h"] - exact}
    with written_whole(path) as part:
        files.write_vtu(part, mesh, {}, data)
