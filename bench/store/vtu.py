"""Fields of finished cells as VTU files, for ParaView: u, the approximation and its error.

A finite-element cell keeps its errors, not its coefficients (at n = 512 these are 7.5 GB): its
field is computed again, on its own mesh, with values at the cells' midpoints, where elements
that jump across faces have exactly one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from base.errors import UserError
from bench import problems
from bench.core.guards.output import written_whole
from bench.core.plain_values import finite
from bench.core.plugins import display
from bench.store.files import StoredResult

Field = Callable[[np.ndarray], np.ndarray]


MANIFEST = "manifest.json"


def write_fields(records: Iterable[StoredResult], folder: Path, n: int) -> list[Path]:
    """One file for each cell that has a field, and a manifest that describes them; finite elements
    up to n cells per side."""
    paths, described = [], {}
    for record in records:
        for mesh, approximation in fields(record, n):
            path = folder / f"{readable(record)}.vtu"
            arrays = write_vtu(path, mesh, record.config["problem"], approximation)
            about = {"kind": record.kind, "key": record.key, "config": dict(record.config)}
            described[path.name] = {**about, "arrays": arrays}
            paths.append(path)
    manifest = folder / MANIFEST
    with written_whole(manifest) as part:
        part.write_text(json.dumps(finite(described), indent=1, ensure_ascii=False) + "\n")
    return [*paths, manifest]


def readable(record: StoredResult) -> str:
    """A file name that says what is in it: dipole-N0-n4-solve-1a2b3c, dipole-resnet-2-20-seed0-…"""
    config = record.config
    parts = [display(config["problem"])]
    if record.kind == "fem":
        parts += [config["element"], f"n{config['n']}", "solve" if config.get("solve") else "best"]
        parts += [f"p{config['order']}"] if config.get("order") else []
    else:
        own = config.get("net") or config.get("method") or record.kind
        parts += [display(str(own))]
        parts += [f"{config[name]}" for name in ("hidden", "width") if name in config]
        parts += [f"seed{config['seed']}"] if "seed" in config else []
    return re.sub(r"[^\w-]+", "_", "-".join(map(str, [*parts, record.key[:6]])))


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


def write_vtu(path: Path, mesh: Any, problem_name: str, approximation: Field) -> list[str]:
    """The approximation at the midpoints; where u is known, u and the error; of a boundary-value
    solution on tetrahedra its estimated error per cell. Returns the names of the arrays."""
    from fem.meshes import files

    problem = problems.get(problem_name)
    middle = mesh.p[:, mesh.t].mean(axis=1)
    data = {"u_h": approximation(middle).T}
    if problem.known:
        exact = problem.u(middle).T
        data |= {"u": exact, "error": data["u_h"] - exact}
    data |= estimates(problem, approximation)
    with written_whole(path) as part:
        files.write_vtu(part, mesh, {}, data)
    return [*data]


def estimates(problem: problems.Problem, approximation: Any) -> dict[str, np.ndarray]:
    """η_T of every cell of a boundary-value solution on tetrahedra; empty for other fields."""
    from bench.methods.boundary_value import boundary_value_data
    from fem.boundary_value import BoundaryValueSolution
    from fem.estimator import estimate

    if not isinstance(approximation, BoundaryValueSolution):
        return {}
    try:
        return {"estimate": estimate(boundary_value_data(problem), approximation)}
    except UserError:  # not tetrahedra
        return {}
