"""Exact gradients: by adjoint, by theory's opposite order, per layer, recorded, labelled."""
