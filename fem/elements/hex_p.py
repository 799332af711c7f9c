"""hexP: hexahedral Nédélec elements of any order on n × n × n cells of the cube."""

from __future__ import annotations

from fem.elements import Element, Solver
from fem.spaces import Space


def tensor(n: int, order: int) -> Space:
    from fem.spaces.p_version import TensorSpace

    return TensorSpace(n=n, order=order)


ELEMENT = Element(
    name="hexP",
    title="Nédélec of order p on hexahedra, by tensor products",
    cell="hex",
    order=None,
    solvers={"tensor": Solver(tensor)},
)
