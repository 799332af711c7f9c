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
        about["slice"] = _slice(problem)
        try:
            source = ast.parse(Path(path).read_text(encoding="utf-8"))
        except (OSError, SyntaxError, ValueError):  # it cannot be read any more
            return about
        text = " ".join((ast.get_docstring(source) or "").split())
        about |= {"text": text[:LONGEST], "formulas": _formulas(source)}
    return about


def _formulas(source: ast.Module) -> dict[str, str]:
    """The formulas as the file has them, given to Problem in place too, then what they use."""
    defined = _definitions(source)
    calls = [node for node in ast.walk(source) if isinstance(node, ast.Call)]
    given = {k.arg: k.value for call in calls for k in call.keywords if _is_problem(call)}
    found = {name: given.get(name) or defined.get(name) for name in FORMULAS}
    used = {name: _resolved(node, defined) for name, node in found.items() if node is not None}
    waiting = [*used.values()]
    while waiting:
        inside = _names(waiting.pop())
        more = {name: defined[name] for name in inside if name in defined and name not in used}
        used |= more
        waiting += more.values()
    return {_name(name, node): _text(node) for name, node in used.items()}


def _definitions(source: ast.Module) -> dict[str, ast.AST]:
    """The functions and assignments of a file, by the names that they define."""
    found: dict[str, ast.AST] = {}
    for node in source.body:
        if isinstance(node, ast.FunctionDef):
            found[node.name] = node
        elif isinstance(node, ast.Assign):
            found |= dict.fromkeys(_names(node.targets[0]), node)
    return found


def _names(node: ast.AST) -> list[str]:
    return [each.id for each in ast.walk(node) if isinstance(each, ast.Name)]


def _is_problem(call: ast.Call) -> bool:
    """Whether a call makes a problem, or another from one."""
    return ast.unparse(call.func).endswith(("Problem", "replace"))


def _resolved(node: ast.AST, defined: dict[str, ast.AST]) -> ast.AST:
    """What a name stands for."""
    return defined.get(node.id, node) if isinstance(node, ast.Name) else node


def _name(name: str, node: ast.AST) -> str:
    """The name of a definition: all names that one assignment gives."""
    return ast.unparse(node.targets[0]).strip("()") if isinstance(node, ast.Assign) else name


def _text(node: ast.AST) -> str:
    """The source of a function's body, without its docstring, or of a value."""
    if isinstance(node, ast.FunctionDef):
        body = node.body[1:] if ast.get_docstring(node) and len(node.body) > 1 else node.body
        text = "; ".join(map(ast.unparse, body))
    else:
        value = node.value if isinstance(node, ast.Assign) else node
        text = ast.unparse(value.body if isinstance(value, ast.Lambda) else value)
    return text.replace(" ** ", "^")[:LONGEST]


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
