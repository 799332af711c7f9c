"""Data of a trained net for the paper's figures, beyond its errors.

Numbers: how often J and the MSE term rose (E1), the error by each mesh's own quadrature (E3), the
range of u₃ (E7), what pruning does (E2), the time per evaluated point. Arrays: u and u_nn on the
square (−1, 1)² × {0.5} (E6, E7).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from bench.core.plain_values import finite
from bench.measure import norms
from bench.measure.queries import seconds_per_point
from bench.problems import Array, Field

if TYPE_CHECKING:
    from bench.methods.training import Data, TrainedNet
    from nets.module import Network

SQUARE_POINTS = 61  # odd, so that the axis r = 0 is one of them
HEIGHT = 0.5
PRUNE_BELOW = 1e-2
# Rounding changes J by this relative amount even where a step was accepted as a decrease.
ROUNDING = 1e-13


def field_samples(
    trained: TrainedNet, meshes: Iterable[int]
) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """The values and arrays of one net, with samples of its field and of u on the square."""
    from bench.methods.training import error_on_mesh

    data = trained.data
    field = fast_field(trained.net, data)
    low, high = trained.values["u3_min"], trained.values["u3_max"]
    mesh_errors = [finite(error_on_mesh(trained.net, data, n)) for n in meshes]
    values = {
        "loss_increases": increases(trained.arrays["history_J"]),
        "mse_increases": increases(trained.arrays["history_mse"]),
        "mesh_errors": mesh_errors,
        "u3_range": None if low is None or high is None else high - low,
        "seconds_per_point": seconds_per_point(field, data.problem.domain),
        "smooth": data.problem.smooth,
        **pruned(trained.net, data),
    }
    x = square()
    arrays = {"square_u_nn": field(x), "square_u": data.problem.u(x)}
    return values, {name: array.astype(np.float32) for name, array in arrays.items()}


def fast_field(net: Network, data: Data) -> Field:
    """The net as a field of x by the fast path, its inputs f(x) and φ(x) included."""
    from bench.methods.training import predict

    def field(x: ArrayLike) -> Array:
        rows = data.problem.inputs(np.reshape(x, (3, -1)), data.features)
        return np.ascontiguousarray(predict(net, rows).T).reshape(np.shape(x))

    return field


def square() -> Array:
    """(3, m, m) points of (−1, 1)² × {0.5}, edges included."""
    side = np.linspace(-1, 1, SQUARE_POINTS)
    x1, x2 = np.meshgrid(side, side, indexing="ij")
    return np.stack([x1, x2, np.full_like(x1, HEIGHT)])


def increases(history: np.ndarray) -> int:
    """How many recorded steps raised a quantity by more than rounding."""
    known = history[np.isfinite(history)]
    return int((np.diff(known) > ROUNDING * np.abs(known[:-1])).sum())


def pruned(net: Network, data: Data) -> dict[str, Any]:
    """Relative test errors after deleting the layers that τ, or their effect, calls redundant.

    Keys by criterion (`tau`, `change`): the layers deleted, the error after deletion, and after
    solving the last layer again. Empty for the architectures whose layers cannot be deleted.
    """
    from base.errors import UserError
    from bench.methods.training import predict
    from nets.deletion import delete_layers
    from nets.pruning import redundant_layers
    from nets.training.last_layer import solve_last_layer

    found: dict[str, Any] = {}
    for measure in ("tau", "change"):
        try:
            layers = redundant_layers(net, data.x, measure=measure, below=PRUNE_BELOW).layers
            smaller = delete_layers(net, layers)
        except UserError:
            return {}
        after = norms.relative_test_error(predict(smaller, data.x_test), data.y_test)
        solve_last_layer(smaller, data.x, data.y)
        again = norms.relative_test_error(predict(smaller, data.x_test), data.y_test)
        found[f"pruned_{measure}_layers"] = list(layers)
        found[f"pruned_{measure}_error"] = finite(after)
        found[f"pruned_{measure}_error_resolved"] = finite(again)
    return found
