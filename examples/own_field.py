"""Bring your own field, and have its formulas checked.

A field, its curl and the load as NumPy functions. `femnets.check` compares them with each other by
finite differences and says which formula is wrong; here all of them agree. The picture shows the
field on the plane x₃ = 1/2 and the pointwise error of the element N₁.
"""

import matplotlib.pyplot as plt
import numpy as np

import femnets
from femnets import Problem


def u(x: np.ndarray) -> np.ndarray:
    return np.sin(np.pi * np.stack([x[1], x[2], x[0]]))


def curl_u(x: np.ndarray) -> np.ndarray:
    return -np.pi * np.cos(np.pi * np.stack([x[2], x[0], x[1]]))


def f(x: np.ndarray) -> np.ndarray:  # with φ = 1: curl curl u = π² u
    return np.pi**2 * u(x)


PROBLEM = Problem(name="sines", title="sines", u=u, curl_u=curl_u, f=f)


def figure() -> plt.Figure:
    assert all(verdict.agrees for verdict in femnets.check(PROBLEM))
    solution = femnets.solve(PROBLEM, n=4, element="N1")
    t = np.linspace(0.02, 0.98, 49)
    points = np.stack([*np.meshgrid(t, t), np.full((49, 49), 0.5)])
    exact, found = u(points), solution(points)
    drawn, (left, right) = plt.subplots(1, 2, figsize=(7, 3.2), layout="constrained")
    left.quiver(*points[:2, ::4, ::4], *exact[:2, ::4, ::4])
    left.set(title="u₁, u₂ at x₃ = 1/2", xlabel="x₁", ylabel="x₂", aspect="equal")
    error = np.linalg.norm(found - exact, axis=0)
    shown = right.pcolormesh(t, t, error, cmap="cividis", rasterized=True)
    right.set(title=f"|u_h − u|, N₁, n = 4 (L²: {solution.l2_error:.1e})", aspect="equal")
    drawn.colorbar(shown, ax=right)
    return drawn


if __name__ == "__main__":
    figure()
    plt.show()
