"""Words that a reader may not know, explained where the pointer rests on them.

`docs/glossary.md` has all of them, with formulas; these are the ones that a page uses most.
"""

from __future__ import annotations

import re

from markupsafe import Markup

TERMS = {
    "N₀": "The Nédélec element of lowest order on tetrahedra: one unknown per edge.",
    "N₁": "The Nédélec element of the next order: two unknowns per edge and two per face.",
    "p-version": "Nédélec elements of order p on hexahedra: the order rises, the mesh stays.",
    "hp": "The p-version on layers of hexahedra that shrink towards singular edges.",
    "nodal elements": "Continuous elements; at a re-entrant edge they converge to a wrong field.",
    "best approximation": "The field of a space that is nearest to u in the norm of H(curl).",
    "H(curl)": "Fields that are square integrable together with their curl.",
    "L² error": "The square root of the integral of |u − v|² over the domain.",
    "PINNs": "Physics-informed networks: trained to satisfy the equation at points.",
    "ResNet": "A network whose layers add a step τ σ(W y + b) to the state y.",
    "Fractional-DNN": "A ResNet for a derivative of order γ < 1: layers see all earlier states.",
    "τ": "The step size of a layer, fixed or learned.",
    "γ": "The order of the derivative in a Fractional-DNN.",
    "J": "The loss that a training minimises.",
    "bias ordering": "A penalty for biases of a layer that are not ascending.",
    "linear models": "Least squares or interpolation with functions that are fixed before.",
    "re-entrant edge": "An edge at which the domain's angle exceeds 180 degrees.",
    "ring": "The outer part of the cylinder, held out to test extrapolation.",
    "mean-field theory": "The limit of wide random networks, described by second moments.",
    "Holm's": "A correction of p-values for many comparisons.",
    "diverged": "A run that did not converge; it counts as an infinite error.",
    "confirmed": "Declared before, and decided on seeds that no pilot has used.",
    "exploratory": "Decided on seeds that pilots may have used.",
    "seeds": "Numbers that draw starting weights, points or both.",
}
_FIRST = re.compile("|".join(rf"(?<![\w-]){re.escape(word)}(?![\w-])" for word in TERMS))


def explained(text: str) -> Markup:
    """The text, escaped, with the first occurrence of each word of the glossary explained."""
    pieces, end = [], 0
    seen: set[str] = set()
    for found in _FIRST.finditer(text):
        if found[0] in seen:
            continue
        seen.add(found[0])
        shown = Markup('<abbr title="{}">{}</abbr>').format(TERMS[found[0]], found[0])
        pieces += [Markup.escape(text[end : found.start()]), shown]
        end = found.end()
    return Markup("").join([*pieces, Markup.escape(text[end:])])
