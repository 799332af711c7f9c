"""The main kernels as a share of what the machine can do at best, and their cost against size.

The limit is the larger of two times: that of the memory traffic which cannot be avoided (every
vector read or written once) at the bandwidth measured in this run, and that of the operations which
the algorithm needs at the speed of a large matrix product. One thread.
"""

import numpy as np
import pytest
from turns import slope

GROUP = "limits"


@pytest.fixture
def near_limit(measured, share_of_limit):
    """Times the largest of some calls, by size, and writes its share of the limit; the slope of
    cost against size is that of all."""

    def timed(cost, traffic=None, flops=None, **others):
        size = max(cost)
        turns = measured.in_turns(cost[size], rounds=7, **others)
        measured.info.update(size=size, slope=slope(sorted(cost), cost.__getitem__))
        share_of_limit(turns.median("ours"), traffic=traffic, flops=flops)
        return turns

    return timed


def random_vector(size):
    return np.random.Generator(np.random.Philox(0)).standard_normal(size)


@pytest.mark.parametrize("n", [64], ids=lambda n: f"n{n}")
def test_stencil(near_limit, n):
    """y = A x on Kuhn tetrahedra: one vector read, one written; two operations per entry of A."""
    from fem.solvers.stencil import layout, system_rows
    from fem.spaces.cube.cells import TET_CLASSES, size
    from fem.spaces.cube.tets import KuhnSystem

    cost = {}
    for m in (n // 4, n // 2, n):
        system, x = KuhnSystem(m, float, 1), random_vector(size(m, TET_CLASSES))
        y = np.empty_like(x)
        cost[x.size] = lambda system=system, x=x, y=y: system.apply_dot(x, y)
    dofs = max(cost)
    stencil = system_rows(n).stencil(layout(n, TET_CLASSES))
    inner = stencil.coefficients[:, 13]  # rows away from the boundary
    entries = np.count_nonzero(inner) / TET_CLASSES
    near_limit(cost, traffic=16 * dofs, flops=2 * entries * dofs)


@pytest.mark.parametrize("n", [64], ids=lambda n: f"n{n}")
def test_direction(near_limit, n):
    """p = D r + Π w + β p: r, w and p read, p written; 26 terms of Π for seven edges."""
    from fem.spaces.cube.cells import HEX_CLASSES, TET_CLASSES, size
    from fem.spaces.cube.tets import KuhnSystem

    cost = {}
    for m in (n // 4, n // 2, n):
        system, r = KuhnSystem(m, float, 1), random_vector(size(m, TET_CLASSES))
        p = np.zeros_like(r)
        system.precondition_dot(r)
        cost[r.size] = lambda system=system, r=r, p=p: system.direction(p, r, 0.5)
    dofs = max(cost)
    traffic = 8 * (3 * dofs + size(n, HEX_CLASSES))
    near_limit(cost, traffic=traffic, flops=(2 * 26 / 7 + 4) * dofs)


@pytest.mark.parametrize("n", [64], ids=lambda n: f"n{n}")
def test_transforms(measured, near_limit, n):
    """The hexahedral solve: six passes of sine and cosine transforms and one over the modes.

    A real transform of length N needs about 2.5 N log₂ N operations. For comparison, what
    scipy.fft takes for the same transforms and nothing else.
    """
    from scipy.fft import dct, dst

    from fem.solvers.transforms import solve_hex
    from fem.spaces.cube.cells import HEX_CLASSES, size, split

    cost = {}
    for m in (n // 4, n // 2, n):
        b = random_vector(size(m, HEX_CLASSES))
        cost[b.size] = lambda b=b, m=m: solve_hex(b, m, 1)
    dofs = max(cost)
    parts = split(random_vector(dofs), n, HEX_CLASSES)

    def scipy_alone():
        for kind in (2, 3):
            for along, part in enumerate(parts):
                for axis in range(3):
                    dst(part, kind, axis=axis) if axis == along else dct(part, 1, axis=axis)

    flops = 6 * 2.5 * dofs * np.log2(2 * n)
    turns = near_limit(cost, traffic=7 * 16 * dofs, flops=flops, scipy_alone=scipy_alone)
    measured.target("scipy.fft over ours", turns.ratio("scipy_alone", "ours"), at_least=1)


@pytest.mark.parametrize("net", ["resnet", "fractional"])
@pytest.mark.parametrize("size", ["2-50", "6-50"])
def test_sweeps_of_a_net(near_limit, net, size):
    """Loss and gradient of a net: the products forward, back and for the weights."""
    from nets import build
    from nets.fast.kernel import FastObjective

    hidden, width = map(int, size.split("-"))
    chosen = build(net=net, hidden=hidden, width=width)
    cost = {}
    for rows in (3_000, 6_000, 12_000):
        x, y = random_vector(rows * 7).reshape(-1, 7), random_vector(rows * 3).reshape(-1, 3)
        objective, theta = FastObjective(chosen, x, y), chosen.pack()
        cost[rows] = lambda objective=objective, theta=theta: objective(theta)
    # z = W y, dW = g yᵀ and φ = Wᵀ g, the last not for the first layer
    products = 3 * sum(w.numel() for w in chosen.W) - chosen.W[0].numel()
    near_limit(cost, flops=2 * max(cost) * products)


@pytest.mark.parametrize("parameters", [3102], ids=lambda p: f"P{p}")
def test_dense_update(measured, near_limit, parameters):
    """One pass over half of H (P = 3102 is 2-50): read and written once, 8 bytes per entry; an
    update of rank two and a product with it, 8 operations. BLAS needs two passes."""
    from scipy.linalg.blas import dsymv, dsyr2

    from nets.optimizers._inverse_hessian import InverseHessian

    square, g = np.asfortranarray(np.eye(parameters)), random_vector(parameters)

    def blas():
        dsymv(1.0, square, g, lower=1)
        dsyr2(1e-9, g, g, lower=1, a=square, overwrite_a=1)

    cost = {}
    for size in (parameters // 4, parameters // 2, parameters):
        s, H = random_vector(size), InverseHessian(size)
        for _ in range(2):
            H.update(s, s, 1.0, -s, s)
        cost[size**2] = lambda s=s, H=H: H.update(s, s, 1.0, -s, s)
    turns = near_limit(cost, traffic=8 * parameters**2, flops=4 * parameters**2, blas=blas)
    measured.target("BLAS over ours", turns.ratio("blas", "ours"), at_least=1)
