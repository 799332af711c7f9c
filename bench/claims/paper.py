"""The paper's printed numbers, and its settings as far as it states them (maths 7)."""

from __future__ import annotations

from dataclasses import dataclass

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


@dataclass(frozen=True)
class Choice:
    """One choice of an experiment: what the paper states, and what is done here."""

    quantity: str
    stated: str  # "" where the paper leaves it open
    ours: str
    varied: str = ""  # where another choice is tried


SETTING = (
    Choice(
        "activation",
        "smoothReLU, η = 1e-4, “a robust choice” (Section 7)",
        "the same",
        "strong_nets: η",
    ),
    Choice(
        "training data",
        "12 000 points of the cylinder by unifrnd and philox (Section 7.1)",
        "12 000, uniform in volume, philox, one data set per seed",
        "sensitivity: weights crossed with data",
    ),
    Choice("test data", "", "12 000 further points of the cylinder"),
    Choice(
        "optimiser",
        "steepest descent, 1000 steps, said of the 5-10 net only",
        "the same for all of its nets",
        "sensitivity; learned_tau; strong_nets",
    ),
    Choice("step length", "", "Armijo's rule, halved on failure, doubled after success"),
    Choice(
        "λ₁, λ₂",
        "0, said of the 5-10 net only; of 6-50 it says that J falls while the MSE rises, which "
        "needs a penalty",
        "0",
        "sensitivity: λ₂, and the table of τ with λ₂ = 1e-3",
    ),
    Choice("β of the bias ordering", "10, said of the 5-10 net", "10 wherever there is B.O."),
    Choice("γ", "", "½", "sensitivity; gradient_atlas"),
    Choice(
        "τ₀ where τ is learned, τ where it is fixed", "", "1", "sensitivity; pruning; learned_tau"
    ),
    Choice(
        "starting weights",
        "",
        "uniform on ±1/√n, biases too (ascending with B.O.)",
        "sensitivity: He's, Xavier's, half the size",
    ),
    Choice(
        "P from the input",
        "P(0→1) = 0 for the ResNet (Section 4); Section 6 leaves P out, as if widths were equal",
        "0 into every layer",
        "sensitivity: the input padded with zeros and carried on",
    ),
    Choice(
        "τ > 0",
        "assumed for the Fractional-DNN; constraints “can be easily incorporated” (Section 5)",
        "kept for the Fractional-DNN, in log τ under steepest descent; a ResNet's τ is free",
    ),
    Choice(
        "meshes", "“10 uniform refinements of the unit cube”", "n = 1..10, and n = 1, 2, 4, …, 512"
    ),
    Choice("number of runs behind a curve", "", "twelve paired seeds", "every study: seeds"),
)
