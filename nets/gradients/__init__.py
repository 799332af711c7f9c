"""Exact gradients by discrete and continuous adjoints, per-layer norms, records, verdicts."""
