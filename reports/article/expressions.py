"""Conditions and numbers of the article: small expressions on facts and verdicts.

A fact is `[STUDY/NAME]`. There are comparisons, and, or, not, arithmetic, min and max, and of a
claim `verdict("NAME")`, `effect("NAME")`, `low("NAME")` and `high("NAME")` (the ends of the
interval), of one of its settings `row_verdict("NAME", "ROW")` and `row_effect("NAME", "ROW")`;
`verdicts("PART", "WORD")` counts the claims of a part with a verdict, `seeds("STUDY/NAME")` is the
number of seeds behind a fact. `[again/STUDY/NAME]` and `verdict("again/NAME")` are of the second
run.
"""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Mapping
from math import ceil
from typing import Any

from bench.claims.facts import Fact
from reports.article.kept import Kept
from reports.formatting import count, ratio, scientific, seconds, two_digits

FACT = re.compile(r"\[([^\[\]]+)\]")
COMPARED = {
    ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge,
    ast.Eq: operator.eq, ast.NotEq: operator.ne,
}  # fmt: skip
COMPUTED = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
}  # fmt: skip
WORDS = ("none", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
         "eleven", "twelve")  # fmt: skip
FORMATS: dict[str, Callable[[float], str]] = {
    "error": lambda value: scientific(value, 1),
    "seconds": seconds,
    "percent": lambda value: f"{two_digits(100 * value)}\u202f%",
    "count": count,
    "ratio": ratio,
    "factor": lambda value: count(float(f"{value:.1g}")) if value >= 10 else two_digits(value),
    "queries": lambda value: count(float(f"{ceil(value):.2g}")),
    "words": lambda value: WORDS[int(value)] if 0 <= value < len(WORDS) else count(value),
}
BY_UNIT = {"L² error": "error", "s": "seconds", "relative L² error": "percent"}
COUNTED = ("nets", "settings", "unknowns", "evaluations", "points", "parameters", "cells")


class Unsupported(ValueError):
    """An expression that cannot be evaluated, or names what the run does not have."""


def value(expression: str, kept: Kept) -> Any:
    """The value of an expression."""
    facts = FACT.findall(expression)
    unknown = [name for name in facts if name not in kept.facts]
    if unknown:
        raise Unsupported(f"the kept run has no fact {unknown[0]!r}")
    places = iter(range(len(facts)))
    names = {f"_{k}": kept.facts[name].value for k, name in enumerate(facts)}
    try:
        tree = ast.parse(FACT.sub(lambda _: f"_{next(places)}", expression).strip(), mode="eval")
    except SyntaxError:
        raise Unsupported(f"{expression!r} is not an expression") from None
    return _value(tree.body, names, _functions(kept))


def _functions(kept: Kept) -> dict[str, Callable[..., Any]]:
    def entry(name: str) -> Any:
        found = kept.verdicts.get(name) or kept.again.get(name)
        if found is None:
            raise Unsupported(f"the kept run has not tested the claim {name!r}")
        return found

    def part(name: str, row: str) -> Any:
        rows = {each.name: each for each in entry(name).rows}
        if row not in rows:
            raise Unsupported(f"the claim {name!r} has no row {row!r}; it has {', '.join(rows)}")
        return rows[row]

    def seeds(name: str) -> int:
        if name not in kept.facts:
            raise Unsupported(f"the kept run has no fact {name!r}")
        return kept.facts[name].seeds

    return {
        "min": min,
        "max": max,
        "verdict": lambda name: entry(name).verdict,
        "effect": lambda name: entry(name).effect,
        "row_verdict": lambda name, row: part(name, row).verdict,
        "row_effect": lambda name, row: part(name, row).effect,
        "low": lambda name: entry(name).interval[0],
        "high": lambda name: entry(name).interval[1],
        "seeds": seeds,
        "verdicts": lambda part, word: sum(
            e.claim.part == part and e.verdict == word for e in kept.verdicts.values()
        ),
    }


def _value(node: ast.expr, names: Mapping[str, Any], functions: Mapping[str, Any]) -> Any:
    """Only what the notation has: anything else is refused."""

    def of(part: ast.expr) -> Any:
        return _value(part, names, functions)

    match node:
        case ast.Constant(value=constant):
            return constant
        case ast.Name(id=name) if name in names:
            return names[name]
        case ast.UnaryOp(op=ast.Not(), operand=part):
            return not of(part)
        case ast.BoolOp(op=how, values=parts):
            return (all if isinstance(how, ast.And) else any)(of(part) for part in parts)
        case ast.BinOp(left=left, op=how, right=right) if type(how) in COMPUTED:
            return COMPUTED[type(how)](of(left), of(right))
        case ast.Compare(left=left, ops=hows, comparators=rest) if len(hows) == 1:
            return COMPARED[type(hows[0])](of(left), of(rest[0]))
        case ast.Call(func=ast.Name(id=name), args=given) if name in functions:
            return functions[name](*map(of, given))
    raise Unsupported(f"{ast.unparse(node)!r} is not part of the notation")


def shown(placeholder: str, kept: Kept) -> tuple[str, str]:
    """The text of `{fact}`, `{fact | format}` or `{expression | format}`, and what is known about
    it."""
    name, _, form = (part.strip() for part in placeholder.partition("|"))
    fact = kept.facts.get(name)
    if fact is None and not FACT.search(name) and "(" not in name:
        raise Unsupported(f"the kept run has no fact {name!r}")
    number = fact.value if fact else value(name, kept)
    form = form or (_form(fact) if fact else "")
    if form not in FORMATS:
        raise Unsupported(f"{placeholder!r} needs a format: {', '.join(FORMATS)}")
    return FORMATS[form](number), about(fact) if fact else name


def _form(fact: Fact) -> str:
    if fact.unit in BY_UNIT:
        return BY_UNIT[fact.unit]
    return "count" if fact.unit in COUNTED else "ratio" if "over" in fact.unit else ""


def about(fact: Fact) -> str:
    """Where, of how many seeds and under which conditions a fact was measured."""
    seeds = "one run" if fact.seeds == 1 else f"{fact.seeds} seeds"
    cells = "1 cell" if len(fact.cells) == 1 else f"{len(fact.cells)} cells"
    measured = f"{fact.name}: {fact.value:.6g} {fact.unit}"
    return "; ".join([measured, fact.domain, seeds, fact.conditions, cells])
