"""What a study's plan stores about problems, nets, optimisers and data from a user's files.

The report shows it without the code: titles, the source of the formulas, and a slice of the field.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from base.registry import FILES
from bench import problems
from bench.cells import Cell
from bench.core import plugins
from bench.methods.titles import net_title
from bench.problems import Problem

PARTS = ("problem", "net", "optimizer", "data")  # settings of cells that may name a user's file
FORMULAS = ("u", "curl_u", "f", "phi", "grad_phi", "rho", "g")
SIDE, SEEN = 24, 500  # points of a slice, each way; points that show how far a domain reaches
LONGEST = 600  # characters of a formula


def described(cells: Iterable[Cell]) -> dict[str, dict[str, Any]]:
    """Everything from a user's file that the cells name, by setting and name."""
    named = {part: {str(cell.config.get(part, "")) for cell in cells} for part in PARTS}
    return {
        part: {name: _about(part, name) for name in sorted(names) if name in FILES}
        for part, names in named.items()
    }


def _about(part: str, name: str) -> dict[str, Any]:
    path = plugins.path_of(name) or name
    about: dict[str, Any] = {"file": Path(path).name, "title": plugins.display(name)}
    if part == "net":
        about["title"] = net_title(name)
    if part == "problem":
        problem = problems.get(name)
        about |= {"title": problem.title, "domain": problem.domain.title, "known": problem.known}
        about |= {"formulas": _formulas(path), "slice": _slice(problem)}
    return about


def _formulas(path: str) -> dict[str, str]:
    """The source of the formulas, as the file has it; empty if it cannot be read any more."""
    try:
        text = Path(path).read_text(encoding="utf-8")
        found = [node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)]
    except (OSError, SyntaxError, ValueError):
        return {}
    return {
        node.name: "; ".join(map(ast.unparse, _without_docstring(node))).replace(" ** ", "^")[
            :LONGEST
        ]
        for node in found
        if node.name in FORMULAS
    }


def _without_docstring(node: ast.FunctionDef) -> list[ast.stmt]:
    return node.body[1:] if ast.get_docstring(node) and len(node.body) > 1 else node.body


def _slice(problem: Problem) -> dict[str, Any]:
    """u, or f where u is not known, on the middle slice of the domain; None outside it."""
    points = problem.domain.sample(SEEN, seed=0)
    low, high = (float(np.round(v, 2)) for v in (points[:2].min(), points[:2].max()))
    height = float(np.round((points[2].min() + points[2].max()) / 2, 2))
    line = low + (np.arange(SIDE) + 0.5) / SIDE * (high - low)
    x = np.stack(np.broadcast_arrays(line[:, None], line[None, :], height))
    inside = problem.domain.contains(x)
    field = np.full((3, SIDE, SIDE), np.nan)
    field[:, inside] = (problem.u if problem.known else problem.f)(x[:, inside])
    rounded = [None if not np.isfinite(v) else float(f"{v:.3g}") for v in field.reshape(-1)]
    return {"line": [float(f"{v:.4g}") for v in line], "height": height, "values": rounded}
