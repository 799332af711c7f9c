"""Nédélec elements of any order on unions of bricks of a tensor-product grid."""
