"""Certificates of fields on a problem: bounds of their errors from its data, never from u.

*own*: by the field's residuals, for fields with derivatives. *recovered*: by σ and τ of one order
more, for solutions on bricks. *reference*: by the distance from a p- or hp-solution that has a
certificate itself, for any field.
"""
