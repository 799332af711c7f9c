"""What a certificate costs, compared with computing the field: nets and elements, one thread."""

import pytest

import femnets
from bench import problems
from bench.cells.solved_net import Config
from bench.methods.certificates.residuals import own
from bench.methods.solving import solve_net

GROUP = "certificates"
NETS = ("maxwell", "helix", "curlsing", "reentrant")
ELEMENTS = {
    "maxwell-p8": ("maxwell", {"n": 1, "order": 8}),
    "helix-n3-p3": ("helix", {"n": 3, "order": 3}),
    "reentrant-layers3": ("reentrant", {"n": 1, "layers": 3, "order": 1}),
}


@pytest.mark.parametrize("name", NETS)
def test_net_by_its_own_residuals(measured, name):
    config = Config(problem=name, hidden=2, width=20, evaluations=150.0)
    solved = solve_net(config)
    field = solved.collocation.field(solved.net)
    own(field, problems.get(name))  # rules and caches
    found = measured.benchmark.pedantic(lambda: own(field, problems.get(name)), rounds=3)
    measured.info["l2_error"] = solved.values["l2_error"]
    measured.info["bound_over_error"] = found.l2_bound / solved.values["l2_error"]
    measured.info["share_of_training"] = found.seconds / solved.values["seconds"]
    assert found.l2_bound >= solved.values["l2_error"]


@pytest.mark.parametrize("case", ELEMENTS)
def test_element_solution_by_recovery(measured, case):
    name, size = ELEMENTS[case]
    solution = femnets.solve(name, element="hexP", **size)
    found = measured.benchmark.pedantic(lambda: femnets.certify(solution, name), rounds=3)
    measured.info["l2_error"] = solution.l2_error
    measured.info["bound_over_error"] = found.l2_bound / solution.l2_error
    measured.info["certify_over_solve"] = found.seconds / solution.total_seconds
    assert found.l2_bound >= solution.l2_error
