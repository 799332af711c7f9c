"""The paper's printed numbers, and its settings as far as it states them (maths 7)."""

from __future__ import annotations

# (net, bias ordering, hidden layers) -> learned τ
TAU: dict[tuple[str, bool, int], tuple[float, ...]] = {
    ("resnet", False, 6): (0.92, 0.95, 0.99, 0.95, 0.92, 0.88),
    ("resnet", True, 6): (0.70, 0.94, 1.00, 0.96, 0.86, 0.70),
    ("fractional", False, 6): (0.59, 0.70, 0.53, 0.34, 0.28, 0.30),
    ("fractional", True, 6): (0.67, 0.80, 0.78, 0.68, 0.44, 0.04),
    ("resnet", False, 2): (0.84, 0.87),
    ("resnet", True, 2): (0.28, 0.51),
    ("fractional", False, 2): (0.94, 0.93),
    ("fractional", True, 2): (0.85, 0.95),
}

# E2: 5-10 ResNet with learned τ and bias ordering, before and after deleting three layers.
PRUNING_REL_TEST_ERROR = 0.07

# E7: range of u₃ in the cylinder, Fractional-DNN with learned τ, 2-50.
U3_RANGE = (-0.0051, 0.0077)
