"""The surrogates: their names on the command line and in tables."""

METHODS = {
    "rb": "reduced basis",
    "rb-greedy": "reduced basis, greedy",
    "chebyshev": "Chebyshev in μ",
    "polynomial": "polynomials in μ",
    "kernel": "kernel regression in μ",
    "features": "random features in μ",
    "net": "net in μ",
    "space-features": "random features in (x, μ)",
    "space-net": "net in (x, μ), from snapshots",
    "equation-net": "net in (x, μ), from the equation",
}
# Families of methods in figures, where it is not "surrogate".
KINDS = {
    "net": "net", "space-net": "net", "equation-net": "net",
    "features": "untrained net", "space-features": "untrained net",
}  # fmt: skip
