"""Nets that are given an equation and whose hidden weights are drawn, not trained."""
