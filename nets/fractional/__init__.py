"""Fractional calculus: memory weights, Caputo derivatives, Mittag-Leffler functions."""
