"""Training: limits, coordinates, history, and the loop that any optimiser runs in."""
