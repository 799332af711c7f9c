"""DeepXDE given the equation of `maxwell`: the same points, weights and size of net as ours.

As its documentation advises for precision: float64, Adam for a third of the time, then L-BFGS.
"""

import os
import time

import numpy as np

from bench import problems

SECONDS_OF_ADAM = 1 / 3
ITERATIONS_PER_STEP = 100


def deepxde_on_maxwell(points, boundary, weight, width, seconds, seed):
    """Trains for so many seconds; returns x ↦ u at points (3, N) and the seconds it took.

    `points` (3, N) lie inside; `boundary` has x, normal and face of points on the boundary.
    """
    os.environ["DDE_BACKEND"] = "pytorch"
    import deepxde as dde
    import torch

    problem = problems.maxwell
    dde.config.set_default_float("float64")
    dde.config.set_random_seed(seed)
    geometry = dde.geometry.Cuboid([0, 0, 0], [1, 1, 1])

    def residuals(x, u):
        """∇φ × curl u + φ (∇ div u − Δu) − f, and div u; φ and ∇φ in closed form."""
        first = [[dde.grad.jacobian(u, x, i=i, j=j) for j in range(3)] for i in range(3)]
        second = {
            (i, j, k): dde.grad.hessian(u, x, component=i, i=j, j=k)
            for i in range(3)
            for j in range(3)
            for k in range(j, 3)
        }

        def D2(i, j, k):
            return second[i, min(j, k), max(j, k)]

        r2 = x[:, 0:1] ** 2 + x[:, 1:2] ** 2
        phi, slope = (r2 + 1) / 2, (x[:, 0:1], x[:, 1:2], torch.zeros_like(r2))
        curl = [first[2][1] - first[1][2], first[0][2] - first[2][0], first[1][0] - first[0][1]]
        f = torch.as_tensor(problem.f(x.detach().numpy().T).T.copy())
        equation = []
        for i in range(3):
            a, b = (i + 1) % 3, (i + 2) % 3
            cross = slope[a] * curl[b] - slope[b] * curl[a]
            curlcurl = sum(D2(j, i, j) for j in range(3)) - sum(D2(i, j, j) for j in range(3))
            equation.append(cross + phi * curlcurl - f[:, i : i + 1])
        return [*equation, first[0][0] + first[1][1] + first[2][2]]

    conditions, weights = [], [1.0] * 4
    for face in range(6):
        on = boundary.face == face
        x = boundary.x[:, on]
        u = problem.u(x)
        for component in range(3):
            if component != face // 2:  # the tangential ones
                values = u[component][:, None]
                conditions.append(dde.icbc.PointSetBC(x.T, values, component=component))
                weights.append(weight * on.sum() / on.size)
    data = dde.data.PDE(
        geometry, residuals, conditions, num_domain=0, num_boundary=0, anchors=points.T
    )
    net = dde.nn.FNN([3, width, width, 3], "tanh", "Glorot uniform")
    net.apply_feature_transform(lambda x: 2 * x - 1)
    model = dde.Model(data, net)
    model.compile("adam", lr=2e-3, loss_weights=weights, verbose=0)
    model.train(iterations=1, display_every=10**9, verbose=0)  # warms up
    start = time.perf_counter()
    _for(dde, model, seconds * SECONDS_OF_ADAM, 10**7)
    dde.optimizers.config.set_LBFGS_options(maxiter=10**6, ftol=0, gtol=0)
    # callbacks, and so the timer, have their turn between steps of so many iterations
    dde.optimizers.config.LBFGS_options["iter_per_step"] = ITERATIONS_PER_STEP
    dde.optimizers.config.LBFGS_options["fun_per_step"] = 2 * ITERATIONS_PER_STEP
    model.compile("L-BFGS", loss_weights=weights, verbose=0)
    _for(dde, model, seconds - (time.perf_counter() - start), None)
    took = time.perf_counter() - start
    return (lambda x: np.asarray(model.predict(np.asarray(x).T), dtype=float).T), took


def _for(dde, model, seconds, iterations):
    """Trains until the time is over."""
    timer = dde.callbacks.Timer(max(seconds, 0.1) / 60)  # in minutes
    limit = {} if iterations is None else {"iterations": iterations}
    model.train(display_every=10**9, callbacks=[timer], verbose=0, **limit)
