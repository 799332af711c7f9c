"""Claims on unseen data: the cube, the outside of the cylinder, u₃, and the comparison with N₀."""

from __future__ import annotations

import math
from functools import partial

from bench.claims.arms import ANY_ORDERING, MAIN, NAMES, TAUS, any_of, arm, combinations, rows
from bench.claims.claim import quoted
from bench.claims.findings import Finding, Untestable, need
from bench.claims.rules import both, count, numbers, smaller
from bench.store.results import Results, StoredResult, median

CYLINDER_IN_CUBE = math.pi / 4  # volume of {r ≤ 1} within the unit cube


def _shallow_nets(results: Results) -> Results:
    return any_of(results, *(arm(hidden=2, **each) for each in combinations(net=NAMES, tau=TAUS)))


def _meshes(results: Results, **where: int) -> Results:
    """Best approximations by N₀ on uniform meshes."""
    return results.select("fem", problem=MAIN, element="N0", solve=False, **where)


def _nets_beat_coarse_fem(results: Results) -> Finding:
    """In every seed the 2-50 nets beat N₀ on one cell; the evidence says up to which h they do."""
    fem, nets = need(_meshes(results).sorted_by("n")), need(_shallow_nets(results))
    coarsest, middle = fem.records[0].values, median(nets.errors())
    beaten = [r.values for r in fem if r.values["l2_error"] > middle]
    reach = f"down to h = {beaten[-1]['h']:.3g} (n = {beaten[-1]['n']})" if beaten else "on no mesh"
    what = (
        f"{{hits}} of {{runs}} beat N₀ at n = {coarsest['n']}; the median net ({middle:.2g}) "
        f"beats N₀ {reach}"
    )
    return count(nets, lambda r: numbers(r, "l2_error")[0] < coarsest["l2_error"], what)


def _comparable_with_fem(results: Results) -> Finding:
    """Is a 2-50 net's error between those of N₀ on the coarsest and the finest of ten meshes?"""
    nets, coarse, fine = _shallow_nets(results), _meshes(results, n=1), _meshes(results, n=10)
    high, low = (need(mesh).records[0].values["l2_error"] for mesh in (coarse, fine))
    what = (
        f"{{hits}} of {{runs}} end between {low:.2g} (n = 10) and {high:.2g} (n = 1); "
        f"{sum(error > high for error in nets.errors())} are worse than one cell"
    )
    return count(nets, lambda r: low <= numbers(r, "l2_error")[0] <= high, what)


# The mean of |u|² over the cylinder: 2 ∫ I₁(r)² r dr = I₁(1)² − I₀(1) I₂(1).
MEAN_SQUARE_U = 0.1475393
GENERALISES_WITHIN = 1.2
SAME_ORDER = 3.0
GENERALISED = (
    f"the held-out MSE is at most {GENERALISES_WITHIN:g} times the training MSE in "
    "{hits} of {runs}"
)
EXTRAPOLATED = (
    f"the rms error outside is at most {SAME_ORDER:g} times that inside in {{hits}} of {{runs}}"
)


def _generalises(record: StoredResult) -> bool:
    """The mean squared error on held-out points of the cylinder against that in training."""
    relative, train = numbers(record, "rel_test_error", "train_mse")
    return relative**2 * MEAN_SQUARE_U / 2 <= GENERALISES_WITHIN * train


def _extrapolates(record: StoredResult) -> bool:
    """Root mean square errors of the parts of the cube outside and inside the cylinder."""
    inside, outside = numbers(record, "l2_error_inside", "l2_error_outside")
    rms = inside / math.sqrt(CYLINDER_IN_CUBE)
    return outside / math.sqrt(1 - CYLINDER_IN_CUBE) <= SAME_ORDER * rms


def _generalise(results: Results) -> Finding:
    nets = _shallow_nets(results)
    return both(
        ("unseen points", count(nets, _generalises, GENERALISED)),
        ("outside the cylinder", count(nets, _extrapolates, EXTRAPOLATED)),
    )


def _flat_in_h(results: Results) -> Finding:
    """The spread of the error of the paper's nets over the quadratures of the meshes n = 2..10."""
    nets = results.select("net", **ANY_ORDERING)
    measured = need([r for r in nets if r.values.get("mesh_errors")])
    spreads = [max(e[1:]) / min(e[1:]) - 1 for e in (r.values["mesh_errors"] for r in measured)]
    return Untestable(
        "a net does not know h, so its error cannot depend on it; what varies is the quadrature: "
        f"over the meshes' rules (n ≥ 2) the error of one net changes by {max(spreads):.1%} at "
        "most",
        tuple(r.key for r in measured),
    )


def _has_small_u3(record: StoredResult) -> bool:
    """max |u₃| within a factor of ten of the root mean square error inside the cylinder."""
    low, high, error = numbers(record, "u3_min", "u3_max", "l2_error_inside")
    rms = error / math.sqrt(CYLINDER_IN_CUBE)
    return 0.1 * rms <= max(abs(low), abs(high)) <= 10 * rms


def _u3_is_small(results: Results) -> Finding:
    nets = results.select("net", **arm(net="fractional", tau="learned", hidden=2))
    return count(
        nets, _has_small_u3, "max |u₃| within a factor of ten of the error in {hits} of {runs}"
    )


claim = partial(quoted, family="training")
MAPS = "Section 7.1, error maps and figure of L² errors"
QUIVERS = "Section 7.1, on the quiver plots"
RESNET, FRACTIONAL = ({"net": net, "hidden": 2} for net in NAMES)
OTHER_INFORMATION = (
    "the elements are given the field, the nets samples of it: different information"
)
WITH_MESHES = "training convergence --preset paper"
CLAIMS = [
    claim(
        name="fractional-smaller-on-the-cube",
        sentence="At 2-50 the Fractional-DNN has a smaller error on the cube than the ResNet.",
        where=MAPS,
        words="“a smaller error on unseen data is achieved with Fractional-DNNs”",
        criterion="l2_error of the Fractional-DNN < that of the ResNet at 2-50, paired seeds",
        declared="2026-11-18 426a811b",
        examine=smaller("l2_error", rows(FRACTIONAL, RESNET, tau=TAUS), along="τ"),
    ),
    claim(
        name="fractional-extrapolates-better",
        sentence="At 2-50 the Fractional-DNN has a smaller error than the ResNet outside the "
        "cylinder, where no samples lie.",
        where=MAPS,
        words="“Fractional-DNNs … extrapolate better than ResNets”",
        criterion="l2_error_outside of the Fractional-DNN < that of the ResNet at 2-50, paired "
        "seeds",
        declared="2026-11-18 9a5d8943",
        examine=smaller("l2_error_outside", rows(FRACTIONAL, RESNET, tau=TAUS), along="τ"),
    ),
    claim(
        name="tau-extrapolates-better",
        sentence="At 2-50 the ResNet with learned τ extrapolates better than with fixed τ.",
        where="Section 7.1, error maps",
        words="“In the ResNet setting, employing the τ-learning framework yields to slightly "
        "better results than fixing τ”",
        criterion="l2_error_outside with τ learned < τ fixed, paired seeds",
        declared="2026-11-18 bb40aa2e",
        examine=smaller(
            "l2_error_outside",
            rows({"tau": "learned", "hidden": 2}, {"tau": "fixed", "hidden": 2}, net=["resnet"]),
        ),
    ),
    claim(
        name="nets-beat-n0-at-large-h",
        sentence="On the coarsest mesh, one cell, the 2-50 nets have a smaller error on the cube "
        "than lowest-order Nédélec elements (N₀).",
        where="Section 7.1, figure of L² errors",
        words="“for the DNN with 2 layers and for large h, the DNN approach gives a better "
        "approximation than the Lowest Order Nédélec space”",
        criterion="l2_error of all 2-50 nets < that of the best approximation on one cell, in most "
        "seeds",
        declared="2026-11-18 cffd45f2",
        domain="cube",
        needs=WITH_MESHES,
        examine=_nets_beat_coarse_fem,
        note=OTHER_INFORMATION,
    ),
    claim(
        name="nets-comparable-with-n0",
        sentence="The 2-50 nets are comparable with lowest-order Nédélec elements (N₀).",
        where="Section 7.1, first paragraph",
        words="“These results are also comparable to the approximation obtained with the finite "
        "element method”",
        criterion="l2_error of all 2-50 nets between those of N₀ at n = 10 and n = 1, in most "
        "seeds",
        declared="2026-11-18 6f679d1f",
        domain="cube",
        needs=WITH_MESHES,
        examine=_comparable_with_fem,
        note=OTHER_INFORMATION,
    ),
    claim(
        name="generalises-to-unseen-data",
        sentence="The nets generalise well to unseen points of the cylinder and to the part of the "
        "cube outside it.",
        where="Section 1",
        words="“The DNNs are shown to generalize well on the unseen data and physical domains.”",
        criterion=f"held-out MSE ≤ {GENERALISES_WITHIN:g} × training MSE, and rms error outside "
        f"the cylinder ≤ {SAME_ORDER:g} × that inside, for all 2-50 nets, each in most seeds",
        declared="2026-11-18 c218283e",
        domain="cylinder and cube outside the cylinder",
        examine=_generalise,
    ),
    quoted(
        name="net-error-flat-in-h",
        sentence="The net's error stays flat as h goes to 0.",
        where="Section 7.1, figure of L² errors",
        words="“as h gets smaller … it is not obvious if the DNN approximation will remain stable. "
        "However, Figure 3 show that the DNN approximation remains stable.”",
        criterion="none: a net does not depend on h; the spread of its error over the meshes' "
        "quadratures is reported instead",
        declared="2026-11-17 34b9c09d",
        needs="training --preset paper",
        examine=_flat_in_h,
    ),
    claim(
        name="u3-of-the-order-of-the-error",
        sentence="The third component, which should vanish, is of the order of the error.",
        where=QUIVERS,
        words="“the constraints violation is of the order of approximation error”",
        criterion="max |u₃| within a factor of ten of the rms error in the cylinder, in most seeds",
        declared="2026-11-18 ce508ab9",
        domain="cylinder",
        examine=_u3_is_small,
    ),
    claim(
        name="resnet-u3-smaller",
        sentence="At 2-50 with learned τ the ResNet keeps u₃ smaller than the Fractional-DNN.",
        where=QUIVERS,
        words="“Meanwhile, ResNet with variable τ achieves better results in this test case.”",
        criterion="max u₃ − min u₃ of the ResNet < that of the Fractional-DNN, paired seeds",
        declared="2026-11-18 819dd9aa",
        examine=smaller(
            "u3_range",
            rows({"net": "resnet"}, {"net": "fractional"}, hidden=[2], tau=["learned"]),
        ),
    ),
]
