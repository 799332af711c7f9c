"""Helpers of problems: edge singularities and the reference solution of `fichera`."""
