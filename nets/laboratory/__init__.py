"""Gradient studies of any torch module: layers, Jacobians, training, diagnosis, remedies.

subject     the module, its batches and its loss, checked once
anatomy     layers in the order of execution, grouped by block; which blocks are residual
profile     one forward and backward pass: norms of activations and gradients, dead units
jacobians   products with Jacobians between blocks: singular values, Lyapunov exponents
memory      how far back in time a recurrent layer depends on its input
training    the same numbers along some steps of an optimiser
diagnosis   rules that turn the numbers into a label, a layer and a cause
remedies    one change to a copy per file
study       `gradient_study`, which does all of it, and its result
words       the diagnosis in sentences
drawing     figures of a study (the only file of this package that loads matplotlib)
"""
