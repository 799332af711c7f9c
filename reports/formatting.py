"""Numbers as people read them: one rule per kind of quantity, the same in HTML and PDF."""

from __future__ import annotations

import math
from typing import Literal

Kind = Literal["text", "count", "number", "error", "seconds", "bytes", "rate", "ratio"]

_SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def scientific(value: float, digits: int = 2) -> str:
    """1.86·10⁻²; zero stays 0."""
    if value == 0:
        return "0"
    mantissa, exponent = f"{value:.{digits}e}".split("e")
    return f"{mantissa}·10{str(int(exponent)).translate(_SUPERSCRIPT)}"


def seconds(value: float) -> str:
    if value < 1e-6:
        return f"{value * 1e9:.3g} ns"
    if value < 1e-3:
        return f"{value * 1e6:.3g} µs"
    if value < 1:
        return f"{value * 1e3:.3g} ms"
    if value < 120:
        return f"{value:.3g} s"
    return f"{value / 60:.3g} min" if value < 7200 else f"{value / 3600:.3g} h"


def byte_count(value: float) -> str:
    for unit in ("B", "kB", "MB"):
        if value < 1000:
            return f"{value:.3g} {unit}"
        value /= 1000
    return f"{value:.3g} GB"


def count(value: float) -> str:
    return f"{int(value):,}".replace(",", "\u202f")  # a narrow no-break space


def number(value: float) -> str:
    if value == 0 or 1e-2 <= abs(value) < 1e4:
        return f"{value:.3g}"
    return scientific(value)


_FORMATS = {
    "count": count,
    "number": number,
    "error": scientific,
    "seconds": seconds,
    "bytes": byte_count,
    "rate": lambda value: f"{value:.2f}",
    "ratio": lambda value: f"{value:.3g}×",
}


def show(value: object, kind: Kind = "text") -> str:
    """The text of one table cell; what does not exist is an en dash, never NaN."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float) and kind in _FORMATS:
        return _FORMATS[kind](value) if math.isfinite(value) else "∞"
    return str(value)
