"""Nets that are given an equation: residuals that are linear in a net's values and derivatives.

At a point x the net u and its derivatives are a *jet*, one block of channels per quantity:

    order        channels of the jet of each output
    value        u
    first        u, ∂₁u, ∂₂u, ∂₃u
    laplacian    u, ∂₁u, ∂₂u, ∂₃u, Δu
    second       u, ∂₁u, ∂₂u, ∂₃u, ∂₁₁u, ∂₁₂u, ∂₁₃u, ∂₂₂u, ∂₂₃u, ∂₃₃u

A `Residuals` record gives points, linear combinations of the channels and their required values;
strong forms, first-order systems, boundary penalties, divergence terms and products with test
functions are all of that shape. `ResidualObjective` is ½ Σ r² over any number of them, with its
gradient, and the Jacobian of all r in all parameters, by hand: forward Taylor mode and its adjoint,
compiled and tile by tile (`nets.fast.tiles`). No particular equation is known here.

Loss and gradient of the strong form on one thread of a busy machine: 0.8 ms (2-20, 600 + 360
points) and 2.0 ms (2-30, 1000 + 600); version 0.2.0 took 2.2 and 2.4 times as long in turns with
it, double backward passes of torch eight times as long as that.
"""
