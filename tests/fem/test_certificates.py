"""The theorems behind error bounds, against closed forms and independent computations."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
import torch
from numpy.polynomial import legendre
from scipy.interpolate import BarycentricInterpolator
from scipy.linalg import eigh

from base.errors import UserError
from bench import domains, problems
from bench.domains.prism import CAPS, DIRICHLET, NEUMANN
from fem.boundary_value import BoundaryValueProblem, Natural, solve_boundary_value, trace_of
from fem.certificates import bounds as theorems
from fem.certificates import constants, elements, recovery, waves
from fem.certificates.between import NODES, besides_interpolation
from fem.certificates.constants import Constants, PhiBounds
from fem.certificates.coons import Mismatch, gauss_line
from fem.certificates.eigenvalues import INTERPOLATION, counted, inertia, laplace_bounds
from fem.certificates.elements import certify_bricks, element_norms
from fem.certificates.geometry import Constant, Geometry
from fem.certificates.jets import SECOND, curl, curl_curl
from fem.certificates.own import certify_own
from fem.certificates.raviart_thomas import RaviartThomas
from fem.certificates.residuals import own_norms
from fem.certificates.rules import prism_rules
from fem.certificates.settling import settle
from fem.spaces.bricks.axis import Axis
from fem.spaces.bricks.tensor import Grid, values
from fem.spaces.bricks.tensor import curl as tensor_curl

pi = np.pi
L_SHAPE = ((-1, -1), (-1, 0), (0, 0))
CUBE = domains.get("cube").geometry()
PRISM = domains.get("prism").geometry(CAPS)
UNIT = PhiBounds(constant=True)
NATURAL = type("N", (), {"normal": lambda x, n: 0 * x[0], "curl": lambda x, n: 0 * x})


class Waves:
    """Σ amplitude · Π_k sin or cos(ω_k x_k + shift), with all derivatives."""

    def __init__(self, terms):
        self.terms = terms  # (component, amplitude, (ω, shift) per axis): Π sin(ω x + shift)

    def jets(self, x, order):
        wanted = [(0, 0, 0)]
        if order != "value":
            wanted += [tuple(int(j == a) for a in range(3)) for j in range(3)]
        if order == "second":
            wanted += [tuple(int(j == a) + int(k == a) for a in range(3)) for j, k in SECOND]
        out = np.zeros((len(wanted), 3, x.shape[1]))
        for component, size, factors_ in self.terms:
            for channel, orders in enumerate(wanted):
                factors = [
                    w**m * np.sin(w * x[k] + s + m * pi / 2)
                    for k, ((w, s), m) in enumerate(zip(factors_, orders, strict=True))
                ]
                out[channel, component] += size * np.prod(factors, axis=0)
        return out


SIN, ONE = (pi, 0.0), (0.0, pi / 2)
EIGENFIELD = Waves([(0, 1.0, (ONE, SIN, SIN))])  # curl curl = 2π², no tangential trace
GRADIENT = Waves(
    [(d, 1.0, tuple((pi, pi / 2 if k == d else 0.0) for k in range(3))) for d in range(3)]
)


def zero_problem(**more):
    """u = 0: a field is then its own error."""
    nothing = np.zeros_like
    data = {"phi": lambda x: np.ones(x.shape[1:]), "grad_phi": nothing} | more
    return BoundaryValueProblem(f=nothing, g=lambda x, n: np.zeros_like(x), **data)


def norm(field, rule):
    return np.sqrt(rule.weights @ (field.jets(rule.points, "value")[0] ** 2).sum(axis=0))


@pytest.mark.parametrize(("field", "name"), [(EIGENFIELD, "curl"), (GRADIENT, "friedrichs")])
def test_the_l2_bound_is_attained_so_that_a_smaller_constant_is_wrong(field, name):
    norms = own_norms(field, zero_problem(), CUBE, 1, "own")
    C = Constants.of(CUBE, UNIT)
    assert theorems.l2_bound(norms, C) == pytest.approx(norms["value"], rel=1e-9)
    smaller = {**vars(C), name: 0.99 * getattr(C, name)}
    assert theorems.l2_bound(norms, Constants(**smaller)) < 0.995 * norms["value"]


def test_the_energy_bound_is_attained_too():
    norms = own_norms(EIGENFIELD, zero_problem(), CUBE, 1, "own")
    energy = np.sqrt(2) * pi * norms["value"]
    assert theorems.energy_bound(norms, Constants.of(CUBE, UNIT)) == pytest.approx(energy, rel=1e-9)


def some_waves(seed):
    rng = np.random.default_rng(seed)
    terms = [
        (
            int(rng.integers(3)),
            rng.normal(),
            tuple(zip(rng.uniform(-3, 3, 3), rng.uniform(0, 6, 3), strict=True)),
        )
        for _ in range(4)
    ]
    return Waves(terms)


@pytest.mark.parametrize("seed", range(6))
def test_bounds_exceed_the_error_of_arbitrary_fields_on_the_cube(seed):
    """φ varies and the field satisfies nothing; for u = 0 it is its own error."""
    helix = problems.helix
    problem = zero_problem(phi=helix.phi, grad_phi=helix.grad_phi)
    phi = PhiBounds(minimum=helix.phi_min, slope=helix.phi_slope)
    field = some_waves(seed)
    found = certify_own(field, problem, CUBE, phi)
    rule = prism_rules(((0, 0),), 2)
    assert norm(field, rule.volume) <= found.l2_bound
    assert found.energy_norm <= found.energy_bound
    assert found.doubt is None
    assert found.reason() is not None  # it says nothing of u = 0


@pytest.mark.parametrize("sigma", ["own", "zero"])
@pytest.mark.parametrize("seed", range(3))
def test_bounds_exceed_the_error_of_arbitrary_fields_on_the_prism(seed, sigma):
    problem = zero_problem(natural=NATURAL)
    norms = own_norms(some_waves(seed), problem, PRISM, 2, sigma)
    assert norms["value"] <= theorems.l2_bound(norms, Constants.of(PRISM, UNIT))


BOX = Geometry(  # the unit cube as a prism with natural ends: μ_N = π², μ_D = 2π²
    maxwell=Constant(1 / pi, "exact"), friedrichs=Constant(1 / (pi * 2**0.5), "exact"),
    centre=(0.5, 0.5, 0.0), scale=(1.0, 1.0, 0.0), reach=0.5**0.5, caps=2 * pi**2,
    rules=lambda level, edge: prism_rules(((0, 0),), level, edge),
)  # fmt: skip


def box_wave(k, C):
    """u = 0, σ = 0 and v = sin(πx₁) cos(kπx₃) e₂: its norm and its part of the bound."""
    z, w = np.polynomial.legendre.leggauss(20)
    x, weights = np.meshgrid((z + 1) / 2, [0.5], (z + 1) / 2, indexing="ij"), w / 2
    weights = weights[:, None, None] * weights
    curl_v = np.stack([
        k * pi * np.sin(pi * x[0]) * np.sin(k * pi * x[2]),
        np.zeros_like(x[0]),
        pi * np.cos(pi * x[0]) * np.cos(k * pi * x[2]),
    ])  # fmt: skip
    parts = waves.Waves(len(C.waves) - 1)
    parts.inside(curl_v, np.zeros_like(curl_v), np.zeros((2, 20, 1, 2)), weights, x[2][0, 0])
    norms = {name: square**0.5 for name, square in parts.total().items()}
    norm = 0.5 if k else 0.5**0.5
    return norm, theorems.l2_bound(norms | dict.fromkeys(theorems.NORMS, 0.0), C)


@pytest.mark.parametrize("k", range(constants.FIRST_WAVES + 1))
def test_each_wave_along_a_prism_attains_its_constant(k):
    """Eigenvalues of the box by separation: π² + k²π²; a smaller constant is too small."""
    C = Constants.of(BOX, UNIT)
    norm, bound = box_wave(k, C)
    assert bound == pytest.approx(norm, rel=1e-9)
    smaller = [replace(c, curl=(0.99 if i == k else 1) * c.curl) for i, c in enumerate(C.waves)]
    assert box_wave(k, replace(C, waves=tuple(smaller)))[1] < 0.995 * norm


def test_later_waves_share_the_constant_of_the_first_of_them():
    C = Constants.of(BOX, UNIT)
    norm, bound = box_wave(constants.FIRST_WAVES + 2, C)
    assert norm < bound < 2 * norm
    assert Constants.of(BOX, PhiBounds()).waves == ()  # φ may jump


def prism_modes(k, n=5):
    """Eigenvalues of curl curl on fields of mode k over the unit square, by products of sines and
    cosines; gradients are those with eigenvalue 0."""
    found = []
    for i in range(n):
        for j in range(n):
            kappa = pi * np.array([i, j, k])
            nonzero = [j > 0, i > 0, i > 0 and j > 0 and k > 0]
            keep = [d for d, there in enumerate(nonzero) if there]
            A = (kappa @ kappa) * np.eye(3) - np.outer(kappa, kappa)
            found += list(np.linalg.eigvalsh(A[np.ix_(keep, keep)])) if keep else []
    return [value for value in found if value > 1e-9]


@pytest.mark.parametrize("k", range(4))
def test_constants_of_waves_are_those_of_separated_eigenvalues(k):
    lowest = Constants.of(BOX, UNIT).waves[k].curl ** -2
    assert lowest == pytest.approx(min(prism_modes(k)), rel=1e-12)


@pytest.mark.parametrize("phi", [1.0, 2.0])
@pytest.mark.parametrize("first", [1, 2, 4])
def test_waves_have_the_constant_of_a_line_on_natural_ends(first, phi, monkeypatch):
    """−φw″ = z, w′ = 0 at both ends: Green's function without its first waves, at the ends."""
    monkeypatch.setattr(constants, "FIRST_WAVES", first)
    n = 400
    z, weight = np.polynomial.legendre.leggauss(n)
    z, weight = (z + 1) / 2, weight / 2
    # G(t, 0) = 1/3 − t + t²/2 has mean 0 and G(t, 1) = G(1 − t, 0)
    G = np.stack([1 / 3 - z + z**2 / 2, 1 / 3 - (1 - z) + (1 - z) ** 2 / 2]) / phi
    gone = waves.cosines(first, z)
    G = G - (G * weight) @ gone.T @ gone
    largest = np.sqrt(np.linalg.eigvalsh((G * weight) @ G.T)[-1])
    natural = Constants.of(PRISM, PhiBounds(minimum=phi, constant=True)).waves[-1].natural
    assert natural == pytest.approx(largest, rel=1e-6)


def test_parts_along_waves_are_fourier_coefficients():
    """r = 3 + cos 2πx₃ + x₁ cos 9πx₃ on (0, 1)²; 0.5 at both ends is added to even waves only."""
    z, w = np.polynomial.legendre.leggauss(40)
    z, w = (z + 1) / 2, w / 2
    x, y = np.meshgrid(z, z, indexing="ij")
    r = 3 + np.cos(2 * pi * y) + x * np.cos(9 * pi * y)
    found = waves.squares(r, np.outer(w, w), waves.cosines(4, z))
    assert found == pytest.approx([9, 0, 0.5, 0, 1 / 6], abs=1e-12)
    ends = np.full((40, 2), 0.5) @ waves.cosines(4, waves.ENDS).T
    more = waves.squares(r, np.outer(w, w), waves.cosines(4, z), ends)
    even = [(3 + 1) ** 2, 0, (0.5**0.5 + 2**0.5) ** 2, 0, 1 / 6]
    assert more == pytest.approx(even, abs=1e-12)
    late = waves.squares(3 + 1e-10 * np.cos(9 * pi * y), np.outer(w, w), waves.cosines(4, z))[-1]
    assert late == pytest.approx(0.5e-20, rel=1e-3)


@pytest.mark.parametrize("which", ["cube", "prism"])
def test_rellichs_identity_holds(which):
    """∫_Γ φ|b|² m·n − 2φ(m·b)(b·n) against the volume, for any b without divergence."""
    geometry = CUBE if which == "cube" else PRISM
    rules = prism_rules(((0, 0),) if which == "cube" else L_SHAPE, 2)
    phi, slope = problems.helix.phi, problems.helix.grad_phi
    w, scale = some_waves(7), np.array(geometry.scale)[:, None]

    def m(x):
        return scale * (x - np.array(geometry.centre)[:, None])

    def b_and_curl(x):
        J = w.jets(x, "second")
        return curl(J), curl_curl(J)

    edge = 0.0
    for face in (*rules.sides, *rules.ends):
        x, n = face.points, face.normals
        b, _ = b_and_curl(x)
        first = (b**2).sum(0) * geometry.outward(x, n)
        edge += face.weights @ (phi(x) * (first - 2 * (m(x) * b).sum(0) * (b * n).sum(0)))
    x = rules.volume.points
    b, cc = b_and_curl(x)
    curl_s = np.cross(slope(x), b, axis=0) + phi(x) * cc
    inside = (phi(x) * scale.sum() - (m(x) * slope(x)).sum(0)) * (b**2).sum(0)
    inside -= 2 * phi(x) * (scale * b**2).sum(0)
    inside -= 2 * (b * np.cross(m(x), curl_s, axis=0)).sum(0)
    assert edge == pytest.approx(rules.volume.weights @ inside, rel=1e-9)


def test_the_trace_constant_holds_and_is_not_far_from_what_is_attained():
    """s = curl of the eigenfield: ‖(m·n)^½ s‖ on the boundary against ‖curl s‖ = 2π² ‖w‖."""
    rules = prism_rules(((0, 0),), 2)
    square = sum(
        face.weights @ (0.5 * (curl(EIGENFIELD.jets(face.points, "first")) ** 2).sum(0))
        for face in (*rules.sides, *rules.ends)
    )
    ratio = np.sqrt(square) / (2 * pi**2 * norm(EIGENFIELD, rules.volume))
    assert 0.3 * Constants.of(CUBE, UNIT).trace < ratio <= Constants.of(CUBE, UNIT).trace


@pytest.mark.parametrize("name", ["cube", "prism", "fichera"])
def test_the_vector_field_of_a_domain_points_outwards_and_stays_within_reach(name):
    domain = domains.get(name)
    geometry = domain.geometry(CAPS if name == "prism" else ())
    x, rim = domain.sample(4000, 0), domain.sample_boundary(4000, 0)
    m = np.array(geometry.scale)[:, None] * (x - np.array(geometry.centre)[:, None])
    assert np.linalg.norm(m, axis=0).max() <= geometry.reach
    outward = geometry.outward(rim.x, rim.normal)
    natural = abs(rim.normal[2]) > 0.5 if name == "prism" else np.zeros(4000, bool)
    assert outward[~natural].min() > 0.49
    assert not outward[natural].any()


def test_natural_faces_have_the_constant_of_the_hyperbolic_cosine():
    """sup ‖q‖²/‖∇q‖² over q = c(x₃) e(x₁, x₂), -Δe = μ e, attained by cosh."""
    mu, t = DIRICHLET, np.linspace(0, 1, 20001)
    c = np.cosh(np.sqrt(mu) * (t - 0.5))
    energy = np.trapezoid(np.gradient(c, t) ** 2 + mu * c**2, t)
    attained = np.sqrt((c[0] ** 2 + c[-1] ** 2) / energy)
    assert Constants.of(PRISM, UNIT).normal == pytest.approx(attained, rel=1e-4)


# ------------------------------------------------------------ eigenvalues


def test_crouzeix_raviart_bounds_are_below_the_eigenvalues_of_the_square():
    dirichlet, neumann = laplace_bounds(((0, 0),), 16)
    assert 0.98 * 2 * pi**2 < dirichlet < 2 * pi**2
    assert 0.99 * pi**2 < neumann < pi**2


def test_the_interpolation_constant_is_above_the_best_one():
    """max ‖w‖²/‖∇w‖² over polynomials on the right triangle with mean value zero on its edges."""
    t, weight = legendre.leggauss(14)
    t, weight = (t + 1) / 2, weight / 2
    x, y = (t[:, None] * np.ones(14)).ravel(), ((1 - t)[:, None] * t).ravel()
    area = np.outer(weight * (1 - t), weight).ravel()
    powers = [(i, k - i) for k in range(9) for i in range(k + 1)]
    values = np.stack([x**i * y**j for i, j in powers])
    dx = np.stack([i * x ** max(i - 1, 0) * y**j for i, j in powers])
    dy = np.stack([j * x**i * y ** max(j - 1, 0) for i, j in powers])
    edges = np.stack(
        [
            [weight @ (a**i * b**j) for i, j in powers]
            for a, b in ((t, 0 * t), (0 * t, t), (t, 1 - t))
        ]
    )
    free = np.linalg.svd(edges)[2][3:].T
    M, K = (free.T @ (A * area) @ A.T @ free for A in (values, dx))
    K = K + free.T @ (dy * area) @ dy.T @ free
    best = eigh(M, K, eigvals_only=True)[-1]
    assert 0.4 * INTERPOLATION < best < INTERPOLATION


def test_the_prism_has_the_proved_eigenvalues_of_the_l_shape():
    dirichlet, neumann = laplace_bounds(L_SHAPE, 48)
    assert DIRICHLET <= dirichlet < 9.6397239
    assert NEUMANN <= neumann < 1.4756219  # literature


def test_inertia_counts_the_eigenvalues_below_a_shift():
    """Against dense eigenvalues, and an eigenvalue that is claimed too high is refused."""
    rng = np.random.default_rng(0)
    A = sp.csc_matrix(sp.random(40, 40, 0.1, random_state=rng))
    K, M = (A @ A.T).tocsc(), sp.diags(rng.uniform(1, 2, 40)).tocsc()
    exact = eigh(K.toarray(), M.toarray(), eigvals_only=True)
    for shift in (exact[3:-1] + exact[4:]) / 2:
        below, error = inertia(K - shift * M)
        assert below == (exact < shift).sum()
        assert error < 1e-9
    stiff = sp.diags(np.arange(1.0, 31.0)).tocsc()
    assert 2 * (1 - 2e-6) < counted(stiff, sp.eye(30).tocsc(), 2) < 2


# ------------------------------------------------------------ lift, rules, settling


def test_the_lift_has_the_trace_and_the_curl_that_its_formula_says():
    helix, line = problems.helix, gauss_line(18)
    mine = some_waves(3)
    lift = Mismatch(
        (line,) * 3,
        lambda x: mine.jets(x, "value")[0],
        lambda x: curl(mine.jets(x, "first")),
        lambda x, n: np.cross(n, helix.trace(x, n), axis=0),
    )
    D = [[lift._slope(lift.lift[i], j) for j in range(3)] for i in range(3)]
    spectral = np.stack([D[2][1] - D[1][2], D[0][2] - D[2][0], D[1][0] - D[0][1]])
    assert abs(spectral - lift.curl_of_lift).max() < 1e-8 * abs(spectral).max()
    vander = legendre.legvander(2 * line.points - 1, 17)
    at_zero = legendre.legvander(np.array([-1.0]), 17) @ np.linalg.inv(vander)
    for i, axis in ((0, 1), (0, 2), (1, 0), (1, 2), (2, 0), (2, 1)):
        trace = np.moveaxis(np.tensordot(at_zero, lift.lift[i], axes=(1, axis)), 0, axis)
        assert np.allclose(trace, lift.at(i, {axis: 0.0}), atol=1e-8)


@pytest.mark.parametrize("edge", [None, (0.0, 0.0)])
def test_rules_integrate_polynomials_and_reach_singular_edges(edge):
    rules = prism_rules(L_SHAPE, 2, edge)
    x, w = rules.volume.points, rules.volume.weights
    assert w.sum() == pytest.approx(3)
    assert w @ (x[0] ** 2 * x[2]) == pytest.approx(0.5)
    area = sum(face.weights.sum() for face in rules.sides)
    assert area == pytest.approx(8)
    assert sum(f.weights.sum() for f in rules.ends) == pytest.approx(6)
    flux = sum(f.weights @ (f.points * f.normals).sum(0) for f in (*rules.sides, *rules.ends))
    assert flux == pytest.approx(9)  # ∫ x·n = 3 · volume
    if edge:  # |u|² ~ r^(−2/3)
        r = np.hypot(x[0], x[1])
        finest = prism_rules(L_SHAPE, 4, edge).volume
        fine = finest.weights @ np.hypot(*finest.points[:2]) ** (-2 / 3)
        assert w @ r ** (-2 / 3) == pytest.approx(fine, rel=1e-6)


def test_edges_inside_the_base_are_refused():
    with pytest.raises(UserError, match="corner of the base"):
        prism_rules(((0, 0),), 1, (0.5, 0.5))


def test_a_divergent_integral_does_not_settle():
    """∫ 1/r over a face that touches the edge diverges; ∫ r^(−2/3) does not."""

    def computed(power):
        def at(level):
            face = prism_rules(((0, 0),), level, (1.0, 0.0)).sides[1]  # x₁ = 1
            return {"value": float(face.weights @ face.points[1] ** power) ** 0.5}

        return settle(at, lambda norms: {"l2": norms["value"]})

    assert computed(-2 / 3).settled
    assert computed(-2 / 3).levels == 3
    assert computed(-1.0).unsettled == ("value",)
    assert computed(-1.0).levels == 4
    assert not settle(lambda _: {"value": np.inf}, lambda norms: {"l2": norms["value"]}).settled


@pytest.mark.parametrize(("size", "levels"), [(0.9, 4), (1.1, 2)])
def test_a_bound_above_the_norm_of_the_field_that_grows_is_not_pursued(size, levels):
    def at(level):
        return {"value": 1.0, "rest": size + 0.02 * (level - 2)}

    found = settle(at, lambda norms: {"l2": norms["rest"]})
    assert found.levels == levels
    assert found.unsettled == ("rest",)


@pytest.mark.parametrize(("power", "settles"), [(-2 / 3, True), (-1.0, False)])
def test_each_norm_is_tested_alone_so_that_a_small_divergent_share_is_refused(power, settles):
    """A share below 0.1 % of the bound, in a norm of its own or as a part of another."""

    def at(level):
        face = prism_rules(((0, 0),), level, (1.0, 0.0)).sides[1]
        share = 1e-5 * float(face.weights @ face.points[1] ** power)
        return {"value": 1.0, "alone": share**0.5, "part": (1 + share) ** 0.5}

    found = settle(at, lambda norms: {"l2": np.hypot(norms["alone"], norms["part"])})
    assert found.change < 1e-3
    assert found.unsettled == (() if settles else ("alone", "part"))
    assert found.settled == settles


def test_the_allowance_covers_what_a_geometric_series_still_adds():
    """Squares 1 − ρ^k with the largest ratio that is accepted; slower series are refused."""

    def computed(ratio):
        def at(level):
            return {"value": 1.0, "term": (1 - 1e-2 * ratio**level) ** 0.5}

        return settle(at, lambda norms: {"l2": norms["term"]})

    assert computed(0.66).settled
    assert computed(0.66).bounds["l2"] >= 1.0
    assert not computed(0.68).settled


def test_a_lift_without_energy_gives_no_bound_and_says_why():
    """d₁ = x₂^½ on the faces has a surface curl ~ x₂^(−½), which is not square-integrable."""

    def trace(x, n):
        return np.cross(np.stack([np.sqrt(x[1]), 0 * x[0], 0 * x[0]]), n, axis=0)

    data = zero_problem()
    undeclared = certify_own(EIGENFIELD, replace(data, g=trace), CUBE, UNIT)
    assert undeclared.energy_bound is None
    assert "does not settle" in undeclared.no_energy
    assert undeclared.doubt is None  # the L² bound needs no lift
    declared = replace(data, g=trace, singular_edge=(1.0, 0.0))
    found = certify_own(EIGENFIELD, declared, CUBE, UNIT)
    assert found.energy_bound is None
    assert "singular at the edge" in found.reason("energy")


class Harmonic:
    """v = (0, sin πx₁ sinh π(x₃ − ½), 0): curl curl v = 0 and no tangential trace on the sides."""

    def jets(self, x, order):
        a, c = pi * x[0], pi * (x[2] - 0.5)
        s, t = (np.sin(a), pi * np.cos(a), -(pi**2) * np.sin(a)), (np.sinh(c), pi * np.cosh(c))
        out = np.zeros((10, 3, x.shape[1]))
        out[0, 1], out[1, 1], out[3, 1] = s[0] * t[0], s[1] * t[0], s[0] * t[1]
        out[4, 1], out[6, 1], out[9, 1] = s[2] * t[0], s[1] * t[1], -s[2] * t[0]
        return out[: {"value": 1, "first": 4, "second": 10}[order]]


def test_natural_traces_that_are_not_exact_enter_the_energy_bound():
    """u = 0: all that is left of the error is its natural trace on the ends of the prism."""
    norms = own_norms(Harmonic(), zero_problem(natural=NATURAL), PRISM, 2, "own")
    assert norms["flux"] == 0
    assert max(norms["equation"], norms["trace"]) < 1e-10
    rule = prism_rules(L_SHAPE, 2).volume
    energy = np.sqrt(rule.weights @ (curl(Harmonic().jets(rule.points, "first")) ** 2).sum(0))
    C = Constants.of(PRISM, UNIT)
    assert energy < theorems.energy_bound(norms, C) < 10 * energy
    assert theorems.energy_bound(norms, replace(C, natural_energy=0.0)) < 1e-9 * energy
    assert C.natural == pytest.approx(C.curl * C.natural_energy)


# ------------------------------------------------------------ elements


def helix_data():
    helix = problems.helix
    return BoundaryValueProblem(
        f=helix.f, phi=helix.phi, grad_phi=helix.grad_phi, g=trace_of(helix.u), rho=helix.rho
    )


def test_modes_and_sparse_matrices_recover_the_same_fields():
    data = helix_data()
    mesh = domains.get("cube").bricks(2, 2)
    solution = solve_boundary_value(data, mesh=mesh, element="hexP")
    rho = BoundaryValueProblem(f=data.f, phi=data.phi, g=data.g, rho=lambda x: np.sin(x[0]))
    finer = mesh.raised()
    u = finer.split(mesh.embedded(solution.x))
    loads = recovery._Loads(rho, Grid.on(finer), u)
    for box, union in zip(
        recovery._on_box(loads, 0.7, 3.0), recovery._on_union(loads, 0.7, 3.0), strict=True
    ):
        for a, b in zip(box, union, strict=True):
            assert np.allclose(a, b, atol=1e-8 * abs(b).max())


@pytest.mark.parametrize(("n", "order"), [(2, 1), (2, 3), (1, 8)])
def test_element_solutions_are_bounded_within_ten(n, order):
    helix, data = problems.helix, helix_data()
    solution = solve_boundary_value(data, n=n, element="hexP", order=order)
    phi = PhiBounds(minimum=helix.phi_min, slope=helix.phi_slope)
    found = certify_bricks(solution, data, CUBE, phi)
    l2, hcurl = solution.errors(helix.u, helix.curl_u)
    assert l2 < found.l2_bound < 10 * l2
    assert 0.5 * (hcurl**2 - l2**2) < found.energy_bound**2  # φ ≥ ½
    assert found.doubt is None
    assert (found.reason() is None) == (found.relative_l2_bound < 1) == (order > 1)


def test_a_rule_that_is_too_large_is_refused_before_the_work(monkeypatch):
    monkeypatch.setattr(elements, "MOST_POINTS", 1000)
    data = helix_data()
    solution = solve_boundary_value(data, n=1, element="hexP", order=2)
    with pytest.raises(UserError, match=r"million points, .* use a lower order or fewer bricks"):
        certify_bricks(solution, data, CUBE, PhiBounds(minimum=0.5, slope=4.0))


@pytest.mark.parametrize("towards", [0.0, 2.0])
def test_panels_towards_an_edge_integrate_polynomials_of_twice_the_order(towards):
    """As exactly as a plain rule, with fewer points than the order needs in every panel."""
    axis = Axis((0.0, 2.0), (20,))
    rule = elements._rule(axis, towards, 2)
    assert len(rule.points) < elements.DEPTHS[1] * 26
    assert rule.weights.sum() == pytest.approx(2.0, rel=1e-14)
    for k in (1, 19, 20):
        wave = legendre.Legendre.basis(k)(rule.points - 1)
        assert rule.weights @ wave**2 == pytest.approx(2 / (2 * k + 1), rel=1e-12)


@pytest.mark.parametrize("n", [1, 2])
def test_a_polynomial_on_the_prism_leaves_nothing_over(n):
    """u = (x₂x₃², x₁x₃ + x₁², x₁x₂x₃): all residuals vanish, also wave by wave."""
    zero = np.zeros_like

    def u(x):
        return np.stack([x[1] * x[2] ** 2, x[0] * x[2] + x[0] ** 2, x[0] * x[1] * x[2]])

    def curl_u(x):
        return np.stack([x[0] * (x[2] - 1), x[1] * x[2], x[2] - x[2] ** 2 + 2 * x[0]])

    data = BoundaryValueProblem(
        f=lambda x: np.stack([-x[1], x[0] - 2, zero(x[0])]),
        phi=lambda x: np.ones(x.shape[1:]),
        g=trace_of(u),
        rho=lambda x: x[0] * x[1],
        natural=Natural(
            where=lambda x, n: abs(n[2]) > 0.5,
            normal=lambda x, n: (u(x) * n).sum(axis=0),
            curl=lambda x, n: np.cross(curl_u(x), n, axis=0),
        ),
    )
    solution = solve_boundary_value(data, mesh=domains.get("prism").bricks(n, 3), element="hexP")
    found = recovery.recovered(data, solution.space.mesh, solution.x, Constants.of(PRISM, UNIT))
    norms = element_norms(found, data, PRISM, 1, 2)
    assert max(value for name, value in norms.items() if name not in ("value", "energy")) < 1e-7
    wrong = replace(data, natural=replace(data.natural, curl=lambda x, n: 0 * x))
    assert element_norms(found, wrong, PRISM, 1, 2)["equation 0"] > 0.1


def test_values_on_the_ends_complete_the_waves_of_the_equation():
    """With f = 0 and no data on the ends, ∫ ∂₃σ c_k is a value on the ends plus kπ ∫ σ s_k."""
    mesh, rng = domains.get("prism").bricks(1, 2), np.random.default_rng(0)
    mesh = replace(mesh, natural=frozenset({(2, 0), (2, 1)}))
    sigma = mesh.split(rng.normal(size=mesh.grid_dofs))
    nothing = mesh.split(np.zeros(mesh.grid_dofs))
    tau = RaviartThomas(mesh)
    found = recovery.Recovered(mesh, nothing, sigma, tau.split(np.zeros(tau.dofs)))
    norms = element_norms(found, zero_problem(natural=NATURAL), PRISM, 3, 4)
    grid, D = Grid.on(mesh), [axis.derivative for axis in mesh.axes]
    flat = values(tensor_curl([*nothing[:2], sigma[2]], D), grid.curls)
    twist = values(tensor_curl(sigma, D), grid.curls)[2]
    across, z = values(sigma, grid.space), grid.rules[2].points
    w = next(grid.slabs())[2]
    for k in range(4):
        c, s = waves.cosines(4, z)[k], waves.sines(4, z)[k]
        parts = [k * pi * across[1] * s - flat[0] * c, -k * pi * across[0] * s - flat[1] * c]
        length = np.where(w.sum(-1) > 0, w.sum(-1), 1.0)
        square = sum(((r * w).sum(-1) ** 2 / length).sum() for r in [*parts, twist * s])
        assert norms[f"equation {k}"] == pytest.approx(square**0.5, rel=1e-6)


def test_waves_ask_for_a_prism_of_height_one_from_zero():
    """On (0, 1)² × (−½, ½) the curl of sin πx₁ sin πx₃ e₂ would count as a late wave: a bound of
    0.17 for an error of 0.5."""
    mesh, ends = domains.get("prism").bricks(1, 1), frozenset({(2, 0), (2, 1)})
    x, y, z = mesh.axes
    moved, longer = (replace(z, breaks=b) for b in (z.breaks - 0.5, 2 * z.breaks))
    wrong = [
        replace(mesh, natural=frozenset({(2, 0)})),
        *(replace(mesh, axes=(x, y, other), natural=ends) for other in (moved, longer)),
    ]
    for other in wrong:
        sigma, space = other.split(np.zeros(other.grid_dofs)), RaviartThomas(other)
        found = recovery.Recovered(other, sigma, sigma, space.split(np.zeros(space.dofs)))
        with pytest.raises(UserError, match="L × \\(0, 1\\)"):
            element_norms(found, zero_problem(natural=NATURAL), PRISM, 1, 4)


def test_the_horizontal_trace_has_cosines_and_the_vertical_one_sines():
    """2 + cos πx₃ along the side and sin 2πx₃ along the prism, on two bricks of a side."""
    mesh = domains.get("prism").bricks(2, 1)
    faces = [f for f in mesh.essential_faces if (f.axis, f.level, f.brick[1]) == (0, 0, 0)]
    t, w = np.polynomial.legendre.leggauss(12)
    parts = waves.Waves(4)
    for face in faces:
        z = (face.brick[2] + (t + 1) / 2) / 2
        rest = np.zeros((3, 1, 12))
        rest[1, 0], rest[2, 0] = 2 + np.cos(pi * z), np.sin(2 * pi * z)
        parts.side(face, rest, np.array([[1.0]]) * w / 4, z)
    found = parts.total()
    assert len(faces) == 2
    assert [found[f"trace {k}"] for k in range(5)] == pytest.approx([4, 0.5, 0.5, 0, 0], abs=1e-9)


def test_jets_of_a_module_are_those_of_the_net():
    from nets.module import build
    from nets.residuals.by_autograd import module_jets
    from nets.residuals.values import jets

    net = build(net="resnet", hidden=2, width=7, inputs=3, outputs=3, activation="tanh")
    x = np.random.default_rng(0).random((5, 3))
    for order in ("value", "first", "second"):
        assert np.allclose(module_jets(net, x, order), jets(net, x, order), atol=1e-12)
    assert not module_jets(torch.nn.Linear(3, 3).double(), x, "second")[4:].any()


@pytest.mark.parametrize("edge", [None, (0.0, 0.0), (1.0, 0.0)])
def test_polynomials_are_their_own_interpolation_and_steps_are_not(edge):
    """On every panel all polynomials of its nodes are exact; half of a step's height is missed."""
    x = np.random.default_rng(3).uniform([[-1], [-1], [0]], [[1], [1], [1]], (3, 2000))

    def smooth(x):
        return np.stack([x[0] ** 9 * x[1] ** 7 * x[2] ** 9, np.ones_like(x[0])])

    def step(x):
        return np.sign(x[:1] - 0.4703)

    assert abs(besides_interpolation(smooth, x, edge)).max() < 1e-12
    rest = besides_interpolation(step, x, edge)
    near = abs(x[0] - 0.4703) < 0.003
    assert near.sum() > 3
    assert abs(rest[:, near]).max() > 0.3
    assert abs(rest[:, x[0] < 0]).max() < 1e-12


def test_the_interpolation_is_that_of_lagrange():
    factors = (lambda s: np.exp(3 * s), lambda s: np.cos(40 * s), lambda s: 1 / (1 + 50 * s * s))
    t = (legendre.leggauss(NODES)[0] + 1) / 2
    lagrange = [BarycentricInterpolator(t, factor(t)) for factor in factors]

    def product(x, of=factors):
        return np.prod([factor(row) for factor, row in zip(of, x, strict=True)], axis=0)[None]

    x = np.random.default_rng(4).random((3, 5))
    expected = product(x) - product(x, lagrange)
    np.testing.assert_allclose(besides_interpolation(product, x), expected, atol=1e-10)
