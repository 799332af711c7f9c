"""Measuring: the one ruler for errors, the one clock for seconds."""
