"""hexP: hexahedral Nédélec elements of any order on n × n × n cells of the cube."""

from __future__ import annotations

from fem.elements import Element, Solver
from fem.spaces import Space


def tensor(n: int, order: int) -> Space:
    from fem.spaces.p_version import TensorSpace

    return TensorSpace(n=n, order=order)


def needs(cells: int, order: int) -> float:
    """The grid of the rule (three coordinates, four fields) and the coefficients."""
    return 8.0 * cells * (15 * (order + 6) ** 3 + 6 * (order + 1) ** 3)


ELEMENT = Element(
    name="hexP",
    title="p-version, hexahedra",
    short="p-version",
    about="Nédélec elements of any order on hexahedra, by tensor products",
    cell="hex",
    order=None,
    solvers={"tensor": Solver(tensor, needs)},
)
