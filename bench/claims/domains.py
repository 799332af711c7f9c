"""Where an error is measured, in words that tables, axes, captions and facts share."""

from __future__ import annotations

from base.errors import UserError

CYLINDER, RING = "cylinder", "cube outside the cylinder"
TRAINING, TEST = "training samples", "test samples"
PARTS = {"_inside": CYLINDER, "_outside": RING}
SAMPLED = {"train_mse": TRAINING, "rel_test_error": TEST, "u3_range": CYLINDER}


def domain_of(metric: str, problem: str) -> str:
    """`cube`, `cylinder`, `cube outside the cylinder`, `training samples`, …"""
    for suffix, part in PARTS.items():
        if metric.endswith(suffix):
            return part
    return SAMPLED.get(metric) or whole(problem)


def whole(problem: str) -> str:
    """The whole domain of a problem; the problem's name if its file is not here."""
    from bench import problems

    try:
        return str(problems.get(problem).domain.name)
    except UserError:
        return f"domain of {problem}"
