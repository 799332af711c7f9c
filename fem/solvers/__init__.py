"""Linear solvers and preconditioners: what turns a load vector into unknowns."""
