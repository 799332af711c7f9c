"""Numbers as people read them: one rule per kind of quantity, the same in HTML and PDF."""

from __future__ import annotations

import math
from typing import Literal

Kind = Literal[
    "text", "count", "number", "error", "exact", "seconds", "bytes", "rate", "ratio", "p"
]

_SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def superscript(digits: str) -> str:
    return digits.replace("−", "-").translate(_SUPERSCRIPT)


def scientific(value: float, digits: int = 2) -> str:
    """1.86·10⁻²; zero stays 0."""
    if value == 0:
        return "0"
    mantissa, exponent = f"{value:.{digits}e}".split("e")
    return f"{mantissa}·10{superscript(str(int(exponent)))}"


_UNITS = ((3600.0, "h"), (60.0, "min"), (1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"))


def seconds(value: float) -> str:
    """Two digits: the same work takes a few percent more or less the next time."""
    longest = {"min": 120.0, "h": 7200.0}
    unit, name = next(
        ((unit, name) for unit, name in _UNITS if value >= longest.get(name, unit)), _UNITS[-1]
    )
    return f"{two_digits(value / unit)} {name}"


def two_digits(value: float) -> str:
    """0.37, 1.4, 14, 140"""
    return f"{float(f'{value:.2g}'):g}"


def ratio(value: float) -> str:
    """Two digits too, but 1.04 is not 1."""
    if value >= 1e4:
        return scientific(value, 0)
    return f"{value:.3g}" if 1 <= value < 2 else two_digits(value)


def byte_count(value: float) -> str:
    for unit in ("B", "kB", "MB"):
        if value < 1000:
            return f"{value:.3g} {unit}"
        value /= 1000
    return f"{value:.3g} GB"


def count(value: float) -> str:
    return f"{int(value):,}".replace(",", "\u202f")  # a narrow no-break space


def p_value(value: float) -> str:
    return f"{value:.2g}" if value >= 1e-3 else scientific(value, 0)


def number(value: float) -> str:
    if value == 0 or 1e-2 <= abs(value) < 1e4:
        return f"{value:.3g}"
    return scientific(value)


_FORMATS = {
    "count": count,
    "number": number,
    "error": lambda value: scientific(value, 1),  # known from few seeds, or to a rule's accuracy
    "exact": scientific,
    "seconds": seconds,
    "bytes": byte_count,
    "rate": lambda value: f"{value:.2f}",
    "ratio": lambda value: f"{ratio(value)}×",
    "p": p_value,
}


def show(value: object, kind: Kind = "text") -> str:
    """The text of one table cell; what does not exist is an en dash, never NaN."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float) and kind in _FORMATS:
        return _FORMATS[kind](value) if math.isfinite(value) else "∞"
    return value if isinstance(value, str) else str(value)  # a marked text keeps its marks
