"""Surrogates of families: trained once on some μ, asked for others."""
