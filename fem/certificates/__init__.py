"""Bounds of ‖u − v‖ for the solution u of curl(φ curl u) = f, div u = ρ, that need no u (maths 12).

The field v may be anything: a net, an element solution, a formula. From norms of what it leaves
over in the equation, the divergence and the boundary values, and from constants of the domain,
follow upper bounds of its error in L² and in the energy norm ‖φ^½ curl(u − v)‖.
"""
