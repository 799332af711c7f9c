"""Figures: pure functions of results. Tests read their axes."""
