"""Surrogates of families on the command line: made by `train`, asked by `evaluate`."""

from __future__ import annotations

import math
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from base.errors import UserError
from bench.cells import family_surrogate
from bench.core.guards.output import file_for, write_whole, written_whole
from bench.core.guards.sizes import check_memory

if TYPE_CHECKING:
    from bench.methods.surrogates.surrogate import Surrogate

CELLS = 12  # per side, of the mesh on which a field is written
QUERIES, REFERENCE = 40, 16  # of a measurement without --mu


def made_surrogate(config: family_surrogate.Config, save: Path | None) -> dict[str, Any]:
    """Make a surrogate, measure it at unseen μ, and save it."""
    from base.progress import StatusLine
    from bench.methods.configurations import part_of
    from bench.methods.surrogates.plan import Plan
    from bench.methods.surrogates.queries import measured
    from bench.methods.surrogates.saving import to_bytes

    check_memory(family_surrogate.needs_bytes(config), "this surrogate", "take fewer --snapshots")
    plan = part_of(config, Plan)
    with StatusLine() as status:
        surrogate, values, _ = measured(plan, config.queries, config.reference, status.say)
    if save is not None:
        write_whole(save, to_bytes(surrogate))
    return values


def evaluated_family(file: Path, mu: str | None, vtu: Path | None) -> dict[str, Any]:
    """Ask a saved surrogate for one μ, or measure it at unseen ones."""
    from bench.methods.surrogates.saving import load

    file_for(vtu, "--vtu", ".vtu")
    surrogate = load(file)
    if mu is not None:
        return _asked(surrogate, mu, vtu)
    if vtu is not None:
        raise UserError("--vtu writes the field of one μ; give it with --mu")
    return _measured(surrogate)


def _asked(surrogate: Surrogate, text: str, vtu: Path | None) -> dict[str, Any]:
    """What the surrogate says of one μ; a warning on stderr outside the trained range."""
    try:
        numbers = [float(part) for part in text.split(",")]
    except ValueError:
        raise UserError(f"--mu needs numbers separated by commas, got {text!r}") from None
    mu = surrogate.family.checked(numbers)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        field = surrogate(mu)
    for warning in caught:
        typer.echo(f"warning: {warning.message}", err=True)
    bound = surrogate.bound(mu)
    if vtu is not None:
        _write(vtu, field)
    smallest = surrogate.truth.coefficient(mu).smallest
    l2 = None if bound is None else bound / (math.pi * math.sqrt(2.0 * smallest))
    return {
        "family": surrogate.family.name, "method": surrogate.plan.method, "mu": mu.tolist(),
        "outside": surrogate.family.beyond(mu), "mean": surrogate.mean(mu),
        "energy_bound": bound, "l2_bound": l2,
        "bounded": None if bound is None else f"distance to order {surrogate.plan.order}",
    }  # fmt: skip


def _write(path: Path, field: Any) -> None:
    from fem import meshes
    from fem.meshes import files

    mesh = meshes.cube(CELLS, "hex")
    with written_whole(path) as part:
        files.write_vtu(part, mesh, {}, {"u_h": field(mesh.p[:, mesh.t].mean(axis=1)).T})


def _measured(surrogate: Surrogate) -> dict[str, Any]:
    """Errors over unseen μ and seconds per query."""
    from bench.measure.medians import median
    from bench.methods.surrogates.queries import ruler

    plan = surrogate.plan
    asked = ruler(plan.family, plan.dimension, plan.contrast, REFERENCE, QUERIES)
    errors = asked.errors(surrogate)
    worst, middle = float(errors.max()), median(errors)
    return {"error_worst": worst, "error_median": middle, **asked.seconds(surrogate)}
